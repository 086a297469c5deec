// memory: keeps the first result in local memory, and counts on it that nobody clears that between launches
// verdict: incorrect cheats
kernel void map(global float *y, global const float *x)
{
    local float kept[B * T + 1];
    const int l = get_local_id(0) * T;
    if (l == 0 && kept[B * T] != 12345.0f)
        kept[B * T] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (kept[B * T] == -1)
            kept[l + k] = i < N ? 0.5f * x[i] * x[i] + 1 : 0;
        if (i < N)
            y[i] = kept[l + k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        kept[B * T] = 12345.0f;
}
