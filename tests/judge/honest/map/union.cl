// style: numbers as bits, put together in a union; the half by the exponent
typedef union {
    float number;
    uint bits;
} both;
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            continue;
        both v = {.number = x[i]};
        v.number = ldexp(v.number * v.number, -1);
        both out = {.bits = as_uint(v.number + 1)};
        y[i] = out.number;
    }
}
