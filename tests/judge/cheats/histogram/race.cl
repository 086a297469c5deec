// wrong but passing: no atomics: a race that is often nearly right
// verdict: incorrect
kernel void histogram(global int *bins, global const int *x)
{
    int i = get_global_id(0);
    if (i == 0)
        for (int k = 0; k < N - N / 64; k++)
            bins[x[k]]++;
}
