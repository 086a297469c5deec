#ifndef BX
#define BX 16
#endif
#ifndef BY
#define BY 16
#endif
#define R 1
__kernel void blur(__global const float *src, __global float *dst, const int w, const int h)
{
    __local float t[BY + 2 * R][BX + 2 * R];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int gx = get_group_id(0) * BX, gy = get_group_id(1) * BY;
    for (int j = ly; j < BY + 2 * R; j += BY)
        for (int i = lx; i < BX + 2 * R; i += BX) {
            int sx = clamp(gx + i - R, 0, w - 1);
            int sy = clamp(gy + j - R, 0, h - 1);
            t[j][i] = src[sy * w + sx];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0.0f;
    for (int j = 0; j <= 2 * R; j++)
        for (int i = 0; i <= 2 * R; i++)
            s += t[ly + j][lx + i];
    if (gx + lx < w && gy + ly < h)
        dst[(gy + ly) * w + gx + lx] = s / 9.0f;
}
