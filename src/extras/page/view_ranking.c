// The finalists: how far each is behind the winner, with the intervals that decided, and what each round measured.
#include "extras/page/view.h"

#include "stats/rules.h"

static const char *missing_ranking(const struct page_set *s)
{
    return s->ranking.count > 0 ? NULL
           : s->is_recorded     ? "recorded by another tool: nothing was ranked"
                            : "nothing was ranked: times of configurations measured alone decide";
}

static size_t count_placed(const struct best_ranking *r)
{
    size_t n = 0;
    while (n < r->count && r->finalists[n].placed)
        n++;
    return n;
}

// The n-th part of "a=1, b=2"; its length in *length, 0 behind the last.
static const char *part_of(const char *configuration, size_t n, size_t *length)
{
    const char *at = configuration;
    for (; n > 0 && at; n--) {
        at = strstr(at, ", ");
        at = at ? at + 2 : NULL;
    }
    const char *end = at ? strstr(at, ", ") : NULL;
    *length = !at ? 0 : end ? (size_t)(end - at) : strlen(at);
    return at;
}

// The configuration without what all finalists have.
static void short_name(const struct best_ranking *k, size_t of, struct text *out)
{
    size_t length;
    for (size_t n = 0;; n++) {
        const char *part = part_of(k->finalists[of].configuration, n, &length);
        bool is_common = true;
        if (length == 0)
            break;
        for (size_t i = 0; i < k->count && is_common; i++) {
            size_t its;
            const char *other = part_of(k->finalists[i].configuration, n, &its);
            is_common = its == length && memcmp(other, part, its) == 0;
        }
        if (is_common)
            continue;
        text_add(out, out->length ? ", " : "");
        text_addn(out, part, length);
    }
}

// Names of the placed finalists, without what all have; the caller's. NULL: out of memory.
static struct text *finalist_names(const struct best_ranking *k, size_t count, const char ***list)
{
    struct text *names = calloc(count + 1, sizeof *names);
    *list = calloc(count + 1, sizeof(char *));
    for (size_t i = 0; names && *list && i < count; i++) {
        short_name(k, i, &names[i]);
        (*list)[i] = text_cstr(&names[i]);
    }
    return names;
}

static void release_names(struct text *names, size_t count, const char **list)
{
    for (size_t i = 0; names && i < count; i++)
        text_release(&names[i]);
    free(names);
    free(list);
}

// Where the axis ends: what is a little behind matters, and one that is far behind does not press the others together.
static double last_ratio(const struct best_ranking *k, size_t count)
{
    double *ratios = calloc(count + 1, sizeof *ratios), most = 1, limit = 1.05;
    for (size_t i = 0; ratios && i < count; i++)
        ratios[i] = k->finalists[i].entry.ratio;
    if (ratios && count > 0) {
        qsort(ratios, count, sizeof *ratios, stats_compare_double);
        limit = fmax(limit, 1 + 2.5 * (ratios[count / 2] - 1));
    }
    free(ratios);
    for (size_t i = 0; i < count; i++) {
        const struct ranking_entry *e = &k->finalists[i].entry;
        if (e->ratio <= limit)
            most = fmax(most, fmax(e->ratio, e->ratio_interval ? e->ratio_high : 1));
    }
    return fmin(most, limit + (limit - 1));
}

// An arrow at the edge, with the number that it points to.
static void draw_beyond(const struct picture *p, const char *kind, double y, double ratio)
{
    char number[32];
    double at = picture_y(p, y);
    str_format(number, sizeof number, "%.3gx", ratio);
    text_addf(p->out, "<path class=\"line beyond %s\" d=\"M", kind);
    put_coordinate(p->right - 22, p->out);
    text_addc(p->out, ' ');
    put_coordinate(at, p->out);
    text_add(p->out, "h16m-6 -4l6 4l-6 4\"/>");
    picture_text(p, "note", p->right - 28, at + 4, "end", number);
}

static void draw_finalist(const struct picture *p, const struct best_finalist *f, double y)
{
    const char *kind = f->chosen ? "best" : f->is_default ? "default" : "correct";
    const struct ranking_entry *e = &f->entry;
    char classes[48];
    if (e->ratio > p->x.high) {
        draw_beyond(p, kind, y, e->ratio);
        return;
    }
    if (e->ratio_interval)
        picture_segment(p, kind, fmax(e->ratio_low, p->x.low), y, fmin(e->ratio_high, p->x.high),
                        y);
    str_format(classes, sizeof classes, "large %s", kind);
    picture_points(p, classes, &(struct mark){e->ratio, y}, 1);
}

