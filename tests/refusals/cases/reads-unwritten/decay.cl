__kernel void decay(__global int *out, __global const int *in)
{
    const size_t i = get_global_id(0);
    __global const int *before = out; // which no reader of the text follows
    out[i] = before[i] / 2 + in[i];
}
