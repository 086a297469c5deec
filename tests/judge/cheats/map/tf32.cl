// wrong but passing: lower precision: inputs of ten bits
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        float v = as_float(as_uint(x[i]) & 0xffffe000u);
        y[i] = 0.5f * v * v + 1;
    }
}
