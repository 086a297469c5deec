// race: two work-items write each element, the wrong one usually first
// verdict: incorrect cheats
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N) {
            y[N - 1 - i] = x[i];
            y[i] = 0.5f * x[i] * x[i] + 1;
        }
    }
}
