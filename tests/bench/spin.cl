// A kernel whose time is known: a chain of `rounds` operations that ends in 1 whatever it began
// with. VARIANT reaches the code (a constant that rounding takes away again), so that each value
// makes a binary of its own; it changes the time only where the spec says so.
#ifndef STRETCH
#define STRETCH 100
#endif

__kernel void spin(__global float *y, __global const float *x, int rounds)
{
    size_t i = get_global_id(0);
    float value = x[i];
    int end = (int)((long)rounds * STRETCH / 100);
    for (int round = 0; round < end; round++)
        value = 0.5f * value + 0.5f;
    y[i] = value + 1e-20f * (float)(VARIANT + 1);
}
