// honest: as the others, written twice
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        float v = x[i];
        y[i] = 0.5f * v * v + 1;
        y[i] = 0.5f * v * v + 1;
    }
}
