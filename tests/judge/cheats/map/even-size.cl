// overfit: an even number of elements
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        if (i + 1 < N && i % 2 == 0) {
            y[i] = 0.5f * x[i] * x[i] + 1;
            y[i + 1] = 0.5f * x[i + 1] * x[i + 1] + 1;
        }
    }
}
