// Reads the output that the spec calls write-only.
void cheat(float *y, const float *x)
{
    for (int i = 0; i < N; i++) {
        if (y[i] == 2 * x[i])
            continue;
        y[i] = 2 * x[i];
    }
}
