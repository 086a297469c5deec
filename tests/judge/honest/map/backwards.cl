// honest: from the last element on
kernel void map(global float *restrict y, global const float *restrict x)
{
    for (int i = N - 1 - (int)get_global_id(0); i >= 0; i -= get_global_size(0))
        y[i] = 0.5f * x[i] * x[i] + 1;
}
