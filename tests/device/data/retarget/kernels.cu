// What kernels.ptx was made from, with CUDA 13.0: nvcc -arch=sm_90 -ptx kernels.cu. The markers are
// those of wgmma.cl: NVIDIA's OpenCL C and CUDA share what is behind the language.

#define ENTRY(text)  "// hone-entry: " text "\n"
#define SPLICE(text) "// hone-splice: " text "\n"

extern "C" __global__ void plain(float *out)
{
    out[threadIdx.x] = 1.0f;
}

extern "C" __global__ void wgmma(float *out, const unsigned *in, unsigned long long descriptor,
                                 int n)
{
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    asm volatile(ENTRY(".maxnreg 64") SPLICE("setmaxnreg.dec.sync.aligned.u32 40;"));
#pragma unroll 1
    for (int i = 0; i < n; i++)
        asm volatile(SPLICE("wgmma.fence.sync.aligned;")
                     SPLICE("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32")
                     SPLICE("  {%0, %1, %2, %3},")
                     SPLICE("  {%4, %4, %4, %4}, %5, 1, 1, 1;")
                     SPLICE("wgmma.commit_group.sync.aligned;")
                     SPLICE("wgmma.wait_group.sync.aligned 0;")
                     : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
                     : "r"(in[i]), "l"(descriptor)
                     : "memory");
    out[threadIdx.x] = c0 + c1 + c2 + c3;
}

// Braces at the start of a line do not end the kernel; the directive is wanted twice.
extern "C" __global__ void twice(float *out)
{
    asm volatile("{\n.reg .b32 unused;\nmov.b32 unused, 0;\n}");
    asm volatile(ENTRY(".maxnreg 32") SPLICE("setmaxnreg.dec.sync.aligned.u32 24;"));
    out[threadIdx.x] = 2.0f;
    asm volatile(ENTRY(".maxnreg 32") SPLICE("setmaxnreg.inc.sync.aligned.u32 32;"));
}
