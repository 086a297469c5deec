// Matrix multiplication, any size: two levels of blocking, shared memory and registers.
//
//   C = A * B; A is M x K, B is K x N, C is M x N floats, row-major.
//
// What it does. Level one: a block of block_size x block_size threads computes a tile of C with
// block_size * tx columns and block_size * ty rows. It walks along k in steps of tk; in each step
// all its threads together fetch a tile of A and a tile of B into shared memory. Level two: each
// thread keeps tx x ty sums in registers, and for every k it reads ty elements of A's tile and tx
// of B's and does tx * ty multiply-adds with them.
//
// Why it is faster than matmul_tiled:
//
// - The shape of the block, the depth of a step (tk) and the size of the register tile are chosen
//   independently. In matmul_tiled the step is as deep as the block is wide.
// - Elements of A's and B's tile are first read into registers, each once for every k.
// - The fetch is a job of its own: the tile is cut into pieces that are dealt out to all threads in
//   turn, whatever shape the block has. A piece is fetch_width elements wide, one load instruction
//   instead of fetch_width.
// - A's tile is stored transposed, so that what a thread reads for one k stands side by side, and
//   reads from shared memory can be as wide as four floats.
//
// The words, CUDA beside OpenCL: __shared__ = __local; local arrays whose loops are unrolled =
// registers; a load of a float4 = LDG.128; a warp (32 threads) = the work-items that execute in
// step; __syncthreads() = barrier(CLK_LOCAL_MEM_FENCE); __launch_bounds__ = reqd_work_group_size:
// it lets the compiler spend all registers that this size leaves.
//
// Parameters:
//   block_size    threads along each side of a block
//   tx, ty        columns and rows of C per thread
//   tk            elements along k per step
//   unroll_k      how often the loop over a step's k is unrolled
//   fetch_width   floats per load from global memory: 1, 2 or 4
//
// Restrictions: each thread has something to fetch (and all have equally much, because all
// parameters are powers of two); tx * ty * unroll_k is bounded, because the time to compile grows
// with it and the instruction cache does not.

#define ITEMS  (block_size * block_size) // threads of a block
#define TILE_X (block_size * tx)         // columns of C per block
#define TILE_Y (block_size * ty)         // rows of C per block
#define STEPS  ((K + tk - 1) / tk)       // steps along k, the last one perhaps partly filled

// A thread's columns come in runs of RUN_X neighbours, one run in each RUN_X * block_size columns;
// its rows likewise. So its reads from shared memory are up to four floats wide, and those of
// neighbouring threads still follow one another without a gap.
#define RUN_X     (tx < 4 ? tx : 4)
#define RUN_Y     (ty < 4 ? ty : 4)
#define COLUMN(j) ((j) / RUN_X * (RUN_X * block_size) + local_x * RUN_X + (j) % RUN_X)
#define ROW(i)    ((i) / RUN_Y * (RUN_Y * block_size) + local_y * RUN_Y + (i) % RUN_Y)

// A's tile is fetched along k and stored transposed, so neighbouring threads store to different
// rows of tile_a. Shared memory has 32 banks; with a row length that is a multiple of 32 those
// stores would all meet in one. The padding moves each row 32 / tk banks on, but at least RUN_Y, or
// the wide reads would not be aligned. (B's tile is stored as it is read: no padding.)
#define PADDING (32 / tk > RUN_Y ? 32 / tk : RUN_Y)

// #pragma unroll takes a constant expression, and CUDA's compilers expand no macros in it.
constexpr int UNROLL_K = unroll_k;

// What one load brings: fetch_width floats.
#if fetch_width == 1
typedef float piece_t;
#elif fetch_width == 2
typedef float2 piece_t;
#else
typedef float4 piece_t;
#endif

// The pieces of a tile are dealt out to the threads in turn, so many to each. The loop over them is
// unrolled so that several loads are under way at once.
#define PIECES_A (TILE_Y * tk / fetch_width)
#define PIECES_B (tk * TILE_X / fetch_width)

