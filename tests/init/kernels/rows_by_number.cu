// Rows whose length is a number of the text, with ends that are arguments, or the same number.
#include <cublas_v2.h>
#define ROW 512

static void stop(int code)
{
    if (code != CUBLAS_STATUS_SUCCESS)
        exit(EXIT_FAILURE);
}

__global__ void product(int rows, int columns, int depth, const float *a, const float *b, float *c)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        c[row * ROW + column] = 0;
        for (int k = 0; k < depth; k++)
            c[row * ROW + column] += a[row * ROW + k] * b[k * ROW + column];
    }
}

__global__ void scaled(const float *a, float *c, float by)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < ROW && column < ROW)
        c[row * ROW + column] = by * a[row * ROW + column];
}

static void scaled(const float *a, float *c, float by, int threads)
{
    scaled<<<dim3(ROW / threads, ROW), threads>>>(a, c, by);
}

__global__ void tiles(float *c, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = fragment(a[i], layouts::row_major);
}
