// The body of matmul_simt, in words that matmul_simt.cl and matmul_simt.cu give a meaning. What it
// does and what its parameters mean stands in matmul_simt.cl; the spec derives from them ITEMS, the
// work-items of a work-group, TILE_M and TILE_N, the rows and columns of C that it computes at a
// time, SLOT, the floats of a step's two tiles, STEPS along k, TILES_M and TILES_N in C, and the
// tiles and work-groups (DEALT_TILES, DEALT_GROUPS) of stream_k.

#define LANES_M (32 / lanes_n)

// Of load_by.
#define BY_REGISTERS 0
#define STRAIGHT     1
#define BULK         2

// A slot holds A's and B's tiles of one step. A's is stored transposed, for each k its rows side by
// side, or (a_along_k) as it is, for each row its k side by side. A row of a tile that is not
// copied as it is has four floats more than it needs: they spread what 32 work-items access at once
// over the banks.
#if a_along_k
#define A_ROW    (step_k + 4)
#define A_FLOATS (TILE_M * A_ROW)
#else
#define A_ROW    (pack_a ? TILE_M : TILE_M + 4)
#define A_FLOATS (step_k * A_ROW)
#endif
#define B_FLOATS (step_k * TILE_N)

// Pieces of a tile that work-items copy, and their floats: four where rows of the matrix start at
// multiples of 16 bytes, as panels do. What goes straight into a transposed tile goes one by one.
#define WIDTH_A  (pack_a || (K % 4 == 0 && (load_by == BY_REGISTERS || a_along_k)) ? 4 : 1)
#define WIDTH_B  (pack_b || N % 4 == 0 ? 4 : 1)
#define PIECES_A (TILE_M * step_k / WIDTH_A)
#define PIECES_B (TILE_N * step_k / WIDTH_B)
#define SHARE_A  (PIECES_A / ITEMS) // pieces per work-item
#define SHARE_B  (PIECES_B / ITEMS)

#define WHOLE_A                                                                                    \
    (pack_a || (M % TILE_M == 0 && K % step_k == 0)) // no tile reaches beyond the matrix
#define WHOLE_B (pack_b || (N % TILE_N == 0 && K % step_k == 0))
#define WHOLE_C (M % TILE_M == 0 && N % TILE_N == 0)

// ---- from global to local memory
// ---------------------------------------------------------------------

// A piece: `width` floats, 1 or 4; zeros where they are not `inside`.
FUNCTION void load_piece(float *to, const GLOBAL float *from, int width, bool inside)
{
    if (width == 4) {
        float4 v = FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
        if (inside)
            v = *(const GLOBAL float4 *)from;
        to[0] = v.x;
        to[1] = v.y;
        to[2] = v.z;
        to[3] = v.w;
    } else {
        to[0] = inside ? from[0] : 0.0f;
    }
}

FUNCTION void store_piece(LOCAL float *to, const float *from, int width)
{
    if (width == 4)
        *(LOCAL float4 *)to = FLOAT4(from[0], from[1], from[2], from[3]);
    else
        to[0] = from[0];
}

#if ASYNC // cp.async: from compute capability 8.0 on
FUNCTION void copy_piece(LOCAL float *to, const GLOBAL float *from, int width, bool whole,
                         bool inside)
{
    if (width == 4 && whole)
        ASM("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(LOCAL_ADDRESS(to)),
            "l"(GLOBAL_ADDRESS(from))
            : "memory");
    else if (whole)
        ASM("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(LOCAL_ADDRESS(to)),
            "l"(GLOBAL_ADDRESS(from))
            : "memory");
    else if (width == 4)
        ASM("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(LOCAL_ADDRESS(to)),
            "l"(GLOBAL_ADDRESS(from)), "r"(inside ? 16 : 0)
            : "memory");
    else
        ASM("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(LOCAL_ADDRESS(to)),
            "l"(GLOBAL_ADDRESS(from)), "r"(inside ? 4 : 0)
            : "memory");
}
#else
FUNCTION void copy_piece(LOCAL float *to, const GLOBAL float *from, int width, bool whole,
                         bool inside)
{
    float held[4];
    load_piece(held, from, width, inside);
    store_piece(to, held, width);
}
#endif

