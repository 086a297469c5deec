// A restriction compiled for one order of the parameters: a little machine that reads their values
// one after the other. Its state after a few of them stands for what they leave of the restriction:
// assignments that leave the same have the same state, one that leaves nothing is dead at once, and
// one that leaves everything holds whatever follows.
#pragma once

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
// memory, or where the evaluator is exhausted. Single values of parameters that have no choice are
// set in the evaluator by the caller.
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
    size_t bytes;     // memory that it may take, the result arena's included
};
enum staging automaton_stage(struct automaton *a, struct arena *arena, const struct restriction *r,
                             const struct domain *domains, struct evaluator *v,
                             const struct stage_limits *limits, uint64_t *faults);

// A restriction without an automaton, evaluated stage by stage along the search: each value that is
// tried is evaluated once, together with all that is known by then, and the last parameter's values
// all at once.
struct lazy;
// In memory of the arena; `out` is NULL where it cannot be evaluated in stages, or (false) without
// memory. lazy_release() frees what else it has.
bool lazy_new(struct arena *arena, const struct automaton *a, const struct restriction *r,
              const struct domain *domains, const struct evaluator *v, struct lazy **out);
void lazy_release(struct lazy *z);
// The cost, in steps, of setting the parameter of a stage (from 0); of the last stage: of judging
// all its values.
uint64_t lazy_cost(const struct lazy *z, uint32_t stage);
// Tries a place in the domain of a stage that is not the last, all before it being set. False: the
// restriction cannot hold any more. Assignments that have no value are added to the faults.
bool lazy_try(struct lazy *z, uint32_t stage, uint32_t value, uint64_t *faults);
// Evaluates the last stage: for each place in its domain, does the restriction hold? Valid until
// the next time.
const uint8_t *lazy_judge(struct lazy *z, uint64_t *faults);
// DONE, or why it could not go on since it was made; what came back then says nothing.
enum staging lazy_outcome(const struct lazy *z);

// Equal rows of states, one for each value of a parameter, as transitions. False without memory.
bool transitions_of_rows(struct transitions *t, struct arena *arena, const struct intern *rows,
                         uint32_t width);
