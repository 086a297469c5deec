// geometry: no work-items in a group
// verdict: invalid
// hone: B=0
kernel void map(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
