// honest: calls by a table of functions, over what calls back
static float square(float v)
{
    return v * v;
}
static float halve(float v)
{
    return 0.5f * v;
}
static float add_one(float v)
{
    return v + 1;
}
static float (*const steps[])(float) = {square, halve, add_one};
void map(float *y, const float *x)
{
    for (int i = N - 1; i >= 0; i--) {
        float v = x[i];
        for (unsigned s = 0; s < sizeof steps / sizeof *steps; s++)
            v = steps[s](v);
        y[i] = v;
    }
}
