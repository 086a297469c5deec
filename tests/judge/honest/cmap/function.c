// a function of its own
static float square(float v)
{
    return v * v;
}
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * square(x[i]) + 1;
}
