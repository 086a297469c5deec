// The workflow of `hone sweep`: a spec at several points, each a set of constants, one after the
// other. At each point the spec is read with these constants and tuned (or the stored result is
// taken); if there are further *lines*, other specs or a vendor's routines, the best of each are
// then interleaved in one paired run (compare.h), because times of different runs do not compare.
//
// A point at which something fails is still a record, with the reason, and the sweep goes on; it
// breaks off if the device, a worker or the store cannot go on. A stored ranking of a point's space
// (or of the part that is swept) answers at once, and so do interleaved launches, so that a sweep
// that was ended resumes where it was.
//
// Driven as workflow.h says; planned and done are points.
#pragma once

#include "workflows/compare/compare.h"
#include "problem/sweep_plan.h"
#include "workflows/tune/tune.h"

#define SWEEP_LINES COMPARE_SIDES

// Which configuration a line has at a point.
enum sweep_means {
    SWEEP_TUNE, // the best of a ranking of all of it that the store has, else of a tune
    SWEEP_KNOWN // the best that the store knows; nothing is tuned
};

struct sweep_line {
    // As it takes part in paired runs. Its `spec` (optional) was read before: its text counts, whatever the file holds by now; of a
    // routine it is the one whose work that does. `name` NULL: the spec's.
    struct compare_side side;
    const char *path; // of its spec
    bool strict;      // that is read so
    enum sweep_means means;
    // How it is tuned and launched; `spec`, `spare`, `leaving` and `keep` are the sweep's. Device and
    // store are the side's, too.
    struct tune_options tune;
};

struct sweep_options {
    const struct sweep_line *lines; // the first is what is swept
    uint32_t line_count;            // 1 .. SWEEP_LINES
    const struct sweep_plan *plan;
    bool again;          // tuned also where the store has a ranking; what is known answers
    uint32_t rounds;     // of a paired run; 0: as compare.h says
    struct spare *spare; // (optional) for the first tune; outlives the sweep
};

// A line at a point. Everything lives until sweep_free().
struct sweep_entry {
    const struct spec *spec; // with the point's constants; NULL: it cannot be read with them
    // NULL if there is none; "" and "{}" of a routine.
    const char *configuration, *configuration_json;
    const uint32_t *choice;      // in the spec; of a routine that of the spec's default
    const struct result *result; // (or NULL) that the times are of, or the reason of a failure
    bool timed;                  // correct and measured: stats are valid
    struct stats_summary stats;
    bool known; // the configuration comes from the store, nothing was launched to find it
    // (or NULL) It is the best of this subspace of what is swept (best_place.part; subspace.h). With
    // `known` alone.
    const char *subspace;
    bool in_turn; // the times are of launches interleaved with those of the other lines
    // For a further line that was interleaved with the first: how many times longer it takes than
    // that.
    bool compared;
    struct stats_ratio ratio;
    const char *why; // (or NULL) there are no times
};

struct sweep_record {
    uint32_t point;              // of the plan
    struct sweep_entry *entries; // one a line
};

enum sweep_phase { SWEEP_OPENING, SWEEP_TUNING, SWEEP_COMPARING };

struct sweep_progress {
    struct workflow_progress common; // in points; point `done` is under way, if there is one
    enum sweep_phase phase;
    uint32_t line;                      // that is being tuned
    uint64_t launches;                  // of kernels, in all tunes and paired runs so far
    struct tune_progress tune;          // while tuning
    struct compare_progress paired_run; // while comparing
};

struct sweep;

struct sweep *sweep_new(const struct sweep_options *o, struct error *e);

// A cancel leaves no record of the point that is under way.
WORKFLOW_FUNCTIONS(sweep, struct sweep, struct sweep_record);
void sweep_progress(struct sweep *s, struct sweep_progress *out);
// All records in the order of the points.
const struct sweep_record *sweep_records(const struct sweep *s, uint32_t *count);
