// What kernels for NVIDIA's capability 9.0 share, by PTX: wgmma, barriers in local memory (shared
// memory) that count bytes, and tensor maps.
//
// A tensor map lets the hardware that copies cut a box out of a matrix, swizzle its lines of 128 bytes,
// and fill in zeros beyond the edges. Rows must be whole 16 bytes. CUDA programs make maps on the
// host; OpenCL has no function for it, so that a work-group makes its own, in local memory, and hands
// them on to global memory, from where alone they can be used. That takes 0.8 us on an H200.
//
// In terms of
//
//   CONSUMERS  groups of four sub-groups (warps) that multiply; one more copies
//   LIGHT      those that copy need few registers
//   SPAN       wgmma alone: columns of its product, of 64 rows
//   DEPTH      "k16", say: so many of k at a time
//   TYPES      ".f32.bf16.bf16", say: of sums and of the two factors
//   STRAIGHT   what stands behind "are there sums": how the factors lie in local memory
//   MATRICES   how many lie behind each other in memory where a map has them
//   OF_FLOATS  the map's type of 4 bytes: 7 floats, 11 TF32, to which they are rounded on the way

// ---- registers ---------------------------------------------------------------------------------

// Registers of a work-item: when the kernel starts, of those that copy, of those that multiply.
// Together no more than the 65,536 of a multiprocessor.
#if CONSUMERS == 1
#define AT_START "255"
#elif CONSUMERS == 2
#define AT_START "168"
#if LIGHT
#define OF_COPYING  "24"
#define OF_MULTIPLY "240"
#else // work-items that copy compute addresses
#define OF_COPYING  "40"
#define OF_MULTIPLY "232"
#endif
#elif CONSUMERS == 3
#define AT_START    "128"
#define OF_COPYING  "32"
#define OF_MULTIPLY "160"
#else
#define AT_START    "96"
#define OF_COPYING  "24"
#define OF_MULTIPLY "112"
#endif

#if CONSUMERS == 1
#define FEWER_REGISTERS()
#define MORE_REGISTERS()
#else
#define FEWER_REGISTERS()                                                                          \
    asm volatile(SPLICE("setmaxnreg.dec.sync.aligned.u32 " OF_COPYING ";")::: "memory")
#define MORE_REGISTERS()                                                                           \
    asm volatile(SPLICE("setmaxnreg.inc.sync.aligned.u32 " OF_MULTIPLY ";")::: "memory")
#endif

// ---- wgmma -------------------------------------------------------------------------------------

#ifdef SPAN

// Names of the registers of an instruction, and the operands behind them.
#define NAMES_32                                                                                   \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"                         \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_48                                                                                   \
    NAMES_32                                                                                       \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define NAMES_64                                                                                   \
    NAMES_48                                                                                       \
    ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_96                                                                                   \
    NAMES_64                                                                                       \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"             \
    ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_128                                                                                  \
    NAMES_96                                                                                       \
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
#define SHAPE       "m64n64" DEPTH
#define REGISTERS   NAMES_32
#define DESCRIPTORS "%32, %33"
#define FRAGMENT    "{%32, %33, %34, %35}, %36"
#define ALL_SUMS(d) SUMS_32(d, 0)
#elif SPAN == 96
#define SHAPE       "m64n96" DEPTH
#define REGISTERS   NAMES_48
#define DESCRIPTORS "%48, %49"
#define FRAGMENT    "{%48, %49, %50, %51}, %52"
#define ALL_SUMS(d) SUMS_48(d, 0)
#elif SPAN == 128
#define SHAPE       "m64n128" DEPTH
#define REGISTERS   NAMES_64
#define DESCRIPTORS "%64, %65"
#define FRAGMENT    "{%64, %65, %66, %67}, %68"
#define ALL_SUMS(d) SUMS_64(d, 0)
#elif SPAN == 192
#define SHAPE       "m64n192" DEPTH
#define REGISTERS   NAMES_96
#define DESCRIPTORS "%96, %97"
#define FRAGMENT    "{%96, %97, %98, %99}, %100"
#define ALL_SUMS(d) SUMS_96(d, 0)
#else
#define SHAPE       "m64n256" DEPTH
#define REGISTERS   NAMES_128
#define DESCRIPTORS "%128, %129"
#define FRAGMENT    "{%128, %129, %130, %131}, %132"
#define ALL_SUMS(d) SUMS_128(d, 0)
#endif
#define SUMS (SPAN / 2) // registers of a work-item for 64 rows

// d = a * b + KEEP * d for 64 x SPAN x DEPTH, by four warps together; KEEP is "0" or "1". The sums
// are not there until WAIT says so: SETTLE keeps the compiler from touching them in between.
#define MULTIPLY(d, a, b, KEEP)                                                                    \
    asm volatile(SPLICE("wgmma.mma_async.sync.aligned." SHAPE TYPES " {" REGISTERS                 \
                        "}, " DESCRIPTORS ", " KEEP STRAIGHT)                                      \
                 : ALL_SUMS(d)                                                                     \
                 : "l"(a), "l"(b)                                                                  \
                 : "memory")

// The same with the first factor in four registers of each work-item.
#define MULTIPLY_FRAGMENT(d, x, b, KEEP)                                                           \
    asm volatile(SPLICE("wgmma.mma_async.sync.aligned." SHAPE TYPES " {" REGISTERS "}, " FRAGMENT  \
                        ", " KEEP STRAIGHT)                                                        \
                 : ALL_SUMS(d)                                                                     \
                 : "r"((x)[0]), "r"((x)[1]), "r"((x)[2]), "r"((x)[3]), "l"(b)                      \
                 : "memory")

