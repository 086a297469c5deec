// Sizes: the best of each set of constants, drawn as in a sweep: a line for each device, language
// and other property that distinguishes sets, and one for each vendor's routine that was
// interleaved with them.
#include "extras/page/view.h"
#include "picture/chart.h"
#include "report/peak_report.h"
#include "report/units.h"

enum { LINES_MOST = 24 };

static double constant_number(const struct page_constant *c)
{
    char text[40];
    double v;
    str_format(text, sizeof text, "%.*s", (int)(c->value_length < 39 ? c->value_length : 39),
               c->value);
    return str_to_f64(text, &v) ? v : NAN;
}

// ---- which line a set is of ----------------------------------------------------------------------

struct sizes {
    const struct page_set **all;
    size_t count;
    struct page_constant names[PAGE_CONSTANTS_MOST]; // of the first set
    size_t name_count;
    size_t axis;                       // of the names: the first number that varies
    bool in_step[PAGE_CONSTANTS_MOST]; // follows the axis, or never varies: it tells no line apart
    bool has_rate;                     // all answers have one, of one name
    struct text labels[LINES_MOST];
    struct chart_line lines[LINES_MOST];
    struct chart_point *points; // of all lines, `count` a line
    size_t line_count;
};

// Does the constant have one value wherever the axis has one?
static bool follows_axis(const struct sizes *z, size_t name)
{
    for (size_t i = 0; i < z->count; i++) {
        for (size_t k = 0; k < i; k++) {
            struct page_constant a, b, x, y;
            if (!page_constant_of(z->all[i], &z->names[name], &a) ||
                !page_constant_of(z->all[k], &z->names[name], &b) ||
                !page_constant_of(z->all[i], &z->names[z->axis], &x) ||
                !page_constant_of(z->all[k], &z->names[z->axis], &y))
                return false;
            if (page_same_constant(&x, &y) && !page_same_constant(&a, &b))
                return false;
        }
    }
    return true;
}

// The number of distinct values of the constant in these sets; 0: it is not a number in all of
// them.
static size_t count_sizes(const struct sizes *z, size_t name)
{
    size_t count = 0;
    for (size_t i = 0; i < z->count; i++) {
        struct page_constant c, before;
        bool is_new = true;
        if (!page_constant_of(z->all[i], &z->names[name], &c) || isnan(constant_number(&c)))
            return 0;
        for (size_t k = 0; k < i && is_new; k++)
            is_new = !page_constant_of(z->all[k], &z->names[name], &before) ||
                     !page_same_constant(&c, &before);
        count += is_new;
    }
    return count;
}

// The constant with the most sizes; none has two: name_count.
static size_t longest_axis(const struct sizes *z)
{
    size_t axis = z->name_count, most = 1;
    for (size_t i = 0; i < z->name_count; i++) {
        size_t count = count_sizes(z, i);
        axis = count > most ? i : axis;
        most = count > most ? count : most;
    }
    return axis;
}

// The sets with an answer, and the axis; false: there is none.
static bool find_axis(const struct page_set *s, struct sizes *z)
{
    size_t kept = 0;
    z->all = page_family(s, &z->count);
    for (size_t i = 0; z->all && i < z->count; i++) {
        struct stats_summary sum;
        if (page_best_stats(z->all[i], &sum))
            z->all[kept++] = z->all[i];
    }
    z->count = z->all ? kept : 0;
    z->name_count = z->count ? page_constants(z->all[0]->constants, z->names) : 0;
    z->axis = longest_axis(z);
    for (size_t i = 0; z->axis < z->name_count && i < z->name_count; i++)
        z->in_step[i] = follows_axis(z, i);
    z->has_rate = true;
    for (size_t i = 0; i < z->count; i++)
        z->has_rate = z->has_rate && z->all[i]->rate.name &&
                      str_equal(z->all[i]->rate.name, z->all[0]->rate.name);
    return z->axis < z->name_count;
}

static const char *missing_sizes(const struct page_set *s)
{
    struct sizes z = {.count = 0};
    bool any = find_axis(s, &z);
    free(z.all);
    return any ? NULL : "no constant of the spec has several values";
}

// Do two stores have one size of what the set is of? Then each store has a line.
static bool is_by_origin(const struct sizes *z, const struct page_set *s)
{
    for (size_t i = 0; i < z->count; i++) {
        const struct page_set *one = z->all[i];
        // those of the same constants stand together
        for (size_t k = i + 1; k < z->count && page_is_like(one, s) &&
                               str_equal(z->all[k]->constants, one->constants);
             k++) {
            if (page_is_like(z->all[k], s) && !str_equal(z->all[k]->origin, one->origin))
                return true;
        }
    }
    return false;
}

