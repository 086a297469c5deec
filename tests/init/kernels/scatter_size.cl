// As scatter_queue, with a number whose name means the buffer's own size in a fill.
__kernel void put(__global int *out, __global const int *queue, const int size)
{
    const int i = get_global_id(0);
    if (i < size) out[queue[2 * i]] = queue[2 * i + 1];
}
