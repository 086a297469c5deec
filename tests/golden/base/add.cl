// The driver for tests runs nothing: it does what the marker says, and takes FAKE_NS for it.
__kernel void add(__global const float *a, __global const float *b, __global float *c)
{
    c[get_global_id(0)] = // fake:add
        a[get_global_id(0)] + b[get_global_id(0)] + 0 * (block + work + fault + FAKE_NS + FAKE_ERROR);
}
