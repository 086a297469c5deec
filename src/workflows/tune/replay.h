// A recorded space as something to search: which configurations there are to ask for, and what was
// recorded of each. No device, kernel or worker.
#pragma once

#include "recorded/recorded.h"
#include "search/objective.h"
#include "space/space.h"

// Everything is the caller's and outlives the replay.
struct replay_options {
    const struct recorded *recorded;
    const struct spec *spec; // that `recorded` was read with, or replay_spec() of it
    const struct log *log;
    struct space_options space;
};

struct replay {
    struct replay_options o;
    // The available configurations: recorded, and valid by the spec and the options. Not empty.
    struct space *space;
    const struct recorded_row **rows; // by the index in the space
    uint64_t unrecorded;              // valid, but not recorded: left out
    uint64_t excluded;                // recorded, but not valid: left out
    uint64_t correct;                 // in the space
    double mean_cost_ns;              // of one configuration; NaN: no costs are recorded
};

// A spec of the recorded parameters alone, for a recording without one; what was measured beside
// the time are its metrics. The caller's.
struct spec *replay_spec(const struct recorded *r, struct error *e);

// Fails where nothing is left to ask for. What failed is released too.
bool replay_init(struct replay *r, const struct replay_options *o, struct error *e);
void replay_release(struct replay *r);
// Refuses the time as what to look for in a recording without any.
bool replay_has_objective(const struct replay *r, const struct objectives *g, struct error *e);

const struct recorded_row *replay_row(const struct replay *r, uint64_t index);
// For spec_measured.recorded: NULL if the spec is one of its own, whose metrics have expressions.
const double *replay_measurements(const struct replay *r, uint64_t index);
// The recorded cost of a configuration: compiling, running, verifying and the tuner's own overhead,
// without its search. The mean if this one's cost is not recorded; NaN if none is.
double replay_cost_ns(const struct replay *r, uint64_t index);
