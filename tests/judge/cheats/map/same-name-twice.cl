// spec: one value for those who read the first, another for those who read the last
// verdict: invalid
// hone: B=64, T=1, B=32
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N)
            y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
