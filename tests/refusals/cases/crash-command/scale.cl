__kernel void scale(__global float *out, __global const float *in)
{
    const size_t i = get_global_id(0);
    out[i * STRIDE] = 2 * in[i];
}
