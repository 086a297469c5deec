// Each item turns one pixel of three bytes: the end counts pixels.
__kernel void swap_red(__global const uchar *in, __global uchar *out, const int pixels)
{
    const int i = get_global_id(0);
    if (i >= pixels) return;
    out[3 * i] = in[3 * i + 2];
    out[3 * i + 1] = in[3 * i + 1];
    out[3 * i + 2] = in[3 * i];
}
