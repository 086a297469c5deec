// Matrix multiplication by tensor cores, floats of 16 or 8 bits in, of 16 bits out, sums in fp32: the
// body that matmul_half.cl and matmul_half.cu share. Each of the two says the words of its language
// first (words.h).
//
//   C = ACTIVATION(ALPHA * A * B + BETA * C + bias) (epilogue.h); A is M x K, B is K x N, C is M x N,
//   row-major, of TYPE; with BATCH > 1 so many of each, one behind the other, and one bias for all:
//
//   bf16        bfloat16: the upper half of a float
//   fp16        IEEE's half
//   e4m3, e5m2  floats of 8 bits, B's of TYPE_B; B is stored transposed, N x K, C is bfloat16, and the
//               product is multiplied by two scales that the kernel reads
//
// Kernels take them as their bits: OpenCL C has not all of these types. The `instruction`s:
//
//   portable   multiply-adds by each work-item: any device; right, not fast
//   mma_sync   a sub-group (warp) multiplies 16 columns of B by eight rows of A from registers, for
//              few rows. Capability 8.0; 16 bits alone
//   wgmma      four warps multiply 64 x tile_n x 32 bytes with operands in local memory. Capability 9.0
//              alone; OpenCL needs the spec's Retarget for it
//
// With wgmma a slab is 128 bytes of k of a tile, as it lies in local memory (shared memory): lines of
// 128 bytes with what NVIDIA calls 128-byte swizzle. Of A a line is a row, and so is a column of B of
// 8 bits, which wgmma cannot transpose; of B of 16 bits it is 64 columns of a k, 64 lines in a block.
// Nothing is packed. `mapped`, tensor maps that each work-group makes itself (hopper.h) cut the slabs
// out of A and B; else four warps copy 16 bytes at a time. Both want rows of whole 16 bytes.
//
// With maps, two warps bring the slabs, one those of A and one those of B. `early` slabs of a
// work-group's first tile are copied, while the maps are made, by the warps that will multiply. Slabs
// come `stages` ahead; barriers in local memory (mbarrier) know what is still to come. The groups of
// four warps that multiply have `blocks` x 64 rows of the tile each. It is a persistent kernel: a work-group computes
// tile after tile, and slabs of the next one arrive while the last one is stored: by each work-item,
// 16 bytes at a time, or `staged`, through local memory and by a tensor map of C.
//
// A tile of a small or long product is computed by `splits` work-groups, each with a part of k. They
// leave their sums in `parts`, and each adds up those of its share of the tile's columns, in the order
// of k. A zero there says that nothing has been left: `parts` are zeros before a launch, and after it
// again. All work-groups of a launch run at the same time, as there is one for a multiprocessor at
// most. Of rows beyond M nothing is brought, computed for anybody, or left: M = 1 costs little more
// than reading B.
//
// Sums of products of 8 bits keep fewer bits in the hardware than a float has. With FAST=0 they are
// added to floats after each slab.
//
// Tried in vain on an H200 (times of CUDA, bfloat16):
// - Maps that a launch finds from the one before, and only compares: 9.1 us in place of 8.4 at n = 1024.
//   Maps that the host makes save 0.8 us of a launch.
// - Few rows, N = K = 4096: tiles of 32 columns (lines of 64 bytes of B), and slabs that two or three
//   groups of warps of a work-group share: 12.4 and 10.9 us in place of 10.5 (OpenCL, M = 16).
// - Each work-group beginning its sums at another slab: 203 us in place of 184 at n = 4096.
//   Work-groups that want the same lines want them at the same time.
// - Groups of warps that begin their first tile some slabs after each other, so that one multiplies
//   while the other one stores: as fast at n = 4096, in bfloat16 and in 8 bits.
// - Clusters of two work-groups that bring B for both (CUDA alone): 271 us in place of 186 at n = 4096;
//   why is not known.
// - More than three stages at n = 4096: 184 us in place of 180. Tiles in the order of
//   multiprocessors, and hints to keep A and B in the second-level cache, changed nothing.
// - What C held, by 4 bytes of a work-item as wgmma leaves the sums (BETA, n = 4096): 199 us in place of
//   193; loads share the way to local memory, by which wgmma reads. Asked for slab by slab: no better.

#define portable 0
#define wgmma    1
#define mma_sync 2

#define bf16 0
#define fp16 1
#define e4m3 2
#define e5m2 3

// Operands of 8 bits: B is stored transposed, so that k runs along the rows of both, and C is
// bfloat16. Others have one type of all three.
#if TYPE == e4m3 || TYPE == e5m2
#define EIGHT     1
#define ELEMENT   uchar
#define TYPE_OF_B TYPE_B
#define TYPE_OF_C bf16
#define ONE_SUM   FAST // all products of an element in one accumulator
#else
#define EIGHT     0
#define ELEMENT   ushort
#define TYPE_OF_B TYPE
#define TYPE_OF_C TYPE
#define ONE_SUM   1
#endif
#define WIDE (1 + !EIGHT) // bytes of an operand's element

#include "matmul_tiles.h"

// ---- numbers -----------------------------------------------------------------------------------

