// Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983: "Optimization by simulated annealing"):
// from where it stands to a configuration that differs in one parameter, always when that is
// better, at times when it is worse, the less often the later. How much worse is measured in mean
// differences between neighbours, so it means the same whatever the unit and the spread. A
// neighbour that is known already is walked over without asking. The temperature falls over a
// cycle and is then raised again, at the best; where nothing new is found it asks around the best.
#include "search/learner.h"
#include "search/maths.h"
#include "search/strategies.h"

#include <math.h>
#include <stdlib.h>

enum { HOT, COLD, CYCLE };
static const struct strategy_option options[] = {
    [HOT] = {"hot", "temperature at the start of a cycle, in mean steps", 0.1, 1e-6, 1000, false},
    [COLD] = {"cold", "temperature at its end", 0.01, 1e-6, 1000, false},
    [CYCLE] = {"cycle", "results until it is hot again", 100, 1, 1e9, true},
    {.name = NULL},
};

#define AROUND_TRIES 1000
#define WALK_MOST    50 // known configurations that are walked over for one ask
#define START        5  // asked at random before it starts at the best of them

struct anneal {
    struct strategy base;
    struct learner learner;
    uint64_t current, best;
    double current_value, best_value;
    bool has_current;
    double hot, ratio; // log(cold / hot)
    uint64_t cycle, told;
    double steps, step_count; // sum of how far apart two neighbours were
    uint32_t newcomers;
};

static void anneal_destroy(struct strategy *s)
{
    learner_release(&((struct anneal *)s)->learner);
    free(s);
}

static struct strategy *anneal_create(const struct strategy_setup *setup, struct error *e)
{
    struct anneal *a = alloc_zeroed(sizeof *a, e);
    if (!a || !learner_init(&a->learner, setup, e)) {
        free(a);
        return NULL;
    }
    a->hot = setup->options[HOT];
    a->ratio = maths_log(setup->options[COLD] / a->hot);
    a->cycle = (uint64_t)setup->options[CYCLE];
    a->newcomers = START;
    return &a->base;
}

static double temperature(const struct anneal *a)
{
    double done = (double)(a->told % a->cycle) / (double)a->cycle;
    return a->hot * maths_exp(a->ratio * done);
}

static bool accepts(struct anneal *a, double value)
{
    double worse = value - a->current_value;
    if (worse <= 0)
        return true;
    double scale = a->step_count > 0 ? a->steps / a->step_count * temperature(a) : 0;
    return scale > 0 && rng_unit(&a->learner.rng) < maths_exp(-worse / scale);
}

static void move(struct anneal *a, uint64_t index, double value)
{
    a->current = index;
    a->current_value = value;
    a->has_current = true;
}

// One random step; over what is known it goes on from there.
static bool propose(struct anneal *a, uint64_t *index)
{
    struct learner *g = &a->learner;
    if (g->axes.steps == 0 || !a->has_current || a->newcomers > 0)
        return false;
    for (uint32_t i = 0, walked = 0; i < 4 * g->axes.steps && walked < WALK_MOST; i++) {
        space_get(g->space, a->current, g->choice);
        axes_change(&g->axes, rng_below(&g->rng, g->axes.steps), g->choice);
        if (!space_find(g->space, g->choice, index))
            continue;
        const struct asked_entry *known = asked_find(&g->asked, *index);
        if (!known)
            return true;
        if (known->state == ASKED_CORRECT && accepts(a, known->value)) {
            move(a, *index, known->value);
            walked++;
        }
    }
    return learner_around(g, a->best, AROUND_TRIES, index, 1) == 1;
}

static size_t anneal_ask(struct strategy *s, uint64_t *out, size_t capacity)
{
    struct anneal *a = (struct anneal *)s;
    size_t room = learner_room(&a->learner, capacity), asked = 0;
    for (; asked < room; asked++) {
        if (walk_is_beginning(&a->learner.walk) || !propose(a, &out[asked])) {
            if (!learner_next(&a->learner, &out[asked]))
                break;
            a->newcomers -= a->newcomers > 0;
        }
        asked_add(&a->learner.asked, out[asked]);
    }
    return asked;
}

static void anneal_tell(struct strategy *s, uint64_t index, enum status status, double value)
{
    struct anneal *a = (struct anneal *)s;
    const struct asked_entry *told = learner_tell(&a->learner, index, status, value);
    if (!told)
        return;
    if (++a->told % a->cycle == 0 && a->has_current)
        move(a, a->best, a->best_value);
    if (told->state != ASKED_CORRECT)
        return;
    if (a->has_current) {
        a->steps += fabs(value - a->current_value);
        a->step_count++;
    }
    if (!a->has_current || value < a->best_value)
        a->best = index, a->best_value = value;
    if (!a->has_current || (a->newcomers > 0 ? value < a->current_value : accepts(a, value)))
        move(a, index, value);
}

const struct strategy_operations strategy_anneal = {
    .name = "anneal",
    .summary = "simulated annealing: steps to neighbours, worse ones the less the later",
    .options = options,
    .create = anneal_create,
    .ask = anneal_ask,
    .tell = anneal_tell,
    .destroy = anneal_destroy,
};
