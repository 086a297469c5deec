// OpenCL's words for what kernels say in one text for both languages; kernels_cu/words.h has CUDA's.
//
// Instructions of one architecture, for which NVIDIA's OpenCL does not compile, are comments, and
// hone makes instructions of them (`retarget` in the spec).

#define KERNEL                            __kernel
#define INLINE                            static inline __attribute__((always_inline))
#define GLOBAL                            __global
#define LOCAL                             __local
#define RESTRICT                          restrict
#define GROUP_OF(n)                       __attribute__((reqd_work_group_size(n, 1, 1)))
#define GLOBAL_ID(d)                      get_global_id(d)
#define LOCAL_ID(d)                       (int)get_local_id(d)
#define GROUP_ID(d)                       (int)get_group_id(d)
#define GROUP_COUNT(d)                    (int)get_num_groups(d)
#define BARRIER()                         barrier(CLK_LOCAL_MEM_FENCE)
#define TOGETHER()                        asm volatile("bar.warp.sync 0xffffffff;\n" ::: "memory")
#define FLOAT_BITS(x)                     as_uint(x)
#define BITS_FLOAT(x)                     as_float(x)
#define HALF_FLOAT(bits)                  vload_half(0, (const half *)&(bits))
#define FLOAT_HALF(x)                     half_bits(x)
#define FLOAT2(a, b)                      (float2)(a, b)
#define FLOAT4(a, b, c, d)                (float4)(a, b, c, d)
#define UINT2(a, b)                       (uint2)(a, b)
#define UINT4(a, b, c, d)                 (uint4)(a, b, c, d)
#define LOCAL_ADDRESS(array)              (uint)(array)
#define LOCAL_FLOATS(name, count, align)  __local float name[count] __attribute__((aligned(align)))
#define LOCAL_WORDS(name, count, align)   __local uint name[count] __attribute__((aligned(align)))
#define LOCAL_DOUBLES(name, count, align) __local double name[count] __attribute__((aligned(align)))
#define DOUBLE2(a, b)                     (double2)(a, b)

#define SPLICE(text)       "// hone-splice: " text "\n"
#define ENTRY(text)        "// hone-entry: " text "\n"
#define ENTRY_DIRECTIVES() asm volatile(ENTRY(".maxnreg " AT_START))

INLINE ushort half_bits(float x)
{
    ushort bits;
    vstore_half_rte(x, 0, (half *)&bits);
    return bits;
}
