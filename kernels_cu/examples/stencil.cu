// One Jacobi step: the mean of four neighbours; edges are kept. u has H rows of W. A thread walks down ROWS rows of WIDTH
// neighbouring columns and keeps the rows above and below in registers, so that each is read from memory once.
#if WIDTH == 1
typedef float vector;
#elif WIDTH == 2
typedef float2 vector;
#else
typedef float4 vector;
#endif
#define PART(v, c) (((float *)&(v))[c])

extern "C" __global__ void __launch_bounds__(GROUP_X *GROUP_Y) stencil(float *out, const float *u)
{
    const int column = (blockIdx.x * GROUP_X + threadIdx.x) * WIDTH;
    const int first = (blockIdx.y * GROUP_Y + threadIdx.y) * ROWS;
    const vector *in = (const vector *)(u + column);
    const int line = W / WIDTH;
    vector above = in[(size_t)max(first - 1, 0) * line], here = in[(size_t)first * line];
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const int row = first + k;
        const size_t at = (size_t)row * W + column;
        const bool edge = row == 0 || row == H - 1;
        vector below = in[(size_t)min(row + 1, H - 1) * line], mean = here;
        float before = u[at - (column > 0)], behind = u[at + WIDTH - (column + WIDTH == W)];
#pragma unroll
        for (int c = 0; c < WIDTH; c++) {
            float left = c == 0 ? before : PART(here, c > 0 ? c - 1 : 0);
            float right = c == WIDTH - 1 ? behind : PART(here, c < WIDTH - 1 ? c + 1 : c);
            bool kept = edge || column + c == 0 || column + c == W - 1;
            if (!kept)
                PART(mean, c) = 0.25f * (left + right + PART(above, c) + PART(below, c));
        }
        *(vector *)(out + at) = mean;
        above = here;
        here = below;
    }
}
