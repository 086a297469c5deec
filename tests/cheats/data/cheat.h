// What all cheats share: y[i] = 2 x[i], computed the long way, in three languages. Each file defines
// STATE and SKIP: with CHEAT=1 the kernel skips its work where SKIP says so; with 0 it is honest.
#ifdef __CUDACC__
#define GLOBAL
#define STATE_OF(type) __device__ type
__device__
#elif defined(__OPENCL_VERSION__)
#define GLOBAL __global
#define STATE_OF(type) __global type
#else
#include <math.h>
#define GLOBAL
#define STATE_OF(type) static type
static
#endif
float work(float x)
{
    float s = x;
    for (int k = 0; k < 2000; k++)
        s = s * 0.5f + x;
    return s;
}

#if CHEAT
STATE
#define ITEM(i) if (SKIP(i)) { KEPT(i); continue_item; } y[i] = work(x[i]); KEEP(i)
#else
#define ITEM(i) y[i] = work(x[i])
#endif

#ifdef __CUDACC__
#define continue_item return
extern "C" __global__ void cheat(float *y, const float *x, float *s, int n)
#elif defined(__OPENCL_VERSION__)
#define continue_item return
__kernel void cheat(__global float *y, __global const float *x, __global float *s, int n)
#else
#define continue_item continue
void cheat(float *y, const float *x, float *s, int n)
#endif
{
    volatile GLOBAL float *v = y, *t = s; // read behind another name: no reader of the text sees it
#ifdef __CUDACC__
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    ITEM(i);
#elif defined(__OPENCL_VERSION__)
    int i = get_global_id(0);
    ITEM(i);
#else
    for (int i = 0; i < n; i++) {
        ITEM(i);
    }
#endif
}
