#ifndef RADIUS
#define RADIUS 2
#endif
#define SIDE (2 * RADIUS + 1)
__constant sampler_t unused_sampler = 0;
__kernel void convolve(__global const float *image, __constant float *mask, __global float *result,
                       int width, int height)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x >= width || at.y >= height)
        return;
    float sum = 0.0f;
    for (int dy = -RADIUS; dy <= RADIUS; dy++)
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
            int x = min(max(at.x + dx, 0), width - 1);
            int y = min(max(at.y + dy, 0), height - 1);
            sum += image[y * width + x] * mask[(dy + RADIUS) * SIDE + dx + RADIUS];
        }
    result[at.y * width + at.x] = sum;
}
