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
#define SUMS    (SPAN / 2) // registers of a work-item
#define WORK    (TILES_M * TILES_N)

// Registers of a work-item: when the kernel starts, of the warp that copies, of those that
// multiply. Together no more than the 65,536 of a multiprocessor.
#if CONSUMERS == 1
#define AT_START "255"
#elif CONSUMERS == 2
#define AT_START    "168"
#define OF_COPYING  "40"
#define OF_MULTIPLY "232"
#elif CONSUMERS == 3
#define AT_START    "128"
#define OF_COPYING  "32"
#define OF_MULTIPLY "160"
#else
#define AT_START    "96"
#define OF_COPYING  "24"
#define OF_MULTIPLY "112"
#endif

// Names of the registers of an instruction, %0 to %127, and the operands behind them.
#define REGISTERS_32                                                                               \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"                         \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define REGISTERS_48                                                                               \
    REGISTERS_32                                                                                   \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define REGISTERS_64                                                                               \
    REGISTERS_48                                                                                   \
    ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define REGISTERS_96                                                                               \
    REGISTERS_64                                                                                   \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"             \
    ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define REGISTERS_128                                                                              \
    REGISTERS_96                                                                                   \
    ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
    ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, " \
    "%127"
#define SUMS_8(d, i)                                                                               \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]),    \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_16(d, i)  SUMS_8(d, i), SUMS_8(d, i + 8)
#define SUMS_32(d, i)  SUMS_16(d, i), SUMS_16(d, i + 16)
#define SUMS_48(d, i)  SUMS_32(d, i), SUMS_16(d, i + 32)
#define SUMS_64(d, i)  SUMS_32(d, i), SUMS_32(d, i + 32)
#define SUMS_96(d, i)  SUMS_64(d, i), SUMS_32(d, i + 64)
#define SUMS_128(d, i) SUMS_64(d, i), SUMS_64(d, i + 64)

#if SPAN == 64
#define SHAPE       "m64n64k8"
#define REGISTERS   REGISTERS_32
#define DESCRIPTORS "%32, %33"
#define FRAGMENT    "{%32, %33, %34, %35}, %36"
#define ALL_SUMS(d) SUMS_32(d, 0)
#elif SPAN == 96
#define SHAPE       "m64n96k8"
#define REGISTERS   REGISTERS_48
#define DESCRIPTORS "%48, %49"
#define FRAGMENT    "{%48, %49, %50, %51}, %52"
#define ALL_SUMS(d) SUMS_48(d, 0)
#elif SPAN == 128
#define SHAPE       "m64n128k8"
#define REGISTERS   REGISTERS_64
#define DESCRIPTORS "%64, %65"
#define FRAGMENT    "{%64, %65, %66, %67}, %68"
#define ALL_SUMS(d) SUMS_64(d, 0)
#elif SPAN == 192
#define SHAPE       "m64n192k8"
#define REGISTERS   REGISTERS_96
#define DESCRIPTORS "%96, %97"
#define FRAGMENT    "{%96, %97, %98, %99}, %100"
#define ALL_SUMS(d) SUMS_96(d, 0)
#else
#define SHAPE       "m64n256k8"
#define REGISTERS   REGISTERS_128
#define DESCRIPTORS "%128, %129"
#define FRAGMENT    "{%128, %129, %130, %131}, %132"
#define ALL_SUMS(d) SUMS_128(d, 0)
#endif

// d = a * b + KEEP * d for 64 x SPAN x 8, by four warps together; KEEP is "0" or "1". The sums are
// not there until wait() says so: SETTLE keeps the compiler from touching them in between.
#define MULTIPLY(d, a, b, KEEP)                                                                    \
    asm volatile(SPLICE("wgmma.mma_async.sync.aligned." SHAPE ".f32.tf32.tf32 {" REGISTERS         \
                        "}, " DESCRIPTORS ", " KEEP ", 1, 1;")                                     \
                 : ALL_SUMS(d)                                                                     \
                 : "l"(a), "l"(b)                                                                  \
                 : "memory")

