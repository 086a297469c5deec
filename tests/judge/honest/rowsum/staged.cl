// style: halves the row again and again in the temporary buffer
kernel void rowsum(global float *out, global const float *x, global float *t)
{
    int i = get_global_id(0), left = W;
    global float *row = t + (size_t)i * W;
    if (i >= H)
        return;
    for (int k = 0; k < W; k++)
        row[k] = x[i * W + k];
    for (; left > 1; left = (left + 1) / 2)
        for (int k = 0; k < left / 2; k++)
            row[k] += row[left - 1 - k];
    out[i] = row[0];
}
