// The workflow of `hone compare`: the same configurations on two or more sides (a device, a
// language, compiler options, constants, a spec, or the results of a run in the store), interleaved
// so that drift hits all of them.
//
// A configuration on all sides is a *paired run*: its jobs are built, loaded and verified, then
// launched in rounds (final_ranking.h), each side once a round; no side leaves before the end, so
// that every round is a pair of samples. Later paired runs are built meanwhile. After the last one
// the best of each side meet in a paired run of their own, because times of different paired runs
// do not compare.
//
// Driven as workflow.h says; planned and done are paired runs.
#pragma once

#include "base/log.h"
#include "stats/differ.h"
#include "campaign/final_ranking.h"
#include "runner/farm.h"
#include "problem/spec.h"
#include "store/store.h"
#include "workflows/stored.h"
#include "campaign/workflow.h"

#define COMPARE_SIDES 8

// Rounds of a paired run: as many as are needed to tell apart a configuration that is faster on one
// side every time, among so many; no fewer, and no more than these. That of the bests, and of
// specs:
#define COMPARE_LEAST 8
#define COMPARE_MOST  24
#define COMPARE_BESTS 16

struct compare_side {
    const char *label; // "OpenCL", "WIDTH=512"
    const struct spec *spec;
    const struct device_info *device; // (NULL for a stored one)
    // (optional, of all that are measured or of none) Where that is, and equal devices: rounds take place on all on
    // which every side has a place, or on the first of each. 0: this machine, by the options.
    const struct place *places;
    uint32_t place_count;
    const char *const *flags; // compiler options beside the spec's
    uint32_t flag_count;
    // (optional, only with `choices`) In place of what the spec names: another state of the kernel, with its options.
    const struct job_code *code;
    // Other than NONE, only with `choices`: a vendor's routine (job.h) computes the spec's gemm on
    // `device`, in place of its kernel. Sizes are those of the spec's default configuration, its
    // choice is ""; its entries have no configuration. The device's language need not be the
    // spec's.
    enum routine routine;
    const char *routine_library; // (optional) as in struct job
    const char *routine_about;   // (optional) likewise: what it is today, for queries to the store
    // (optional) The results of a run in the store: nothing is measured on this side, and no other
    // side is interleaved with it.
    const struct stored *stored;
    // (optional) Where results are kept: a handle of this side's own, since a session of the store
    // has one spec and device. Under `name`: another one where there are flags or a routine, so
    // that `hone best` does not take what was built otherwise.
    struct store *store;
    const char *name;
};

#define COMPARE_MANY   100
#define COMPARE_SAMPLE 64

struct compare_options {
    struct setup setup;               // sides have their own spec, device, places and store
    const struct compare_side *sides; // the first is what others are measured by
    uint32_t side_count;              // 2 .. COMPARE_SIDES

    // (optional) One configuration for each side ("a=1, b=2"), which need not be the same: one
    // paired run, ranked, and nothing else. Else the configurations that all sides have, by the setup:
    const char *const *choices;
    const char *const *chosen; // (optional) only these of them, "a=1, b=2"
    uint32_t chosen_count;
    uint32_t
        top; // or so many of the fastest of each side that its store knows; 0: as the rest says
    uint64_t sample;  // so many, uniform without replacement; 0: all, or as the next says
    bool sample_many; // COMPARE_SAMPLE of them where there are more than COMPARE_MANY

    uint32_t rounds; // 0: as above
};

// One side of a paired run.
struct compare_entry {
    const char *configuration, *configuration_json;
    const uint32_t *choice;
    const struct result *result;
    bool timed; // correct and measured: the rest is valid
    struct stats_summary stats;
    // With several specs: the decision among all of them (stats/ranking.h).
    bool ranked;
    struct ranking_entry rank;
};

// One paired run that is done; everything lives until compare_free().
struct compare_record {
    const char *configuration, *configuration_json; // of the first side
    struct compare_entry *entries;                  // one a side
    const struct compare_record *same_as; // the same work on all sides, and launched instead
    uint32_t rounds, repeated, marked, batch;
    bool in_turn; // the launches of all sides were interleaved
    // With two sides, both timed: the first one's time over the second's.
    bool compared;
    struct stats_ratio ratio;
    double probability; // of such times were they equal, within the rules' `alike`
    bool apart;         // they differ, family-wise: valid after the end
    uint64_t ordinal;
};

// Configurations that one side has and another has not.
struct compare_missing {
    uint64_t count;
    const char *examples[4]; // "" ends them
};

struct compare_progress {
    struct workflow_progress common; // in paired runs
    uint64_t compared, failed;       // failed: on one side or more
    uint64_t identical;              // to another
    struct compare_missing only[2];  // in the first side alone, in the second alone
    // Over those compared, with two sides:
    double mean, mean_low, mean_high;            // geometric mean of the ratios; NaN: none
    uint64_t apart, first_faster, second_faster; // told apart, family-wise
    double level;
    double correlation;                        // Kendall's tau of the two sides' times; NaN: none
    const struct compare_record *best[2];      // the fastest of each side
    struct stats_ratio ratio_of_bests;         // the first side's over the second's
    uint64_t launches;                         // of kernels
    struct final_ranking_status final_ranking; // round 0: no rounds are running
    uint32_t needed;                           // rounds, to tell one apart among so many
    bool paired;                               // every ratio is of interleaved launches
    bool sampled;                              // not all configurations that there are
    const struct farm_member *members; // of several equal devices; rounds over all paired runs
    uint32_t member_count;
    bool mean_interval, has_bests; // what their names begin with is known
};

// compare_side.name of what is built with further options, or of a routine: "matmul (-O3)".
void compare_name(const char *spec, const char *what, struct text *out);
// Is it such a name?
bool compare_is_name(const char *name);

struct compare;

struct compare *compare_new(const struct compare_options *o, struct error *e);

WORKFLOW_FUNCTIONS(compare, struct compare, struct compare_record);
void compare_progress(struct compare *c, struct compare_progress *out);
// Everything that reports show of it.
struct compare_view {
    struct compare_progress progress;
    const struct compare_record *const *records; // in the order in which they were handed out
    size_t count;
    double level; // of its decisions
};
void compare_view(struct compare *c, struct compare_view *out);
// How results of a side are verified, as tune_verification().
enum verification compare_verification(const struct compare *c, uint32_t side,
                                       const char **against);

// After the end: loads the configuration of each side again; compare_step() comes to WORKFLOW_END
// once more. Its programs can then be had.
bool compare_load(struct compare *c, const struct compare_record *record, struct error *e);
// FETCH_BINARY or FETCH_PTX of the first launch's program of that side, and the name of its kernel,
// which lives until compare_free(). Blocks until answered.
bool compare_fetch(struct compare *c, uint32_t side, enum fetch what, const char **kernel,
                   struct text *out, struct error *e);
// Counts what one launch of that side's job does, or says why that cannot be counted, in the arena. Blocks likewise.
struct counters *compare_count(struct compare *c, uint32_t side, struct arena *a, struct error *e);
