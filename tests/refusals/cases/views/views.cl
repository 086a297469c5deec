kernel void sums(global const float2 *v, global const float *x, global const float *y, global const int *w,
                 global const int *w1, global float *out)
{
    int i = get_global_id(0);
#if SOA
    out[i] = x[i] + 10 * y[i] + w1[i];
#else
    out[i] = v[i].x + 10 * v[i].y + w[4 * i + 3];
#endif
}
