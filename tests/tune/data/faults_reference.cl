__kernel void scale_reference(__global float *y, __global const float *x)
{
    y[get_global_id(0)] = 2.0f * x[get_global_id(0)] + 1.0f;
}
