// build: a kernel of another name
// verdict: invalid
kernel void mapping(global float *y, global const float *x)
{
    y[0] = x[0];
}