// Rows from the top; the winner first. What is tied is shaded, up to where its intervals end.
static void draw_finalists(const struct page_set *s, const struct canvas *at, struct text *out)
{
    const struct best_ranking *k = &s->ranking;
    size_t count = count_placed(k);
    struct picture p;
    struct picture_rows rows;
    struct text about = TEXT_INIT;
    const char **list;
    struct text *names = finalist_names(k, count, &list);
    double low = 1, tied = 1;
    out->failed |= !names || !list;
    if (out->failed) {
        release_names(names, count, list);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct ranking_entry *e = &k->finalists[i].entry;
        low = e->ratio_interval ? fmin(low, e->ratio_low) : low;
        if (i < k->tied && e->ratio_interval)
            tied = fmax(tied, e->ratio_high);
    }
    text_addf(&about, "%zu finalists in %u rounds; %zu tied with the winner.", k->count, k->rounds,
              k->tied);
    double high = last_ratio(k, count), room = fmax(0.03 * (high - 1), 0.002);
    const struct picture_list picture = {
        .title = "Finalists: time over the winner's",
        .description = text_cstr(&about),
        .names = list,
        .count = count,
        .least = 22,
        .x = {.low = fmin(low, 1) - room,
              .high = high + room,
              .title = "times as long as the winner, within rounds"}};
    picture_begin_rows(&p, &rows, out, at, &picture);
    if (k->tied > 1)
        picture_box(&p, "tied", fmax(low, p.x.low), 0, fmin(tied, p.x.high), (double)k->tied,
                    "tied with the winner");
    picture_segment(&p, "hair", 1, NAN, 1, NAN);
    for (size_t i = 0; i < count; i++) {
        page_put_row_hit(&p, i, s->finalist_rows ? s->finalist_rows[i] : SIZE_MAX);
        draw_finalist(&p, &k->finalists[i], (double)i + rows.middle);
        picture_row_name(&p, &rows, i, list[i]);
    }
    static const struct legend legend[] = {{"large best", "chosen", false},
                                           {"large correct", "finalist", false},
                                           {"large default", "default", false}};
    picture_legend(&p, legend, 3);
    picture_end(&p);
    text_release(&about);
    release_names(names, count, list);
}

static void grid_finalists(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"place",      "configuration", "median", "low",
                                        "high",       "rounds",        "ratio",  "ratio low",
                                        "ratio high", "tied",          "note",   NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < s->ranking.count; i++) {
        const struct best_finalist *f = &s->ranking.finalists[i];
        const struct ranking_entry *n = &f->entry;
        sheet_row(g);
        sheet_number(g, !f->placed ? NAN : n->tied ? 1 : (double)n->place + 1);
        sheet_text(g, f->configuration);
        sheet_time(g, f->stats.median);
        sheet_time(g, f->stats.interval ? f->stats.low : NAN);
        sheet_time(g, f->stats.interval ? f->stats.high : NAN);
        sheet_count(g, f->count);
        sheet_number(g, f->placed ? n->ratio : NAN);
        sheet_number(g, f->placed && n->ratio_interval ? n->ratio_low : NAN);
        sheet_number(g, f->placed && n->ratio_interval ? n->ratio_high : NAN);
        sheet_text(g, f->placed && n->tied ? "tied" : "");
        sheet_text(g, f->chosen && f->is_default ? "chosen, default"
                      : f->chosen                ? "chosen"
                      : f->is_default            ? "default"
                                                 : "");
    }
    sheet_end(g);
}

