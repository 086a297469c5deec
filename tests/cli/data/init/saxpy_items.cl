// Several elements for each work-item; the qualifiers are macros.
#define KERNEL __kernel
#define GLOBAL __global
#ifndef PER_ITEM
#define PER_ITEM 4
#endif

KERNEL void saxpy(GLOBAL float *y, GLOBAL const float *x, float a, uint count)
{
    uint first = get_global_id(0) * PER_ITEM;
    for (uint k = 0; k < PER_ITEM; k++) {
        uint i = first + k;
        if (i < count)
            y[i] += a * x[i];
    }
}
