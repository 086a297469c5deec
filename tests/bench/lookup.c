/* Times, by the thread's own clock, the lookup in a generated header (table.h, prefix bench) and, through libhone-known, in table.hone. */
#define _POSIX_C_SOURCE 200809L
#include "table.h"

#include <hone_known.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 21, LOOKUPS = 20000 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int64_t sizes[LOOKUPS][3];
static double times[3][ROUNDS];

int main(int argc, char **argv)
{
    char error[200];
    size_t found = 0;
    uint32_t best;
    int i, c, round, way;
    const bench_handle handle = bench_device("Card 7");
    const hone_known_device device = {"Card 7", NULL, NULL, 0};
    hone_known *known = argc > 1 ? hone_known_open(argv[1], error, sizeof error) : NULL;
    if (!known)
        return EXIT_FAILURE;
    srand(1);
    for (i = 0; i < LOOKUPS; i++)
        for (c = 0; c < 3; c++)
            sizes[i][c] = 1 + rand() % (16 << rand() % 11);
    for (round = 0; round < ROUNDS; round++) {
        for (way = 0; way < 3; way++) {
            const double start = now_ns();
            for (i = 0; i < LOOKUPS; i++) {
                const int64_t *s = sizes[i];
                if (way == 0)
                    found += bench_best_on(&handle, s[0], s[1], s[2]) != NULL;
                else if (way == 1)
                    found += bench_best("Card 7", s[0], s[1], s[2]) != NULL;
                else
                    found += hone_known_best(known, &device, s, 3, &best) == 1;
            }
            times[way][round] = (now_ns() - start) / LOOKUPS;
        }
    }
    for (way = 0; way < 3; way++) {
        static const char *const ways[] = {"header, device resolved once", "header, device by name",
                                           "libhone-known, device by name"};
        qsort(times[way], ROUNDS, sizeof times[way][0], compare_times);
        printf("%-30s median %.0f ns, least %.0f ns\n", ways[way], times[way][ROUNDS / 2],
               times[way][0]);
    }
    hone_known_close(known);
    return found == 3u * ROUNDS * LOOKUPS ? EXIT_SUCCESS : EXIT_FAILURE;
}
