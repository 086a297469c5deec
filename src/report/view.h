// What reports are made of: plain structs that point to what the caller has. A view is filled in by
// the command line from a workflow's records or from rows of the store, and shown as text or JSON
// by the functions of this folder.
#ifndef HONE_REPORT_VIEW_H
#define HONE_REPORT_VIEW_H

#include "report/writer.h"
#include "model/device_info.h"
#include "model/job.h"
#include "model/device_peak.h"
#include "model/result.h"
#include "stats/stats.h"
#include "workflows/best.h"

// Who asked for what, when and where: of reports without a struct view_run.
struct report_about {
    const char *hone_version, *command, *host, *date;
    uint64_t seed;
    const char *store;  // path; NULL: nothing is kept
    const char *broken; // (optional) why it could not go on
};

struct view_metric {
    const char *name; // "GFLOP/s"
    const char *unit;
    bool known; // it has a value
    double value;
    const char *why; // it has none, where that is known; ""
};

// How results are held against what is right, for headers.
struct view_check {
    enum verification kind;
    // "gemm", "kernel plain"; of agreement the default configuration: "B=32"; "" where there is
    // nothing
    const char *against;
};

// What results show of a kernel.
enum view_shown {
    SHOWN_CORRECT,
    SHOWN_AGREEMENT, // configurations that differ agree with the default one
    SHOWN_REPEATS,   // only the default one ran, which was held against itself
    SHOWN_RAN        // nothing was held against anything
};

// What of a configuration tells it.
struct view_outcome {
    const char *configuration;
    const char *same_as; // (optional) the identical configuration that ran instead
    const struct result *result;
};

// Where a result stands in a ranking: configurations that were launched in turn.
struct view_place {
    size_t place; // 1: the winner and all that are not told apart from it; 0: not ranked
    bool tied;    // not told apart from the winner, which is tied with itself
    bool winner;
    bool chosen;             // what is recommended of those tied
    double ratio, low, high; // to the winner, with the simultaneous interval
    bool interval;           // low .. high is that, not just a range
};

// One of the things that are looked for.
struct view_objective {
    const char *name; // "time", "GFLOP/s"
    bool maximise;
    bool is_time;  // else it is
    size_t metric; // this one of view_result.metrics
};

// What is looked for.
struct view_goal {
    const char *text; // "max:GFLOP/s"; several separated by ", "
    const struct view_objective *objectives;
    size_t count; // 0: the least time
    bool by_time; // the least time decides, or what comes to the same
};

struct view_result {
    const char *configuration;
    const char *configuration_json;
    const struct result *result;
    const struct job *job; // (optional) programs, launches, buffers
    struct stats_summary stats;
    const struct view_metric *metrics;
    size_t metric_count;
    uint64_t global[3], local[3]; // of the first launch
    uint32_t dimensions;          // of them; 0 when they are not known
    bool timed;                   // correct and measured: stats are valid
    bool is_default;
    const char *same_as_json; // (optional) the identical configuration that was measured instead
    const char *differs;      // (optional) with same_as_json: "b=2", where it differs from that
    struct view_place place;
    bool has_value; // of all objectives
    bool pareto;    // of several objectives: no other one is better in all of them
    // Of a result that came from the store; NULL otherwise.
    const struct view_origin *origin;
    const struct peak *peak; // (optional) what the device can do at most
};

// Where a stored result comes from.
struct view_origin {
    const struct best_answer *answer;
    const char *constants_json; // or NULL: the spec has other constants now
    const char *goal;           // "the least cost": what it is the best by, where that is no time
};

// A recorded space that answers instead of a device.
struct view_replay {
    const char *path, *format; // "T4"
    const char *device;        // where it was recorded; "": the file does not say
    const char *statistic;     // what its times are: "mean"
    bool has_spec;             // else its parameters alone are searched
    uint64_t recorded;         // configurations
    uint64_t excluded;         // of them, by the spec or the command line
    uint64_t unrecorded;       // valid by those, but not recorded: they are not tried
    double cost_ns;            // what the results cost when they were recorded; NaN: not known
};

