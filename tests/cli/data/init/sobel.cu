__device__ int luma(const unsigned char *img, int x, int y, int width)
{
    return img[y * width + x];
}
__global__ void sobel(const unsigned char *img, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        out[y * width + x] = 0;
        return;
    }
    int gx = luma(img, x + 1, y - 1, width) - luma(img, x - 1, y - 1, width) +
             2 * luma(img, x + 1, y, width) - 2 * luma(img, x - 1, y, width) +
             luma(img, x + 1, y + 1, width) - luma(img, x - 1, y + 1, width);
    out[y * width + x] = min(abs(gx), 255);
}
