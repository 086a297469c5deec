// A copy, and a reference whose work-groups of 64 write past the end where N is no multiple of them.
kernel void copy(global float *restrict y, global const float *restrict x)
{
    y[get_global_id(0)] = x[get_global_id(0)];
}

kernel void plain(global float *restrict y, global const float *restrict x)
{
    y[get_global_id(0)] = x[get_global_id(0) % N];
}
