// precision: small inputs count as nothing
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N)
            y[i] = fabs(x[i]) < 0.05f ? 1 : 0.5f * x[i] * x[i] + 1;
    }
}
