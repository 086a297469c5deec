// The third way of matmul_tensor.h: wgmma, of sm_90a alone. Included by it, and described there.

// Groups of four warps, each of which computes 64 x SPAN of a tile, or of its transpose.
#if mapped
#define SPAN      tile_m
#define CONSUMERS (tile_n / 64)
#else
#define SPAN      tile_n
#define CONSUMERS (tile_m / 64)
#endif
#define THREADS (128 * (CONSUMERS + 1))
#define WORK    (TILES_M * TILES_N)

#define LIGHT    0
#define DEPTH    "k8"
#define TYPES    ".f32.tf32.tf32"
#define STRAIGHT ", 1, 1;"
#if !CORRECTED
#define OF_FLOATS 11
#endif
#include "hopper.h"

// Products read their registers until they are done, which the compiler cannot know: these are not
// reused before.
#define HOLD(x, y)                                                                                 \
    asm volatile("" ::"r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3]), "r"((y)[0]),             \
                 "r"((y)[1]), "r"((y)[2]), "r"((y)[3])                                             \
                 : "memory")

// ---- bringing ----------------------------------------------------------------------------------

// Where the places for slabs, the maps and the barriers behind them, are.
#define PLACE(i)    (base + (i) * (uint)(STAGE * 4))
#define MAPS        (base + (uint)(stages * STAGE * 4))
#define FULL(i)     (MAPS + (uint)(mapped * 256) + (i)*8)
#define EMPTY(i)    (FULL(stages) + (i)*8)
#define IS_SPLIT(i) (EMPTY(stages) + (i)*8)

#if mapped

#define BOX (32 * SLAB) // floats of 32 columns of a slab of B

// A sub-group (warp) brings the slabs of all tiles of this work-group: one of its work-items does.
INLINE void bring_all(LOCAL float *slabs, uint base, const GLOBAL float *A, const GLOBAL float *B,
                      GLOBAL uint *maps, int lane)
{
    GLOBAL uint *map_a = maps + GROUP_ID(0) * 64, *map_b = map_a + 32;
    LOCAL uint *words = (LOCAL uint *)(slabs + stages * STAGE);
    make_map(words, MAPS, A, K, M, tile_m, 4, map_a, lane);
    make_map(words + 32, MAPS + 128, B, N, K, SLAB, 4, map_b, lane);
    if (lane > 0)
        return;
    see_map(map_a);
    see_map(map_b);

    uint now = 0, parity = 0;
    for (int at = GROUP_ID(0); at < WORK; at += GROUP_COUNT(0)) {
        int down, across;
        place_of(at, &down, &across);
#pragma unroll 1
        for (int slab = 0; slab < SLABS; slab++) {
            barrier_wait(EMPTY(now), parity ^ 1); // at first there is no phase to wait for
            barrier_expect(FULL(now), (A_PART + B_PART) * 4);
            copy_box(PLACE(now), map_a, slab * SLAB, down * tile_m, 0, FULL(now));
#pragma unroll
            for (int i = 0; i < tile_n / 32; i++)
                copy_box(PLACE(now) + (PARTS * A_PART + i * BOX) * 4, map_b,
                         across * tile_n + i * 32, slab * SLAB, 0, FULL(now));
            now = now + 1 == stages ? 0 : now + 1;
            parity ^= now == 0;
        }
    }
}

#if CORRECTED

// What is left of a float beside a TF32 number next to it, as TF32. An infinity less itself is
// 0x7fffffff here, of which this makes a zero.
INLINE float low_part(float rest)
{
    return BITS_FLOAT((FLOAT_BITS(rest) + 0x1000u) & 0xffffe000u);
}

// What wgmma sees of a float is its upper 19 bits; this is the rest.
INLINE float unseen_part(float x)
{
    return low_part(x - BITS_FLOAT(FLOAT_BITS(x) & 0xffffe000u));
}

// Three sub-groups (warps) write the low parts of A behind what came of it.
INLINE void split_all(LOCAL float *slabs, uint base, int thread)
{
    uint now = 0, parity = 0;
    for (int at = GROUP_ID(0); at < WORK; at += GROUP_COUNT(0)) {
#pragma unroll 1
        for (int slab = 0; slab < SLABS; slab++) {
            LOCAL float4 *chunks = (LOCAL float4 *)(slabs + now * STAGE);
            barrier_wait(FULL(now), parity);
#pragma unroll 1
            for (int i = thread; i < A_PART / 4; i += 4 * 96) {
                float4 x[4];
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    if (i + j * 96 < A_PART / 4)
                        x[j] = chunks[i + j * 96];
                }
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    if (i + j * 96 < A_PART / 4)
                        chunks[i + j * 96 + A_PART / 4] =
                            FLOAT4(unseen_part(x[j].x), unseen_part(x[j].y), unseen_part(x[j].z),
                                   unseen_part(x[j].w));
                }
            }
            asm volatile("fence.proxy.async.shared::cta;\n" ::
                             : "memory"); // so that wgmma sees them
            TOGETHER();
            if (thread % 32 == 0)
                barrier_arrive(IS_SPLIT(now));
            now = now + 1 == stages ? 0 : now + 1;
            parity ^= now == 0;
        }
    }
}

