// wrong but passing: off by one
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        int n = i > 0 ? i - 1 : i;
        y[i] = 0.5f * x[n] * x[n] + 1;
    }
}
