__kernel void saxpy(const unsigned int n, const float a,
                    __global const float *restrict x, __global float *restrict y)
{
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        y[i] = a * x[i] + y[i];
}
