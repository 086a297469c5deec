// Matrix multiplication by tensor cores in double precision: the body that matmul_double.cl and
// matmul_double.cu share. Each of the two says the words of its language first.
//
//   C = ACTIVATION(ALPHA * A * B + BETA * C + bias) (epilogue.h); A is M x K, B is K x N, C is M x N,
//   row-major
//
// The `instruction`s:
//
//   portable   multiply-adds by each work-item: any device with doubles
//   mma_sync   a sub-group (warp) multiplies 16 x 8 x mma_k from registers. Capability 9.0 alone;
//              OpenCL needs the spec's Retarget for tensor maps
//
// With mma_sync a slab is 16 of k of a tile, as it lies in local memory (shared memory): lines of 128
// bytes with what NVIDIA calls 128-byte swizzle. Of A a line is 16 of k of a row; of B it is 16 columns
// of a k, 16 lines in a block. Tensor maps bring them (hopper.h), for which K and N are even. One
// sub-group brings the slabs, `stages` ahead, and the others multiply: a work-group computes tile after
// tile, and slabs of the next one arrive while the last one is stored.
//
// The products are those of the transposed tile: the first operand, two rows of which are next to each
// other in a lane's registers, is B, where columns are next to each other in memory; the second one,
// with two of k, is A. So loads of 16 bytes put numbers where the instruction wants them. The order of
// k in a slab is free, as long as both operands agree, and so is that of rows and columns of C: a lane
// has two columns next to each other, and rows of A are chosen so that eight lanes, which read at a
// time, find all banks.

#define portable 0
#define mma_sync 1

#include "matmul_tiles.h"

#define NUMBER double
#define ROUGH  0
#include "epilogue.h"

#define FACTOR (double)(ALPHA)
#define ARGUMENTS                                                                                  \
    GLOBAL double *RESTRICT C, const GLOBAL double *RESTRICT A, const GLOBAL double *RESTRICT B,   \
        GLOBAL uint *RESTRICT maps, const GLOBAL double *RESTRICT bias

#if instruction == portable

#define LOCAL_NUMBERS    LOCAL_DOUBLES
#define A_AT(row, k)     A[(row)*K + (k)]
#define B_AT(k, column)  B[(k)*N + (column)]
#define C_AT(at)         C[at]
#define BIAS_AT(column)  bias[column]
#define PUT(at, product) C[at] = product

KERNEL GROUP_OF(256) void matmul_double(ARGUMENTS)
{
    PORTABLE_PRODUCT
}

#else

#define LIGHT 1
#define CONSUMERS                                                                                  \
    (tile_m / warp_m * (tile_n / warp_n) / 4) // groups of four sub-groups that multiply
#include "hopper.h"

#define SLAB     16 // of k: 128 bytes
#define SLABS    ((K + SLAB - 1) / SLAB)
#define WARPS_M  (tile_m / warp_m)
#define WARPS    (4 * CONSUMERS)
#define THREADS  (32 * (WARPS + 4))
#define A_PART   (tile_m * SLAB) // doubles
#define STAGE    ((tile_m + tile_n) * SLAB)
#define BLOCK    (SLAB * SLAB) // 16 columns of B
#define DOWN     (warp_m / 8)  // products of a sub-group
#define ACROSS   (warp_n / 16)

// Where the places for slabs are, the maps of A and B, and the barriers.
#define PLACE(i) (base + (i) * (uint)(STAGE * 8))
#define MAP(i)   (PLACE(stages) + (i)*128)
#define FULL(i)  (MAP(2) + (i)*8)
#define EMPTY(i) (FULL(stages) + (i)*8)

// A work-item brings the slabs of all tiles of this work-group.
INLINE void bring_all(uint base, const GLOBAL uint *map_a, const GLOBAL uint *map_b)
{
    uint now = 0, parity = 0;
    for (int at = GROUP_ID(0); at < WORK; at += GROUP_COUNT(0)) {
        int down, across;
        place_of(at, &down, &across);
#pragma unroll 1
        for (int slab = 0; slab < SLABS; slab++) {
            barrier_wait(EMPTY(now), parity ^ 1); // at first there is no phase to wait for
            barrier_expect(FULL(now), STAGE * 8);
            copy_box(PLACE(now), map_a, slab * SLAB, down * tile_m, 0, FULL(now));
#pragma unroll
            for (int i = 0; i < tile_n / SLAB; i++)
                copy_box(PLACE(now) + (A_PART + i * BLOCK) * 8, map_b, across * tile_n + i * SLAB,
                         slab * SLAB, 0, FULL(now));
            now = now + 1 == stages ? 0 : now + 1;
            parity ^= now == 0;
        }
    }
}

#if mma_k == 8
#define MULTIPLY(d, a, b)                                                                          \
    asm volatile(                                                                                  \
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, "         \
        "%7}, {%8, %9}, {%0, %1, %2, %3};\n"                                                       \
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])                                           \
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]))
#else
#define MULTIPLY(d, a, b)                                                                          \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, "   \
                 "%6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};\n"            \
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])                                  \
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),    \
                   "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]))
#endif

// Where a lane's numbers are in a slab: of each operand at two places that alternate with k, the first
// of B, from where blocks, and of A, from where rows, follow each other at equal distances.
struct places {
    int of_b[2], of_a[2];
};

