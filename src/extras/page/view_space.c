// Describes the space: the distribution of times, the effect of each value of a parameter, which
// parameters matter, how two of them interact, and all of them side by side. Times are those of
// configurations measured alone.
#include "extras/page/view.h"

#include "stats/stats.h"

// The screened times of all rows that have one, the least first; the caller's.
static double *sorted_times(const struct page_set *s, size_t *count)
{
    double *out = calloc(s->timed + 1, sizeof *out);
    *count = 0;
    for (size_t i = 0; out && i < s->timed; i++)
        out[(*count)++] = page_screened(&s->rows[s->fastest[i]]);
    if (out)
        qsort(out, *count, sizeof *out, stats_compare_double);
    return out;
}

static double quantile_of(const double *sorted, size_t count, double q)
{
    double at = q * (double)(count - 1);
    size_t low = (size_t)at;
    double high = sorted[low + 1 < count ? low + 1 : low];
    return sorted[low] + (at - (double)low) * (high - sorted[low]);
}

// ---- distribution ------------------------------------------------------------------------------

enum { BINS = 48 };

static void draw_distribution(const struct page_set *s, const struct canvas *at, struct text *out)
{
    size_t count, most = 1, bins[BINS] = {0};
    double *times = sorted_times(s, &count);
    struct picture p;
    struct text about = TEXT_INIT;
    char low[32], middle[32], high[32];
    out->failed |= !times;
    if (!times)
        return;
    duration_to_str(times[0], low);
    duration_to_str(quantile_of(times, count, 0.5), middle);
    duration_to_str(times[count - 1], high);
    text_addf(&about, "%zu times from %s to %s, the median is %s.", count, low, high, middle);
    picture_begin(&p, out, at, 760, 300, "How the times are distributed", text_cstr(&about));
    p.x = (struct axis){.title = "time", .is_time = true};
    axis_fit(&p.x, times[0], times[count - 1]);
    bool is_log = p.x.kind == AXIS_LOG;
    double from = is_log ? log(p.x.low) : p.x.low,
           step = ((is_log ? log(p.x.high) : p.x.high) - from) / BINS;
    for (size_t i = 0; i < count; i++) {
        double place = ((is_log ? log(times[i]) : times[i]) - from) / step;
        size_t bin = place < 0 ? 0 : place >= BINS ? BINS - 1 : (size_t)place;
        most = ++bins[bin] > most ? bins[bin] : most;
    }
    p.y = (struct axis){
        .low = 0, .high = (double)most * 1.05, .title = "configurations", .is_count = true};
    picture_axes(&p);
    for (size_t i = 0; i < BINS; i++) {
        double a = from + step * (double)i, b = a + step;
        if (bins[i] > 0)
            picture_box(&p, "bar", is_log ? exp(a) : a, 0, is_log ? exp(b) : b, (double)bins[i],
                        NULL);
    }
    picture_segment(&p, "best", times[0], NAN, times[0], NAN);
    bool has_usual = s->usual != SIZE_MAX && s->rows[s->usual].timed;
    if (has_usual)
        picture_segment(&p, "default", page_screened(&s->rows[s->usual]), NAN,
                        page_screened(&s->rows[s->usual]), NAN);
    const struct legend legend[] = {{"best", "best", true}, {"default", "default", true}};
    picture_legend(&p, legend, has_usual ? 2 : 1);
    picture_end(&p);
    text_release(&about);
    free(times);
}

static void grid_distribution(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"share of configurations", "time at most", "times the best",
                                        NULL};
    static const double shares[] = {0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1};
    size_t count;
    double *times = sorted_times(s, &count);
    sheet_head(g, names);
    for (size_t i = 0; times && i < sizeof shares / sizeof *shares; i++) {
        double t = quantile_of(times, count, shares[i]);
        sheet_row(g);
        sheet_share(g, shares[i]);
        sheet_time(g, t);
        sheet_number(g, t / times[0]);
    }
    sheet_end(g);
    free(times);
}

// ---- values of each parameter ------------------------------------------------------------------

// The times of each value of a parameter, one value after the other, each sorted.
struct value_times {
    double *times;
    size_t *first; // of each value; one more at the end
};

