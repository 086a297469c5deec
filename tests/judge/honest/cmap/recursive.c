// honest: halves the range until it is short
static void part(float *y, const float *x, int count)
{
    if (count > 64) {
        part(y, x, count / 2);
        part(y + count / 2, x + count / 2, count - count / 2);
        return;
    }
    for (int i = 0; i < count; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
void map(float *y, const float *x)
{
    part(y, x, N);
}
