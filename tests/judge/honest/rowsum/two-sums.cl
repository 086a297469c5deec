// honest: two sums
kernel void rowsum(global float *out, global const float *x, global float *t)
{
    int i = get_global_id(0);
    float even = 0, odd = 0;
    if (i >= H)
        return;
    for (int k = 0; k < W; k++) {
        if (k % 2)
            odd += x[i * W + k];
        else
            even += x[i * W + k];
    }
    out[i] = even + odd;
}
