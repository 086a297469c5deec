#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifndef MAX_ITER
#define MAX_ITER 256
#endif
typedef double real;
__kernel void mandelbrot(__global ushort *image, const uint width, const uint height, const double x0, const double y0, const double scale)
{
    const size_t px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height) return;
    real cr = x0 + px * scale, ci = y0 + py * scale, zr = 0, zi = 0;
    uint it = 0;
    while (it < MAX_ITER && zr * zr + zi * zi < 4.0) {
        real t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci; zr = t; it++;
    }
    image[mad24((uint)py, width, (uint)px)] = it;
}
