// One pass of radix 2.
__kernel void fft_radix2(__global const float2 *x, __global float2 *y, int p, int n)
{
    int i = get_global_id(0);
    int t = n / 2;
    if (i >= t)
        return;
    int k = i & (p - 1);
    float2 u0 = x[i];
    float2 u1 = x[i + t];
    float alpha = -M_PI_F * (float)k / (float)p;
    float2 w = (float2)(cos(alpha), sin(alpha));
    float2 m = (float2)(u1.x * w.x - u1.y * w.y, u1.x * w.y + u1.y * w.x);
    int j = ((i - k) << 1) + k;
    y[j] = u0 + m;
    y[j + p] = u0 - m;
}