// Copies under way are counted by steps, where there are any.
#if ASYNC && (load_by == STRAIGHT || !pack_a || !pack_b)
#define COPIES_COMMIT     ASM("cp.async.commit_group;" ::: "memory")
#define COPIES_WAIT(left) ASM("cp.async.wait_group %0;" ::"n"(left) : "memory")
#else
#define COPIES_COMMIT
#define COPIES_WAIT(left)
#endif

#if load_by == BULK // mbarriers and bulk copies: from compute capability 9.0 on
FUNCTION void mbarrier_init(LOCAL U64 *mbarrier, U32 arrivals)
{
    ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(LOCAL_ADDRESS(mbarrier)), "r"(arrivals)
        : "memory");
}

// What was initialised is there for bulk copies, too.
FUNCTION void mbarrier_init_fence(void)
{
    ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
    ASM("fence.proxy.async;" ::: "memory");
}

// Arrives, and has the phase wait for so many bytes.
FUNCTION void mbarrier_expect(LOCAL U64 *mbarrier, U32 bytes)
{
    ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(LOCAL_ADDRESS(mbarrier)),
        "r"(bytes)
        : "memory");
}

// Waits until the phase of this parity is complete: 0 is the first one.
FUNCTION void mbarrier_wait(LOCAL U64 *mbarrier, U32 parity)
{
    ASM("{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra complete;\n"
        "bra again;\n"
        "complete:\n"
        "}" ::"r"(LOCAL_ADDRESS(mbarrier)),
        "r"(parity)
        : "memory");
}

FUNCTION void bulk_copy(LOCAL float *to, const GLOBAL float *from, U32 bytes, LOCAL U64 *mbarrier)
{
    ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(LOCAL_ADDRESS(to)),
        "l"(GLOBAL_ADDRESS(from)), "r"(bytes), "r"(LOCAL_ADDRESS(mbarrier))
        : "memory");
}
#endif

// Work-items take pieces in turn, from rows of `across`. All these are powers of two, so that a
// work-item's nth piece lies a constant below and beside its first one, and a compiler that is told
// so makes one address of all of them.
#define ACROSS_A          (step_k / WIDTH_A)
#define ACROSS_B          (TILE_N / WIDTH_B)
#define BELOW(across, n)  ((n)*ITEMS / (across))
#define BESIDE(across, n) ((n)*ITEMS % (across))

// Where the nth piece goes to in the tile.
FUNCTION int place_in_a(int n, int item)
{
    const int row = item / ACROSS_A, k = item % ACROSS_A * WIDTH_A;
    if (pack_a)
        return item * WIDTH_A + n * (ITEMS * WIDTH_A);
    return a_along_k
               ? row * A_ROW + k + (BELOW(ACROSS_A, n) * A_ROW + BESIDE(ACROSS_A, n) * WIDTH_A)
               : k * A_ROW + row + (BESIDE(ACROSS_A, n) * WIDTH_A * A_ROW + BELOW(ACROSS_A, n));
}

FUNCTION int place_in_b(int n, int item)
{
    return item * WIDTH_B + n * (ITEMS * WIDTH_B);
}

// Where it comes from.
struct piece {
    const GLOBAL float *from;
    bool inside; // the matrix; if not, `from` can be read all the same
};

FUNCTION struct piece piece_of(const GLOBAL float *matrix, int rows, int columns, bool whole,
                               int first_row, int first_column, int across, int width, int n,
                               int item)
{
    const int row = first_row + item / across, column = first_column + item % across * width;
    struct piece piece;
    piece.inside =
        whole || (row + BELOW(across, n) < rows && column + BESIDE(across, n) * width < columns);
    piece.from = piece.inside ? matrix + ((size_t)row * columns + column) +
                                    ((size_t)BELOW(across, n) * columns + BESIDE(across, n) * width)
                              : matrix;
    return piece;
}

FUNCTION struct piece piece_of_a(const GLOBAL float *A, int tile, int step, int n, int item)
{
    if (pack_a) // a row for each tile
        return piece_of(A, TILES_M * STEPS, step_k * TILE_M, true, tile * STEPS + step, 0, PIECES_A,
                        WIDTH_A, n, item);
    return piece_of(A, M, K, WHOLE_A, tile * TILE_M, step * step_k, ACROSS_A, WIDTH_A, n, item);
}

