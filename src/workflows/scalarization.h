// A search for several objectives. A strategy minimises one number, so there is one strategy for
// each of a few directions: each objective with most of the weight, and all evenly. They take turns
// asking, each receives the values under its own weights (objective_weighted()), which never
// change, and an index that two of them ask for is evaluated once. Zhang and Li, "MOEA/D: a
// multiobjective evolutionary algorithm based on decomposition", IEEE Trans. Evol. Comp. 11, 2007,
// without the neighbourhoods.
//
// Pure, as strategies are (search.h): same seed and results, same questions.
#pragma once

#include "search/objective.h"
#include "search/search.h"

struct scalarization;

// With one objective, or a strategy that does not receive results, there is one direction.
// `objectives` outlive it.
struct scalarization *scalarization_new(const char *strategy, const struct strategy_setup *setup,
                                        const struct objectives *objectives, struct error *e);
void scalarization_free(struct scalarization *d); // NULL is fine
// From now on a single direction chooses in a thread of its own (search/threaded.h). Several
// directions take turns, and their order must not depend on which is faster. `sources` of the
// setup.
void scalarization_thread(struct scalarization *d, uint32_t sources);
// As strategy_ask(). Fewer than could be asked, and *failed, without memory.
size_t scalarization_ask(struct scalarization *d, uint64_t *out, size_t capacity, bool *failed);
// As strategy_wait(): may one of them have a question yet?
bool scalarization_wait(struct scalarization *d, int timeout_ms);
// Why a strategy ended before its time; NULL: none did.
const struct error *scalarization_why(const struct scalarization *d);
// As strategy_cost(), to those that have asked for it by now.
void scalarization_cost(struct scalarization *d, uint64_t index, double ns);
// The outcome of an index that was asked. `values` of the objectives, for STATUS_CORRECT; NULL:
// there are none, and all that are correct are the same.
void scalarization_tell(struct scalarization *d, uint64_t index, enum status status,
                        const double *values);
uint32_t scalarization_count(const struct scalarization *d);
// The strategy of one direction: all have the same name and options.
const struct strategy *scalarization_strategy(const struct scalarization *d);
