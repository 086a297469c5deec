#ifndef RADIUS
#define RADIUS 3
#endif
#define K (2 * RADIUS + 1)
__kernel void conv2d(__global const float *restrict in, __constant float *filter, __global float *restrict out, const int width, const int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            int ix = min(max(x + dx, 0), width - 1), iy = min(max(y + dy, 0), height - 1);
            sum += in[iy * width + ix] * filter[(dy + RADIUS) * K + dx + RADIUS];
        }
    out[y * width + x] = sum;
}
