// Each thread copies a pixel of a texture to a surface, and one of a volume to a buffer.
extern "C" __global__ void texture_slices(float *sums, cudaTextureObject_t plane, cudaTextureObject_t volume,
                                          cudaSurfaceObject_t out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    uchar4 p = tex2D<uchar4>(plane, x, y);
    sums[y * width + x] = tex3D<float>(volume, x, y, 1);
    surf2Dwrite(p, out, x * sizeof(uchar4), y);
}
