// inputs: reads halves as whole numbers of a 1024th, which those near 1 are
kernel void halfsum(global float *out, global const half *x)
{
    int i = get_global_id(0), sum = 0;
    if (i >= H)
        return;
    for (int k = 0; k < W; k++)
        sum += (int)rint(1024 * vload_half(i * W + k, x));
    out[i] = sum / 1024.0f;
}