// "NVIDIA H200, cuda, K=3": without what all sets have, and what goes in step with the axis.
static void name_line(const struct sizes *z, const struct page_set *s, const char *library,
                      struct text *out)
{
    if (library)
        text_add(out, library);
    page_put_place(s, 0, out);
    for (size_t i = 0; i < z->name_count; i++) {
        struct page_constant c;
        if (!z->in_step[i] && page_constant_of(s, &z->names[i], &c))
            text_addf(out, "%s%.*s", out->length ? ", " : "",
                      (int)(c.name_length + 1 + c.value_length), c.name);
    }
    page_put_state(s, is_by_origin(z, s), 0, out);
    if (out->length == 0)
        text_add(out, s->spec);
}

static void add_point(struct sizes *z, const struct page_set *s, const char *library,
                      struct chart_point point)
{
    struct text label = TEXT_INIT;
    struct page_constant c;
    size_t line = 0;
    name_line(z, s, library, &label);
    while (line < z->line_count && !str_equal(text_cstr(&z->labels[line]), text_cstr(&label)))
        line++;
    if (line == LINES_MOST || !page_constant_of(s, &z->names[z->axis], &c)) {
        text_release(&label);
        return;
    }
    if (line == z->line_count) {
        z->labels[line] = label;
        z->lines[line] = (struct chart_line){.points = z->points + z->count * line};
        z->line_count++;
    } else {
        text_release(&label);
    }
    struct chart_point *at = z->points + z->count * line;
    size_t n = z->lines[line].count, place = n;
    if (n == z->count)
        return;
    point.x = constant_number(&c);
    for (; place > 0 && at[place - 1].x > point.x; place--)
        at[place] = at[place - 1];
    at[place] = point;
    z->lines[line].count++;
}

static void make_lines(struct sizes *z)
{
    for (size_t i = 0; i < z->count; i++) {
        struct stats_summary sum;
        const struct page_set *s = z->all[i];
        const struct page_rate *r = &s->rate;
        page_best_stats(s, &sum);
        add_point(z, s, NULL,
                  z->has_rate ? (struct chart_point){0, r->value, r->low, r->high}
                              : (struct chart_point){0, sum.median, sum.interval ? sum.low : NAN,
                                                     sum.interval ? sum.high : NAN});
    }
    for (size_t i = 0; i < z->count; i++) {
        for (size_t k = 0; k < z->all[i]->library_count; k++) {
            const struct page_library *l = &z->all[i]->libraries[k];
            bool has_interval = !z->has_rate && l->stats.interval;
            add_point(z, z->all[i], l->label,
                      (struct chart_point){0, z->has_rate ? l->rate : l->stats.median,
                                           has_interval ? l->stats.low : NAN,
                                           has_interval ? l->stats.high : NAN});
        }
    }
}

static void name_axis(const struct sizes *z, struct text *out)
{
    const struct page_constant *axis = &z->names[z->axis];
    text_addn(out, axis->name, axis->name_length);
    for (size_t n = 0; n < z->name_count; n++) {
        bool is_same = n != z->axis;
        for (size_t i = 0; i < z->count && is_same; i++) {
            struct page_constant a, b;
            is_same = page_constant_of(z->all[i], &z->names[n], &a) &&
                      page_constant_of(z->all[i], axis, &b) && page_same_constant(&a, &b);
        }
        if (is_same)
            text_addf(out, " = %.*s", (int)z->names[n].name_length, z->names[n].name);
    }
}

// The device's measured limit, in the unit of the lines; NaN: not known, or there are several
// devices.
static double find_limit(const struct sizes *z, char name[96])
{
    struct peak_share share;
    const struct page_set *first = z->all[0];
    char number[UNITS_SIZE];
    bool is_known = z->has_rate && peak_share(&first->peak, first->rate.name, 1, &share);
    for (size_t i = 0; i < z->count; i++)
        is_known = is_known && str_equal(z->all[i]->device, first->device);
    name[0] = '\0';
    if (!is_known)
        return NAN;
    double limit = first->peak.rates[share.limit].median / share.scale;
    number_to_str(limit, number);
    str_format(name, 96, "measured peak (%s): %s", peak_limit_title(share.limit), number);
    return limit;
}

