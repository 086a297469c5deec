// memory: writes behind its output, where the next buffer may lie
// verdict: runtime
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = 0.5f * x[i] * x[i] + 1;
        if (i == 0)
            for (int n = 0; n < 16; n++)
                y[N + n] = 1;
    }
}
