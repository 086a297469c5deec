// The finalists: how far each is behind the winner, with the intervals that decided, and what each round measured.
#include "extras/page/view.h"

#include "stats/rules.h"

static const char *missing_ranking(const struct page_set *s)
{
    return s->ranking.count > 0 ? NULL
           : s->is_recorded     ? "others recorded it: nothing was ranked"
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

enum { NAME_MOST = 57, NAME_LINE = 13 }; // characters of a line; its height

// The length of the first line of a name, whose lines end behind a comma, and are as long as fits; 0 at its end.
static size_t name_line(const char *name)
{
    size_t length = strlen(name), end = NAME_MOST;
    if (length <= NAME_MOST)
        return length;
    while (end > 0 && !(name[end - 1] == ' ' && name[end] != '\0'))
        end--;
    return end ? end : NAME_MOST;
}

static size_t name_lines(const char *name)
{
    size_t lines = 0, length;
    for (; (length = name_line(name)) > 0; name += length)
        lines++;
    return lines;
}

static void draw_name(const struct picture *p, double y, const char *name)
{
    double at = picture_y(p, y) + 4 - 0.5 * NAME_LINE * ((double)name_lines(name) - 1);
    for (size_t length, row = 0; (length = name_line(name)) > 0; name += length, row++) {
        char line[NAME_MOST + 1];
        str_format(line, length + 1, "%s", name);
        picture_text(p, "note", p->left - 8, at + NAME_LINE * (double)row, "end", line);
    }
}

// Rows from the top; the winner first.
static void draw_finalists(const struct page_set *s, const char *id, struct text *out)
{
    const struct best_ranking *k = &s->ranking;
    size_t count = count_placed(k), longest = 0, lines = 1;
    struct picture p;
    struct text about = TEXT_INIT;
    double high = 1, low = 1;
    for (size_t i = 0; i < count; i++) {
        high = fmax(high, fmax(k->finalists[i].entry.ratio, k->finalists[i].entry.ratio_high));
        low = fmin(low, k->finalists[i].entry.ratio_low);
        struct text name = TEXT_INIT;
        short_name(k, i, &name);
        longest = name.length > longest ? name.length : longest;
        size_t its = name_lines(text_cstr(&name));
        lines = its > lines ? its : lines;
        text_release(&name);
    }
    text_addf(&about, "%zu finalists in %u rounds; %zu tied with the winner.", k->count, k->rounds,
              k->tied);
    picture_begin(&p, out, id, 760, 96 + (7.0 + NAME_LINE * (double)lines) * (double)count,
                  "Finalists: time over the winner's", text_cstr(&about));
    p.left = page_name_room(longest < NAME_MOST ? longest : NAME_MOST);
    bool is_wide = high > 4;
    p.x = (struct axis){.kind = is_wide ? AXIS_LOG : AXIS_LINEAR,
                        .low = fmin(low, 1) * 0.995,
                        .high = high * 1.02,
                        .title = "times as long as the winner, within rounds"};
    p.y = (struct axis){.low = (double)count, .high = 0};
    picture_axes(&(struct picture){.out = p.out,
                                   .width = p.width,
                                   .height = p.height,
                                   .left = p.left,
                                   .right = p.right,
                                   .top = p.top,
                                   .bottom = p.bottom,
                                   .x = p.x,
                                   .y = {.kind = AXIS_NAMES, .low = 0, .high = 0}});
    if (k->tied > 0)
        picture_box(&p, "tied", p.x.low, 0, p.x.high, (double)k->tied, "tied with the winner");
    picture_segment(&p, "hair", 1, NAN, 1, NAN);
    for (size_t i = 0; i < count; i++) {
        const struct best_finalist *f = &k->finalists[i];
        const char *kind = f->chosen ? "best" : f->is_default ? "default" : "correct";
        double y = (double)i + 0.5;
        struct mark at = {f->entry.ratio, y};
        char classes[48];
        struct text own = TEXT_INIT;
        if (f->entry.ratio_interval)
            picture_segment(&p, kind, f->entry.ratio_low, y, f->entry.ratio_high, y);
        str_format(classes, sizeof classes, "large %s", kind);
        picture_points(&p, classes, &at, 1);
        short_name(k, i, &own);
        draw_name(&p, y, text_cstr(&own));
        text_release(&own);
    }
    static const struct legend legend[] = {{"large best", "chosen", false},
                                           {"large correct", "finalist", false},
                                           {"large default", "default", false}};
    picture_legend(&p, legend, 3);
    picture_end(&p);
    text_release(&about);
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
static void draw_rounds(const struct page_set *s, const char *id, struct text *out)
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
    picture_begin(&p, out, id, 760, 320, "What each round measured",
                  "A line for each finalist over the rounds, in which all are interleaved: "
                  "what moves all lines alike is the machine.");
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
        text_addf(out, "The winner is told apart from all %zu others", k->count - 1);
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
        text_addf(out, "The machine was steady in all %u rounds.", s->ranking.rounds);
}

const struct view page_view_finalists = {
    .name = "finalists",
    .title = "The finalists",
    .about = "Finalists were launched in interleaved rounds. A point is how many times as long "
             "as the winner one takes, its "
             "line the interval that decided (all intervals hold together with the ranking's "
             "probability). Those in the shaded "
             "part were not told apart from the winner: they are tied, and the one with the fewest "
             "resources was chosen.",
    .part = PART_ANSWER,
    .tell = tell_finalists,
    .missing = missing_ranking,
    .draw = draw_finalists,
    .grid = grid_finalists,
};

const struct view page_view_rounds = {
    .name = "rounds",
    .title = "Drift over the rounds",
    .about = "The time of each finalist in each round. What moves all lines alike is the machine, "
             "and does not count: "
             "finalists are compared within rounds.",
    .part = PART_ANSWER,
    .is_folded = true,
    .tell = tell_rounds,
    .missing = missing_ranking,
    .draw = draw_rounds,
    .grid = grid_rounds,
    .rows = 1,
};
