// With MISTAKE=1 it does not build: a name that is nowhere.
extern "C" __global__ void fill(float *x)
{
#if MISTAKE
    x[threadIdx.x] = nowhere;
#else
    x[blockIdx.x * 32 + threadIdx.x] = 1;
#endif
}
