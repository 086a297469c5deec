// When to stop measuring one configuration. All constants of the procedure stand here, named.
#ifndef HONE_MEASURE_RULES_H
#define HONE_MEASURE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measure_rules {
    uint32_t first;     // samples before the interval is looked at
    uint32_t most;      // samples of one configuration at most
    uint32_t more;      // samples of each later request
    double settled;     // relative half width of the interval at which it is settled
    double hopeless;    // times the best: two launches in a row beyond this end the configuration
    double behind;      // times the best: an interval wholly beyond this needs no more samples
    uint64_t budget_ns; // kernel time of one configuration's samples
    uint32_t fixed;     // > 0: exactly this many samples, no early stop (--iterations)
};

// first 6, most 20, more 7, settled 0.01, hopeless 2, behind 1.1, budget 1 s, fixed 0
struct measure_rules measure_rules_default(void);

enum measure_verdict { MEASURE_MORE, MEASURE_SETTLED, MEASURE_LIMIT, MEASURE_FIXED };

// After `count` samples: how many more to ask for (`*more`, never 0 with MEASURE_MORE), or why to
// stop. SETTLED: the interval is narrow enough, or wholly behind the best so far (best_ns, 0: there
// is none), or `most` samples are there; LIMIT: the time budget is used up; FIXED: the count that
// was asked for.
enum measure_verdict measure_next(const struct measure_rules *rules, const uint64_t *samples,
                                  size_t count, uint64_t resolution_ns, uint64_t best_ns,
                                  uint32_t *more);

#endif
