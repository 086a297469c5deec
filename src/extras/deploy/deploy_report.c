// Reports a deploy to the user: its rows, its table, and in sentences how much a few configurations
// lose against the best ones.
#include "extras/deploy/deploy_report.h"

#include "extras/deploy/core_table.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>

// "1536", or with several columns "M=1536, N=512".
static void put_shape(const struct deploy_view *v, const int64_t *shape, struct text *out)
{
    const struct deploy_found *f = &v->found;
    for (uint32_t i = 0; i < f->column_count; i++) {
        text_add(out, i ? ", " : "");
        if (f->column_count > 1)
            text_addf(out, "%s=", f->columns[i]);
        text_addf(out, "%lld", (long long)shape[i]);
    }
}

static void put_percent(double fraction, struct text *out)
{
    text_addf(out, "%.*f %%", fabs(fraction) < 0.0995 ? 1 : 0, 100 * fraction + 0.0);
}

// Tied: the interval contains 1.
static bool is_tied(const struct deploy_gain *g)
{
    return g->is_in_turn && !g->is_default && g->low <= 1 && g->high >= 1;
}

static void put_gain_at(const struct deploy_gain *g, struct text *out)
{
    if (!(g->ratio > 0))
        return;
    if (g->is_default) {
        text_add(out, ", the default");
        return;
    }
    text_addf(out, ", %.2f times as fast as the default ", g->ratio);
    if (g->is_in_turn)
        put_range(g->low, g->high, 2, g->is_interval, out);
    else
        text_add(out, "(screened: timed one after the other)");
    text_add(out, is_tied(g) ? ", tied" : "");
}

void report_deploy_row(const struct deploy_view *v, const struct deploy_record *r, struct text *out)
{
    char time[32];
    put_shape(v, r->shape, out);
    if (r->timed == 0) {
        text_addf(out, ": nothing works: %s\n", r->why);
        return;
    }
    duration_to_str(r->median_ns, time);
    text_addf(out, ": best of %u is %s", r->timed, time);
    put_gain_at(&r->gain, out);
    text_addf(out, "%s%s\n", r->is_drawn ? " (drawn)" : "", r->is_known ? " (known)" : "");
}

// ---- the table ---------------------------------------------------------------------------------

enum { CELL_CONFIGURATION, CELL_TIME, CELL_ABOVE, CELL_GAIN, CELL_INTERVAL, CELL_NOTE, CELLS };

static const char *note_of(const struct deploy_gain *g)
{
    return !(g->ratio > 0)  ? "not timed with the default"
           : g->is_default  ? "the default"
           : !g->is_in_turn ? "screened"
           : is_tied(g)     ? "tied"
                            : "";
}

static void put_point_row(const struct deploy_view *v, const struct deploy_point *p,
                          struct table *table)
{
    uint32_t first = v->found.column_count;
    const struct deploy_gain *g = &p->gain;
    char time[32];
    table_row(table);
    for (uint32_t i = 0; i < first; i++)
        table_cell(table, i, "%lld", (long long)p->shape[i]);
    table_cell(table, first + CELL_CONFIGURATION, "%u", p->configuration);
    duration_to_str(p->median_ns, time);
    table_cell(table, first + CELL_TIME, "%s", time);
    put_percent(p->above_best, table_text(table, first + CELL_ABOVE));
    if (g->ratio > 0)
        table_cell(table, first + CELL_GAIN, "%.2f", g->ratio);
    if (g->ratio > 0 && g->is_in_turn && !g->is_default)
        put_range(g->low, g->high, 2, g->is_interval, table_text(table, first + CELL_INTERVAL));
    table_cell(table, first + CELL_NOTE, "%s%s%s", p->is_refined ? "added" : "",
               p->is_refined && note_of(g)[0] ? ", " : "", note_of(g));
}

static void put_device_table(const struct deploy_view *v, const struct deploy_device *d,
                             struct text *out)
{
    enum { MOST = 64 };
    static const struct table_column own[CELLS] = {
        {"configuration", ALIGN_RIGHT}, {"time", ALIGN_RIGHT}, {"above best", ALIGN_RIGHT},
        {"over default", ALIGN_RIGHT},  {"", ALIGN_LEFT},      {"", ALIGN_LEFT}};
    struct table_column columns[MOST + CELLS];
    struct table table;
    uint32_t first = v->found.column_count;
    if (first > MOST)
        return;
    for (uint32_t i = 0; i < first; i++)
        columns[i] = (struct table_column){v->found.columns[i], ALIGN_RIGHT};
    for (uint32_t i = 0; i < CELLS; i++)
        columns[first + i] = own[i];
    table_init(&table, columns, first + CELLS);
    for (uint32_t i = 0; i < d->point_count; i++)
        put_point_row(v, &d->points[i], &table);
    text_addf(out, "%s:\n", d->name);
    table_end(&table, REPORT_TEXT, "  ", out);
}

