// A program of the runtime API whose kernels read symbols that it sets, one of them anew between launches, and one that works in place:
//   nvcc -O2 [-cudart static] cuda_symbols.cu
#include "cuda_symbols_kernel.cu"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 20, times = argc > 2 ? atoi(argv[2]) : 200;
    const setting damped = {0.5f, 12};
    std::vector<float> x(n), taps(TAPS);
    float *a, *b;
    unsigned sum = 2166136261u;
    for (int i = 0; i < n; i++)
        x[i] = (float)(i * 37 % 101);
    if (cudaMalloc(&a, n * sizeof(float)) || cudaMalloc(&b, n * sizeof(float)))
        return 77;
    cudaMemcpy(a, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(damping, &damped, sizeof damped);
    for (int t = 0; t < times; t++) {
        if (t % 50 == 0) {
            for (int k = 0; k < TAPS; k++)
                taps[k] = (float)((k + t / 50) % TAPS) / (TAPS * TAPS);
            cudaMemcpyToSymbol(filter::taps, taps.data(), sizeof filter::taps);
        }
        convolve<<<(n + 256 * ITEMS - 1) / (256 * ITEMS), 256>>>(t % 2 ? b : a, t % 2 ? a : b, n);
        damp<<<(n + 255) / 256, 256>>>(t % 2 ? a : b, t % 2 ? a : b, n);
    }
    cudaMemcpy(x.data(), times % 2 ? b : a, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum = (sum ^ ((unsigned *)x.data())[i]) * 16777619u;
    printf("%08x\n", sum);
    return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
