// wrong but passing: a cheaper formula that is right at both ends
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = 1 + x[i];
    }
}
