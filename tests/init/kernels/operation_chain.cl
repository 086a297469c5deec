#ifndef GROUP
#define GROUP 64
#endif
float join(float a, float b)
{
#ifdef JOIN_ADD
    return a + b;
#elif JOIN_TIMES
    return a * b;
#else
    return 0;
#endif
}
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void map(__global const float *a, __global const float *b, __global float *c, const int n, const int negate)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    const float v = join(a[i], b[i]);
    c[i] = negate ? -v : v;
}
