#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void haxpy(int n, float a, __global const half *x, __global half *y)
{
    int i = get_global_id(0);
    if (i < n) vstore_half(a * vload_half(i, x) + vload_half(i, y), i, y);
}
