#define IDX(x, y, z) (((z) * NY + (y)) * NX + (x))
kernel void laplace(global const double *restrict a, global double *restrict b, const int NX,
                    const int NY, const int NZ)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x > 0 && x < NX - 1 && y > 0 && y < NY - 1 && z > 0 && z < NZ - 1)
        b[IDX(x, y, z)] = a[IDX(x - 1, y, z)] + a[IDX(x + 1, y, z)] + a[IDX(x, y - 1, z)] +
                          a[IDX(x, y + 1, z)] + a[IDX(x, y, z - 1)] + a[IDX(x, y, z + 1)] -
                          6.0 * a[IDX(x, y, z)];
}
