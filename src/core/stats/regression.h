// Whether a kernel became slower than a baseline says. Pure functions on the *passes* of both: a pass is the median of some
// rounds in one process, which built and loaded the kernel anew. Passes are what is compared, because launches within one
// share where code and buffers came to lie and the clock at that time, and agree far better with each other than with those
// of another pass (stats/rules.h, `alike`): an interval made from launches would be too narrow by several times. The spread
// of the baseline's passes counts as much as that of today's.
//
// The ratio is the median of all ratios of a pass of today to one of the baseline, and its interval comes from the ranks of
// Mann and Whitney's statistic (stats/differ.h). The intervals of all configurations hold together (Bonferroni).
#ifndef HONE_STATS_REGRESSION_H
#define HONE_STATS_REGRESSION_H

#include "base/error.h"
#include "stats/differ.h"

// X(NAME, text)
#define REGRESSION_VERDICTS(X)                                                                     \
    X(UNDECIDED, "undecided") /* the interval reaches beyond the threshold */                      \
    X(OK, "ok")               /* the interval ends at or below the threshold */                    \
    X(GAIN, "gain")           /* the same, and it lies below 1: faster */                          \
    X(LOSS, "loss")           /* the interval lies wholly beyond the threshold */

enum regression_verdict {
#define X(name, text) REGRESSION_##name,
    REGRESSION_VERDICTS(X)
#undef X
};
const char *regression_text(enum regression_verdict v);

struct regression_terms {
    double loss;            // 0.03: up to 3 % slower is no loss
    double level;           // of all intervals together: 0.95
    size_t tests;           // configurations that are judged, 1 or more
    uint64_t resolution_ns; // nothing is told finer
};

struct regression {
    enum regression_verdict verdict;
    // Today's time over the baseline's; with too few passes for an interval it is the range, and nothing is decided.
    struct stats_ratio ratio;
};

// Medians of passes, in ns.
void regression_judge(const uint64_t *now, size_t now_count, const uint64_t *before,
                      size_t before_count, const struct regression_terms *terms,
                      struct regression *out);

// After the first passes: is the configuration measured in as many again? Only one of which a loss cannot be excluded is, and
// only after these is a loss called one: what disturbs a few passes calls no alarm.
bool regression_goes_on(const struct regression *r);

#endif
