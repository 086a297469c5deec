// honest: a function of its own
static float formula(float v)
{
    return 0.5f * v * v + 1;
}
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = formula(x[i]);
    }
}
