// Matrix multiplication, step 2: tiles in local memory.
//
//   C = A * B, three square matrices of WIDTH x WIDTH floats, row-major.
//
// What it does: a work-group computes a square tile of C. It walks along k in steps of the tile's
// width. In each step its work-items together copy one tile of A and one tile of B into local
// memory, one element each, and then every work-item multiplies its row of the one with its column
// of the other.
//
//            k ->                          B: tile (step, group x)
//        +---+---+---+---+                 +---+
//     A: |   |###|   |   |  tile           |###|  rows k .. k + TILE
//        +---+---+---+---+ (group y, step) +---+
//
// Why it is faster than matmul_naive: an element that was fetched from global memory is used TILE
// times (by TILE work-items) instead of once. Global traffic falls by that factor. Local memory is
// small (often 32 to 64 KiB for a work-group) but near: it is read about as fast as a register file
// can be fed, where global memory takes hundreds of cycles.
//
// The words, OpenCL beside CUDA:
//
//   __local memory               = __shared__ memory ("shared memory")
//   barrier(CLK_LOCAL_MEM_FENCE) = __syncthreads()
//
// On a CPU local memory is ordinary memory and a barrier ends a loop over the work-items, so this
// step can cost time there. Measure.
//
// The two barriers are both needed. The first: nobody reads a tile before all of it is there. The
// second: nobody overwrites a tile that others still read. Every work-item of the group must reach
// every barrier, so a kernel must never return early in front of one (matmul_blocked.cl shows what
// to do instead when the size is not a multiple of the tile).
//
// Restrictions: block_size_x == block_size_y (the tile is square: it is as deep in k as it is wide,
// and each work-item copies one element of each tile); WIDTH is a multiple of it.

#define TILE block_size_x

__kernel void matmul_shared(__global float *restrict C, const __global float *restrict A,
                     const __global float *restrict B)
{
    // No padding is needed. In the inner loop the work-items of one row read the same element of
    // tile_a (a broadcast), and neighbouring elements of tile_b: never two from one memory bank.
    // Aligned, and the loop unrolled: then four elements of tile_a are one read.
    __local float tile_a[TILE][TILE] __attribute__((aligned(16)));
    __local float tile_b[TILE][TILE] __attribute__((aligned(16)));

    const int local_x = get_local_id(0);
    const int local_y = get_local_id(1);
    const int x = get_global_id(0);
    const int y = get_global_id(1);

    float sum = 0.0f;
    for (int k = 0; k < WIDTH; k += TILE) {
        // Both copies are coalesced: neighbouring work-items read neighbouring elements.
        tile_a[local_y][local_x] = A[(size_t)y * WIDTH + k + local_x];
        tile_b[local_y][local_x] = B[(size_t)(k + local_y) * WIDTH + x];
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

#pragma unroll
        for (int kk = 0; kk < TILE; kk++)
            sum += tile_a[local_y][kk] * tile_b[kk][local_x];
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are no longer needed
    }

    C[(size_t)y * WIDTH + x] = sum;
}
