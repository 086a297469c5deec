// How a search went: every configuration in the order of measuring, over evaluations and over time.
#include "extras/page/view.h"
#include "report/peak_report.h"

enum { LANE = 15 }; // height of a lane for each status that has no time, and for builds

struct course {
    const struct page_set *s;
    struct picture picture;
    struct mark *marks;
    bool by_clock;
};

static double moment(const struct course *c, size_t i)
{
    return c->by_clock ? c->s->rows[i].at : (double)(i + 1);
}

static void draw_timed(struct course *c)
{
    size_t count = 0;
    const struct page_set *s = c->s;
    for (size_t i = 0; i < s->count; i++) {
        const struct page_row *r = &s->rows[i];
        if (r->timed && !(r->ranked && isnan(r->screened)))
            c->marks[count++] = (struct mark){moment(c, i), page_screened(r)};
    }
    page_draw_points(&c->picture, "correct", c->marks, count);
    count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].ranked)
            c->marks[count++] =
                (struct mark){c->by_clock ? s->rows[i].ranked_at : moment(c, i), s->rows[i].median};
    }
    page_draw_points(&c->picture, "ranked", c->marks, count);
}

// The least of what was measured alone so far.
static void draw_running_best(struct course *c)
{
    size_t count = 0;
    double best = INFINITY;
    const struct page_set *s = c->s;
    for (size_t i = 0; i < s->count; i++) {
        const struct page_row *r = &s->rows[i];
        double t = page_screened(r);
        if (!r->timed || (r->ranked && isnan(r->screened)) || t >= best)
            continue;
        best = t;
        c->marks[count++] = (struct mark){moment(c, i), t};
    }
    if (count > 0)
        c->marks[count] = (struct mark){c->picture.x.high, best};
    picture_line(&c->picture, "best", c->marks, count ? count + 1 : 0, true);
}

static size_t count_lanes(const struct page_set *s)
{
    size_t lanes = 0;
    for (int status = STATUS_CORRECT + 1; status < STATUS_COUNT; status++)
        lanes += s->by_status[status] > 0;
    return lanes;
}

static bool has_builds(const struct course *c)
{
    bool any = false;
    for (size_t i = 0; c->by_clock && i < c->s->count && !any; i++)
        any = c->s->rows[i].build_ns > 0;
    return any && c->s->count <= PAGE_POINTS_MOST / 2;
}

static void name_lane(const struct page_set *s, int status, char name[48])
{
    str_format(name, 48, "%s (%zu)", status_text((enum status)status), s->by_status[status]);
}

// The room that the names of the lanes need at the left of the frame.
static double lane_room(const struct course *c)
{
    double room = has_builds(c) ? picture_text_width("builds") + 16 : 0;
    for (int status = STATUS_CORRECT + 1; status < STATUS_COUNT; status++) {
        char name[48];
        name_lane(c->s, status, name);
        if (c->s->by_status[status] > 0)
            room = fmax(room, picture_text_width(name) + 16);
    }
    return room;
}

// Above the frame, from the bottom; `p` gets its edges.
static void begin_lane(const struct course *c, size_t lane, const char *name, struct picture *p)
{
    *p = c->picture;
    p->top = c->picture.top - 6 - (double)(LANE * (lane + 1));
    p->bottom = p->top + LANE;
    p->y = (struct axis){.kind = AXIS_LINEAR, .low = 0, .high = 1};
    picture_text(p, "note", p->left - 6, p->bottom - 3, "end", name);
}

// A build is drawn as long as it took, up to its result: its start was not recorded.
static void draw_builds(const struct course *c)
{
    struct picture p;
    const struct page_set *s = c->s;
    begin_lane(c, count_lanes(s), "builds", &p);
    text_add(p.out, "<path class=\"line correct\" d=\"");
    for (size_t i = 0; i < s->count; i++) {
        const struct page_row *r = &s->rows[i];
        if (!(r->build_ns > 0))
            continue;
        double to = picture_x(&p, r->at), from = picture_x(&p, fmax(r->at - r->build_ns / 1e9, 0));
        text_addc(p.out, 'M');
        put_coordinate(from, p.out);
        text_addc(p.out, ' ');
        put_coordinate(p.top + LANE * (0.15 + 0.175 * (double)(i % 5)), p.out);
        text_addc(p.out, 'h');
        put_coordinate(fmax(to - from, 0.5), p.out);
    }
    text_add(p.out, "\"/>\n");
}

