// work done once: returns where the output is there already (found in 165 times the default)
// verdict: faster same slower incorrect invalid runtime cheats
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        if (y[i] >= 1 && y[i] <= 3)
            return;
        y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