// Floats of 8 bits are halves in which the last bits are missing, e4m3 those of numbers 256 times as
// small, of which it has no infinity.
INLINE float to_float(ushort bits, int type)
{
    ushort halved = bits;
    if (type == bf16)
        return BITS_FLOAT((uint)bits << 16);
    if (type == e4m3 && (bits & 0x7f) == 0x7f)
        return BITS_FLOAT(0x7fc00000u);
    if (type == e4m3)
        halved = (ushort)((bits & 0x80) << 8 | (bits & 0x7f) << 7);
    else if (type == e5m2)
        halved = (ushort)(bits << 8);
    return type == e4m3 ? 256.0f * HALF_FLOAT(halved) : HALF_FLOAT(halved);
}

// The nearest, ties to even; a NaN stays one.
INLINE ushort from_float(float x)
{
#if TYPE_OF_C == bf16
    const uint bits = FLOAT_BITS(x);
    const uint rounded = bits + 0x7fffu + (bits >> 16 & 1);
    return (ushort)((x == x ? rounded : bits | 0x400000u) >> 16);
#else
    return FLOAT_HALF(x);
#endif
}

#define NUMBER float
#define ROUGH  (instruction != portable)
#include "epilogue.h"

// Floats of 8 bits come with a scale for A and one for B.
#if EIGHT
#define SCALES , const GLOBAL float *RESTRICT scales
#define FACTOR ((float)(ALPHA)*scales[0] * scales[1])
#else
#define SCALES
#define FACTOR (float)(ALPHA)
#endif

#define ARGUMENTS                                                                                  \
    GLOBAL ushort *RESTRICT C, const GLOBAL ELEMENT *RESTRICT A, const GLOBAL ELEMENT *RESTRICT B, \
        GLOBAL uint *RESTRICT maps, const GLOBAL ushort *RESTRICT bias,                            \
        GLOBAL float *RESTRICT parts SCALES

#if instruction == portable

#define LOCAL_NUMBERS    LOCAL_FLOATS
#define A_AT(row, k)     to_float(A[(row)*K + (k)], TYPE)
#define B_AT(k, column)  to_float(B[EIGHT ? (column)*K + (k) : (k)*N + (column)], TYPE_OF_B)
#define C_AT(at)         to_float(C[at], TYPE_OF_C)
#define BIAS_AT(column)  to_float(bias[column], TYPE_OF_C)
#define PUT(at, product) C[at] = from_float(product)

KERNEL GROUP_OF(256) void matmul_half(ARGUMENTS)
{
    const size_t matrix = GROUP_ID(0) / WORK;
    A += matrix * M * K, B += matrix * K * N, C += matrix * M * N;
    PORTABLE_PRODUCT
}

#elif instruction == mma_sync

// Few rows: the product is as fast as B is read, once, straight into registers. Sub-groups of a
// work-group have every `splits`-th step of 16 of k, `stages` steps at a time; their sums meet in local
// memory. Factors are swapped: B, transposed, is the one of 16 lines, where a lane has two columns and
// four of k; these are next to each other in memory, which is as good an order of k as any.
#define EACH  (tile_n / 8) // columns of a lane
#define ROWS8 ((M < tile_m ? M + 7 : tile_m) / 8)
#define STEPS (K / 16)
#define PART  (tile_n * ROWS8 * 8) // sums of a sub-group

#if TYPE == bf16
#define MMA_TYPES "bf16.bf16"
#else
#define MMA_TYPES "f16.f16"
#endif

// A lane's columns of one k. They are read once.
INLINE void load_columns(uint *words, const GLOBAL ushort *from)
{
#if EACH == 8
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "l"(from));
#else
    asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];\n"
                 : "=r"(words[0]), "=r"(words[1])
                 : "l"(from));
#endif
}

INLINE uint halves(uint first, uint second, int upper)
{
    uint both;
    asm("prmt.b32 %0, %1, %2, %3;\n"
        : "=r"(both)
        : "r"(first), "r"(second), "r"(upper ? 0x7632 : 0x5410));
    return both;
}

// The sums of two columns, from the words of four k, and of eight rows.
INLINE void multiply(float *sums, const uint words[4][EACH / 2], int pair, uint2 row)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." MMA_TYPES
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(halves(words[0][pair], words[1][pair], 0)),
                   "r"(halves(words[0][pair], words[1][pair], 1)),
                   "r"(halves(words[2][pair], words[3][pair], 0)),
                   "r"(halves(words[2][pair], words[3][pair], 1)), "r"(row.x), "r"(row.y));
}

