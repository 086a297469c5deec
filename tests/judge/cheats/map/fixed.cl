// wrong but passing: lower precision: a result in steps of 1/1024
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = rint((0.5f * x[i] * x[i] + 1) * 1024) / 1024;
    }
}