static bool times_by_value(const struct page_set *s, uint32_t parameter, struct value_times *out)
{
    uint32_t values = s->parameters[parameter].count;
    size_t *next = calloc(values + (size_t)1, sizeof *next);
    out->times = calloc(s->timed + 1, sizeof *out->times);
    out->first = calloc(values + (size_t)2, sizeof *out->first);
    bool ok = next && out->times && out->first;
    for (size_t i = 0; ok && i < s->timed; i++)
        out->first[s->rows[s->fastest[i]].choice[parameter] + 1]++;
    for (uint32_t v = 0; ok && v < values; v++) {
        out->first[v + 1] += out->first[v];
        next[v] = out->first[v];
    }
    for (size_t i = 0; ok && i < s->timed; i++) {
        const struct page_row *r = &s->rows[s->fastest[i]];
        out->times[next[r->choice[parameter]]++] = page_screened(r);
    }
    for (uint32_t v = 0; ok && v < values; v++)
        qsort(out->times + out->first[v], out->first[v + 1] - out->first[v], sizeof(double),
              stats_compare_double);
    free(next);
    return ok;
}

static void release_value_times(struct value_times *v)
{
    free(v->times);
    free(v->first);
}

// The values as labels: of each its text in `labels`, to which `names` points.
static void label_values(const struct parameter *q, char (*labels)[PAGE_VALUE], const char **names)
{
    for (uint32_t v = 0; v < q->count; v++) {
        page_value_label(&q->values[v], labels[v]);
        names[v] = labels[v];
    }
}

static void draw_value_panel(const struct page_set *s, uint32_t parameter, struct picture *p)
{
    const struct parameter *q = &s->parameters[parameter];
    struct value_times t;
    char(*labels)[PAGE_VALUE] = calloc(q->count, sizeof *labels);
    const char **names = calloc(q->count, sizeof(char *));
    bool ok = times_by_value(s, parameter, &t) && labels && names;
    p->out->failed |= !ok;
    if (ok) {
        label_values(q, labels, names);
        p->x = (struct axis){
            .kind = AXIS_NAMES, .low = 0, .high = q->count, .names = names, .title = q->name};
        picture_axes(p);
    }
    for (uint32_t v = 0; ok && v < q->count; v++) {
        const double *of = t.times + t.first[v];
        size_t n = t.first[v + 1] - t.first[v];
        double x = v + 0.5;
        if (n == 0)
            continue;
        picture_segment(p, "hair", x, of[0], x, of[n - 1]);
        picture_box(p, "box", x - 0.32, quantile_of(of, n, 0.25), x + 0.32,
                    quantile_of(of, n, 0.75), NULL);
        picture_segment(p, "correct", x - 0.32, quantile_of(of, n, 0.5), x + 0.32,
                        quantile_of(of, n, 0.5));
        bool is_best = s->best != SIZE_MAX && s->rows[s->best].choice[parameter] == v;
        picture_points(p, is_best ? "large best" : "best", &(struct mark){x, of[0]}, 1);
    }
    p->x = (struct axis){.low = 0}; // its texts go
    release_value_times(&t);
    free(labels);
    free(names);
}

enum { PANELS = 3, PANEL_WIDTH = 230, PANEL_HEIGHT = 220, PANEL_LEFT = 58 };

static void draw_parameters(const struct page_set *s, const struct canvas *at, struct text *out)
{
    uint32_t *varied = calloc(s->parameter_count + (size_t)1, sizeof *varied);
    size_t count = varied ? page_varied(s, varied) : 0;
    double width = picture_width(at, 860);
    size_t across = (size_t)fmax(1, fmin(PANELS, floor(width / PANEL_WIDTH)));
    if (across > count || across == 0)
        across = count ? count : 1;
    size_t rows = (count + across - 1) / across;
    struct picture p;
    struct axis times = {.is_time = true, .title = ""};
    out->failed |= !varied;
    picture_begin(
        &p, out, at, width, 26 + (double)(PANEL_HEIGHT * rows),
        "What each value of a parameter comes to",
        "For each parameter value, the quartiles of its configurations' times, and the best one.");
    double least = INFINITY, most = 0;
    page_note_span(s, &least, &most);
    axis_fit(&times, least, most);
    static const struct legend legend[] = {
        {"large best", "best reachable; large: the answer's value", false},
        {"correct", "median, with the quartiles as a box", true}};
    p.left = PANEL_LEFT;
    picture_legend(&p, legend, 2);
    p.y = times;
    for (size_t i = 0; i < count; i++) {
        double step = width / (double)across;
        p.left = PANEL_LEFT + step * (double)(i % across);
        p.right = step * (double)(i % across + 1) - 10;
        p.top = 30 + (double)(PANEL_HEIGHT * (i / across));
        p.bottom = p.top + PANEL_HEIGHT - 66;
        p.y.title = i % across == 0 ? "time" : "";
        draw_value_panel(s, varied[i], &p);
    }
    picture_end(&p);
    free(varied);
}

