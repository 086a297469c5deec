#include "report/advice.h"

#include "base/text.h"
#include "report/counters_report.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A share of the variance. Of few rows a forest gives 4 % to a parameter that does nothing.
#define MATTERS 0.05
// A forest that explains less says nothing of single parameters.
#define EXPLAINED 0.5

// ---- what a parameter explains -----------------------------------------------------------------

static const struct importance_share *share_of(const struct importance *m, uint32_t parameter)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->shares[i].first == parameter)
            return &m->shares[i];
    }
    return NULL;
}

// The share with all pairs that it is in.
static double whole_share(const struct importance *m, uint32_t parameter)
{
    const struct importance_share *own = share_of(m, parameter);
    double sum = own ? own->share : 0;
    for (size_t i = 0; i < m->pair_count; i++) {
        if (m->pairs[i].first == parameter || m->pairs[i].second == parameter)
            sum += m->pairs[i].share;
    }
    return sum;
}

static bool is_explained(const struct advised *of)
{
    return of->importance->count > 0 && of->importance->explained >= EXPLAINED;
}

// ---- the edge of a list ------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The values in order; NULL: they are no list of integers, or out of memory.
static int64_t *sorted_values(const struct parameter *p)
{
    int64_t *values = calloc(p->count, sizeof *values);
    for (uint32_t i = 0; values && i < p->count; i++) {
        if (p->values[i].kind != VALUE_INT || p->values[i].i < 1 || p->values[i].i > INT32_MAX) {
            free(values);
            return NULL;
        }
        values[i] = p->values[i].i;
    }
    if (values)
        qsort(values, p->count, sizeof *values, by_value);
    return values;
}

static bool is_geometric(const int64_t *v, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (v[i] % v[i - 1] != 0 || v[i] / v[i - 1] != v[1] / v[0])
            return false;
    }
    return true;
}

static bool is_arithmetic(const int64_t *v, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (v[i] - v[i - 1] != v[1] - v[0])
            return false;
    }
    return true;
}

// The value that would come next; 0: none does, or the list has no rule.
static int64_t next_value(const int64_t *v, uint32_t count, bool above)
{
    if (is_geometric(v, count)) {
        int64_t ratio = v[1] / v[0];
        return above ? v[count - 1] * ratio : v[0] % ratio == 0 ? v[0] / ratio : 0;
    }
    if (!is_arithmetic(v, count))
        return 0;
    int64_t step = v[1] - v[0];
    return above ? v[count - 1] + step : v[0] > step ? v[0] - step : 0;
}

static void put_edge(const struct parameter *p, int64_t best, struct text *out)
{
    int64_t *values = p->count > 2 ? sorted_values(p) : NULL; // two values are a switch
    if (!values)
        return;
    bool above = best == values[p->count - 1];
    int64_t next = above || best == values[0] ? next_value(values, p->count, above) : 0;
    if (next > 0)
        text_addf(out, "%s=%lld is the %s of its values: try %lld", p->name, (long long)best,
                  above ? "largest" : "smallest", (long long)next);
    else if (above)
        text_addf(out, "%s=%lld is the largest of its values: try a larger one", p->name,
                  (long long)best);
    free(values);
}

// ---- the lines ---------------------------------------------------------------------------------

// Keeps what stands in the text, unless it is nothing or there are enough lines.
static bool keep_line(struct text *line, struct arena *a, struct advice *out)
{
    bool ok = !line->failed;
    if (ok && line->length && out->count < ADVICE_MOST) {
        out->lines[out->count] = arena_strdup(a, text_cstr(line));
        ok = out->lines[out->count++] != NULL;
    }
    text_clear(line);
    return ok;
}

// Edges of the parameters that decide, those that decide most first.
static bool add_edges(const struct advised *of, struct text *line, struct arena *a,
                      struct advice *out)
{
    const struct importance *m = of->importance;
    bool ok = true;
    for (size_t i = 0; ok && i < m->count && is_explained(of); i++) {
        uint32_t p = m->shares[i].first;
        if (m->shares[i].share < MATTERS)
            continue;
        put_edge(&of->parameters[p], of->parameters[p].values[of->best[p]].i, line);
        ok = keep_line(line, a, out);
    }
    return ok;
}

static void put_unimportant(const struct advised *of, struct text *out)
{
    size_t count = 0;
    for (uint32_t i = 0; is_explained(of) && i < of->parameter_count; i++) {
        bool varies = of->parameters[i].count > 1;
        if (!varies || whole_share(of->importance, i) >= MATTERS)
            continue;
        text_addf(out, "%s%s", count++ ? ", " : "", of->parameters[i].name);
    }
    if (count)
        text_addf(out, " %s less than 5 %% of the time's variance: one value of %s would do",
                  count == 1 ? "decides" : "decide", count == 1 ? "it" : "each");
}

