// out = in transposed, N x N, through tiles in local memory.
__kernel void transpose(__global float *restrict out, __global const float *restrict in)
{
    __local float tile[TILE][TILE + PAD];
    int x = get_group_id(0) * TILE + get_local_id(0);
    int y = get_group_id(1) * TILE + get_local_id(1);
    for (int r = 0; r < TILE; r += ROWS)
        tile[get_local_id(1) + r][get_local_id(0)] = in[(y + r) * N + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + get_local_id(0);
    y = get_group_id(0) * TILE + get_local_id(1);
    for (int r = 0; r < TILE; r += ROWS)
        out[(y + r) * N + x] = tile[get_local_id(0)][get_local_id(1) + r];
}

__kernel void plain(__global float *restrict out, __global const float *restrict in)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * N + y] = in[y * N + x];
}
