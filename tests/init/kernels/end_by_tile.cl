#ifndef TILE
#define TILE 16
#endif
#ifndef UNROLL
#define UNROLL 2
#endif
// Its end follows TILE, which says nothing of the group.
__kernel void weights(__global float *out)
{
    const int i = get_global_id(0);
    if (i >= TILE * TILE)
        return;
    const int row = i / TILE, column = i % TILE;
    out[i] = 1.0f / (1 + row * row + column * column);
}

// A number, whatever is tuned.
__kernel void table(__global float *out)
{
    const int i = get_global_id(0);
    if (i >= 4096)
        return;
    float sum = 0;
    for (int k = 0; k < 64; k += UNROLL)
        for (int j = 0; j < UNROLL; j++)
            sum += 1.0f / (i + k + j + 1);
    out[i] = sum;
}
