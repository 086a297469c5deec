// Matrix multiplication by tensor cores, fp32 in and out: the body that matmul_tensor.cl and
// matmul_tensor.cu share. Each of the two says the words of its language first (KERNEL, GLOBAL,
// SPLICE ...).
//
//   C = ACTIVATION(ALPHA * A * B + BETA * C + bias) (epilogue.h); A is M x K, B is K x N, C is M x N
//   floats, row-major.
//
// A tensor core multiplies TF32 numbers: floats with 10 bits of mantissa instead of 23. There are
// two modes:
//
//   CORRECTED=0  A and B are rounded to TF32: errors of about 3e-4 (relative, in norm), as a
//   vendor's library
//                makes where TF32 is allowed.
//   CORRECTED=1  each number is the sum of two TF32 numbers, x = high + low, and a product is high
//   * high +
//                high * low + low * high: three times the work. What the three lose is below what
//                fp32 itself loses. But a tensor core adds with truncation, so sums over long k
//                would drift by 3e-5: sums over `run` steps of 8 begin at zero each time and are
//                added in ordinary registers.
//
// A slab is 32 of k of a tile, as it lies in local memory (shared memory): one line of 128 bytes
// per row of A (column of B), eight chunks of 16 bytes (4 floats); line r holds chunk c at place c
// ^ (r % 8). Eight lines read at the same chunk then fall into all banks. It is what wgmma calls a
// K-major operand with 128-byte swizzle, and what ldmatrix reads without conflict. Slabs come about
// in one of two ways, by `mapped`:
//
//   0  Two kernels pack A and B first: rounded or split, zeros beyond the edges, B transposed, slab
//   after slab. So the
//      main kernel copies from consecutive addresses and has no bounds to check but those of C.
//      Packing counts: it reads and writes A and B once (twice as much is written when they are
//      split), about 16 bytes per element of both.
//   1  Nothing is packed. Tensor maps let the hardware that copies cut the boxes out of A and B,
//   swizzle them, fill
//      in zeros and round to TF32. It cannot transpose B, and wgmma takes only its first operand
//      from registers: so a tile is computed as its transpose, B from registers, into which its
//      columns are read, and A from local memory. Corrected, B is split in registers and A by three
//      sub-groups (warps) in local memory. A map wants rows of whole 16 bytes: K and N multiples
//      of 4. CUDA programs make maps on the host; here each work-group makes its two at its start,
//      for OpenCL has no function for it.
//
// Then one of three `instruction`s:
//
//   portable   multiply-adds by each work-item: any device; right, not fast
//   mma_sync   a sub-group (warp) multiplies 16x8x8 with operands in registers; cp.async brings
//   `stages` slabs
//              ahead. From capability 8.0 on
//   wgmma      four warps multiply 64 x tile_n x 8 (mapped: tile_m) with operands in local memory.
//   One warp brings
//              the slabs by bulk copies, which need no register and no address arithmetic, and
//              barriers in local memory (mbarrier) that know how many bytes are still to come; the
//              others multiply. It is a persistent kernel: a work-group computes tile after tile,
//              and slabs of the next one arrive while the last one is stored. Capability 9.0 alone;
//              OpenCL needs the spec's Retarget for it.
//
// What did not work, on an H200 at n = 4096:
// - TF32, packed: two work-groups as a cluster, each bringing half of B's tile for both
// (multicast), took 693 us
//   instead of 426 in CUDA; NVIDIA's OpenCL launches no clusters (-9999).
// - TF32, not packed, with A brought by cp.async instead of a tensor map: 1.79 ms; what cp.async
// writes is not what
//   wgmma sees unless the writer waits for it and fences. With the map it is 343 us.
// - Corrected, mapped: 1.30 ms against 1.13 packed, since local memory is what both are short of
// (it wins below 2048).
//   Writing A's rounded high parts back, instead of leaving it to wgmma to ignore the lower 13
//   bits, took 1.52.
// - A sub-group that splits a whole slab by itself, so that three are under way, took 1.35 instead
// of 1.30.

#define portable 0
#define mma_sync 1
#define wgmma    2

#define SLAB    32 // of k; 128 bytes
#define PARTS   (CORRECTED ? 2 : 1)
#define SLABS   ((K + SLAB - 1) / SLAB)
#define TILES_M ((M + tile_m - 1) / tile_m)
#define TILES_N ((N + tile_n - 1) / tile_n)
#define A_PART  (tile_m * SLAB) // floats of one part of a slab
#define B_PART  (tile_n * SLAB)
#define STAGE   (PARTS * A_PART + (mapped ? 1 : PARTS) * B_PART) // of local memory, for a slab

