// The effects of the values of each parameter on the logarithm of a cost, by backfitting: the effects of one axis after
// the other are the means of what the others leave unexplained, drawn towards 0 where there are few.
#include "search/costs.h"

#include "base/array.h"
#include "search/maths.h"

#include <stdlib.h>

#define SWEEPS     6
#define DRAWN      1.0 // observations of no effect that each value is given
#define LEAST      4   // known costs
#define FURTHEST   1.5 // of logarithms: nothing is taken to be 5 times as cheap
#define COST_LEAST 1.0 // ns

bool costs_init(struct costs *c, const struct axes *x, struct arena *a)
{
    uint32_t longest = 1;
    *c = (struct costs){.axes = x};
    c->effects = arena_array(a, (size_t)x->count + 1, sizeof *c->effects);
    for (uint32_t i = 0; c->effects && i < x->count; i++) {
        uint32_t count = x->items[i].count;
        longest = count > longest ? count : longest;
        c->effects[i] = arena_array(a, count, sizeof **c->effects);
        if (!c->effects[i])
            return false;
    }
    c->sums = arena_array(a, longest, sizeof *c->sums);
    c->counts = arena_array(a, longest, sizeof *c->counts);
    return c->effects && c->sums && c->counts;
}

void costs_release(struct costs *c)
{
    free(c->choices);
    free(c->rests);
}

// Takes the effects of one axis anew, and out of what is left unexplained.
static void fit_axis(struct costs *c, uint32_t axis, size_t known, uint32_t parameters)
{
    const struct axis *a = &c->axes->items[axis];
    double *effects = c->effects[axis];
    for (uint32_t v = 0; v < a->count; v++)
        c->sums[v] = 0, c->counts[v] = 0;
    for (size_t i = 0; i < known; i++) {
        uint32_t v = c->choices[i * parameters + a->parameter];
        c->sums[v] += c->rests[i] + effects[v];
        c->counts[v]++;
    }
    for (size_t i = 0; i < known; i++)
        c->rests[i] += effects[c->choices[i * parameters + a->parameter]];
    for (uint32_t v = 0; v < a->count; v++)
        effects[v] = c->sums[v] / (c->counts[v] + DRAWN);
    for (size_t i = 0; i < known; i++)
        c->rests[i] -= effects[c->choices[i * parameters + a->parameter]];
}

bool costs_fit(struct costs *c, const struct space *space, const struct asked *asked)
{
    uint32_t parameters = c->axes->parameters;
    size_t known = 0;
    double sum = 0;
    if (!ARRAY_ROOM(c->choices, c->choice_room, (size_t)(asked->count + 1) * (parameters + 1)) ||
        !ARRAY_ROOM(c->rests, c->rest_room, (size_t)asked->count + 1))
        return false;
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct asked_entry *e = &asked->entries[i];
        if (!(e->cost >= COST_LEAST))
            continue;
        space_get(space, e->index, c->choices + known * parameters);
        c->rests[known] = maths_log(e->cost);
        sum += c->rests[known++];
    }
    if (known < LEAST)
        return true;
    for (size_t i = 0; i < known; i++)
        c->rests[i] -= sum / (double)known;
    for (uint32_t i = 0; i < c->axes->count; i++) {
        for (uint32_t v = 0; v < c->axes->items[i].count; v++)
            c->effects[i][v] = 0;
    }
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
        for (uint32_t i = 0; i < c->axes->count; i++)
            fit_axis(c, i, known, parameters);
    }
    return true;
}

double costs_rate(const struct costs *c, const uint32_t *choice)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->axes->count; i++)
        sum += c->effects[i][choice[c->axes->items[i].parameter]];
    sum = sum > FURTHEST ? FURTHEST : sum < -FURTHEST ? -FURTHEST : sum;
    return maths_exp(-sum);
}
