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
//   wgmma      four warps multiply 64 x tile_n x 32 bytes with operands in local memory. Capability 9.0
//              alone; OpenCL needs the spec's Retarget for it
//
// With wgmma a slab is 128 bytes of k of a tile, as it lies in local memory (shared memory): lines of
// 128 bytes with what NVIDIA calls 128-byte swizzle. Of A a line is a row, and so is a column of B of
// 8 bits, which wgmma cannot transpose; of B of 16 bits it is 64 columns of a k, 64 lines in a block.
// Nothing is packed. `mapped`, tensor maps that each work-group makes itself (hopper.h) cut the slabs
// out of A and B; else four warps copy 16 bytes at a time. Both want rows of whole 16 bytes.
//
// With maps, two warps bring the slabs, one those of A and one those of B. Slabs come `stages` ahead;
// barriers in local memory (mbarrier) know what is still to come. The groups of four warps that
// multiply have `blocks` x 64 rows of the tile each. It is a persistent kernel: a work-group computes
// tile after tile, and slabs of the next one arrive while the last one is stored: by each work-item,
// 16 bytes at a time, or `staged`, through local memory and by a tensor map of C; with staged=2 that
// happens between the first slabs of the next tile, while the tensor cores multiply these.
//
// A tile of a small or long product is computed by `splits` work-groups, each with a part of k: each
// leaves its sums in `parts`, and who comes last, by the tile's counter, adds them up, in the order of
// k. Counters are zero before a launch, and after it again. Of rows beyond M nothing is brought, computed
// for anybody, or left: M = 1 costs little more than reading B.
//
// Sums of products of 8 bits keep fewer bits in the hardware than a float has. With FAST=0 they are
// added to floats after each slab.
//
// Tried in vain on an H200 (times of CUDA, bfloat16):
// - A first slab by cp.async of the warps that multiply, while the maps are made: 7.1 us in place of
//   7.0 at n = 1024, more with each further slab. Maps that the host makes save 0.8 us of a launch.
// - Each work-group beginning its sums at another slab: 203 us in place of 184 at n = 4096.
//   Work-groups that want the same lines want them at the same time.
// - Groups of warps that begin their first tile some slabs after each other, so that one multiplies
//   while the other one stores: as fast at n = 4096, in bfloat16 and in 8 bits.
// - Clusters of two work-groups that bring B for both (CUDA alone): 271 us in place of 186 at n = 4096;
//   why is not known.
// - More than three stages at n = 4096: 184 us in place of 180. Tiles in the order of
//   multiprocessors, and hints to keep A and B in the second-level cache, changed nothing.

#define portable 0
#define wgmma    1

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
#define ROUGH  (instruction == wgmma)
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
        GLOBAL float *RESTRICT parts, GLOBAL uint *RESTRICT counters SCALES

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

#else

#define CONSUMERS (tile_m / 64 / blocks) // groups of four warps that multiply
#define SPAN      tile_n
#define LIGHT     mapped
#define MATRICES  BATCH

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
#define A_BYTES  (tile_m * 128)                          // the room of a slab
#define B_BYTES  (tile_n * 128)
#define STAGE    (A_BYTES + B_BYTES)
#define B_STEP   (EIGHT ? 2 : 16 * 128 / 16) // in a descriptor, from 32 bytes of k to the next
#define BLOCK    (64 * 128) // bytes of 64 rows of A, or columns of B, of a slab; or of 64 x 64 of C
#define OUTS     (tile_n / 64) // such blocks of C next to each other
#define TASKS    (WORK * splits * BATCH)

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

// ---- bringing ----------------------------------------------------------------------------------

// Where the places for slabs are, behind them two for 64 x 64 of C of each group of four warps, the
// maps of A, B and C, and the barriers.
#define PLACE(i) (base + (i) * (uint)STAGE)
#define OUT(i)   (PLACE(stages) + (i) * (uint)BLOCK)
#define MAP(i)   (OUT((staged > 0) * 2 * CONSUMERS) + (i)*128)
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
             which == 0 ? LINES
             : EIGHT && which == 1 ? tile_n
                                   : 64,
             which == 2 ? 2 : WIDE, to, lane);
}

