// Five points; the border is kept.
__kernel void stencil5(__global const float *in, __global float *out, int nx, int ny)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    out[y * nx + x] = 0.2f * (in[y * nx + x] + in[y * nx + x - 1] + in[y * nx + x + 1] +
                              in[(y - 1) * nx + x] + in[(y + 1) * nx + x]);
}
