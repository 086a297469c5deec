#define THREADS 256
__global__ void exclusive_scan(const int* g_in, int* g_out, int n) {
    __shared__ int temp[2 * THREADS];
    int t = threadIdx.x, off = 1;
    int base = blockIdx.x * 2 * THREADS;
    temp[2 * t] = base + 2 * t < n ? g_in[base + 2 * t] : 0;
    temp[2 * t + 1] = base + 2 * t + 1 < n ? g_in[base + 2 * t + 1] : 0;
    for (int d = THREADS; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) { int ai = off * (2 * t + 1) - 1, bi = off * (2 * t + 2) - 1; temp[bi] += temp[ai]; }
        off *= 2;
    }
    if (t == 0) temp[2 * THREADS - 1] = 0;
    for (int d = 1; d < 2 * THREADS; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (t < d) { int ai = off * (2 * t + 1) - 1, bi = off * (2 * t + 2) - 1; int x = temp[ai]; temp[ai] = temp[bi]; temp[bi] += x; }
    }
    __syncthreads();
    if (base + 2 * t < n) g_out[base + 2 * t] = temp[2 * t];
    if (base + 2 * t + 1 < n) g_out[base + 2 * t + 1] = temp[2 * t + 1];
}
