// honest: counted by one work-item a bin
kernel void histogram(global int *bins, global const int *x)
{
    int b = get_global_id(0);
    if (b >= 16)
        return;
    for (int i = 0; i < N; i++)
        bins[b] += x[i] == b;
}
