// work done once: adds the half, and counts on two launches
// verdict: incorrect
kernel void axpy(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] = 1.5f * x[i] + y[i];
}
