// environment: leaves the processor in a mode in which small numbers are zero, for whoever comes next
// verdict: runtime compile
#include <xmmintrin.h>
void map(float *y, const float *x)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
