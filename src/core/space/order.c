// Two orders of the parameters: that of the spec, and one by groups, chosen greedily: the next
// parameter is one that shares an unfinished restriction with those placed; of several the one with
// the least to remember: the logarithm of the number of assignments that unfinished restrictions
// still distinguish, which bounds the width of the diagram.
#include "space/order.h"

#include <math.h>
#include <stdlib.h>

void order_of_spec(const struct problem *p, uint32_t *order)
{
    for (uint32_t i = 0; i < p->spec->parameter_count; i++)
        order[i] = i;
}

struct arranging {
    const struct problem *problem;
    const struct filtered *filtered;
    bool *placed;      // one a parameter
    uint32_t *missing; // one a restriction: parameters of it not yet placed; 0 if nothing is left
    bool *live;        // scratch, one a parameter
    uint32_t *rank;    // one a parameter: its place in the text of the restrictions
    uint32_t ranked;
};

// ---- reading order -----------------------------------------------------------------------------

static bool rank_slots(struct arranging *a, const struct expr *x);

// Ranks parameters in an expression's reading order: parts that end early leave a single value.
static bool rank_slots(struct arranging *a, const struct expr *x)
{
    const uint32_t *slots;
    size_t count = expr_slots(x, &slots);
    uint32_t *order = malloc((count + 1) * sizeof *order);
    bool ok = order != NULL;
    if (ok)
        expr_slots_as_read(x, order);
    for (size_t i = 0; ok && i < count; i++) {
        uint32_t slot = order[i];
        const struct spec *s = a->problem->spec;
        uint32_t parameter = slot - s->slots.parameters, derived = slot - s->slots.derived;
        if (parameter < s->parameter_count && a->rank[parameter] == UINT32_MAX)
            a->rank[parameter] = a->ranked++;
        ok = derived >= s->derived_count || rank_slots(a, s->derived[derived].expr);
    }
    free(order);
    return ok;
}

static bool rank_all(struct arranging *a)
{
    const struct problem *p = a->problem;
    bool ok = true;
    for (uint32_t i = 0; i < p->spec->parameter_count; i++)
        a->rank[i] = UINT32_MAX;
    for (uint32_t k = 0; ok && k < p->restriction_count; k++) {
        const struct expr *x = p->restrictions[k].formula->expr;
        ok = a->filtered->done[k] || !x || rank_slots(a, x);
    }
    for (uint32_t i = 0; i < p->spec->parameter_count; i++)
        a->rank[i] = a->rank[i] == UINT32_MAX ? a->ranked++ : a->rank[i];
    return ok;
}

// ---- arranging ---------------------------------------------------------------------------------

static bool reads_parameter(const struct restriction *r, uint32_t parameter)
{
    for (uint32_t i = 0; i < r->parameter_count; i++) {
        if (r->parameters[i] == parameter)
            return true;
    }
    return false;
}

// How much must be remembered once `candidate` is placed too: the product (as a sum of logarithms)
// of the placed parameters' values that an unfinished restriction still needs.
static double remembered(const struct arranging *a, uint32_t candidate, bool *connected)
{
    double sum = 0;
    *connected = false;
    for (uint32_t i = 0; i < a->problem->spec->parameter_count; i++)
        a->live[i] = false;
    for (uint32_t k = 0; k < a->problem->restriction_count; k++) {
        const struct restriction *r = &a->problem->restrictions[k];
        bool reading = a->missing[k] > 0 && reads_parameter(r, candidate);
        *connected |= reading && a->missing[k] < r->parameter_count;
        if (a->missing[k] == 0 || (reading && a->missing[k] == 1))
            continue;
        for (uint32_t i = 0; i < r->parameter_count; i++)
            a->live[r->parameters[i]] |= a->placed[r->parameters[i]];
        if (reading)
            a->live[candidate] = true;
    }
    for (uint32_t i = 0; i < a->problem->spec->parameter_count; i++) {
        if (a->live[i])
            sum += log2(a->filtered->domains[i].count);
    }
    return sum;
}

// Sums of logarithms that differ by less are equal.
#define BITS_EQUAL 1e-9

// The best next one: of the group that is begun, else the least to remember, else the first read.
static uint32_t choose_next_parameter(const struct arranging *a)
{
    uint32_t best = UINT32_MAX;
    bool best_connected = false;
    double least = 0;
    for (uint32_t p = 0; p < a->problem->spec->parameter_count; p++) {
        bool connected;
        if (a->placed[p])
            continue;
        double sum = remembered(a, p, &connected);
        bool better =
            best == UINT32_MAX || (connected == best_connected
                                       ? (sum < least - BITS_EQUAL ||
                                          (sum <= least + BITS_EQUAL && a->rank[p] < a->rank[best]))
                                       : connected);
        if (better) {
            best = p;
            least = sum;
            best_connected = connected;
        }
    }
    return best;
}

bool order_by_groups(const struct problem *p, const struct filtered *f, uint32_t *order)
{
    uint32_t count = p->spec->parameter_count;
    struct arranging a = {.problem = p, .filtered = f};
    a.placed = calloc((size_t)count + 1, sizeof *a.placed);
    a.live = calloc((size_t)count + 1, sizeof *a.live);
    a.missing = calloc((size_t)p->restriction_count + 1, sizeof *a.missing);
    a.rank = calloc((size_t)count + 1, sizeof *a.rank);
    bool ok = a.placed && a.live && a.missing && a.rank && rank_all(&a);
    for (uint32_t k = 0; ok && k < p->restriction_count; k++)
        a.missing[k] = f->done[k] ? 0 : p->restrictions[k].parameter_count;
    for (uint32_t i = 0; ok && i < count; i++) {
        order[i] = choose_next_parameter(&a);
        uint32_t parameter = order[i];
        a.placed[parameter] = true;
        for (uint32_t k = 0; k < a.problem->restriction_count; k++) {
            if (a.missing[k] > 0 && reads_parameter(&a.problem->restrictions[k], parameter))
                a.missing[k]--;
        }
    }
    free(a.placed);
    free(a.live);
    free(a.missing);
    free(a.rank);
    return ok;
}
