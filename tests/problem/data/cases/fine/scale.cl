kernel void scale(global float *out, global const float *in)
{
    for (int i = 0; i < tile; i++)
        out[get_global_id(0) * tile + i] = 2 * in[get_global_id(0) * tile + i] * block;
}
