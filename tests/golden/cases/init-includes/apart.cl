#include "real.h"
__kernel void twice(__global real *x, int n)
{
    int i = get_group_id(0) * GROUP + get_local_id(0);
    if (i < n)
        x[i] = 2 * x[i];
}