#endif
#else

// One work-item brings the slabs of all tiles of this work-group.
INLINE void bring_all(uint base, const GLOBAL float *tiles_a, const GLOBAL float *tiles_b)
{
    uint now = 0, parity = 0;
    for (int at = GROUP_ID(0); at < WORK; at += GROUP_COUNT(0)) {
        int down, across;
        place_of(at, &down, &across);
        const GLOBAL float *a = tiles_a + (size_t)down * SLABS * PARTS * A_PART;
        const GLOBAL float *b = tiles_b + (size_t)across * SLABS * PARTS * B_PART;
#pragma unroll 1
        for (int slab = 0; slab < SLABS; slab++) {
            barrier_wait(EMPTY(now), parity ^ 1); // at first there is no phase to wait for
            barrier_expect(FULL(now), STAGE * 4);
            copy_bytes(PLACE(now), a, PARTS * A_PART * 4, FULL(now));
            copy_bytes(PLACE(now) + PARTS * A_PART * 4, b, PARTS * B_PART * 4, FULL(now));
            a += PARTS * A_PART;
            b += PARTS * B_PART;
            now = now + 1 == stages ? 0 : now + 1;
            parity ^= now == 0;
        }
    }
}

#endif

// ---- the kernel --------------------------------------------------------------------------------

#if mapped

// This work-item's numbers of B for the k-th eight of a slab: those of lane % 4 and four behind it,
// of two columns next to each other. Which two is chosen so that half a sub-group, which reads at a
// time, finds all banks.
INLINE void load_fragment(uint *high, uint *low, const LOCAL float *slab, int at, int k)
{
    const float2 first = *(const LOCAL float2 *)(slab + at + k * 8 * SLAB);
    const float2 second = *(const LOCAL float2 *)(slab + (at ^ 16) + (k * 8 + 4) * SLAB);
#if CORRECTED
    const float x[4] = {first.x, first.y, second.x, second.y};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float upper = to_tf32(x[i]);
        high[i] = FLOAT_BITS(upper), low[i] = FLOAT_BITS(low_part(x[i] - upper));
    }
#else
    high[0] = FLOAT_BITS(first.x), high[1] = FLOAT_BITS(first.y);
    high[2] = FLOAT_BITS(second.x), high[3] = FLOAT_BITS(second.y);
#endif
}

#define OPERANDS                                                                                   \
    const GLOBAL float *RESTRICT A, const GLOBAL float *RESTRICT B, GLOBAL uint *RESTRICT maps