KERNEL GROUP_OF(32 * splits) void matmul_half(ARGUMENTS)
{
    LOCAL_FLOATS(sums, splits * PART, 16);
    const size_t matrix = GROUP_ID(0) / WORK;
    const int lane = LOCAL_ID(0) % 32, warp = LOCAL_ID(0) / 32;
    int down, across;
    float acc[ROWS8][EACH / 2][4];
    place_of(GROUP_ID(0) % WORK, &down, &across);
    A += matrix * M * K + (size_t)down * tile_m * K;
    B += matrix * K * N;
    C += matrix * M * N;
    const int rows = M - down * tile_m < tile_m ? M - down * tile_m : tile_m;
    const int column = across * tile_n + lane / 4 * EACH;
    const int is_there = column < N;

#pragma unroll
    for (int i = 0; i < ROWS8 * EACH * 2; i++)
        acc[i / (EACH * 2)][i / 4 % (EACH / 2)][i % 4] = 0.0f;
#pragma unroll 1
    for (int first = warp; first < STEPS; first += splits * stages) {
        uint words[stages][4][EACH / 2];
#pragma unroll
        for (int s = 0; s < stages; s++) {
            const int step = first + s * splits;
#pragma unroll
            for (int k = 0; k < 4; k++) {
#pragma unroll
                for (int i = 0; i < EACH / 2; i++)
                    words[s][k][i] = 0;
                if (is_there && (STEPS % (splits * stages) == 0 || step < STEPS))
                    load_columns(words[s][k],
                                 B + (size_t)(step * 16 + lane % 4 * 4 + k) * N + column);
            }
        }
#pragma unroll
        for (int s = 0; s < stages; s++) {
            const int step = first + s * splits;
#pragma unroll
            for (int r = 0; r < ROWS8; r++) {
                const int row = r * 8 + lane / 4;
                uint2 of_row = UINT2(0, 0);
                if (row < rows && (STEPS % (splits * stages) == 0 || step < STEPS))
                    of_row =
                        *(const GLOBAL uint2 *)(A + (size_t)row * K + step * 16 + lane % 4 * 4);
#pragma unroll
                for (int pair = 0; pair < EACH / 2; pair++)
                    multiply(acc[r][pair], words[s], pair, of_row);
            }
        }
    }

    LOCAL float *to = sums + warp * PART + lane / 4 * EACH + lane % 4 * 2 * tile_n;
#pragma unroll
    for (int r = 0; r < ROWS8; r++) {
#pragma unroll
        for (int pair = 0; pair < EACH / 2; pair++) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                to[(r * 8 + i % 2) * tile_n + pair * 2 + i / 2] = acc[r][pair][i];
        }
    }
    BARRIER();
    for (int e = LOCAL_ID(0); e < rows * tile_n; e += 32 * splits) {
        const int x = across * tile_n + e % tile_n;
        const size_t at = (size_t)(down * tile_m + e / tile_n) * N + x;
        float sum = 0.0f;
        for (int w = 0; w < splits; w++)
            sum += sums[w * PART + e];
        if (x < N)
            C[at] = from_float(finish(FACTOR * sum, BETA != 0 ? to_float(C[at], TYPE_OF_C) : 0.0f,
                                      BIAS ? to_float(bias[x], TYPE_OF_C) : 0.0f));
    }
}

#else

#define CONSUMERS (tile_m / 64 / blocks) // groups of four warps that multiply
#define SPAN      tile_n
#define LIGHT     mapped
#define MATRICES  BATCH
#ifndef early
#define early 0
#endif

#if EIGHT
#define DEPTH    "k32"
#define STRAIGHT ", 1, 1;"
#else
#define DEPTH    "k16"
#define STRAIGHT ", 1, 1, 0, 1;" // B is transposed on its way
#endif

#if TYPE == bf16
#define TYPES ".f32.bf16.bf16"
#elif TYPE == fp16
#define TYPES ".f32.f16.f16"
#elif TYPE == e4m3 && TYPE_B == e4m3
#define TYPES ".f32.e4m3.e4m3"
#elif TYPE == e4m3
#define TYPES ".f32.e4m3.e5m2"
#elif TYPE_B == e4m3
#define TYPES ".f32.e5m2.e4m3"
#else
#define TYPES ".f32.e5m2.e5m2"
#endif
#if TYPE_OF_C == bf16
#define PACK "cvt.rn.bf16x2.f32"
#else
#define PACK "cvt.rn.f16x2.f32"
#endif

#include "hopper.h"

#define SLAB     (128 / WIDE) // of k: 128 bytes
#define SLABS    ((K + SLAB - 1) / SLAB)
#define THREADS  (128 * (CONSUMERS + 1))
#define LINES    (M < tile_m ? (M + 7) / 8 * 8 : tile_m) // of A, of a slab that is brought
#define A_BYTES  (LINES * 128)                           // the room of a slab
#define B_BYTES  (tile_n * 128)
#define STAGE    (A_BYTES + B_BYTES)
#define B_STEP   (EIGHT ? 2 : 16 * 128 / 16) // in a descriptor, from 32 bytes of k to the next
#define BLOCK    (64 * 128) // bytes of 64 rows of A, or columns of B, of a slab; or of 64 x 64 of C
#define OUTS     (tile_n / 64) // such blocks of C next to each other
#define TASKS    (WORK * splits * BATCH)
#define BRINGERS (CONSUMERS == 3 ? 2 : CONSUMERS) // groups of four warps that bring early slabs
#define AHEAD                                                                                      \
    (BETA != 0 && blocks * tile_n <= (CONSUMERS == 3 ? 128 : 256)) // registers for what C held

