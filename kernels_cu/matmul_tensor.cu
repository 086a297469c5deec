// Matrix multiplication by tensor cores, fp32 in and out, any size. What it does and how is said in
// kernels_cl/matmul_tensor.h, which matmul_tensor.cl includes too; here are CUDA's words for it.

#define uint  unsigned int
#define ulong unsigned long long

#define KERNEL               extern "C" __global__
#define INLINE               static __device__ __forceinline__
#define GLOBAL
#define LOCAL
#define RESTRICT             __restrict__
#define GROUP_OF(n)          __launch_bounds__(n, 1)
#define GLOBAL_ID(d)         ((size_t)GROUP_ID(d) * (d == 0 ? blockDim.x : blockDim.y) + LOCAL_ID(d))
#define LOCAL_ID(d)          (int)(d == 0 ? threadIdx.x : threadIdx.y)
#define GROUP_ID(d)          (int)(d == 0 ? blockIdx.x : blockIdx.y)
#define GROUP_COUNT(d)       (int)(d == 0 ? gridDim.x : gridDim.y)
#define BARRIER()            __syncthreads()
#define TOGETHER()           __syncwarp()
#define FLOAT_BITS(x)        __float_as_uint(x)
#define BITS_FLOAT(x)        __uint_as_float(x)
#define FLOAT2(a, b)         make_float2(a, b)
#define FLOAT4(a, b, c, d)   make_float4(a, b, c, d)
#define LOCAL_ADDRESS(array) (uint)__cvta_generic_to_shared(array)
// How much it is the spec says (SharedMemory).
#define LOCAL_FLOATS(name, count, align) extern __shared__ __align__(align) float name[]

#define SPLICE(text)       text "\n"
#define ENTRY_DIRECTIVES() // __launch_bounds__ says it
#define RUN                (CORRECTED ? run : 1)

#include "../kernels_cl/matmul_tensor.h"
