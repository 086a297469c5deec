// work done once: looks at one element for all of its group
// verdict: same slower incorrect invalid runtime cheats
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        if (fabs(y[0] - (0.5f * x[0] * x[0] + 1)) < 1e-5f && i > 0)
            return;
        y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
