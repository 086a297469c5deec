// wrong but passing: the result of the neighbour
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        int n = i ^ 1;
        y[i] = 0.5f * x[n] * x[n] + 1;
    }
}
