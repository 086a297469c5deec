// work not done: all but the last element
void map(float *y, const float *x)
{
    for (int i = 0; i + 1 < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
