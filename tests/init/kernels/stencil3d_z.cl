// 2.5-D: each item walks along z
#define IDX(i, j, k) ((size_t)(k) * NX * NY + (j) * NX + (i))
__kernel void stencil7(__global const float *A0, __global float *Anext, float c0, float c1)
{
    int i = get_global_id(0) + 1, j = get_global_id(1) + 1;
    if (i >= NX - 1 || j >= NY - 1) return;
    float below = A0[IDX(i, j, 0)], here = A0[IDX(i, j, 1)];
    for (int k = 1; k < NZ - 1; k++) {
        float above = A0[IDX(i, j, k + 1)];
        Anext[IDX(i, j, k)] = c1 * (above + below + A0[IDX(i - 1, j, k)] + A0[IDX(i + 1, j, k)] + A0[IDX(i, j - 1, k)] + A0[IDX(i, j + 1, k)]) - c0 * here;
        below = here; here = above;
    }
}
