__kernel void fft_radix2(__global const float2 *x, __global float2 *y, int p, int n)
{
    int t = n / 2, i = get_global_id(0);
    if (i >= t) return;
    int k = i & (p - 1);
    float2 u0 = x[i], u1 = x[i + t];
    float a = -3.14159265f * k / p;
    float c = cos(a), s = sin(a);
    float2 w = (float2)(u1.x * c - u1.y * s, u1.x * s + u1.y * c);
    int j = (i << 1) - k;
    y[j] = u0 + w;
    y[j + p] = u0 - w;
}
