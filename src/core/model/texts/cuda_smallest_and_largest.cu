#ifndef HONE_MIN_AND_MAX
#define HONE_MIN_AND_MAX
namespace std {
template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b)
{ return a < b ? b : a; }
template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b)
{ return b < a ? b : a; }
}
#endif
