// Matrix multiplication in fp32 for GPUs: as much of the rate of their multiply-adds as a tuner finds.
//
//   C = ACTIVATION(ALPHA * A * B + BETA * C + bias); A is M x K, B is K x N, C is M x N floats, row-major. Any M, N, K.
//
// What bounds it. A multiprocessor starts one instruction per cycle and quarter, and a multiply-add of 32
// work-items is one: whatever else is in the loop takes the place of multiply-adds. So the loop must be little
// else, and never wait:
//
// - A work-item has item_m x item_n sums in registers. For each k it reads item_m elements of A's tile and
//   item_n of B's from local memory, four at a time: 8 x 8 is 64 multiply-adds for four reads.
// - Tiles come in `stages` - 1 steps before they are needed, without passing through registers where the device
//   can do that: by asynchronous copies (cp.async), 16 bytes by each work-item, or by a bulk copy, one instruction
//   of one work-item for a whole tile (cp.async.bulk; an mbarrier counts the bytes).
// - A bulk copy wants a tile in one piece, and reads of four rows side by side want A's tile transposed. pack_a and
//   pack_b copy A and B into *panels* that are nothing but tiles in that order, padded with zeros, before the
//   product: kernels of this program, whose time counts. 4096 x 4096 elements take 40 us of 2.5 ms.
// - The step over step_k is unrolled unroll_k times, so that addresses are constants in the instructions.
// - Tiles of 128 x 128 at 4096 are 3.88 times what 132 multiprocessors work on at once, and take the time of four.
//   stream_k deals the steps of the last one to two rounds out to all equally (stream-k): who gets a part of a tile's steps
//   leaves its sums in `parts`, and a second kernel adds them up, always in the same order.
//
// The words, OpenCL beside CUDA: both are in matmul_simt.h, which speaks neither. This file and
// kernels_cu/matmul_simt.cu say what its words mean: __local = __shared__; barrier = __syncthreads();
// reqd_work_group_size = __launch_bounds__; a work-group's 32 work-items that execute in step = a warp. Local memory
// is an array here and dynamic shared memory there, where a static array ends at 48 KiB. NVIDIA's OpenCL reports
// 48 KiB, too, and takes arrays of up to 227 KiB on compute capability 9.0.
//
// Parameters:
//   item_m, item_n    rows and columns of C per work-item
//   step_k            elements along k per step, and
//   unroll_k          how many of them are one stretch of code
//   lanes_n           columns of work-items in a sub-group of 32, which has 32 / lanes_n rows
//   lane_map          their order: 0 row by row, 1 in columns of two
//   warps_m, warps_n  rows and columns of sub-groups in a work-group
//   stages            tiles of A and of B in local memory
//   load_by           0 through registers; 1 straight into local memory, asynchronously where the device can;
//                     2 packed ones by bulk copies, others as with 1
//   pack_a, pack_b    A and B are copied into panels first
//   a_along_k         A's tile stays as it is in A, and is read four k at a time
//   fragments         2: elements for the next k are read while those of this one are multiplied
//   band              work-groups go through C in bands of so many tile rows
//   stream_k          work-groups per compute unit that share the last rounds' steps; 0: each has a tile
//   resident          work-groups per multiprocessor that the compiler must leave registers for; 0: its choice
//
// Restrictions: bulk copies need compute capability 9.0 and a panel to copy, asynchronous ones fall back to loads and
// stores below 8.0. Code that is unrolled long is built in minutes on a CPU. There fragments=2 is left out where a step
// is several stretches of code, too: PoCL 3.1 makes code of it that computes something else (Oclgrind does not).
//
// What did not pay, on an H200 at 4096 (milliseconds with everything counted):
// - Slots given back by an mbarrier instead of the work-group's barrier: 3.10 against 2.80.
// - Larger register tiles: 16 x 8 and 8 x 16 with a sub-group per quarter and work-group have fewer other instructions
//   (4.5 % against 6 %) and take 2.70 against 2.54 of 8 x 8, whose 16 sub-groups hide what one waits for.
// - A as it is (a_along_k) saves the packing and takes 3.22 against 2.77 with 16 x 8; it is best at 1024.
// - The order of the multiply-adds (row by row, back and forth, by columns), the padding of a transposed tile, and loads
//   of 4 bytes where 16 will do were parameters: the first made no difference, the others lost or tied.

#define KERNEL(items)              __kernel __attribute__((reqd_work_group_size(items, 1, 1))) void
#define KERNEL_RESIDENT(items, by) KERNEL(items)
#define FUNCTION                   static inline __attribute__((always_inline))
#define INLINE                     FUNCTION
#define GLOBAL                     __global
#define LOCAL                      __local
#define LOCAL_ARRAY                __local
#define LOCAL_SLOTS(name)          __local float name[stages * SLOT] __attribute__((aligned(128)))
#define RESTRICT                   restrict
#define LOCAL_ID                   ((int)get_local_id(0))
#define GROUP_ID_X                 ((int)get_group_id(0))
#define GROUP_ID_Y                 ((int)get_group_id(1))
#define BARRIER                    barrier(CLK_LOCAL_MEM_FENCE)
#define UNROLL                     _Pragma("unroll")
#define FMA(a, b, c)               fma(a, b, c)
#define FLOAT4(x, y, z, w)         ((float4)(x, y, z, w))
#define U32                        uint
#define U64                        ulong
#define ASM                        __asm__ volatile
#define LOCAL_ADDRESS(p)           ((uint)(p))
#define GLOBAL_ADDRESS(p)          ((ulong)(p))

// NVIDIA's OpenCL has no word for it, but its PTX has: kernels_cl/README.md, "Instructions of one architecture".
#if resident > 0
#define TEXT_(x)        #x
#define TEXT(x)         TEXT_(x)
#define LIMIT_REGISTERS ASM("// hone-entry: .minnctapersm " TEXT(resident) "\n")
#else
#define LIMIT_REGISTERS
#endif

#include "matmul_simt.h"
