__kernel void softmax_rows(__global const float *in, __global float *out, int cols)
{
    __local float red[LSIZE];
    int row = get_group_id(0), lid = get_local_id(0);
    float m = -INFINITY;
    for (int c = lid; c < cols; c += LSIZE) m = fmax(m, in[row * cols + c]);
    red[lid] = m; barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = LSIZE / 2; s > 0; s >>= 1) { if (lid < s) red[lid] = fmax(red[lid], red[lid + s]); barrier(CLK_LOCAL_MEM_FENCE); }
    m = red[0]; barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int c = lid; c < cols; c += LSIZE) sum += exp(in[row * cols + c] - m);
    red[lid] = sum; barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = LSIZE / 2; s > 0; s >>= 1) { if (lid < s) red[lid] += red[lid + s]; barrier(CLK_LOCAL_MEM_FENCE); }
    sum = red[0];
    for (int c = lid; c < cols; c += LSIZE) out[row * cols + c] = exp(in[row * cols + c] - m) / sum;
}
