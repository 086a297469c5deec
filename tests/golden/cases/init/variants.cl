#if defined(ONE_AXIS)
__kernel void fill(__global float *out, int w)
{
    int x = get_global_id(0);
    if (x < w)
        out[x] = x;
}
#elif defined(TWO_AXES)
__kernel void fill(__global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        out[y * w + x] = x;
}
#endif