// A work-item brings the slabs of A, or of B, of all tiles of this work-group.
INLINE void bring_all(uint base, const GLOBAL uint *map, int of_b)
{
    uint now = 0, parity = 0;
    for (int at = GROUP_ID(0); at < TASKS; at += GROUP_COUNT(0)) {
        const struct task t = task_of(at);
#pragma unroll 1
        for (int slab = t.first; slab < t.end; slab++) {
            barrier_wait(EMPTY(now), parity ^ 1); // at first there is no phase to wait for
            if (of_b) {
                barrier_expect(FULL(now), B_BYTES);
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
                barrier_expect(FULL(now), LINES * 128);
                copy_box(PLACE(now), map, slab * SLAB, t.down * tile_m, t.matrix, FULL(now));
            }
            now = now + 1 == stages ? 0 : now + 1;
            parity ^= now == 0;
        }
    }
}

#else

// 16 bytes, or zeros in their place.
INLINE void copy_chunk(uint to, const GLOBAL ELEMENT *from, int is_there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from),
                 "r"(is_there ? 16 : 0)
                 : "memory");
}

// A work-item's part, a 128th, of the lines of a slab, in the order that swizzling asks for:
// `lines` rows or columns, along which k runs.
INLINE void bring_lines(uint to, const GLOBAL ELEMENT *data, int first, int lines, int most, int k,
                        int thread)
{
    const int chunk = thread % 8, line = thread / 8;
    const int inside = K % SLAB == 0 || k + chunk * (16 / WIDE) < K;
    const GLOBAL ELEMENT *from = data + (size_t)(first + line) * K + k + chunk * (16 / WIDE);
    to += line * 128 + (chunk ^ line % 8) * 16;
#pragma unroll
    for (int i = 0; i < lines; i += 16) {
        const int is_there = inside && (most % lines == 0 || first + line + i < most);
        copy_chunk(to + i * 128, is_there ? from + (size_t)i * K : data, is_there);
    }
}

// The same of B of 16 bits: lines of 64 columns, a block of `SLAB` lines after the other.
INLINE void bring_blocks(uint to, const GLOBAL ELEMENT *B, int first, int k, int thread)
{
    const int chunk = thread % 8, line = thread / 8;
    const GLOBAL ELEMENT *from = B + (size_t)(k + line) * N + first + chunk * 8;
    to += line * 128 + (chunk ^ line % 8) * 16;
#pragma unroll
    for (int i = 0; i < tile_n / 16; i++) { // 16 lines at a time
        const int block = i / 4, down = i % 4 * 16;
        const int is_there = (K % SLAB == 0 || k + line + down < K) &&
                             (N % tile_n == 0 || first + chunk * 8 + block * 64 < N);
        copy_chunk(to + block * BLOCK + down * 128,
                   is_there ? from + (size_t)down * N + block * 64 : B, is_there);
    }
}

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
            bring_lines(PLACE(now), a, t.down * tile_m, tile_m, M, slab * SLAB, thread);
#if EIGHT
            bring_lines(PLACE(now) + A_BYTES, b, t.across * tile_n, tile_n, N, slab * SLAB, thread);
#else
            bring_blocks(PLACE(now) + A_BYTES, b, t.across * tile_n, slab * SLAB, thread);
#endif
            asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];\n" ::"r"(FULL(now))
                         : "memory");
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

// The bias of a column and of the next one.
INLINE struct pair bias_of(const GLOBAL ushort *bias, size_t column)
{
    return pair_of(BIAS && column < N ? *(const GLOBAL uint *)(bias + column) : 0);
}

// Two elements of C next to each other, as a word; `factor` and what epilogue.h adds are in it.
INLINE uint pack_pair(const GLOBAL ushort *C, size_t row, size_t column, const float *sums,
                      float factor, struct pair bias)
{
    uint word, old = 0;
    if (BETA != 0 && row < M && column < N) // an even column, and N is even
        old = *(const GLOBAL uint *)(C + row * N + column);
    const struct pair was = pair_of(old);
    asm volatile(PACK " %0, %1, %2;\n"
                 : "=r"(word)
                 : "f"(finish(factor * sums[1], was.second, bias.second)),
                   "f"(finish(factor * sums[0], was.first, bias.first)));
    return word;
}

