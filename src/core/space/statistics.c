// Counts the configurations that each restriction excludes by itself, on first use.
#include "space/inside.h"
#include "space/solve.h"

#include <stdlib.h>

// Restrictions with more assignments of their own parameters are not counted one by one: a space
// that they alone restrict is, within this effort for all of them together (in steps, see solve.c).
#define COUNTED_MOST (UINT64_C(1) << 16)
#define ALONE_EFFORT (UINT64_C(1) << 30)
// And this is for all that are counted.
#define COUNT_EFFORT (UINT64_C(1) << 29)

// Runs through all assignments of the restriction's parameters.
struct odometer {
    const struct problem *problem;
    const struct restriction *restriction;
    struct evaluator *evaluator;
    uint32_t *choice; // of all parameters; those it does not read are ignored
    uint64_t effort;  // left
};

static bool excluded(struct odometer *o)
{
    enum expr_fault fault;
    if (o->restriction->kind == RESTRICTION_CHOICES)
        return !choices_allow(o->problem, o->choice);
    return !evaluator_test(o->evaluator, o->restriction, &fault);
}

static void turn(struct odometer *o, uint32_t parameter, uint32_t value)
{
    o->choice[parameter] = value;
    evaluator_set(o->evaluator, parameter, value);
}

// The next assignment; false after the last.
static bool next(struct odometer *o)
{
    const struct restriction *r = o->restriction;
    for (uint32_t i = r->parameter_count; i-- > 0;) {
        uint32_t p = r->parameters[i];
        if (o->choice[p] + 1 < o->problem->spec->parameters[p].count) {
            turn(o, p, o->choice[p] + 1);
            return true;
        }
        turn(o, p, 0);
    }
    return false;
}

// The product of the value counts of the parameters it reads, or of the others; UINT64_MAX past
// that.
static uint64_t product_of_counts(const struct problem *p, const struct restriction *r, bool read)
{
    uint64_t result = 1;
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->spec->parameter_count; i++) {
        bool reads = at < r->parameter_count && r->parameters[at] == i;
        at += reads;
        if (reads == read && __builtin_mul_overflow(result, p->spec->parameters[i].count, &result))
            return UINT64_MAX;
    }
    return result;
}

// The Cartesian product without what is left by the restriction alone.
static uint64_t solve_alone(const struct problem *p, const struct restriction *r, uint64_t cells)
{
    struct diagram left;
    uint64_t effort = ALONE_EFFORT / p->restriction_count, excluded = UINT64_MAX;
    bool *skip = malloc(((size_t)p->restriction_count + 1) * sizeof *skip);
    if (!skip)
        return UINT64_MAX;
    for (uint32_t i = 0; i < p->restriction_count; i++)
        skip[i] = &p->restrictions[i] != r;
    struct solve_options o = {.skip = skip, .effort = &effort};
    if (solve(p, &o, &left, NULL) == BUILD_DONE)
        excluded = cells - diagram_count(&left);
    diagram_release(&left);
    free(skip);
    return excluded;
}

static uint64_t count_alone(struct odometer *o)
{
    uint64_t others = product_of_counts(o->problem, o->restriction, false), count = 0;
    uint64_t own = product_of_counts(o->problem, o->restriction, true), cells;
    if (others == UINT64_MAX)
        return UINT64_MAX;
    if (own > COUNTED_MOST)
        return __builtin_mul_overflow(own, others, &cells)
                   ? UINT64_MAX
                   : solve_alone(o->problem, o->restriction, cells);
    for (uint32_t i = 0; i < o->restriction->parameter_count; i++)
        turn(o, o->restriction->parameters[i], 0);
    uint64_t cost = own * restriction_cost(o->restriction);
    if (cost >= o->effort)
        return UINT64_MAX;
    o->effort -= cost;
    do {
        count += excluded(o);
    } while (!o->evaluator->exhausted && next(o));
    if (o->evaluator->exhausted)
        return UINT64_MAX;
    return __builtin_mul_overflow(count, others, &count) ? UINT64_MAX : count;
}

// Derived parameters are listed only when one has no value somewhere.
static void count_all(const struct space *sp, struct odometer *o)
{
    struct space_statistics *t = sp->statistics;
    for (uint32_t i = 0; i < sp->problem.restriction_count; i++) {
        const struct restriction *r = &sp->problem.restrictions[i];
        if (r->kind == RESTRICTION_DERIVED && sp->faults[i] == 0)
            continue;
        o->restriction = r;
        t->items[t->count++] =
            (struct space_restriction_stats){r->formula, count_alone(o), sp->faults[i]};
    }
    t->counted = true;
}

size_t space_restrictions(const struct space *sp, const struct space_restriction_stats **out)
{
    struct space_statistics *t = sp->statistics;
    const struct problem *p = &sp->problem;
    struct evaluator v;
    if (!t->items)
        t->items = calloc((size_t)p->restriction_count + 1, sizeof *t->items);
    if (!t->counted && t->items && evaluator_init(&v, p, NULL)) {
        struct odometer o = {.problem = p, .evaluator = &v, .effort = COUNT_EFFORT};
        v.steps = &o.effort;
        o.choice = calloc((size_t)p->spec->parameter_count + 1, sizeof *o.choice);
        if (o.choice)
            count_all(sp, &o);
        free(o.choice);
        evaluator_release(&v);
    }
    *out = t->items;
    return t->count;
}