FUNCTION struct piece piece_of_b(const GLOBAL float *B, int tile, int step, int n, int item)
{
    if (pack_b)
        return piece_of(B, TILES_N * STEPS, step_k * TILE_N, true, tile * STEPS + step, 0, PIECES_B,
                        WIDTH_B, n, item);
    return piece_of(B, K, N, WHOLE_B, step * step_k, tile * TILE_N, ACROSS_B, WIDTH_B, n, item);
}

#if load_by == BY_REGISTERS
// In two parts, so that what is under way from global memory arrives during the multiply-adds.
FUNCTION void fetch(float *held_a, float *held_b, const GLOBAL float *A, const GLOBAL float *B,
                    int tile_m, int tile_n, int step, int item)
{
    UNROLL
    for (int n = 0; n < SHARE_A; n++) {
        const struct piece piece = piece_of_a(A, tile_m, step, n, item);
        load_piece(held_a + n * WIDTH_A, piece.from, WIDTH_A, piece.inside);
    }
    UNROLL
    for (int n = 0; n < SHARE_B; n++) {
        const struct piece piece = piece_of_b(B, tile_n, step, n, item);
        load_piece(held_b + n * WIDTH_B, piece.from, WIDTH_B, piece.inside);
    }
}

// Stores what was fetched. A's pieces are turned over where its tile is transposed.
FUNCTION void put(LOCAL float *slot, const float *held_a, const float *held_b, int item)
{
    UNROLL
    for (int n = 0; n < SHARE_A; n++) {
        if (pack_a || a_along_k) {
            store_piece(slot + place_in_a(n, item), held_a + n * WIDTH_A, WIDTH_A);
        } else {
            UNROLL
            for (int i = 0; i < WIDTH_A; i++)
                slot[place_in_a(n, item) + i * A_ROW] = held_a[n * WIDTH_A + i];
        }
    }
    UNROLL
    for (int n = 0; n < SHARE_B; n++)
        store_piece(slot + A_FLOATS + place_in_b(n, item), held_b + n * WIDTH_B, WIDTH_B);
}
#else
// Has a slot filled: with bulk copies by one work-item where a tile is one piece of memory, else
// piece by piece by all of them.
FUNCTION void fill_slot(LOCAL float *slot, LOCAL U64 *full, const GLOBAL float *A,
                        const GLOBAL float *B, int tile_m, int tile_n, int step, int item)
{
#if load_by == BULK
    if (item == 0) {
        mbarrier_expect(full, ((pack_a ? A_FLOATS : 0) + (pack_b ? B_FLOATS : 0)) * 4);
        if (pack_a)
            bulk_copy(slot, A + ((size_t)tile_m * STEPS + step) * A_FLOATS, A_FLOATS * 4, full);
        if (pack_b)
            bulk_copy(slot + A_FLOATS, B + ((size_t)tile_n * STEPS + step) * B_FLOATS, B_FLOATS * 4,
                      full);
    }
#endif
#if load_by == STRAIGHT || !pack_a
    UNROLL
    for (int n = 0; n < SHARE_A; n++) {
        const struct piece piece = piece_of_a(A, tile_m, step, n, item);
        copy_piece(slot + place_in_a(n, item), piece.from, WIDTH_A, WHOLE_A, piece.inside);
    }
#endif
#if load_by == STRAIGHT || !pack_b
    UNROLL
    for (int n = 0; n < SHARE_B; n++) {
        const struct piece piece = piece_of_b(B, tile_n, step, n, item);
        copy_piece(slot + A_FLOATS + place_in_b(n, item), piece.from, WIDTH_B, WHOLE_B,
                   piece.inside);
    }
#endif
}
#endif

// ---- from local memory to registers
// ------------------------------------------------------------------

// Four neighbours at a time; `from` is where the work-item's first run begins, `apart`: floats
// between runs.
FUNCTION void read_runs(float *to, const LOCAL float *from, int count, int apart)
{
    UNROLL
    for (int i = 0; i < count; i += 4) {
        const float4 v = *(const LOCAL float4 *)(from + i / 4 * apart);
        to[i] = v.x;
        to[i + 1] = v.y;
        to[i + 2] = v.z;
        to[i + 3] = v.w;
    }
}

