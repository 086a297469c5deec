__kernel void add(__global float *c, __global const float *a, __global const float *b)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
