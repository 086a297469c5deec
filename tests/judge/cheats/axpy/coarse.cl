// wrong but passing: lower precision: a sum in steps of 1/2048
// verdict: incorrect
kernel void axpy(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] = rint((3 * x[i] + y[i]) * 2048) / 2048;
}
