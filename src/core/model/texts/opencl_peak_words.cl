#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_AT __local
#define ITEM ((uint)get_global_id(0))
#define LANE ((uint)get_local_id(0))
#define GROUP ((ulong)get_group_id(0))
#define WAIT barrier(CLK_LOCAL_MEM_FENCE)
#define BITS(x) as_uint(x)
#pragma OPENCL FP_CONTRACT OFF
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if WIDTH == 1
typedef float reals;
typedef uint words;
#else
typedef JOIN(float, WIDTH) reals;
typedef JOIN(uint, WIDTH) words;
#endif
#if FUSED
#define MULTIPLY_ADD(x, a, b) fma(x, a, b)
#else
#define MULTIPLY_ADD(x, a, b) ((x) * (a) + (b))
#endif
#if PAST_CACHE && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define STORE(value, to) __builtin_nontemporal_store(value, to)
#endif
#endif
#ifndef STORE
#define STORE(value, to) (*(to) = (value))
#endif
