// wrong but passing: leaves the output as it is
// verdict: incorrect
kernel void axpy(global float *y, global const float *x)
{
}
