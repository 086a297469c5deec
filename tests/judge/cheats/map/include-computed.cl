// build: includes by a macro
// verdict: invalid compile
#define FILE "/etc/hostname"
#include FILE
kernel void map(global float *y, global const float *x)
{
}
