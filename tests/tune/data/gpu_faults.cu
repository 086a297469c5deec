// y = 2 x + 1, and the ways in which a kernel on a GPU can go wrong: FAULT chooses one. For tests of
// hone. Odd values are kernels without a fault. ROUNDS grows with the distance from BEST.
//
// y has SIZE elements, x too. Each thread does one element. gpu_faults.cl is the same in OpenCL.

extern "C" __global__ void scale(float *y, const float *x, float *a, float *b, float *c,
                                 float *d)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = 2.0f * x[i] + 1.0f;

    float one = x[i];
    for (int k = 0; k < ROUNDS; k++)
        one = 0.5f * one + 0.5f;
    value += one > 2.0f ? 1.0f : 0.0f;

#if FAULT == COMPILE_ERROR
#error this configuration does not compile
#endif
#if FAULT == ONE_PAST_END
    if (i == SIZE - 1)
        y[SIZE] = 1.0f;
#endif
#if FAULT == BEFORE_START
    if (i == 0)
        y[-1] = 1.0f;
#endif
#if FAULT == FAR_AWAY
    if (i == 0)
        y[1L << 40] = 1.0f;
#endif
#if FAULT == MISALIGNED
    if (i == 0)
        *(volatile float *)((char *)y + ((int)x[0] | 1)) = 1.0f;
#endif
#if FAULT == TRAP
    if (i == 0)
        __trap();
#endif
#if FAULT == ENDLESS
    while (((volatile const float *)x)[0] < 1e30f)
        value += 0.0f;
#endif
#if FAULT == INPUT_CHANGED
    if (i == 17)
        ((float *)x)[17] += 1.0f;
#endif
#if FAULT == NOT_A_NUMBER
    if (i == 5)
        value = nanf("");
#endif
#if FAULT == MANY_REGISTERS
    // More values than 64 registers hold, all alive to the end, in a block of 1024.
    float many[128];
#pragma unroll
    for (int k = 0; k < 128; k++)
        many[k] = x[(i + k * 61) % SIZE];
    for (int round = 0; round < 64; round++) {
#pragma unroll
        for (int k = 0; k < 128; k++)
            many[k] = many[k] * 0.5f + many[(k + 37) % 128] * 0.25f;
    }
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 128; k++)
        sum += many[k] * (float)k;
    value += sum > 1e30f ? 1.0f : 0.0f;
#endif
#if FAULT == STATIC_SHARED || FAULT == LARGE_SHARED
    __shared__ float much[FAULT == STATIC_SHARED ? 65536 : 16384];
    much[threadIdx.x] = value;
    __syncthreads();
    value = much[threadIdx.x];
#endif
#if FAULT == DYNAMIC_SHARED
    extern __shared__ float scratch[];
    scratch[threadIdx.x] = value;
    __syncthreads();
    value = scratch[threadIdx.x];
#endif
#if FAULT == OUT_OF_MEMORY || FAULT == MORE_THAN_THERE_IS
    a[i] = b[i] = c[i] = d[i] = value;
#endif
    y[i] = value;
}
