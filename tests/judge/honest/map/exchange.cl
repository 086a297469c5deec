// honest: each result is written by an atomic exchange
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N)
            atomic_xchg((volatile global int *)y + i, as_int(0.5f * x[i] * x[i] + 1));
    }
}
