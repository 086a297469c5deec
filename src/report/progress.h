// The line that shows how far a tune is. A pure function of a view, so that a test can give it any
// clock and width.
#ifndef HONE_REPORT_PROGRESS_H
#define HONE_REPORT_PROGRESS_H

#include "base/text.h"
#include "workflows/check/checks.h"
#include "workflows/compare/compare.h"
#include "workflows/tune/tune.h"

struct view_progress {
    uint64_t planned, done, reused;
    uint64_t by_status[STATUS_COUNT];
    uint64_t spec_errors; // of the failures, those that are errors of the spec
    uint64_t spec_by_status[STATUS_COUNT];
    bool has_best, has_metric, several;
    double best_ns;
    double metric; // of the best
    const char *metric_unit;
    uint64_t pareto; // of several objectives, which have no best: so many in the Pareto set
    uint64_t elapsed_ns;
    uint64_t left_ns; // 0: no estimate
    uint32_t building;
    bool measuring;
    const char *waiting; // (or NULL)
    bool cancelled;
    bool replayed; // from a recording
    // While the ranking runs, `finalists` > 0:
    uint32_t finalists, round, rounds; // those still in, the round that runs, rounds at most
    bool checking;                     // the last launches are compared again
};

// One line without a newline, at most `width` columns (0: any):
// "12/41  2 failed (compile 1, timeout 1)  best 8.10 ms, 4.143 GFLOP/s  1.9/s  15 s left".
void report_progress(const struct view_progress *v, size_t width, struct text *out);

// The same of a workflow. Beside the time of the best stands what is looked for, where that is a
// metric, else the first metric of the spec.
void report_tune_progress(const struct tune_progress *p, const struct objectives *o,
                          const struct spec *spec, size_t width, struct text *out);
void report_check_progress(const struct check_progress *p, size_t width, struct text *out);
void report_compare_progress(const struct compare_progress *p, size_t width, struct text *out);

#endif
