// launch: a value that is an expression
// verdict: invalid
// hone: T=N
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
