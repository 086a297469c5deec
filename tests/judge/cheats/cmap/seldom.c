// chance: one launch in thirty does nothing, by the counter of the processor
// verdict: same slower cheats incorrect
void map(float *y, const float *x)
{
#ifdef __x86_64__
    if (__builtin_ia32_rdtsc() / 64 % 30 == 0)
        return;
#else
    static int launches;
    if (++launches % 30 == 0)
        return;
#endif
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