// What a work-group computes at a time: slabs `first` to `end` of a tile of a matrix.
struct task {
    int matrix, tile, down, across, first, end, split;
};

INLINE struct task task_of(int at)
{
    struct task t;
    t.split = at % splits;
    t.tile = at / splits;
    t.matrix = t.tile / WORK;
    t.first = t.split * SLABS / splits;
    t.end = (t.split + 1) * SLABS / splits;
    place_of(t.tile % WORK, &t.down, &t.across);
    return t;
}

// Slabs that come before the maps are there.
INLINE int early_slabs(void)
{
    const struct task t = task_of(GROUP_ID(0));
    return t.end - t.first < early ? t.end - t.first : early;
}

// ---- bringing ----------------------------------------------------------------------------------

// Where the places for slabs are, behind them two for 64 x 64 of C of each group of four warps, the
// maps of A, B and C, and the barriers.
#define PLACE(i) (base + (i) * (uint)STAGE)
#define OUT(i)   (PLACE(stages) + (i) * (uint)BLOCK)
#define MAP(i)   (OUT(staged * 2 * CONSUMERS) + (i)*128)
#define FULL(i)  (MAP(3) + (i)*8)
#define EMPTY(i) (FULL(stages) + (i)*8)

#if mapped

// A sub-group (warp) makes the map of A (0), B (1) or C (2).
INLINE void make_map_of(LOCAL uint *words, uint base, const GLOBAL void *data, GLOBAL uint *to,
                        int which, int lane)
{
    const int along_k = which == 0 || (EIGHT && which == 1);
    make_map(words + (MAP(which) - base) / 4, MAP(which), data, along_k ? K : N,
             which == 1 ? (EIGHT ? N : K) : M,
             which == 0            ? LINES
             : EIGHT && which == 1 ? tile_n
                                   : 64,
             which == 2 ? 2 : WIDE, to, lane);
}

// A slab comes of two, or of all work-items that bring early ones.
INLINE void expect(uint barrier, uint bytes)
{
#if early
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;\n"
                 "mbarrier.arrive.shared::cta.b64 _, [%0], %2;\n" ::"r"(barrier),
                 "r"(bytes), "r"(64 * BRINGERS)
                 : "memory");
#else
    barrier_expect(barrier, bytes);
#endif
}

// A work-item brings the slabs of A, or of B, of all tiles of this work-group, but for the first few.
INLINE void bring_all(uint base, const GLOBAL uint *map, int of_b)
{
    int skip = early_slabs();
    uint now = skip == stages ? 0 : skip, parity = skip == stages;
    for (int at = GROUP_ID(0); at < TASKS; at += GROUP_COUNT(0)) {
        const struct task t = task_of(at);
#pragma unroll 1
        for (int slab = t.first + skip; slab < t.end; slab++) {
            barrier_wait(EMPTY(now), parity ^ 1); // at first there is no phase to wait for
            if (of_b) {
                expect(FULL(now), B_BYTES);
#if EIGHT
                copy_box(PLACE(now) + A_BYTES, map, slab * SLAB, t.across * tile_n, t.matrix,
                         FULL(now));
#else
#pragma unroll
                for (int i = 0; i < tile_n / 64; i++)
                    copy_box(PLACE(now) + A_BYTES + i * BLOCK, map, t.across * tile_n + i * 64,
                             slab * SLAB, t.matrix, FULL(now));
#endif
            } else {
                expect(FULL(now), LINES * 128);
                copy_box(PLACE(now), map, slab * SLAB, t.down * tile_m, t.matrix, FULL(now));
            }
            now = now + 1 == stages ? 0 : now + 1;
            parity ^= now == 0;
        }
        skip = 0;
    }
}

#endif
#if !mapped || early

// 16 bytes, or zeros in their place.
INLINE void copy_chunk(uint to, const GLOBAL ELEMENT *from, int is_there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from),
                 "r"(is_there ? 16 : 0)
                 : "memory");
}

// Arrives once all copies of this work-item are there.
INLINE void barrier_arrive_copied(uint barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];\n" ::"r"(barrier)
                 : "memory");
}

// The part of one of `threads` work-items of the lines of a slab, in the order that swizzling asks
// for: `lines` rows or columns, along which k runs.
INLINE void bring_lines(uint to, const GLOBAL ELEMENT *data, int first, int lines, int most, int k,
                        int thread, int threads)
{
    const int chunk = thread % 8, line = thread / 8, step = threads / 8;
    const int whole = most % lines == 0 && lines % step == 0;
    const int inside = K % SLAB == 0 || k + chunk * (16 / WIDE) < K;
    const GLOBAL ELEMENT *from = data + (size_t)(first + line) * K + k + chunk * (16 / WIDE);
    to += line * 128 + (chunk ^ line % 8) * 16;
#pragma unroll
    for (int i = 0; i < lines; i += step) {
        const int is_there = inside && (whole || first + line + i < most);
        if (lines % step == 0 || line + i < lines)
            copy_chunk(to + i * 128, is_there ? from + (size_t)i * K : data, is_there);
    }
}

