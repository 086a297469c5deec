// y = a * x + y, one element for each work-item.
__kernel void saxpy(const int n, const float a, __global const float *restrict x,
                    __global float *restrict y)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
