// honest: a compensated sum
kernel void rowsum(global float *out, global const float *x, global float *t)
{
    int i = get_global_id(0);
    float sum = 0, lost = 0;
    if (i >= H)
        return;
    for (int k = 0; k < W; k++) {
        float v = x[i * W + k] - lost, next = sum + v;
        lost = (next - sum) - v;
        sum = next;
    }
    out[i] = sum;
}
