// build: an argument less
// verdict: invalid compile runtime
kernel void map(global float *y)
{
    y[get_global_id(0)] = 1;
}
