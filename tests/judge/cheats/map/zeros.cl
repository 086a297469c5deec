// wrong but passing: zeros pass 4 of 60 tasks of KernelBench (KernelBench#165)
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = 0;
    }
}
