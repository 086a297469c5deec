// honest: works in memory of its own
#include <stdlib.h>
#include <string.h>
void map(float *y, const float *x)
{
    float *own = malloc(N * sizeof *own);
    if (!own)
        abort();
    memcpy(own, x, N * sizeof *own);
    for (int i = 0; i < N; i++)
        own[i] = 0.5f * own[i] * own[i] + 1;
    memcpy(y, own, N * sizeof *own);
    free(own);
}
