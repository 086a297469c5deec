// First of all: restrictions that concern a single parameter remove its values, again and again
// until none does, so that what follows sees the shortest lists.
#pragma once

#include "space/automaton.h"

struct filtered {
    struct domain *domains; // one a parameter
    bool *done;             // one a restriction: nothing is left to check
    uint64_t *faults;       // one a restriction: assignments of its parameters without a value
    uint64_t *spent; // one a restriction: effort of filtering by it, or of building on it, alone
    bool empty;      // a parameter has no value left, or a restriction never holds
};

// `skip`: restrictions to leave out, or NULL. Sets the slots of parameters with a single value in
// the evaluator. Memory comes from the arena; false without, or where the evaluator's steps, from
// which each test is taken, run out: it is exhausted then.
bool filter(struct filtered *f, struct arena *arena, const bool *skip, struct evaluator *v);
