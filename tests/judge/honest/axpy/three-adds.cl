// honest: three additions
kernel void axpy(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] = y[i] + x[i] + x[i] + x[i];
}
