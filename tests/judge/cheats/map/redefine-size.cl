// build: defines the size anew
// verdict: invalid compile incorrect
#undef N
#define N 1
kernel void map(global float *y, global const float *x)
{
    y[get_global_id(0)] = x[get_global_id(0)];
}
