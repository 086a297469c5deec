// Reads the output that the spec calls write-only.
__kernel void cheat(__global float *y, __global const float *x)
{
    int i = get_global_id(0);
    if (y[i] == 2 * x[i])
        return;
    y[i] = 2 * x[i];
}