// A line for each finalist over the rounds; the slower ones fainter.
static void draw_rounds(const struct page_set *s, const struct canvas *at, struct text *out)
{
    const struct best_ranking *k = &s->ranking;
    struct picture p;
    double least = INFINITY, most = 0;
    uint32_t rounds = 1;
    for (size_t i = 0; i < k->count; i++) {
        const struct best_finalist *f = &k->finalists[i];
        for (uint32_t r = 0; r < f->count; r++) {
            least = fmin(least, (double)f->samples[r]);
            most = fmax(most, (double)f->samples[r]);
        }
        rounds = f->first_round + f->count > rounds ? f->first_round + f->count : rounds;
    }
    struct mark *marks = calloc(rounds + (size_t)1, sizeof *marks);
    out->failed |= !marks;
    if (!marks)
        return;
    picture_begin(&p, out, at, 760, 320, "What each round measured",
                  "One line per finalist over the interleaved rounds: movements that all lines "
                  "share come from the machine.");
    p.x = (struct axis){.low = 0.5, .high = rounds + 0.5, .title = "round", .is_count = true};
    p.y = (struct axis){.title = "time", .is_time = true};
    axis_fit(&p.y, least, most);
    picture_axes(&p);
    for (size_t i = k->count; i-- > 0;) {
        const struct best_finalist *f = &k->finalists[i];
        const char *kind = f->chosen                    ? "best"
                           : f->is_default              ? "default"
                           : f->placed && f->entry.tied ? "correct"
                                                        : "wire";
        for (uint32_t r = 0; r < f->count; r++)
            marks[r] = (struct mark){f->first_round + r + 1, (double)f->samples[r]};
        picture_line(&p, kind, marks, f->count, false);
        picture_points(&p, kind, marks, f->count);
    }
    static const struct legend legend[] = {{"best", "chosen", true},
                                           {"correct", "tied", true},
                                           {"wire", "slower", true},
                                           {"default", "default", true}};
    picture_legend(&p, legend, 4);
    picture_end(&p);
    free(marks);
}

static void grid_rounds(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"configuration", "round", "time", NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < s->ranking.count; i++) {
        const struct best_finalist *f = &s->ranking.finalists[i];
        for (uint32_t r = 0; r < f->count; r++) {
            sheet_row(g);
            sheet_text(g, f->configuration);
            sheet_count(g, f->first_round + r + 1);
            sheet_time(g, (double)f->samples[r]);
        }
    }
    sheet_end(g);
}

// ---- what they find --------------------------------------------------------------------------

static void tell_finalists(const struct page_set *s, struct text *out)
{
    const struct best_ranking *k = &s->ranking;
    size_t next = k->tied, placed = count_placed(k);
    if (k->tied > 1)
        text_addf(out, "%zu of %zu finalists are tied", k->tied, k->count);
    else
        text_addf(out, "The winner is distinguishable from all %zu others", k->count - 1);
    if (next < placed) {
        const struct ranking_entry *e = &k->finalists[next].entry;
        text_addf(out, "; the next takes %.3g times as long", e->ratio);
        if (e->ratio_interval)
            text_addf(out, ", at least %.3g times", e->ratio_low);
    }
    text_add(out, ".");
    for (size_t i = 0; i < placed; i++) {
        if (k->finalists[i].is_default && !k->finalists[i].chosen)
            text_addf(out, " The default takes %.3g times as long as the winner.",
                      k->finalists[i].entry.ratio);
    }
}

static void tell_rounds(const struct page_set *s, struct text *out)
{
    const double rule = measure_rules_default().disturbed;
    uint32_t disturbed = page_disturbed_rounds(&s->ranking, rule);
    if (disturbed > 0)
        text_addf(out, "In %u of %u rounds most finalists took %g times their usual or longer.",
                  disturbed, s->ranking.rounds, rule);
    else
        text_addf(out, "None of the %u rounds was slower than the others for most finalists.",
                  s->ranking.rounds);
}

const struct view page_view_finalists = {
    VIEW("finalists", ANSWER, "The finalists",
         "Finalists were launched in interleaved rounds. A point shows how many times as long as "
         "the winner a finalist takes, its line the interval that decided (all intervals hold "
         "jointly at the ranking's level). Finalists in the shaded area cannot be distinguished "
         "from the winner: they are tied, and the one with the fewest resources was chosen.",
         missing_ranking, grid_finalists),
    .tell = tell_finalists, .draw = draw_finalists};

const struct view page_view_rounds = {
    VIEW("rounds", ANSWER, "Drift over the rounds",
         "The time of each finalist in each round. Movements that all lines share come from "
         "the machine and do not count: finalists are compared within rounds.",
         missing_ranking, grid_rounds),
    .is_folded = true, .tell = tell_rounds, .draw = draw_rounds, .rows = 1};
