__kernel void rgb2grey(__global const uchar4 *src, __global uchar *dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    uchar4 p = src[y * width + x];
    dst[y * width + x] = convert_uchar_sat(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}
