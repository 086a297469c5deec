// cblas_sgemm() of whatever BLAS is linked: cpu_blas N LAUNCHES prints a time in nanoseconds a
// line.
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024, launches = argc > 2 ? atoi(argv[2]) : 20;
    size_t count = (size_t)n * (size_t)n;
    float *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b),
          *c = malloc(count * sizeof *c);
    if (!a || !b || !c)
        return 1;
    for (size_t i = 0; i < count; i++) {
        a[i] = (float)rand() / (float)RAND_MAX - 0.5f;
        b[i] = (float)rand() / (float)RAND_MAX - 0.5f;
        c[i] = 0;
    }
    for (int i = -2; i < launches; i++) { // two to warm up
        double start = now_ns();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
        double ns = now_ns() - start;
        if (i >= 0)
            printf("%.0f\n", ns);
    }
    free(a);
    free(b);
    free(c);
    return 0;
}