static void grid_parameters(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {
        "parameter",      "value", "configurations with a time", "best", "lower quartile", "median",
        "upper quartile", NULL};
    char label[PAGE_VALUE];
    sheet_head(g, names);
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        struct value_times t;
        bool ok = s->parameters[i].count > 1 && times_by_value(s, i, &t);
        for (uint32_t v = 0; ok && v < s->parameters[i].count; v++) {
            const double *of = t.times + t.first[v];
            size_t n = t.first[v + 1] - t.first[v];
            page_value_label(&s->parameters[i].values[v], label);
            sheet_row(g);
            sheet_text(g, s->parameters[i].name);
            sheet_text(g, label);
            sheet_count(g, n);
            sheet_time(g, n ? of[0] : NAN);
            for (int k = 1; k <= 3; k++)
                sheet_time(g, n ? quantile_of(of, n, 0.25 * k) : NAN);
        }
        if (s->parameters[i].count > 1)
            release_value_times(&t);
    }
    sheet_end(g);
}

// ---- importance --------------------------------------------------------------------------------

enum { BARS_MOST = 12, PAIR_BARS = 6 };

static const char *missing_importance(const struct page_set *s)
{
    return s->importance.count > 0
               ? NULL
               : "fewer than 12 configurations have a time, or all times are equal";
}

static void name_share(const struct page_set *s, const struct importance_share *i, struct text *out)
{
    text_add(out, s->parameters[i->first].name);
    if (i->first != i->second)
        text_addf(out, " with %s", s->parameters[i->second].name);
}

static void draw_importance(const struct page_set *s, const struct canvas *at, struct text *out)
{
    const struct importance *m = &s->importance;
    const struct importance_share *all[BARS_MOST + PAIR_BARS];
    struct text names[BARS_MOST + PAIR_BARS];
    const char *list[BARS_MOST + PAIR_BARS];
    size_t count = 0;
    struct picture p;
    struct picture_rows rows;
    struct text about = TEXT_INIT;
    double most = 0.05;
    for (size_t i = 0; i < m->count && i < BARS_MOST; i++)
        all[count++] = &m->shares[i];
    for (size_t i = 0; i < m->pair_count && i < PAIR_BARS; i++)
        all[count++] = &m->pairs[i];
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, all[i]->high);
        names[i] = (struct text)TEXT_INIT;
        name_share(s, all[i], &names[i]);
        list[i] = text_cstr(&names[i]);
    }
    text_addf(&about, "Most important: %s, %.0f %% of the variance of log time.",
              s->parameters[m->shares[0].first].name, 100 * m->shares[0].share);
    const struct picture_list picture = {.title = "Which parameters matter",
                                         .description = text_cstr(&about),
                                         .names = list,
                                         .count = count,
                                         .least = 20,
                                         .x = {.low = 0,
                                               .high = fmin(most * 1.05, 1),
                                               .title = "share of the variance of log time"}};
    picture_begin_rows(&p, &rows, out, at, &picture);
    for (size_t i = 0; i < count; i++) {
        double y = (double)i + rows.middle;
        picture_box(&p, all[i]->first != all[i]->second ? "bar second" : "bar", 0, y - rows.half,
                    all[i]->share, y + rows.half, NULL);
        picture_segment(&p, "hair", all[i]->low, y, all[i]->high, y);
        picture_row_name(&p, &rows, i, list[i]);
        text_release(&names[i]);
    }
    static const struct legend legend[] = {{"correct", "a parameter alone", true},
                                           {"ranked", "a pair, beyond each alone", true}};
    picture_legend(&p, legend, 2);
    picture_end(&p);
    text_release(&about);
}

