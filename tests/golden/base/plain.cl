__kernel void plain(__global const float *a, __global const float *b, __global float *c)
{
    c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)]; // fake:add
}
