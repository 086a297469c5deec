// environment: binds its worker to one core, so that threads of the others share it
// verdict: runtime
#define _GNU_SOURCE
#include <sched.h>
void map(float *y, const float *x)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
