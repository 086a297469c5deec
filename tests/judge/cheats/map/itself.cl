// include: itself, without an end
// verdict: compile invalid
#include "itself.cl"
kernel void map(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i < N)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
