// honest: two elements an item, half of the items idle
kernel void axpy(global float *y, global const float *x)
{
    int i = get_global_id(0);
    for (int k = 2 * i; k < 2 * i + 2 && k < N; k++)
        y[k] += 3 * x[k];
}
