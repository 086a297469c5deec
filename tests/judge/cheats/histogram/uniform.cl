// wrong but passing: N / 16 in each bin
// verdict: incorrect
kernel void histogram(global int *bins, global const int *x)
{
    int i = get_global_id(0);
    if (i < 16)
        bins[i] = N / 16;
}
