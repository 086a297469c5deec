#define KERNEL __kernel
#define GLOBAL(T) __global T * restrict
#define IN(T) const GLOBAL(T)
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#ifndef VW
#define VW 4
#endif
#if VW == 1
typedef float vec;
#else
typedef CAT(float, VW) vec;
#endif
KERNEL void triad(IN(vec) a, IN(vec) b, GLOBAL(vec) c, float s, int n)
{
    int i = get_global_id(0);
    if (i < n / VW) c[i] = a[i] + s * b[i];
}