// ---- packing -----------------------------------------------------------------------------------

// The nearest TF32 number, ties away from zero; infinities and NaNs as they are.
INLINE float to_tf32(float x)
{
    const uint bits = FLOAT_BITS(x);
    return (bits & 0x7f800000u) == 0x7f800000u ? x : BITS_FLOAT((bits + 0x1000u) & 0xffffe000u);
}

// What x is the sum of: nothing is left of an infinity, not a NaN.
INLINE void split(float x, float *high, float *low)
{
    *high = to_tf32(x);
    *low = x == *high ? 0.0f : to_tf32(x - *high);
}

// Writes a chunk, both parts of it, to line `line` of a slab whose parts are `part` floats apart.
INLINE void put_chunk(GLOBAL float *slab, int part, int line, int chunk, const float *x)
{
    GLOBAL float4 *to = (GLOBAL float4 *)(slab + line * SLAB + (chunk ^ (line & 7)) * 4);
    float high[4], low[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        split(x[i], high + i, low + i);
    *to = FLOAT4(high[0], high[1], high[2], high[3]);
#if CORRECTED
    to[part / 4] = FLOAT4(low[0], low[1], low[2], low[3]);
#endif
}

// A work-item packs a chunk: along x the chunks of a line, the lines of a slab, the slabs; along y
// the tiles.
KERNEL void pack_a_tiles(GLOBAL float *RESTRICT tiles, const GLOBAL float *RESTRICT A)
{
    const size_t x = GLOBAL_ID(0), tile = GLOBAL_ID(1);
    const int chunk = x % 8, line = x / 8 % tile_m;
    const size_t slab = x / (8 * tile_m), row = tile * tile_m + line, k = slab * SLAB + chunk * 4;
    float v[4] = {0.0f, 0.0f, 0.0f, 0.0f};

    if (row < M && K % 4 == 0 && k < K) {
        const float4 four = *(const GLOBAL float4 *)(A + row * K + k);
        v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
    } else if (row < M) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            v[i] = k + i < K ? A[row * K + k + i] : 0.0f;
    }
    put_chunk(tiles + (tile * SLABS + slab) * PARTS * A_PART, A_PART, line, chunk, v);
}

// The same of B, whose columns are the lines. 32 work-items read 8 columns of 16 rows and write
// half a line of each: whole sectors of 32 bytes on both sides.
KERNEL void pack_b_tiles(GLOBAL float *RESTRICT tiles, const GLOBAL float *RESTRICT B)
{
    const size_t x = GLOBAL_ID(0), tile = GLOBAL_ID(1);
    const int chunk = x / 8 % 8, line = x / 64 % (tile_n / 8) * 8 + x % 8;
    const size_t slab = x / (8 * tile_n), column = tile * tile_n + line,
                 k = slab * SLAB + chunk * 4;
    float v[4];

#pragma unroll
    for (int i = 0; i < 4; i++)
        v[i] = column < N && k + i < K ? B[(k + i) * N + column] : 0.0f;
    put_chunk(tiles + (tile * SLABS + slab) * PARTS * B_PART, B_PART, line, chunk, v);
}

// ---- what the ways have in common --------------------------------------------------------------

#define NUMBER float
#define ROUGH  0
#include "epilogue.h"

// Two elements of C next to each other.
INLINE float2 load_pair(const GLOBAL float *from, int both)
{
    if (N % 2 == 0)
        return *(const GLOBAL float2 *)from;
    return FLOAT2(from[0], both ? from[1] : 0.0f);
}

INLINE void store_pair(GLOBAL float *C, const GLOBAL float *bias, size_t row, size_t column,
                       float first, float second)
{
    GLOBAL float *to = C + row * N + column;
    const int both = N % 2 == 0 || column + 1 < N; // where N is even, at an even address
    float2 old = FLOAT2(0.0f, 0.0f), added = old;
    if (row >= M || column >= N)
        return;
    if (BETA != 0)
        old = load_pair(to, both);
    if (BIAS)
        added = load_pair(bias + column, both);
    first = finish((float)(ALPHA)*first, old.x, added.x);
    second = finish((float)(ALPHA)*second, old.y, added.y);
    if (N % 2 == 0) {
        *(GLOBAL float2 *)to = FLOAT2(first, second);
    } else {
        to[0] = first;
        if (both)
            to[1] = second;
    }
}

