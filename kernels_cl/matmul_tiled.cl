// Matrix multiplication, step 3: more work per work-item.
//
//   C = A * B, three square matrices of WIDTH x WIDTH floats, row-major.
//
// What it does: as matmul_shared, but a work-item computes tile_size_x x tile_size_y elements of C
// instead of one. They lie block_size_x columns and block_size_y rows apart, so that neighbouring
// work-items still touch neighbouring elements:
//
//     tile of a work-group: (block_size_x * tile_size_x) columns, (block_size_y * tile_size_y) rows
//
//       +----+----+     block_size_x = 4, block_size_y = 2, tile_size_x = 2, tile_size_y = 2:
//       |*   |*   |     the elements of work-item (0, 0) are marked. Each small box is one
//       +----+----+     "step" of all work-items of the group.
//       |*   |*   |
//       +----+----+
//
// Why it is faster than matmul_shared: there, each multiply-add takes two reads from local memory,
// and local memory becomes the limit. Here a work-item reads tile_size_y elements of A's tile and
// tile_size_x of B's, and does tile_size_x * tile_size_y multiply-adds with them: at 4 x 4, 8 reads
// for 16 multiply-adds instead of 32. The running sums stay in registers. Global traffic falls too,
// because the work-group's tile of C is larger, and the independent sums hide each other's latency.
//
// Why it must be tuned: larger tiles take more registers and more local memory, so that fewer
// work-groups fit on a compute unit (CUDA: multiprocessor), and there are fewer of them to spread.
// Where the best balance lies differs from device to device; nobody computes it, one measures it.
//
// The words, OpenCL beside CUDA: private memory = registers (and "local memory" in CUDA's sense,
// which is where registers spill to); #pragma unroll means the same in both; reqd_work_group_size =
// __launch_bounds__: it tells the compiler how many work-items share the registers.
//
// Restrictions: block_size_x == block_size_y * tile_size_y, so that one step in k (block_size_x
// wide) is as deep as the tile is high and the copies below need no remainder; WIDTH is a multiple
// of the tile in both directions.

#define TILE_X (block_size_x * tile_size_x) // columns of C per work-group
#define TILE_Y (block_size_y * tile_size_y) // rows of C per work-group
#define STEP   block_size_x                 // elements along k per step; equal to TILE_Y

__kernel __attribute__((reqd_work_group_size(block_size_x, block_size_y, 1))) void
matmul_tiled(__global float *restrict C, const __global float *restrict A,
             const __global float *restrict B)
{
    __local float tile_a[TILE_Y][STEP] __attribute__((aligned(16)));
    __local float tile_b[STEP][TILE_X] __attribute__((aligned(16)));

    const int local_x = get_local_id(0);
    const int local_y = get_local_id(1);
    const int x = get_group_id(0) * TILE_X + local_x; // first column of this work-item
    const int y = get_group_id(1) * TILE_Y + local_y; // first row

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
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

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
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are no longer needed
    }

#pragma unroll
    for (int i = 0; i < tile_size_y; i++) {
#pragma unroll
        for (int j = 0; j < tile_size_x; j++)
            C[(size_t)(y + i * block_size_y) * WIDTH + x + j * block_size_x] = sum[i][j];
    }
}
