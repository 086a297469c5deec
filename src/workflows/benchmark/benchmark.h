// The workflow of `hone bench`: known configurations, each at its constants, measured again in
// passes and compared with a baseline.
//
// A *pass* is a comparison (compare.h) of as many of them as there are sides: fresh workers build,
// load and verify each, and launch them in interleaved rounds. There are several passes, because
// the cost of a kernel differs from one load to the next (stats/regression.h). Where the baseline has the code of a
// configuration, that is one more side: old and new are launched in the same rounds, and their ratio is free of what
// differs from session to session. Where it cannot be built or launched any more, sessions are compared. With a baseline,
// configurations for which a loss cannot be excluded after the first passes are measured in as many
// again before they are judged. Without one, all are measured in twice as many: later benches are
// compared with that spread.
//
// Nothing is stored: a configuration's stored result is its ranking's, and a bench does not answer
// a tune.
//
// Driven as workflow.h says; planned and done are passes of a configuration. Records are handed out at the end, or after a
// cancellation, in the order of the points; they are made anew after each pass, so that what was found is valid at every moment.
#pragma once

#include "workflows/benchmark/baseline.h"
#include "stats/regression.h"
#include "workflows/compare/compare.h"

#define BENCH_PASSES 6
#define BENCH_ROUNDS 8 // of a pass
// The machine's state is not comparable if its clock differs by more than this share, or if, for a device
// that is a CPU or shares the host, its cores and load average add up to more or less by this factor.
#define BENCH_OTHER_CLOCK 0.02
#define BENCH_OTHER_LOAD  1.5

struct benchmark_point {
    const struct spec *spec;           // read with the point's constants
    const char *label;                 // "WIDTH=256": for messages
    const char *configuration;         // "a=1, b=2"
    const struct baseline_row *before; // (optional) that it is compared with
};

struct benchmark_options {
    struct setup setup; // each point has its own spec
    const struct benchmark_point *points;
    uint32_t point_count;    // 1 or more
    uint32_t passes, rounds; // 0: as above
    bool compares;           // there is a baseline
    bool times_alone; // its code is not launched, since not the kernel but the driver is another
    double loss;      // beyond which slower is a loss: 0.03
};

struct benchmark_record {
    uint32_t point;
    const struct baseline_pass *passes;
    uint32_t pass_count;
    struct stats_summary stats;         // of the passes' medians; valid with one pass or more
    const struct result *failure;       // (or NULL) why it is not measured any more
    bool judged;                        // compared with a row of the baseline
    const struct baseline_pass *beside; // (or NULL) of its code, launched in the same rounds
    const char *why_sessions;           // (or NULL) why not, where the baseline has that code
    struct baseline_state before, now;
    bool is_other_state; // their loads or clocks do not compare
    double before_ns;    // of the baseline's moments
    struct regression regression;
};

struct benchmark_progress {
    struct workflow_progress common;
    uint32_t pass, passes; // the one under way, from 1; how many at most
    bool again;            // those of which a loss cannot be excluded
    struct compare_progress compare;
};

struct benchmark;

struct benchmark *benchmark_new(const struct benchmark_options *o, struct error *e);
// After a cancel the records are of the passes that have ended.
WORKFLOW_FUNCTIONS(benchmark, struct benchmark, struct benchmark_record);
void benchmark_progress(struct benchmark *b, struct benchmark_progress *out);
// The records of all points from the passes that have ended; none before the first has.
const struct benchmark_record *benchmark_records(const struct benchmark *b, uint32_t *count);
