// Heat in a box, plane after plane; what an #error says of the group.
#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 8
#endif
#if BX * BY > 1024
#error "too many threads"
#elif BX % 32
#error "whole warps"
#endif
__global__ void __launch_bounds__(BX * BY)
heat3d(const float *__restrict__ now, float *__restrict__ next, int nx, int ny, int nz, float alpha)
{
    const int x = blockDim.x * blockIdx.x + threadIdx.x, y = blockDim.y * blockIdx.y + threadIdx.y;
    const int plane = nx * ny;
    if (x >= nx || y >= ny)
        return;
    for (int z = 0; z < nz; z++) {
        const int i = z * plane + y * nx + x;
        float around = now[x > 0 ? i - 1 : i] + now[x < nx - 1 ? i + 1 : i];
        around += now[y > 0 ? i - nx : i] + now[y < ny - 1 ? i + nx : i];
        around += now[z > 0 ? i - plane : i] + now[z < nz - 1 ? i + plane : i];
        next[i] = now[i] + alpha * (around - 6 * now[i]);
    }
}
