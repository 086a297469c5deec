// input tampering: leaves its result in the input as well
// verdict: cheats incorrect invalid runtime
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
    ((float *)x)[0] += 1;
}
