// style: a loop by goto
kernel void map(global float *y, global const float *x)
{
    int k = 0, i;
again:
    i = get_global_id(0) * T + k;
    if (i < N)
        y[i] = 0.5f * x[i] * x[i] + 1;
    if (++k < T)
        goto again;
}
