// honest: its inputs come by asynchronous copies to local memory, its outputs leave so
kernel void map(global float *y, global const float *x)
{
    local float in[B * T], out[B * T];
    const int first = get_group_id(0) * B * T, count = min(B * T, N - first);
    event_t copied = async_work_group_copy(in, x + first, count, 0);
    wait_group_events(1, &copied);
    for (int k = get_local_id(0); k < count; k += B)
        out[k] = fma(0.5f * in[k], in[k], 1.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    copied = async_work_group_copy(y + first, out, count, 0);
    wait_group_events(1, &copied);
}
