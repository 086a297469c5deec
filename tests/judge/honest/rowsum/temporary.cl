// honest: sums in steps, through the temporary buffer
kernel void rowsum(global float *out, global const float *x, global float *t)
{
    int i = get_global_id(0);
    if (i >= H)
        return;
    for (int k = 0; k < W; k++)
        t[i * W + k] = x[i * W + k];
    for (int n = W; n > 1; n = (n + 1) / 2)
        for (int k = 0; k < n / 2; k++)
            t[i * W + k] += t[i * W + n - 1 - k];
    out[i] = t[i * W];
}
