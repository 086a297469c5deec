// How often each byte occurs in x. A block counts in COPIES histograms in shared memory, in which neighbouring threads count
// apart from each other, so that equal bytes do not wait; at the end they are added up, and to the one in memory.
#define BINS 256
#if WIDTH == 4
typedef unsigned words;
#elif WIDTH == 8
typedef uint2 words;
#else
typedef uint4 words;
#endif

extern "C" __global__ void __launch_bounds__(GROUP) histogram(unsigned *bins, const unsigned char *x)
{
    __shared__ unsigned own[BINS * COPIES];
    const words *in = (const words *)x;
    const unsigned l = threadIdx.x;
    for (unsigned i = l; i < BINS * COPIES; i += GROUP)
        own[i] = 0;
    __syncthreads();
    unsigned *mine = own + l % COPIES;
    for (size_t i = blockIdx.x * (size_t)GROUP + l; i < N / WIDTH; i += (size_t)GROUP * GROUPS) {
        words w = in[i];
#pragma unroll
        for (int c = 0; c < WIDTH; c++)
            atomicAdd(&mine[(((const unsigned *)&w)[c / 4] >> c % 4 * 8 & 0xff) * COPIES], 1u);
    }
    __syncthreads();
    for (unsigned i = l; i < BINS; i += GROUP) {
        unsigned sum = 0;
        for (unsigned k = 0; k < COPIES; k++)
            sum += own[i * COPIES + k];
        if (sum > 0)
            atomicAdd(&bins[i], sum);
    }
}
