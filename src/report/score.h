// How strategies search recorded spaces: the views of `hone score`, as text and JSON.
#ifndef HONE_REPORT_SCORE_H
#define HONE_REPORT_SCORE_H

#include "base/emit.h"

// Over the seeds.
struct view_score_axis {
    bool known;             // else no costs are recorded
    double mean, low, high; // the score and its 95 % interval; low and high NaN with one seed
    double fraction;        // of the optimum, at the budget
    const double *scores;   // one for each seed
};

// One strategy on one file.
struct view_score {
    const char *path, *format; // "T4"
    const char *name, *device; // "": the file does not say
    const char *statistic;     // what its times are: "mean"
    const char *strategy;      // with all its options
    uint64_t configurations, correct;
    const char *objective; // "max:GFLOP/s"
    bool is_time;          // the least time: optimum and median are ns
    double optimum, median;
    uint64_t budget;  // evaluations
    double budget_ns; // NaN: no costs are recorded
    uint32_t repeats, in_flight;
    uint64_t seed; // the first
    struct view_score_axis evaluations, time;
};

// One strategy over several files.
struct view_score_mean {
    const char *strategy;
    uint32_t files, time_files; // in the means
    struct view_score_axis evaluations, time;
};

// A file and its strategies, `count` of them.
void report_score(const struct view_score *v, size_t count, struct text *out);
void report_score_means(const struct view_score_mean *v, size_t count, uint32_t repeats,
                        struct text *out);
// {"file", "format", "space", "device", "statistic", "strategy", "repeats", "seed", "in_flight",
//  "configurations", "correct", "objective", "optimum", "median", "budget", "score",
//  "interval":[low, high], "fraction", "scores":[], "time":{"budget_ns", "score", "interval",
//  "fraction", "scores":[]}}; "time" is null where no costs are recorded, "interval" with one seed.
void report_score_json(const struct view_score *v, struct emit *j);

#endif
