// honest: asks for its work-group
__attribute__((reqd_work_group_size(B, 1, 1)))
kernel void map(global float *restrict y, global const float *restrict x)
{
    for (int i = get_global_id(0); i < N; i += get_global_size(0))
        y[i] = 0.5f * x[i] * x[i] + 1;
}
