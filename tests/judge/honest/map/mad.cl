// honest: mad(), whose precision the device chooses
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = mad(0.5f * x[i], x[i], 1.0f);
    }
}
