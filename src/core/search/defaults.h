// A spec's own tuning settings, used if the caller gives none: its Budget and Search.
#pragma once

#include "base/log.h"
#include "search/search.h"
#include "problem/spec.h"

struct budget defaults_budget(const struct spec *s);
// The spec's strategy with its options, as strategy_new() reads it, in the arena; NULL: the spec
// names none, or one of another tuner. That one, and options that the strategy does not have, are
// no fault of the spec: a note says that they are ignored. False without memory.
bool defaults_strategy(const struct spec *s, const struct log *log, struct arena *a,
                       const char **out);
