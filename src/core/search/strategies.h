// The strategies there are; a new one is a file, a line here, and a line in strategy.c's table.
#pragma once

#include "search/search.h"

extern const struct strategy_operations strategy_exhaustive;
extern const struct strategy_operations strategy_random;
extern const struct strategy_operations strategy_genetic;
extern const struct strategy_operations strategy_anneal;
extern const struct strategy_operations strategy_surrogate;
extern const struct strategy_operations strategy_exec;
