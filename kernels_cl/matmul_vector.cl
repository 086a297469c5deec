// Matrix multiplication for CPUs: explicit vectors, a tile of C in registers per work-item, no local
// memory, no barrier.
//
//   C = ALPHA * A * B + BETA * C; A is M x K, B is K x N, C is M x N floats, row-major.
//
// What a CPU wants is the opposite of what a GPU wants. Its vectors are wide and explicit, it has a
// cache where a GPU has local memory, and a barrier costs it a loop over all work-items with every
// private variable kept in memory. So one work-item computes `rows` x `vectors` vectors of C in
// registers, and work-items do not speak with each other at all:
//
//   for k:  b[v]      = `vectors` vectors of row k of B
//           acc[r][v] += A[row + r][k] * b[v]      for each r: one element of A, in all lanes
//
// Each step costs `vectors` loads and `rows` broadcasts for rows * vectors multiply-adds. The tile must
// fit the registers: of 32 with AVX-512, 16 without; the compiler spills what does not.
//
// What is left is the memory. Down a column of B the rows lie N floats apart. When N is a power of two
// they fall into the same few sets of the cache and evict each other: pack_b copies B into panels as
// wide as a tile, one row of the panel behind the other, so that the loop reads memory in order. pack_a
// does the same with `rows` rows of A, element by element as the loop wants them. Both are kernels of
// this program which run first, and their time counts.
//
// Where TILE_COLUMNS does not divide N, the last tile of a row lies further left, over columns of the one before
// it, which it computes and does not store: so all loads are of whole vectors, at the edge, too.
//
// group_x and group_y say how many tiles next to each other and below each other one work-group
// computes, one after the other on one core: they share rows of A and panels of B in that core's cache.
// columns_first says along which side of C the work-groups are numbered, and so in which order they run.
//
// The words, OpenCL beside CUDA: get_global_id(0) = blockIdx.x * blockDim.x + threadIdx.x; vload4 has no
// counterpart there but a cast to float4 *, which wants aligned addresses. On a GPU this kernel
// runs and is slow: neighbouring work-items read whole tiles apart.

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define VECTOR       PASTE(float, vector_width)
#define LOAD(p)      PASTE(vload, vector_width)(0, p)
#define STORE(v, p)  PASTE(vstore, vector_width)(v, 0, p)

#define TILE_COLUMNS (vectors * vector_width)
#define TILES_DOWN   ((M + rows - 1) / rows)
#define TILES_ACROSS ((N + TILE_COLUMNS - 1) / TILE_COLUMNS)
#define IS_WIDE      (N >= TILE_COLUMNS) // else there is one tile, with fewer columns than it has room for

// The first column of a tile.
static size_t first_column(size_t tile_x)
{
    return IS_WIDE && tile_x == TILES_ACROSS - 1 ? N - TILE_COLUMNS : tile_x * TILE_COLUMNS;
}

// Panel p of B holds the columns of tile p, zeros beyond N: element (k, j) stands at
// [(p * K + k) * TILE_COLUMNS + j]. A work-item copies a row of one panel.
__kernel void pack_b_panels(__global float *restrict panels, const __global float *restrict B)
{
    const size_t k = get_global_id(0);
    const size_t panel = get_global_id(1);
    __global float *to = panels + (panel * K + k) * TILE_COLUMNS;
    const __global float *from = B + k * N + first_column(panel);

    if (IS_WIDE) {
        for (int v = 0; v < vectors; v++)
            STORE(LOAD(from + v * vector_width), to + v * vector_width);
    } else {
        for (size_t j = 0; j < TILE_COLUMNS; j++)
            to[j] = j < N ? from[j] : 0.0f;
    }
}

// Panel p of A holds its rows from p * rows on, zeros beyond M: element (r, k) stands at
// [(p * K + k) * rows + r]. A work-item copies `rows` elements, one below the other.
__kernel void pack_a_panels(__global float *restrict panels, const __global float *restrict A)
{
    const size_t k = get_global_id(0);
    const size_t panel = get_global_id(1);
    const size_t row = panel * rows;
    __global float *to = panels + (panel * K + k) * rows;

    for (size_t r = 0; r < rows; r++)
        to[r] = row + r < M ? A[(row + r) * K + k] : 0.0f;
}

