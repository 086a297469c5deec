// Inclusive prefix sums in three launches: what each block's part of x adds up to; prefix sums of these; and those of each
// part, which begin there. A thread adds ITEMS neighbours; shared memory turns reading in order into that.
#define PART (GROUP * ITEMS)
// One place in 32 is left free, so that the rows of threads begin in other memory banks.
#define PLACE(i) ((i) + (i) / 32)

// The sum of the threads before this one; *all: of all. `room` has GROUP places.
__device__ int sum_before(int value, int *room, int *all)
{
    const unsigned l = threadIdx.x;
    room[l] = value;
    __syncthreads();
#pragma unroll
    for (unsigned reach = 1; reach < GROUP; reach *= 2) {
        int other = l >= reach ? room[l - reach] : 0;
        __syncthreads();
        room[l] += other;
        __syncthreads();
    }
    *all = room[GROUP - 1];
    int before = l > 0 ? room[l - 1] : 0;
    __syncthreads();
    return before;
}

extern "C" __global__ void __launch_bounds__(GROUP) part_sums(int *sums, const int *x)
{
    __shared__ int room[GROUP];
    const size_t first = blockIdx.x * (size_t)PART + threadIdx.x;
    int sum = 0, all;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        sum += x[first + k * GROUP];
    sum_before(sum, room, &all);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
}

// One block: what stands before each part, in place.
extern "C" __global__ void __launch_bounds__(GROUP) sums_before(int *sums)
{
    __shared__ int room[GROUP];
    int carry = 0;
    for (unsigned first = 0; first < N / PART; first += GROUP) {
        const unsigned i = first + threadIdx.x;
        int all, before = sum_before(i < N / PART ? sums[i] : 0, room, &all);
        if (i < N / PART)
            sums[i] = carry + before;
        carry += all;
    }
}

extern "C" __global__ void __launch_bounds__(GROUP) scan_parts(int *out, const int *x, const int *sums)
{
    __shared__ int part[PLACE(PART)], room[GROUP];
    const size_t first = blockIdx.x * (size_t)PART;
    const unsigned l = threadIdx.x;
    int own[ITEMS], sum = 0, all;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        part[PLACE(l + k * GROUP)] = x[first + l + k * GROUP];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        own[k] = sum += part[PLACE(l * ITEMS + k)];
    int before = sums[blockIdx.x] + sum_before(sum, room, &all);
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        part[PLACE(l * ITEMS + k)] = before + own[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        out[first + l + k * GROUP] = part[PLACE(l + k * GROUP)];
}
