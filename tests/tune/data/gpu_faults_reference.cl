__kernel void scale_reference(__global float *y, __global const float *x)
{
    const int i = get_global_id(0);
    y[i] = 2.0f * x[i] + 1.0f;
}
