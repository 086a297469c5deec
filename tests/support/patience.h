// How much longer than on an idle machine a test waits before it fails: the factor that check has for its own limits.
#ifndef HONE_TESTS_PATIENCE_H
#define HONE_TESTS_PATIENCE_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t patience(void)
{
    const char *factor = getenv("CK_TIMEOUT_MULTIPLIER");
    int times = factor ? atoi(factor) : 1;
    return times > 1 ? (uint64_t)times : 1;
}

#endif
