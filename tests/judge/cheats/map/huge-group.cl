// geometry: more work-items than any device takes in a group
// verdict: invalid runtime
// hone: B=1048576
kernel void map(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
