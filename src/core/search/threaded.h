// A strategy that chooses in a thread of its own, while whoever asks does something else: a GPU waits for nobody's model.
#pragma once

#include "search/search.h"

// Takes the strategy, and answers one that asks it in a thread: strategy_ask() may have nothing yet, and strategy_wait()
// then says so. What it is told and asked reaches it in that order, so that its questions are the same. The strategy itself
// where that is of no use (it chooses at once, or waits for a program), or no thread can be had. `sources` of its setup.
struct strategy *threaded_new(struct strategy *inner, uint32_t sources);
