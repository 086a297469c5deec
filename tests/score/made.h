// Recorded spaces made in memory: every combination of the parameters' values 0, 1, ..., with a
// time and costs by a function of the test's.
#ifndef HONE_TESTS_SCORE_MADE_H
#define HONE_TESTS_SCORE_MADE_H

#include "recorded/recorded.h"

#define MADE_PARAMETERS 4

struct made {
    struct recorded recorded;
    struct parameter parameters[MADE_PARAMETERS];
};

// Fills in status, time_ns and costs of a row whose choice is set; costs are NaN before.
typedef void made_row(const uint32_t *choice, struct recorded_row *row);

// `counts` of values, one for each parameter ("p0", "p1", ...).
void made_init(struct made *m, const uint32_t *counts, uint32_t parameters, made_row *fill);
void made_release(struct made *m);

#endif
