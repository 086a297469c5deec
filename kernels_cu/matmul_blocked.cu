// Matrix multiplication, any size: square tiles in shared memory, padded with zeros at the edges.
//
//   C = A * B; A is M x K, B is K x N, C is M x N floats, row-major.
//
// What it does: as matmul_shared, tiles of TPB x TPB elements ("threads per block" along one side),
// but for any M, N and K, also for 1 x 1.
//
// Why it is faster than matmul_bounded: each element of A and B that is fetched from global memory
// is used TPB times from shared memory.
//
// How it stays right at the edges, where three things go wrong easily:
//
// 1. A tile can reach past the end of A or B. What lies there must not be read: it is another row
//    or outside the buffer. A zero is stored instead, and a zero adds nothing to a sum.
// 2. A thread beyond the edge of C must not return: it still copies elements for the others, and
//    all threads of a block have to reach every barrier. It takes part to the end and only its
//    store is left out.
// 3. The number of steps along k is K / TPB rounded *up*; rounded down it drops the last, partly
//    filled tile.
//
// The words, CUDA beside OpenCL: __shared__ = __local; __syncthreads() =
// barrier(CLK_LOCAL_MEM_FENCE) = cuda.syncthreads() in Numba.
//
// The conditions compare with constants (-DM=250 -DN=...), so they cost little beside the loads.

#define STEPS ((K + TPB - 1) / TPB) // tiles along k, the last one perhaps partly filled

extern "C" __global__ void matmul_blocked(float *__restrict__ C, const float *__restrict__ A,
                                          const float *__restrict__ B)
{
    __shared__ __align__(16) float tile_a[TPB][TPB];
    __shared__ __align__(16) float tile_b[TPB][TPB];

    const int local_x = threadIdx.x;
    const int local_y = threadIdx.y;
    const int column = blockIdx.x * TPB + local_x;
    const int row = blockIdx.y * TPB + local_y;

    float sum = 0.0f;
    for (int step = 0; step < STEPS; step++) {
        const int a_column = step * TPB + local_x;
        const int b_row = step * TPB + local_y;
        tile_a[local_y][local_x] = row < M && a_column < K ? A[(size_t)row * K + a_column] : 0.0f;
        tile_b[local_y][local_x] = b_row < K && column < N ? B[(size_t)b_row * N + column] : 0.0f;
        __syncthreads(); // the tiles are complete

#pragma unroll
        for (int k = 0; k < TPB; k++)
            sum += tile_a[local_y][k] * tile_b[k][local_x];
        __syncthreads(); // the tiles are no longer needed
    }

    if (row < M && column < N)
        C[(size_t)row * N + column] = sum;
}
