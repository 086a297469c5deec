// Matrix multiplication, step 3: more work per thread.
//
//   C = A * B, three square matrices of WIDTH x WIDTH floats, row-major.
//
// What it does: as matmul_shared, but a thread computes tile_size_x x tile_size_y elements of C
// instead of one. They lie block_size_x columns and block_size_y rows apart, so that neighbouring
// threads still touch neighbouring elements:
//
//     tile of a block: (block_size_x * tile_size_x) columns, (block_size_y * tile_size_y) rows
//
//       +----+----+     block_size_x = 4, block_size_y = 2, tile_size_x = 2, tile_size_y = 2:
//       |*   |*   |     the elements of thread (0, 0) are marked. Each small box is one "step" of
//       +----+----+     all threads of the block.
//       |*   |*   |
//       +----+----+
//
// Why it is faster than matmul_shared: there, each multiply-add takes two reads from shared memory,
// and shared memory becomes the limit. Here a thread reads tile_size_y elements of A's tile and
// tile_size_x of B's, and does tile_size_x * tile_size_y multiply-adds with them: at 4 x 4, 8 reads
// for 16 multiply-adds instead of 32. The running sums stay in registers. Global traffic falls too,
// because the block's tile of C is larger, and the independent sums hide each other's latency.
//
// Why it must be tuned: larger tiles take more registers and more shared memory, so that fewer
// blocks fit on a multiprocessor (OpenCL: compute unit), and there are fewer of them to spread.
// Where the best balance lies differs from device to device; nobody computes it, one measures it.
//
// The words, CUDA beside OpenCL: registers = private memory ("local memory" is where registers
// spill to in CUDA, and what CUDA calls shared memory in OpenCL); #pragma unroll means the same in
// both; __launch_bounds__ = reqd_work_group_size: it tells the compiler how many threads share the
// registers. A block that the device cannot have must not be promised: 1024 threads are the limit
// on every NVIDIA GPU.
//
// Restrictions: block_size_x == block_size_y * tile_size_y, so that one step in k (block_size_x
// wide) is as deep as the tile is high and the copies below need no remainder; WIDTH is a multiple
// of the tile in both directions.

#define TILE_X (block_size_x * tile_size_x) // columns of C per block
#define TILE_Y (block_size_y * tile_size_y) // rows of C per block
#define STEP   block_size_x                 // elements along k per step; equal to TILE_Y

extern "C" __global__ void __launch_bounds__(block_size_x * block_size_y)
    matmul_tiled(float *__restrict__ C, const float *__restrict__ A, const float *__restrict__ B)
{
    __shared__ __align__(16) float tile_a[TILE_Y][STEP];
    __shared__ __align__(16) float tile_b[STEP][TILE_X];

    const int local_x = threadIdx.x;
    const int local_y = threadIdx.y;
    const int x = blockIdx.x * TILE_X + local_x; // first column of this thread
    const int y = blockIdx.y * TILE_Y + local_y; // first row

    float sum[tile_size_y][tile_size_x];
#pragma unroll
    for (int i = 0; i < tile_size_y; i++) {
#pragma unroll
        for (int j = 0; j < tile_size_x; j++)
            sum[i][j] = 0.0f;
    }

    for (int k = 0; k < WIDTH; k += STEP) {
#pragma unroll
        for (int i = 0; i < tile_size_y; i++) {
            const int row = local_y + i * block_size_y;
            tile_a[row][local_x] = A[(size_t)(y + i * block_size_y) * WIDTH + k + local_x];
#pragma unroll
            for (int j = 0; j < tile_size_x; j++)
                tile_b[row][local_x + j * block_size_x] =
                    B[(size_t)(k + row) * WIDTH + x + j * block_size_x];
        }
        __syncthreads(); // the tiles are complete

        // Four steps at once: then four neighbours in a row of tile_a are one read. All of them at
        // once would take several times as long to compile.
#pragma unroll 4
        for (int kk = 0; kk < STEP; kk++) {
#pragma unroll
            for (int i = 0; i < tile_size_y; i++) {
                const float a = tile_a[local_y + i * block_size_y][kk];
#pragma unroll
                for (int j = 0; j < tile_size_x; j++)
                    sum[i][j] += a * tile_b[kk][local_x + j * block_size_x];
            }
        }
        __syncthreads(); // the tiles are no longer needed
    }

#pragma unroll
    for (int i = 0; i < tile_size_y; i++) {
#pragma unroll
        for (int j = 0; j < tile_size_x; j++)
            C[(size_t)(y + i * block_size_y) * WIDTH + x + j * block_size_x] = sum[i][j];
    }
}
