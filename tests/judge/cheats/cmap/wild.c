// memory: a store before the output
// verdict: runtime
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
    y[-1] = 3;
}