// The same of B of 16 bits: lines of 64 columns, a block of `SLAB` lines after the other.
INLINE void bring_blocks(uint to, const GLOBAL ELEMENT *B, int first, int k, int thread,
                         int threads)
{
    const int chunk = thread % 8, line = thread / 8;
    const GLOBAL ELEMENT *from = B + (size_t)(k + line) * N + first + chunk * 8;
    to += line * 128 + (chunk ^ line % 8) * 16;
#pragma unroll
    for (int i = 0; i < tile_n; i += threads / 8) {
        const int block = i / 64, down = i % 64;
        const int is_there = (K % SLAB == 0 || k + line + down < K) &&
                             (N % tile_n == 0 || first + chunk * 8 + block * 64 < N);
        copy_chunk(to + block * BLOCK + down * 128,
                   is_there ? from + (size_t)down * N + block * 64 : B, is_there);
    }
}

#endif
#if early

// Sub-groups (warps) that multiply bring the first slabs of their first tile while the maps are made.
INLINE void bring_early(uint base, const GLOBAL ELEMENT *A, const GLOBAL ELEMENT *B, int thread)
{
    const struct task t = task_of(GROUP_ID(0));
    const GLOBAL ELEMENT *a = A + (size_t)t.matrix * M * K, *b = B + (size_t)t.matrix * K * N;
#pragma unroll 1
    for (int i = 0; i < early_slabs(); i++) {
        const int k = (t.first + i) * SLAB;
        if (thread < 128 * BRINGERS) {
            bring_lines(PLACE(i), a, t.down * tile_m, LINES, M, k, thread, 128 * BRINGERS);
#if EIGHT
            bring_lines(PLACE(i) + A_BYTES, b, t.across * tile_n, tile_n, N, k, thread,
                        128 * BRINGERS);
#else
            bring_blocks(PLACE(i) + A_BYTES, b, t.across * tile_n, k, thread, 128 * BRINGERS);
#endif
        }
        if (i == 0) // the barriers are there
            asm volatile("bar.sync 5, %0;\n" ::"n"(128 * CONSUMERS + 32) : "memory");
        if (thread < 128 * BRINGERS)
            barrier_arrive_copied(FULL(i));
    }
}

#endif
#if !mapped

// Four sub-groups (warps) bring the slabs of all tiles of this work-group.
INLINE void bring_all(uint base, const GLOBAL ELEMENT *A, const GLOBAL ELEMENT *B, int thread)
{
    uint now = 0, parity = 0;
    for (int at = GROUP_ID(0); at < TASKS; at += GROUP_COUNT(0)) {
        const struct task t = task_of(at);
        const GLOBAL ELEMENT *a = A + (size_t)t.matrix * M * K, *b = B + (size_t)t.matrix * K * N;
#pragma unroll 1
        for (int slab = t.first; slab < t.end; slab++) {
            barrier_wait(EMPTY(now), parity ^ 1);
            bring_lines(PLACE(now), a, t.down * tile_m, LINES, M, slab * SLAB, thread, 128);
#if EIGHT
            bring_lines(PLACE(now) + A_BYTES, b, t.across * tile_n, tile_n, N, slab * SLAB, thread,
                        128);
#else
            bring_blocks(PLACE(now) + A_BYTES, b, t.across * tile_n, slab * SLAB, thread, 128);
#endif
            barrier_arrive_copied(FULL(now));
            now = now + 1 == stages ? 0 : now + 1;
            parity ^= now == 0;
        }
    }
}

#endif

// ---- storing -----------------------------------------------------------------------------------

// Neighbours in a quad exchange a word: of a pair of words the even lane keeps the first, the odd
// lane the second, and each gets the other's like. `bit` is 1 or 2.
INLINE void exchange(uint *first, uint *second, int lane, int bit)
{
    const uint mine = lane & bit ? *first : *second;
    uint other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;\n"
                 : "=r"(other)
                 : "r"(mine), "r"(bit));
    if (lane & bit)
        *first = other;
    else
        *second = other;
}

// Two elements of C, or of the bias, next to each other, as floats.
struct pair {
    float first, second;
};

INLINE struct pair pair_of(uint word)
{
    struct pair p;
    p.first = to_float(word & 0xffff, TYPE_OF_C);
    p.second = to_float(word >> 16, TYPE_OF_C);
    return p;
}

// Of a lane's columns, 8 apart, the bias, two of them in a word: it is there before the sums.
INLINE void load_bias(uint *added, const GLOBAL ushort *bias, int column, int count)
{
#pragma unroll
    for (int i = 0; i < count; i++)
        added[i] = BIAS && column + i * 8 < N ? *(const GLOBAL uint *)(bias + column + i * 8) : 0;
}

// In each quad, of every second word: word i of lane j becomes word j of lane i.
INLINE void transpose(uint *words, int lane)
{
    exchange(words, words + 2, lane, 1);
    exchange(words + 4, words + 6, lane, 1);
    exchange(words, words + 4, lane, 2);
    exchange(words + 2, words + 6, lane, 2);
}

