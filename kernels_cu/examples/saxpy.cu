// y = a * x + y. Each block takes a run of GROUP * ITEMS vectors; neighbouring threads take neighbouring ones.
#if WIDTH == 1
typedef float vector;
#elif WIDTH == 2
typedef float2 vector;
#else
typedef float4 vector;
#endif

extern "C" __global__ void __launch_bounds__(GROUP) saxpy(float *y, const float *x, float a)
{
    float *out = y + blockIdx.x * (size_t)(GROUP * ITEMS * WIDTH);
    const float *in = x + blockIdx.x * (size_t)(GROUP * ITEMS * WIDTH);
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        int i = k * GROUP + threadIdx.x;
        vector p = ((const vector *)in)[i], q = ((const vector *)out)[i];
#pragma unroll
        for (int c = 0; c < WIDTH; c++)
            ((float *)&q)[c] += a * ((const float *)&p)[c];
        ((vector *)out)[i] = q;
    }
}
