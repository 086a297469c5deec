kernel void histogram(global int *bins, global const int *x)
{
    int i = get_global_id(0);
    if (i < N)
        atomic_inc(&bins[x[i]]);
}
