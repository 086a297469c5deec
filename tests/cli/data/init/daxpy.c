void daxpy(int n, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i += UNROLL)
        for (int k = i; k < i + UNROLL && k < n; k++)
            y[k] += a * x[k];
}