// 64 columns of two rows, 8 apart, of which each lane of a quad has pairs 8 apart: `words` gets those
// of the rows by turns. `sums`: as wgmma leaves them.
INLINE void pack_rows(uint *words, const GLOBAL ushort *C, const GLOBAL ushort *bias, size_t row,
                      size_t column, const float *sums, float factor, int lane)
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const size_t at = column + i * 8 + lane % 4 * 2;
        const struct pair added = bias_of(bias, at);
        words[i * 2] = pack_pair(C, row, at, sums + i * 4, factor, added);
        words[i * 2 + 1] = pack_pair(C, row + 8, at, sums + i * 4 + 2, factor, added);
    }
}

// All of a group of four warps.
INLINE void meet(int four)
{
    asm volatile("bar.sync %0, 128;\n" ::"r"(four + 1) : "memory");
}

#if staged

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
INLINE void store_row(GLOBAL ushort *C, size_t row, size_t column, const uint *packed, int lane)
{
    const int quad = lane % 4;
    uint words[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        words[i] = packed[i * 2];
    exchange(words, words + 1, lane, 1);
    exchange(words + 2, words + 3, lane, 1);
    exchange(words, words + 2, lane, 2);
    exchange(words + 1, words + 3, lane, 2);
    if (row < M && column + quad * 8 < N)
        *(GLOBAL uint4 *)(C + row * N + column + quad * 8) =
            UINT4(words[0], words[1], words[2], words[3]);
}

#endif
#if splits > 1

// Leaves this group's sums of its part of k, or takes those of all parts; 64 rows, of which each lane
// has two, 8 apart. Lanes of the same place follow each other in memory.
INLINE void put_sums(GLOBAL float *part, const float *sums, int rows, int thread)
{
    const int row = thread % 128 / 32 * 16 + thread % 32 / 4;
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        if (row + i % 4 / 2 * 8 < rows)
            part[i * 128 + thread % 128] = sums[i];
    }
}

INLINE void add_sums(float *sums, const GLOBAL float *part, int rows, int thread)
{
    const int row = thread % 128 / 32 * 16 + thread % 32 / 4;
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        if (row + i % 4 / 2 * 8 < rows)
            sums[i] += part[i * 128 + thread % 128];
    }
}

// Does this group of four warps come last to its part of a tile? `seen` is a word of local memory.
INLINE int comes_last(GLOBAL uint *counter, LOCAL uint *seen, int four, int thread)
{
    asm volatile("fence.acq_rel.gpu;\n" ::: "memory");
    meet(four);
    if (thread % 128 == 0) {
        uint before;
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;\n" // zero again after the last
                     : "=r"(before)
                     : "l"(counter), "r"(splits - 1)
                     : "memory");
        *seen = before;
    }
    meet(four);
    const int last = *seen == splits - 1;
    asm volatile("fence.acq_rel.gpu;\n" ::: "memory");
    return last;
}

#endif

// ---- the kernel --------------------------------------------------------------------------------

#define TO_STORE (staged == 2 ? OUTS * blocks : 1)

