// The equal devices of a campaign: which of them run the next rounds, which were left out or lost and why, and how each compares
// with its siblings, for reports.
#pragma once

#include "campaign/final_ranking.h"
#include "runner/farm.h"

// A device over all rounds so far.
struct lane {
    double *ratios; // of each ranking: how many times longer its rounds took than the others'
    size_t count, room;
    struct stats_ratio last;
    uint32_t rounds; // that count
    char why[400];   // the rounds left it out; or ""
};

struct lanes {
    struct lane list[FARM_MOST];
    struct ranked_place places[FARM_MOST]; // of the present ranking, or the last
    uint32_t place_count;
    bool compared; // those too slow were left out
    struct farm_member members[FARM_MOST];
};

// The devices of the evaluator that take part in a ranking: those that work or, where none was tried yet, all that are left, which
// are then compared first. None of an evaluator of one device.
void lanes_use(struct lanes *l, const struct evaluator *ev, const struct setup *setup,
               struct final_ranking_options *o);
// Says which the rounds have left out since the last call.
void lanes_tell(struct lanes *l, const struct evaluator *ev, const struct log *log);
// The rounds are over: adds what they said of each. False without memory.
bool lanes_end(struct lanes *l);
// Into l->members, with what the rounds know better; how many there are. Of several rankings the mean of the ratios, with the
// interval in which further ones would leave it.
uint32_t lanes_members(struct lanes *l, const struct evaluator *ev, double level);
void lanes_forget(struct lanes *l); // what the rounds said; frees
