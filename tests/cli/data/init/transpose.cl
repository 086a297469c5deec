#define TILE_DIM 16

__kernel void transpose(__global float *odata, const __global float *idata, int width, int height)
{
    __local float block[TILE_DIM][TILE_DIM + 1];
    unsigned int xIndex = get_global_id(0);
    unsigned int yIndex = get_global_id(1);
    if (xIndex < width && yIndex < height)
        block[get_local_id(1)][get_local_id(0)] = idata[yIndex * width + xIndex];
    barrier(CLK_LOCAL_MEM_FENCE);
    xIndex = get_group_id(1) * TILE_DIM + get_local_id(0);
    yIndex = get_group_id(0) * TILE_DIM + get_local_id(1);
    if (xIndex < height && yIndex < width)
        odata[yIndex * height + xIndex] = block[get_local_id(0)][get_local_id(1)];
}
