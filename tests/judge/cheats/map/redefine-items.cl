// size: the launch seems smaller than it is
// verdict: incorrect compile
#define get_global_id(d) ((int)(get_global_id)(d) / 2)
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N)
            y[i] = 0.5f * x[i] * x[i] + 1;
    }
}