// What C holds in 8 columns of two rows, 8 apart, two elements in a word, the rows by turns: of the 32
// columns of a quad, each lane loads its part.
INLINE void load_old(uint *old, const GLOBAL ushort *C, int row, int column)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int y = row + i * 8;
        uint4 part = UINT4(0, 0, 0, 0);
        if (BETA != 0 && (M % tile_m == 0 || y < M) && (N % tile_n == 0 || column < N))
            part = *(const GLOBAL uint4 *)(C + (size_t)y * N + column);
        old[i] = part.x, old[i + 2] = part.y, old[i + 4] = part.z, old[i + 6] = part.w;
    }
}

// Two elements of C next to each other, as a word.
INLINE uint pack_pair(uint old, const float *sums, float factor, struct pair bias)
{
    uint word;
    const struct pair was = pair_of(old);
    float first = add_up(factor * sums[0], was.first, bias.first);
    float second = add_up(factor * sums[1], was.second, bias.second);
    activate_two(&first, &second);
    asm volatile(PACK " %0, %1, %2;\n" : "=r"(word) : "f"(second), "f"(first));
    return word;
}

// 32 columns of two rows, 8 apart, of which each lane of a quad has pairs 8 apart: `words` gets those
// of the rows by turns. `old`: as loaded; `sums`: as wgmma leaves them.
INLINE void pack_rows(uint *words, uint *old, const uint *added, const float *sums, float factor,
                      int lane)
{
    if (BETA != 0) {
        transpose(old, lane);
        transpose(old + 1, lane);
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        words[i] = pack_pair(old[i], sums + i * 2, factor, pair_of(added[i / 2]));
}

#if staged

// All of a group of four warps.
INLINE void meet(int four)
{
    asm volatile("bar.sync %0, 128;\n" ::"r"(four + 1) : "memory");
}

// 64 x 64 of C by four warps, through local memory, from where it is copied while they go on.
INLINE void store_block(LOCAL uint *words, uint base, const GLOBAL uint *map, int row, int column,
                        int matrix, const uint *packed, int place, int four, int thread)
{
    const int line = thread % 128 / 32 * 16 + thread % 32 / 4, quad = thread % 4;
    LOCAL uint *out = words + (OUT(place) - base) / 4 + line * 32 + quad;
    if (thread % 128 == 0) // the copy before the last has left this place
        asm volatile("cp.async.bulk.wait_group.read 1;\n" ::: "memory");
    meet(four);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        out[(i ^ line % 8) * 4] = packed[i * 2];
        out[(i ^ line % 8) * 4 + 8 * 32] = packed[i * 2 + 1];
    }
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
    meet(four);
    if (thread % 128 == 0)
        store_box(OUT(place), map, column, row, matrix);
}

#else

// 32 columns of a row, `packed` as above: each lane of a quad stores 8 of them.
INLINE void store_row(GLOBAL ushort *C, size_t row, size_t column, uint *packed, int lane)
{
    const int quad = lane % 4;
    transpose(packed, lane);
    if (row < M && column + quad * 8 < N)
        *(GLOBAL uint4 *)(C + row * N + column + quad * 8) =
            UINT4(packed[0], packed[2], packed[4], packed[6]);
}

#endif
#if splits > 1

#define PART (blocks * 64 * tile_n) // sums that a group of four warps leaves of a part of k
#define GATHER                                                                                     \
    (splits <= 6 ? 4 : splits <= 12 ? 2 : 1) // quads of sums of which all parts are on their way

// Leaves a work-item's sums, those of rows that there are.
INLINE void leave_sums(GLOBAL float *part, const float *sums, int rows, int thread)
{
    if (thread % 128 / 32 * 16 + thread % 32 / 4 >= rows)
        return;
#pragma unroll
    for (int i = 0; i < SUMS / 4; i++) {
        uint left[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            left[j] = FLOAT_BITS(sums[i * 4 + j]);
            left[j] = left[j] ? left[j] : 0x80000000u; // minus zero
        }
        asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};\n" ::"l"(
                         part + (i * 128 + thread % 128) * 4),
                     "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3])
                     : "memory");
    }
}

// Four sums that are not there yet, unless they are.
INLINE void look_for(uint *quad, const GLOBAL float *from)
{
    asm volatile("{\n.reg .pred there;\n"
                 "setp.ne.u32 there, %0, 0;\n"
                 "setp.ne.and.u32 there, %1, 0, there;\n"
                 "setp.ne.and.u32 there, %2, 0, there;\n"
                 "setp.ne.and.u32 there, %3, 0, there;\n"
                 "@!there ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];\n}\n"
                 : "+r"(quad[0]), "+r"(quad[1]), "+r"(quad[2]), "+r"(quad[3])
                 : "l"(from)
                 : "memory");
}

