__kernel void mandelbrot(__global int *out, const int width, const int height, const float x0, const float y0, const float dx, const float dy, const int max_iterations)
{
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height) return;
    float cx = x0 + px * dx, cy = y0 + py * dy, x = 0, y = 0;
    int i = 0;
    while (x * x + y * y <= 4.0f && i < max_iterations) { float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; i++; }
    out[py * width + px] = i;
}
