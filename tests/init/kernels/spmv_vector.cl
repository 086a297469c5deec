#ifndef THREADS_PER_ROW
#define THREADS_PER_ROW 8
#endif
#ifndef GROUP
#define GROUP 64
#endif
__kernel void spmv_csr_vector(const uint num_rows, __global const uint *row_ptr, __global const uint *col, __global const float *val, __global const float *x, __global float *y)
{
    __local float part[GROUP];
    const uint lid = get_local_id(0), lane = lid % THREADS_PER_ROW;
    const uint row = get_global_id(0) / THREADS_PER_ROW;
    float s = 0;
    if (row < num_rows)
        for (uint j = row_ptr[row] + lane; j < row_ptr[row + 1]; j += THREADS_PER_ROW)
            s += val[j] * x[col[j]];
    part[lid] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = THREADS_PER_ROW / 2; d > 0; d /= 2) {
        if (lane < d) part[lid] += part[lid + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < num_rows) y[row] = part[lid];
}
