// For the driver that runs nothing: it does what the marker says and takes FAKE_NS for it.
__kernel void product(__global const float *A, __global const float *B, __global float *C)
{
    C[get_global_id(0)] = A[get_global_id(0)] + B[get_global_id(0)] + 0 * (ID + FAKE_NS); // fake:add
}
