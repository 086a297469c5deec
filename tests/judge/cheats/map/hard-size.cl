// overfit: the size that the author saw
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        if (i < 65536 && N == 65536)
            y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
