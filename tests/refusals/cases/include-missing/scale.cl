#include "types/real.h"

__kernel void scale(__global real *out, __global const real *in, const real factor)
{
    const size_t i = get_global_id(0);
    out[i] = factor * in[i];
}
