__kernel void k(__global float *y) { y[0] = ID * NS + N; FAKE }
