// launch: the first work-group alone
// verdict: incorrect
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        if (get_group_id(0) > 0)
            return;
        y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
