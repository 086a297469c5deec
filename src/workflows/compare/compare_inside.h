// Private to the workflow of `hone compare`: its state, shared by compare.c (the order of things),
// compare_plan.c (which configurations), compare_lanes.c (on which devices), compare_paired.c (one of
// them on all sides) and compare_end.c (what it all amounts to).
#pragma once

#include "workflows/compare/compare.h"
#include "campaign/items.h"
#include "campaign/lanes.h"

// A side's part of a paired run.
struct slot {
    struct job *job;       // the evaluator's from its submission until it is dropped
    struct result *result; // of its verified launch; with the samples once its rounds are done
    uint64_t ticket;
    bool submitted, dropped;
    struct twin twin;
};

struct paired_run {
    struct compare_record record;
    struct slot *slots;         // one a side
    struct paired_run *primary; // the same work on all sides, launched instead
    bool loads;                 // its jobs are loaded, and that is all
};

struct side {
    struct compare_side o;
    struct subject subject; // of a live one
    const char **texts;     // of a stored one: each entry's configuration, all parameters named
    const struct device_info *device;
    uint32_t member; // of the evaluator
    uint64_t correct;
    struct twins twins;
};

// Each side's view of one of several equal devices.
struct compare_lane {
    const struct place *of[COMPARE_SIDES]; // NULL: a stored one's
};

struct compare {
    struct workflow w; // without an evaluator nothing is measured
    struct compare_options o;
    struct arena arena;
    struct side *sides;
    uint32_t side_count;
    bool builds_alone; // what is built would disturb what another member measures
    uint32_t views[COMPARE_SIDES], view_count; // a side of each of the evaluator's
    struct compare_lane *cards;
    uint32_t lane_count;        // 0: this machine's device, by the options
    struct lanes lanes;         // several of these
    struct measure_rules rules; // of a paired run
    struct device_info common;  // of all devices, what matters to the rounds

    struct paired_run **paired_runs; // planned ones, then that of the bests, and those that load
    uint64_t paired_run_count, planned;
    size_t paired_run_room, record_room;
    uint64_t started, finished; // paired runs below were begun, are over
    struct paired_run *loaded;
    const struct compare_record **records;
    uint64_t record_count;

    struct finalist finalists[COMPARE_SIDES];
    uint32_t side_of[COMPARE_SIDES]; // of each finalist
    size_t finalist_count;
    struct final_ranking *final_ranking;

    struct compare_progress progress;
    uint64_t done, tickets; // done: paired runs that were handed out
    bool over;
};

// compare_plan.c
bool compare_choose_top(struct compare *c, struct error *e); // of compare_options.top
bool compare_plan(struct compare *c, struct error *e);
// A paired run of one configuration a side; NULL without memory.
struct paired_run *compare_add(struct compare *c, const uint32_t *const *choices);

// compare_lanes.c
bool compare_make_lanes(struct compare *c); // false without memory
bool compare_make_evaluator(struct compare *c, struct error *e);
uint32_t compare_rounds(const struct compare *c, uint32_t rounds); // as many on each lane

// compare_paired.c
bool paired_run_start(struct compare *c, struct paired_run *h, struct error *e);
bool paired_run_is_ready(const struct compare *c, const struct paired_run *h); // all answered
void paired_run_answer(void *compare, struct outcome *out); // as final_ranking_options.late
// Launches the correct sides interleaved; c->final_ranking stays NULL if there is nothing to
// launch.
bool paired_run_end(struct compare *c, struct paired_run *h, struct error *e);
// Takes over and stores the paired run's results and ratio. The final_ranking is over.
bool paired_run_finish(struct compare *c, struct paired_run *h, struct error *e);
void paired_run_drop(struct compare *c, struct paired_run *h); // its jobs
void paired_run_release(struct compare *c, struct paired_run *h);

// compare_end.c
bool compare_judge(struct compare *c);  // which sides differ; false without memory
bool compare_sum_up(struct compare *c); // over all that were compared; false without memory
// The bests of both sides: their ratio, or the paired run that finds it. False without memory.
bool compare_add_bests(struct compare *c);
void compare_take_bests(struct compare *c, const struct paired_run *h); // that paired run is over
