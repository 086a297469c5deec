// honest: more precise than it has to be
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        double v = x[i];
        y[i] = (float)(0.5 * v * v + 1);
    }
}
