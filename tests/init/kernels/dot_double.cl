#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifndef real
#define real double
#endif
typedef real real_t;
__kernel void axpby(const int n, const real_t a, const real_t b, __global const real_t *x, __global real_t *y)
{
    const int i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + b * y[i];
}
