kernel __attribute__((reqd_work_group_size(8, 1, 1))) void scale(global float *out, global const float *in)
{
    out[get_global_id(0)] = 2 * in[get_global_id(0)];
}
