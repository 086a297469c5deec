// What the stored texts were made from, with CUDA 13.0:
//
//   nvcc -arch=sm_90a -ptx kernels.cu
//   ptxas -arch=sm_90a kernels.ptx -o kernels.cubin
//   nvdisasm -c kernels.cubin > kernels.sass
//   cuobjdump -sass -fun tiny kernels.cubin > tiny.cuobjdump
//
// The counts in test_code.c were made by reading these texts.

// No loop.
extern "C" __global__ void tiny(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x] * 3.0f;
}

// A loop in a loop; the inner one holds the multiply-adds.
extern "C" __global__ void nested(float *out, const float *a, const float4 *b, int n, int m)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        float scale = a[i];
#pragma unroll 1
        for (int k = 0; k < m; k++) {
            float4 v = b[(long)i * m + k];
            sum = fmaf(v.x, scale, fmaf(v.y, scale, sum));
        }
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// The inner loop only waits; a private array that is indexed lies in local memory.
extern "C" __global__ void waits(double *out, const double *in, unsigned long long *barrier, int n)
{
    __shared__ unsigned long long flag;
    double held[4] = {1.0, 2.0, 3.0, 4.0}, sum = 0.0;
    unsigned at = (unsigned)__cvta_generic_to_shared(&flag);
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        asm volatile("{\n"
                     ".reg .pred done;\n"
                     "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                     "@!done bra again;\n"
                     "}" ::"r"(at), "r"(i & 1) : "memory");
        sum = fma(in[i], held[(i * 7) & 3], sum);
        held[i & 3] = sum;
    }
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(at), "r"(1) : "memory");
    out[threadIdx.x] = sum;
}

// Tensor operations of both kinds, and asynchronous copies.
extern "C" __global__ void __launch_bounds__(128) tensor(float *out, const float *in, long desc,
                                                         int n)
{
    extern __shared__ float tile[];
    unsigned at = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x * 4), one = 0x3f800000;
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + i * 512));
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 0;");
        asm volatile("wgmma.fence.sync.aligned;");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32\n"
                     "  {%0, %1, %2, %3},\n"
                     "  %4, %4, 1, 1, 1;"
                     : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                     : "l"(desc));
        asm volatile("wgmma.commit_group.sync.aligned;");
        asm volatile("wgmma.wait_group.sync.aligned 0;");
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                     "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                     : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                     : "r"(one));
    }
    out[threadIdx.x] = c0 + c1 + c2 + c3;
}

// The square root and the division have slow ways that the compiler moves to the end.
extern "C" __global__ void slow(float *out, const float *in, int n)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum += sqrtf(in[i]) / in[i + 1];
    out[threadIdx.x] = sum;
}

// A jump through a table.
extern "C" __global__ void table(float *out, float v, int n)
{
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        switch (out[i] > 0 ? n & 7 : (n + i) & 7) {
        case 0: v = v * 2.0f; break;
        case 1: v = out[n]; break;
        case 2: out[n + 4] = v; v = 1.0f; break;
        case 3: v = v + 7.0f; break;
        case 4: v = atomicAdd(out, v); break;
        case 5: out[v > 3.0f] = 1.0f; break;
        default: v = fmaf(v, v, 5.0f); break;
        }
    }
    out[threadIdx.x] = v;
}
