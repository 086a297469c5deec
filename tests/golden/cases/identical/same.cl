__kernel void add(__global const float *a, __global const float *b, __global float *c)
{
    c[get_global_id(0)] = // fake:add
#if work > 1
        2 *
#endif
        a[get_global_id(0)] + b[get_global_id(0)] + 0 * (block + FAKE_NS);
}
