// launch: values of its own make it launch a quarter of the work-items
// verdict: incorrect
// hone: T=4
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        if (k == 0)
            y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
