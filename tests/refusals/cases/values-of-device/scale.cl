kernel void scale(global float *out, global const float *in)
{
    out[get_global_id(0)] = 2 * in[get_global_id(0)];
}
