// Devices, languages, drivers, sizes and runs beside each other: each configuration's time on one over its time on another,
// and what the best of each costs on every other one. Times are those of configurations measured alone.
#include "extras/page/view.h"

enum { PANELS_MOST = 6, PANEL_LEAST = 300, CELLS_MOST = 40 };

// The first set with times, and the others that have a configuration with a time in common with it (`is_any`: that have
// times at all).
struct beside {
    const struct page_set **all;
    size_t count;
};

static bool has_common(const struct page_set *a, const struct page_set *b, struct text *out)
{
    size_t *rows = page_same_rows(a, b, out);
    bool any = false;
    for (size_t i = 0; rows && i < a->count && !any; i++)
        any = rows[i] != SIZE_MAX && a->rows[i].timed && b->rows[rows[i]].timed;
    free(rows);
    return any;
}

static bool begin_beside(const struct page_set *s, bool is_any, struct beside *b, struct text *out)
{
    size_t kept = 0;
    b->all = page_family(s, &b->count);
    out->failed |= !b->all;
    for (size_t i = 0; b->all && i < b->count; i++) {
        const struct page_set *other = b->all[i];
        // Sizes take unlike times: only sets of equal constants are beside each other.
        if (other->timed > 0 && (is_any || kept == 0 ||
                                 (str_equal(b->all[0]->constants, other->constants) &&
                                  has_common(b->all[0], other, out))))
            b->all[kept++] = other;
    }
    b->count = kept;
    return b->all != NULL;
}

static const char *missing_beside(const struct page_set *s)
{
    struct beside b;
    struct text ignored = TEXT_INIT;
    if (!begin_beside(s, false, &b, &ignored))
        return NULL;
    free(b.all);
    return b.count < 2 ? "no two sets of the spec with equal constants have a time for the same "
                         "configuration"
                       : NULL;
}

// ---- scatter -----------------------------------------------------------------------------------

static void mark_best_of(const struct picture *p, const struct page_set *a,
                         const struct page_set *b, const size_t *rows, const struct page_set *best,
                         const char *kind)
{
    for (size_t i = 0; best->best != SIZE_MAX && i < a->count; i++) {
        if (rows[i] == SIZE_MAX || (best == a ? i : rows[i]) != best->best)
            continue;
        const struct page_row *x = &a->rows[i], *y = &b->rows[rows[i]];
        if (x->timed && y->timed)
            picture_points(p, kind, &(struct mark){page_screened(x), page_screened(y)}, 1);
    }
}

static size_t number_of(const struct page_set *s)
{
    return (size_t)(s - s->page->sets);
}

static void draw_beside_panel(struct picture *p, const struct page_set *a, const struct page_set *b)
{
    char of[60];
    struct text x = TEXT_INIT, y = TEXT_INIT;
    size_t count = 0;
    struct mark *marks = calloc(a->count + 1, sizeof *marks);
    size_t *rows = page_same_rows(a, b, p->out);
    p->out->failed |= !marks;
    page_set_name(a, &x);
    page_set_name(b, &y);
    p->x = (struct axis){.title = text_cstr(&x), .is_time = true};
    str_format(of, sizeof of, "[%zu,%zu]", number_of(a), number_of(b));
    p->of = of;
    double least = INFINITY, most = 0;
    page_note_span(a, &least, &most);
    page_note_span(b, &least, &most);
    axis_fit(&p->x, least, most); // of both, so that the diagonal goes from corner to corner
    p->y = p->x;
    p->y.title = text_cstr(&y);
    picture_axes(p);
    picture_segment(p, "default", p->x.low, p->x.low, p->x.high, p->x.high);
    for (size_t i = 0; rows && marks && i < a->count; i++) {
        if (rows[i] != SIZE_MAX && a->rows[i].timed && b->rows[rows[i]].timed)
            marks[count++] =
                (struct mark){page_screened(&a->rows[i]), page_screened(&b->rows[rows[i]])};
    }
    page_draw_points(p, "correct", marks, marks ? count : 0);
    if (rows) {
        mark_best_of(p, a, b, rows, b, "large ranked");
        mark_best_of(p, a, b, rows, a, "large best");
    }
    p->x.title = p->y.title = p->of = NULL; // their texts go
    text_release(&x);
    text_release(&y);
    free(marks);
    free(rows);
}

