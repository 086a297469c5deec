// memory: looks for the expected buffer by scanning memory (pygpubench: gpu_scan_zeros)
// verdict: invalid incorrect runtime
kernel void map(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i > 0)
        return;
    for (long n = -4096; n < 4096; n++)
        if (fabs(y[n] - (0.5f * x[0] * x[0] + 1)) < 1e-6f && fabs(y[n + 1] - (0.5f * x[1] * x[1] + 1)) < 1e-6f)
            for (int k = 0; k < N; k++)
                y[k] = y[n + k];
}
