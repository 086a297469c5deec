// State shared by the learning strategies: the space and its axes, questions and answers, random
// numbers, and the rest of the space in random order, used if a strategy has no proposal.
#pragma once

#include "search/asked.h"
#include "search/axes.h"
#include "search/permutation.h"
#include "search/search.h"
#include "search/walk.h"

struct learner {
    const struct space *space;
    struct axes axes;
    struct asked asked;
    struct rng rng;
    struct walk walk; // the starts and the default, then all others in the order of `permutation`
    struct permutation permutation;
    uint32_t *choice, *other; // scratch, one configuration each
};

// False (error) without memory, and then nothing is to be released.
bool learner_init(struct learner *g, const struct strategy_setup *setup, struct error *e);
void learner_release(struct learner *g);

// How many of `capacity` can be asked: 0 when everything was, or without memory.
size_t learner_room(struct learner *g, size_t capacity);
// The next that was not asked: the starts, the default, then at random. False when there is none.
bool learner_next(struct learner *g, uint64_t *index);
// Is this configuration in the space and not asked yet?
bool learner_is_new(const struct learner *g, const uint32_t *choice, uint64_t *index);
// Was it never asked?
bool learner_is_open(const struct learner *g, uint64_t index);
// Configurations that were not asked and differ from `from` in one parameter: those one place up or
// down first, then the others in random order; `tries` steps are tried. Writes at most
// `capacity`, returns how many.
size_t learner_around(struct learner *g, uint64_t from, uint64_t tries, uint64_t *out,
                      size_t capacity);
// Notes the outcome; NULL when it was never asked, or is known already. A value that is not finite
// is a failure.
struct asked_entry *learner_tell(struct learner *g, uint64_t index, enum status status,
                                 double value);