KERNEL GROUP_OF(THREADS) void matmul_half(ARGUMENTS)
{
    LOCAL_WORDS(words, stages * (STAGE / 4 + 4) + (staged > 0) * CONSUMERS * BLOCK / 2 + 100, 1024);
    const uint base = LOCAL_ADDRESS(words);
    const int thread = LOCAL_ID(0), four = thread / 128;
#if mapped
    GLOBAL uint *own_maps = maps + GROUP_ID(0) * 96;
    const int which = thread / 32 - 4 * CONSUMERS; // of the warps that copy
#endif

    ENTRY_DIRECTIVES();
    if (thread < stages) {
        barrier_init(FULL(thread), mapped ? 2 : 128);
        barrier_init(EMPTY(thread), 4 * CONSUMERS);
        asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
    }
#if mapped
    if (which >= 0 && which < 2 + (staged > 0))
        make_map_of(words, base,
                    which == 0 ? (const GLOBAL void *)A
                    : which == 1 ? (const GLOBAL void *)B
                                 : (const GLOBAL void *)C,
                    own_maps + which * 32, which, thread % 32);
#endif
    BARRIER();

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
        float acc[blocks][SUMS];
        uint packed[TO_STORE][16]; // 64 x 64 of C each
#if staged
        see_map(own_maps + 64);
#endif
#if staged == 1
        int turn = 0;
#elif staged == 2
        struct task last;
        int waiting = 0;
#define STORE_LATE(n)                                                                              \
    store_block(words, base, own_maps + 64,                                                        \
                last.down * tile_m + (four * blocks + (n) / OUTS) * 64,                            \
                last.across * tile_n + (n) % OUTS * 64, last.matrix, packed[n],                    \
                four * 2 + (n) % 2, four, thread)
#endif

        for (int at = GROUP_ID(0); at < TASKS; at += GROUP_COUNT(0)) {
            const struct task t = task_of(at);
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
                barrier_wait(FULL(now), parity);
#if !mapped
                asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory"); // wgmma sees them
#endif
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
#if staged == 2
                if (waiting && slab < TO_STORE) {
#pragma unroll
                    for (int n = 0; n < TO_STORE; n++) {
                        if (slab == n)
                            STORE_LATE(n);
                    }
                }
#endif
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
#if splits > 1
            const int rows = M - t.down * tile_m - four * blocks * 64;
            GLOBAL float *mine =
                parts + ((size_t)t.tile * CONSUMERS + four) * splits * blocks * SUMS * 128;
#pragma unroll
            for (int b = 0; b < blocks; b++)
                put_sums(mine + (t.split * blocks + b) * SUMS * 128, acc[b], rows - b * 64, thread);
            if (!comes_last(counters + t.tile * CONSUMERS + four,
                            words + (EMPTY(stages) - base) / 4 + four, four, thread))
                continue;
#pragma unroll
            for (int b = 0; b < blocks; b++) {
#pragma unroll
                for (int i = 0; i < SUMS; i++)
                    acc[b][i] = 0.0f;
#pragma unroll 1
                for (int i = 0; i < splits; i++)
                    add_sums(acc[b], mine + (i * blocks + b) * SUMS * 128, rows - b * 64, thread);
            }
#endif
            GLOBAL ushort *to = C + (size_t)t.matrix * M * N;
#pragma unroll
            for (int b = 0; b < blocks; b++) {
                const size_t row = (size_t)t.down * tile_m + (four * blocks + b) * 64;
                const size_t line = row + thread / 32 % 4 * 16 + lane / 4;
#pragma unroll
                for (int i = 0; i < OUTS; i++) {
                    const size_t column = (size_t)t.across * tile_n + i * 64;
                    uint *block = packed[staged == 2 ? b * OUTS + i : 0];
                    pack_rows(block, to, bias, line, column, acc[b] + i * 32, factor, lane);
#if staged == 1
                    store_block(words, base, own_maps + 64, row, column, t.matrix, block,
                                four * 2 + turn, four, thread);
                    turn ^= 1;
#elif !staged
                    store_row(to, line, column, block, lane);
                    store_row(to, line + 8, column, block + 1, lane);
                    store_row(to, line, column + 32, block + 8, lane);
                    store_row(to, line + 8, column + 32, block + 9, lane);
#endif
                }
            }
#if staged == 2
            last = t;
            waiting = 1;
#endif
        }
#if staged == 2
        if (waiting) {
#pragma unroll
            for (int n = 0; n < TO_STORE; n++)
                STORE_LATE(n);
        }
#endif
#if staged
        if (thread % 128 == 0)
            asm volatile("cp.async.bulk.wait_group 0;\n" ::: "memory");
#endif
    }
}

#endif
