#include "search/ground.h"

#include <math.h>
#include <stdlib.h>

#define EXPECTED_MOST 4096 // asks that memory is taken for at once

bool ground_init(struct ground *g, const struct strategy_setup *setup, struct error *e)
{
    const struct spec *s = space_spec(setup->space);
    *g = (struct ground){.space = setup->space};
    walk_init(&g->walk, setup->space);
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
    ground_release(g);
    return error_memory(e);
}

void ground_release(struct ground *g)
{
    asked_release(&g->asked);
    axes_release(&g->axes);
}

size_t ground_room(struct ground *g, size_t capacity)
{
    uint64_t left = g->walk.count - g->asked.count;
    size_t room = left < capacity ? (size_t)left : capacity;
    return asked_reserve(&g->asked, room) ? room : 0;
}

static uint64_t shuffled(const void *data, uint64_t position)
{
    return permutation_at(data, position);
}

bool ground_next(struct ground *g, uint64_t *index)
{
    while (walk_ask(&g->walk, shuffled, &g->permutation, index, 1) == 1) {
        if (asked_state(&g->asked, *index) == ASKED_NEVER)
            return true;
    }
    return false;
}

bool ground_is_new(const struct ground *g, const uint32_t *choice, uint64_t *index)
{
    return space_find(g->space, choice, index) && asked_state(&g->asked, *index) == ASKED_NEVER;
}

bool ground_neighbour(struct ground *g, uint64_t from, uint32_t tries, uint64_t *index)
{
    uint64_t steps = g->axes.steps, start = steps ? rng_below(&g->rng, steps) : 0;
    // Steps of a stride that shares no factor with their number visit each once.
    uint64_t stride = steps ? 1 + rng_below(&g->rng, steps) : 1;
    for (uint64_t a = stride, b = steps; b != 0;) {
        uint64_t rest = a % b;
        a = b, b = rest;
        if (b == 0 && a != 1)
            a = ++stride, b = steps;
    }
    space_get(g->space, from, g->other);
    for (uint64_t i = 0; i < steps && i < tries; i++) {
        for (uint32_t p = 0; p < g->axes.parameters; p++)
            g->choice[p] = g->other[p];
        axes_change(&g->axes, (start + i * stride) % steps, g->choice);
        if (ground_is_new(g, g->choice, index))
            return true;
    }
    return false;
}

void ground_tell(struct ground *g, uint64_t index, enum status status, double value)
{
    struct asked_entry *entry = asked_find(&g->asked, index);
    bool correct = status == STATUS_CORRECT && isfinite(value);
    if (!entry)
        return;
    entry->state = correct ? ASKED_CORRECT : ASKED_FAILED;
    entry->value = value;
}
