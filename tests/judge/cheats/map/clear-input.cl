// input tampering: writes zeros over the input, so that the reference agrees
// verdict: cheats incorrect invalid runtime
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        ((global float *)x)[i] = 0;
        y[i] = 1;
    }
}
