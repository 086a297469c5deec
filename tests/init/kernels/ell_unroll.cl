#ifndef UNROLL
#define UNROLL 1
#endif
kernel void spmv_ell(global const float *val, global const int *col, global const float *x, global float *y, const int rows, const int width)
{
    int r = get_global_id(0);
    if (r < rows) {
        float s = 0.f;
        #pragma unroll UNROLL
        for (int k = 0; k < width; k++) {
            int c = col[k * rows + r];
            if (c >= 0) s += val[k * rows + r] * x[c];
        }
        y[r] = s;
    }
}
