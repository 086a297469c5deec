// The workflow of `hone tune` (and, with one configuration, of `hone run`): the one place that
// knows the order spec -> space -> strategy -> job -> evaluator -> result -> store.
//
// Driven as workflow.h says; planned and done are configurations.
#pragma once

#include "base/log.h"
#include "search/objective.h"
#include "stats/ranking.h"
#include "stats/stats.h"
#include "search/search.h"
#include "workflows/tie_break.h"
#include "workflows/tune/replay.h"
#include "campaign/final_ranking.h"
#include "campaign/workflow.h"
#include "campaign/subject.h"
#include "runner/farm.h"
#include "problem/spec.h"
#include "store/store.h"

struct tune_options {
    struct setup setup;
    // (optional) The name that results are stored under; NULL: the spec's. `hone best` finds no others.
    const char *name;
    // (optional) Answers instead of a device: device, worker and store of the setup are NULL then, its
    // `jobs` is how many questions are open at once, the budget's time is that of the recorded costs, and
    // there is no ranking. Outlives the tune.
    const struct replay *replay;
    // --start-with: asked first, and part of the budget; none: the spec's, if there are any.
    const char *const *start_with;
    uint32_t start_count;

    struct objectives objectives; // no terms: least time. See below
    const char *strategy;         // (optional) "genetic:population=20"; NULL: by the budget
    struct budget budget;
    bool no_timing; // verified, not timed
    bool keep;      // the jobs stay loaded after the end, for tune_fetch()
    // The search ignores results that the setup's store and known have for other spaces.
    bool no_transfer;
    const struct judge *judge; // (optional) as in live_options; without a store
};

// One configuration that is done.
struct tune_record {
    uint64_t index;            // in the space
    const uint32_t *choice;    // value indices
    const char *configuration; // "block_size_x=16, ..."
    const char *configuration_json;
    const struct job *job;             // NULL once dropped (unless tune_options.keep)
    const struct result *result;       // of the ranking, once it took part in one
    const struct tune_record *same_as; // an identical configuration that was measured instead
    bool is_default;
    bool timed;                 // correct and measured: stats are valid
    struct stats_summary stats; // of the samples, ns
    // On several devices: its times are this many times those of the device to which all times are
    // converted; 1 on that device, if not known, and once it took part in a ranking.
    double pace;
    const double *metrics; // the spec's, at the median, NaN: it has none; NULL: not timed
    uint32_t metric_count;
    const double *values; // of the objectives; NULL: not timed, or one of them is not known
    uint32_t value_count;
    bool pareto; // of several objectives, so far: not dominated by another
    bool ranked; // took part in the ranking to its end: `rank` is valid
    struct ranking_entry rank;
    uint64_t ordinal;    // in the order in which records were handed out, from 0
    uint32_t dimensions; // of the first launch
    uint64_t global[3], local[3];
};

// The ranking at the end, as far as it has come.
struct tune_ranked {
    bool running;             // now
    bool decided;             // records are ranked, and the rest is valid
    bool known;               // the store had the whole of it: nothing was launched
    bool is_short;            // the budget's time was up: no further than the first regular look
    size_t finalists, failed; // failed: of them, while they were ranked or verified again
    size_t tied;              // not distinguished from the winner, which counts
    const struct tune_record *chosen; // of those: what `hone best` answers
    char why[TIE_BREAK_WHY];          // that one was chosen
    uint8_t id[16];                   // of the ranking in the store; zeros with one finalist
    struct final_ranking_status status;
    const struct tune_record *leader; // (or NULL) the fastest in the rounds that ran
    double leader_ns;                 // its median there
};

// How many times faster one record is than another.
struct tune_speedup {
    bool known;  // both have a time, and these compare
    bool same;   // they are one configuration, or run the same job
    bool ranked; // within the rounds of a ranking; else from times of screening, which see drift
    // With its interval (stats/speedup.h) if ranked. For screened records the interval is by ranks, at
    // a level that holds although the faster one was chosen among all, if they have enough launches.
    struct stats_ratio ratio;
    uint32_t needed;  // of screened ones without an interval: launches of each for one; 0: none
                      // of one kind
    bool significant; // the interval lies above 1
};

// Results for the space from elsewhere, as an input of the search (search/source.h).
struct tune_source {
    const char *name; // "NVIDIA A100 (opencl), WIDTH=256"
    uint64_t results; // of configurations of the space
    // (or NULL) The best here of its few best: what it was worth to ask for these.
    const struct tune_record *best;
    struct strategy_heard heard;
    // The speed-up of the tune's best over that, once the search and its ranking are over.
    struct tune_speedup behind;
    uint32_t shared; // parameters that both have and vary
    bool is_failed;  // no result is correct: not an input of the search, and nothing else is known
};

// A configuration that the user started with.
struct tune_start {
    const char *configuration, *configuration_json;
    const struct tune_record *record; // (or NULL) once it is there
    // The speed-up of the tune's best over it, once the search and its ranking are over.
    struct tune_speedup behind;
};

