// Draws the results of hone score, hone deploy, hone tune and hone judge: strategies along their budget, the
// cost of a deployed table at each shape, the starts of a tune, and a leaderboard.
#include "extras/page/view.h"
#include "picture/chart.h"

// ---- strategies --------------------------------------------------------------------------------

enum { FILES_MOST = 12, STRATEGIES_MOST = 24 };

static const char *missing_convergence(const struct page_set *s)
{
    return s->score_count > 0 ? NULL : "no scores were given: hone score --json writes them";
}

// The names in their order, each once; returns how many.
static size_t note_names(const struct page_set *s, bool files, const char **out, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < s->score_count; i++) {
        const char *name = files ? s->scores[i].file : s->scores[i].strategy;
        bool is_new = true;
        for (size_t k = 0; k < count; k++)
            is_new = is_new && !str_equal(out[k], name);
        if (is_new && count < most)
            out[count++] = name;
    }
    return count;
}

static const struct page_score *find_score(const struct page_set *s, const char *file,
                                           const char *strategy)
{
    for (size_t i = 0; i < s->score_count; i++) {
        if (str_equal(s->scores[i].file, file) && str_equal(s->scores[i].strategy, strategy))
            return &s->scores[i];
    }
    return NULL;
}

static void draw_convergence(const struct page_set *s, const struct canvas *at, struct text *out)
{
    const char *files[FILES_MOST], *strategies[STRATEGIES_MOST];
    size_t panels = note_names(s, true, files, FILES_MOST),
           lines = note_names(s, false, strategies, STRATEGIES_MOST);
    struct chart_line all[FILES_MOST * STRATEGIES_MOST];
    struct chart_panel panel[FILES_MOST];
    struct arena a = {0};
    for (size_t f = 0; f < panels; f++) {
        const char *slash = strrchr(files[f], '/');
        panel[f] =
            (struct chart_panel){panels > 1 ? slash ? slash + 1 : files[f] : "", all + f * lines};
        for (size_t k = 0; k < lines; k++) {
            const struct page_score *of = find_score(s, files[f], strategies[k]);
            size_t count = of ? of->share_count : 0;
            struct chart_point *points = arena_array(&a, count + 1, sizeof *points);
            out->failed |= !points;
            for (size_t i = 0; points && i < count; i++)
                points[i] = (struct chart_point){100 * of->shares[i], of->leads[i], NAN, NAN};
            all[f * lines + k] = (struct chart_line){strategies[k], points, points ? count : 0};
        }
    }
    const struct chart c = {
        .title = "Strategies along their budget",
        .about = "How far each strategy gets from random search (0) to the optimum (1).",
        .x_title = "% of the budget",
        .y_title = "score",
        .panels = panel,
        .panel_count = panels,
        .line_count = lines,
        .limit = NAN};
    picture_chart(&c, at, out);
    arena_release(&a);
}

static void grid_convergence(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"file",
                                        "strategy",
                                        "score",
                                        "low",
                                        "high",
                                        "of the optimum",
                                        "budget",
                                        "evaluations until within 1 %",
                                        "% of the budget: score",
                                        NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < s->score_count; i++) {
        const struct page_score *of = &s->scores[i];
        struct text along = TEXT_INIT;
        for (size_t k = 0; k < of->share_count; k++)
            text_addf(&along, "%s%g: %.4g", k ? ", " : "", 100 * of->shares[k], of->leads[k]);
        sheet_row(g);
        sheet_text(g, of->file);
        sheet_text(g, of->strategy);
        sheet_number(g, of->score);
        sheet_number(g, of->low);
        sheet_number(g, of->high);
        sheet_number(g, of->fraction);
        sheet_number(g, of->budget);
        sheet_number(g, of->near);
        sheet_text(g, text_cstr(&along));
        g->out->failed |= along.failed;
        text_release(&along);
    }
    sheet_end(g);
}

// ---- a deployed table --------------------------------------------------------------------------

enum { NAMED_MOST = 12 };

static const char *missing_deployed(const struct page_set *s)
{
    return s->deployed_count > 0
               ? NULL
               : "no dispatch table was given: hone deploy --format json writes it";
}

// Along x stand the first numbers of the shapes where these tell them apart on each device, else their places.
static bool is_by_first(const struct page_set *s)
{
    for (size_t i = 0; i < s->deployed_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct page_deployed *a = &s->deployed[i], *b = &s->deployed[k];
            if (a->first == b->first && str_equal(a->device, b->device))
                return false;
        }
    }
    return true;
}

