// values of its own
// hone: T=4
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i += T)
        for (int k = i; k < i + T && k < N; k++)
            y[k] = 0.5f * x[k] * x[k] + 1;
}
