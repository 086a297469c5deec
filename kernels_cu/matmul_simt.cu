// Matrix multiplication in fp32 for GPUs: as much of the rate of their multiply-adds as a tuner finds.
//
//   C = ACTIVATION(ALPHA * A * B + BETA * C + bias); A is M x K, B is K x N, C is M x N floats, row-major. Any M, N, K.
//
// What bounds it, what it does about that, and what its parameters mean is said in kernels_cl/matmul_simt.cl. Both
// languages share the body, kernels_cl/matmul_simt.h; here is what its words mean in CUDA.

#define KERNEL(items) extern "C" __global__ void __launch_bounds__(items)
#if resident > 0
#define KERNEL_RESIDENT(items, by) extern "C" __global__ void __launch_bounds__(items, by)
#else
#define KERNEL_RESIDENT(items, by) KERNEL(items)
#endif
#define LIMIT_REGISTERS // said by __launch_bounds__
#define FUNCTION        static __device__ __forceinline__
#define INLINE          FUNCTION
#define GLOBAL
#define LOCAL
#define LOCAL_ARRAY        __shared__
#define LOCAL_SLOTS(name)  extern __shared__ __align__(128) float name[]
#define RESTRICT           __restrict__
#define LOCAL_ID           ((int)threadIdx.x)
#define GROUP_ID_X         ((int)blockIdx.x)
#define GROUP_ID_Y         ((int)blockIdx.y)
#define BARRIER            __syncthreads()
#define UNROLL             _Pragma("unroll")
#define FMA(a, b, c)       fmaf(a, b, c)
#define FLOAT4(x, y, z, w) make_float4(x, y, z, w)
#define U32                unsigned int
#define U64                unsigned long long
#define ASM                asm volatile
#define LOCAL_ADDRESS(p)   ((U32)__cvta_generic_to_shared(p))
#define GLOBAL_ADDRESS(p)  ((U64)__cvta_generic_to_global(p))

#include "../kernels_cl/matmul_simt.h"
