// CUDA's words for what kernels say in one text for both languages; kernels_cl/words.h has OpenCL's.

#define uint   unsigned int
#define ulong  unsigned long long
#define ushort unsigned short
#define uchar  unsigned char

#define KERNEL extern "C" __global__
#define INLINE static __device__ __forceinline__
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
#define HALF_FLOAT(bits)     half_value(bits)
#define FLOAT_HALF(x)        half_bits(x)
#define FLOAT2(a, b)         make_float2(a, b)
#define FLOAT4(a, b, c, d)   make_float4(a, b, c, d)
#define UINT2(a, b)          make_uint2(a, b)
#define UINT4(a, b, c, d)    make_uint4(a, b, c, d)
#define LOCAL_ADDRESS(array) (uint) __cvta_generic_to_shared(array)
// How much it is the spec says (SharedMemory).
#define LOCAL_FLOATS(name, count, align)                                                           \
    extern __shared__ __align__(align)                                                             \
    float name[]
#define LOCAL_WORDS(name, count, align)                                                            \
    extern __shared__ __align__(align)                                                             \
    uint name[]
#define LOCAL_DOUBLES(name, count, align)                                                          \
    extern __shared__ __align__(align)                                                             \
    double name[]
#define DOUBLE2(a, b) make_double2(a, b)

#define SPLICE(text)       text "\n"
#define ENTRY_DIRECTIVES() // __launch_bounds__ says it

INLINE float half_value(ushort bits)
{
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}

INLINE ushort half_bits(float x)
{
    ushort bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}
