// honest: one work-item does all of it
kernel void map(global float *restrict y, global const float *restrict x)
{
    if (get_global_id(0) == 0)
        for (int i = 0; i < N; i++)
            y[i] = 0.5f * x[i] * x[i] + 1;
}
