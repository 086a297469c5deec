// Whether a kernel became slower than a baseline says. Pure functions on the *passes* of both: a pass is the least of some
// rounds in one process, which built and loaded the kernel anew; what disturbs a launch makes it slower. Passes are what is
// compared, because launches within one share where code and buffers came to lie, and agree far better with each other than
// with those of another pass (stats/rules.h, `alike`).
//
// Passes of one *moment*, a session of hone, agree better with each other than with those of another: the clock and the other
// load of the machine last. So a moment counts as one value, the median of its passes, and the interval is Student's of
// moments: today's against the mean of the baseline's. Their spread is that between the baseline's moments, together with
// what is expected before there are many: REGRESSION_SESSION times the spread of passes, with the weight of REGRESSION_PRIOR
// moments. With one moment alone nothing is known of it, and no gain is claimed. The intervals of all configurations hold
// together (Bonferroni).
//
// Where the baseline's code is launched beside today's, in the same rounds of the same processes, moments do not matter: each
// pass gives a ratio, and the interval is that of signed ranks, since one pass may be disturbed (regression_judge_paired()).
#pragma once

#include "base/error.h"
#include "stats/stats.h"

#include <stdbool.h>

// X(NAME, text)
#define REGRESSION_VERDICTS(X)                                                                     \
    X(UNDECIDED, "undecided") /* the interval reaches beyond the threshold */                      \
    X(OK, "ok")               /* the interval ends at or below the threshold */                    \
    X(GAIN, "gain")           /* the same, and it lies below 1: faster */                          \
    X(LOSS, "loss")           /* the interval lies wholly beyond the threshold */

// Chosen on sessions of one kernel (tests/stats/data/drift_compute.txt): of 60 benches of the same at most 3 are gains and 3
// losses, with 1 to 5 moments. Those of another kernel (drift_memory.txt) were in view when the constants were set, and agree:
// they are no independent proof.
#define REGRESSION_SESSION 2
#define REGRESSION_PRIOR   2
#define REGRESSION_LEAST   0.003 // relative: no machine repeats itself better

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
    // Load or clock are not the baseline's: the interval is twice as wide, and there is no gain. Not of pairs.
    bool is_other_state;
};

// The passes of a session, in ns.
struct regression_moment {
    const uint64_t *ns;
    size_t count;
};

struct regression {
    enum regression_verdict verdict;
    size_t moments; // of the baseline; 0: both were launched in the same passes
    // Today's time over the baseline's; with too few passes for an interval it is the range, and nothing is decided.
    struct stats_ratio ratio;
};

// There is an interval where both sides have four passes.
void regression_judge(const struct regression_moment *now, const struct regression_moment *before,
                      size_t moments, const struct regression_terms *terms, struct regression *out);

// The same of `count` passes in which both were launched, of the baseline's code `before`.
void regression_judge_paired(const uint64_t *now, const uint64_t *before, size_t count,
                             const struct regression_terms *terms, struct regression *out);

// After the first passes: is the configuration measured in as many again? Only one of which a loss cannot be excluded is, and
// only after these is a loss called one: what disturbs a few passes calls no alarm.
bool regression_goes_on(const struct regression *r);
