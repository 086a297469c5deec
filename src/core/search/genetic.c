// A steady-state genetic algorithm (Syswerda 1991: "A study of reproduction in generational and
// steady-state genetic algorithms"): there are no generations to wait for, so results may come in
// any order. Each ask is a child of two parents won in tournaments, by uniform crossover and
// mutation; a result that beats the worst member takes its place. A child that is not in the space,
// or known, is made again. A population that nothing enters any more has converged: it starts anew
// around its best.
#include "search/learner.h"
#include "search/strategies.h"

#include <stdlib.h>

#define CHILD_TRIES  30
#define AROUND_TRIES 1000
// As many results as the population has members, so often, without one that entered it.
#define STALE_ROUNDS 3

enum { POPULATION, MUTATION, TOURNAMENT };
static const struct strategy_option options[] = {
    [POPULATION] = {"population", "members that parents are chosen from", 16, 2, 1000, true},
    [MUTATION] = {"mutation", "chance of each parameter of a child to change", 0.05, 0, 1, false},
    [TOURNAMENT] = {"tournament", "members of which the best becomes a parent", 4, 1, 100, true},
    {.name = NULL},
};

struct member {
    uint64_t index;
    double value;
};

struct genetic {
    struct strategy base;
    struct learner learner;
    struct member *members; // ascending by value
    uint32_t count, capacity;
    uint32_t tournament;
    double mutation;
    uint32_t newcomers; // to be asked at random before there are children
    uint32_t stale;     // results since one entered
};

static void genetic_destroy(struct strategy *s)
{
    struct genetic *g = (struct genetic *)s;
    learner_release(&g->learner);
    free(g->members);
    free(g);
}

static struct strategy *genetic_create(const struct strategy_setup *setup, struct error *e)
{
    struct genetic *g = alloc_zeroed(sizeof *g, e);
    if (!g || !learner_init(&g->learner, setup, e)) {
        free(g);
        return NULL;
    }
    g->capacity = g->newcomers = (uint32_t)setup->options[POPULATION];
    g->tournament = (uint32_t)setup->options[TOURNAMENT];
    g->mutation = setup->options[MUTATION];
    g->members = calloc(g->capacity, sizeof *g->members);
    if (!g->members) {
        error_memory(e);
        genetic_destroy(&g->base);
        return NULL;
    }
    return &g->base;
}

static uint64_t win_tournament(struct genetic *g)
{
    uint64_t best = g->count;
    for (uint32_t i = 0; i < g->tournament; i++) {
        uint64_t drawn = rng_below(&g->learner.rng, g->count);
        if (drawn < best)
            best = drawn;
    }
    return g->members[best].index;
}

static bool make_child(struct genetic *g, uint64_t *index)
{
    if (g->newcomers > 0 || g->count < 2)
        return false;
    for (uint32_t i = 0; i < CHILD_TRIES; i++) {
        // Each parameter from either parent. A child made again changes more: one parameter at
        // least.
        struct learner *w = &g->learner;
        const struct axes *x = &w->axes;
        space_get(w->space, win_tournament(g), w->choice);
        space_get(w->space, win_tournament(g), w->other);
        uint32_t sure = i > 0 ? (uint32_t)rng_below(&w->rng, x->count) : x->count;
        for (uint32_t k = 0; k < x->count; k++) {
            uint32_t p = x->items[k].parameter;
            if (rng_u32(&w->rng) & 1)
                w->choice[p] = w->other[p];
            if (rng_unit(&w->rng) < g->mutation || k == sure)
                axes_mutate(x, k, &w->rng, w->choice);
        }
        if (learner_is_new(&g->learner, g->learner.choice, index))
            return true;
    }
    return learner_around(&g->learner, g->members[0].index, AROUND_TRIES, index, 1) == 1;
}

static size_t genetic_ask(struct strategy *s, uint64_t *out, size_t capacity)
{
    struct genetic *g = (struct genetic *)s;
    size_t room = learner_room(&g->learner, capacity), asked = 0;
    for (; asked < room; asked++) {
        if (walk_is_beginning(&g->learner.walk) || !make_child(g, &out[asked])) {
            if (!learner_next(&g->learner, &out[asked]))
                break;
            g->newcomers -= g->newcomers > 0;
        }
        asked_add(&g->learner.asked, out[asked]);
    }
    return asked;
}

static void genetic_tell(struct strategy *s, uint64_t index, enum status status, double value)
{
    struct genetic *g = (struct genetic *)s;
    const struct asked_entry *told = learner_tell(&g->learner, index, status, value);
    if (!told)
        return;
    if (told->state == ASKED_CORRECT &&
        (g->count < g->capacity || value < g->members[g->count - 1].value)) {
        uint32_t at = g->count < g->capacity ? g->count++ : g->count - 1;
        for (; at > 0 && g->members[at - 1].value > value; at--)
            g->members[at] = g->members[at - 1];
        g->members[at] = (struct member){index, value};
        g->stale = 0;
    } else if (++g->stale >= STALE_ROUNDS * g->capacity) {
        g->count = g->count > 0; // the best
        g->newcomers = g->capacity - 1;
        g->stale = 0;
    }
}

const struct strategy_operations strategy_genetic = {
    .name = "genetic",
    .summary = "children of the best so far, by crossover and mutation",
    .options = options,
    .create = genetic_create,
    .ask = genetic_ask,
    .tell = genetic_tell,
    .destroy = genetic_destroy,
};
