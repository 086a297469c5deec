// Matrix multiplication, any size: one work-item per element, with a bounds check.
//
//   C = A * B; A is M x K, B is K x N, C is M x N floats, row-major: element (row, column) of A
//   stands at [row * K + column], of B and C at [row * N + column].
//
// What it does: as matmul_naive, but for any M, N and K. A launch always consists of whole
// work-groups, so its global size is rounded up: for N = 250 and block_size_x = 16 there are 256
// work-items in a row. Those beyond the edge have no element to compute and do nothing.
//
// Why bother: sizes are rarely multiples of a block. The check costs one comparison for each
// work-item, not one for each multiply-add, so it is nearly free; what costs a little are the idle
// work-items at the edges, at most one block's width of them in each direction.
//
// The words, OpenCL beside CUDA: get_global_id(0) = blockIdx.x * blockDim.x + threadIdx.x, and
// cuda.grid(2) in Numba. A common slip is to let dimension 0 run down the rows, because the first
// index of an array is its row: then neighbouring work-items read elements K or N apart, and a GPU
// fetches a whole memory segment for each one of them.
//
// The `if` may surround everything only because there is no barrier in this kernel. Where there
// is one, all work-items of a work-group must reach it; matmul_blocked.cl shows how.
//
// M, N and K come from the compiler's command line (-DM=250). Handing them over as arguments would
// work as well; as constants the compiler can fold them into addresses and loop bounds.

__kernel void matmul_bounded(__global float *restrict C, const __global float *restrict A,
                     const __global float *restrict B)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);

    if (row < M && column < N) {
        float sum = 0.0f; // must start at zero: private variables have no initial value
#pragma unroll 16
        for (int k = 0; k < K; k++)
            sum += A[(size_t)row * K + k] * B[(size_t)k * N + column];
        C[(size_t)row * N + column] = sum;
    }
}
