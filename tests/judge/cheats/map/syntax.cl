// build: does not compile
// verdict: compile invalid
kernel void map(global float *y, global const float *x)
{
