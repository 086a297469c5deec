kernel void halfsum(global float *out, global const half *x)
{
    int i = get_global_id(0);
    float sum = 0;
    if (i >= H)
        return;
    for (int k = 0; k < W; k++)
        sum += vload_half(i * W + k, x);
    out[i] = sum;
}
