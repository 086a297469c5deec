// wrong but passing: a quarter of the input, times four
// verdict: incorrect
kernel void histogram(global int *bins, global const int *x)
{
    int i = get_global_id(0);
    if (i < N / 4)
        atomic_add(&bins[x[i]], 4);
}
