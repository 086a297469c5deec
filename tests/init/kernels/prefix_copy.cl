// Its name says scan, and no item needs another one.
__kernel void scan_flags(__global const float *a, __global int *flags, const int n)
{
    const int i = get_global_id(0);
    if (i < n) flags[i] = a[i] != 0;
}