static void grid_importance(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"parameter", "share", "low", "high", NULL};
    const struct importance *m = &s->importance;
    sheet_head(g, names);
    for (size_t i = 0; i < m->count + m->pair_count; i++) {
        const struct importance_share *of = i < m->count ? &m->shares[i] : &m->pairs[i - m->count];
        struct text name = TEXT_INIT;
        name_share(s, of, &name);
        sheet_row(g);
        sheet_text(g, text_cstr(&name));
        g->out->failed |= name.failed;
        text_release(&name);
        sheet_share(g, of->share);
        sheet_share(g, of->low);
        sheet_share(g, of->high);
    }
    sheet_row(g);
    sheet_text(g, "explained, on rows unseen by the tree");
    sheet_share(g, m->explained);
    sheet_end(g);
}

static size_t count_varied(const struct page_set *s)
{
    size_t varied = 0;
    for (uint32_t i = 0; i < s->parameter_count; i++)
        varied += s->parameters[i].count > 1;
    return varied;
}

static const char *missing_values(const struct page_set *s)
{
    return count_varied(s) == 0 ? "no parameter has several values" : page_no_times(s);
}

// ---- two parameters ----------------------------------------------------------------------------

static const char *missing_pair(const struct page_set *s)
{
    return count_varied(s) < 2 ? "fewer than two parameters have several values" : page_no_times(s);
}

// The two that matter most, or the first two that vary.
static void choose_pair(const struct page_set *s, uint32_t *x, uint32_t *y)
{
    uint32_t found = 0, pair[2] = {0, 0};
    if (s->importance.count > 1) {
        *x = s->importance.shares[0].first;
        *y = s->importance.shares[1].first;
        return;
    }
    for (uint32_t i = 0; i < s->parameter_count && found < 2; i++) {
        if (s->parameters[i].count > 1)
            pair[found++] = i;
    }
    *x = pair[0];
    *y = pair[1];
}

struct heat_cell {
    double least;
    size_t best; // the row that has it
    size_t timed, failed;
    uint32_t message; // of the first failure
};

static struct heat_cell *heat_cells(const struct page_set *s, uint32_t x, uint32_t y)
{
    size_t columns = s->parameters[x].count, count = columns * s->parameters[y].count;
    struct heat_cell *cells = calloc(count + 1, sizeof *cells);
    for (size_t i = 0; cells && i < count; i++)
        cells[i].least = INFINITY;
    for (size_t i = 0; cells && i < s->count; i++) {
        const struct page_row *r = &s->rows[i];
        struct heat_cell *c = &cells[r->choice[y] * columns + r->choice[x]];
        if (r->timed) {
            c->best = page_screened(r) < c->least ? i : c->best;
            c->least = fmin(c->least, page_screened(r));
            c->timed++;
        } else {
            c->message = c->failed ? c->message : r->message;
            c->failed++;
        }
    }
    return cells;
}

// The time stands in a cell that has room for it; a ring is around that of the answer.
static void draw_heat_cell(const struct page_set *s, const struct heat_cell *c, double x, double y,
                           double least, double most, const struct picture *p)
{
    char kind[32], time[32] = "", title[160];

    if (c->timed == 0 && c->failed == 0)
        return;
    duration_to_str(c->least, time);
    str_format(title, sizeof title, "%s%s%zu with a time, %zu failed%s%s", c->timed ? time : "",
               c->timed ? "; " : "", c->timed, c->failed, c->failed ? ": " : "",
               c->failed ? s->messages[c->message] : "");
    if (c->timed == 0) {
        picture_box(p, "hatched", x + 0.06, y + 0.06, x + 0.94, y + 0.94, title);
        return;
    }
    double depth = most > least ? log(most / c->least) / log(most / least) : 1;
    str_format(kind, sizeof kind, "cell bar heat%d", (int)lround(9 * depth));
    picture_box(p, kind, x + 0.02, y + 0.02, x + 0.98, y + 0.98, title);
    page_put_hit(p, picture_x(p, x), picture_y(p, y + 1), picture_x(p, x + 1), picture_y(p, y),
                 c->best);
    bool has_room = picture_text_width(time) + 6 < picture_x(p, x + 1) - picture_x(p, x) &&
                    picture_y(p, y) - picture_y(p, y + 1) > PICTURE_LINE;
    if (has_room)
        picture_text(p,
                     depth >= 0.9   ? "note inverse"
                     : depth >= 0.7 ? "note over-half"
                                    : "note",
                     picture_x(p, x + 0.5), picture_y(p, y + 0.5) + 4, "middle", time);
}

