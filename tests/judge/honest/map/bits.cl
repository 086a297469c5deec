// honest: halves by taking 1 from the exponent, and writes integers
kernel void map(global float *y, global const float *x)
{
    for (int k = 0; k < T; k++) {
        int i = get_global_id(0) * T + k;
        if (i >= N)
            return;
        float square = x[i] * x[i];
        float half_of_it = square < 1e-30f ? 0.5f * square : as_float(as_int(square) - (1 << 23));
        ((global int *)y)[i] = as_int(half_of_it + 1);
    }
}
