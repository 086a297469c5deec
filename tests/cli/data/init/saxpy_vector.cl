// Vectors, whose width is a parameter.
#ifndef WIDTH_OF_VECTOR
#define WIDTH_OF_VECTOR 1
#endif
#if WIDTH_OF_VECTOR == 1
typedef float vec;
#elif WIDTH_OF_VECTOR == 2
typedef float2 vec;
#elif WIDTH_OF_VECTOR == 4
typedef float4 vec;
#endif

__kernel void saxpy(__global vec *y, __global const vec *x, float a, int n)
{
    int i = get_global_id(0);
    if (i < n / WIDTH_OF_VECTOR)
        y[i] = a * x[i] + y[i];
}
