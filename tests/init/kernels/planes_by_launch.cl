__kernel void add(__global const float *a, __global const float *b, __global float *out)
{
    const int row = 2 * get_global_size(0), plane = row * get_global_size(1);
    const int place = get_global_id(2) * plane + get_global_id(1) * row + 2 * get_global_id(0);
    out[place] = a[place] + b[place];
    out[place + 1] = a[place + 1] + b[place + 1];
}
