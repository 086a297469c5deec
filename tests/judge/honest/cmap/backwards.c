// from the last to the first
void map(float *y, const float *x)
{
    for (int i = N - 1; i >= 0; i--)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