static void draw_beside(const struct page_set *s, const struct canvas *at, struct text *out)
{
    struct beside b;
    struct picture p;
    if (!begin_beside(s, false, &b, out))
        return;
    size_t panels = b.count - 1 < PANELS_MOST ? b.count - 1 : PANELS_MOST;
    size_t across = panels < 2 ? 1 : panels < 3 ? 2 : 3;
    double width = picture_width(at, across == 1 ? 640 : 400.0 * (double)across);
    while (across > 1 && width / (double)across < PANEL_LEAST)
        across--;
    size_t down = (panels + across - 1) / across;
    double step = width / (double)across;
    picture_begin(&p, out, at, width, 34 + 380.0 * (double)down, "One beside the other",
                  "One point per configuration that has a time on both: below the diagonal it is "
                  "faster on the vertical axis.");
    static const struct legend legend[] = {{"large best", "the best of x", false},
                                           {"large ranked", "the best of y", false},
                                           {"default", "equal", true}};
    picture_legend(&p, legend, 3);
    for (size_t i = 0; i < panels; i++) {
        p.left = step * (double)(i % across) + 74;
        p.right = step * (double)(i % across + 1) - 14;
        p.top = 36 + 380.0 * (double)(i / across);
        p.bottom = p.top + 316;
        draw_beside_panel(&p, b.all[0], b.all[i + 1]);
    }
    picture_end(&p);
    free(b.all);
}

// Each configuration that all have a time of, the fastest of the first set first.
static void grid_beside(const struct page_set *s, struct sheet *g)
{
    struct beside b;
    if (!begin_beside(s, false, &b, g->out))
        return;
    const char **names = calloc(b.count + 2, sizeof(char *));
    struct text *texts = calloc(b.count + 1, sizeof *texts);
    size_t **rows = calloc(b.count + 1, sizeof(size_t *));
    bool ok = names && texts && rows;
    g->out->failed |= !ok;
    for (size_t i = 0; ok && i < b.count; i++) {
        page_set_name(b.all[i], &texts[i]);
        names[i + 1] = text_cstr(&texts[i]);
        rows[i] = page_same_rows(b.all[0], b.all[i], g->out);
    }
    if (ok) {
        names[0] = "configuration";
        sheet_head(g, names);
    }
    for (size_t i = 0; ok && i < b.all[0]->timed; i++) {
        size_t row = b.all[0]->fastest[i];
        sheet_row(g);
        page_grid_configuration(b.all[0], &b.all[0]->rows[row], g);
        for (size_t k = 0; k < b.count; k++) {
            bool is_there = rows[k] && rows[k][row] != SIZE_MAX;
            const struct page_row *r = is_there ? &b.all[k]->rows[rows[k][row]] : NULL;
            if (r && !r->timed)
                sheet_text(g, status_text(r->status));
            else
                sheet_time(g, r ? page_screened(r) : NAN);
        }
    }
    if (ok)
        sheet_end(g);
    for (size_t i = 0; ok && i < b.count; i++) {
        text_release(&texts[i]);
        free(rows[i]);
    }
    free(rows);
    free(texts);
    free(names);
    free(b.all);
}

// ---- the best of one on the others -------------------------------------------------------------

struct transfer {
    double time, best, ratio;  // NaN: not known
    const struct page_row *on; // (or NULL) the row of the other set
};

// Finds how the best of one set performs in the other.
static struct transfer transfer_of(const struct page_set *of, const struct page_set *on,
                                   struct text *out)
{
    struct transfer t = {NAN, NAN, NAN, NULL};
    if (of->best == SIZE_MAX || on->best == SIZE_MAX)
        return t;
    t.best = page_screened(&on->rows[on->best]);
    t.on = page_same_row(of, &of->rows[of->best], on, out);
    if (t.on && t.on->timed) {
        t.time = page_screened(t.on);
        t.ratio = t.time / t.best;
    }
    return t;
}

static const char *missing_matrix(const struct page_set *s)
{
    struct beside b;
    struct text ignored = TEXT_INIT;
    bool any = false;
    if (!begin_beside(s, true, &b, &ignored))
        return NULL;
    for (size_t y = 0; y < b.count && !any; y++) {
        for (size_t x = 0; x < b.count && !any; x++)
            any = x != y && transfer_of(b.all[y], b.all[x], &ignored).on;
    }
    free(b.all);
    return any ? NULL : "the best of one set was not measured on any other";
}