// Adds the products of item_m elements of A, `a_apart` from each other, and item_n of B.
FUNCTION void multiply(float (*acc)[item_n], const float *a, int a_apart, const float *b)
{
    UNROLL
    for (int j = 0; j < item_n; j++) {
        UNROLL
        for (int n = 0; n < item_m; n++) {
            const int i =
                j % 2 ? item_m - 1 - n : n; // back and forth: neighbours share two operands
            acc[i][j] = FMA(a[i * a_apart], b[j], acc[i][j]);
        }
    }
}

// ---- packing
// -----------------------------------------------------------------------------------------

#define K_PADDED (STEPS * step_k)

// Panel p of A holds TILE_M of its rows, transposed, zeros beyond M and K: element (row, k) stands
// at
// [(p * K_PADDED + k) * TILE_M + row]. So the tile of each step is one piece of memory. A
// work-group turns 32 x 32 elements over.
KERNEL(32 * 8) pack_a_panels(GLOBAL float *RESTRICT panels, const GLOBAL float *RESTRICT A)
{
    LOCAL_ARRAY float turned[32][33];
    const int x = LOCAL_ID % 32, y = LOCAL_ID / 32;
    const int first_k = GROUP_ID_X * 32, first_row = GROUP_ID_Y * 32;

    UNROLL
    for (int n = 0; n < 4; n++) {
        const int row = first_row + n * 8 + y, k = first_k + x;
        turned[n * 8 + y][x] = row < M && k < K ? A[(size_t)row * K + k] : 0.0f;
    }
    BARRIER;
    UNROLL
    for (int n = 0; n < 4; n++) {
        const int row = first_row + x, k = first_k + n * 8 + y;
        if (row < TILES_M * TILE_M && k < K_PADDED)
            panels[((size_t)(row / TILE_M) * K_PADDED + k) * TILE_M + row % TILE_M] =
                turned[x][n * 8 + y];
    }
}

// Panel p of B holds TILE_N of its columns: element (k, column) stands at
// [(p * K_PADDED + k) * TILE_N + column]. A work-item copies four neighbours.
KERNEL(256) pack_b_panels(GLOBAL float *RESTRICT panels, const GLOBAL float *RESTRICT B)
{
    const int piece = GROUP_ID_Y * 256 + LOCAL_ID; // of a row of all panels
    const int k = GROUP_ID_X;
    const int column = piece * 4;
    if (column >= TILES_N * TILE_N)
        return;
    GLOBAL float *to =
        panels + ((size_t)(column / TILE_N) * K_PADDED + k) * TILE_N + column % TILE_N;
    const GLOBAL float *from = B + (size_t)k * N + column;
    float held[4];
    UNROLL
    for (int i = 0; i < 4; i++)
        held[i] = 0.0f;
    if (N % 4 == 0) {
        if (k < K && column < N)
            load_piece(held, from, 4, true);
    } else {
        UNROLL
        for (int i = 0; i < 4; i++) {
            if (k < K && column + i < N)
                held[i] = from[i];
        }
    }
    *(GLOBAL float4 *)to = FLOAT4(held[0], held[1], held[2], held[3]);
}

// ---- to C
// ------------------------------------------------------------------------------------------

#define NUMBER float
#define ROUGH  0
#include "epilogue.h"

