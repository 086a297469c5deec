// Matrix multiplication, step 2: tiles in shared memory.
//
//   C = A * B, three square matrices of WIDTH x WIDTH floats, row-major.
//
// What it does: a block computes a square tile of C. It walks along k in steps of the tile's width.
// In each step its threads together copy one tile of A and one tile of B into shared memory, one
// element each, and then every thread multiplies its row of the one with its column of the other.
//
//            k ->                          B: tile (step, block x)
//        +---+---+---+---+                 +---+
//     A: |   |###|   |   |  tile           |###|  rows k .. k + TILE
//        +---+---+---+---+ (block y, step) +---+
//
// Why it is faster than matmul_naive: an element that was fetched from global memory is used TILE
// times (by TILE threads) instead of once. Global traffic falls by that factor. Shared memory is
// small (48 KiB for a block, more where the device has it) but near: it is read about as fast as a
// register file can be fed, where global memory takes hundreds of cycles.
//
// The words, CUDA beside OpenCL:
//
//   __shared__ memory = __local memory ("local memory")
//   __syncthreads()   = barrier(CLK_LOCAL_MEM_FENCE)
//
// Beware: CUDA's own "local memory" is something else, the place where registers spill to.
//
// The two barriers are both needed. The first: nobody reads a tile before all of it is there. The
// second: nobody overwrites a tile that others still read. Every thread of the block must reach
// every barrier, so a kernel must never return early in front of one (matmul_blocked.cu shows what
// to do instead when the size is not a multiple of the tile).
//
// Restrictions: block_size_x == block_size_y (the tile is square: it is as deep in k as it is wide,
// and each thread copies one element of each tile); WIDTH is a multiple of it.

#define TILE block_size_x

extern "C" __global__ void matmul_shared(float *__restrict__ C, const float *__restrict__ A,
                                         const float *__restrict__ B)
{
    // No padding is needed. In the inner loop the threads of one row read the same element of
    // tile_a (a broadcast), and neighbouring elements of tile_b: never two from one memory bank.
    // Aligned, and the loop unrolled: then four elements of tile_a are one read.
    __shared__ __align__(16) float tile_a[TILE][TILE];
    __shared__ __align__(16) float tile_b[TILE][TILE];

    const int local_x = threadIdx.x;
    const int local_y = threadIdx.y;
    const int x = blockIdx.x * TILE + local_x;
    const int y = blockIdx.y * TILE + local_y;

    float sum = 0.0f;
    for (int k = 0; k < WIDTH; k += TILE) {
        // Both copies are coalesced: neighbouring threads read neighbouring elements.
        tile_a[local_y][local_x] = A[(size_t)y * WIDTH + k + local_x];
        tile_b[local_y][local_x] = B[(size_t)(k + local_y) * WIDTH + x];
        __syncthreads(); // the tiles are complete

#pragma unroll
        for (int kk = 0; kk < TILE; kk++)
            sum += tile_a[local_y][kk] * tile_b[kk][local_x];
        __syncthreads(); // the tiles are no longer needed
    }

    C[(size_t)y * WIDTH + x] = sum;
}
