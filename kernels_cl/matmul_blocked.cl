// Matrix multiplication, any size: square tiles in local memory, padded with zeros at the edges.
//
//   C = A * B; A is M x K, B is K x N, C is M x N floats, row-major.
//
// What it does: as matmul_shared, tiles of TPB x TPB elements ("threads per block" along one side),
// but for any M, N and K, also for 1 x 1.
//
// Why it is faster than matmul_bounded: each element of A and B that is fetched from global memory
// is used TPB times from local memory.
//
// How it stays right at the edges, where three things go wrong easily:
//
// 1. A tile can reach past the end of A or B. What lies there must not be read: it is another row
//    or outside the buffer. A zero is stored instead, and a zero adds nothing to a sum.
// 2. A work-item beyond the edge of C must not return: it still copies elements for the others, and
//    all work-items of a work-group have to reach every barrier. It takes part to the end and only
//    its store is left out.
// 3. The number of steps along k is K / TPB rounded *up*; rounded down it drops the last, partly
//    filled tile.
//
// The words, OpenCL beside CUDA: __local = __shared__; barrier(CLK_LOCAL_MEM_FENCE) =
// __syncthreads() = cuda.syncthreads() in Numba.
//
// The conditions compare with constants (-DM=250 -DN=...), so they cost little beside the loads.

#define STEPS ((K + TPB - 1) / TPB) // tiles along k, the last one perhaps partly filled

__kernel void matmul_blocked(__global float *restrict C, const __global float *restrict A,
                     const __global float *restrict B)
{
    __local float tile_a[TPB][TPB] __attribute__((aligned(16)));
    __local float tile_b[TPB][TPB] __attribute__((aligned(16)));

    const int local_x = get_local_id(0);
    const int local_y = get_local_id(1);
    const int column = get_global_id(0);
    const int row = get_global_id(1);

    float sum = 0.0f;
    for (int step = 0; step < STEPS; step++) {
        const int a_column = step * TPB + local_x;
        const int b_row = step * TPB + local_y;
        tile_a[local_y][local_x] = row < M && a_column < K ? A[(size_t)row * K + a_column] : 0.0f;
        tile_b[local_y][local_x] = b_row < K && column < N ? B[(size_t)b_row * N + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete

#pragma unroll
        for (int k = 0; k < TPB; k++)
            sum += tile_a[local_y][k] * tile_b[k][local_x];
        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are no longer needed
    }

    if (row < M && column < N)
        C[(size_t)row * N + column] = sum;
}
