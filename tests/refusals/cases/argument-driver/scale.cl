__kernel void scale(__global float *out, __global const int *in __attribute__((unused)), const float factor)
{
    const size_t i = get_global_id(0);
    out[i] = factor * in[i];
}
