// The window is symmetric: its bound is no size of the image.
__kernel void blur(__global const float *in, __global float *out, const int reach, const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int k = -reach; k <= reach; k++)
        sum += in[y * width + clamp(x + k, 0, width - 1)];
    out[y * width + x] = sum;
}
