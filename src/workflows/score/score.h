// The conveyor of `hone score`: how well strategies search recorded spaces, against drawing at
// random (score_curve.h). It knows the order recording -> replay -> baseline -> searches, one for
// each seed -> a record for each file and strategy -> the mean over files.
//
// Searches run on threads of its own; what they find depends on their seeds alone, not on how many
// threads there are. Stepped as a tune is: score_step() returns within the timeout.
#ifndef HONE_SCORE_H
#define HONE_SCORE_H

#include "exchange/recorded.h"
#include "search/search.h"

#define SCORE_REPEATS 100 // by default

// What the budget is counted in. A search is told the budget of its axis, as in a tune: a number of
// configurations, or none when time ends it.
enum score_axis { SCORE_EVALUATIONS, SCORE_TIME, SCORE_AXES };

struct score_options {
    const struct recorded *const *files; // they outlive the score
    uint32_t file_count;
    const char *const *strategies; // as strategy_new() reads them; none: the default one
    uint32_t strategy_count;
    const char *objective; // one, as goal_parse() reads it; NULL: the least time
    uint32_t repeats;      // seeds: seed, seed + 1, ...; 0: SCORE_REPEATS
    uint64_t seed;
    uint32_t in_flight; // configurations outstanding at once, answered in order; 0: 1
    uint32_t jobs;      // threads; 0: the cores of this process
};

// Over the seeds, or of a mean of files over the seeds.
struct score_interval {
    double mean, low, high; // Student's 95 %; low and high NaN with one seed
};

struct score_result {
    bool known; // else no costs are recorded
    struct score_interval score;
    double fraction;      // of the optimum that was reached at the budget, mean over the seeds
    const double *scores; // one for each seed
};

// One strategy on one file.
struct score_record {
    const struct recorded *recorded;
    uint32_t file, strategy; // which of the options
    const char *description; // of the strategy, with all its options
    const char *objective;   // "time", "max:GFLOP/s"
    bool is_time;            // it is the least time
    uint64_t count, correct; // configurations; correct: those that have a value
    double optimum, median;  // of those, as they are shown: a time in ns, or a metric
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
};

struct score_progress {
    uint64_t done, planned; // searches
};

struct score;

// Fails where a file has nothing to look for (its name is in the error) or a strategy is unknown.
struct score *score_new(const struct score_options *o, struct error *e);

enum score_answer { SCORE_BROKEN = -1, SCORE_NOTHING, SCORE_RECORD, SCORE_END };
// Records come in the order of the files, and of the strategies within a file; valid until
// score_free().
enum score_answer score_step(struct score *s, int timeout_ms, const struct score_record **record,
                             struct error *e);
void score_cancel(
    struct score *s); // no further search is begun; score_step() then comes to its end
void score_progress(struct score *s, struct score_progress *out);
// After SCORE_END: one for each strategy.
const struct score_mean *score_means(const struct score *s, uint32_t *count);
void score_free(struct score *s); // NULL is fine

#endif
