// honest: floats are added by compare and exchange in local memory
static void add(volatile local int *to, float v)
{
    int old = *to, seen;
    while ((seen = atomic_cmpxchg(to, old, as_int(as_float(old) + v))) != old)
        old = seen;
}
kernel void rowsum(global float *out, global const float *x, global float *t)
{
    local int sums[B];
    const int l = get_local_id(0), first = get_group_id(0) * B;
    sums[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < B && first + r < H; r++)
        for (int k = l; k < W; k += B)
            add(&sums[r], x[(first + r) * W + k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first + l < H)
        out[first + l] = as_float(sums[l]);
}
