// 480 work-items: the rest of what is 1024 long stays as it was.
__kernel void part(__global const float *from, __global float *to)
{
    to[get_global_id(0)] = from[get_global_id(0)] + 0 * B; // fake:copy
}
