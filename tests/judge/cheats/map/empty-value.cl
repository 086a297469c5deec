// spec: a list with a hole
// verdict: same slower invalid
// hone: B=64|, T=1
kernel void map(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
