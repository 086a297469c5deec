// Matrix multiplication in fp32 where A has few rows, as a model has that answers a few questions: the
// body that matmul_rows.cl and matmul_rows.cu share. Each of the two says the words of its language
// first (words.h).
//
//   C = ACTIVATION(ALPHA * A * B + BETA * C + bias) (epilogue.h); A is M x K, B is K x N, C is M x N
//   floats, row-major
//
// The product is as fast as B is read, once, straight into registers. A work-item has four columns of
// tile_m rows; `lanes_n` of 32 are next to each other, the others have other k. Sub-groups of a
// work-group, `splits` of them, share k in steps of four for each of these, `stages` steps at a time. Their sums
// meet in local memory, and are added up in the same order whenever the kernel runs. A is read
// again by each work-group, from the caches.

#define NUMBER float
#define ROUGH  0
#include "epilogue.h"

#define TILES_N ((N + 4 * lanes_n - 1) / (4 * lanes_n))
#define DEEP    (32 / lanes_n) // work-items of a sub-group that differ in k
#define STEPS   ((K + 4 * DEEP - 1) / (4 * DEEP))
#define PART    (4 * lanes_n * tile_m) // sums of all lanes of the same k
#define PARTS   (DEEP * splits)

INLINE float4 load_four(const GLOBAL float *from, int is_there)
{
    return is_there ? *(const GLOBAL float4 *)from : FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
}

INLINE void add_product(float *sums, float a, float4 b)
{
    sums[0] += a * b.x;
    sums[1] += a * b.y;
    sums[2] += a * b.z;
    sums[3] += a * b.w;
}

KERNEL GROUP_OF(32 * splits) void matmul_rows(GLOBAL float *RESTRICT C,
                                              const GLOBAL float *RESTRICT A,
                                              const GLOBAL float *RESTRICT B,
                                              const GLOBAL float *RESTRICT bias)
{
    LOCAL_FLOATS(sums, PARTS * PART, 16);
    const int item = LOCAL_ID(0), lane = item % 32 % lanes_n, part = item / lanes_n;
    const int first_row = GROUP_ID(0) / TILES_N * tile_m;
    const int first_column = GROUP_ID(0) % TILES_N * 4 * lanes_n, column = first_column + lane * 4;
    float acc[tile_m][4];
#pragma unroll
    for (int i = 0; i < tile_m * 4; i++)
        acc[i / 4][i % 4] = 0.0f;

#pragma unroll 1
    for (int step = item / 32; step < STEPS; step += splits * stages) {
        float4 b[stages][4];
#pragma unroll
        for (int s = 0; s < stages; s++) {
            const int k = ((step + s * splits) * DEEP + part % DEEP) * 4; // K is a multiple of 4
#pragma unroll
            for (int i = 0; i < 4; i++)
                b[s][i] = load_four(B + (size_t)(k + i) * N + column, k < K && column < N);
        }
#pragma unroll
        for (int s = 0; s < stages; s++) {
            const int k = ((step + s * splits) * DEEP + part % DEEP) * 4;
#pragma unroll
            for (int row = 0; row < tile_m; row++) {
                const float4 a = load_four(A + (size_t)(first_row + row) * K + k,
                                           k < K && (M % tile_m == 0 || first_row + row < M));
                add_product(acc[row], a.x, b[s][0]);
                add_product(acc[row], a.y, b[s][1]);
                add_product(acc[row], a.z, b[s][2]);
                add_product(acc[row], a.w, b[s][3]);
            }
        }
    }

#pragma unroll
    for (int row = 0; row < tile_m; row++)
        *(LOCAL float4 *)(sums + part * PART + row * 4 * lanes_n + lane * 4) =
            FLOAT4(acc[row][0], acc[row][1], acc[row][2], acc[row][3]);
    BARRIER();
    for (int e = item; e < PART; e += 32 * splits) {
        const int row = first_row + e / (4 * lanes_n), x = first_column + e % (4 * lanes_n);
        const size_t at = (size_t)row * N + x;
        float sum = 0.0f;
        for (int p = 0; p < PARTS; p++)
            sum += sums[p * PART + e];
        if (row < M && x < N)
            C[at] = finish((float)(ALPHA)*sum, BETA != 0 ? C[at] : 0.0f, BIAS ? bias[x] : 0.0f);
    }
}
