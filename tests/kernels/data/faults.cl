// matmul_blocked with a fault planted in it, to show that the tests of the kernels can fail.
// FAULT: 0 none, 1 the first barrier is missing, 2 tiles are read past the end of A and B, 3 the sum
// is never initialised, 4 the last, partly filled tile is left out, 5 the store is not bounded.

#if FAULT == 4
#define STEPS (K / TPB)
#else
#define STEPS ((K + TPB - 1) / TPB)
#endif

__kernel void faults(__global float *restrict C, const __global float *restrict A,
                     const __global float *restrict B)
{
    __local float tile_a[TPB][TPB];
    __local float tile_b[TPB][TPB];

    const int local_x = get_local_id(0);
    const int local_y = get_local_id(1);
    const size_t column = get_global_id(0);
    const size_t row = get_global_id(1);

#if FAULT == 3
    float sum;
#else
    float sum = 0.0f;
#endif
    for (int step = 0; step < STEPS; step++) {
        const size_t a_column = (size_t)step * TPB + local_x;
        const size_t b_row = (size_t)step * TPB + local_y;
#if FAULT == 2
        const float a = A[row * K + a_column];
        const float b = B[b_row * N + column];
        tile_a[local_y][local_x] = row < M && a_column < K ? a : 0.0f;
        tile_b[local_y][local_x] = b_row < K && column < N ? b : 0.0f;
#else
        tile_a[local_y][local_x] = row < M && a_column < K ? A[row * K + a_column] : 0.0f;
        tile_b[local_y][local_x] = b_row < K && column < N ? B[b_row * N + column] : 0.0f;
#endif
#if FAULT != 1
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        for (int k = 0; k < TPB; k++)
            sum += tile_a[local_y][k] * tile_b[k][local_x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#if FAULT == 5
    C[row * N + column] = sum;
#else
    if (row < M && column < N)
        C[row * N + column] = sum;
#endif
}
