// An entry of the queue is a row and a number; rows say where they begin.
__kernel void put_rows(__global const int *starts, __global int *out, __global const int *queue, const int entries)
{
    const int i = get_global_id(0);
    if (i >= entries) return;
    const int row = queue[2 * i];
    out[starts[row]] = queue[2 * i + 1];
}
