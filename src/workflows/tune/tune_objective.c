// The objectives of a tune: the values of records in them, which record is the best (with several
// objectives, which are the Pareto set), and what the strategy receives.
#include "workflows/tune/tune_inside.h"

#include <math.h>

void tune_objective_init(struct tune *t)
{
    struct tune_options *o = &t->o;
    if (o->objectives.count == 0)
        o->objectives = (struct objectives){{{.name = "time", .metric = OBJECTIVE_TIME}}, 1};
    t->by_time = objective_is_time(&o->objectives, o->setup.spec, o->setup.at.device);
    if (t->by_time)
        return;
    if (o->setup.terms.rules.fixed == 0 && !o->replay)
        o->setup.terms.rules.fixed = OBJECTIVE_LAUNCHES;
    o->setup.terms.energy |= objective_uses_energy(&o->objectives, o->setup.spec);
}

void tune_objective_value(struct tune *t, struct tune_item *n)
{
    struct tune_record *r = &n->record;
    const struct spec_measured measured = tune_measured(t, r);
    r->value_count = t->o.objectives.count;
    if (objective_values(&t->o.objectives, t->o.setup.spec, r->choice, t->o.setup.at.device,
                         &measured, n->values))
        r->values = n->values;
}

// ---- the best ----------------------------------------------------------------------------------

double tune_objective_order(const struct tune *t, const struct tune_record *r)
{
    if (t->by_time)
        return tune_record_ns(r);
    if (!r->values)
        return INFINITY;
    return t->o.objectives.terms[0].maximise ? -r->values[0] : r->values[0];
}

int tune_objective_compare(const struct tune_record *a, double order_a, const struct tune_record *b,
                           double order_b)
{
    if (order_a != order_b)
        return order_a < order_b ? -1 : 1;
    if (tune_record_ns(a) < tune_record_ns(b) || tune_record_ns(a) > tune_record_ns(b)) // not NaN
        return tune_record_ns(a) < tune_record_ns(b) ? -1 : 1;
    if (!a->same_as != !b->same_as)
        return a->same_as ? 1 : -1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void note_best(struct tune *t, struct tune_record *r)
{
    struct tune_progress *p = &t->progress;
    double own = tune_objective_order(t, r);
    if (!isfinite(own) ||
        (p->best && tune_objective_compare(r, own, p->best, tune_objective_order(t, p->best)) >= 0))
        return;
    p->best = r;
    if (t->by_time)
        evaluator_best(t->w.evaluator, (uint64_t)tune_record_ns(r),
                       (uint64_t)((double)r->result->verify_launch_ns / r->pace));
}

// A configuration that is identical to another belongs to the set through that one.
static void note_front(struct tune *t, struct tune_record *r)
{
    const struct objectives *g = &t->o.objectives;
    size_t kept = 0;
    if (!r->values || r->same_as)
        return;
    for (size_t i = 0; i < t->front_count; i++) {
        if (objective_dominates(g, t->front[i]->values, r->values))
            return; // and then it dominates none of them
    }
    for (size_t i = 0; i < t->front_count; i++) {
        struct tune_record *member = t->front[i];
        member->pareto = !objective_dominates(g, r->values, member->values);
        if (member->pareto)
            t->front[kept++] = member;
    }
    r->pareto = true;
    t->front[kept++] = r;
    t->front_count = kept;
}

void tune_objective_note(struct tune *t, struct tune_record *r)
{
    if (!r->timed && !r->values)
        return;
    if (t->o.objectives.count == 1)
        note_best(t, r);
    else
        note_front(t, r);
}

// ---- the strategy ------------------------------------------------------------------------------

// A correct configuration without a value of the objective counts as a failure. If nothing is
// timed, all correct ones are the same.
void tune_objective_tell(struct tune *t, const struct tune_record *r)
{
    enum status status = r->result->status;
    t->has_values |= r->values != NULL;
    if (status == STATUS_CORRECT && r->timed && !r->values)
        status = STATUS_RUNTIME;
    const struct result *took = r->result;
    scalarization_cost(
        t->strategy, r->index,
        (double)(took->build_ns + took->load_ns + took->verify_ns + took->measure_ns));
    scalarization_tell(t->strategy, r->index, status, r->values);
}

// One refusal may have a reason of its own.
#define REFUSALS 3

bool tune_objective_is_hopeless(struct tune *t, const struct tune_record *r, struct error *why)
{
    const char *refused = r->result->energy.refused;
    if (t->by_time || t->has_values || !r->timed || r->values || !refused[0] ||
        ++t->unvalued < REFUSALS)
        return false;
    struct text text = TEXT_INIT;
    objective_text(&t->o.objectives, &text);
    error_set(why, ERROR_DEVICE, "objective %s: %s", text_cstr(&text), refused);
    text_release(&text);
    return true;
}
