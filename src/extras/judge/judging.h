// The workflow of `hone judge`: candidates, kernel texts that others wrote, each against the judge's own kernel, the
// baseline: the spec's default configuration, or the one that is chosen.
//
//   screening  each candidate, in each variant of its values, is built and verified at every point, in the order in which they were given, and one that is
//              right everywhere is launched beside the baseline in interleaved rounds at each timed point, with up to five
//              others. Of its variants the one that seems fastest goes on
//   final      those that are faster so far are verified and launched again, in fresh workers: these samples alone decide,
//              and are what is reported, so that the luckiest of many tries gains nothing. Their intervals hold together
//
// A *point* is a size or a kind of input: those that the caller names are timed; hidden ones are drawn by a seed that the
// candidates do not know, are verified alone, and count only where the baseline itself is right. The inputs of all are other
// numbers than the spec's own. The reference, the tolerances and the arguments are the judge's: a candidate's job has
// nothing of its own but the program and the launch.
//
// Driven as workflow.h says; planned and done are candidates. A record is handed out when its verdict is final.
#pragma once

#include "campaign/workflow.h"
#include "extras/judge/candidates.h"
#include "stats/stats.h"

// X(NAME, text, what it means)
#define JUDGE_VERDICTS(X)                                                                          \
    X(FASTER, "faster", "right everywhere, and its interval lies above 1 in both measurements")    \
    X(SAME, "same", "right everywhere, and tied with the baseline")                                \
    X(SLOWER, "slower", "right everywhere, and its interval lies below 1")                         \
    X(INCORRECT, "incorrect", "a wrong result, at a named size or with hidden inputs")             \
    X(IMPOSSIBLE, "impossible", "faster than the device can write its output")                     \
    X(CHEATS, "cheats",                                                                            \
      "right when it is verified, and not when it is timed; or it changed what "                   \
      "it may only read")                                                                          \
    X(COMPILE, "compile", "fails to compile")                                                      \
    X(RUNTIME, "runtime", "crashed, wrote out of bounds, or the driver refused it")                \
    X(TIMEOUT, "timeout", "built or ran longer than its limit")                                    \
    X(INVALID, "invalid", "no candidate for this spec: not readable, or another kernel")

enum judge_verdict {
#define X(name, text, meaning) JUDGE_##name,
    JUDGE_VERDICTS(X)
#undef X
        JUDGE_VERDICT_COUNT
};
const char *judge_verdict_text(enum judge_verdict v);

// A compute unit moves so many bytes in a cycle at most, and its clock may be so many times the one that the driver names.
#define JUDGE_CYCLE_BYTES 256
#define JUDGE_CLOCK_MOST  2
// Memory takes what does not fit into the device's caches, at no more than so many times the rate that was measured.
#define JUDGE_PEAK_MARGIN 1.5
// The least time in which the device can write the job's outputs.
struct judge_floor {
    double ns;       // the larger of the two; 0: none is known
    bool is_by_peak; // of memory
    double sure_ns;  // by the device's clock; 0: it is not known
};
// `rate`: the measured peak of memory in bytes a second; 0: not known.
void judge_floor(const struct device_info *d, const struct job *job, double rate,
                 struct judge_floor *out);
// The floor below which a time is impossible: on a CPU, where a peak may have been measured beside other programs, and where the
// baseline, which is right, is faster than the peak allows, by the clock alone.
double judge_floor_that_decides(const struct device_info *d, const struct judge_floor *f,
                                double baseline_ns);

#define JUDGE_ROUNDS 12 // of screening
// Where an interval is wider than this to either side, the machine is busy: the screening, which only says which are measured again,
// asks for this level, and the final's rounds are run again, so many times as many.
#define JUDGE_WIDE         0.05
#define JUDGE_SCREENING    0.8
#define JUDGE_STRETCH      4
#define JUDGE_FINAL_ROUNDS 24 // at least, of the final
#define JUDGE_ROUNDS_MOST  100
#define JUDGE_POINTS_MOST  64
#define JUDGE_VARIANTS     16

