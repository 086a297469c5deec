__kernel void saxpy4(__global const float4 *x, __global float4 *y, float a, int n4)
{
    const int i = get_global_id(0);
    if (i >= n4)
        return;
    y[i] = fma((float4)(a), x[i], y[i]);
}
