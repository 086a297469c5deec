// style: leaves its loop by longjmp
#include <setjmp.h>
static void step(jmp_buf out, float *y, const float *x, int i)
{
    if (i == N)
        longjmp(out, 1);
    y[i] = 0.5f * x[i] * x[i] + 1;
}
void map(float *y, const float *x)
{
    jmp_buf out;
    volatile int i = 0;
    if (setjmp(out) == 0)
        for (;;)
            step(out, y, x, i++);
}
