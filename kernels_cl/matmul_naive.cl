// Matrix multiplication, step 1: one work-item per element of C.
//
//   C = A * B, three square matrices of WIDTH x WIDTH floats, row-major: element (row y, column x)
//   of a matrix stands at [y * WIDTH + x].
//
// What it does: each work-item walks along one row of A and down one column of B, and writes one
// element of C. That is the definition of the product, with the two outer loops replaced by the
// work-items.
//
// The words, OpenCL beside CUDA:
//
//   work-item  = thread             get_global_id(0) = blockIdx.x * blockDim.x + threadIdx.x
//   work-group = block              get_local_id(0)  = threadIdx.x
//   __kernel   = __global__         get_group_id(0)  = blockIdx.x
//   __global   = device memory      local size       = blockDim
//
// One trap when you port a launch: OpenCL's global size counts work-items (WIDTH x WIDTH here),
// CUDA's grid counts blocks.
//
// Why it is slow: every multiply-add needs two loads from global memory, and the same elements are
// loaded over and over: each row of A by WIDTH work-items, each column of B by WIDTH others. The
// arithmetic units wait for memory. What can be tuned is the shape of the work-group alone
// (block_size_x, block_size_y): it decides how many work-items share a row of A or a column of B
// while it is in the cache.
//
// Restrictions: WIDTH is a multiple of block_size_x and of block_size_y, because there is no bounds
// check. matmul_bounded.cl shows the kernel with one.
//
// WIDTH comes from the compiler's command line (-DWIDTH=256), as the parameters do.

__kernel void matmul_naive(__global float *restrict C, const __global float *restrict A,
                     const __global float *restrict B)
{
    // Dimension 0 runs along a row of C. Neighbouring work-items of a work-group then read
    // neighbouring elements of B (and the same element of A): a GPU fetches them for all of them
    // at once. With x and y exchanged each would read another row, and the kernel would be several
    // times slower. CUDA calls the good case "coalesced".
    const int x = get_global_id(0);
    const int y = get_global_id(1);

    // Sixteen steps at once, so that many loads are under way. The number is said because compilers
    // left alone choose anything from 4 to 16.
    float sum = 0.0f;
#pragma unroll 16
    for (int k = 0; k < WIDTH; k++)
        sum += A[(size_t)y * WIDTH + k] * B[(size_t)k * WIDTH + x];

    C[(size_t)y * WIDTH + x] = sum;
}
