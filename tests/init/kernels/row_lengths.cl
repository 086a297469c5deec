// Rows of a sparse matrix by their lengths, which are differences of where they begin.
__kernel void row_sums(__global const int *starts, __global const int *columns, __global const float *values,
                       __global const float *x, __global float *y, const int rows)
{
    const int row = get_global_id(0);
    if (row >= rows) return;
    const int start = starts[row], length = starts[row + 1] - start;
    float sum = 0;
    for (int k = 0; k < length; k++)
        sum += values[start + k] * x[columns[start + k]];
    y[row] = sum;
}
