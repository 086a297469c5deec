// The table of views, and what they share.
#include "extras/page/view.h"

const char *page_no_times(const struct page_set *s)
{
    return s->timed > 0 ? NULL : "no configuration has a time";
}

double page_screened(const struct page_row *r)
{
    return isnan(r->screened) ? r->median : r->screened;
}

void page_draw_points(const struct picture *p, const char *kind, const struct mark *marks,
                      size_t count)
{
    if (count > PAGE_POINTS_MOST)
        picture_density(p, kind, marks, count);
    else
        picture_points(p, kind, marks, count);
}

void page_put_hit(const struct picture *p, double left, double top, double right, double bottom,
                  size_t row)
{
    if (row == SIZE_MAX)
        return;
    text_addf(p->out, "<rect class=\"hit\" data-row=\"%zu\" fill=\"none\" x=\"", row);
    put_coordinate(left, p->out);
    text_add(p->out, "\" y=\"");
    put_coordinate(top, p->out);
    text_add(p->out, "\" width=\"");
    put_coordinate(right - left, p->out);
    text_add(p->out, "\" height=\"");
    put_coordinate(bottom - top, p->out);
    text_add(p->out, "\"/>");
}

void page_put_row_hit(const struct picture *p, size_t at, size_t row)
{
    page_put_hit(p, 2, picture_y(p, (double)at), p->right, picture_y(p, (double)at + 1), row);
}

void page_grid_configuration(const struct page_set *s, const struct page_row *r, struct sheet *g)
{
    struct text text = TEXT_INIT;
    page_configuration(s, r, &text);
    sheet_text(g, text_cstr(&text));
    g->out->failed |= text.failed;
    text_release(&text);
}

size_t page_varied(const struct page_set *s, uint32_t *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        if (s->parameters[i].count > 1)
            out[count++] = i;
    }
    return count;
}

void page_value_label(const struct value *v, char out[PAGE_VALUE])
{
    struct text text = TEXT_INIT;
    value_print(v, &text);
    str_format(out, PAGE_VALUE, "%s", text_cstr(&text));
    text_release(&text);
}

// The basis of the row's time.
static void put_basis(const struct page_set *s, const struct page_row *r, struct sheet *g)
{
    struct text text = TEXT_INIT;
    if (r->same_as)
        text_addf(&text, "the same code as %s", r->same_as);
    else if (r->timed)
        text_add(&text, s->is_recorded ? s->statistic : r->ranked ? "ranked" : "screened");
    sheet_text(g, text_cstr(&text));
    g->out->failed |= text.failed;
    text_release(&text);
}

// Every configuration, the fastest first, those without a time behind.
void page_grid_all(const struct page_set *s, struct sheet *g)
{
    const char **names = calloc(s->parameter_count + s->metric_count + (size_t)9, sizeof(char *));
    size_t n = 0;
    g->out->failed |= !names;
    if (!names)
        return;
    names[n++] = "rank";
    for (uint32_t i = 0; i < s->parameter_count; i++)
        names[n++] = s->parameters[i].name;
    static const char *const rest[] = {"status", "time", "low", "high", "samples", "basis"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        names[n++] = rest[i];
    for (uint32_t i = 0; i < s->metric_count; i++)
        names[n++] = s->metrics[i];
    sheet_head(g, names);
    free(names);
    char label[PAGE_VALUE];
    for (size_t i = 0; i < s->count + s->timed; i++) {
        const struct page_row *r = &s->rows[i < s->timed ? s->fastest[i] : i - s->timed];
        if (i >= s->timed && r->timed)
            continue;
        sheet_row(g);
        if (g->form != SHEET_CSV && g->rows > g->most)
            continue;
        if (i < s->timed)
            sheet_count(g, i + 1);
        else
            sheet_text(g, "");
        for (uint32_t k = 0; k < s->parameter_count; k++) {
            page_value_label(&s->parameters[k].values[r->choice[k]], label);
            sheet_text(g, label);
        }
        sheet_text(g, status_text(r->status));
        sheet_time(g, r->timed ? r->median : NAN);
        sheet_time(g, r->interval ? r->low : NAN);
        sheet_time(g, r->interval ? r->high : NAN);
        sheet_number(g, r->timed && !s->is_recorded ? r->samples : NAN);
        put_basis(s, r, g);
        for (uint32_t k = 0; k < s->metric_count; k++)
            sheet_number(g, r->metrics ? r->metrics[k] : NAN);
    }
    sheet_end(g);
}

static const char *missing_nothing(const struct page_set *s)
{
    return s->count > 0 ? NULL : "there are no results";
}

const struct view page_view_table = {
    VIEW("table", DATA, "All configurations",
         "The newest result of each configuration, the fastest first. Ranked times were "
         "interleaved with the other finalists', screened ones were taken alone: compare each "
         "only with its own kind. A configuration that compiled to the same code as another "
         "was not launched and has that one's times.",
         missing_nothing, page_grid_all)};

const struct view *const page_views[] = {&page_view_evaluations, &page_view_time,
                                         &page_view_finalists,   &page_view_rounds,
                                         &page_view_devices,     &page_view_distribution,
                                         &page_view_parameters,  &page_view_importance,
                                         &page_view_heatmap,     &page_view_parallel,
                                         &page_view_failures,    &page_view_pareto,
                                         &page_view_roofline,    &page_view_matrix,
                                         &page_view_sizes,       &page_view_deployed,
                                         &page_view_beside,      &page_view_convergence,
                                         &page_view_beginning,   &page_view_leaderboard,
                                         &page_view_table,       &page_view_samples,
                                         &page_view_resources,   &page_view_counters,
                                         &page_view_source,      NULL};