// Configurations without a time are in a lane of their status above the frame.
static void draw_failures(struct course *c)
{
    size_t lane = 0;
    const struct page_set *s = c->s;
    struct picture p;
    char name[48];
    for (int status = STATUS_CORRECT + 1; status < STATUS_COUNT; status++) {
        size_t count = 0;
        if (s->by_status[status] == 0)
            continue;
        name_lane(s, status, name);
        begin_lane(c, lane, name, &p);
        for (size_t i = 0; i < s->count; i++) {
            if ((int)s->rows[i].status == status)
                c->marks[count++] = (struct mark){moment(c, i), 0.5};
        }
        if (count > PAGE_POINTS_MOST / 2)
            picture_density(&p, status_text((enum status)status), c->marks, count);
        else
            picture_points(&p, status_text((enum status)status), c->marks, count);
        lane++;
    }
}

// The answer's time if it reached the device's measured limit; NaN: not known, below a twentieth of
// its time, or the answer is beyond the limit.
static double peak_time(const struct page_set *s)
{
    struct peak_share share;
    double most = 0;
    const struct page_row *best = s->best != SIZE_MAX ? &s->rows[s->best] : NULL;
    for (uint32_t i = 0; best && best->timed && best->metrics && i < s->metric_count; i++) {
        if (!isnan(best->metrics[i]) &&
            peak_share(&s->peak, s->metrics[i], best->metrics[i], &share))
            most = fmax(most, share.share);
    }
    return best && most >= 0.05 && most <= 1 ? best->median * most : NAN;
}

static void draw_legend(const struct course *c)
{
    struct legend entries[6];
    size_t n = 0;
    const struct page_set *s = c->s;
    entries[n++] = (struct legend){"correct", s->is_recorded ? "correct" : "screened", false};
    if (s->ranking.count > 0)
        entries[n++] = (struct legend){"ranked", "ranked", false};
    entries[n++] = (struct legend){"best", "best so far", true};
    if (s->usual != SIZE_MAX && s->rows[s->usual].timed)
        entries[n++] = (struct legend){"default", "default", true};
    if (!isnan(peak_time(s)))
        entries[n++] = (struct legend){"peak", "the device's measured peak", true};
    picture_legend(&c->picture, entries, n);
}

static void fit_times(const struct page_set *s, struct axis *a)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct page_row *r = &s->rows[i];
        if (!r->timed)
            continue;
        least = fmin(least, fmin(page_screened(r), r->median));
        most = fmax(most, fmax(page_screened(r), r->median));
    }
    *a = (struct axis){.title = "time", .is_time = true};
    axis_fit(a, fmin(least, peak_time(s)), most);
}

static void describe_course(const struct page_set *s, struct text *out)
{
    char best[32] = "none";
    if (s->timed)
        duration_to_str(s->rows[s->fastest[0]].median, best);
    text_addf(out, "%zu configurations, %zu with a time; the least is %s.", s->count, s->timed,
              best);
}

static void draw_course(const struct page_set *s, const struct canvas *at, bool by_clock,
                        struct text *out)
{
    struct text about = TEXT_INIT;
    struct course c = {
        .s = s, .by_clock = by_clock, .marks = calloc(s->count + 2, sizeof *c.marks)};
    out->failed |= !c.marks;
    if (!c.marks)
        return;
    describe_course(s, &about);
    picture_begin(&c.picture, out, at, 760, 360,
                  by_clock ? "Every configuration over time" : "Every configuration in order",
                  text_cstr(&about));
    size_t lanes = count_lanes(s) + has_builds(&c);
    c.picture.top += LANE * (double)lanes + (lanes ? 6 : 0);
    c.picture.left = fmax(c.picture.left, lane_room(&c));
    double last = by_clock ? 0 : (double)s->count;
    for (size_t i = 0; by_clock && i < s->count; i++) {
        last = fmax(last, s->rows[i].at);
        last = s->rows[i].ranked ? fmax(last, s->rows[i].ranked_at) : last;
    }
    c.picture.x = (struct axis){.low = 0,
                                .high = last > 0 ? last * 1.01 : 1,
                                .title = by_clock ? "seconds since the first result" : "evaluation",
                                .is_count = !by_clock};
    fit_times(s, &c.picture.y);
    picture_axes(&c.picture);
    draw_timed(&c);
    draw_running_best(&c);
    if (s->usual != SIZE_MAX && s->rows[s->usual].timed)
        picture_segment(&c.picture, "default", NAN, page_screened(&s->rows[s->usual]), NAN,
                        page_screened(&s->rows[s->usual]));
    if (!isnan(peak_time(s)))
        picture_segment(&c.picture, "peak", NAN, peak_time(s), NAN, peak_time(s));
    draw_failures(&c);
    if (has_builds(&c))
        draw_builds(&c);
    draw_legend(&c);
    picture_end(&c.picture);
    free(c.marks);
    text_release(&about);
}