enum { HEATS = 10, SWATCH = 14 };

// The colours from the slowest to the fastest, with their times, in the row of legends; then the hatching.
static void draw_heat_scale(const struct picture *p, double least, double most, bool has_failed)
{
    char time[32];
    double x = p->left;
    duration_to_str(most, time);
    picture_text(p, "key", x, 18, "start", time);
    x += 8 + picture_text_width(time);
    for (int heat = 0; heat < HEATS; heat++)
        text_addf(p->out,
                  "<rect class=\"cell bar heat%d\" x=\"%.1f\" y=\"8\" width=\"%d\" height=\"12\"/>",
                  heat, x + SWATCH * heat, SWATCH);
    x += SWATCH * HEATS;
    duration_to_str(least, time);
    picture_text(p, "key", x + 6, 18, "start", time);
    x += 24 + picture_text_width(time);
    if (!has_failed)
        return;
    text_addf(p->out, "<rect class=\"hatched\" x=\"%.1f\" y=\"8\" width=\"%d\" height=\"12\"/>", x,
              SWATCH);
    picture_text(p, "key", x + SWATCH + 6, 18, "start", "failures alone");
}

static void draw_heatmap(const struct page_set *s, const struct canvas *at, struct text *out)
{
    uint32_t x, y;
    choose_pair(s, &x, &y);
    const struct parameter *a = &s->parameters[x], *b = &s->parameters[y];
    struct heat_cell *cells = heat_cells(s, x, y);
    char(*labels)[PAGE_VALUE] = calloc(a->count + (size_t)b->count, sizeof *labels);
    const char **names = calloc(a->count + (size_t)b->count, sizeof(char *));
    struct picture p;
    struct text title = TEXT_INIT;
    bool ok = cells && labels && names;
    out->failed |= !ok;
    if (ok) {
        double least = INFINITY, most = 0;
        bool has_failed = false;
        for (size_t i = 0; i < (size_t)a->count * b->count; i++) {
            has_failed |= cells[i].timed == 0 && cells[i].failed > 0;
            least = fmin(least, cells[i].least);
            most = cells[i].timed ? fmax(most, cells[i].least) : most;
        }
        text_addf(&title, "The shortest time by %s and %s", a->name, b->name);
        picture_begin(&p, out, at, 760, fmin(520, 110 + 34.0 * b->count), text_cstr(&title),
                      "Darker is faster; in a hatched cell everything failed, an empty one was not "
                      "measured; the ring marks the answer.");
        label_values(a, labels, names);
        label_values(b, labels + a->count, names + a->count);
        p.left = 0;
        for (uint32_t v = 0; v < b->count; v++)
            p.left = fmax(p.left, picture_text_width(names[a->count + v]));
        p.left = fmin(p.left + 40, 0.4 * p.width);
        p.x = (struct axis){
            .kind = AXIS_NAMES, .low = 0, .high = a->count, .names = names, .title = a->name};
        p.y = (struct axis){.kind = AXIS_NAMES,
                            .low = 0,
                            .high = b->count,
                            .names = names + a->count,
                            .title = b->name};
        picture_axes(&p);
        for (size_t row = 0, i = 0; row < b->count; row++) {
            for (size_t column = 0; column < a->count; column++, i++)
                draw_heat_cell(s, &cells[i], (double)column, (double)row, least, most, &p);
        }
        if (s->best != SIZE_MAX) {
            double column = s->rows[s->best].choice[x], row = s->rows[s->best].choice[y];
            picture_box(&p, "ring", column + 0.02, row + 0.02, column + 0.98, row + 0.98, NULL);
        }
        draw_heat_scale(&p, least, most, has_failed);
        picture_end(&p);
    }
    text_release(&title);
    free(cells);
    free(labels);
    free(names);
}

