// ../../kernels_cl/examples/blur.cl in CUDA: the image that is read is a texture object, whose sampler the spec
// gives; the one that is written is a surface object, in which x counts bytes.

static __device__ float4 plus(float4 a, float factor, float4 b)
{
    return make_float4(a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z, a.w + factor * b.w);
}

static __device__ float4 across(cudaTextureObject_t in, int x, int y)
{
    float4 sum = plus(tex2D<float4>(in, x - 1, y), 2.0f, tex2D<float4>(in, x, y));
    return plus(sum, 1.0f, tex2D<float4>(in, x + 1, y));
}

extern "C" __global__ __launch_bounds__(GROUP_X * GROUP_Y)
void blur(cudaSurfaceObject_t out, cudaTextureObject_t in)
{
    const int x = blockIdx.x * GROUP_X + threadIdx.x, y = (blockIdx.y * GROUP_Y + threadIdx.y) * PER_ITEM;
    float4 above = across(in, x, y - 1), here = across(in, x, y);
    for (int row = 0; row < PER_ITEM; row++) {
        const float4 below = across(in, x, y + row + 1);
        const float4 sum = plus(plus(above, 2.0f, here), 1.0f, below);
        surf2Dwrite(make_float4(sum.x / 16, sum.y / 16, sum.z / 16, sum.w / 16), out, x * (int)sizeof(float4), y + row);
        above = here;
        here = below;
    }
}
