// How tiles are brought on NVIDIA's capability 9.0, by PTX: barriers in local memory (shared memory)
// that count bytes, and tensor maps.
//
// A tensor map lets the hardware that copies cut a box out of a matrix, swizzle its lines of 128 bytes,
// and fill in zeros beyond the edges. Rows must be whole 16 bytes. CUDA programs make maps on the
// host; OpenCL has no function for it, so that a work-group makes its own, in local memory, and hands
// them on to global memory, from where alone they can be used. That takes 0.8 us on an H200.

// ---- registers ---------------------------------------------------------------------------------

// Registers of a work-item where CONSUMERS groups of four sub-groups (warps) multiply and one more
// copies, by tensor maps if `mapped`: when the kernel starts, of those that copy, of those that multiply. Together no more than the
// 65,536 of a multiprocessor.
#if CONSUMERS == 1
#define AT_START "255"
#elif CONSUMERS == 2
#define AT_START "168"
#if mapped
#define OF_COPYING  "24"
#define OF_MULTIPLY "240"
#else // work-items that copy compute addresses
#define OF_COPYING  "40"
#define OF_MULTIPLY "232"
#endif
#else
#define AT_START    "128"
#define OF_COPYING  "32"
#define OF_MULTIPLY "160"
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

// ---- tensor maps -------------------------------------------------------------------------------

// Makes a tensor map of 128 bytes of local memory that are zero: `height` x `width` numbers of 1, 2 or 8 bytes, row-major,
// 128 bytes of `box_height` rows at a time, with 128-byte swizzle.
INLINE void fill_map(ulong map, const GLOBAL void *data, uint width, uint height, uint box_height,
                     uint bytes)
{
#define REPLACE(field, at, value, bits, letter)                                                    \
    asm volatile(SPLICE("tensormap.replace.tile." field ".shared::cta.b1024.b" bits " [%0]" at     \
                        ", %1;")::"l"(map),                                                        \
                 letter(value)                                                                     \
                 : "memory")
    const ulong row_bytes = (ulong)width * bytes;
    const uint box_width = 128 / bytes, one = 1;
    REPLACE("global_address", "", data, "64", "l");
    REPLACE("rank", "", one, "32", "r");
    REPLACE("box_dim", ", 0", box_width, "32", "r");
    REPLACE("box_dim", ", 1", box_height, "32", "r");
    REPLACE("global_dim", ", 0", width, "32", "r");
    REPLACE("global_dim", ", 1", height, "32", "r");
    REPLACE("global_stride", ", 0", row_bytes, "64", "l");
    REPLACE("element_stride", ", 0", one, "32", "r");
    REPLACE("element_stride", ", 1", one, "32", "r");
    if (bytes == 1)
        REPLACE("elemtype", "", 0, "32", "n"); // so many bits, whatever they mean
    else if (bytes == 2)
        REPLACE("elemtype", "", 1, "32", "n");
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

// One box. Its bytes count for the barrier's phase once they are there.
INLINE void copy_box(uint to, const GLOBAL uint *map, int x, int y, uint barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];\n" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}