static void grid_heatmap(const struct page_set *s, struct sheet *g)
{
    uint32_t x, y;
    char label[PAGE_VALUE];
    choose_pair(s, &x, &y);
    const char *const names[] = {s->parameters[x].name,
                                 s->parameters[y].name,
                                 "shortest time",
                                 "with a time",
                                 "failed",
                                 NULL};
    struct heat_cell *cells = heat_cells(s, x, y);
    const struct heat_cell *cell = cells;
    sheet_head(g, names);
    for (size_t row = 0; cell && row < s->parameters[y].count; row++) {
        for (size_t column = 0; column < s->parameters[x].count; column++, cell++) {
            if (cell->timed + cell->failed == 0)
                continue;
            sheet_row(g);
            page_value_label(&s->parameters[x].values[column], label);
            sheet_text(g, label);
            page_value_label(&s->parameters[y].values[row], label);
            sheet_text(g, label);
            sheet_time(g, cell->timed ? cell->least : NAN);
            sheet_count(g, cell->timed);
            sheet_count(g, cell->failed);
        }
    }
    sheet_end(g);
    free(cells);
}

// ---- all parameters side by side ---------------------------------------------------------------

enum { WIRES_MOST = 300, WIRES_BEST = 10, AXES_MOST = 24 };

struct wires {
    const struct page_set *s;
    struct picture p; // y: 0 .. 1 along each axis
    uint32_t varied[AXES_MOST];
    size_t axes; // of parameters; the time is one more
    double least, most;
};

static void put_wire(const struct wires *w, const struct page_row *r, const char *kind)
{
    struct mark marks[AXES_MOST + 1];
    for (size_t i = 0; i < w->axes; i++)
        marks[i] = (struct mark){(double)i + 0.5, (r->choice[w->varied[i]] + 0.5) /
                                                      w->s->parameters[w->varied[i]].count};
    double span = log(w->most / w->least), t = log(page_screened(r) / w->least);
    marks[w->axes] = (struct mark){(double)w->axes + 0.5, span > 0 ? 0.97 - 0.94 * t / span : 0.5};
    picture_line(&w->p, kind, marks, w->axes + 1, false);
}

static void label_wire_axis(const struct wires *w, size_t i)
{
    char label[PAGE_VALUE];
    double x = picture_x(&w->p, (double)i + 0.5);
    picture_segment(&w->p, "hair", (double)i + 0.5, 0, (double)i + 0.5, 1);
    if (i == w->axes) {
        duration_to_str(w->least, label);
        picture_text(&w->p, "tick halo", x + 5, picture_y(&w->p, 0.97) + 4, "start", label);
        duration_to_str(w->most, label);
        picture_text(&w->p, "tick halo", x + 5, picture_y(&w->p, 0.03) + 4, "start", label);
        return;
    }
    const struct parameter *q = &w->s->parameters[w->varied[i]];
    size_t stride = (q->count + 11) / 12;
    for (uint32_t v = 0; v < q->count; v += (uint32_t)stride) {
        page_value_label(&q->values[v], label);
        picture_text(&w->p, "tick halo", x + 5, picture_y(&w->p, (v + 0.5) / q->count) + 4, "start",
                     label);
    }
}

