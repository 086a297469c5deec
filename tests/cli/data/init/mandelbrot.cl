__kernel void mandelbrot(__global int *out, int width, int height, float x0, float y0, float dx,
                         float dy, int max_iterations)
{
    int px = get_global_id(0);
    int py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    float cr = x0 + px * dx, ci = y0 + py * dy, zr = 0, zi = 0;
    int it = 0;
    while (zr * zr + zi * zi <= 4.0f && it < max_iterations) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        it++;
    }
    out[py * width + px] = it;
}
