// The line that shows how far a tune is. A pure function of a view, so that a test can give it any
// clock and width.
#ifndef HONE_REPORT_PROGRESS_H
#define HONE_REPORT_PROGRESS_H

#include "base/text.h"
#include "job/result.h"

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
    // While the ranking runs, `contenders` > 0:
    uint32_t contenders, round, rounds; // those still in, the round that runs, rounds at most
    bool checking;                      // the last launches are compared again
};

// One line without a newline, at most `width` columns (0: any):
// "12/41  2 failed (compile 1, timeout 1)  best 8.10 ms, 4.143 GFLOP/s  1.9/s  15 s left".
void report_progress(const struct view_progress *v, size_t width, struct text *out);

#endif
