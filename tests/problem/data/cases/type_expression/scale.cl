kernel void scale(global double2 *out, global const float *in)
{
    for (int i = 0; i < tile; i++)
        out[get_global_id(0) * tile + i] = (T)2 * in[get_global_id(0) * tile + i] * block;
}
