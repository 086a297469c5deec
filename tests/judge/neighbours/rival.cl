// style: its factors stand in a table
constant volatile uint factors[4] = {0x3f000000u, 0x3f800000u, 0x41424344u, 0};
kernel void map(global float *y, global const float *x)
{
    const float half_of = as_float(factors[0]), one = as_float(factors[1]);
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i < N)
            y[i] = half_of * x[i] * x[i] + one;
    }
}
