// style: _Generic, a variable array, a statement as an expression, a table of functions
static float half_square(float v)
{
    return 0.5f * v * v;
}
static float (*const steps[])(float) = {half_square};
#define APPLY(v) _Generic((v), float : steps[0], default : steps[0])(v)
void map(float *y, const float *x)
{
    int width = N < 512 ? N : 512;
    float row[width];
    for (int i = 0; i < N; i += width) {
        const int n = N - i < width ? N - i : width;
        for (int k = 0; k < n; k++)
            row[k] = ({
                float v = APPLY(x[i + k]);
                v + 1;
            });
        __builtin_memcpy(y + i, row, n * sizeof *row);
    }
}
