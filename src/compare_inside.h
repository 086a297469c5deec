// Private to the conveyor of `hone compare`: its state, shared by compare.c (the order of things),
// compare_plan.c (which configurations), compare_heat.c (one of them on all sides) and
// compare_end.c (what it all amounts to).
#ifndef HONE_COMPARE_INSIDE_H
#define HONE_COMPARE_INSIDE_H

#include "compare.h"
#include "stages.h"

// A side's part of a heat.
struct slot {
    struct job *job;       // the evaluator's from its submission until it is dropped
    struct result *result; // of its verified launch; with the samples once launched in turn
    uint64_t ticket;
    bool submitted, dropped;
    struct twin twin;
};

struct heat {
    struct compare_record record;
    struct slot *slots;   // one a side
    struct heat *primary; // the same work on all sides, launched instead
    bool loads;           // its jobs are loaded, and that is all
};

struct side {
    struct compare_side o;
    struct stages stages; // of a live one
    const char **texts;   // of a stored one: each entry's configuration, all parameters named
    const struct device_info *device;
    uint32_t member; // of the evaluator
    uint64_t correct;
    struct twins twins;
};

struct compare {
    struct compare_options o;
    struct arena arena;
    struct side *sides;
    uint32_t side_count;
    struct evaluator *evaluator; // (or NULL) nothing is measured
    bool builds_alone;           // what is built would disturb what another member measures
    struct measure_rules rules;  // of a heat
    struct device_info common;   // of all devices, what matters to the rounds

    struct heat **heats; // planned ones, then that of the bests, and those that load
    uint64_t heat_count, heat_capacity, planned;
    uint64_t started, finished; // heats below were begun, are over
    struct heat *loaded;
    const struct compare_record **records;
    uint64_t record_count;

    struct settle_contender contenders[COMPARE_SIDES];
    uint32_t contending[COMPARE_SIDES]; // the side of each
    size_t contender_count;
    struct settle *settle;

    struct compare_summary summary;
    uint64_t started_ns, tickets;
    bool over, broken;
};

// compare_plan.c
bool compare_plan(struct compare *c, struct error *e);
// A heat of one configuration a side; NULL without memory.
struct heat *compare_add(struct compare *c, const uint32_t *const *choices);

// compare_heat.c
bool heat_start(struct compare *c, struct heat *h, struct error *e);
bool heat_is_ready(const struct compare *c, const struct heat *h); // all answered
void heat_answer(struct compare *c, struct outcome *out);
// Launches the sides that are correct in turn; c->settle stays NULL where there is nothing to
// launch.
bool heat_settle(struct compare *c, struct heat *h, struct error *e);
// What came of it: results, ratio; stored. The settling is over.
bool heat_finish(struct compare *c, struct heat *h, struct error *e);
void heat_drop(struct compare *c, struct heat *h); // its jobs
void heat_release(struct compare *c, struct heat *h);

// compare_end.c
bool compare_judge(struct compare *c);  // who is told apart; false without memory
bool compare_sum_up(struct compare *c); // over all that were compared; false without memory
// The bests of both sides: their ratio, or the heat that finds it. False without memory.
bool compare_add_bests(struct compare *c);
void compare_take_bests(struct compare *c, const struct heat *h); // that heat is over

#endif