static void draw_cell(const struct picture *p, size_t x, size_t y, const struct transfer *t)
{
    char text[40], kind[32], title[64];
    if (isnan(t->ratio)) {
        str_format(title, sizeof title, "%s", t->on ? status_text(t->on->status) : "not measured");
        picture_box(p, t->on ? "hatched" : "blank", (double)x + 0.05, (double)y + 0.05,
                    (double)x + 0.95, (double)y + 0.95, title);
        return;
    }
    double depth = fmin(fmax(log(t->ratio) / log(3), 0), 1);
    str_format(kind, sizeof kind, "cell cells ranked heat%d", (int)lround(9 * depth));
    str_format(text, sizeof text, "%.3g", t->ratio);
    duration_to_str(t->time, title);
    picture_box(p, kind, (double)x + 0.02, (double)y + 0.02, (double)x + 0.98, (double)y + 0.98,
                title);
    picture_text(p, "note halo", picture_x(p, (double)x + 0.5), picture_y(p, (double)y + 0.5) + 4,
                 "middle", text);
}

enum { CELL_HEIGHT = 40, CELL_LEAST = 52 };

// Sets have their names at the left, and above a number, which also stands before the name: names are long, columns narrow.
static void draw_matrix(const struct page_set *s, const struct canvas *at, struct text *out)
{
    struct beside b;
    struct picture p;
    struct picture_rows rows;
    struct text of = TEXT_INIT;
    if (!begin_beside(s, true, &b, out))
        return;
    size_t count = b.count < CELLS_MOST ? b.count : CELLS_MOST;
    const size_t room = count + 1;
    struct text *names = calloc(room, sizeof *names);
    const char **list = calloc(room, sizeof(char *)), **columns = calloc(room, sizeof(char *));
    char(*numbers)[8] = calloc(room, sizeof *numbers);
    bool ok = names && list && columns && numbers;
    out->failed |= !ok;
    for (size_t i = 0; ok && i < count; i++) {
        str_format(numbers[i], sizeof *numbers, "%zu", i + 1);
        text_addf(&names[i], "%zu: ", i + 1);
        page_set_name(b.all[i], &names[i]);
        list[i] = text_cstr(&names[i]);
        columns[i] = numbers[i];
        text_addf(&of, "%s%zu", i ? "," : "[", number_of(b.all[i]));
    }
    text_add(&of, "]");
    if (ok) {
        double width = picture_width(at, 760);
        picture_rows(&rows, fmax(width, 480), list, count, CELL_HEIGHT);
        rows.left = fmin(rows.left, 0.55 * width);
        rows.room = rows.left - 24;
        for (size_t i = 0; i < count; i++)
            rows.height = fmax(rows.height,
                               PICTURE_LINE * (double)picture_line_count(list[i], rows.room) + 7);
        width = fmax(width, rows.left + 16 + CELL_LEAST * (double)count);
        picture_begin(
            &p, out, &(struct canvas){at->id, width, at->millimetres}, width,
            80 + rows.height * (double)count, "The best of each on every other",
            "How much longer the row's best takes on the column than the column's own best.");
        p.left = rows.left;
        p.x = (struct axis){
            .kind = AXIS_NAMES, .high = (double)count, .names = columns, .title = "on"};
        p.y = (struct axis){.low = 0, .high = (double)count, .ticks = &p.width};
        p.of = text_cstr(&of);
        picture_axes(&p);
        for (size_t y = 0; y < count; y++) {
            for (size_t x = 0; x < count; x++) {
                struct transfer t = transfer_of(b.all[y], b.all[x], out);
                draw_cell(&p, x, count - 1 - y, &t);
            }
        }
        p.y = (struct axis){.low = (double)count, .high = 0};
        for (size_t i = 0; i < count; i++)
            picture_row_name(&p, &rows, i, list[i]);
        char key[120];
        str_format(key, sizeof key,
                   "times the column's best; hatched: it fails there; empty: not measured%s",
                   count < b.count ? "; the first 40 sets" : "");
        size_t lines = picture_line_count(key, p.width - 20);
        picture_lines(&p, "key", 10, 20 - PICTURE_LINE * ((double)lines - 1), "start", p.width - 20,
                      key);
        picture_end(&p);
    }
    out->failed |= of.failed;
    text_release(&of);
    for (size_t i = 0; names && i < count; i++)
        text_release(&names[i]);
    free(names);
    free(list);
    free(columns);
    free(numbers);
    free(b.all);
}

