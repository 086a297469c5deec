#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4
#endif
#ifndef BLOCK_Z
#define BLOCK_Z 2
#endif
extern "C" __global__ void heat3d(const double *u, double *v, int nx, int ny, int nz, double c)
{
    int i = blockIdx.x * BLOCK_X + threadIdx.x;
    int j = blockIdx.y * BLOCK_Y + threadIdx.y;
    int k = blockIdx.z * BLOCK_Z + threadIdx.z;
    if (i == 0 || j == 0 || k == 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
    size_t p = (size_t)k * nx * ny + j * nx + i;
    v[p] = u[p] + c * (u[p - 1] + u[p + 1] + u[p - nx] + u[p + nx] + u[p - nx * ny] + u[p + nx * ny] - 6.0 * u[p]);
}
