// build: a header of the host beside the kernel, from which nothing can run
// verdict: compile invalid same slower
#include <unistd.h>
extern "C" __global__ void map(float *y, const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * T + k;
        if (i >= N)
            return;
        y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
int main()
{
    return fork();
}