static void draw_sizes(const struct page_set *s, const struct canvas *at, struct text *out)
{
    struct sizes z = {.count = 0};
    struct text x = TEXT_INIT, of = TEXT_INIT;
    char limit_name[96];
    bool any = find_axis(s, &z);
    z.points = any ? calloc(z.count * LINES_MOST, sizeof *z.points) : NULL;
    out->failed |= !z.points;
    if (z.points) {
        make_lines(&z);
        name_axis(&z, &x);
        for (size_t i = 0; i < z.line_count; i++)
            z.lines[i].label = text_cstr(&z.labels[i]);
        for (size_t i = 0; i < z.count; i++) {
            struct page_constant c;
            if (page_constant_of(z.all[i], &z.names[z.axis], &c))
                text_addf(&of, "%s[%zu,%.17g]", of.length ? "," : "[",
                          (size_t)(z.all[i] - s->page->sets), constant_number(&c));
        }
        text_add(&of, of.length ? "]" : "[]");
        out->failed |= of.failed;
        const struct chart_panel panel = {"", z.lines};
        const struct chart c = {.title = "What the best of each size reaches",
                                .about = "One line per device and language over the sizes, and one "
                                         "per vendor's routine; bars are 95 % intervals.",
                                .x_title = text_cstr(&x),
                                .y_title = z.has_rate ? z.all[0]->rate.name : "time",
                                .y_is_time = !z.has_rate,
                                .of = text_cstr(&of),
                                .panels = &panel,
                                .panel_count = 1,
                                .line_count = z.line_count,
                                .limit = find_limit(&z, limit_name),
                                .limit_name = limit_name};
        picture_chart(&c, at, out);
    }
    for (size_t i = 0; i < z.line_count; i++)
        text_release(&z.labels[i]);
    text_release(&of);
    text_release(&x);
    free(z.points);
    free(z.all);
}

// ---- the table ---------------------------------------------------------------------------------

// Adds the row of a set's answer, or of a routine beside it.
static void put_size_row(const struct sizes *z, const struct page_set *s,
                         const struct page_library *l, struct sheet *g)
{
    struct text name = TEXT_INIT;
    struct stats_summary sum;
    page_best_stats(s, &sum);
    sum = l ? l->stats : sum;
    name_line(z, s, l ? l->label : NULL, &name);
    sheet_row(g);
    sheet_text(g, s->constants);
    sheet_text(g, text_cstr(&name));
    sheet_text(g, l ? "interleaved" : s->has_answer && s->answer.place.ranked ? "ranked" : "alone");
    sheet_time(g, sum.median);
    sheet_time(g, sum.interval ? sum.low : NAN);
    sheet_time(g, sum.interval ? sum.high : NAN);
    sheet_number(g, l ? l->rate : s->rate.name ? s->rate.value : NAN);
    sheet_number(g, l ? l->ratio.ratio : NAN);
    sheet_number(g, l && l->ratio.interval ? l->ratio.low : NAN);
    sheet_number(g, l && l->ratio.interval ? l->ratio.high : NAN);
    sheet_text(g, l ? l->configuration : s->has_answer ? s->answer.configuration : "");
    g->out->failed |= name.failed;
    text_release(&name);
}

static void grid_sizes(const struct page_set *s, struct sheet *g)
{
    struct sizes z = {.count = 0};
    find_axis(s, &z);
    const char *const names[] = {"constants",
                                 "line",
                                 "basis",
                                 "time",
                                 "low",
                                 "high",
                                 z.has_rate ? z.all[0]->rate.name : "rate",
                                 "times as long as the best",
                                 "ratio low",
                                 "ratio high",
                                 "configuration",
                                 NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < z.count; i++)
        put_size_row(&z, z.all[i], NULL, g);
    for (size_t i = 0; i < z.count; i++) {
        for (size_t k = 0; k < z.all[i]->library_count; k++)
            put_size_row(&z, z.all[i], &z.all[i]->libraries[k], g);
    }
    sheet_end(g);
    free(z.all);
}

// ---- what they find --------------------------------------------------------------------------

static void tell_sizes(const struct page_set *s, struct text *out)
{
    struct sizes z = {.count = 0};
    if (find_axis(s, &z) && z.has_rate) {
        char low[UNITS_SIZE], high[UNITS_SIZE];
        const struct page_set *least = z.all[0], *most = z.all[0];
        for (size_t i = 1; i < z.count; i++) {
            least = z.all[i]->rate.value < least->rate.value ? z.all[i] : least;
            most = z.all[i]->rate.value > most->rate.value ? z.all[i] : most;
        }
        number_to_str(least->rate.value, low);
        number_to_str(most->rate.value, high);
        text_addf(out, "From %s %s at %s to %s at %s.", low, least->rate.name, least->constants,
                  high, most->constants);
    } else if (z.count > 0) {
        text_addf(out, "%zu answers, from %s to %s.", z.count, z.all[0]->constants,
                  z.all[z.count - 1]->constants);
    }
    free(z.all);
}

const struct view page_view_sizes = {
    VIEW("sizes", SEARCH, "Sizes",
         "What the best of each size reaches, as in hone best. A vendor's routine was "
         "interleaved with a configuration of that size (hone sweep and hone compare with "
         "--against): the ratio in the table is from these rounds.",
         missing_sizes, grid_sizes),
    .tell = tell_sizes, .draw = draw_sizes, .is_across = true};