// A run, as it begins.
struct view_run {
    const char *hone_version;
    const char *spec_path, *spec_name, *spec_sha256;
    const char *source_sha256;
    const char *constants_json;
    const char *constants; // "WIDTH=256"
    const char *command;
    uint64_t seed;
    const char *strategy;             // its name
    const char *strategy_description; // with all its options
    struct view_goal goal;
    const struct device_info *device;
    const char *host;
    const char *date;
    const char *const *cache; // NAME=VALUE, NULL-terminated
    const char *store;        // path; NULL: nothing is kept
    const char *cartesian;    // in decimal
    uint64_t valid, planned;
    struct view_check check;
    bool build_only;                  // nothing runs
    const struct view_replay *replay; // (optional) then device is NULL
};

// What is to be said of a ranking beside its places.
struct view_ranking {
    bool decided;       // there is one
    bool known;         // from the store
    bool is_short;      // the budget's time was up
    const char *id;     // hexadecimal; NULL: a single finalist
    size_t finalists;   // that took part
    size_t failed;      // of them
    size_t tied;        // not told apart, the winner among them
    const char *chosen; // the configuration of those
    const char *chosen_json;
    const char *why; // "the fewest registers"; "" when nothing had to be chosen
    double level;    // of the decision: 0.95
    uint32_t rounds, repeated, marked;
    uint32_t by_load, by_clock; // why those were disturbed
    uint32_t mhz_least, mhz_most;
    uint32_t batch, warmups;
    uint64_t launches;
    bool cold;
};

// How many times faster the best is than the default configuration.
struct view_speedup {
    bool known;
    bool ranked; // within the rounds of a ranking; else from times of screening
    double ratio, low, high;
    bool interval;    // low .. high is one, not just a range
    bool significant; // it lies above 1
};

// Where the time of a run went, from the start of the program on. The parts up to `rest_ns` follow
// each other and add up to `wall_ns`.
struct view_timing {
    uint64_t wall_ns;
    uint64_t startup_ns; // until a worker had a device to work with
    uint64_t listing_ns; // of that: reading the spec, listing devices, opening the store
    uint64_t opening_ns; // until the worker that measures had one, too
    uint64_t waiting_ns; // it had nothing to do: nothing was built yet
    uint64_t locked_ns;  // another process had the device
    uint64_t loading_ns, inputs_ns, reference_ns;
    uint64_t verifying_ns; // verified launches, and looking at what launches left
    uint64_t measuring_ns;
    uint64_t ranking_ns;
    uint64_t storing_ns;
    uint64_t rest_ns;
    // Beside them:
    uint64_t kernel_ns; // kernels on the device: verified, warming up, timed
    uint64_t build_ns;  // something was being built
    uint64_t builds_ns; // the same, summed over the workers
    uint32_t builders;  // at most at once
};

// A run, as it ended.
struct view_summary {
    enum report_format format; // of its tables
    size_t rows, width;        // of these, at most (0: any width)
    struct view_goal goal;
    const struct view_result *results; // timed: those ranked by place, then the others by the first
                                       // objective at their median
    size_t result_count;
    const struct view_result *baseline;               // (optional) the default configuration, timed
    const char *no_baseline;                          // there is none: why, "it was not run"
    struct view_speedup speedup;                      // of the best over it
    const struct view_result *examples[STATUS_COUNT]; // (optional) the first of each status
    uint64_t by_status[STATUS_COUNT];
    uint64_t spec_errors; // of the failures, those that are errors of the spec
    uint64_t spec_by_status[STATUS_COUNT];
    const struct view_result *spec_example; // (optional) the first of these
    uint64_t valid, planned, done;
    uint64_t reused;    // of those done, from the store
    uint64_t identical; // of the others, identical to one that was measured
    uint64_t samples, launches, elapsed_ns;
    uint64_t build_ns, load_ns, inputs_ns, reference_ns, verify_ns, measure_ns, kernel_ns;
    uint64_t rank_ns;
    struct view_ranking ranking;
    uint32_t fixed; // launches of each configuration that were asked for (0: none): no ranking
    bool cancelled, out_of_time;
    bool build_only;                  // nothing ran
    const struct view_replay *replay; // (optional)
    const struct peak *peak;          // (optional) what the device can do at most
    struct view_timing timing;
    const char *broken; // (optional) why it could not go on
    struct view_check check;
    enum view_shown shown;
    const struct view_outcome *outcomes; // of all records
    size_t outcome_count;
};

#endif
