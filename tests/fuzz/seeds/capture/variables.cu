#define D __device__
__constant__ float factors[4]; __device__ int a, b[2] = {1, 2}; // __device__ int c;
namespace n { static __managed__ pair<int, 2> d{1}; }
__device__ T operator<(T x) { return x; }
extern "C" __global__ void k(float *x) { x[0] += factors[0]; a = 1; }
