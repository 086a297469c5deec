// A restriction compiled for one order of the parameters: a little machine that reads their values
// one after the other. Its state after a few of them stands for what they leave of the restriction:
// assignments that leave the same have the same state, one that leaves nothing is dead at once, and
// one that leaves everything holds whatever follows.
#ifndef HONE_SPACE_AUTOMATON_H
#define HONE_SPACE_AUTOMATON_H

#include "space/intern.h"
#include "space/problem.h"

// The values of a parameter that are left, as indices into its list, ascending.
struct domain {
    uint32_t *values;
    uint32_t count;
};

enum { STATE_DEAD, STATE_HOLDS, STATE_FIRST };

// From a state to the one after a value (its place in the domain) that does not lead to DEAD.
struct transition {
    uint32_t value, state;
};

// The transitions of one parameter, ascending by value within a state.
struct transitions {
    const uint32_t *starts; // where those of state STATE_FIRST + i begin; one more: the end
    const struct transition *items;
    uint32_t states; // how many, from STATE_FIRST on
};

struct automaton {
    const uint32_t *parameters; // that it reads and that have a choice left, in the order
    uint32_t length;
    uint32_t start;                 // the state before the first; DEAD: nothing satisfies it
    const struct transitions *next; // one a parameter
};

// The cells of a restriction's table: the product of its parameters' values; UINT64_MAX past that.
uint64_t automaton_cells(const struct automaton *a, const struct domain *domains);

// These fill in start and next from parameters and length, in memory of the arena; false without
// memory. Single values of parameters that have no choice are set in the evaluator by the caller.
bool automaton_tabulate(struct automaton *a, struct arena *arena, const struct restriction *r,
                        const struct domain *domains, struct evaluator *v, uint64_t *faults);
bool automaton_choices(struct automaton *a, struct arena *arena, const struct problem *p,
                       const struct domain *domains);

enum staging {
    STAGING_DONE,
    STAGING_LARGE, // its states or transitions are too many, or it cannot be evaluated in stages
    STAGING_EFFORT,
    STAGING_MEMORY
};
// The same as tabulating without a table: a stage for each parameter, its states the values of the
// expression's parts that are known then (see expr/graph.h).
struct stage_limits {
    uint64_t *effort; // steps that may be taken; what is used is subtracted
    uint32_t words;   // different sets of values after a stage that are told apart
};
enum staging automaton_stage(struct automaton *a, struct arena *arena, const struct restriction *r,
                             const struct domain *domains, struct evaluator *v,
                             const struct stage_limits *limits, uint64_t *faults);

// Equal rows of states, one for each value of a parameter, as transitions. False without memory.
bool transitions_of_rows(struct transitions *t, struct arena *arena, const struct intern *rows,
                         uint32_t width);

#endif