static int by_chart_x(const void *a, const void *b)
{
    const struct chart_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

static void draw_deployed(const struct page_set *s, const struct canvas *at, struct text *out)
{
    enum { DEVICES_MOST = 16 };
    struct chart_line lines[DEVICES_MOST];
    struct chart_point *points = calloc(s->deployed_count * 2 + 1, sizeof *points), *next = points;
    const char *names[NAMED_MOST];
    bool by_first = is_by_first(s);
    size_t count = 0, along = 0;
    out->failed |= !points;
    for (size_t i = 0; points && i < s->deployed_count && count < DEVICES_MOST; i++) {
        bool is_new = true;
        for (size_t k = 0; k < count; k++)
            is_new = is_new && !str_equal(lines[k].label, s->deployed[i].device);
        if (!is_new)
            continue;
        struct chart_point *own = next;
        size_t place = 0;
        for (size_t k = 0; k < s->deployed_count; k++) {
            const struct page_deployed *d = &s->deployed[k];
            if (!str_equal(d->device, s->deployed[i].device))
                continue;
            if (place < NAMED_MOST && count == 0)
                names[place] = d->shape;
            *next++ = (struct chart_point){by_first ? d->first : (double)place, 100 * d->above_best,
                                           NAN, NAN};
            place++;
        }
        along = place > along ? place : along;
        qsort(own, (size_t)(next - own), sizeof *own, by_chart_x);
        lines[count++] = (struct chart_line){s->deployed[i].device, own, (size_t)(next - own)};
    }
    const struct chart_panel panel = {"", lines};
    const struct chart c = {
        .title = "What the deployed table costs at each shape",
        .about = "How much longer the table's choice takes than the best for each shape.",
        .x_title = by_first ? s->column : "shape",
        .y_title = "% above the best of the shape",
        .y_from_zero = true,
        .names = !by_first && count == 1 && along <= NAMED_MOST ? names : NULL,
        .name_count = along,
        .panels = &panel,
        .panel_count = 1,
        .line_count = count,
        .limit = 100 * s->deployed_within,
        .limit_name = "--within"};
    if (points)
        picture_chart(&c, at, out);
    free(points);
}

static void grid_deployed(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"device", "shape",          "configuration",
                                        "time",   "above the best", "above the default",
                                        "weight", "note",           NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < s->deployed_count; i++) {
        const struct page_deployed *d = &s->deployed[i];
        sheet_row(g);
        sheet_text(g, d->device);
        sheet_text(g, d->shape);
        sheet_text(g, d->configuration);
        sheet_time(g, d->median);
        sheet_share(g, d->above_best);
        if (isnan(d->above_default))
            sheet_text(g, "not measured");
        else
            sheet_share(g, d->above_default);
        sheet_number(g, d->weight);
        sheet_text(g, d->is_refined ? "added between the requested points" : "");
    }
    sheet_end(g);
}

// ---- what a tune began with --------------------------------------------------------------------

static const char *missing_beginning(const struct page_set *s)
{
    return s->is_beginning ? NULL : "no tune's records were given: hone tune --json writes them";
}

static void grid_beginning(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"began with",     "what",  "became of it",   "time",
                                        "times the best", "basis", "orders as here", "results",
                                        "parameters",     NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < s->beginning_count; i++) {
        const struct page_beginning *b = &s->beginnings[i];
        sheet_row(g);
        sheet_text(g, b->is_source ? "what is known elsewhere" : "start_with");
        sheet_text(g, b->name);
        sheet_text(g, b->outcome[0] ? b->outcome : "not run");
        sheet_time(g, b->median);
        sheet_number(g, b->ratio);
        sheet_text(g, b->basis);
        sheet_share(g, b->agrees);
        sheet_number(g, b->results);
        sheet_number(g, b->parameters);
    }
    if (s->beginning_count == 0) {
        sheet_row(g);
        sheet_text(g, "configurations asked for by the strategy itself");
        for (size_t i = 1; names[i]; i++)
            sheet_text(g, "");
    }
    sheet_end(g);
}

// ---- kernels that were judged ------------------------------------------------------------------

static const char *missing_leaderboard(const struct page_set *s)
{
    return s->verdict_count > 0 ? NULL : "no verdicts were given: hone judge --json writes them";
}

