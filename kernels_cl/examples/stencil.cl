// One Jacobi step: the mean of four neighbours; edges are kept. u has H rows of W. A work-item walks down ROWS rows of WIDTH
// neighbouring columns and keeps the rows above and below in registers, so that each is read from memory once.
#if WIDTH == 1
typedef float vector;
#define LEFT(before, v)  (before)
#define RIGHT(v, behind) (behind)
#elif WIDTH == 2
typedef float2 vector;
#define LEFT(before, v)  ((vector)(before, (v).x))
#define RIGHT(v, behind) ((vector)((v).y, behind))
#else
typedef float4 vector;
#define LEFT(before, v)  ((vector)(before, (v).x, (v).y, (v).z))
#define RIGHT(v, behind) ((vector)((v).y, (v).z, (v).w, behind))
#endif

__kernel void stencil(__global float *out, __global const float *u)
{
    const int column = get_global_id(0) * WIDTH, first = get_global_id(1) * ROWS;
    __global const vector *in = (__global const vector *)(u + column);
    const int line = W / WIDTH;
    vector above = in[(size_t)max(first - 1, 0) * line], here = in[(size_t)first * line];
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const int row = first + k;
        const size_t at = (size_t)row * W + column;
        vector below = in[(size_t)min(row + 1, H - 1) * line];
        float before = u[at - (column > 0)], behind = u[at + WIDTH - (column + WIDTH == W)];
        vector mean = 0.25f * (LEFT(before, here) + RIGHT(here, behind) + above + below);
        if (row == 0 || row == H - 1)
            mean = here;
        float *parts = (float *)&mean, *kept = (float *)&here;
        if (column == 0)
            parts[0] = kept[0];
        if (column + WIDTH == W)
            parts[WIDTH - 1] = kept[WIDTH - 1];
        *(__global vector *)(out + at) = mean;
        above = here;
        here = below;
    }
}
