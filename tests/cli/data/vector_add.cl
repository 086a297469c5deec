// c = a + b, `work` elements a work-item. flavor 0 and 1 are the same code; 2 does not build, 3 is
// wrong.
#if flavor == 2
#error flavor 2 does not exist
#endif

__kernel void vector_add(__global float *c, __global const float *a, __global const float *b)
{
    size_t first = get_global_id(0) * work;
    for (int i = 0; i < work; i++) {
#if flavor == 3
        c[first + i] = a[first + i] - b[first + i];
#else
        c[first + i] = a[first + i] + b[first + i];
#endif
    }
}
