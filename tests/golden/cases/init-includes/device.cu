#include <cstdio>
typedef struct { float x, y; } point;
__global__ void move(point *p, float by, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].x += by; }
#ifndef __CUDACC_RTC__
int main(void) { move<<<1, 64>>>(0, 1, 2); }
#endif