void report_deploy_table(const struct deploy_view *v, struct text *out)
{
    const struct deploy_table *t = v->found.table;
    if (!t)
        return;
    for (uint32_t i = 0; i < t->device_count; i++)
        put_device_table(v, &t->devices[i], out);
    text_add(out, "Configurations:\n");
    for (uint32_t i = 0; i < t->configuration_count; i++)
        text_addf(out, "  %u  %s%s\n", i, t->configurations[i].text,
                  i == t->default_configuration ? "  (the default)" : "");
}

// ---- what it costs -----------------------------------------------------------------------------

static void put_spread(const struct deploy_view *v, const struct deploy_matrix *m,
                       const struct deploy_spread *s, struct text *out)
{
    text_add(out, "median ");
    put_percent(s->median, out);
    text_add(out, ", at most ");
    put_percent(s->most, out);
    text_add(out, " above the best, at ");
    put_shape(v, m->shapes[s->most_at], out);
}

static bool has_weights(const struct deploy_matrix *m)
{
    for (uint32_t i = 1; i < m->point_count; i++) {
        if (m->weights[i] != m->weights[0])
            return true;
    }
    return false;
}

// Prints how much sizes between the points lose: before any of them became a point, and in the
// table as it is. Sizes that stayed between the points are the good ones, and do not predict the
// next size; leaving out each size in turn does.
static void put_drawn(const struct deploy_view *v, const struct deploy_matrix *m,
                      const struct deploy_chosen *c, struct text *out)
{
    if (c->drawn.count > 0) {
        put_count(c->drawn.count, "size", out);
        text_add(out, " between them: ");
        put_spread(v, m, &c->drawn, out);
        text_add(out, "\n");
    }
    if (c->drawn.unanswered > 0) {
        put_count(c->drawn.unanswered, "size", out);
        text_add(out, " between them had no valid configuration in the table\n");
    }
    if (c->refined > 0) {
        put_count(c->refined, "size", out);
        text_add(out, " between them became points of the table\n");
    }
    if (m->drawn_count == 0 || c->crossed.count == 0)
        return;
    text_add(out, "At a size between that is not measured, by leaving out each of ");
    put_count(c->crossed.count, "size", out);
    text_add(out, " in turn: ");
    put_spread(v, m, &c->crossed, out);
    text_add(out, "\n");
    if (!c->model)
        return;
    text_add(
        out,
        "Between points the lookup counts waves of work-groups; the nearest point would lose: ");
    put_spread(v, m, &c->crossed_nearest, out);
    text_add(out, "\n");
}

// Over the default, of the points at which both were launched in the same rounds.
struct gains {
    uint32_t count, ranges;   // points; those without an interval
    uint32_t defaults, tied;  // points whose answer is the default, or is tied with it
    double sum, below, above; // of logarithms; squares of the interval's halves
    double least;
    uint32_t least_at;       // point
    uint32_t apart, unknown; // points that do not count: timed one after the other, or not at all
    double apart_least, apart_most;
};

static void add_gain(const struct deploy_gain *g, uint32_t at, struct gains *s)
{
    if (!(g->ratio > 0)) {
        s->unknown++;
        return;
    }
    if (!g->is_in_turn && !g->is_default) {
        s->apart_least = s->apart++ ? fmin(s->apart_least, g->ratio) : g->ratio;
        s->apart_most = fmax(s->apart_most, g->ratio);
        return;
    }
    s->defaults += g->is_default;
    s->tied += is_tied(g);
    s->sum += log(g->ratio);
    if (!g->is_default) {
        double below = log(g->ratio / g->low), above = log(g->high / g->ratio);
        s->ranges += !g->is_interval;
        s->below += below * below;
        s->above += above * above;
    }
    if (s->count++ == 0 || g->ratio < s->least) {
        s->least = g->ratio;
        s->least_at = at;
    }
}

// Each point has its own rounds, so that the errors of their logarithms add up as squares.
static void put_mean_gain(const struct deploy_view *v, const struct deploy_device *d,
                          const struct gains *s, struct text *out)
{
    const struct deploy_gain *least = &d->points[s->least_at].gain;
    const double mean = exp(s->sum / s->count);
    if (s->defaults == s->count) {
        if (s->defaults == d->point_count)
            text_add(out, "It is the default everywhere\n");
        else
            text_addf(out, "It is the default at %u\n", s->defaults);
        return;
    }
    text_addf(out, "%.2f times as fast as the default ", mean);
    put_range(mean * exp(-sqrt(s->below) / s->count), mean * exp(sqrt(s->above) / s->count), 2,
              s->ranges == 0, out);
    if (s->count > 1) {
        text_addf(out, " (geometric mean of %u, in interleaved rounds), least %.2f", s->count,
                  least->ratio);
        if (!least->is_default) {
            text_add(out, " ");
            put_range(least->low, least->high, 2, least->is_interval, out);
        }
        text_add(out, " at ");
        put_shape(v, d->points[s->least_at].shape, out);
    } else {
        text_add(out, ", in interleaved rounds");
    }
    if (s->defaults > 0)
        text_addf(out, "; the default is best at %u", s->defaults);
    if (s->tied > 0)
        text_addf(out, "; tied with the default at %u", s->tied);
    text_add(out, "\n");
}

