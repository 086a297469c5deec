// Rows, and behind all of them the numbers: an item reads places that lie far apart.
__kernel void put_planes(__global int *out, __global const int *queue, const int n)
{
    const int i = get_global_id(0);
    if (i < n) out[queue[i]] = queue[i + n];
}
__kernel void put_both(__global int *out, __global const int *queue, const int size)
{
    const int i = get_global_id(0);
    if (i >= size) return;
    out[queue[i]] = 1;
    out[queue[i + size]] = 1;
}