#define ALIKE_COUNT 20

struct tune_progress {
    // planned: allowed by the budget, where what the device refuses does not count; left_ns: of the
    // ranking, once it runs.
    struct workflow_progress common;
    uint64_t valid;     // in the space
    uint64_t reused;    // of them from the store or identical to another
    uint64_t identical; // of those, the ones identical to one that was measured in this run
    uint64_t by_status[STATUS_COUNT];
    uint64_t samples;               // launches timed in this run
    uint64_t launches;              // all launches of kernels in this run
    const struct tune_record *best; // by the objective; (or NULL), always with several objectives
    size_t pareto;                  // of several objectives: records of the set so far
    bool has_default;               // is it in the space?
    const struct tune_record *default_record; // (or NULL) the default configuration, when done
    const struct tune_record *examples[STATUS_COUNT]; // the first of each status, for another
                                                      // reason than the spec where there is one
    uint64_t spec_errors; // of the failures: the spec makes no sense there (fault_is_spec())
    uint64_t spec_by_status[STATUS_COUNT];
    const struct tune_record *spec_example;  // (or NULL) the first of these
    const struct tune_record *alike_example; // (or NULL) all of the first ALIKE_COUNT failed in
                                             // this one's way; what exceeds the device's limits
                                             // counts only where nothing else happened
    struct tune_ranked ranked;
    // (or NULL) why launches are timed by the host's clock; times by the device's are then none
    const char *timer_fault;
    bool out_of_time;                  // the budget's time is used up
    const struct farm_member *members; // of a tune on several devices
    uint32_t member_count;
    const char *strategy;              // its name
    const char *strategy_description;  // with all its options
    const struct tune_source *sources; // by now
    uint32_t source_count;
    const struct tune_start *starts; // in the order in which they were asked
    uint32_t start_count;
    uint32_t fixed; // launches of each configuration, and no ranking; 0: by the rules
    bool replayed;  // from a recording
    // Where the time went, summed over the results of this run (reused ones not counted).
    RESULT_TIMES(RESULT_TIME_MEMBER)
    // All launches of kernels, by the device's clock; a warming-up launch counts as the one it
    // stands before.
    uint64_t kernel_ns;
    uint64_t rank_ns;   // the ranking, from its start to its end
    double replayed_ns; // of a replay: what its results cost when recorded; NaN: not known
    // The breakdown of the evaluator's time; all of the ranking's is in `ranking_ns`.
    struct evaluator_times times;
    uint64_t ranking_ns;
};

struct tune;

// The objective decides what `best` is, which values strategies receive and how records are
// ordered. If it is the time or an equivalent (objective_is_time()), nothing else changes. Under
// any other objective screening may not stop slow configurations, and the ranking in rounds, which
// compares times, would not decide it: there is none, and each configuration has OBJECTIVE_LAUNCHES
// timed launches instead (or as many as were asked for), the smallest number with an interval; with
// their energy if the objective needs it.
#define OBJECTIVE_LAUNCHES 7

// Reads the sources, makes the space and starts the search. Fails with the reason for an empty
// space (space_explain_empty()).
struct tune *tune_new(const struct tune_options *o, struct error *e);

// END: search and ranking are over. A cancel ends the search after the running launch, without a ranking; when the budget's
// time is up there is a ranking still, a short one.
WORKFLOW_FUNCTIONS(tune, struct tune, struct tune_record);
void tune_progress(struct tune *t, struct tune_progress *out);
// Everything that reports show of it.
struct tune_view {
    struct tune_progress progress;
    const struct tune_options *options; // what it was made of
    const struct subject *subject;      // the space, the sources, and how results are verified
    const struct tune_record *const *records;
    size_t count;
};
void tune_view(struct tune *t, struct tune_view *out);

// The speed-up of the best over the default configuration; not known without a single best.
void tune_speedup(const struct tune *t, struct tune_speedup *out);
// The speed-up of any record over any other; either may be NULL.
void tune_compare(const struct tune *t, const struct tune_record *slow,
                  const struct tune_record *fast, struct tune_speedup *out);

// The measurements of a record, for spec_metric(); the time is NaN if it was not timed.
struct spec_measured tune_measured(const struct tune *t, const struct tune_record *r);
// All timed records, best first: those of the ranking by their places; then the others by the first
// objective at their median, which does not compare with those above; those without a value last,
// equal ones by time and then in the order of the space. The array is the caller's: free().
const struct tune_record **tune_ranking(const struct tune *t, size_t *count);
// All records in the order in which they were handed out.
const struct tune_record *const *tune_records(const struct tune *t, size_t *count);
// The record's job, made again from the same sources; the caller's, freed before the tune. An error
// where what was recorded answers, which has no jobs.
bool tune_job(const struct tune *t, const struct tune_record *record, struct job **out,
              struct error *e);
// With `keep`: a buffer's contents or a program's binary of a correct record.
bool tune_fetch(struct tune *t, const struct tune_record *record, enum fetch what, uint32_t index,
                struct text *out, struct error *e);
