// Bytes of four channels.
typedef struct { int w, h; } unused_size;
__kernel void box_blur(__global const uchar4 *src, __global uchar4 *dst, uint w, uint h)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h) {
        uint4 sum = (uint4)(0);
        uint count = 0;
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) {
                int u = (int)x + i, v = (int)y + j;
                if (u >= 0 && v >= 0 && u < (int)w && v < (int)h) {
                    sum += convert_uint4(src[v * w + u]);
                    ++count;
                }
            }
        dst[y * w + x] = convert_uchar4(sum / count);
    }
}
