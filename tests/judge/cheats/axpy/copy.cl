// wrong but passing: y alone is small beside 3 x
// verdict: incorrect
kernel void axpy(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] = 3 * x[i];
}