// The same of a transposed tile with the first operand in four registers of each work-item.
#define MULTIPLY_FRAGMENT(d, x, b, KEEP)                                                           \
    asm volatile(SPLICE("wgmma.mma_async.sync.aligned." SHAPE ".f32.tf32.tf32 {" REGISTERS         \
                        "}, " FRAGMENT ", " KEEP ", 1, 1;")                                        \
                 : ALL_SUMS(d)                                                                     \
                 : "r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3]), "l"(b)                      \
                 : "memory")

#define SETTLE(d) asm volatile("" : ALL_SUMS(d)::"memory")
// Products read their registers until they are done, which the compiler cannot know: these are not
// reused before.
#define HOLD(x, y)                                                                                 \
    asm volatile("" ::"r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3]), "r"((y)[0]),             \
                 "r"((y)[1]), "r"((y)[2]), "r"((y)[3])                                             \
                 : "memory")

#define BEGIN()  asm volatile(SPLICE("wgmma.fence.sync.aligned;")::: "memory")
#define COMMIT() asm volatile(SPLICE("wgmma.commit_group.sync.aligned;")::: "memory")
#define WAIT(n)  asm volatile(SPLICE("wgmma.wait_group.sync.aligned " #n ";")::: "memory")

// What wgmma calls a matrix descriptor: lines of 128 bytes with 128-byte swizzle, eight of them
// every 1,024 bytes, from this address on, in units of 16 bytes.
INLINE ulong descriptor(uint address)
{
    return (ulong)((address & 0x3ffffu) >> 4) | (ulong)1 << 16 | (ulong)(1024 >> 4) << 32 |
           (ulong)1 << 62;
}

// ---- barriers in local memory, by their addresses ----------------------------------------------

INLINE void barrier_init(uint barrier, uint arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(barrier), "r"(arrivals)
                 : "memory");
}

// Waits for the end of the phase of this parity.
INLINE void barrier_wait(uint barrier, uint parity)
{
    uint is_over = 0;
    while (!is_over)
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n}\n"
                     : "=r"(is_over)
                     : "r"(barrier), "r"(parity)
                     : "memory");
}

INLINE void barrier_expect(uint barrier, uint bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(barrier),
                 "r"(bytes)
                 : "memory");
}

INLINE void barrier_arrive(uint barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(barrier) : "memory");
}

// Consecutive bytes, a multiple of 16. They count for the barrier's phase once they are there.
INLINE void copy(uint to, const GLOBAL float *from, uint bytes, uint barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "%2, [%3];\n" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// ---- bringing ----------------------------------------------------------------------------------

// Where the places for slabs, the maps and the barriers behind them, are.
#define PLACE(i)    (base + (i) * (uint)(STAGE * 4))
#define MAPS        (base + (uint)(stages * STAGE * 4))
#define FULL(i)     (MAPS + (uint)(mapped * 256) + (i)*8)
#define EMPTY(i)    (FULL(stages) + (i)*8)
#define IS_SPLIT(i) (EMPTY(stages) + (i)*8)

#if mapped

#define BOX (32 * SLAB) // floats of 32 columns of a slab of B

// Makes what CUDA calls a tensor map of 128 bytes of local memory that are zero: `height` x `width`
// floats, row-major, `box_height` rows of 32 at a time, with 128-byte swizzle; zeros beyond the
// edges. They become TF32 on the way, unless they are split later.
INLINE void make_map(ulong map, const GLOBAL float *data, uint width, uint height, uint box_height)
{
#define FIELD "tensormap.replace.tile."
    const ulong row_bytes = (ulong)width * 4;
    const uint box_width = SLAB, one = 1;
    asm volatile(SPLICE(FIELD "global_address.shared::cta.b1024.b64 [%0], %1;")::"l"(map), "l"(data)
                 : "memory");
    asm volatile(SPLICE(FIELD "rank.shared::cta.b1024.b32 [%0], %1;")::"l"(map), "r"(one)
                 : "memory");
    asm volatile(SPLICE(FIELD "box_dim.shared::cta.b1024.b32 [%0], 0, %1;")::"l"(map),
                 "r"(box_width)
                 : "memory");
    asm volatile(SPLICE(FIELD "box_dim.shared::cta.b1024.b32 [%0], 1, %1;")::"l"(map),
                 "r"(box_height)
                 : "memory");
    asm volatile(SPLICE(FIELD "global_dim.shared::cta.b1024.b32 [%0], 0, %1;")::"l"(map), "r"(width)
                 : "memory");
    asm volatile(SPLICE(FIELD "global_dim.shared::cta.b1024.b32 [%0], 1, %1;")::"l"(map),
                 "r"(height)
                 : "memory");
    asm volatile(SPLICE(FIELD "global_stride.shared::cta.b1024.b64 [%0], 0, %1;")::"l"(map),
                 "l"(row_bytes)
                 : "memory");
    asm volatile(SPLICE(FIELD "element_stride.shared::cta.b1024.b32 [%0], 0, %1;")::"l"(map),
                 "r"(one)
                 : "memory");
    asm volatile(SPLICE(FIELD "element_stride.shared::cta.b1024.b32 [%0], 1, %1;")::"l"(map),
                 "r"(one)
                 : "memory");
#if CORRECTED // floats, or TF32
    asm volatile(SPLICE(FIELD "elemtype.shared::cta.b1024.b32 [%0], 7;")::"l"(map) : "memory");
#else
    asm volatile(SPLICE(FIELD "elemtype.shared::cta.b1024.b32 [%0], 11;")::"l"(map) : "memory");
#endif
    asm volatile(SPLICE(FIELD "interleave_layout.shared::cta.b1024.b32 [%0], 0;")::"l"(map)
                 : "memory");
    asm volatile(SPLICE(FIELD "swizzle_mode.shared::cta.b1024.b32 [%0], 3;")::"l"(map) : "memory");
    asm volatile(SPLICE(FIELD "fill_mode.shared::cta.b1024.b32 [%0], 0;")::"l"(map) : "memory");
#undef FIELD
}

// A sub-group (warp) hands a map on to global memory, from where alone it can be used.
INLINE void publish_map(GLOBAL float *to, ulong map)
{
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%0], [%1], 128;\n" ::"l"(to),
        "l"(map)
        : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;\n" ::"l"(to) : "memory");
}

