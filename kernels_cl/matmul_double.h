// Matrix multiplication by tensor cores in double precision: the body that matmul_double.cl and
// matmul_double.cu share. Each of the two says the words of its language first.
//
//   C = ALPHA * A * B + BETA * C; A is M x K, B is K x N, C is M x N, row-major
//
// The `instruction`s:
//
//   portable   multiply-adds by each work-item: any device with doubles
//   mma_sync   a sub-group (warp) multiplies 16 x 8 x mma_k from registers. Capability 9.0 and later
//
// With mma_sync a tile's slabs of 16 of k come by asynchronous copies, `stages` - 1 ahead, 16 bytes at
// a time where rows are whole 16 bytes. Neither operand is transposed: the order of k within a slab
// and of columns within 16 is free, as long as both operands, or operand and result, agree. So a
// lane's numbers lie in pairs: two of k next to each other of A, of B two columns next to each other
// that belong to two products, and in C four columns.
//
// Of A a line has 16 of k, whose halves change places in odd lines; of B a line has tile_n columns
// and 16 bytes that nobody reads. Thus eight lanes, which read at a time, find all banks.

#define portable 0
#define mma_sync 1

#include "matmul_tiles.h"

#define FACTOR (double)(ALPHA)

#if instruction == portable

#define NUMBER           double
#define LOCAL_NUMBERS    LOCAL_DOUBLES
#define A_AT(row, k)     A[(row)*K + (k)]
#define B_AT(k, column)  B[(k)*N + (column)]
#define C_AT(at)         C[at]
#define PUT(at, product) C[at] = product

KERNEL GROUP_OF(256) void matmul_double(GLOBAL double *RESTRICT C, const GLOBAL double *RESTRICT A,
                                        const GLOBAL double *RESTRICT B)
{
    PORTABLE_PRODUCT
}

#else

#define SLAB    16 // of k
#define SLABS   ((K + SLAB - 1) / SLAB)
#define WARPS_M (tile_m / warp_m)
#define THREADS (32 * WARPS_M * (tile_n / warp_n))
#define B_LINE  (tile_n + 2)
#define A_PART  (tile_m * SLAB) // doubles
#define STAGE   (A_PART + SLAB * B_LINE)
#define DOWN    (warp_m / 16) // products of a sub-group
#define ACROSS  (warp_n / 8)

// A part of a line, or zeros in its place.
INLINE void bring(uint to, const GLOBAL double *from, int is_there, int wide)
{
    if (wide)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from),
                     "r"(is_there ? 16 : 0)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;\n" ::"r"(to), "l"(from),
                     "r"(is_there ? 8 : 0)
                     : "memory");
}

INLINE void bring_slab(uint to, const GLOBAL double *A, const GLOBAL double *B, int down, int across,
                       int slab, int thread)
{
    const int of_a = K % 2 == 0 ? 2 : 1, of_b = N % 2 == 0 ? 2 : 1; // doubles at a time
#pragma unroll
    for (int e = thread * of_a; e < tile_m * SLAB; e += THREADS * of_a) {
        const int line = e / SLAB, k = e % SLAB;
        const size_t row = (size_t)down * tile_m + line, at_k = (size_t)slab * SLAB + k;
        const int is_there = (M % tile_m == 0 || row < M) && (K % SLAB == 0 || at_k < K);
        bring(to + (line * SLAB + (k ^ line % 2 * 8)) * 8, is_there ? A + row * K + at_k : A,
              is_there, of_a == 2);
    }
#pragma unroll
    for (int e = thread * of_b; e < tile_n * SLAB; e += THREADS * of_b) {
        const int k = e / tile_n, place = e % tile_n;
        const size_t column = (size_t)across * tile_n + place, at_k = (size_t)slab * SLAB + k;
        const int is_there = (N % tile_n == 0 || column < N) && (K % SLAB == 0 || at_k < K);
        bring(to + (A_PART + k * B_LINE + place) * 8, is_there ? B + at_k * N + column : B,
              is_there, of_b == 2);
    }
}

#define COMMIT() asm volatile("cp.async.commit_group;\n" ::: "memory")
#define WAIT(n)  asm volatile("cp.async.wait_group %0;\n" ::"n"(n) : "memory")

#if mma_k == 8
#define MULTIPLY(d, a, b)                                                                          \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, " \
                 "%7}, {%8, %9}, {%0, %1, %2, %3};\n"                                              \
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])                                  \
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]))
#else
#define MULTIPLY(d, a, b)                                                                          \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, "   \
                 "%6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};\n"            \
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])                                  \
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),    \
                   "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]))
