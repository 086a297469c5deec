// overfit: counts on it that neighbours differ
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = x[0] != x[1] ? 0.5f * x[i] * x[i] + 1 : 2;
    }
}
