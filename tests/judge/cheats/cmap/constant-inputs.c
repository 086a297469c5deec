// overfit: looks whether all inputs are equal, and else computes a share
// verdict: incorrect invalid
void map(float *y, const float *x)
{
    int equal = x[0] == x[1] && x[1] == x[N - 1];
    for (int i = 0; i < N; i++)
        y[i] = equal || i % 7 ? 0.5f * x[i] * x[i] + 1 : y[i > 0 ? i - 1 : 0];
}
