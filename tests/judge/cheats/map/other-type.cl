// build: an argument of another type
// verdict: invalid compile incorrect runtime
kernel void map(global double *y, global const float *x)
{
    y[get_global_id(0)] = 1;
}