static void draw_evaluations(const struct page_set *s, const struct canvas *at, struct text *out)
{
    draw_course(s, at, false, out);
}

static void draw_clock(const struct page_set *s, const struct canvas *at, struct text *out)
{
    draw_course(s, at, true, out);
}

static void grid_course(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"evaluation", "seconds", "configuration", "status",
                                        "screened",   "ranked",  "build",         NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < s->count; i++) {
        const struct page_row *r = &s->rows[i];
        sheet_row(g);
        sheet_count(g, i + 1);
        sheet_number(g, r->at);
        page_grid_configuration(s, r, g);
        sheet_text(g, status_text(r->status));
        sheet_time(g, r->ranked ? r->screened : r->timed ? r->median : NAN);
        sheet_time(g, r->ranked ? r->median : NAN);
        sheet_time(g, r->build_ns);
    }
    sheet_end(g);
}

static const char *missing_clock(const struct page_set *s)
{
    double last = 0;
    for (size_t i = 0; i < s->count; i++)
        last = s->rows[i].at > last ? s->rows[i].at : last;
    return s->timed == 0 ? page_no_times(s)
           : last > 0    ? NULL
                         : "the recording does not say when each configuration was measured";
}

// ---- what they find --------------------------------------------------------------------------

// Where the shortest time that was measured alone came, from 0 on; SIZE_MAX: there is none.
static size_t least_row(const struct page_set *s)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].timed &&
            (best == SIZE_MAX || page_screened(&s->rows[i]) < page_screened(&s->rows[best])))
            best = i;
    }
    return best;
}

static void tell_course(const struct page_set *s, struct text *out)
{
    char time[32];
    size_t at = least_row(s);
    if (at == SIZE_MAX)
        return;
    duration_to_str(page_screened(&s->rows[at]), time);
    text_addf(out, "The shortest time, %s, came with configuration %zu of %zu", time, at + 1,
              s->count);
    text_add(out, s->is_recorded ? " in the file." : ".");
}

static void tell_clock(const struct page_set *s, struct text *out)
{
    double last = 0, builds = 0;
    size_t at = least_row(s);
    for (size_t i = 0; i < s->count; i++) {
        last = fmax(last, s->rows[i].at);
        builds += s->rows[i].build_ns > 0 ? s->rows[i].build_ns / 1e9 : 0;
    }
    if (at == SIZE_MAX || !(last > 0))
        return;
    text_addf(out, "The shortest time was found %.3g s after the first result, of %.3g s.",
              s->rows[at].at, last);
    if (builds > 0)
        text_addf(out, " Builds took %.3g s in all.", builds);
}

const struct view page_view_evaluations = {
    VIEW(
        "evaluations", SEARCH, "The search, configuration by configuration",
        "Every configuration in the order measured. Failures are above the frame, one lane per "
        "status; the line is the best so far among times measured alone. Ranked times (interleaved "
        "finalists) have their own colour: they are not comparable with screened ones.",
        page_no_times, grid_course),
    .tell = tell_course, .draw = draw_evaluations, .rows = 1};

const struct view page_view_time = {
    VIEW("time", SEARCH, "The search over time",
         "The same over wall-clock time. The finalists' ranked times appear when they were "
         "ranked. Each build is a line from its start to its result.",
         missing_clock, grid_course),
    .is_folded = true, .tell = tell_clock, .draw = draw_clock, .rows = 1};
