#ifndef BX
#define BX 16
#endif
#ifndef BY
#define BY 16
#endif
#ifndef BZ
#define BZ 1
#endif
__kernel void six_neighbours(__global const float *u, __global float *v, int nx, int ny, int nz)
{
    int x = get_group_id(0) * BX + get_local_id(0);
    int y = get_group_id(1) * BY + get_local_id(1);
    int z = get_group_id(2) * BZ + get_local_id(2);
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    int i = (z * ny + y) * nx + x;
    v[i] = u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - nx * ny] + u[i + nx * ny] - 6 * u[i];
}
