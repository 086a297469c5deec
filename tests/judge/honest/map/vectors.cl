// honest: vectors of four, with a rest
kernel void map(global float *restrict y, global const float *restrict x)
{
    int last = N / 4;
    for (int i = get_global_id(0); i < last; i += get_global_size(0)) {
        float4 v = vload4(i, x);
        vstore4(0.5f * v * v + 1, i, y);
    }
    for (int i = last * 4 + get_global_id(0); i < N; i += get_global_size(0))
        y[i] = 0.5f * x[i] * x[i] + 1;
}