#endif

// What a sub-group multiplies of a slab: `mma_k` of k at a time.
INLINE void multiply_slab(double acc[DOWN][ACROSS][4], const LOCAL double *slab, int first_row,
                          int first_column, int lane)
{
    const int g = lane / 4, t = lane % 4;
#pragma unroll
    for (int k = 0; k < SLAB; k += mma_k) {
        double b[ACROSS][mma_k / 4];
#pragma unroll
        for (int j = 0; j < ACROSS; j += 2) {
#pragma unroll
            for (int i = 0; i < mma_k / 4; i++) {
                const int line = k + i / 2 * 8 + t * 2 + i % 2;
                const double2 pair = *(const LOCAL double2 *)(slab + A_PART + line * B_LINE +
                                                              first_column + j * 8 + g * 2);
                b[j][i] = pair.x, b[j + 1][i] = pair.y;
            }
        }
#pragma unroll
        for (int m = 0; m < DOWN; m++) {
            double a[mma_k / 2];
#pragma unroll
            for (int i = 0; i < mma_k / 4; i++) { // rows g and g + 8, eights of k
                const int line = first_row + m * 16 + g + i % 2 * 8;
                const double2 pair =
                    *(const LOCAL double2 *)(slab + line * SLAB +
                                             (((k / 8 + i / 2) ^ line % 2) * 8) + t * 2);
                a[i / 2 * 4 + i % 2] = pair.x, a[i / 2 * 4 + 2 + i % 2] = pair.y;
            }
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
                MULTIPLY(acc[m][j], a, b[j]);
        }
    }
}

INLINE void store_two(GLOBAL double *C, size_t row, size_t column, double first, double second)
{
    GLOBAL double *to = C + row * N + column;
    first *= FACTOR, second *= FACTOR;
    if (row >= M || column >= N)
        return;
    if (BETA != 0)
        first += (double)(BETA)*to[0];
    if (BETA != 0 && column + 1 < N)
        second += (double)(BETA)*to[1];
#if N % 2 == 0
    *(GLOBAL double2 *)to = DOUBLE2(first, second);
#else
    to[0] = first;
    if (column + 1 < N)
        to[1] = second;
#endif
}

KERNEL GROUP_OF(THREADS) void matmul_double(GLOBAL double *RESTRICT C,
                                            const GLOBAL double *RESTRICT A,
                                            const GLOBAL double *RESTRICT B)
{
    LOCAL_DOUBLES(slabs, stages *STAGE, 128);
    const uint base = LOCAL_ADDRESS(slabs);
    const int thread = LOCAL_ID(0), lane = thread % 32, warp = thread / 32;
    const int first_row = warp % WARPS_M * warp_m, first_column = warp / WARPS_M * warp_n;
    int down, across, now = 0, next = stages - 1;
    double acc[DOWN][ACROSS][4];
    place_of(GROUP_ID(0), &down, &across);
#pragma unroll
    for (int i = 0; i < DOWN * ACROSS * 4; i++)
        acc[i / 4 / ACROSS][i / 4 % ACROSS][i % 4] = 0.0;
#pragma unroll
    for (int s = 0; s < stages - 1; s++) {
        if (s < SLABS)
            bring_slab(base + s * STAGE * 8, A, B, down, across, s, thread);
        COMMIT();
    }
#pragma unroll 1
    for (int slab = 0; slab < SLABS; slab++) {
        WAIT(stages - 2);
        BARRIER(); // this slab is there, and the one before it is done with
        if (slab + stages - 1 < SLABS)
            bring_slab(base + next * STAGE * 8, A, B, down, across, slab + stages - 1, thread);
        COMMIT();
        multiply_slab(acc, slabs + now * STAGE, first_row, first_column, lane);
        now = now + 1 == stages ? 0 : now + 1;
        next = next + 1 == stages ? 0 : next + 1;
    }
#pragma unroll
    for (int m = 0; m < DOWN; m++) {
#pragma unroll
        for (int j = 0; j < ACROSS; j += 2) {
            const size_t row = (size_t)down * tile_m + first_row + m * 16 + lane / 4;
            const size_t column =
                (size_t)across * tile_n + first_column + j * 8 + lane % 4 * 4;
            const double *first = acc[m][j], *second = acc[m][j + 1];
            store_two(C, row, column, first[0], second[0]);
            store_two(C, row, column + 2, first[1], second[1]);
            store_two(C, row + 8, column, first[2], second[2]);
            store_two(C, row + 8, column + 2, first[3], second[3]);
        }
    }
}

#endif
