// computes in double
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i++)
        y[i] = (float)(0.5 * x[i] * x[i] + 1);
}