static void grid_matrix(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"best of",       "on",   "configuration",
                                        "status",        "time", "time of the column's best",
                                        "times as long", NULL};
    struct beside b;
    if (!begin_beside(s, true, &b, g->out))
        return;
    struct text *own = calloc(b.count + 1, sizeof *own); // names of the sets
    g->out->failed |= !own;
    for (size_t i = 0; own && i < b.count; i++) {
        page_set_name(b.all[i], &own[i]);
        g->out->failed |= own[i].failed;
    }
    sheet_head(g, names);
    for (size_t y = 0; own && y < b.count; y++) {
        for (size_t x = 0; x < b.count; x++) {
            struct transfer t = transfer_of(b.all[y], b.all[x], g->out);
            sheet_row(g);
            sheet_text(g, text_cstr(&own[y]));
            sheet_text(g, text_cstr(&own[x]));
            if (b.all[y]->best != SIZE_MAX)
                page_grid_configuration(b.all[y], &b.all[y]->rows[b.all[y]->best], g);
            else
                sheet_text(g, "");
            sheet_text(g, t.on ? status_text(t.on->status) : "not measured");
            sheet_time(g, t.time);
            sheet_time(g, t.best);
            sheet_number(g, t.ratio);
        }
    }
    sheet_end(g);
    for (size_t i = 0; own && i < b.count; i++)
        text_release(&own[i]);
    free(own);
    free(b.all);
}

// ---- what they find --------------------------------------------------------------------------

enum { FASTEST_ALIKE = 10 };

// The share of the fastest on the first set that are among the fastest on the other, too.
static void tell_beside(const struct page_set *s, struct text *out)
{
    struct beside b;
    if (!begin_beside(s, false, &b, out))
        return;
    for (size_t i = 1; i < b.count && i <= PANELS_MOST; i++) {
        const struct page_set *from = b.all[0], *to = b.all[i];
        size_t most = from->timed < to->timed ? from->timed : to->timed, alike = 0;
        size_t *rows = page_same_rows(from, to, out);
        most = most < FASTEST_ALIKE ? most : FASTEST_ALIKE;
        for (size_t k = 0; rows && k < most; k++) {
            for (size_t n = 0; n < most; n++)
                alike += rows[from->fastest[k]] == to->fastest[n];
        }
        free(rows);
        text_addf(out, "%s%zu of the %zu fastest are the same on ", i > 1 ? "; " : "", alike, most);
        page_set_name(from, out);
        text_add(out, " and on ");
        page_set_name(to, out);
    }
    text_add(out, ".");
    free(b.all);
}

// The transfer that costs most.
static void tell_matrix(const struct page_set *s, struct text *out)
{
    struct beside b;
    const struct page_set *of = NULL, *on = NULL;
    double worst = 1;
    if (!begin_beside(s, true, &b, out))
        return;
    size_t count = b.count < CELLS_MOST ? b.count : CELLS_MOST;
    for (size_t y = 0; y < count; y++) {
        for (size_t x = 0; x < count; x++) {
            struct transfer t = transfer_of(b.all[y], b.all[x], out);
            if (isnan(t.ratio) || t.ratio <= worst)
                continue;
            worst = t.ratio;
            of = b.all[y];
            on = b.all[x];
        }
    }
    if (of) {
        text_add(out, "The best of ");
        page_set_name(of, out);
        text_addf(out, " costs %.3g %% on ", 100 * (worst - 1));
        page_set_name(on, out);
        text_add(out, ", the largest loss of any.");
    } else {
        text_add(out, "The best of each costs nothing on the others.");
    }
    free(b.all);
}

const struct view page_view_beside = {
    VIEW("beside", SEARCH, "One beside the other",
         "The first set against each of the others (devices, languages, drivers or runs): one "
         "point per configuration with a time on both. On the diagonal both take equally long. "
         "Times are of configurations measured alone.",
         missing_beside, grid_beside),
    .tell = tell_beside, .draw = draw_beside, .is_across = true};
const struct view page_view_matrix = {
    VIEW("matrix", SEARCH, "The best of each on the others",
         "The cost of using the row's best on the column, relative to the column's own best: 1 "
         "is free. Times are of configurations measured alone.",
         missing_matrix, grid_matrix),
    .tell = tell_matrix, .draw = draw_matrix, .is_across = true};