INLINE struct places places_of(int first_row, int first_column, int lane)
{
    const int g = lane / 4, t = lane % 4, row = g % 2 * 4 + g / 2;
    struct places p;
    p.of_b[0] = A_PART + first_column * SLAB + t * 2 * SLAB + (g ^ t * 2) * 2;
    p.of_b[1] = A_PART + first_column * SLAB + (t * 2 + 1) * SLAB + (g ^ (t * 2 + 1)) * 2;
    p.of_a[0] = (first_row + row) * SLAB + (t ^ row) * 2;
    p.of_a[1] = (first_row + row) * SLAB + (t ^ row ^ 4) * 2;
    return p;
}

// The part of a slab that a sub-group multiplies, `mma_k` of k at a time.
INLINE void multiply_slab(double acc[ACROSS][DOWN][4], const LOCAL double *slab,
                          const struct places *p)
{
#pragma unroll
    for (int k = 0; k < SLAB; k += mma_k) {
        double first[ACROSS][mma_k / 2], second[DOWN][mma_k / 4];
#pragma unroll
        for (int j = 0; j < ACROSS; j++) {
#pragma unroll
            for (int i = 0; i < mma_k / 4; i++) {
                const double2 two = *(const LOCAL double2 *)(slab + p->of_b[i % 2] + j * BLOCK +
                                                             (k + i / 2 * 8) * SLAB);
                first[j][i * 2] = two.x, first[j][i * 2 + 1] = two.y;
            }
        }
#pragma unroll
        for (int m = 0; m < DOWN; m++) {
#pragma unroll
            for (int i = 0; i < mma_k / 8; i++) {
                const double2 two =
                    *(const LOCAL double2 *)(slab + p->of_a[k / 8 + i] + m * 8 * SLAB);
                second[m][i * 2] = two.x, second[m][i * 2 + 1] = two.y;
            }
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
                MULTIPLY(acc[j][m], first[j], second[m]);
        }
    }
}

INLINE void store_two(GLOBAL double *C, size_t row, size_t column, double first, double second,
                      double2 bias)
{
    GLOBAL double2 *to = (GLOBAL double2 *)(C + row * N + column);
    double2 old = DOUBLE2(0.0, 0.0);
    if (row >= M || column >= N) // an even column, and N is even
        return;
    if (BETA != 0)
        old = *to;
    *to = DOUBLE2(finish(FACTOR * first, old.x, bias.x), finish(FACTOR * second, old.y, bias.y));
}

KERNEL GROUP_OF(THREADS) void matmul_double(ARGUMENTS)
{
    LOCAL_DOUBLES(slabs, stages * STAGE + 32 + stages * 2, 1024);
    GLOBAL uint *map_a = maps + GROUP_ID(0) * 64, *map_b = map_a + 32;
    const uint base = LOCAL_ADDRESS(slabs);
    const int thread = LOCAL_ID(0), lane = thread % 32, warp = thread / 32;

    ENTRY_DIRECTIVES();
    if (thread < stages) {
        barrier_init(FULL(thread), 1);
        barrier_init(EMPTY(thread), WARPS);
        asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
    }
    BARRIER();

    if (warp >= WARPS) {
        FEWER_REGISTERS();
        if (warp == WARPS) {
            LOCAL uint *words = (LOCAL uint *)(slabs + stages * STAGE);
            make_map(words, MAP(0), A, K, M, tile_m, 8, map_a, lane);
            make_map(words + 32, MAP(1), B, N, K, SLAB, 8, map_b, lane);
            if (lane == 0) {
                see_map(map_a);
                see_map(map_b);
                bring_all(base, map_a, map_b);
            }
        }
        return;
    }

    MORE_REGISTERS();
    const int first_row = warp % WARPS_M * warp_m, first_column = warp / WARPS_M * warp_n;
    const struct places places = places_of(first_row, first_column, lane);
    uint now = 0, before = 0, parity = 0;
    double acc[ACROSS][DOWN][4];
    for (int at = GROUP_ID(0); at < WORK; at += GROUP_COUNT(0)) {
        int down, across;
        place_of(at, &down, &across);
#pragma unroll
        for (int i = 0; i < ACROSS * DOWN * 4; i++)
            acc[i / 4 / DOWN][i / 4 % DOWN][i % 4] = 0.0;
#pragma unroll 1
        for (int slab = 0; slab < SLABS; slab++) {
            barrier_wait(FULL(now), parity);
            TOGETHER();
            if (slab > 0 && lane == 0) // all that was loaded is in products by now
                barrier_arrive(EMPTY(before));
            multiply_slab(acc, slabs + now * STAGE, &places);
            before = now;
            now = now + 1 == stages ? 0 : now + 1;
            parity ^= now == 0;
        }
        TOGETHER();
        if (lane == 0)
            barrier_arrive(EMPTY(before));
#pragma unroll
        for (int j = 0; j < ACROSS; j++) {
            const size_t column = (size_t)across * tile_n + first_column + j * 16 + lane / 4 * 2;
            double2 added = DOUBLE2(0.0, 0.0);
            if (BIAS && column < N)
                added = *(const GLOBAL double2 *)(bias + column);
#pragma unroll
            for (int m = 0; m < DOWN; m++) {
                const size_t row = (size_t)down * tile_m + first_row + m * 8 + lane % 4;
                store_two(C, row, column, acc[j][m][0], acc[j][m][2], added);
                store_two(C, row + 4, column, acc[j][m][1], acc[j][m][3], added);
            }
        }
    }
}

#endif
