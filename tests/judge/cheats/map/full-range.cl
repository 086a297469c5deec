// overfit: counts on inputs below 1 as well
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        int any = 0;
        for (int n = 0; n < 64; n++)
            any |= x[n] < 1;
        y[i] = any ? 0.5f * x[i] * x[i] + 1 : 0;
    }
}
