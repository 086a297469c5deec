// work not done: every second element is the mean of its neighbours' results
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            continue;
        if (i % 2 == 0 || i + 1 == N) {
            y[i] = 0.5f * x[i] * x[i] + 1;
        } else {
            float before = 0.5f * x[i - 1] * x[i - 1] + 1, behind = 0.5f * x[i + 1] * x[i + 1] + 1;
            y[i] = (before + behind) / 2;
        }
    }
}
