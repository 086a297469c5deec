__kernel void decay(__global int *out, __global const int *in)
{
    const size_t i = get_global_id(0);
    out[i] = out[i] / 2 + in[i];
}
