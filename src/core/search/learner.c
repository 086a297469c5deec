// State shared by the learning strategies: questions and answers, random numbers, the neighbours of
// a configuration in the space, and a random walk over the rest, for want of a proposal.
#include "search/learner.h"

#include <math.h>

#define EXPECTED_MOST 4096 // asks that memory is taken for at once

bool learner_init(struct learner *g, const struct strategy_setup *setup, struct error *e)
{
    const struct spec *s = space_spec(setup->space);
    *g = (struct learner){.space = setup->space};
    walk_init(&g->walk, setup->space, setup->starts, setup->start_count);
    if (g->walk.count > 0)
        permutation_init(&g->permutation, g->walk.count, setup->seed);
    rng_init(&g->rng, setup->seed, 1);
    size_t bytes = (s->parameter_count + 1) * sizeof *g->choice;
    bool made = axes_init(&g->axes, s);
    g->choice = made ? arena_alloc(&g->axes.arena, bytes) : NULL;
    g->other = made ? arena_alloc(&g->axes.arena, bytes) : NULL;
    uint64_t expected = setup->budget < EXPECTED_MOST ? setup->budget : EXPECTED_MOST;
    if (asked_init(&g->asked, (size_t)expected) && g->choice && g->other)
        return true;
    learner_release(g);
    return error_memory(e);
}

void learner_release(struct learner *g)
{
    asked_release(&g->asked);
    axes_release(&g->axes);
}

size_t learner_room(struct learner *g, size_t capacity)
{
    uint64_t left = g->walk.count - g->asked.count;
    size_t room = left < capacity ? (size_t)left : capacity;
    return asked_reserve(&g->asked, room) ? room : 0;
}

bool learner_next(struct learner *g, uint64_t *index)
{
    while (walk_ask(&g->walk, permutation_order, &g->permutation, index, 1) == 1) {
        if (learner_is_open(g, *index))
            return true;
    }
    return false;
}

bool learner_is_open(const struct learner *g, uint64_t index)
{
    return !asked_find(&g->asked, index);
}

bool learner_is_new(const struct learner *g, const uint32_t *choice, uint64_t *index)
{
    return space_find(g->space, choice, index) && learner_is_open(g, *index);
}

static uint64_t common_factor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

// The neighbours one place away along an ordered axis.
static size_t adjacent(struct learner *g, uint64_t *out, size_t capacity)
{
    size_t found = 0;
    for (uint32_t i = 0; i < g->axes.count; i++) {
        const struct axis *a = &g->axes.items[i];
        uint32_t *value = &g->choice[a->parameter], before = *value, place = a->place[before];
        for (uint32_t up = 0; up < 2 && a->ordered; up++) {
            if (up ? place + 1 == a->count : place == 0)
                continue;
            *value = a->order[up ? place + 1 : place - 1];
            found += found < capacity && learner_is_new(g, g->choice, &out[found]);
        }
        *value = before;
    }
    return found;
}

static bool indices_contain(const uint64_t *list, size_t count, uint64_t index)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == index)
            return true;
    }
    return false;
}

size_t learner_around(struct learner *g, uint64_t from, uint64_t tries, uint64_t *out,
                      size_t capacity)
{
    uint64_t steps = g->axes.steps;
    if (steps == 0)
        return 0;
    space_get(g->space, from, g->choice);
    size_t near = adjacent(g, out, capacity), found = near;
    // Strides that share no factor with the number of steps come to each once.
    uint64_t at = rng_below(&g->rng, steps), stride = 1 + rng_below(&g->rng, steps);
    while (common_factor(stride, steps) != 1)
        stride++;
    for (uint64_t i = 0; i < steps && i < tries && found < capacity; i++) {
        at = (at + stride) % steps;
        axes_change(&g->axes, at, g->choice);
        bool is_new = learner_is_new(g, g->choice, &out[found]);
        space_get(g->space, from, g->choice);
        found += is_new && !indices_contain(out, near, out[found]);
    }
    return found;
}

struct asked_entry *learner_tell(struct learner *g, uint64_t index, enum status status,
                                 double value)
{
    struct asked_entry *entry = asked_find(&g->asked, index);
    if (!entry || entry->state != ASKED_PENDING)
        return NULL;
    entry->state = status == STATUS_CORRECT && isfinite(value) ? ASKED_CORRECT : ASKED_FAILED;
    entry->value = value;
    return entry;
}