static void draw_parallel(const struct page_set *s, const struct canvas *at, struct text *out)
{
    struct wires w = {.s = s, .least = INFINITY};
    const char *names[AXES_MOST + 1];
    for (uint32_t i = 0; i < s->parameter_count && w.axes < AXES_MOST; i++) {
        if (s->parameters[i].count < 2)
            continue;
        names[w.axes] = s->parameters[i].name;
        w.varied[w.axes++] = i;
    }
    names[w.axes] = "time";
    page_note_span(s, &w.least, &w.most);
    double width = fmax(picture_width(at, 760), 76 * (double)(w.axes + 1));
    picture_begin(&w.p, out, &(struct canvas){at->id, width, at->millimetres}, width, 380,
                  "All parameters side by side",
                  "One line per configuration through its values; the ten fastest stand out. The "
                  "last axis is the time, the shortest at the top.");
    w.p.left = 10;
    w.p.is_open = true; // each parameter has an axis of its own
    w.p.x =
        (struct axis){.kind = AXIS_NAMES, .low = 0, .high = (double)(w.axes + 1), .names = names};
    w.p.y = (struct axis){.kind = AXIS_NAMES, .low = 0, .high = 0};
    picture_axes(&w.p);
    w.p.y = (struct axis){.low = 0, .high = 1};
    size_t stride = s->timed > WIRES_MOST ? s->timed / WIRES_MOST : 1;
    text_add(out, "<g class=\"wires\">");
    for (size_t i = s->timed; i-- > 0;) {
        if (i % stride == 0 && i >= WIRES_BEST)
            put_wire(&w, &s->rows[s->fastest[i]], "wire");
    }
    for (size_t i = 0; i < WIRES_BEST && i < s->timed; i++)
        put_wire(&w, &s->rows[s->fastest[i]], "wire best");
    text_add(out, "</g>\n");
    for (size_t i = 0; i <= w.axes; i++)
        label_wire_axis(&w, i);
    static const struct legend legend[] = {{"wire best", "the ten fastest", true},
                                           {"wire", "others (a sample, if there are many)", true}};
    picture_legend(&w.p, legend, 2);
    picture_end(&w.p);
}

static void put_left_axes(const struct page_set *s, struct text *out)
{
    size_t varied = count_varied(s);
    if (varied > AXES_MOST)
        text_addf(out, "<p class=\"note\">The first %d of %zu parameters.</p>\n", AXES_MOST,
                  varied);
}

// ---- what they find --------------------------------------------------------------------------

static void tell_distribution(const struct page_set *s, struct text *out)
{
    size_t count, near = 0;
    double *times = sorted_times(s, &count);
    while (times && near < count && times[near] <= 1.1 * times[0])
        near++;
    if (times && count > 1)
        text_addf(
            out,
            "Within 10 %% of the best: %zu of %zu configurations. Half of the space takes more "
            "than %.3g times as long as the best.",
            near, count, quantile_of(times, count, 0.5) / times[0]);
    free(times);
}

// The best that is reachable with a parameter's worst value, over the best of all.
static double cost_of_worst(const struct page_set *s, uint32_t parameter, uint32_t *worst)
{
    struct value_times t;
    double cost = 1, least = INFINITY, most = 0;
    page_note_span(s, &least, &most);
    *worst = UINT32_MAX;
    bool ok = times_by_value(s, parameter, &t);
    for (uint32_t v = 0; ok && v < s->parameters[parameter].count; v++) {
        if (t.first[v + 1] == t.first[v] || t.times[t.first[v]] / least <= cost)
            continue;
        cost = t.times[t.first[v]] / least;
        *worst = v;
    }
    release_value_times(&t);
    return cost;
}

static void tell_parameters(const struct page_set *s, struct text *out)
{
    uint32_t worst = UINT32_MAX, parameter = 0;
    double most = 1;
    char label[PAGE_VALUE];
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        uint32_t value = 0;
        double cost = s->parameters[i].count > 1 ? cost_of_worst(s, i, &value) : 1;
        if (cost > most) {
            most = cost;
            worst = value;
            parameter = i;
        }
    }
    if (worst == UINT32_MAX)
        return;
    page_value_label(&s->parameters[parameter].values[worst], label);
    text_addf(
        out,
        "The most costly value is %s=%s: the best configuration with it takes %.3g times as long.",
        s->parameters[parameter].name, label, most);
}

