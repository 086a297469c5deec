// through memory of its own
static float stage[N];
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i++)
        stage[i] = 0.5f * x[i];
    for (int i = 0; i < N; i++)
        y[i] = stage[i] * x[i] + 1;
}
