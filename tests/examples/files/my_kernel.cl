// y = a * x + y, PER_ITEM elements a work-item.
#ifndef GROUP
#define GROUP 64
#endif
#ifndef PER_ITEM
#define PER_ITEM 1
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void saxpy(__global float *y, __global const float *x, float a, int n)
{
    int first = get_global_id(0);
    int step = get_global_size(0);
    for (int k = 0; k < PER_ITEM; k++) {
        int i = first + k * step;
        if (i < n)
            y[i] = a * x[i] + y[i];
    }
}
