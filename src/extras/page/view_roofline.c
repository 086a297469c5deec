// The roofline: arithmetic over intensity (FLOP for each byte), below what the device was measured to do at most (hone peak).
// Both come from metrics of the spec, one of FLOP a second and one of bytes a second.
#include "extras/page/view.h"

#include "report/peak_report.h"

struct roofline {
    uint32_t flops, bytes; // metrics
    struct peak_share flop, byte;
};

static const char *find_roofline(const struct page_set *s, struct roofline *r)
{
    *r = (struct roofline){.flops = UINT32_MAX, .bytes = UINT32_MAX};
    struct peak_share share;
    if (!s->peak.rates[PEAK_FP32].known ||
        !(s->peak.rates[PEAK_READ].known || s->peak.rates[PEAK_COPY].known))
        return "the device's limits were not measured; hone peak does that";
    for (uint32_t i = 0; i < s->metric_count; i++) {
        if (!peak_share(&s->peak, s->metrics[i], 1, &share))
            continue;
        if (share.limit == PEAK_FP32 && r->flops == UINT32_MAX) {
            r->flops = i;
            r->flop = share;
        } else if (share.limit != PEAK_FP32 && r->bytes == UINT32_MAX) {
            r->bytes = i;
            r->byte = share;
        }
    }
    if (r->flops == UINT32_MAX || r->bytes == UINT32_MAX)
        return "the spec lacks a metric in FLOP/s and one in B/s, whose quotient is the intensity";
    return page_no_times(s);
}

static const char *missing_roofline(const struct page_set *s)
{
    struct roofline r;
    return find_roofline(s, &r);
}

// x: FLOP for each byte, y: the metric of FLOP a second. False: the row has no value of both.
static bool place_on_roofline(const struct page_row *r, const struct roofline *l, struct mark *out)
{
    if (!r->timed || !r->metrics)
        return false;
    double flops = r->metrics[l->flops], bytes = r->metrics[l->bytes];
    *out = (struct mark){flops * l->flop.scale / (bytes * l->byte.scale), flops};
    return isfinite(out->x) && out->x > 0 && out->y > 0;
}

static size_t roofline_marks(const struct page_set *s, const struct roofline *l, bool ranked,
                             struct mark *marks)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].ranked == ranked)
            count += place_on_roofline(&s->rows[i], l, &marks[count]);
    }
    return count;
}

static void draw_roofline(const struct page_set *s, const struct canvas *at, struct text *out)
{
    struct roofline l;
    struct picture p;
    struct mark *marks = calloc(s->count + 1, sizeof *marks), m;
    out->failed |= !marks || find_roofline(s, &l) != NULL;
    if (out->failed) {
        free(marks);
        return;
    }
    double top = s->peak.rates[PEAK_FP32].median / l.flop.scale;
    double slope = s->peak.rates[l.byte.limit].median / l.flop.scale; // for each FLOP/byte
    double ridge = top / slope, least = top, low = ridge, high = ridge;
    for (size_t i = 0; i < s->count; i++) {
        if (!place_on_roofline(&s->rows[i], &l, &m))
            continue;
        least = fmin(least, m.y);
        low = fmin(low, m.x);
        high = fmax(high, m.x);
    }
    picture_begin(&p, out, at, 760, 400, "Roofline",
                  "One point per configuration, below the device's measured memory bandwidth (the "
                  "slope) and arithmetic rate (the level).");
    p.x = (struct axis){
        .kind = AXIS_LOG, .low = low / 4, .high = high * 4, .title = "FLOP for each byte"};
    p.y = (struct axis){.kind = AXIS_LOG,
                        .low = fmin(least, slope * p.x.low) / 1.5,
                        .high = top * 2,
                        .title = s->metrics[l.flops]};
    picture_axes(&p);
    const struct mark roof[] = {{p.x.low, slope * p.x.low}, {ridge, top}, {p.x.high, top}};
    picture_line(&p, "peak", roof, 3, false);
    picture_text(&p, "note halo", p.right - 4, picture_y(&p, top) - 6, "end",
                 peak_limit_title(PEAK_FP32));
    picture_text(&p, "note halo", picture_x(&p, p.x.low) + 6, picture_y(&p, slope * p.x.low) - 14,
                 "start", peak_limit_title(l.byte.limit));
    page_draw_points(&p, "correct", marks, roofline_marks(s, &l, false, marks));
    page_draw_points(&p, "ranked", marks, roofline_marks(s, &l, true, marks));
    if (s->best != SIZE_MAX && place_on_roofline(&s->rows[s->best], &l, &m))
        picture_points(&p, "large best", &m, 1);
    static const struct legend legend[] = {{"large best", "the answer", false},
                                           {"correct", "measured alone", false},
                                           {"ranked", "ranked", false},
                                           {"peak", "the device's measured peak", true}};
    picture_legend(&p, legend, 4);
    picture_end(&p);
    free(marks);
}

static void grid_roofline(const struct page_set *s, struct sheet *g)
{
    struct roofline l;
    if (find_roofline(s, &l))
        return;
    const char *const names[] = {"configuration",
                                 "basis",
                                 "FLOP for each byte",
                                 s->metrics[l.flops],
                                 s->metrics[l.bytes],
                                 "share of the roof",
                                 NULL};
    double top = s->peak.rates[PEAK_FP32].median / l.flop.scale;
    double slope = s->peak.rates[l.byte.limit].median / l.flop.scale;
    sheet_head(g, names);
    for (size_t i = 0; i < s->timed; i++) {
        const struct page_row *r = &s->rows[s->fastest[i]];
        struct mark m;
        if (!place_on_roofline(r, &l, &m))
            continue;
        sheet_row(g);
        page_grid_configuration(s, r, g);
        sheet_text(g, r->ranked ? "ranked" : "screened");
        sheet_number(g, m.x);
        sheet_number(g, r->metrics[l.flops]);
        sheet_number(g, r->metrics[l.bytes]);
        sheet_share(g, m.y / fmin(top, slope * m.x));
    }
    sheet_end(g);
}

// ---- what they find --------------------------------------------------------------------------

static void tell_roofline(const struct page_set *s, struct text *out)
{
    struct roofline l;
    struct mark m;
    if (find_roofline(s, &l) || s->best == SIZE_MAX ||
        !place_on_roofline(&s->rows[s->best], &l, &m))
        return;
    double top = s->peak.rates[PEAK_FP32].median / l.flop.scale;
    double slope = s->peak.rates[l.byte.limit].median / l.flop.scale;
    bool by_memory = slope * m.x < top;
    text_addf(out,
              "The answer reaches %.3g %% of its roof, which is %s at %.3g FLOP for each byte.",
              100 * m.y / fmin(top, slope * m.x), by_memory ? "memory" : "arithmetic", m.x);
}

const struct view page_view_roofline = {
    VIEW("roofline", SEARCH, "Roofline",
         "How close each configuration comes to the device's measured limits (hone peak), over "
         "its intensity: the quotient of the spec's metrics in FLOP/s and B/s.",
         missing_roofline, grid_roofline),
    .tell = tell_roofline, .draw = draw_roofline};
