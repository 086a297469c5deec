// One evaluator of many: equal devices, of this machine and of nodes, share the jobs of one caller.
// Each member is a place's own evaluator (runner/cached.h), with workers, lock and limits of its own.
//
// A job goes to a member that has room. Identical cards differ by some per cent, so that times of
// different members compare only through a job that all have measured: the *reference*, the first
// job that is correct, in the order in which members were given them. Before a member measures anything else it launches that in
// turns; outcomes say how the member's times compare with those of the first (outcome.pace). Times
// themselves, and what is stored, are as measured. A member that is clearly slower than its siblings
// is left out, before anything but the reference was measured there.
//
// A member whose device, workers or node are lost is left, and what it had is done by the others; a
// job that two members were at when they were lost fails (FAULT_LOST) and is not stored. What makes the store, the
// reference or memory fail is the failure of all.
//
// Turns name their member (turn.place). While they are held each member's lock is kept from its first
// turn to its last; members that share one lock (views of the host's cores) take turns.
#pragma once

#include "base/fields.h"
#include "runner/cached.h"
#include "runner/place.h"
#include "stats/stats.h"

#define FARM_MOST    64  // members
#define FARM_OUTLIER 0.1 // a member this share slower than its siblings is left out

struct farm_options {
    const struct place *places; // of devices with one identity; they outlive the farm
    uint32_t count;             // 1 .. FARM_MOST
    // For each member; `at` and admission are the place's.
    // at.jobs: of a machine's members together; 0: as many as are useful there.
    struct live_options live;
    struct cached_options cached;
    double outlier; // 0: FARM_OUTLIER; INFINITY: none is left out
    // (optional) Makes a member's evaluator, in place of a cached one; `live` is that of its place, with its share of
    // the builders. `views`: live evaluators in each, 0: 1.
    struct evaluator *(*make)(void *context, uint32_t member, const struct live_options *live,
                              struct error *e);
    void *context;
    uint32_t views;
};

struct evaluator *farm_new(const struct farm_options *o, struct error *e);

#define FARM_STATES(X)                                                                             \
    X(UNTRIED, "untried") /* it has not launched the reference */                                  \
    X(TRYING, "trying")   /* it is to launch it */                                                 \
    X(TRIED, "tried")     /* it has; others still do */                                            \
    X(WORKING, "working")                                                                          \
    X(LEFT_OUT, "left out")                                                                        \
    X(LOST, "lost")

enum farm_state {
#define X(name, text) FARM_##name,
    FARM_STATES(X)
#undef X
        FARM_STATE_COUNT
};

// A member, as reports show it.
struct farm_member {
    const struct place *place;
    const char *name; // "node3, card 1 (GPU-6a0c...)"
    enum farm_state state;
    const char *why;  // "" or why it is left out or lost
    uint64_t results; // that it measured: none from the store
    bool compared;    // `ratio` is known
    // How many times longer the reference takes than on its siblings.
    struct stats_ratio ratio;
    uint32_t rounds; // of a final ranking that ran here: a tune's to fill in, as `ratio` of these
};

// Build workers of all members of a farm together.
uint32_t farm_builders(const struct evaluator *ev);
// Up to FARM_MOST members of a farm; their texts live as long as it. Of any other evaluator 0.
uint32_t farm_members(const struct evaluator *ev, struct farm_member *out);
extern const struct fields farm_member_fields;
// As an array of objects.
void farm_members_emit(const struct farm_member *members, uint32_t count, struct emit *j);
const char *farm_state_text(enum farm_state s);
// May turns be asked for there?
bool farm_is_usable(enum farm_state s);