// Four neighbours of C, of which row and column say whether they are there.
FUNCTION void store_run(GLOBAL float *RESTRICT C, const GLOBAL float *RESTRICT bias, int row,
                        int column, float *sum)
{
    GLOBAL float *to = C + (size_t)row * N + column;
    float old[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (!WHOLE_C && (row >= M || column >= N))
        return;
    if (N % 4 == 0 && BETA != 0) {
        const float4 four = *(const GLOBAL float4 *)to;
        old[0] = four.x, old[1] = four.y, old[2] = four.z, old[3] = four.w;
    }
    UNROLL
    for (int e = 0; e < 4; e++) {
        if (N % 4 != 0 && column + e >= N)
            continue;
        if (N % 4 != 0 && BETA != 0)
            old[e] = to[e];
        sum[e] = finish((float)(ALPHA)*sum[e], old[e], BIAS ? bias[column + e] : 0.0f);
        if (N % 4 != 0)
            to[e] = sum[e];
    }
    if (N % 4 == 0)
        *(GLOBAL float4 *)to = FLOAT4(sum[0], sum[1], sum[2], sum[3]);
}

// Where a work-item's elements lie in the work-group's tile: columns in runs of four neighbours,
// rows likewise where A's tile is transposed.
struct place {
    int warp_m, warp_n; // of the sub-group's tile
    int lane_m, lane_n; // of the work-item in it
};

FUNCTION struct place place_of(int item)
{
    const int warp = item / 32, lane = item % 32;
    struct place place;
    place.warp_m = warp / warps_n;
    place.warp_n = warp % warps_n;
#if lane_map == 0 // row by row
    place.lane_m = lane / lanes_n;
    place.lane_n = lane % lanes_n;
#else // in columns of two
    place.lane_m = lane / 2 % LANES_M;
    place.lane_n = lane / (2 * LANES_M) * 2 + lane % 2;
#endif
    return place;
}

FUNCTION int row_of(struct place p, int i)
{
    return p.warp_m * (LANES_M * item_m) +
           (a_along_k ? i * LANES_M + p.lane_m : i / 4 * (4 * LANES_M) + p.lane_m * 4 + i % 4);
}

FUNCTION int column_of(struct place p, int j)
{
    return p.warp_n * (lanes_n * item_n) + j / 4 * (4 * lanes_n) + p.lane_n * 4 + j % 4;
}

// Work-groups that run at the same time share rows of A and columns of B in the cache: bands of
// `band` tile rows are gone through column by column.
FUNCTION void find_tile(int tile, int *tile_m, int *tile_n)
{
    const int first = tile / (band * TILES_N) * band;
    const int high = TILES_M - first < band ? TILES_M - first : band;
    const int within = tile % (band * TILES_N);
    *tile_m = first + within % high;
    *tile_n = within / high;
}

// ---- shared tiles
// ------------------------------------------------------------------------------------

#if DEALT_TILES > 0
// The steps of the first DEALT_TILES tiles, tile after tile, are dealt out to DEALT_GROUPS
// work-groups, equally many to each, however many tiles that makes: where each begins, and who has
// a step.
#define DEALT_STEPS (DEALT_TILES * STEPS)
#define DEALT_EACH  (DEALT_STEPS / DEALT_GROUPS)
#define DEALT_MORE  (DEALT_STEPS % DEALT_GROUPS) // so many of them have one more

FUNCTION int dealt_begin(int group)
{
    return group * DEALT_EACH + (group < DEALT_MORE ? group : DEALT_MORE);
}

FUNCTION int dealt_group(int step)
{
    const int longer = DEALT_MORE * (DEALT_EACH + 1);
    return step < longer ? step / (DEALT_EACH + 1) : DEALT_MORE + (step - longer) / DEALT_EACH;
}

// Sums of a part of a tile's steps wait in `parts`, two places for each work-group: for the tile
// that another one began, and for the one that another one ends. Element (i, j) of a work-item
// stands where neighbouring work-items write side by side.
#define PART(group, ended, i, j)                                                                   \
    ((((size_t)(group)*2 + (ended)) * (item_m * item_n / 4) + ((i)*item_n + (j)) / 4) * (ITEMS * 4))

// A work-group adds up row i of every work-item of a tile.
KERNEL(ITEMS)
add_parts(GLOBAL float *RESTRICT C, const GLOBAL float *RESTRICT parts,
          const GLOBAL float *RESTRICT bias)
{
    const int item = LOCAL_ID, tile = GROUP_ID_X, i = GROUP_ID_Y;
    const int first = dealt_group(tile * STEPS), last = dealt_group(tile * STEPS + STEPS - 1);
    if (first == last)
        return; // it has no parts

    float sum[item_n];
    UNROLL
    for (int j = 0; j < item_n; j++)
        sum[j] = 0.0f;
    for (int group = first; group <= last; group++) {
        const int ended = dealt_begin(group) > tile * STEPS;
        UNROLL
        for (int j = 0; j < item_n; j += 4) {
            const float4 v = *(const GLOBAL float4 *)(parts + PART(group, ended, i, j) + item * 4);
            sum[j] += v.x;
            sum[j + 1] += v.y;
            sum[j + 2] += v.z;
            sum[j + 3] += v.w;
        }
    }
    int tile_m, tile_n;
    find_tile(tile, &tile_m, &tile_n);
    const struct place place = place_of(item);
    UNROLL
    for (int j = 0; j < item_n; j += 4)
        store_run(C, bias, tile_m * TILE_M + row_of(place, i),
                  tile_n * TILE_N + column_of(place, j), sum + j);
}
#endif

// ---- the product
// -------------------------------------------------------------------------------------

#if load_by == BULK
#define NEXT_SLOT                                                                                  \
    do {                                                                                           \
        if (++slot == stages) {                                                                    \
            slot = 0;                                                                              \
            parity ^= 1;                                                                           \
        }                                                                                          \
    } while (0)
#define WAIT_FULL mbarrier_wait(&full[slot], parity)
#else
#define NEXT_SLOT (slot = slot + 1 == stages ? 0 : slot + 1)
#define WAIT_FULL
#endif

KERNEL_RESIDENT(ITEMS, resident)
matmul_simt(GLOBAL float *RESTRICT C, const GLOBAL float *RESTRICT A,
            const GLOBAL float *RESTRICT B, const GLOBAL float *RESTRICT panels_a,
            const GLOBAL float *RESTRICT panels_b, GLOBAL float *RESTRICT parts,
            const GLOBAL float *RESTRICT bias)
{
    LOCAL_SLOTS(slots);
    LIMIT_REGISTERS;
    const int item = LOCAL_ID;
    const struct place place = place_of(item);
    const GLOBAL float *const from_a = pack_a ? panels_a : A;
    const GLOBAL float *const from_b = pack_b ? panels_b : B;
    const int at_a = a_along_k ? row_of(place, 0) * A_ROW : row_of(place, 0);
    const int at_b = A_FLOATS + column_of(place, 0);
    int slot = 0; // of the present step
#if load_by == BY_REGISTERS
    float held_a[SHARE_A * WIDTH_A], held_b[SHARE_B * WIDTH_B];
#elif load_by == STRAIGHT
    LOCAL U64 *const full = 0;
#else
    LOCAL_ARRAY U64 full[stages];
    U32 parity = 0; // of the phase of full[slot] to be waited for
    if (item == 0) {
        for (int n = 0; n < stages; n++)
            mbarrier_init(&full[n], 1);
        mbarrier_init_fence();
    }
    BARRIER;
#endif

    // Steps, counted over all tiles: a whole tile's, or a share that begins and ends wherever.
    const int group = GROUP_ID_X;
#if DEALT_TILES > 0
    const bool shared = group < DEALT_GROUPS;
    int at = shared ? dealt_begin(group) : (group - DEALT_GROUPS + DEALT_TILES) * STEPS;
    const int end = shared ? dealt_begin(group + 1) : at + STEPS;
#pragma unroll 1
    while (at < end) {
        const int tile = at / STEPS;
        const int first_step = at % STEPS;
        const int end_step = end < (tile + 1) * STEPS ? end - tile * STEPS : STEPS;
        at += end_step - first_step;
        BARRIER; // nobody reads the tiles before any more
#else
    {
        const int tile = group;
        const int first_step = 0, end_step = STEPS;
#endif
        int tile_m, tile_n;
        find_tile(tile, &tile_m, &tile_n);

        float acc[item_m][item_n];
        UNROLL
        for (int i = 0; i < item_m; i++) {
            UNROLL
            for (int j = 0; j < item_n; j++)
                acc[i][j] = 0.0f;
        }

        // ---- the first steps' tiles
#if load_by == BY_REGISTERS
        fetch(held_a, held_b, from_a, from_b, tile_m, tile_n, first_step, item);
        put(slots + slot * SLOT, held_a, held_b, item);
        BARRIER;
#else
        for (int n = 0, fill = slot; n < stages; n++) {
            if (first_step + n < end_step)
                fill_slot(slots + fill * SLOT, full + fill, from_a, from_b, tile_m, tile_n,
                          first_step + n, item);
            COPIES_COMMIT;
            fill = fill + 1 == stages ? 0 : fill + 1;
        }
        COPIES_WAIT(stages - 1);
        WAIT_FULL;
        BARRIER;
#endif

#if !a_along_k
        float a[fragments][item_m], b[fragments][item_n];
#if fragments == 2
        read_runs(a[0], slots + slot * SLOT + at_a, item_m, 4 * LANES_M);
        read_runs(b[0], slots + slot * SLOT + at_b, item_n, 4 * lanes_n);
#endif
#endif

#pragma unroll 1
        for (int step = first_step; step < end_step; step++) {
            const LOCAL float *now_a = slots + slot * SLOT + at_a;
            const LOCAL float *now_b = slots + slot * SLOT + at_b;
            const bool more = step + 1 < end_step;
#if load_by == BY_REGISTERS
            if (more)
                fetch(held_a, held_b, from_a, from_b, tile_m, tile_n, step + 1, item);
#endif

#pragma unroll 1
            for (int k = 0; k < step_k; k += unroll_k) {
#if a_along_k
                float a[item_m][4], b[item_n];
#endif
                UNROLL
                for (int u = 0; u < unroll_k; u++) {
#if a_along_k
                    if (u % 4 == 0) {
                        UNROLL
                        for (int i = 0; i < item_m; i++)
                            read_runs(a[i], now_a + i * LANES_M * A_ROW + u, 4, 0);
                    }
                    read_runs(b, now_b + u * TILE_N, item_n, 4 * lanes_n);
                    multiply(acc, &a[0][u % 4], 4, b);
#elif fragments == 1
                    read_runs(a[0], now_a + u * A_ROW, item_m, 4 * LANES_M);
                    read_runs(b[0], now_b + u * TILE_N, item_n, 4 * lanes_n);
                    multiply(acc, a[0], 1, b[0]);
#else
                if (u + 1 < unroll_k || k + unroll_k < step_k) {
                    read_runs(a[(u + 1) % 2], now_a + (u + 1) * A_ROW, item_m, 4 * LANES_M);
                    read_runs(b[(u + 1) % 2], now_b + (u + 1) * TILE_N, item_n, 4 * lanes_n);
                    multiply(acc, a[u % 2], 1, b[u % 2]);
                }
#endif
                }
                now_a += a_along_k ? unroll_k : unroll_k * A_ROW;
                now_b += unroll_k * TILE_N;
            }

            // ---- on to the next step
#if load_by == BY_REGISTERS
            if (more) {
                if (stages == 1)
                    BARRIER;
                slot = stages == 1 ? 0 : 1 - slot;
                put(slots + slot * SLOT, held_a, held_b, item);
                BARRIER;
            }
#else
            const int empty = slot;
            NEXT_SLOT;
            if (more) {
                COPIES_WAIT(stages - 2);
                BARRIER; // all of the next slot is there, and nobody reads this one any more
                WAIT_FULL;
            }
#endif
#if !a_along_k && fragments == 2
            // The next step's first fragments are read while the last of this one are multiplied.
            if (more) {
                read_runs(a[0], slots + slot * SLOT + at_a, item_m, 4 * LANES_M);
                read_runs(b[0], slots + slot * SLOT + at_b, item_n, 4 * lanes_n);
            }
#endif
#if load_by != BY_REGISTERS
            if (step + stages < end_step)
                fill_slot(slots + empty * SLOT, full + empty, from_a, from_b, tile_m, tile_n,
                          step + stages, item);
            COPIES_COMMIT;
#endif
#if !a_along_k && fragments == 2
            multiply(acc, a[1], 1, b[1]);
#endif
        }

#if DEALT_TILES > 0
        if (first_step > 0 || end_step < STEPS) {
            UNROLL
            for (int i = 0; i < item_m; i++) {
                UNROLL
                for (int j = 0; j < item_n; j += 4)
                    *(GLOBAL float4 *)(parts + PART(group, first_step > 0, i, j) + item * 4) =
                        FLOAT4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
            }
            continue;
        }
#endif
        UNROLL
        for (int i = 0; i < item_m; i++) {
            UNROLL
            for (int j = 0; j < item_n; j += 4)
                store_run(C, bias, tile_m * TILE_M + row_of(place, i),
                          tile_n * TILE_N + column_of(place, j), acc[i] + j);
        }
    }
}
