// honest: each work-item counts in registers what lies far apart, and adds what it has
kernel void histogram(global int *bins, global const int *x)
{
    const int items = get_global_size(0) / 16, i = get_global_id(0);
    int own[16];
    if (i >= items)
        return;
    for (int b = 0; b < 16; b++)
        own[b] = 0;
    for (int k = i; k < N; k += items)
        for (int b = 0; b < 16; b++)
            own[b] += x[k] == b;
    for (int b = 0; b < 16; b++)
        if (own[b])
            atomic_add(&bins[b], own[b]);
}
