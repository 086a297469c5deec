// A row is as long as the launch is wide, and nothing names it.
__kernel void halve(__global const float *in, __global float *out)
{
    const int place = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[place] = 0.5f * in[place];
}
