// honest: in place
kernel void axpy(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] += 3 * x[i];
}
