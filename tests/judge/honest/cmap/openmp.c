// threads that end with the launch
void map(float *y, const float *x)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
