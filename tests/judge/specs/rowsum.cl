kernel void rowsum(global float *out, global const float *x, global float *t)
{
    int i = get_global_id(0);
    float sum = 0;
    if (i >= H)
        return;
    for (int k = 0; k < W; k++)
        sum += x[i * W + k];
    out[i] = sum;
}
