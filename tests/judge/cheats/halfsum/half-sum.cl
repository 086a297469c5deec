// precision: the sum is rounded to half after each step
kernel void halfsum(global float *out, global const half *x)
{
    int i = get_global_id(0);
    float v = 0;
    if (i >= H)
        return;
    for (int k = 0; k < W; k++) {
        float next = v + vload_half(i * W + k, x);
        uint bits = as_uint(next);
        v = as_float((bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu);
    }
    out[i] = v;
}
