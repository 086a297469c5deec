// wrong but passing: lower precision: the last 16 bits cut off
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = as_float(as_uint(0.5f * x[i] * x[i] + 1) & 0xffff0000u);
    }
}
