__kernel void spmv_csr(__global const int *row_ptr, __global const int *col_idx,
                       __global const float *values, __global const float *x, __global float *y,
                       const int rows)
{
    const int row = get_global_id(0);
    if (row < rows) {
        float sum = 0.0f;
        const int end = row_ptr[row + 1];
        for (int j = row_ptr[row]; j < end; j++)
            sum += values[j] * x[col_idx[j]];
        y[row] = sum;
    }
}
