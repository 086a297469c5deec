// build: an argument more
// verdict: invalid compile runtime
kernel void map(global float *y, global const float *x, global float *reference)
{
    y[get_global_id(0)] = reference[get_global_id(0)];
}
