// Matrix multiplication for CPUs in C: what matmul_vector.cl does, with the compiler's vectors for
// OpenCL's and OpenMP's threads for its work-groups. The same parameters mean the same; that file says
// what they do and why.
//
//   C = ALPHA * A * B + BETA * C; A is M x K, B is K x N, C is M x N floats, row-major.
//
// A launch is one call: the loops over the tiles, which are OpenCL's work-items, stand here. A thread
// takes group_x x group_y tiles at a time, one after the other, as a work-group's items run on one core.

#include <string.h>

typedef float vector __attribute__((vector_size(4 * vector_width)));

#define TILE_COLUMNS  (vectors * vector_width)
#define TILES_DOWN    ((M + rows - 1) / rows)
#define TILES_ACROSS  ((N + TILE_COLUMNS - 1) / TILE_COLUMNS)
#define IS_WIDE       (N >= TILE_COLUMNS) // else there is one tile, with fewer columns than it has room for
#define GROUPS_DOWN   ((TILES_DOWN + group_y - 1) / group_y)
#define GROUPS_ACROSS ((TILES_ACROSS + group_x - 1) / group_x)
#define UNROLL_(n)    _Pragma(#n)
#define UNROLL(n)     UNROLL_(GCC unroll n)

static inline vector load(const float *from)
{
    vector value;
    memcpy(&value, from, sizeof value); // at any address
    return value;
}

static inline void store(vector value, float *to)
{
    memcpy(to, &value, sizeof value);
}

// The first column of a tile.
static inline size_t first_column(size_t tile_x)
{
    return IS_WIDE && tile_x == TILES_ACROSS - 1 ? N - TILE_COLUMNS : tile_x * TILE_COLUMNS;
}

// Panel p of B holds the columns of tile p, zeros beyond N: element (k, j) stands at
// [(p * K + k) * TILE_COLUMNS + j].
void pack_b_panels(float *restrict panels, const float *restrict B)
{
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < K; k++) {
        for (size_t panel = 0; panel < TILES_ACROSS; panel++) {
            const size_t count = IS_WIDE ? TILE_COLUMNS : N;
            float *to = panels + (panel * K + k) * TILE_COLUMNS;
            memcpy(to, B + k * N + first_column(panel), count * sizeof *to);
            memset(to + count, 0, (TILE_COLUMNS - count) * sizeof *to);
        }
    }
}

// Panel p of A holds its rows from p * rows on, zeros beyond M: element (r, k) stands at
// [(p * K + k) * rows + r].
void pack_a_panels(float *restrict panels, const float *restrict A)
{
#pragma omp parallel for schedule(static)
    for (size_t panel = 0; panel < TILES_DOWN; panel++) {
        for (size_t k = 0; k < K; k++) {
            for (size_t r = 0; r < rows; r++) {
                const size_t row = panel * rows + r;
                panels[(panel * K + k) * rows + r] = row < M ? A[row * K + k] : 0.0f;
            }
        }
    }
}

// A vector of which only the first `count` elements are there to be read.
static inline vector load_part(const float *from, int count)
{
    vector value = {0};
    for (int i = 0; i < vector_width && i < count; i++)
        value[i] = from[i];
    return value;
}

// Its elements from `first` on, before `end`.
static inline void store_part(vector value, float *to, int first, int end)
{
    for (int i = first > 0 ? first : 0; i < vector_width && i < end; i++)
        to[i] = BETA != 0 ? (float)(ALPHA)*value[i] + (float)(BETA)*to[i] : (float)(ALPHA)*value[i];
}

static inline void store_whole(vector value, float *to)
{
    vector scaled = (float)(ALPHA)*value;
    if (BETA != 0)
        scaled += (float)(BETA)*load(to);
    store(scaled, to);
}

// Adds the products of the tile's rows of A and columns of B to acc. at[r]: where row r of the tile begins
// in `a`, and step_a: from one k to the next.
static inline __attribute__((always_inline)) void multiply(vector acc[rows][vectors],
                                                           const float *a, const size_t at[rows],
                                                           size_t step_a, const float *b,
                                                           size_t step_b)
{
    UNROLL(unroll_k)
    for (size_t k = 0; k < K; k++) {
        vector row[vectors];
        UNROLL(16)
        for (int v = 0; v < vectors; v++) {
            const float *from = b + k * step_b + v * vector_width;
            row[v] = IS_WIDE || pack_b ? load(from) : load_part(from, N - v * vector_width); // panels are padded
        }
        UNROLL(16)
        for (int r = 0; r < rows; r++) {
            const float element = a[at[r] + k * step_a];
            UNROLL(16)
            for (int v = 0; v < vectors; v++)
                acc[r][v] += element * row[v]; // one operation, where the machine has it
        }
    }
}

static void multiply_tile(size_t tile_x, size_t tile_y, float *restrict C, const float *restrict A,
                          const float *restrict B, const float *restrict panels_a,
                          const float *restrict panels_b)
{
    const size_t row = tile_y * rows;
    const size_t column = first_column(tile_x);

    // Rows beyond M are computed from the last one and not stored.
    size_t at[rows];
    for (int r = 0; r < rows; r++)
        at[r] = pack_a ? tile_y * K * rows + r : (row + r < M ? row + r : M - 1) * K;
    const float *a = pack_a ? panels_a : A;
    const float *b = pack_b ? panels_b + tile_x * K * TILE_COLUMNS : B + column;
    const size_t step_a = pack_a ? rows : 1;
    const size_t step_b = pack_b ? TILE_COLUMNS : N;

    vector acc[rows][vectors] = {0};
    multiply(acc, a, at, step_a, b, step_b);

    const int first = (int)(tile_x * TILE_COLUMNS - column); // those before are the tile's before
    const int end = IS_WIDE ? TILE_COLUMNS : N;
    UNROLL(16)
    for (int r = 0; r < rows; r++) {
        UNROLL(16)
        for (int v = 0; v < vectors; v++) {
            float *to = C + (row + r) * N + column + v * vector_width;
            const int before = v * vector_width;
            if (row + r < M && before >= first && before + vector_width <= end)
                store_whole(acc[r][v], to);
            else if (row + r < M)
                store_part(acc[r][v], to, first - before, end - before);
        }
    }
}

void matmul_vector(float *restrict C, const float *restrict A, const float *restrict B,
                   const float *restrict panels_a, const float *restrict panels_b)
{
#pragma omp parallel for schedule(dynamic)
    for (size_t group = 0; group < GROUPS_DOWN * GROUPS_ACROSS; group++) {
        const size_t group_right = columns_first ? group % GROUPS_ACROSS : group / GROUPS_DOWN;
        const size_t group_down = columns_first ? group / GROUPS_ACROSS : group % GROUPS_DOWN;
        for (size_t tile = 0; tile < group_x * group_y; tile++) {
            const size_t x =
                group_right * group_x + (columns_first ? tile % group_x : tile / group_y);
            const size_t y =
                group_down * group_y + (columns_first ? tile / group_x : tile % group_y);
            if (x < TILES_ACROSS && y < TILES_DOWN)
                multiply_tile(x, y, C, A, B, panels_a, panels_b);
        }
    }
}