static void grid_leaderboard(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"rank",     "candidate", "verdict", "score",
                                        "speed-up", "low",       "high",    "measured twice",
                                        "at",       "evidence",  NULL};
    sheet_head(g, names);
    for (size_t i = 0, rank = 0; i < s->verdict_count; i++) {
        const struct page_verdict *v = &s->verdicts[i];
        if (v->is_over)
            continue;
        sheet_row(g);
        if (v->is_right && !isnan(v->score))
            sheet_count(g, ++rank);
        else
            sheet_text(g, "");
        sheet_text(g, v->candidate);
        sheet_text(g, v->verdict);
        sheet_number(g, v->score);
        sheet_number(g, v->speedup);
        sheet_number(g, v->low);
        sheet_number(g, v->high);
        sheet_text(g, v->is_twice ? "yes" : "");
        sheet_text(g, v->at);
        char same[256];
        str_format(same, sizeof same, "the code of %s", v->same_as);
        sheet_text(g, v->evidence[0] ? v->evidence : v->same_as[0] ? same : "");
    }
    sheet_end(g);
}

// ---- what they find --------------------------------------------------------------------------

static void tell_convergence(const struct page_set *s, struct text *out)
{
    const struct page_score *best = &s->scores[0];
    for (size_t i = 1; i < s->score_count; i++)
        best = s->scores[i].score > best->score ? &s->scores[i] : best;
    text_addf(out, "The highest score is %s's, %.3g", best->strategy, best->score);
    if (!isnan(best->low))
        text_addf(out, " [%.3g .. %.3g]", best->low, best->high);
    text_add(out, ".");
}

static void tell_deployed(const struct page_set *s, struct text *out)
{
    const struct page_deployed *worst = &s->deployed[0];
    size_t within = 0;
    for (size_t i = 0; i < s->deployed_count; i++) {
        worst = s->deployed[i].above_best > worst->above_best ? &s->deployed[i] : worst;
        within += s->deployed[i].above_best <= s->deployed_within;
    }
    text_addf(out, "At most %.3g %% above the best, at %s; %zu of %zu shapes are within %.3g %%.",
              100 * worst->above_best, worst->shape, within, s->deployed_count,
              100 * s->deployed_within);
}

static void tell_beginning(const struct page_set *s, struct text *out)
{
    const struct page_beginning *best = NULL;
    for (size_t i = 0; i < s->beginning_count; i++) {
        const struct page_beginning *b = &s->beginnings[i];
        if (!isnan(b->ratio) && (!best || b->ratio < best->ratio))
            best = b;
    }
    if (best)
        text_addf(out, "The best start, %s, takes %.3g times as long as the tune's best.",
                  best->name, best->ratio);
}

static void tell_leaderboard(const struct page_set *s, struct text *out)
{
    const struct page_verdict *best = NULL;
    size_t right = 0, count = 0;
    for (size_t i = 0; i < s->verdict_count; i++) {
        const struct page_verdict *v = &s->verdicts[i];
        if (v->is_over)
            continue;
        count++;
        right += v->is_right;
        if (v->is_right && !isnan(v->score) && (!best || v->score > best->score))
            best = v;
    }
    text_addf(out, "%zu of %zu candidates are correct", right, count);
    if (best && best->score > 1)
        text_addf(out, "; %s leads, at least %.3g times as fast as the baseline", best->candidate,
                  best->score);
    else if (best)
        text_addf(out, "; %s leads, but is not shown to be faster than the baseline",
                  best->candidate);
    text_add(out, ".");
}

const struct view page_view_leaderboard = {
    VIEW("leaderboard", ANSWER, "Leaderboard",
         "hone judge's verdict on each kernel. The score is the lower end of the interval of "
         "the speed-up over the baseline, so noise raises no score; the intervals of one run "
         "hold jointly. A kernel that was judged several times counts by its lowest score.",
         missing_leaderboard, grid_leaderboard),
    .tell = tell_leaderboard};
const struct view page_view_beginning = {
    VIEW(
        "beginning", DATA, "What the search began with",
        "Configurations from start_with, and results from other devices, sizes and languages: what "
        "became of them, and how useful they were. For each source, the best of its three best "
        "here is compared with the tune's best; 1 is the best itself. If both were ranked, the "
        "ratio is from the interleaved rounds, else from times measured alone (screened).",
        missing_beginning, grid_beginning),
    .tell = tell_beginning};
const struct view page_view_convergence = {
    VIEW("convergence", SEARCH, "Strategies",
         "hone score's result: the progress of each strategy over its budget, between random "
         "search (0) and the optimum (1), as a mean over seeds.",
         missing_convergence, grid_convergence),
    .tell = tell_convergence, .draw = draw_convergence};
const struct view page_view_deployed = {
    VIEW("deployed", ANSWER, "A deployed table",
         "What hone deploy's table costs at each measured shape, compared with the best found "
         "for that shape.",
         missing_deployed, grid_deployed),
    .tell = tell_deployed, .draw = draw_deployed};
