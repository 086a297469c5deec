#define HEAD __global float *x, const uint n
