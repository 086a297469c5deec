__kernel void k(__global float *y, __global const float *x, int n)
{
    int i = get_global_id(0);
    y[i] = 0;
}