static void put_gain(const struct deploy_view *v, const struct deploy_device *d, struct text *out)
{
    struct gains s = {.count = 0};
    for (uint32_t i = 0; i < d->point_count; i++)
        add_gain(&d->points[i].gain, i, &s);
    if (s.count > 0)
        put_mean_gain(v, d, &s, out);
    if (s.apart > 0) {
        text_add(out, "At ");
        put_count(s.apart, "size", out);
        text_addf(out, " the default was only screened, one after the other: about %.2f",
                  s.apart_least);
        if (s.apart > 1)
            text_addf(out, " to %.2f", s.apart_most);
        text_add(out, " times as fast\n");
    }
    if (s.unknown > 0) {
        text_add(out, "At ");
        put_count(s.unknown, "size", out);
        text_add(out, " no time of the default is known that compares\n");
    }
}

static uint32_t used_by(const struct deploy_device *d, uint32_t configurations)
{
    uint32_t used = 0;
    for (uint32_t c = 0; c < configurations; c++) {
        bool is_used = false;
        for (uint32_t i = 0; i < d->point_count; i++)
            is_used = is_used || d->points[i].configuration == c;
        used += is_used;
    }
    return used;
}

static void put_device_end(const struct deploy_view *v, uint32_t at, struct text *out)
{
    const struct deploy_table *t = v->found.table;
    const struct deploy_chosen *c = &v->found.chosen[at];
    const struct deploy_matrix *m = &v->found.matrices[at];
    if (t->device_count > 1)
        text_addf(out, "%s: ", t->devices[at].name);
    put_count(used_by(&t->devices[at], t->configuration_count), "configuration", out);
    text_add(out, " for ");
    put_count(c->point_count, "size", out);
    text_add(out, "; ");
    put_spread(v, m, &c->at_points, out);
    if (has_weights(m)) {
        text_add(out, "; by their weights ");
        put_percent(c->at_points.mean, out);
    }
    text_add(out, "\n");
    put_drawn(v, m, c, out);
    put_gain(v, &t->devices[at], out);
}

void report_deploy_unknown(const struct deploy_view *v, struct text *out)
{
    for (uint32_t i = 0; i < v->count; i++) {
        if (!v->records[i].is_unknown)
            continue;
        text_add(out, out->length ? "; " : "");
        put_shape(v, v->records[i].shape, out);
    }
}

// Prints an application's answer at a shape that has no time, on the device that was measured.
static void put_answer(const struct deploy_table *t, const int64_t *shape, struct text *out)
{
    struct core_table c;
    struct error why = ERROR_INIT;
    char reason[1024];
    if (core_table_init(&c, t, &why)) {
        const hone_core_handle h = hone_core_device_of(&c.core, t->devices[0].name, NULL, NULL, 0);
        const hone_core_answer answer = hone_core_find(&h, shape);
        hone_core_why(&h, shape, reason, sizeof reason);
        if (answer.configuration == HONE_CORE_NONE)
            text_addf(out, "the table has no answer there, %s\n", reason);
        else
            text_addf(out, "the table answers with %s, not measured there: %s\n",
                      t->configurations[answer.configuration].text, reason);
    } else {
        text_addf(out, "no application can look it up: %s\n", why.text);
    }
    core_table_release(&c);
}

void report_deploy_end(const struct deploy_view *v, struct text *out)
{
    const struct deploy_table *t = v->found.table;
    for (uint32_t i = 0; t && i < t->device_count; i++) {
        put_device_end(v, i, out);
        // Where what the store knows is not the best of all that was asked for.
        const struct deploy_device *d = &v->found.table->devices[i];
        const char *const *parts = v->found.parts ? v->found.parts[i] : NULL;
        for (uint32_t k = 0; parts && k < d->point_count; k++) {
            const char *part = parts[v->found.chosen[i].rows[k]];
            if (!part)
                continue;
            text_add(out, "At ");
            put_shape(v, d->points[k].shape, out);
            if (part[0])
                text_addf(out, " only a part of the space is ranked: %s\n", part);
            else
                text_add(out, " nothing is ranked: the least median of what was measured one after "
                              "the other\n");
        }
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const struct deploy_record *r = &v->records[i];
        if (r->timed > 0 || r->is_drawn || r->is_unknown)
            continue;
        text_add(out, "At ");
        put_shape(v, r->shape, out);
        text_addf(out, " nothing works (%s); ", r->why);
        if (t)
            put_answer(t, r->shape, out);
        else
            text_add(out, "there is no table\n");
    }
}
