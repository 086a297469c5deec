// Inclusive sums within each group, twice buffered.
__kernel void scan(__global const int *input, __global int *output, __local int *b, __local int *c,
                   int n)
{
    uint gid = get_global_id(0);
    uint lid = get_local_id(0);
    uint dim = get_local_size(0);
    __local int *t;
    b[lid] = c[lid] = gid < n ? input[gid] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s < dim; s <<= 1) {
        if (lid > s - 1)
            c[lid] = b[lid] + b[lid - s];
        else
            c[lid] = b[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        t = b;
        b = c;
        c = t;
    }
    if (gid < n)
        output[gid] = b[lid];
}
