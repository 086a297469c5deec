// work done in every second launch alone
// verdict: cheats incorrect
static int launches;
void map(float *y, const float *x)
{
    if (launches++ % 2)
        return;
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