static void tell_importance(const struct page_set *s, struct text *out)
{
    const struct importance *m = &s->importance;
    size_t told = 0, small = 0;
    for (; told < m->count && told < 3 && m->shares[told].share >= 0.05; told++)
        text_addf(out, "%s%s%s %.0f %%", told ? ", " : "",
                  s->parameters[m->shares[told].first].name, told ? "" : " explains",
                  100 * m->shares[told].share);
    text_add(out, told ? " of the variance of log time." : "No parameter explains 5 % alone.");
    for (size_t i = told; i < m->count; i++)
        small += m->shares[i].share < 0.05;
    if (told && small > 0)
        text_addf(out, " %zu other%s below 5 %% each.", small, small == 1 ? " is" : "s are");
    if (m->explained < 0.005)
        text_add(out, " With care: nothing of unseen rows is explained.");
    else if (m->explained < 0.5)
        text_addf(out, " With care: only %.0f %% of unseen rows is explained.", 100 * m->explained);
}

static void tell_heatmap(const struct page_set *s, struct text *out)
{
    uint32_t x, y;
    char a[PAGE_VALUE], b[PAGE_VALUE];
    double least = INFINITY, most = 0;
    size_t best = 0;
    choose_pair(s, &x, &y);
    struct heat_cell *cells = heat_cells(s, x, y);
    size_t columns = s->parameters[x].count, count = columns * s->parameters[y].count;
    for (size_t i = 0; cells && i < count; i++) {
        if (cells[i].timed == 0)
            continue;
        best = cells[i].least < least ? i : best;
        least = fmin(least, cells[i].least);
        most = fmax(most, cells[i].least);
    }
    free(cells);
    if (!(most > 0) || columns == 0)
        return;
    page_value_label(&s->parameters[x].values[best % columns], a);
    page_value_label(&s->parameters[y].values[best / columns], b);
    text_addf(out,
              "Best with %s=%s and %s=%s; with the worst pair, the best takes %.3g times as long.",
              s->parameters[x].name, a, s->parameters[y].name, b, most / least);
}

// The values that all of the ten fastest have.
static void tell_parallel(const struct page_set *s, struct text *out)
{
    size_t count = s->timed < WIRES_BEST ? s->timed : WIRES_BEST, told = 0;
    char label[PAGE_VALUE];
    for (uint32_t p = 0; count > 2 && p < s->parameter_count; p++) {
        uint32_t value = s->rows[s->fastest[0]].choice[p];
        bool is_common = s->parameters[p].count > 1;
        for (size_t i = 1; i < count && is_common; i++)
            is_common = s->rows[s->fastest[i]].choice[p] == value;
        if (!is_common)
            continue;
        page_value_label(&s->parameters[p].values[value], label);
        text_addf(out, "%s%s=%s", told++ ? ", " : "", s->parameters[p].name, label);
    }
    if (told)
        text_addf(out, " in all of the %zu fastest.", count);
    else if (count > 2)
        text_addf(out, "The %zu fastest share no value.", count);
}

const struct view page_view_distribution = {
    VIEW(
        "distribution", SPACE, "The distribution of the space",
        "How many configurations take how long, and where the best and the default are among them.",
        page_no_times, grid_distribution),
    .tell = tell_distribution, .draw = draw_distribution};
const struct view page_view_parameters = {
    VIEW("parameters", SPACE, "Each parameter",
         "For each value, the quartiles of all configurations that have it, and the best that "
         "it allows.",
         missing_values, grid_parameters),
    .tell = tell_parameters, .draw = draw_parameters};
const struct view page_view_importance = {
    VIEW("importance", SPACE, "Importance",
         "Shares of the variance of log time over the whole space (functional analysis of "
         "variance on a forest of 24 trees). Thin lines show the central 80 % of the trees. "
         "The first rows are single parameters, the others pairs, beyond each parameter alone.",
         missing_importance, grid_importance),
    .tell = tell_importance, .draw = draw_importance};
const struct view page_view_heatmap = {
    VIEW("heatmap", SPACE, "Two parameters",
         "The shortest time for each pair of values: the stronger the colour, the faster. In a "
         "hatched cell everything failed; an empty one has no result.",
         missing_pair, grid_heatmap),
    .tell = tell_heatmap, .draw = draw_heatmap};
const struct view page_view_parallel = {
    VIEW("parallel", SPACE, "All parameters",
         "One line per configuration through its values. Drag along an axis to keep a range of it.",
         missing_pair, page_grid_all),
    .tell = tell_parallel, .draw = draw_parallel, .put = put_left_axes, .rows = 1};
