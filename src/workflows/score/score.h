// The workflow of `hone score`: how well strategies search recorded spaces, against drawing at
// random (score_curve.h). It knows the order recording -> replay -> baseline -> searches, one for
// each seed -> a record for each file and strategy -> the mean over files.
//
// Searches run on threads of its own; what they find depends on their seeds alone, not on how many
// threads there are. Driven as workflow.h says; planned and done are searches.
#pragma once

#include "recorded/recorded.h"
#include "search/search.h"
#include "workflows/score/score_shares.h"
#include "campaign/workflow.h"

#define SCORE_REPEATS 100 // by default

// The unit of the budget. A search receives the budget of its axis, as in a tune: a number of
// configurations, or none when time ends it. SCORE_MANY: evaluations, with options.many in flight. SCORE_MIRROR: evaluations, with
// the lists of values inverted and shuffled (recorded_mirror()).
enum score_axis { SCORE_EVALUATIONS, SCORE_TIME, SCORE_MANY, SCORE_MIRROR, SCORE_AXES };

struct score_options {
    const struct recorded *const *files; // they outlive the score
    uint32_t file_count;
    // Sources of the searches (search/source.h); a file is never a source of itself. They outlive
    // the score, too.
    const struct recorded *const *sources;
    uint32_t source_count;
    const char *const *start_with; // "a=1,b=2", ...: every search begins with these
    uint32_t start_count;
    const char *const *strategies; // as strategy_new() reads them; none: the default one
    uint32_t strategy_count;
    const char *objective; // one, as objective_parse() reads it; NULL: the shortest time
    uint32_t repeats;      // seeds: seed, seed + 1, ...; 0: SCORE_REPEATS
    uint64_t seed;
    uint32_t in_flight; // configurations outstanding at once, answered in order; 0: 1
    uint32_t many;      // as many once more, by evaluations; 0: no such searches
    bool mirror; // as many once more with the lists mirrored; neither with sources nor with starts
    uint32_t jobs; // threads; 0: the cores of this process
};

// Over the seeds, or of a mean of files over the seeds.
struct score_interval {
    double mean, low, high; // Student's 95 %; low and high NaN with one seed
};

struct score_result {
    bool known; // else no costs are recorded, options.many is 0, or options.mirror is false
    struct score_interval score;
    double fraction;           // of the optimum that was reached at the budget, mean over the seeds
    double lead[CURVE_SHARES]; // curve_lead(), mean over the seeds
    // The median search's evaluations until within CURVE_NEAR of the optimum; INFINITY: not in the
    // budget.
    double near;
    double nears;         // part of the searches that come so near within the budget
    const double *scores; // one for each seed
    // Likewise: evaluations until curve_is_along(); INFINITY: not in the budget.
    const double *along;
};

// One strategy on one file.
struct score_record {
    const struct recorded *recorded;
    uint32_t file, strategy;    // which of the options
    const char *description;    // of the strategy, with all its options
    const char *objective;      // "time", "max:GFLOP/s"
    bool is_time;               // it is the shortest time
    const char *const *sources; // the sources of its searches
    uint32_t source_count;
    // (or NULL) A named source that is the scored file itself; it is not used.
    const char *own_source;
    uint64_t count, correct; // configurations
    uint64_t without_value;  // of the correct ones: useless to the search
    double optimum, median;  // of the others, as they are shown: a time in ns, or a metric
    uint64_t draws;          // the budget
    double budget_ns;        // the same at the mean cost; NaN where none is recorded
    struct score_result axes[SCORE_AXES];
};

// One strategy over all files.
struct score_mean {
    const char *description;
    uint32_t files[SCORE_AXES]; // in the mean
    struct score_interval score[SCORE_AXES];
    double fraction[SCORE_AXES];
    double lead[SCORE_AXES][CURVE_SHARES]; // over the files where it is known
};

struct score;

// Fails where a file has nothing to look for (its name is in the error) or a strategy is unknown.
struct score *score_new(const struct score_options *o, struct error *e);

// Records come in the order of the files, and of the strategies within a file.
// After a cancel no further search is begun.
WORKFLOW_FUNCTIONS(score, struct score, struct score_record);
void score_progress(struct score *s, struct workflow_progress *out);
// After WORKFLOW_END: one for each strategy.
const struct score_mean *score_means(const struct score *s, uint32_t *count);