#define DIFFERENCES 2

// "the best is bound by memory: 91 % of its peak; it moves 3.1 times fewer bytes from L2 than the default (...)"
static void put_counted(const struct advised *of, struct text *out)
{
    struct text bound = TEXT_INIT, more = TEXT_INIT;
    report_bound(of->counters, &bound);
    if (bound.length)
        text_addf(out, "the best is bound by %s", text_cstr(&bound));
    if (of->beside && of->counters->source[0] && of->beside->source[0])
        report_counters_differ(of->counters, "it", of->beside, "the default", DIFFERENCES, &more);
    for (const char *at = text_cstr(&more); *at;
         at += strcspn(at, "\n") + 1) // each ends with ".\n"
        text_addf(out, "%s%.*s", out->length ? "; " : "", (int)strcspn(at, "\n") - 1, at);
    out->failed |= bound.failed | more.failed;
    text_release(&bound);
    text_release(&more);
}

bool advice_find(const struct advised *of, struct arena *a, struct advice *out)
{
    struct text line = TEXT_INIT;
    *out = (struct advice){0};
    bool ok = true;
    if (of->counters) {
        put_counted(of, &line);
        ok = keep_line(&line, a, out);
    }
    ok = ok && add_edges(of, &line, a, out);
    if (ok && of->resources) {
        const struct resources *r = of->resources;
        if (r->spill_bytes > 0)
            text_addf(&line,
                      "the best spills %lld bytes a work-item to memory: give each less to hold",
                      (long long)r->spill_bytes);
        else if (r->groups_per_unit == 1)
            text_add(&line,
                     "of the best one work-group at a time fits a compute unit: smaller groups, or "
                     "less local memory and fewer registers in each, would let them overlap");
        ok = keep_line(&line, a, out);
    }
    if (ok) {
        put_unimportant(of, &line);
        ok = keep_line(&line, a, out);
    }
    text_release(&line);
    return ok;
}

// ---- of a tune ---------------------------------------------------------------------------------

#define ROWS_MOST 2000 // of a large space a part says the same

static bool is_row(const struct tune_record *r)
{
    return r->timed && !r->same_as;
}

static bool find_shares(const struct tune_report *v, struct arena *a, struct importance *out)
{
    const struct spec *spec = v->head.spec;
    size_t timed = 0, seen = 0;
    for (size_t i = 0; i < v->record_count; i++)
        timed += is_row(v->records[i]);
    size_t step = 1 + timed / ROWS_MOST;
    const uint32_t **choices = arena_array(a, timed / step + 2, sizeof *choices);
    double *values = arena_array(a, timed / step + 2, sizeof *values);
    uint32_t *sizes = arena_array(a, spec->parameter_count + (size_t)1, sizeof *sizes);
    struct importance_data data = {choices, values, 0, sizes, spec->parameter_count};
    if (!choices || !values || !sizes)
        return false;
    for (size_t i = 0; i < v->record_count; i++) {
        const struct tune_record *r = v->records[i];
        if (!is_row(r) || seen++ % step != 0)
            continue;
        choices[data.count] = r->choice;
        values[data.count++] = log(fmax(r->stats.median / (r->pace > 0 ? r->pace : 1), 0.5));
    }
    for (uint32_t i = 0; i < spec->parameter_count; i++)
        sizes[i] = spec->parameters[i].count;
    return importance_find(&data, 1, a, out);
}

static const struct counters *counters_of_default(const struct tune_report *v,
                                                  const struct tune_record *best)
{
    for (size_t i = 0; i < v->record_count; i++) {
        if (v->records[i]->is_default && v->records[i] != best)
            return v->records[i]->result->counters;
    }
    return NULL;
}

bool advice_of_tune(struct tune_report *v, struct arena *a)
{
    struct importance shares = {0};
    const struct tune_record *best = report_by_time(&v->head) ? report_best(v) : NULL;
    if (!best || !best->choice || v->head.build_only || !v->head.spec)
        return true;
    struct advised of = {.parameters = v->head.spec->parameters,
                         .parameter_count = v->head.spec->parameter_count,
                         .best = best->choice,
                         .resources = best->result->resource_count ? best->result->resources : NULL,
                         .importance = &shares,
                         .counters = best->result->counters,
                         .beside = counters_of_default(v, best)};
    return find_shares(v, a, &shares) && advice_find(&of, a, &v->advice);
}
