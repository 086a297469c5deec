#define IN(y, x) in[(y) * nx + (x)]
__kernel void jacobi(__global const float *in, __global float *out, int nx, int ny)
{
    int x = get_global_id(0) + 1;
    int y = get_global_id(1) + 1;
    if (x < nx - 1 && y < ny - 1)
        out[y * nx + x] = 0.25f * (IN(y, x - 1) + IN(y, x + 1) + IN(y - 1, x) + IN(y + 1, x));
}
