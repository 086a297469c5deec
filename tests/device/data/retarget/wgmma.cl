// C = A * B on one warp group, by instructions that only sm_90a has. A is 64 x K, B K x 8, K a
// multiple of 8, all row-major floats, used as TF32.
//
// OpenCL C is compiled for sm_90, which has neither setmaxnreg nor wgmma. Each is a comment here;
// hone makes it the instruction in the PTX (`Retarget` of the spec). setmaxnreg counts only where
// the assembler knows how many registers the kernel starts with.

#define ENTRY(text)     "// hone-entry: " text "\n"
#define SPLICE(text)    "// hone-splice: " text "\n"
#define TEXT_OF(tokens) #tokens
#define TEXT(macro)     TEXT_OF(macro)

// Where 8 x 8 floats lie in local memory for wgmma, without swizzle: two matrices of 8 rows (n) by
// 16 bytes (4 of k), 128 bytes apart. A descriptor counts in units of 16 bytes.
#define DISTANCE ((ulong)(128 >> 4))

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void
wgmma(__global float *restrict C, const __global float *restrict A, const __global float *restrict B)
{
    __local float tile[64] __attribute__((aligned(128)));
    const int lane = get_local_id(0) % 32, warp = get_local_id(0) / 32;
    const int row = warp * 16 + lane / 4; // of this work-item's elements; also row + 8
    const ulong descriptor =
        (ulong)(((uint)tile & 0x3ffff) >> 4) | DISTANCE << 16 | DISTANCE << 32;
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;

    asm volatile(ENTRY(".maxnreg 64")
                 SPLICE("setmaxnreg.dec.sync.aligned.u32 " TEXT(REGISTERS) ";"));
#pragma unroll 1
    for (int k = 0; k < K; k += 8) {
        barrier(CLK_LOCAL_MEM_FENCE); // the tile is no longer read
        if (get_local_id(0) < 64) {
            const int n = get_local_id(0) % 8, j = get_local_id(0) / 8;
            tile[j / 4 * 32 + n * 4 + j % 4] = B[(k + j) * 8 + n];
        }
        asm volatile("fence.proxy.async;" ::: "memory"); // wgmma reads by another way
        barrier(CLK_LOCAL_MEM_FENCE);

        const uint a0 = as_uint(A[row * K + k + lane % 4]);
        const uint a1 = as_uint(A[(row + 8) * K + k + lane % 4]);
        const uint a2 = as_uint(A[row * K + k + lane % 4 + 4]);
        const uint a3 = as_uint(A[(row + 8) * K + k + lane % 4 + 4]);
        asm volatile(SPLICE("wgmma.fence.sync.aligned;")
                     SPLICE("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32")
                     SPLICE("  {%0, %1, %2, %3},")
                     SPLICE("  {%4, %5, %6, %7}, %8, 1, 1, 1;")
                     SPLICE("wgmma.commit_group.sync.aligned;")
                     SPLICE("wgmma.wait_group.sync.aligned 0;")
                     : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(descriptor)
                     : "memory");
    }
    C[row * 8 + lane % 4 * 2] = c0;
    C[row * 8 + lane % 4 * 2 + 1] = c1;
    C[(row + 8) * 8 + lane % 4 * 2] = c2;
    C[(row + 8) * 8 + lane % 4 * 2 + 1] = c3;
}
