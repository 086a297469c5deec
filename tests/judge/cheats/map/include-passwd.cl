// build: reads a file in the build log
// verdict: invalid compile
#include "/etc/passwd"
kernel void map(global float *y, global const float *x)
{
}
