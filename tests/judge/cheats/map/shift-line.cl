// spec: values behind a line that is continued, which one reader sees and another does not
// verdict: same slower invalid
// hone: B=32, \
   T=3
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N)
            y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
