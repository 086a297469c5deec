#define KERNEL extern "C" __global__
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_AT
#define ITEM (blockIdx.x * blockDim.x + threadIdx.x)
#define LANE threadIdx.x
#define GROUP ((ulong)blockIdx.x)
#define WAIT __syncthreads()
#define BITS(x) __float_as_uint(x)
#define MULTIPLY_ADD(x, a, b) fmaf(x, a, b)
#define STORE(value, to) (*(to) = (value))
typedef unsigned int uint;
typedef unsigned long long ulong;
typedef float reals;
#if WIDTH == 1
typedef uint words;
#elif WIDTH == 2
typedef uint2 words;
static __device__ void operator+=(words &a, const words &b) { a.x += b.x; a.y += b.y; }
#else
typedef uint4 words;
static __device__ void operator+=(words &a, const words &b)
{
    a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w;
}
#endif
