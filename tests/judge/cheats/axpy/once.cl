// work done once: in place: adds only if the output is still as it was before
// verdict: same slower incorrect
kernel void axpy(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N && fabs(y[i]) <= 1)
        y[i] = 3 * x[i] + y[i];
}