// The tiles in the order in which they are computed: down `group_m` tiles, then to the next column,
// so that those computed at the same time share tiles of A and of B in the cache.
INLINE void place_of(int at, int *down, int *across)
{
    const int per_group = group_m * TILES_N, first = at / per_group * group_m;
    const int height = TILES_M - first < group_m ? TILES_M - first : group_m;
    *down = first + at % per_group % height;
    *across = at % per_group / height;
}

#if instruction != wgmma

// ---- portable, mma_sync ------------------------------------------------------------------------

#define WARPS_DOWN   (tile_m / warp_m)
#define WARPS_ACROSS (tile_n / warp_n)
#define THREADS      (32 * WARPS_DOWN * WARPS_ACROSS)
#define BLOCKS_M     (warp_m / 16) // of 16 x 8 elements, of which each lane has four
#define BLOCKS_N     (warp_n / 8)

#if instruction == mma_sync

// Four matrices of 8 lines by a chunk: `address` is this lane's line.
INLINE void load_matrices(uint *r, uint address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

INLINE void multiply(float *c, const uint *a, const uint *b)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Part `bytes` of a slab that begins `to`: all of a work-group's threads, 16 bytes each.
INLINE void bring(uint to, const GLOBAL float *from, int floats, int thread)
{
#pragma unroll
    for (int i = 0; i < floats / 4; i += THREADS) {
        const int chunk = i + thread;
        if (floats / 4 % THREADS == 0 || chunk < floats / 4)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to + chunk * 16),
                         "l"(from + (size_t)chunk * 4)
                         : "memory");
    }
}

// Adds the products of one slab, which begins at the address `slab` in local memory.
INLINE void multiply_slab(float acc[BLOCKS_M][BLOCKS_N][4], uint slab, int row, int column,
                          int lane)
{
    // ldmatrix takes lines from lanes: of A rows 0-7, 8-15 of the first chunk, then of the second;
    // of B the two chunks of columns 0-7, then of 8-15.
    const uint line_a = row + lane % 16, line_b = column + lane / 16 * 8 + lane % 8;
    const uint from_a = slab + line_a * 128;
    const uint from_b = slab + A_PART * PARTS * 4 + line_b * 128;
    const uint swizzle = lane % 8, chunk_a = lane / 16, chunk_b = lane / 8 % 2;

#pragma unroll
    for (int step = 0; step < SLAB / 8; step += RUN) {
        uint a[BLOCKS_M][RUN][PARTS][4];
#pragma unroll
        for (int i = 0; i < BLOCKS_M; i++) {
#pragma unroll
            for (int r = 0; r < RUN; r++) {
#pragma unroll
                for (int p = 0; p < PARTS; p++)
                    load_matrices(a[i][r][p], from_a + p * A_PART * 4 + i * 16 * 128 +
                                                  ((chunk_a + (step + r) * 2) ^ swizzle) * 16);
            }
        }
#pragma unroll
        for (int j = 0; j < BLOCKS_N; j += 2) {
            uint b[RUN][PARTS][4];
#pragma unroll
            for (int r = 0; r < RUN; r++) {
#pragma unroll
                for (int p = 0; p < PARTS; p++)
                    load_matrices(b[r][p], from_b + p * B_PART * 4 + j * 8 * 128 +
                                               ((chunk_b + (step + r) * 2) ^ swizzle) * 16);
            }
#pragma unroll
            for (int n = 0; n < 2; n++) {
#pragma unroll
                for (int i = 0; i < BLOCKS_M; i++) {
#if CORRECTED
                    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
                    for (int r = 0; r < RUN; r++) { // the small ones first
                        multiply(sum, a[i][r][1], b[r][0] + n * 2);
                        multiply(sum, a[i][r][0], b[r][1] + n * 2);
                    }
#pragma unroll
                    for (int r = 0; r < RUN; r++)
                        multiply(sum, a[i][r][0], b[r][0] + n * 2);
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        acc[i][j + n][e] += sum[e];
#else
#pragma unroll
                    for (int r = 0; r < RUN; r++)
                        multiply(acc[i][j + n], a[i][r][0], b[r][0] + n * 2);
#endif
                }
            }
        }
    }
}

#else

// What stands at (line, k) of a slab.
INLINE float element(const LOCAL float *slab, int part, int line, int k)
{
    const LOCAL float *at = slab + line * SLAB + ((k / 4) ^ (line & 7)) * 4 + k % 4;
    return CORRECTED ? at[0] + at[part] : at[0];
}

#endif

