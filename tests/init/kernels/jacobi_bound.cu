// A struct of macros: options by name, a struct of arrays, double.
#define CONFIG_BLOCK_X (cfg_bx)
#define CONFIG_BLOCK_Y (cfg_by)
#define IDX(x, y) ((y) * pitch + (x))
#define REAL double
#define GLOBAL_KERNEL extern "C" __global__
GLOBAL_KERNEL void __launch_bounds__(256) jacobi2d(REAL *__restrict__ anew, const REAL *__restrict__ a, int nx, int ny, int pitch)
{
    __shared__ REAL t[CONFIG_BLOCK_Y + 2][CONFIG_BLOCK_X + 2];
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    int x = blockIdx.x * CONFIG_BLOCK_X + threadIdx.x + 1, y = blockIdx.y * CONFIG_BLOCK_Y + threadIdx.y + 1;
    if (x <= nx && y <= ny) {
        t[ly][lx] = a[IDX(x, y)];
        if (threadIdx.x == 0) t[ly][0] = a[IDX(x - 1, y)];
        if (threadIdx.x == CONFIG_BLOCK_X - 1 || x == nx) t[ly][lx + 1] = a[IDX(x + 1, y)];
        if (threadIdx.y == 0) t[0][lx] = a[IDX(x, y - 1)];
        if (threadIdx.y == CONFIG_BLOCK_Y - 1 || y == ny) t[ly + 1][lx] = a[IDX(x, y + 1)];
    }
    __syncthreads();
    if (x <= nx && y <= ny)
        anew[IDX(x, y)] = 0.25 * (t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx]);
}