// One box. Its bytes count for the barrier's phase once they are there.
INLINE void copy_box(uint to, const GLOBAL float *map, int x, int y, uint barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];\n" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

// A sub-group (warp) brings the slabs of all tiles of this work-group: one of its work-items does.
INLINE void bring_all(LOCAL float *slabs, uint base, const GLOBAL float *A, const GLOBAL float *B,
                      GLOBAL float *maps, int lane)
{
    GLOBAL float *map_a = maps + GROUP_ID(0) * 64, *map_b = map_a + 32;
    slabs[stages * STAGE + lane] = 0.0f;
    slabs[stages * STAGE + 32 + lane] = 0.0f;
    TOGETHER();
    if (lane < 2)
        make_map(MAPS + lane * 128, lane == 0 ? A : B, lane == 0 ? K : N, lane == 0 ? M : K,
                 lane == 0 ? tile_m : SLAB);
    TOGETHER();
    publish_map(map_a, MAPS);
    publish_map(map_b, MAPS + 128);
    if (lane > 0)
        return;

    uint now = 0, parity = 0;
    for (int at = GROUP_ID(0); at < WORK; at += GROUP_COUNT(0)) {
        int down, across;
        place_of(at, &down, &across);
#pragma unroll 1
        for (int slab = 0; slab < SLABS; slab++) {
            barrier_wait(EMPTY(now), parity ^ 1); // at first there is no phase to wait for
            barrier_expect(FULL(now), (A_PART + B_PART) * 4);
            copy_box(PLACE(now), map_a, slab * SLAB, down * tile_m, FULL(now));
#pragma unroll
            for (int i = 0; i < tile_n / 32; i++)
                copy_box(PLACE(now) + (PARTS * A_PART + i * BOX) * 4, map_b,
                         across * tile_n + i * 32, slab * SLAB, FULL(now));
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
            copy(PLACE(now), a, PARTS * A_PART * 4, FULL(now));
            copy(PLACE(now) + PARTS * A_PART * 4, b, PARTS * B_PART * 4, FULL(now));
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
    const GLOBAL float *RESTRICT A, const GLOBAL float *RESTRICT B, GLOBAL float *RESTRICT maps

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

KERNEL GROUP_OF(THREADS) void matmul_tensor(GLOBAL float *RESTRICT C, OPERANDS)
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
#ifdef OF_COPYING
        asm volatile(SPLICE("setmaxnreg.dec.sync.aligned.u32 " OF_COPYING ";")::: "memory");
#endif
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
#ifdef OF_MULTIPLY
        asm volatile(SPLICE("setmaxnreg.inc.sync.aligned.u32 " OF_MULTIPLY ";")::: "memory");
#endif
        const int lane = thread % 32, warp = thread / 32 % 4;
#if mapped
        const ulong from_a = descriptor(base);
        const int box = four * 2 + warp / 2;
        const int chunk = lane / 8 % 2 * 4 + lane / 16 + warp % 2 * 2, pair = lane / 4 % 2;
        const int at_b =
            PARTS * A_PART + box * BOX + lane % 4 * SLAB + (chunk ^ lane % 4) * 4 + pair * 2;
#else
        const ulong from_a = descriptor(base + four * 64 * 128);
        const ulong from_b = descriptor(base + PARTS * A_PART * 4);
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
                store_pair(C, row + i * 2, column, acc[i], acc[i + 2]);
                store_pair(C, row + i * 2 + 1, column, acc[i + 1], acc[i + 3]);
            }
#else
            const size_t row = (size_t)down * tile_m + four * 64 + warp * 16 + lane / 4;
            const size_t column = (size_t)across * tile_n + lane % 4 * 2;
#pragma unroll
            for (int i = 0; i < SUMS; i += 4) {
                store_pair(C, row, column + i * 2, acc[i], acc[i + 1]);
                store_pair(C, row + 8, column + i * 2, acc[i + 2], acc[i + 3]);
            }
#endif
        }
    }
}
