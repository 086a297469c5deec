// The third way of matmul_tensor.h: wgmma, of sm_90a alone. Included by it, and described there.

#define CONSUMERS (tile_m / 64) // groups of four warps, each of which computes 64 x tile_n of a tile
#define THREADS   (128 * (CONSUMERS + 1))
#define SUMS      (tile_n / 2) // registers of a work-item
#define WORK      (TILES_M * TILES_N)

// Registers of a work-item: when the kernel starts, of the warp that copies, of those that multiply. Together
// no more than the 65,536 of a multiprocessor.
#if tile_m == 64
#define AT_START "255"
#elif tile_m == 128
#define AT_START    "168"
#define OF_COPYING  "40"
#define OF_MULTIPLY "232"
#elif tile_m == 192
#define AT_START    "128"
#define OF_COPYING  "32"
#define OF_MULTIPLY "160"
#else
#define AT_START    "96"
#define OF_COPYING  "24"
#define OF_MULTIPLY "112"
#endif

// Names of the registers of an instruction, %0 to %127, and the operands behind them.
#define REGISTERS_32 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15" \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define REGISTERS_48 \
    REGISTERS_32 \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define REGISTERS_64 \
    REGISTERS_48 \
    ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define REGISTERS_96 \
    REGISTERS_64 \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
    ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define REGISTERS_128 \
    REGISTERS_96 \
    ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
    ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS_8(d, i) \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_16(d, i) SUMS_8(d, i), SUMS_8(d, i + 8)
#define SUMS_32(d, i) SUMS_16(d, i), SUMS_16(d, i + 16)
#define SUMS_48(d, i) SUMS_32(d, i), SUMS_16(d, i + 32)
#define SUMS_64(d, i) SUMS_32(d, i), SUMS_32(d, i + 32)
#define SUMS_96(d, i) SUMS_64(d, i), SUMS_32(d, i + 64)
#define SUMS_128(d, i) SUMS_64(d, i), SUMS_64(d, i + 64)

#if tile_n == 64
#define SHAPE         "m64n64k8"
#define REGISTERS     REGISTERS_32
#define DESCRIPTORS   "%32, %33"
#define ALL_SUMS(d)   SUMS_32(d, 0)
#elif tile_n == 96
#define SHAPE         "m64n96k8"
#define REGISTERS     REGISTERS_48
#define DESCRIPTORS   "%48, %49"
#define ALL_SUMS(d)   SUMS_48(d, 0)
#elif tile_n == 128
#define SHAPE         "m64n128k8"
#define REGISTERS     REGISTERS_64
#define DESCRIPTORS   "%64, %65"
#define ALL_SUMS(d)   SUMS_64(d, 0)
#elif tile_n == 192
#define SHAPE         "m64n192k8"
#define REGISTERS     REGISTERS_96
#define DESCRIPTORS   "%96, %97"
#define ALL_SUMS(d)   SUMS_96(d, 0)
#else
#define SHAPE         "m64n256k8"
#define REGISTERS     REGISTERS_128
#define DESCRIPTORS   "%128, %129"
#define ALL_SUMS(d)   SUMS_128(d, 0)
#endif

// d = a * b + KEEP * d for 64 x tile_n x 8, by four warps together; KEEP is "0" or "1". The sums are not there
// until wait() says so: SETTLE keeps the compiler from touching them in between.
#define MULTIPLY(d, a, b, KEEP)                                                                        \
    asm volatile(SPLICE("wgmma.mma_async.sync.aligned." SHAPE ".f32.tf32.tf32 {" REGISTERS             \
                        "}, " DESCRIPTORS ", " KEEP ", 1, 1;")                                         \
                 : ALL_SUMS(d)                                                                         \
                 : "l"(a), "l"(b)                                                                      \
                 : "memory")
#define SETTLE(d) asm volatile("" : ALL_SUMS(d)::"memory")
#define BEGIN()   asm volatile(SPLICE("wgmma.fence.sync.aligned;")::: "memory")
#define COMMIT()  asm volatile(SPLICE("wgmma.commit_group.sync.aligned;")::: "memory")
#define WAIT(n)   asm volatile(SPLICE("wgmma.wait_group.sync.aligned " #n ";")::: "memory")

