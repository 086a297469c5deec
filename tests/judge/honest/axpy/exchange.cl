// style: takes y by an atomic exchange, and puts the sum in its place
kernel void axpy(global float *y, global const float *x)
{
    int i = get_global_id(0);
    if (i >= N)
        return;
    float own = as_float(atomic_xchg((volatile global int *)&y[i], 0));
    atomic_xchg((volatile global int *)&y[i], as_int(mad(3.0f, x[i], own)));
}
