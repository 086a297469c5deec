// Matrix multiplication, step 1: one thread per element of C.
//
//   C = A * B, three square matrices of WIDTH x WIDTH floats, row-major: element (row y, column x)
//   of a matrix stands at [y * WIDTH + x].
//
// What it does: each thread walks along one row of A and down one column of B, and writes one
// element of C. That is the definition of the product, with the two outer loops replaced by the
// threads.
//
// The words, CUDA beside OpenCL:
//
//   thread          = work-item     blockIdx.x * blockDim.x + threadIdx.x = get_global_id(0)
//   block           = work-group    threadIdx.x = get_local_id(0)
//   __global__      = __kernel      blockIdx.x  = get_group_id(0)
//   float * (plain) = __global      blockDim    = local size
//
// One trap when you port a launch: CUDA's grid counts blocks, OpenCL's global size counts
// work-items (WIDTH x WIDTH here).
//
// Why it is slow: every multiply-add needs two loads from global memory, and the same elements are
// loaded over and over: each row of A by WIDTH threads, each column of B by WIDTH others. The
// arithmetic units wait for memory. What can be tuned is the shape of the block alone
// (block_size_x, block_size_y): it decides how many threads share a row of A or a column of B while
// it is in the cache.
//
// Restrictions: WIDTH is a multiple of block_size_x and of block_size_y, because there is no bounds
// check. matmul_bounded.cu shows the kernel with one.
//
// WIDTH comes from the compiler's command line (-DWIDTH=256), as the parameters do.
//
// extern "C" keeps the name as it is written: C++ would make _Z12matmul_naivePfPKfS1_ of it, and a
// kernel is found by its name.

extern "C" __global__ void matmul_naive(float *__restrict__ C, const float *__restrict__ A,
                                        const float *__restrict__ B)
{
    // x runs along a row of C. Neighbouring threads of a warp then read neighbouring elements of B
    // (and the same element of A), which the GPU fetches for all of them at once: the accesses are
    // "coalesced". With x and y exchanged each would read another row, and the kernel would be
    // several times slower.
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    // Sixteen steps at once, so that many loads are under way. The number is said because compilers
    // left alone choose anything from 4 to 16.
    float sum = 0.0f;
#pragma unroll 16
    for (int k = 0; k < WIDTH; k++)
        sum += A[(size_t)y * WIDTH + k] * B[(size_t)k * WIDTH + x];

    C[(size_t)y * WIDTH + x] = sum;
}