// A vector of which only the first `count` elements are there to be read.
static VECTOR load_part(const __global float *from, int count)
{
    float part[vector_width];
    for (int i = 0; i < vector_width; i++)
        part[i] = i < count ? from[i] : 0.0f;
    return LOAD(part);
}

// Its elements from `first` on, before `end`.
static void store_part(VECTOR value, __global float *to, int first, int end)
{
    float part[vector_width];
    STORE(value, part);
    for (int i = first > 0 ? first : 0; i < vector_width && i < end; i++)
        to[i] = BETA != 0 ? (float)(ALPHA) * part[i] + (float)(BETA) * to[i] : (float)(ALPHA) * part[i];
}

static void store_whole(VECTOR value, __global float *to)
{
    VECTOR scaled = (float)(ALPHA) * value;
    if (BETA != 0)
        scaled += (float)(BETA) * LOAD(to);
    STORE(scaled, to);
}

// Adds the products of the tile's rows of A and columns of B to acc. at[r]: where row r of the tile begins
// in `a`, and step_a: from one k to the next.
static __attribute__((always_inline)) void multiply(VECTOR acc[rows][vectors], const __global float *a,
                                                    const size_t at[rows], size_t step_a,
                                                    const __global float *b, size_t step_b)
{
#pragma unroll unroll_k
    for (size_t k = 0; k < K; k++) {
        VECTOR row[vectors];
#pragma unroll
        for (int v = 0; v < vectors; v++) {
            const __global float *from = b + k * step_b + v * vector_width;
            row[v] = IS_WIDE || pack_b ? LOAD(from) : load_part(from, N - v * vector_width); // panels are padded
        }
#pragma unroll
        for (int r = 0; r < rows; r++) {
            const VECTOR element = (VECTOR)(a[at[r] + k * step_a]);
#pragma unroll
            for (int v = 0; v < vectors; v++)
                acc[r][v] = fma(element, row[v], acc[r][v]);
        }
    }
}

__kernel void matmul_vector(__global float *restrict C, const __global float *restrict A,
                            const __global float *restrict B, const __global float *restrict panels_a,
                            const __global float *restrict panels_b)
{
    const size_t tile_x = get_global_id(columns_first ? 0 : 1);
    const size_t tile_y = get_global_id(columns_first ? 1 : 0);
    if (tile_x >= TILES_ACROSS || tile_y >= TILES_DOWN)
        return; // a launch consists of whole work-groups

    const size_t row = tile_y * rows;
    const size_t column = first_column(tile_x);

    // Rows beyond M are computed from the last one and not stored.
    size_t at[rows];
#pragma unroll
    for (int r = 0; r < rows; r++)
        at[r] = pack_a ? tile_y * K * rows + r : (row + r < M ? row + r : M - 1) * K;
    const __global float *a = pack_a ? panels_a : A;
    const __global float *b = pack_b ? panels_b + tile_x * K * TILE_COLUMNS : B + column;
    const size_t step_a = pack_a ? rows : 1;
    const size_t step_b = pack_b ? TILE_COLUMNS : N;

    VECTOR acc[rows][vectors];
#pragma unroll
    for (int r = 0; r < rows; r++) {
#pragma unroll
        for (int v = 0; v < vectors; v++)
            acc[r][v] = (VECTOR)(0.0f);
    }
    multiply(acc, a, at, step_a, b, step_b);

    const int first = (int)(tile_x * TILE_COLUMNS - column); // those before are the tile's before
    const int end = IS_WIDE ? TILE_COLUMNS : N;
#pragma unroll
    for (int r = 0; r < rows; r++) {
#pragma unroll
        for (int v = 0; v < vectors; v++) {
            __global float *to = C + (row + r) * N + column + v * vector_width;
            const int before = v * vector_width;
            if (row + r < M && before >= first && before + vector_width <= end)
                store_whole(acc[r][v], to);
            else if (row + r < M)
                store_part(acc[r][v], to, first - before, end - before);
        }
    }
}
