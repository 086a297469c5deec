// out = factor * |in|, with a fault of each kind.
#include <math.h>
#include <stdlib.h>

void scale(float *restrict out, const float *restrict in, int n, float factor)
{
#pragma omp parallel for
    for (int i = 0; i < n; i += UNROLL)
        for (int k = i; k < i + UNROLL && k < n; k++)
            out[k] = fabsf(in[k]) * factor;
#if FAULT == 1
    out[n / 2] += 1;
#elif FAULT == 2
    out[n] = 1;
#elif FAULT == 3
    for (volatile int forever = 0;;)
        forever++;
#elif FAULT == 4
    *(volatile int *)NULL = 1;
#elif FAULT == 5
    this does not compile;
#elif FAULT == 6
    exit(0);
#endif
}