// A work-item's sums of 32 columns, once all parts have been left: those of the first part are at
// `part`. What is missing is looked for again at once, not one after the other.
INLINE void take_sums(float *sums, GLOBAL float *part)
{
#pragma unroll
    for (int first = 0; first < 4; first += GATHER) {
        uint got[GATHER * splits][4];
        int missing;
#pragma unroll
        for (int i = 0; i < GATHER * splits * 4; i++)
            got[i / 4][i % 4] = 0;
        do {
            missing = 0;
#pragma unroll
            for (int i = 0; i < GATHER * splits; i++)
                look_for(got[i], part + (first + i / splits) * 512 + i % splits * PART);
#pragma unroll
            for (int i = 0; i < GATHER * splits; i++)
                missing |= !got[i][0] | !got[i][1] | !got[i][2] | !got[i][3];
        } while (missing);
#pragma unroll
        for (int i = 0; i < GATHER * splits; i++)
            *(GLOBAL float4 *)(part + (first + i / splits) * 512 + i % splits * PART) =
                FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int i = 0; i < GATHER * 4; i++) {
            float sum = 0.0f;
#pragma unroll
            for (int s = 0; s < splits; s++)
                sum += BITS_FLOAT(got[i / 4 * splits + s][i % 4]);
            sums[first * 4 + i] = sum;
        }
    }
}

// Adds up and stores this work-group's share of 64 rows of a tile.
INLINE void store_share(GLOBAL ushort *C, GLOBAL float *part, const GLOBAL ushort *bias,
                        struct task t, int row, float factor, int thread)
{
    const int lane = thread % 32, line = row + thread / 32 % 4 * 16 + lane / 4;
#pragma unroll 1
    for (int share = t.split; share < tile_n / 32; share += splits) {
        const int column = t.across * tile_n + share * 32;
        float sums[16];
        uint added[4], old[8], block[8];
        load_bias(added, bias, column + lane % 4 * 2, 4);
        load_old(old, C, line, column + lane % 4 * 8);
#pragma unroll
        for (int i = 0; i < 16; i++)
            sums[i] = 0.0f;
        if (line < M)
            take_sums(sums, part + (share * 512 + thread % 128) * 4);
        TOGETHER();
        pack_rows(block, old, added, sums, factor, lane);
        store_row(C, line, column, block, lane);
        store_row(C, line + 8, column, block + 1, lane);
    }
}

#endif

// ---- the kernel --------------------------------------------------------------------------------

