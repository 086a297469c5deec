// A search for several objectives. A strategy minimises one number, so there is one strategy for
// each of a few directions: each objective with most of the weight, and all evenly. They are asked
// in turn, each is told the values by its own weights (goal_weighted()), which never change, and
// what two of them ask for is evaluated once. Zhang and Li, "MOEA/D: a multiobjective evolutionary
// algorithm based on decomposition", IEEE Trans. Evol. Comp. 11, 2007, without the neighbourhoods.
//
// Pure, as strategies are: same seed and results, same questions.
#ifndef HONE_DIRECTIONS_H
#define HONE_DIRECTIONS_H

#include "goal.h"
#include "search/search.h"

struct directions;

// With one objective, or a strategy that is told nothing, there is one direction. `goal` outlives
// it.
struct directions *directions_new(const char *strategy, const struct strategy_setup *setup,
                                  const struct goal *goal, struct error *e);
void directions_free(struct directions *d); // NULL is fine
// As strategy_ask(). Fewer than could be asked, and *failed, without memory.
size_t directions_ask(struct directions *d, uint64_t *out, size_t capacity, bool *failed);
// The outcome of an index that was asked. `values` of the goal, for STATUS_CORRECT; NULL: there are
// none, and all that are correct are the same.
void directions_tell(struct directions *d, uint64_t index, enum status status,
                     const double *values);
uint32_t directions_count(const struct directions *d);
// Of each of them: they have the same name and options.
const struct strategy *directions_strategy(const struct directions *d);

#endif