// What wgmma calls a matrix descriptor: lines of 128 bytes with 128-byte swizzle, eight of them every 1,024
// bytes, from this address on, in units of 16 bytes.
INLINE ulong descriptor(uint address)
{
    return (ulong)((address & 0x3ffffu) >> 4) | (ulong)1 << 16 | (ulong)(1024 >> 4) << 32 | (ulong)1 << 62;
}

// ---- barriers in local memory, by their addresses ----------------------------------------------

INLINE void barrier_init(uint barrier, uint arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(barrier), "r"(arrivals) : "memory");
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
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

INLINE void barrier_arrive(uint barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(barrier) : "memory");
}

// Consecutive bytes, a multiple of 16. They count for the barrier's phase once they are there.
INLINE void copy(uint to, const GLOBAL float *from, uint bytes, uint barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(
                     to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// ---- the kernel --------------------------------------------------------------------------------

// Where the places for slabs, and the barriers behind them, are.
#define PLACE(i) (base + (i) * (uint)(STAGE * 4))
#define FULL(i)  (base + (uint)(stages * STAGE * 4) + (i) * 8)
#define EMPTY(i) (base + (uint)(stages * STAGE * 4 + stages * 8) + (i) * 8)

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

KERNEL GROUP_OF(THREADS) void matmul_tensor(GLOBAL float *RESTRICT C, const GLOBAL float *RESTRICT tiles_a,
                                            const GLOBAL float *RESTRICT tiles_b)
{
    LOCAL_FLOATS(slabs, stages * STAGE + stages * 4, 1024);
    const uint base = LOCAL_ADDRESS(slabs);
    const int thread = LOCAL_ID(0), four = thread / 128;

    ENTRY_DIRECTIVES();
    if (thread == 0) {
        for (uint i = 0; i < stages; i++) {
            barrier_init(FULL(i), 1);
            barrier_init(EMPTY(i), 4 * CONSUMERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
    }
    BARRIER();

    if (four == CONSUMERS) {
#ifdef OF_COPYING
        asm volatile(SPLICE("setmaxnreg.dec.sync.aligned.u32 " OF_COPYING ";")::: "memory");
#endif
        if (thread % 128 == 0)
            bring_all(base, tiles_a, tiles_b);
    } else {
#ifdef OF_MULTIPLY
        asm volatile(SPLICE("setmaxnreg.inc.sync.aligned.u32 " OF_MULTIPLY ";")::: "memory");
#endif
        const ulong from_a = descriptor(base + four * 64 * 128);
        const ulong from_b = descriptor(base + PARTS * A_PART * 4);
        const int lane = thread % 32, warp = thread / 32 % 4;
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
                const ulong a = from_a + offset, b = from_b + offset;
                barrier_wait(FULL(now), parity);
#pragma unroll
                for (int k = 0; k < SLAB / 8; k += RUN) {
                    float sum[SUMS];
                    BEGIN();
#pragma unroll
                    for (int r = 0; r < RUN; r++) { // the small ones first
                        if (r == 0)
                            MULTIPLY(sum, a + (k + r) * 2 + A_PART * 4 / 16, b + (k + r) * 2, "0");
                        else
                            MULTIPLY(sum, a + (k + r) * 2 + A_PART * 4 / 16, b + (k + r) * 2, "1");
                        MULTIPLY(sum, a + (k + r) * 2, b + (k + r) * 2 + B_PART * 4 / 16, "1");
                    }
#pragma unroll
                    for (int r = 0; r < RUN; r++)
                        MULTIPLY(sum, a + (k + r) * 2, b + (k + r) * 2, "1");
                    COMMIT();
                    WAIT(0);
                    SETTLE(sum);
                    if (k + RUN >= SLAB / 8 && lane == 0)
                        barrier_arrive(EMPTY(now));
#pragma unroll
                    for (int i = 0; i < SUMS; i++)
                        acc[i] += sum[i];
                }
                now = now + 1 == stages ? 0 : now + 1;
                parity ^= now == 0;
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
            const size_t row = (size_t)down * tile_m + four * 64 + warp * 16 + lane / 4;
            const size_t column = (size_t)across * tile_n + lane % 4 * 2;
#pragma unroll
            for (int i = 0; i < SUMS; i += 4) {
                store_pair(C, row, column + i * 2, acc[i], acc[i + 1]);
                store_pair(C, row + 8, column + i * 2, acc[i + 2], acc[i + 3]);
            }
        }
    }
}
