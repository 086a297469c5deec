// Reading and writing objectives, and what follows from them. Whether an objective is the time in
// other words is found by evaluating its metric at many times and looking whether it rises with
// each.
#include "search/objective.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- reading -----------------------------------------------------------------------------------

bool objective_parse(const char *text, const struct spec *s, struct objectives *out,
                     struct error *e)
{
    struct objectives g = {.count = 0};
    if (text && !spec_objectives(s, text, g.terms, &g.count, e))
        return false;
    if (!text && s->objective_count > 0) {
        memcpy(g.terms, s->objectives, s->objective_count * sizeof *g.terms);
        g.count = s->objective_count;
    } else if (!text) {
        g.terms[g.count++] = (struct objective){.name = "time", .metric = OBJECTIVE_TIME};
    }
    *out = g;
    return true;
}

static void term_text(const struct objective *o, struct text *out)
{
    if (o->metric == OBJECTIVE_TIME && !o->maximise)
        text_add(out, o->name);
    else
        text_addf(out, "%s:%s", o->maximise ? "max" : "min", o->name);
}

void objective_text(const struct objectives *g, struct text *out)
{
    for (uint32_t i = 0; i < g->count; i++) {
        text_add(out, i ? ", " : "");
        term_text(&g->terms[i], out);
    }
}

// ---- what it depends on ------------------------------------------------------------------------

// Times at which a metric is looked at: from 1 ns on, two to each doubling, beyond a quarter of an
// hour.
#define LOOKS 80

// No proof, but what is no function of this kind shows on the way: a cap, rounding, a minimum.
static bool follows_time(const struct objective *o, const struct spec *s,
                         const struct device_info *device)
{
    struct arena arena = {NULL, 0};
    uint32_t *choice = arena_array(&arena, s->parameter_count + 1, sizeof *choice);
    bool ok = choice != NULL;
    double before = 0, value;
    if (ok)
        spec_default(s, choice);
    for (unsigned i = 0; ok && i < LOOKS; i++) {
        struct spec_measured at = {ldexp(i % 2 ? 1.5 : 1, (int)(i / 2)), NAN, NULL};
        ok = spec_metric(s, o->metric, choice, device, &at, &value) &&
             (i == 0 || objective_compare(o, before, value) < 0);
        before = value;
    }
    arena_release(&arena);
    return ok;
}

bool objective_is_time(const struct objectives *g, const struct spec *s,
                       const struct device_info *device)
{
    const struct objective *o = &g->terms[0];
    if (g->count > 1)
        return false;
    if (o->metric == OBJECTIVE_TIME)
        return !o->maximise;
    return spec_metric_is_of_time(s, o->metric) && follows_time(o, s, device);
}

bool objective_uses_energy(const struct objectives *g, const struct spec *s)
{
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t metric = g->terms[i].metric;
        if (metric != OBJECTIVE_TIME && spec_metric_uses_energy(s, metric))
            return true;
    }
    return false;
}

// ---- values ------------------------------------------------------------------------------------

bool objective_values(const struct objectives *g, const struct spec *s, const uint32_t *choice,
                      const struct device_info *device, const struct spec_measured *measured,
                      double *values)
{
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t metric = g->terms[i].metric;
        if (metric == OBJECTIVE_TIME)
            values[i] = measured->time_ns;
        else if (!spec_metric(s, metric, choice, device, measured, &values[i]))
            return false;
        if (!isfinite(values[i]))
            return false;
    }
    return true;
}

// Beyond so many times worse than the reference an inverse goes on as its tangent: there is none of
// what is not positive.
#define WORST 0x1p20

double objective_cost(const struct objective *o, double value, double reference)
{
    if (!(reference > 0))
        return o->maximise ? 1 - (value - reference) : 1 + (value - reference);
    double times = value / reference;
    if (!o->maximise)
        return times;
    return times > 1 / WORST ? 1 / times : WORST * (2 - times * WORST);
}

#define AUGMENTATION 0.05

double objective_weighted(const struct objectives *g, const double *values, const double *reference,
                          const double *weights)
{
    double largest = 0, sum = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        double cost = weights[i] * objective_cost(&g->terms[i], values[i], reference[i]);
        largest = i == 0 || cost > largest ? cost : largest;
        sum += cost;
    }
    return largest + AUGMENTATION * sum;
}

double objective_value(const struct objectives *g, const double *values, const double *reference)
{
    double even[OBJECTIVES_MOST];
    if (g->count == 1)
        return g->terms[0].maximise ? -values[0] : values[0];
    for (uint32_t i = 0; i < g->count; i++)
        even[i] = 1;
    return objective_weighted(g, values, reference, even);
}

// ---- order -------------------------------------------------------------------------------------

int objective_compare(const struct objective *o, double a, double b)
{
    int order = a < b ? -1 : a > b;
    return o->maximise ? -order : order;
}

bool objective_dominates(const struct objectives *g, const double *a, const double *b)
{
    bool better = false;
    for (uint32_t i = 0; i < g->count; i++) {
        int order = objective_compare(&g->terms[i], a[i], b[i]);
        if (order > 0)
            return false;
        better = better || order < 0;
    }
    return better;
}

// A row of two objectives, both such that less is better.
struct pair_of_objectives {
    double first, second;
    size_t row;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair_of_objectives *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
}

// Two objectives, in the order of the first: a member is better in the second than all that are better in the first, and the
// best of those equal in it. False without memory, or where a value is NaN, which has no order.
static bool pareto_of_two(const struct objectives *g, const double *values, size_t count,
                          bool *member)
{
    struct pair_of_objectives *all = calloc(count + 1, sizeof *all);
    bool ok = all != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        double first = values[2 * i], second = values[2 * i + 1];
        all[i] = (struct pair_of_objectives){g->terms[0].maximise ? -first : first,
                                             g->terms[1].maximise ? -second : second, i};
        ok = !isnan(first) && !isnan(second);
    }
    if (ok) {
        double best = INFINITY; // of the second, among what is better in the first
        bool is_any = false;
        qsort(all, count, sizeof *all, compare_pairs);
        for (size_t i = 0, end; i < count; i = end) {
            double least = all[i].second;
            for (end = i; end < count && all[end].first == all[i].first; end++)
                member[all[end].row] = all[end].second == least && (!is_any || least < best);
            best = least < best ? least : best;
            is_any = true;
        }
    }
    free(all);
    return ok;
}

// Each against the members before it: who is dominated is so by a member, since dominance is
// transitive.
void objective_pareto(const struct objectives *g, const double *values, size_t count, bool *member)
{
    size_t width = g->count;
    if (width == 2 && pareto_of_two(g, values, count, member))
        return;
    for (size_t i = 0; i < count; i++) {
        const double *own = values + i * width;
        member[i] = true;
        for (size_t k = 0; k < i && member[i]; k++)
            member[i] = !member[k] || !objective_dominates(g, values + k * width, own);
        for (size_t k = 0; member[i] && k < i; k++)
            member[k] = member[k] && !objective_dominates(g, own, values + k * width);
    }
}
