// The roofline: arithmetic over intensity (FLOP for each byte), below what the device was measured to do at most (hone peak).
// Both come from metrics of the spec, one of FLOP a second and one of bytes a second, or from what was counted of a launch.
#include "extras/page/view.h"

#include "report/peak_report.h"

struct roofline {
    uint32_t flops, bytes; // metrics; UINT32_MAX: rates follow from counts
    struct peak_share flop, byte;
    const char *flops_name, *bytes_name;
};

struct rates {
    double flops, bytes; // in the units of the names
};

// Finds rates by what a simulator counted: bytes are those that the kernel's instructions ask for.
static bool count_rates(const struct page_set *s, const struct page_row *r, struct rates *out)
{
    for (size_t i = 0; i < s->detail_count; i++) {
        const struct counters *c = s->details[i].counters;
        if (&s->rows[s->details[i].row] != r || !c)
            continue;
        *out = (struct rates){
            c->values[COUNTER_operations] / r->median,
            (c->values[COUNTER_requested_read_bytes] + c->values[COUNTER_requested_write_bytes]) /
                r->median};
        return out->flops > 0 && out->bytes > 0;
    }
    return false;
}

static bool rates_of(const struct page_set *s, const struct page_row *r, const struct roofline *l,
                     struct rates *out)
{
    if (!r->timed || (l->flops != UINT32_MAX && !r->metrics))
        return false;
    if (l->flops == UINT32_MAX)
        return count_rates(s, r, out);
    *out = (struct rates){r->metrics[l->flops], r->metrics[l->bytes]};
    return true;
}

static const char *find_counted(const struct page_set *s, struct roofline *r)
{
    struct rates ignored;
    bool any = false;
    *r = (struct roofline){UINT32_MAX, UINT32_MAX, .flops_name = "GFLOP/s", .bytes_name = "GB/s"};
    for (size_t i = 0; i < s->count && !any; i++)
        any = s->rows[i].timed && count_rates(s, &s->rows[i], &ignored);
    peak_share(&s->peak, r->flops_name, 1, &r->flop);
    peak_share(&s->peak, r->bytes_name, 1, &r->byte);
    return any ? NULL
               : "the spec lacks a metric in FLOP/s and one in B/s, whose quotient is the "
                 "intensity, and hone run --with counters counted neither";
}

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
        return find_counted(s, r);
    r->flops_name = s->metrics[r->flops];
    r->bytes_name = s->metrics[r->bytes];
    return page_no_times(s);
}

static const char *missing_roofline(const struct page_set *s)
{
    struct roofline r;
    return find_roofline(s, &r);
}

// x: FLOP for each byte, y: FLOP a second. False: the row has no value of both.
static bool place_on_roofline(const struct page_set *s, const struct page_row *r,
                              const struct roofline *l, struct mark *out)
{
    struct rates v;
    if (!rates_of(s, r, l, &v))
        return false;
    *out = (struct mark){v.flops * l->flop.scale / (v.bytes * l->byte.scale), v.flops};
    return isfinite(out->x) && out->x > 0 && out->y > 0;
}

static size_t roofline_marks(const struct page_set *s, const struct roofline *l, bool ranked,
                             struct mark *marks)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].ranked == ranked)
            count += place_on_roofline(s, &s->rows[i], l, &marks[count]);
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
        if (!place_on_roofline(s, &s->rows[i], &l, &m))
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
                        .title = l.flops_name};
    picture_axes(&p);
    const struct mark roof[] = {{p.x.low, slope * p.x.low}, {ridge, top}, {p.x.high, top}};
    picture_line(&p, "peak", roof, 3, false);
    picture_text(&p, "note halo", p.right - 4, picture_y(&p, top) - 6, "end",
                 peak_limit_title(PEAK_FP32));
    picture_text(&p, "note halo", picture_x(&p, p.x.low) + 6, picture_y(&p, slope * p.x.low) - 14,
                 "start", peak_limit_title(l.byte.limit));
    page_draw_points(&p, "correct", marks, roofline_marks(s, &l, false, marks));
    page_draw_points(&p, "ranked", marks, roofline_marks(s, &l, true, marks));
    if (s->best != SIZE_MAX && place_on_roofline(s, &s->rows[s->best], &l, &m))
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
    const char *const names[] = {
        "configuration",     "basis", "FLOP for each byte", l.flops_name, l.bytes_name,
        "share of the roof", NULL};
    double top = s->peak.rates[PEAK_FP32].median / l.flop.scale;
    double slope = s->peak.rates[l.byte.limit].median / l.flop.scale;
    sheet_head(g, names);
    for (size_t i = 0; i < s->timed; i++) {
        const struct page_row *r = &s->rows[s->fastest[i]];
        struct mark m;
        struct rates v;
        if (!place_on_roofline(s, r, &l, &m) || !rates_of(s, r, &l, &v))
            continue;
        sheet_row(g);
        page_grid_configuration(s, r, g);
        sheet_text(g, r->ranked ? "ranked" : "screened");
        sheet_number(g, m.x);
        sheet_number(g, v.flops);
        sheet_number(g, v.bytes);
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
        !place_on_roofline(s, &s->rows[s->best], &l, &m))
        return;
    double top = s->peak.rates[PEAK_FP32].median / l.flop.scale;
    double slope = s->peak.rates[l.byte.limit].median / l.flop.scale;
    bool by_memory = slope * m.x < top;
    text_addf(out,
              "The answer reaches %.3g %% of its roof, which is %s at %.3g FLOP for each byte.",
              100 * m.y / fmin(top, slope * m.x), by_memory ? "memory" : "arithmetic", m.x);
    if (l.flops == UINT32_MAX)
        text_add(out, " Bytes are those that the kernel requests: what caches answer lets a point "
                      "lie above the slope.");
}

const struct view page_view_roofline = {
    VIEW("roofline", SEARCH, "Roofline",
         "How close each configuration comes to the device's measured limits (hone peak), over "
         "its intensity: the quotient of the spec's metrics in FLOP/s and B/s, or of what hone run "
         "--with counters counted.",
         missing_roofline, grid_roofline),
    .tell = tell_roofline, .draw = draw_roofline};