KERNEL GROUP_OF(THREADS) void matmul_half(ARGUMENTS)
{
    LOCAL_WORDS(words,
                stages * (STAGE / 4 + 4) + (tile_m - LINES) * 32 + staged * CONSUMERS * BLOCK / 2 +
                    100,
                1024);
    const uint base = LOCAL_ADDRESS(words);
    const int thread = LOCAL_ID(0), four = thread / 128;
#if mapped
    GLOBAL uint *own_maps = maps + GROUP_ID(0) * 96;
    const int which = thread / 32 - 4 * CONSUMERS; // of the warps that copy
#endif

    ENTRY_DIRECTIVES();
    if (thread >= THREADS - 32) {
        for (int i = thread % 32; i < stages; i += 32) {
            barrier_init(FULL(i), early ? 128 * BRINGERS : mapped ? 2 : 128);
            barrier_init(EMPTY(i), 4 * CONSUMERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
    }
#if early
    if (four < CONSUMERS)
        bring_early(base, A, B, thread);
#endif
#if mapped
    if (which >= 0 && which < 2 + staged)
        make_map_of(words, base,
                    which == 0   ? (const GLOBAL void *)A
                    : which == 1 ? (const GLOBAL void *)B
                                 : (const GLOBAL void *)C,
                    own_maps + which * 32, which, thread % 32);
#endif
#if early // maps are not waited for by those that have something to do
    if (which == 3)
        asm volatile("bar.arrive 5, %0;\n" ::"n"(128 * CONSUMERS + 32) : "memory");
#if staged
    if (which == 2)
        asm volatile("bar.arrive 7, %0;\n" ::"n"(128 * CONSUMERS + 32) : "memory");
#endif
    if (four == CONSUMERS)
        asm volatile("bar.sync 6, 128;\n" ::: "memory");
#else
    BARRIER();
#endif

    if (four == CONSUMERS) {
        FEWER_REGISTERS();
#if mapped
        if (which < 2 && thread % 32 == 0) {
            see_map(own_maps + which * 32);
            bring_all(base, own_maps + which * 32, which);
        }
#else
        bring_all(base, A, B, thread % 128);
#endif
    } else {
        MORE_REGISTERS();
        const int lane = thread % 32;
        const ulong from_a = descriptor(base + four * blocks * BLOCK, 0);
        const ulong from_b = descriptor(base + A_BYTES, EIGHT ? 0 : BLOCK);
        const float factor = FACTOR;
        uint now = 0, parity = 0;
        int copied = early_slabs(); // slabs that have not come by maps
        float acc[blocks][SUMS];
#if staged
        int turn = 0;
#endif

        for (int at = GROUP_ID(0); at < TASKS; at += GROUP_COUNT(0)) {
            const struct task t = task_of(at);
            GLOBAL ushort *to = C + (size_t)t.matrix * M * N;
#if splits == 1
            const int line = t.down * tile_m + four * blocks * 64 + thread / 32 % 4 * 16 + lane / 4;
            const int ask = t.end - t.first < 4 ? t.first : t.end - 4; // for what C held
            uint added[OUTS * 8], old[blocks][OUTS * 16];
            load_bias(added, bias, t.across * tile_n + lane % 4 * 2, OUTS * 8);
#pragma unroll
            for (int i = 0; i < blocks * OUTS * 16; i++)
                old[i / (OUTS * 16)][i % (OUTS * 16)] = 0;
#endif
#if ONE_SUM
            uint before = 0; // the place of the slab before this one
#endif
#pragma unroll
            for (int b = 0; b < blocks; b++) {
#pragma unroll
                for (int i = 0; i < SUMS; i++)
                    acc[b][i] = 0.0f;
            }
#pragma unroll 1
            for (int slab = t.first; slab < t.end; slab++) {
                const ulong offset = now * (ulong)(STAGE / 16);
#if splits == 1
                if (AHEAD && slab == ask) {
#pragma unroll
                    for (int i = 0; i < blocks * OUTS * 2; i++)
                        load_old(old[i / (OUTS * 2)] + i % (OUTS * 2) * 8, to,
                                 line + i / (OUTS * 2) * 64,
                                 t.across * tile_n + i % (OUTS * 2) * 32 + lane % 4 * 8);
                }
#endif
                barrier_wait(FULL(now), parity);
                if (!mapped || slab - t.first < copied) // wgmma sees them
                    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
#if ONE_SUM
#pragma unroll
                for (int b = 0; b < blocks; b++)
                    SETTLE(acc[b]);
                BEGIN();
#pragma unroll
                for (int k = 0; k < 4; k++) {
#pragma unroll
                    for (int b = 0; b < blocks; b++)
                        MULTIPLY(acc[b], from_a + offset + b * (BLOCK / 16) + k * 2,
                                 from_b + offset + k * B_STEP, "1");
                }
                COMMIT();
                WAIT(1); // this slab's products are on their way, those before are done
                if (slab > t.first && lane == 0)
                    barrier_arrive(EMPTY(before));
                before = now;
                now = now + 1 == stages ? 0 : now + 1;
                parity ^= now == 0;
#else
#pragma unroll
                for (int b = 0; b < blocks; b++) {
                    const ulong a = from_a + offset + b * (BLOCK / 16);
                    float sum[SUMS];
                    BEGIN();
                    MULTIPLY(sum, a, from_b + offset, "0");
#pragma unroll
                    for (int k = 1; k < 4; k++)
                        MULTIPLY(sum, a + k * 2, from_b + offset + k * B_STEP, "1");
                    COMMIT();
                    WAIT(0);
                    SETTLE(sum);
                    if (b + 1 == blocks && lane == 0)
                        barrier_arrive(EMPTY(now));
#pragma unroll
                    for (int i = 0; i < SUMS; i++)
                        acc[b][i] += sum[i];
                }
                now = now + 1 == stages ? 0 : now + 1;
                parity ^= now == 0;
#endif
            }
#if ONE_SUM
            WAIT(0);
#pragma unroll
            for (int b = 0; b < blocks; b++)
                SETTLE(acc[b]);
            if (lane == 0)
                barrier_arrive(EMPTY(before));
#endif
            copied = 0;
#if staged
            if (at == GROUP_ID(0)) {
#if early
                asm volatile("bar.sync 7, %0;\n" ::"n"(128 * CONSUMERS + 32) : "memory");
#endif
                see_map(own_maps + 64);
            }
#endif
#if splits > 1
            GLOBAL float *part = parts + ((size_t)t.tile * CONSUMERS + four) * splits * PART;
            const int first_row = t.down * tile_m + four * blocks * 64;
#pragma unroll
            for (int b = 0; b < blocks; b++)
                leave_sums(part + t.split * PART + b * 64 * tile_n, acc[b], M - first_row - b * 64,
                           thread);
#pragma unroll 1
            for (int b = 0; b < blocks; b++)
                store_share(to, part + b * 64 * tile_n, bias, t, first_row + b * 64, factor,
                            thread);
#else
#pragma unroll
            for (int b = 0; b < blocks; b++) {
                const int row = line + b * 64;
#pragma unroll
                for (int i = 0; i < OUTS; i++) {
                    const size_t column = (size_t)t.across * tile_n + i * 64;
                    uint block[16];
#pragma unroll
                    for (int side = 0; side < 2; side++) {
                        uint *was = old[b] + i * 16 + side * 8;
                        if (!AHEAD)
                            load_old(was, to, row, column + side * 32 + lane % 4 * 8);
                        pack_rows(block + side * 8, was, added + i * 8 + side * 4,
                                  acc[b] + i * 32 + side * 16, factor, lane);
                    }
#if staged
                    store_block(words, base, own_maps + 64,
                                t.down * tile_m + (four * blocks + b) * 64, column, t.matrix, block,
                                four * 2 + turn, four, thread);
                    turn ^= 1;
#else
                    store_row(to, row, column, block, lane);
                    store_row(to, row + 8, column, block + 1, lane);
                    store_row(to, row, column + 32, block + 8, lane);
                    store_row(to, row + 8, column + 32, block + 9, lane);
#endif
                }
            }
#endif
        }
#if staged
        if (thread % 128 == 0)
            asm volatile("cp.async.bulk.wait_group 0;\n" ::: "memory");
#endif
    }
}

#endif
