// honest: a formula in a macro, and an #ifndef around a parameter
#ifndef T
#define T 1
#endif
#define FORMULA(v) (0.5f * (v) * (v) + 1)
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        y[i] = FORMULA(x[i]);
    }
}
