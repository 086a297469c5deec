// honest: computed in more than double
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i++)
        y[i] = (float)(0.5L * x[i] * x[i] + 1);
}
