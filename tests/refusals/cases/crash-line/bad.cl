__kernel void bad(__global float *out, __global const float *in)
{
    const size_t i = get_global_id(0);
    out[i * 100000000] = 2 * in[i];
}
