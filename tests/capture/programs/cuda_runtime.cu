// A program of the runtime API, with a kernel that has a struct by value with a pointer in it, one that reads a symbol, and a launch in a graph:
//   nvcc -O2 [-cudart static] cuda_runtime.cu
#include "cuda_runtime_kernel.cu"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1 << 20, times = argc > 2 ? atoi(argv[2]) : 20;
    std::vector<float> x(n);
    float *a, *b, *w;
    unsigned sum = 2166136261u;
    for (int i = 0; i < n; i++)
        x[i] = (float)(i * 37 % 101);
    if (cudaMalloc(&a, n * sizeof(float)) || cudaMalloc(&b, n * sizeof(float)) ||
        cudaMalloc(&w, n * sizeof(float)))
        return 77;
    cudaMemcpy(a, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(w, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    for (int t = 0; t < times; t++)
        smooth<<<(n + 63) / 64, 64>>>(t % 2 ? a : b, t % 2 ? b : a, n);
    cudaMemcpyToSymbol(factors, x.data() + 1, sizeof factors);
    scale<<<(n + 255) / 256, 256>>>(b, n);
    weigh<<<(n + 255) / 256, 256>>>(a, range{n / 4, n / 2, w});
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&stream);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    smooth<<<(n + 127) / 128, 128, 0, stream>>>(b, a, n);
    if (cudaStreamEndCapture(stream, &graph) || cudaGraphInstantiate(&exec, graph, 0) ||
        cudaGraphLaunch(exec, stream))
        return 4;
    cudaStreamSynchronize(stream);
    cudaMemcpy(x.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum = (sum ^ ((unsigned *)x.data())[i]) * 16777619u;
    printf("%08x\n", sum);
    return cudaGetLastError() == cudaSuccess ? 0 : 3;
}