// Copies fetch_width elements of a matrix, from (row, column) on, into piece; zeros beyond its end,
// which add nothing to a sum. `inside`: the caller knows that the tile ends within the matrix.
// `rows` and `columns` are constants, so most of this is decided when the kernel is compiled.
// A wide load needs an address that is a multiple of its size: every row must then start at one.
// Where the row length forbids it the elements are loaded one by one.
static __device__ __forceinline__ void fetch(float *piece, const float *__restrict__ matrix,
                                             const int rows, const int columns, const int row,
                                             const int column, const bool inside)
{
    const float *__restrict__ from = matrix + (size_t)row * columns + column;
    if (inside || (row < rows && column + fetch_width <= columns)) {
        if (columns % fetch_width == 0) {
            *reinterpret_cast<piece_t *>(piece) = *reinterpret_cast<const piece_t *>(from);
        } else {
#pragma unroll
            for (int i = 0; i < fetch_width; i++)
                piece[i] = from[i];
        }
    } else {
#pragma unroll
        for (int i = 0; i < fetch_width; i++)
            piece[i] = row < rows && column + i < columns ? from[i] : 0.0f;
    }
}

extern "C" __global__ void __launch_bounds__(block_size * block_size)
    matmul_register(float *__restrict__ C, const float *__restrict__ A, const float *__restrict__ B)
{
    __shared__ __align__(16) float tile_a[tk][TILE_Y + PADDING]; // transposed
    __shared__ __align__(16) float tile_b[tk][TILE_X];

    const int local_x = threadIdx.x;
    const int local_y = threadIdx.y;
    const int item = local_y * block_size + local_x;
    const int first_column = blockIdx.x * TILE_X; // of the block's tile of C
    const int first_row = blockIdx.y * TILE_Y;

    float sum[ty][tx];
#pragma unroll
    for (int i = 0; i < ty; i++) {
#pragma unroll
        for (int j = 0; j < tx; j++)
            sum[i][j] = 0.0f;
    }

    for (int step = 0; step < STEPS; step++) {
        __align__(16) float piece[fetch_width];

        // Neighbouring threads take neighbouring pieces: of a row of A's tile (tk wide) ...
#pragma unroll 4
        for (int n = 0; n < PIECES_A / ITEMS; n++) {
            const int p = n * ITEMS + item;
            const int row = p / (tk / fetch_width);
            const int k = p % (tk / fetch_width) * fetch_width;
            fetch(piece, A, M, K, first_row + row, step * tk + k, M % TILE_Y + K % tk == 0);
#pragma unroll
            for (int i = 0; i < fetch_width; i++)
                tile_a[k + i][row] = piece[i];
        }
        // ... and of a row of B's tile (TILE_X wide).
#pragma unroll 4
        for (int n = 0; n < PIECES_B / ITEMS; n++) {
            const int p = n * ITEMS + item;
            const int k = p / (TILE_X / fetch_width);
            const int column = p % (TILE_X / fetch_width) * fetch_width;
            fetch(piece, B, K, N, step * tk + k, first_column + column,
                  K % tk + N % TILE_X == 0);
#pragma unroll
            for (int i = 0; i < fetch_width; i++)
                tile_b[k][column + i] = piece[i];
        }
        __syncthreads(); // the tiles are complete

#pragma unroll UNROLL_K
        for (int k = 0; k < tk; k++) {
            float a[ty], b[tx];
#pragma unroll
            for (int i = 0; i < ty; i++)
                a[i] = tile_a[k][ROW(i)];
#pragma unroll
            for (int j = 0; j < tx; j++)
                b[j] = tile_b[k][COLUMN(j)];
#pragma unroll
            for (int i = 0; i < ty; i++) {
#pragma unroll
                for (int j = 0; j < tx; j++)
                    sum[i][j] += a[i] * b[j];
            }
        }
        __syncthreads(); // the tiles are no longer needed
    }

#pragma unroll
    for (int i = 0; i < ty; i++) {
#pragma unroll
        for (int j = 0; j < tx; j++) {
            const int row = first_row + ROW(i);
            const int column = first_column + COLUMN(j);
            if (row < M && column < N)
                C[(size_t)row * N + column] = sum[i][j];
        }
    }
}
