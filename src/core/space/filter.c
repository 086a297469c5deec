// Filters value lists until nothing changes: a restriction all of whose parameters but one have a
// single value left is applied to the lists and is done; that may leave another parameter a single
// value, and so on.
#include "space/filter.h"

static bool start_filter(struct filtered *f, struct arena *arena, const struct problem *p,
                         const bool *skip)
{
    const struct spec *s = p->spec;
    *f = (struct filtered){
        .domains = arena_array(arena, (size_t)s->parameter_count + 1, sizeof *f->domains),
        .done = arena_array(arena, (size_t)p->restriction_count + 1, sizeof *f->done),
        .faults = arena_array(arena, (size_t)p->restriction_count + 1, sizeof *f->faults),
        .spent = arena_array(arena, (size_t)p->restriction_count + 1, sizeof *f->spent),
    };
    if (!f->domains || !f->done || !f->faults || !f->spent)
        return false;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        struct domain *d = &f->domains[i];
        d->count = s->parameters[i].count;
        d->values = arena_array(arena, d->count, sizeof *d->values);
        if (!d->values)
            return false;
        for (uint32_t v = 0; v < d->count; v++)
            d->values[v] = v;
    }
    for (uint32_t i = 0; i < p->restriction_count; i++)
        f->done[i] = skip && skip[i];
    return true;
}

// Does any row of --config allow the value?
static bool chosen(const struct problem *p, uint32_t parameter, uint32_t value)
{
    for (uint32_t row = 0; row < p->choice_count; row++) {
        uint32_t wanted = problem_choice(p, row)[parameter];
        if (wanted == CHOICE_ANY || wanted == value)
            return true;
    }
    return false;
}

// A single row is met by this alone.
static void filter_choices(struct filtered *f, const struct problem *p, uint32_t restriction)
{
    for (uint32_t i = 0; i < p->spec->parameter_count; i++) {
        struct domain *d = &f->domains[i];
        uint32_t kept = 0;
        for (uint32_t v = 0; v < d->count; v++) {
            if (chosen(p, i, d->values[v]))
                d->values[kept++] = d->values[v];
        }
        d->count = kept;
        f->empty |= kept == 0;
    }
    f->done[restriction] = p->choice_count == 1;
}

// The parameters with a choice left that it reads: how many, and the last of them.
static uint32_t open_parameters(const struct filtered *f, const struct restriction *r,
                                uint32_t *parameter)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < r->parameter_count; i++) {
        if (f->domains[r->parameters[i]].count > 1) {
            open++;
            *parameter = r->parameters[i];
        }
    }
    return open;
}

// Sets the only value of a parameter without a choice.
static void fix(const struct filtered *f, uint32_t parameter, struct evaluator *v)
{
    if (f->domains[parameter].count == 1)
        evaluator_set(v, parameter, f->domains[parameter].values[0]);
}

// A test, and what it costs.
static bool test(struct filtered *f, uint32_t restriction, struct evaluator *v)
{
    const struct restriction *r = &v->problem->restrictions[restriction];
    uint64_t before = v->steps ? *v->steps : 0, cost = restriction_cost(r);
    enum expr_fault fault;
    if (v->steps)
        *v->steps -= cost < before ? cost : before;
    bool holds = evaluator_test(v, r, &fault);
    f->faults[restriction] += fault != EXPR_FAULT_NONE;
    f->spent[restriction] += v->steps ? before - *v->steps : 0;
    return holds;
}

// Applies a restriction that reads at most one open parameter; false when it reads more.
static bool apply(struct filtered *f, uint32_t restriction, struct evaluator *v)
{
    const struct restriction *r = &v->problem->restrictions[restriction];
    uint32_t parameter = 0, open = open_parameters(f, r, &parameter);
    if (open > 1)
        return false;
    f->done[restriction] = true;
    if (open == 1) {
        struct domain *d = &f->domains[parameter];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < d->count && !v->exhausted; i++) {
            evaluator_set(v, parameter, d->values[i]);
            if (test(f, restriction, v))
                d->values[kept++] = d->values[i];
        }
        d->count = kept;
        f->empty |= kept == 0;
        fix(f, parameter, v);
        return true;
    }
    f->empty |= !test(f, restriction, v);
    return true;
}

bool filter(struct filtered *f, struct arena *arena, const bool *skip, struct evaluator *v)
{
    const struct problem *p = v->problem;
    if (!start_filter(f, arena, p, skip))
        return false;
    for (uint32_t r = 0; r < p->restriction_count; r++) {
        if (p->restrictions[r].kind == RESTRICTION_CHOICES && !f->done[r])
            filter_choices(f, p, r);
    }
    for (uint32_t i = 0; i < p->spec->parameter_count; i++)
        fix(f, i, v);
    for (bool again = true; again && !f->empty && !v->exhausted;) {
        again = false;
        for (uint32_t r = 0; r < p->restriction_count && !f->empty && !v->exhausted; r++) {
            if (!f->done[r] && p->restrictions[r].kind != RESTRICTION_CHOICES)
                again |= apply(f, r, v);
        }
    }
    return !v->failed && !v->exhausted;
}
