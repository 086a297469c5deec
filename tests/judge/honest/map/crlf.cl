// style: lines that end as on Windows, and no end of the last
kernel void map(global float *y,
                global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N) y[i] = \
            0.5f * x[i] * x[i] + 1;
    }
}