struct judge_point {
    const char *label;      // "WIDTH=256"
    const char *const *set; // that the spec is read with
    uint32_t set_count;
};

// The screening's workers between the batches of a stream, which start and open their device once. Nothing of a batch is kept in
// them that the next one uses: sizes, inputs and reference are drawn and made anew.
struct judging_warm {
    struct evaluator *evaluator; // NULL: the next batch starts them
    size_t hosted;               // candidates that ran in them
    uint64_t tickets;
};

struct judging_options {
    struct judging_warm
        *warm; // (optional) it outlives the judging, and is the caller's to end: evaluator_free()
    struct setup setup;     // its spec is the judge's; nothing is kept in a store
    const char *const *set; // that it was read with
    uint32_t set_count;
    const struct judge_point *points; // timed
    uint32_t point_count;             // 1 or more
    uint32_t hidden;                  // sizes that are drawn
    const char *configuration;        // (optional) of the baseline: "a=1,b=2"
    struct candidate *const *candidates;
    size_t candidate_count;
    uint32_t variants; // of a candidate that are tried, at most; 0: JUDGE_VARIANTS
    uint32_t rounds;   // of both measurements; 0: as above
    // Which batch of a stream this is, from 1 (0: all there is): errors of all batches together stay within the level.
    uint64_t batch;
    // Environments: of the worker that has references, and compares; of one in which the baseline runs alone.
    const char *const *apart, *const *clean;
    double memory_rate; // measured peak, bytes a second; 0: not known
    // (optional) The sandbox of the setup's workers, in words: what they take of the machine is looked at.
    const char *sandbox;
};

// A candidate at a timed point.
struct judge_time {
    const char *label;
    bool timed; // the rest is valid
    double baseline_ns, candidate_ns;
    struct judge_floor floor;
    struct stats_ratio speedup;
    double low; // the lower end of its interval at the level of those that are measured again
};

struct judge_record {
    const struct candidate *candidate;  // with the values of its best variant
    uint32_t variants;                  // that were tried
    const struct judge_record *same_as; // (or NULL) the same code, judged instead
    enum judge_verdict verdict;
    const char *evidence;     // a sentence; "" of one that is right
    const char *at;           // (or NULL) the point of that
    const char *unverified;   // (or NULL) hidden sizes at which its own values are excluded
    const char *log;          // of the build; ""
    struct judge_time *times; // one a timed point
    uint32_t time_count;
    bool timed;                 // at all of them
    struct stats_ratio speedup; // geometric mean over these
    bool is_final;              // measured twice
    const char *
        policies; // what its PTX asks of the caches, of one that was measured twice; NULL: nothing, or it has none
    double error, baseline_error; // relative norms, the largest over the outputs; NaN: not known
};

// Whatever was found of the baseline at a point.
struct judge_check {
    const char *label;
    bool timed, used;
    const char *why; // (or NULL) it is not used
};

struct judging_progress {
    struct workflow_progress common;
    bool is_final;         // the last measurement runs
    size_t finalists;      // in it
    const char *candidate; // (or NULL) whose rounds or checks run
    uint64_t by_verdict[JUDGE_VERDICT_COUNT];
    const struct judge_check *checks;
    uint32_t check_count;
    const char *baseline; // its configuration
    uint64_t launches;    // of kernels, in rounds
    double level;
    const char *sandbox; // "": none
};

struct judging;
struct judging *judging_new(const struct judging_options *o, struct error *e);
WORKFLOW_FUNCTIONS(judging, struct judging, struct judge_record);
void judging_progress(struct judging *j, struct judging_progress *out);
// All records, in the order of the candidates; one that is not judged yet is NULL.
const struct judge_record *const *judging_records(const struct judging *j);
