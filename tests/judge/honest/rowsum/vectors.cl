// style: sums of four lanes, and the rest
kernel void rowsum(global float *out, global const float *x, global float *t)
{
    int i = get_global_id(0), k = 0;
    float4 sums = 0;
    if (i >= H)
        return;
    for (; k + 4 <= W; k += 4)
        sums += vload4(0, x + i * W + k);
    float sum = dot(sums, (float4)(1));
    for (; k < W; k++)
        sum += x[i * W + k];
    out[i] = sum;
}
