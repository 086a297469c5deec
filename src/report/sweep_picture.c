// The picture of a sweep: a chart with a line for each spec and routine, in panels where a product has several names.
#include "picture/chart.h"
#include "report/sweep_report.h"
#include "report/units.h"

#include <math.h>

// A name's number at a row's point; NaN: its value is not a number.
static double sweep_number(const struct sweep_report *v, uint32_t row, uint32_t name)
{
    double number = NAN;
    value_to_f64(&v->plan->points[v->records[row].point].values[name], &number);
    return number;
}

// The title of the x axis: "N = M = K" if these names have the same values everywhere, "point" if the points follow each other.
static void sweep_axis_name(const struct sweep_report *v, struct text *out)
{
    bool has_axis = v->axis != UINT32_MAX;
    text_add(out, has_axis ? v->plan->names[v->axis].name : "point");
    for (uint32_t n = 0; has_axis && n < v->plan->name_count; n++) {
        bool same = n != v->axis;
        for (uint32_t i = 0; same && i < v->count; i++)
            same = sweep_number(v, i, n) == sweep_number(v, i, v->axis);
        if (same)
            text_addf(out, " = %s", v->plan->names[n].name);
    }
}

static uint32_t sweep_panel(const struct sweep_report *v, uint32_t row)
{
    return v->panels[v->records[row].point];
}

// Does the name tell panels apart: does it vary, but have one value within each panel?
static bool sweep_is_panel_name(const struct sweep_report *v, uint32_t name)
{
    if (!v->plan->names[name].varies || name == v->axis || v->panel_count < 2)
        return false;
    for (uint32_t i = 0; i < v->count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (sweep_panel(v, i) == sweep_panel(v, k) &&
                !str_equal(report_sweep_value(v, &v->records[i], name),
                           report_sweep_value(v, &v->records[k], name)))
                return false;
        }
    }
    return true;
}

// "M=odd, K=3": the title of the row's panel; "" if there is one panel.
static void sweep_panel_name(const struct sweep_report *v, uint32_t row, struct text *out)
{
    size_t before = out->length;
    for (uint32_t n = 0; n < v->plan->name_count; n++) {
        if (sweep_is_panel_name(v, n))
            text_addf(out, "%s%s=%s", out->length > before ? ", " : "", v->plan->names[n].name,
                      report_sweep_value(v, &v->records[row], n));
    }
}

// Does any point have a time, and a value of the metric if one is shown?
static bool sweep_has_values(const struct sweep_report *v)
{
    uint32_t shown = report_sweep_shown(v);
    for (uint32_t i = 0; i < v->count; i++) {
        for (uint32_t k = 0; k < v->line_count; k++) {
            const struct sweep_entry *n = &v->records[i].entries[k];
            if (n->timed && (shown == UINT32_MAX ||
                             isfinite(report_sweep_metric(v, k, n, shown, n->stats.median))))
                return true;
        }
    }
    return false;
}

// ---- the chart ---------------------------------------------------------------------------------

static struct chart_point sweep_chart_point(const struct sweep_report *v, uint32_t row,
                                            uint32_t line)
{
    const struct sweep_entry *n = &v->records[row].entries[line];
    const struct stats_summary *s = &n->stats;
    uint32_t shown = report_sweep_shown(v);
    struct chart_point p = {row, NAN, NAN, NAN};
    if (v->axis != UINT32_MAX)
        p.x = sweep_number(v, row, v->axis);
    if (!n->timed)
        return p;
    if (shown == UINT32_MAX) {
        p.y = s->median;
        p.low = s->interval ? s->low : NAN;
        p.high = s->interval ? s->high : NAN;
        return p;
    }
    p.y = report_sweep_metric(v, line, n, shown, s->median);
    p.low = s->interval ? report_sweep_metric(v, line, n, shown, s->high) : NAN;
    p.high = s->interval ? report_sweep_metric(v, line, n, shown, s->low) : NAN;
    return p;
}

// The label of a row's point, if the points are in sequence: the names that vary.
static char *point_name(const struct sweep_report *v, uint32_t row, struct arena *a)
{
    struct text out = TEXT_INIT;
    for (uint32_t n = 0; n < v->plan->name_count; n++) {
        if (v->plan->names[n].varies)
            text_addf(&out, "%s%s=%s", out.length ? ", " : "", v->plan->names[n].name,
                      report_sweep_value(v, &v->records[row], n));
    }
    return text_to_arena(&out, a);
}

// The lines of one panel, in the order of the plan; its title is that of its first row.
static bool make_panel(const struct sweep_report *v, uint32_t panel, struct arena *a,
                       struct chart_panel *out)
{
    struct text title = TEXT_INIT;
    struct chart_line *lines = arena_array(a, v->line_count, sizeof *lines);
    struct chart_point *points =
        arena_array(a, (size_t)v->count * v->line_count + 1, sizeof *points);
    bool is_named = false;
    for (uint32_t k = 0; lines && points && k < v->line_count; k++) {
        lines[k] = (struct chart_line){v->lines[k].label, points, 0};
        for (uint32_t i = 0; i < v->count; i++) {
            if (sweep_panel(v, i) != panel)
                continue;
            points[lines[k].count++] = sweep_chart_point(v, i, k);
            if (!is_named)
                sweep_panel_name(v, i, &title);
            is_named = true;
        }
        points += lines[k].count;
    }
    if (v->panel_count == 1)
        text_addf(&title, "%s, %s", v->device->name, v->device->platform);
    *out = (struct chart_panel){text_to_arena(&title, a), lines};
    return lines && points && out->title;
}

bool report_sweep_picture(const struct sweep_report *v, struct text *out)
{
    struct arena a = {0};
    char number[UNITS_SIZE] = "";
    struct text svg = TEXT_INIT, x = TEXT_INIT, limit = TEXT_INIT;
    struct sweep_limit most = {.value = NAN, .title = ""};
    uint32_t shown = report_sweep_shown(v);
    struct chart_panel *panels = arena_array(&a, v->panel_count, sizeof *panels);
    const char **names =
        v->axis == UINT32_MAX ? arena_array(&a, v->count + (size_t)1, sizeof *names) : NULL;
    bool ok = panels && (names || v->axis != UINT32_MAX);
    for (uint32_t i = 0; ok && i < v->panel_count; i++)
        ok = make_panel(v, i, &a, &panels[i]);
    for (uint32_t i = 0; ok && names && i < v->count; i++)
        ok = (names[i] = point_name(v, i, &a)) != NULL;
    if (report_sweep_limit(v, &most))
        number_to_str(most.value, number);
    text_addf(&limit, "measured peak (%s): %s", most.title, number);
    sweep_axis_name(v, &x);
    const struct chart c = {.title = "What the best of each point reaches",
                            .about = "A line for each spec and routine; bars are 95 % intervals.",
                            .x_title = names ? "" : text_cstr(&x),
                            .y_title = shown == UINT32_MAX ? "time" : v->spec->metrics[shown].name,
                            .y_is_time = shown == UINT32_MAX,
                            .names = names,
                            .name_count = v->count,
                            .panels = panels,
                            .panel_count = v->panel_count,
                            .line_count = v->line_count,
                            .limit = most.value,
                            .limit_name = text_cstr(&limit)};
    bool any = sweep_has_values(v);
    if (ok && any) {
        picture_chart(&c, &(struct canvas){.id = "sweep"}, &svg);
        picture_file(&svg, out);
    }
    out->failed |= !ok || x.failed || limit.failed;
    text_release(&svg);
    text_release(&x);
    text_release(&limit);
    arena_release(&a);
    return any;
}