#define SETTLE(d) asm volatile("" : ALL_SUMS(d)::"memory")
#define BEGIN()   asm volatile(SPLICE("wgmma.fence.sync.aligned;")::: "memory")
#define COMMIT()  asm volatile(SPLICE("wgmma.commit_group.sync.aligned;")::: "memory")
#define WAIT(n)   asm volatile(SPLICE("wgmma.wait_group.sync.aligned " #n ";")::: "memory")

// A matrix descriptor of wgmma: lines of 128 bytes with 128-byte swizzle, eight of them
// every 1,024 bytes, from this address on, in units of 16 bytes. `apart`: bytes from 64 columns to
// the next 64 where the lines are those of k.
INLINE ulong descriptor(uint address, uint apart)
{
    return (ulong)((address & 0x3ffffu) >> 4) | (ulong)(apart >> 4) << 16 |
           (ulong)(1024 >> 4) << 32 | (ulong)1 << 62;
}

#endif

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
INLINE void copy_bytes(uint to, const GLOBAL void *from, uint bytes, uint barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "%2, [%3];\n" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

// ---- tensor maps -------------------------------------------------------------------------------

#ifndef MATRICES
#define MATRICES 1
#endif
#ifndef OF_FLOATS
#define OF_FLOATS 7
#endif

// Makes a tensor map of 128 bytes of local memory that are zero: `height` x `width` numbers of so many
// bytes, row-major, 128 bytes of `box_height` rows at a time, with 128-byte swizzle.
INLINE void fill_map(ulong map, const GLOBAL void *data, uint width, uint height, uint box_height,
                     uint bytes)
{
#define REPLACE(field, at, value, bits, letter)                                                    \
    asm volatile(SPLICE("tensormap.replace.tile." field ".shared::cta.b1024.b" bits " [%0]" at     \
                        ", %1;")::"l"(map),                                                        \
                 letter(value)                                                                     \
                 : "memory")
    const ulong row_bytes = (ulong)width * bytes;
    const uint box_width = 128 / bytes, one = 1, rank = MATRICES > 1 ? 2 : 1;
    REPLACE("global_address", "", data, "64", "l");
    REPLACE("rank", "", rank, "32", "r");
    REPLACE("box_dim", ", 0", box_width, "32", "r");
    REPLACE("box_dim", ", 1", box_height, "32", "r");
    REPLACE("global_dim", ", 0", width, "32", "r");
    REPLACE("global_dim", ", 1", height, "32", "r");
    REPLACE("global_stride", ", 0", row_bytes, "64", "l");
    REPLACE("element_stride", ", 0", one, "32", "r");
    REPLACE("element_stride", ", 1", one, "32", "r");
#if MATRICES > 1
    const ulong matrix_bytes = row_bytes * height;
    const uint matrices = MATRICES;
    REPLACE("box_dim", ", 2", one, "32", "r");
    REPLACE("global_dim", ", 2", matrices, "32", "r");
    REPLACE("global_stride", ", 1", matrix_bytes, "64", "l");
    REPLACE("element_stride", ", 2", one, "32", "r");
#endif
    if (bytes == 1)
        REPLACE("elemtype", "", 0, "32", "n"); // so many bits, whatever they mean
    else if (bytes == 2)
        REPLACE("elemtype", "", 1, "32", "n");
    else if (bytes == 4)
        REPLACE("elemtype", "", OF_FLOATS, "32", "n");
    else
        REPLACE("elemtype", "", 4, "32", "n");
    REPLACE("interleave_layout", "", 0, "32", "n");
    REPLACE("swizzle_mode", "", 3, "32", "n");
    REPLACE("fill_mode", "", 0, "32", "n");
#undef REPLACE
}

// A sub-group (warp) makes a map in 128 bytes of local memory, `words` at `address`, and hands it on.
INLINE void make_map(LOCAL uint *words, uint address, const GLOBAL void *data, uint width,
                     uint height, uint box_height, uint bytes, GLOBAL uint *to, int lane)
{
    words[lane] = 0;
    TOGETHER();
    if (lane == 0)
        fill_map(address, data, width, height, box_height, bytes);
    TOGETHER();
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%0], [%1], 128;\n" ::"l"(to),
        "l"((ulong)address)
        : "memory");
}

// A changed map is seen from here on.
INLINE void see_map(const GLOBAL uint *map)
{
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;\n" ::"l"(map) : "memory");
}

// A box of matrix z. Its bytes count for the barrier's phase once they are there.
INLINE void copy_box(uint to, const GLOBAL uint *map, int x, int y, int z, uint barrier)
{
#if MATRICES > 1
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %5}], [%4];\n" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier), "r"(z)
                 : "memory");
#else
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];\n" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
#endif
}

// The same out of local memory, as a group of its own.
INLINE void store_box(uint from, const GLOBAL uint *map, int x, int y, int z)
{
#if MATRICES > 1
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %4}], [%3];\n"
                 "cp.async.bulk.commit_group;\n" ::"l"(map),
                 "r"(x), "r"(y), "r"(from), "r"(z)
                 : "memory");
#else
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;\n" ::"l"(map),
                 "r"(x), "r"(y), "r"(from)
                 : "memory");
#endif
}
