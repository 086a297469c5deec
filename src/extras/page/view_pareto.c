// Several objectives against each other: all configurations, and the front of those that no other one dominates. The first two
// objectives are the axes; the table has all.
#include "extras/page/view.h"

static const char *missing_pareto(const struct page_set *s)
{
    return s->no_front          ? s->no_front
           : s->front_count > 0 ? NULL
                                : "no configuration has a value of each objective";
}

static void fit_objective(const struct page_set *s, const struct objective *o, char title[96],
                          struct axis *a)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        double v = page_objective_value(s, &s->rows[i], o);
        if (isfinite(v)) {
            least = fmin(least, v);
            most = fmax(most, v);
        }
    }
    str_format(title, 96, "%s, %s is better", o->name, o->maximise ? "more" : "less");
    *a = (struct axis){.title = title, .is_time = o->metric == OBJECTIVE_TIME};
    axis_fit(a, least, most);
}

static int by_x(const void *a, const void *b)
{
    const struct mark *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

static int by_x_down(const void *a, const void *b)
{
    return by_x(b, a);
}

static void draw_pareto(const struct page_set *s, const struct canvas *at, struct text *out)
{
    const struct objective *x = &s->objectives.terms[0], *y = &s->objectives.terms[1];
    struct picture p;
    struct text about = TEXT_INIT;
    char titles[2][96];
    size_t count = 0;
    struct mark *marks = calloc(s->count + 1, sizeof *marks);
    out->failed |= !marks;
    if (!marks)
        return;
    text_addf(&about,
              "%zu of %zu configurations are on the front: no other one is as good in all "
              "and better in one.",
              s->front_count, s->timed);
    picture_begin(&p, out, at, 760, 400, "Pareto front", text_cstr(&about));
    fit_objective(s, x, titles[0], &p.x);
    fit_objective(s, y, titles[1], &p.y);
    picture_axes(&p);
    for (size_t i = 0; i < s->count; i++) {
        marks[count] = (struct mark){page_objective_value(s, &s->rows[i], x),
                                     page_objective_value(s, &s->rows[i], y)};
        count += isfinite(marks[count].x) && isfinite(marks[count].y);
    }
    page_draw_points(&p, "correct", marks, count);
    for (size_t i = 0; i < s->front_count; i++)
        marks[i] = (struct mark){page_objective_value(s, &s->rows[s->front[i]], x),
                                 page_objective_value(s, &s->rows[s->front[i]], y)};
    // from the best x on, so that a step goes along what the better one dominates
    qsort(marks, s->front_count, sizeof *marks, x->maximise ? by_x_down : by_x);
    bool is_step = s->objectives.count == 2; // with more the front is not a line
    if (is_step)
        picture_line(&p, "best", marks, s->front_count, true);
    picture_points(&p, "large best", marks, s->front_count);
    if (s->usual != SIZE_MAX) {
        const struct page_row *r = &s->rows[s->usual];
        struct mark usual = {page_objective_value(s, r, x), page_objective_value(s, r, y)};
        if (isfinite(usual.x) && isfinite(usual.y))
            picture_points(&p, "large default", &usual, 1);
    }
    static const struct legend legend[] = {{"large best", "Pareto front", false},
                                           {"correct", "other configurations", false},
                                           {"large default", "default", false}};
    picture_legend(&p, legend, s->usual != SIZE_MAX ? 3 : 2);
    picture_end(&p);
    text_release(&about);
    free(marks);
}

// By the first objective, as `hone best` lists them.
static void grid_pareto(const struct page_set *s, struct sheet *g)
{
    const char *names[OBJECTIVES_MOST + 2] = {"configuration"};
    const struct objectives *o = &s->objectives;
    for (uint32_t k = 0; k < o->count; k++)
        names[k + 1] = o->terms[k].name;
    sheet_head(g, names);
    for (size_t i = 0; i < s->front_count; i++) {
        const struct page_row *r = &s->rows[s->front[i]];
        sheet_row(g);
        page_grid_configuration(s, r, g);
        for (uint32_t k = 0; k < o->count; k++) {
            double v = page_objective_value(s, r, &o->terms[k]);
            if (o->terms[k].metric == OBJECTIVE_TIME)
                sheet_time(g, v);
            else
                sheet_number(g, v);
        }
    }
    sheet_end(g);
}

// ---- what they find --------------------------------------------------------------------------

static void tell_pareto(const struct page_set *s, struct text *out)
{
    text_addf(out, "%zu of %zu configurations are on the front.", s->front_count, s->timed);
}

const struct view page_view_pareto = {
    VIEW("pareto", SEARCH, "Pareto front",
         "The objectives against each other. For a configuration on the front, no other is at "
         "least as good in every objective and better in one.",
         missing_pareto, grid_pareto),
    .tell = tell_pareto, .draw = draw_pareto};