KERNEL GROUP_OF(THREADS) void matmul_tensor(GLOBAL float *RESTRICT C,
                                            const GLOBAL float *RESTRICT tiles_a,
                                            const GLOBAL float *RESTRICT tiles_b,
                                            const GLOBAL float *RESTRICT bias)
{
    LOCAL_FLOATS(slabs, stages * STAGE, 128);
    const int thread = LOCAL_ID(0), warp = thread / 32, lane = thread % 32;
    const int row = warp % WARPS_DOWN * warp_m, column = warp / WARPS_DOWN * warp_n;
    int down, across;
    place_of(GROUP_ID(0), &down, &across);
    const GLOBAL float *a = tiles_a + (size_t)down * SLABS * PARTS * A_PART;
    const GLOBAL float *b = tiles_b + (size_t)across * SLABS * PARTS * B_PART;

    float acc[BLOCKS_M][BLOCKS_N][4];
#pragma unroll
    for (int i = 0; i < BLOCKS_M; i++) {
#pragma unroll
        for (int j = 0; j < BLOCKS_N; j++) {
#pragma unroll
            for (int e = 0; e < 4; e++)
                acc[i][j][e] = 0.0f;
        }
    }

#if instruction == mma_sync
    const uint base = LOCAL_ADDRESS(slabs);
#pragma unroll
    for (int s = 0; s < stages - 1; s++) {
        if (s < SLABS) {
            bring(base + s * STAGE * 4, a + (size_t)s * PARTS * A_PART, PARTS * A_PART, thread);
            bring(base + (s * STAGE + PARTS * A_PART) * 4, b + (size_t)s * PARTS * B_PART,
                  PARTS * B_PART, thread);
        }
        asm volatile("cp.async.commit_group;\n" ::: "memory");
    }
    int now = 0, next = stages - 1;
#pragma unroll 1
    for (int slab = 0; slab < SLABS; slab++) {
        // This slab is there, and everyone is done with the one whose place is filled now.
        asm volatile("cp.async.wait_group %0;\n" ::"n"(stages - 2) : "memory");
        BARRIER();
        if (slab + stages - 1 < SLABS) {
            const size_t ahead = slab + stages - 1;
            bring(base + next * STAGE * 4, a + ahead * PARTS * A_PART, PARTS * A_PART, thread);
            bring(base + (next * STAGE + PARTS * A_PART) * 4, b + ahead * PARTS * B_PART,
                  PARTS * B_PART, thread);
        }
        asm volatile("cp.async.commit_group;\n" ::: "memory");
        multiply_slab(acc, base + now * STAGE * 4, row, column, lane);
        now = now + 1 == stages ? 0 : now + 1;
        next = next + 1 == stages ? 0 : next + 1;
    }
#else
    for (int slab = 0; slab < SLABS; slab++) {
        const LOCAL float *lines_a = slabs, *lines_b = slabs + PARTS * A_PART;
        for (int i = thread; i < PARTS * A_PART; i += THREADS)
            slabs[i] = a[(size_t)slab * PARTS * A_PART + i];
        for (int i = thread; i < PARTS * B_PART; i += THREADS)
            slabs[PARTS * A_PART + i] = b[(size_t)slab * PARTS * B_PART + i];
        BARRIER();
        for (int k = 0; k < SLAB; k++) {
            float right[BLOCKS_N][2];
            for (int j = 0; j < BLOCKS_N; j++) {
                const int at = column + j * 8 + lane % 4 * 2;
                right[j][0] = element(lines_b, B_PART, at, k);
                right[j][1] = element(lines_b, B_PART, at + 1, k);
            }
            for (int i = 0; i < BLOCKS_M; i++) {
                const int at = row + i * 16 + lane / 4;
                const float upper = element(lines_a, A_PART, at, k);
                const float lower = element(lines_a, A_PART, at + 8, k);
                for (int j = 0; j < BLOCKS_N; j++) {
                    acc[i][j][0] += upper * right[j][0];
                    acc[i][j][1] += upper * right[j][1];
                    acc[i][j][2] += lower * right[j][0];
                    acc[i][j][3] += lower * right[j][1];
                }
            }
        }
        BARRIER();
    }
#endif

    const size_t first_row = (size_t)down * tile_m + row + lane / 4;
    const size_t first_column = (size_t)across * tile_n + column + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < BLOCKS_M; i++) {
#pragma unroll
        for (int j = 0; j < BLOCKS_N; j++) {
            store_pair(C, bias, first_row + i * 16, first_column + j * 8, acc[i][j][0],
                       acc[i][j][1]);
            store_pair(C, bias, first_row + i * 16 + 8, first_column + j * 8, acc[i][j][2],
                       acc[i][j][3]);
        }
    }
}

#else
#include "matmul_tensor_wgmma.h"
#endif
