// Kernels that compute C in tiles of tile_m x tile_n share this: the order of the tiles, and a way to
// compute one that any device takes, right, not fast.

#define TILES_M ((M + tile_m - 1) / tile_m)
#define TILES_N ((N + tile_n - 1) / tile_n)
#define WORK    (TILES_M * TILES_N)

// The tiles in the order in which they are computed: down `group_m` tiles, then to the next column,
// so that those computed at the same time share tiles of A and of B in the cache.
INLINE void place_of(int at, int *down, int *across)
{
    const int per_group = group_m * TILES_N, first = at / per_group * group_m;
    const int height =
        TILES_M % group_m == 0 || TILES_M - first > group_m ? group_m : TILES_M - first;
    *down = first + at % per_group % height;
    *across = at % per_group / height;
}

// The product of a tile by 256 work-items, in terms of
//
//   NUMBER, LOCAL_NUMBERS    the type of sums, and local memory of it (LOCAL_FLOATS ...)
//   A_AT, B_AT, C_AT, PUT    elements of the matrices
//   BIAS_AT                  the bias of a column
//   FACTOR                   of the product; epilogue.h says what else becomes of it
#define SLICE 16 // of k in local memory at a time
#define ROWS  (tile_m / 16)
#define WIDTH (tile_n / 16) // each of 16 x 16 work-items computes ROWS x WIDTH elements, 16 apart

#define PORTABLE_PRODUCT                                                                           \
    LOCAL_NUMBERS(slice, SLICE *(tile_m + tile_n), 128);                                           \
    const int thread = LOCAL_ID(0), x = thread % 16, y = thread / 16;                              \
    int down, across;                                                                              \
    NUMBER sum[ROWS][WIDTH];                                                                       \
    place_of(GROUP_ID(0) % WORK, &down, &across);                                                  \
    for (int i = 0; i < ROWS; i++) {                                                               \
        for (int j = 0; j < WIDTH; j++)                                                            \
            sum[i][j] = 0;                                                                         \
    }                                                                                              \
    for (int first = 0; first < K; first += SLICE) {                                               \
        for (int e = thread; e < SLICE * tile_m; e += 256) {                                       \
            const size_t row = (size_t)down * tile_m + e / SLICE, k = first + e % SLICE;           \
            slice[e % SLICE * tile_m + e / SLICE] = row < M && k < K ? A_AT(row, k) : 0;           \
        }                                                                                          \
        for (int e = thread; e < SLICE * tile_n; e += 256) {                                       \
            const size_t column = (size_t)across * tile_n + e % tile_n, k = first + e / tile_n;    \
            slice[SLICE * tile_m + e] = column < N && k < K ? B_AT(k, column) : 0;                 \
        }                                                                                          \
        BARRIER();                                                                                 \
        for (int k = 0; k < SLICE; k++) {                                                          \
            for (int i = 0; i < ROWS; i++) {                                                       \
                const NUMBER a = slice[k * tile_m + i * 16 + y];                                   \
                for (int j = 0; j < WIDTH; j++)                                                    \
                    sum[i][j] += a * slice[SLICE * tile_m + k * tile_n + j * 16 + x];              \
            }                                                                                      \
        }                                                                                          \
        BARRIER();                                                                                 \
    }                                                                                              \
    for (int i = 0; i < ROWS; i++) {                                                               \
        for (int j = 0; j < WIDTH; j++) {                                                          \
            const size_t row = (size_t)down * tile_m + i * 16 + y;                                 \
            const size_t column = (size_t)across * tile_n + j * 16 + x, at = row * N + column;     \
            if (row < M && column < N)                                                             \
                PUT(at, finish(FACTOR *sum[i][j], BETA != 0 ? C_AT(at) : 0,                        \
                               BIAS ? BIAS_AT(column) : 0));                                       \
        }                                                                                          \
    }
