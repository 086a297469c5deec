// A sweep's records as views.
#include "cli/sweeping.h"

#include "report/peak_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- metrics -----------------------------------------------------------------------------------

// Of a routine only what follows from the time: it has no parameters.
static bool has_metric(const struct sweeping_line *l, const struct spec *spec, uint32_t metric)
{
    return l->against.routine == ROUTINE_NONE || spec_metric_is_of_time(spec, metric);
}

// The entry's metrics at a time, by the names of the first line's.
static const struct view_metric *metrics_of_line(struct sweeping *s, const struct sweeping_line *l,
                                                 const struct sweep_entry *n, double ns)
{
    const struct spec *first = s->lines[0].tuning.work.spec;
    struct arena *a = &s->view_arena;
    struct view_metric *out = arena_array(a, first->metric_count + 1, sizeof *out);
    const struct view_metric *own =
        metrics_of(n->spec, n->choice, l->tuning.work.device, ns, n->result, a);
    for (uint32_t i = 0; out && own && i < first->metric_count; i++) {
        out[i] =
            (struct view_metric){.name = first->metrics[i].name, .unit = first->metrics[i].name};
        for (uint32_t k = 0; k < n->spec->metric_count; k++) {
            if (str_equal(own[k].name, out[i].name) && has_metric(l, n->spec, k))
                out[i] = own[k];
        }
    }
    return own ? out : NULL;
}

// The first that is a rate; SIZE_MAX: none is.
static size_t shown_metric(const struct spec *spec)
{
    for (uint32_t i = 0; i < spec->metric_count; i++) {
        if (strstr(spec->metrics[i].name, "/s") || peak_has_unit(spec->metrics[i].name))
            return i;
    }
    return SIZE_MAX;
}

// ---- rows --------------------------------------------------------------------------------------

static double share_of(const struct sweeping *s, const struct view_metric *m)
{
    struct peak_share share;
    return m->known && peak_share(&s->peak, m->name, m->value, &share) ? share.share : NAN;
}

static bool fill_entry(struct sweeping *s, uint32_t line, const struct sweep_entry *n, size_t shown,
                       struct view_sweep_entry *out)
{
    const struct sweeping_line *l = &s->lines[line];
    *out = (struct view_sweep_entry){.n = n, .share = NAN};
    if (!n->timed)
        return true;
    out->metrics = metrics_of_line(s, l, n, n->stats.median);
    out->slow = metrics_of_line(s, l, n, n->stats.high);
    out->fast = metrics_of_line(s, l, n, n->stats.low);
    if (!out->metrics || !out->slow || !out->fast)
        return false;
    if (shown != SIZE_MAX)
        out->share = share_of(s, &out->metrics[shown]);
    return true;
}

static const char *value_text(struct arena *a, const struct value *v)
{
    struct text text = TEXT_INIT;
    if (v->kind == VALUE_STRING)
        return v->s;
    value_print(v, &text);
    const char *copy = text.failed ? NULL : arena_strdup(a, text_cstr(&text));
    text_release(&text);
    return copy;
}

static bool fill_row(struct sweeping *s, const struct sweep_record *r, size_t shown,
                     struct view_sweep_row *out)
{
    struct arena *a = &s->view_arena;
    const struct sweep_point *point = &s->plan.points[r->point];
    const char **values = arena_array(a, s->plan.name_count + 1, sizeof *values);
    double *numbers = arena_array(a, s->plan.name_count + 1, sizeof *numbers);
    struct view_sweep_entry *entries = arena_array(a, s->count, sizeof *entries);
    bool ok = values && numbers && entries;
    for (uint32_t i = 0; ok && i < s->plan.name_count; i++) {
        values[i] = value_text(a, &point->values[i]);
        numbers[i] = NAN;
        value_to_f64(&point->values[i], &numbers[i]);
        ok = values[i] != NULL;
    }
    for (uint32_t i = 0; ok && i < s->count; i++)
        ok = fill_entry(s, i, &r->entries[i], shown, &entries[i]);
    *out = (struct view_sweep_row){values, numbers, s->panels[r->point], entries};
    return ok;
}

// ---- the whole ---------------------------------------------------------------------------------

static bool fill_names(struct sweeping *s, struct view_sweep *out)
{
    struct arena *a = &s->view_arena;
    const struct spec *spec = s->lines[0].tuning.work.spec;
    struct view_sweep_name *names = arena_array(a, s->plan.name_count + 1, sizeof *names);
    struct view_sweep_line *lines = arena_array(a, s->count, sizeof *lines);
    const char **metrics = arena_array(a, spec->metric_count + 1, sizeof *metrics);
    if (!names || !lines || !metrics)
        return false;
    for (uint32_t i = 0; i < s->plan.name_count; i++)
        names[i] = (struct view_sweep_name){s->plan.names[i].name, s->plan.names[i].varies};
    for (uint32_t i = 0; i < s->count; i++)
        lines[i] = (struct view_sweep_line){s->lines[i].label, s->lines[i].tuning.work.spec->name,
                                            s->lines[i].against.routine != ROUTINE_NONE};
    for (uint32_t i = 0; i < spec->metric_count; i++)
        metrics[i] = spec->metrics[i].name;
    out->names = names;
    out->name_count = s->plan.name_count;
    out->lines = lines;
    out->line_count = s->count;
    out->metrics = metrics;
    out->metric_count = spec->metric_count;
    return true;
}

// The limit in the unit of the metric that is shown.
static void fill_limit(const struct sweeping *s, struct view_sweep *out)
{
    struct peak_share share;
    out->limit = out->limit_low = out->limit_high = NAN;
    if (out->shown == SIZE_MAX || !peak_share(&s->peak, out->metrics[out->shown], 1, &share))
        return;
    const struct peak_rate *rate = &s->peak.rates[share.limit];
    out->limit = rate->median / share.scale;
    out->limit_low = rate->low / share.scale;
    out->limit_high = rate->high / share.scale;
    out->limit_title = peak_limit_title(share.limit);
}

bool sweeping_view(struct sweeping *s, struct view_sweep *out)
{
    struct engine_swept swept;
    struct work *w = &s->lines[0].tuning.work;
    arena_release(&s->view_arena);
    arena_init(&s->view_arena);
    engine_swept(s->sweep, &swept);
    work_about(w, &s->broken, &s->about);
    *out = (struct view_sweep){.about = &s->about,
                               .spec_path = w->spec->path,
                               .device = w->device,
                               .shown = shown_metric(w->spec),
                               .planned = s->plan.point_count,
                               .axis = s->axis,
                               .panel_count = s->panel_count,
                               .launches = swept.progress.launches,
                               .elapsed_ns = swept.progress.common.elapsed_ns,
                               .cancelled = swept.progress.common.cancelled};
    if (!s->about.date || !fill_names(s, out))
        return false;
    fill_limit(s, out);
    struct view_sweep_row *rows = arena_array(&s->view_arena, swept.count + 1, sizeof *rows);
    for (uint32_t i = 0; rows && i < swept.count; i++) {
        if (!fill_row(s, &swept.records[i], out->shown, &rows[i]))
            return false;
    }
    out->rows = rows;
    out->row_count = swept.count;
    return rows != NULL;
}