// The factors of a transposed tile's products, 0 their high and 1 their low parts, in terms of the
// loops below.
#define TIMES     MULTIPLY_FRAGMENT
#define FIRST(p)  first[p][r]
#define SECOND(p) (from_a + offset + (p) * (A_PART * 4 / 16) + (k + r) * 2)
#else
#define OPERANDS  const GLOBAL float *RESTRICT tiles_a, const GLOBAL float *RESTRICT tiles_b
#define TIMES     MULTIPLY
#define FIRST(p)  (from_a + offset + (p) * (A_PART * 4 / 16) + (k + r) * 2)
#define SECOND(p) (from_b + offset + (p) * (B_PART * 4 / 16) + (k + r) * 2)
#endif

KERNEL GROUP_OF(THREADS) void matmul_tensor(GLOBAL float *RESTRICT C, OPERANDS,
                                            const GLOBAL float *RESTRICT bias)
{
    LOCAL_FLOATS(slabs, stages * STAGE + stages * (mapped ? 6 : 4) + mapped * 64, 1024);
    const uint base = LOCAL_ADDRESS(slabs);
    const int thread = LOCAL_ID(0), four = thread / 128;

    ENTRY_DIRECTIVES();
    if (thread == 0) {
        for (uint i = 0; i < stages; i++) {
            barrier_init(FULL(i), 1);
            barrier_init(EMPTY(i), 4 * CONSUMERS);
#if mapped
            barrier_init(IS_SPLIT(i), 3);
#endif
        }
        asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
    }
    BARRIER();

    if (four == CONSUMERS) {
        FEWER_REGISTERS();
#if mapped
        if (thread % 128 < 32)
            bring_all(slabs, base, A, B, maps, thread % 128);
#if CORRECTED
        else
            split_all(slabs, base, thread % 128 - 32);
#endif
#else
        if (thread % 128 == 0)
            bring_all(base, tiles_a, tiles_b);
#endif
    } else {
        MORE_REGISTERS();
        const int lane = thread % 32, warp = thread / 32 % 4;
#if mapped
        const ulong from_a = descriptor(base, 16);
        const int box = four * 2 + warp / 2;
        const int chunk = lane / 8 % 2 * 4 + lane / 16 + warp % 2 * 2, pair = lane / 4 % 2;
        const int at_b =
            PARTS * A_PART + box * BOX + lane % 4 * SLAB + (chunk ^ lane % 4) * 4 + pair * 2;
#else
        const ulong from_a = descriptor(base + four * 64 * 128, 16);
        const ulong from_b = descriptor(base + PARTS * A_PART * 4, 16);
#endif
        uint now = 0, parity = 0;
        float acc[SUMS];

        for (int at = GROUP_ID(0); at < WORK; at += GROUP_COUNT(0)) {
            int down, across;
            place_of(at, &down, &across);
#pragma unroll
            for (int i = 0; i < SUMS; i++)
                acc[i] = 0.0f;
#if CORRECTED
#pragma unroll 1
            for (int slab = 0; slab < SLABS; slab++) {
                const ulong offset = now * (ulong)(STAGE * 4 / 16);
                barrier_wait(FULL(now), parity);
#if mapped
                barrier_wait(IS_SPLIT(now), parity);
#endif
#pragma unroll
                for (int k = 0; k < SLAB / 8; k += RUN) {
                    float sum[SUMS];
#if mapped
                    uint first[2][RUN][4];
#pragma unroll
                    for (int r = 0; r < RUN; r++)
                        load_fragment(first[0][r], first[1][r], slabs + now * STAGE, at_b, k + r);
#endif
                    BEGIN();
#pragma unroll
                    for (int r = 0; r < RUN; r++) { // the small ones first
                        if (r == 0)
                            TIMES(sum, FIRST(1), SECOND(0), "0");
                        else
                            TIMES(sum, FIRST(1), SECOND(0), "1");
                        TIMES(sum, FIRST(0), SECOND(1), "1");
                    }
#pragma unroll
                    for (int r = 0; r < RUN; r++)
                        TIMES(sum, FIRST(0), SECOND(0), "1");
                    COMMIT();
                    WAIT(0);
                    SETTLE(sum);
#if mapped
#pragma unroll
                    for (int r = 0; r < RUN; r++)
                        HOLD(first[0][r], first[1][r]);
#endif
                    if (k + RUN >= SLAB / 8 && lane == 0)
                        barrier_arrive(EMPTY(now));
#pragma unroll
                    for (int i = 0; i < SUMS; i++)
                        acc[i] += sum[i];
                }
                now = now + 1 == stages ? 0 : now + 1;
                parity ^= now == 0;
            }
#elif mapped
            uint x[SLAB / 8][4], next_x[SLAB / 8][4];
            barrier_wait(FULL(now), parity);
#pragma unroll
            for (int k = 0; k < SLAB / 8; k++)
                load_fragment(x[k], 0, slabs + now * STAGE, at_b, k);
#pragma unroll 1
            for (int slab = 0; slab < SLABS; slab++) {
                const ulong a = from_a + now * (ulong)(STAGE * 4 / 16);
                const uint before = now;
                SETTLE(acc);
                BEGIN();
#pragma unroll
                for (int k = 0; k < SLAB / 8; k++)
                    MULTIPLY_FRAGMENT(acc, x[k], a + k * 2, "1");
                COMMIT();
                now = now + 1 == stages ? 0 : now + 1;
                parity ^= now == 0;
                if (slab + 1 < SLABS) {
                    barrier_wait(FULL(now), parity);
#pragma unroll
                    for (int k = 0; k < SLAB / 8; k++)
                        load_fragment(next_x[k], 0, slabs + now * STAGE, at_b, k);
                }
                WAIT(0);
                SETTLE(acc);
                HOLD(x[0], x[1]);
                HOLD(x[2], x[3]);
                if (lane == 0)
                    barrier_arrive(EMPTY(before));
#pragma unroll
                for (int k = 0; k < SLAB / 8; k++) {
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        x[k][i] = next_x[k][i];
                }
            }
#else
            uint before = 0; // the place of the slab before this one
#pragma unroll 1
            for (int slab = 0; slab < SLABS; slab++) {
                const ulong offset = now * (ulong)(STAGE * 4 / 16);
                barrier_wait(FULL(now), parity);
                SETTLE(acc);
                BEGIN();
#pragma unroll
                for (int k = 0; k < SLAB / 8; k++)
                    MULTIPLY(acc, from_a + offset + k * 2, from_b + offset + k * 2, "1");
                COMMIT();
                WAIT(1); // this slab's products are on their way, those before are done
                if (slab > 0 && lane == 0)
                    barrier_arrive(EMPTY(before));
                before = now;
                now = now + 1 == stages ? 0 : now + 1;
                parity ^= now == 0;
            }
            WAIT(0);
            SETTLE(acc);
            if (lane == 0)
                barrier_arrive(EMPTY(before));
#endif
#if mapped
            const size_t row = (size_t)down * tile_m + lane % 4 * 2;
            const size_t column = (size_t)across * tile_n + box * 32 + chunk * 4 + pair * 2;
#pragma unroll
            for (int i = 0; i < SUMS; i += 4) {
                store_pair(C, bias, row + i * 2, column, acc[i], acc[i + 2]);
                store_pair(C, bias, row + i * 2 + 1, column, acc[i + 1], acc[i + 3]);
            }
#else
            const size_t row = (size_t)down * tile_m + four * 64 + warp * 16 + lane / 4;
            const size_t column = (size_t)across * tile_n + lane % 4 * 2;
#pragma unroll
            for (int i = 0; i < SUMS; i += 4) {
                store_pair(C, bias, row, column + i * 2, acc[i], acc[i + 1]);
                store_pair(C, bias, row + 8, column + i * 2, acc[i + 2], acc[i + 3]);
            }
#endif
        }
    }
}
