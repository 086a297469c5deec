// For the driver that runs nothing: it does what the marker says and takes FAKE_NS for it.
__kernel void many(__global const float *x, __global float *y)
{
    y[get_global_id(0)] = x[get_global_id(0)] + 0 * (ID + FAKE_NS); // fake:copy
}
