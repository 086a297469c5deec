// A group for each row.
__kernel void softmax(__global const float *in, __global float *out, const int rows, const int cols)
{
    __local float shared_max[256];
    __local float shared_sum[256];
    const int row = get_group_id(0), tid = get_local_id(0), size = get_local_size(0);
    float m = -INFINITY;
    for (int c = tid; c < cols; c += size)
        m = fmax(m, in[row * cols + c]);
    shared_max[tid] = m;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s /= 2) {
        if (tid < s)
            shared_max[tid] = fmax(shared_max[tid], shared_max[tid + s]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    m = shared_max[0];
    float sum = 0.0f;
    for (int c = tid; c < cols; c += size)
        sum += exp(in[row * cols + c] - m);
    shared_sum[tid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s /= 2) {
        if (tid < s)
            shared_sum[tid] += shared_sum[tid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int c = tid; c < cols; c += size)
        out[row * cols + c] = exp(in[row * cols + c] - m) / shared_sum[0];
}
