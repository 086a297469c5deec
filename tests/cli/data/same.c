// out = 2 * in. The compiler drops what STEP is compared with, so that STEP=1, 2, 3 are one code, and 8 another.
void twice(float *restrict out, const float *restrict in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] * (STEP > 4 ? 4.0f : 2.0f) - (STEP > 4 ? in[i] + in[i] : 0.0f);
}
