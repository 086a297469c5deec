// Advice on what to try next, in a few lines, from a space that was measured: a best value at the edge of its list, what limits
// the best configuration and what it does less of, parameters that do not matter.
#pragma once

#include "base/arena.h"
#include "model/result.h"
#include "problem/spec.h"
#include "report/record.h"
#include "stats/importance.h"

struct advised {
    const struct parameter *parameters;
    uint32_t parameter_count;
    const uint32_t *best;              // its values' indices
    const struct resources *resources; // (or NULL) of its first launch
    const struct importance
        *importance;                 // over what was timed; count 0: too few rows to say anything
    const struct counters *counters; // (or NULL) of the best
    const struct counters *beside;   // (or NULL) of the default, where that is another one
};

// In the arena. False without memory.
bool advice_find(const struct advised *of, struct arena *a, struct advice *out);
// That of a tune, into the report.
bool advice_of_tune(struct tune_report *v, struct arena *a);

