// honest: in place, fused
kernel void axpy(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] = fma(3.0f, x[i], y[i]);
}
