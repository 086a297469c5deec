// Equal devices that shared a tune: how much slower each is than its siblings, which were left out,
// and which were lost.
#include "extras/page/view.h"

static const char *missing_members(const struct page_set *s)
{
    return s->member_count > 0 ? NULL : "one device measured everything";
}

// In per cent over its siblings.
static double percent(double ratio)
{
    return 100 * (ratio - 1);
}

static bool find_extent(const struct page_set *s, double *low, double *high)
{
    bool any = false;
    *low = *high = 0;
    for (uint32_t i = 0; i < s->member_count; i++) {
        const struct page_member *m = &s->members[i];
        if (!isfinite(m->ratio))
            continue;
        any = true;
        *low = fmin(*low, percent(isfinite(m->low) ? m->low : m->ratio));
        *high = fmax(*high, percent(isfinite(m->high) ? m->high : m->ratio));
    }
    double margin = fmax(0.05 * (*high - *low), 0.5);
    *low -= margin;
    *high += margin;
    return any;
}

static void draw_members(const struct page_set *s, const struct canvas *at, struct text *out)
{
    struct picture p;
    struct picture_rows rows;
    double low, high;
    char words[160];
    if (!find_extent(s, &low, &high))
        return;
    str_format(words, sizeof words,
               "%u devices, from %.1f to %.1f per cent relative to their siblings.",
               s->member_count, low, high);
    const char **list = calloc(s->member_count + (size_t)1, sizeof(char *));
    out->failed |= !list;
    if (!list)
        return;
    for (uint32_t i = 0; i < s->member_count; i++)
        list[i] = s->members[i].name;
    const struct picture_list picture = {
        .title = "The devices",
        .description = words,
        .names = list,
        .count = s->member_count,
        .least = 24,
        .x = {.low = low, .high = high, .title = "% slower than its siblings"}};
    picture_begin_rows(&p, &rows, out, at, &picture);
    picture_segment(&p, "hair", 0, NAN, 0, NAN);
    for (uint32_t i = 0; i < s->member_count; i++) {
        const struct page_member *m = &s->members[i];
        double y = (double)i + rows.middle;
        picture_row_name(&p, &rows, i, list[i]);
        if (!isfinite(m->ratio))
            continue;
        const char *kind =
            str_equal(m->state, "left out") || str_equal(m->state, "lost") ? "default" : "correct";
        if (isfinite(m->low) && isfinite(m->high))
            picture_segment(&p, kind, percent(m->low), y, percent(m->high), y);
        str_format(words, sizeof words, "large %s", kind);
        picture_points(&p, words, &(struct mark){percent(m->ratio), y}, 1);
    }
    free(list);
    static const struct legend legend[] = {{"large correct", "took part", false},
                                           {"large default", "left out, or lost", false}};
    picture_legend(&p, legend, 2);
    picture_end(&p);
}

static void grid_members(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {
        "device", "node", "state", "results", "rounds", "ratio to its siblings",
        "low",    "high", "why",   NULL};
    sheet_head(g, names);
    for (uint32_t i = 0; i < s->member_count; i++) {
        const struct page_member *m = &s->members[i];
        sheet_row(g);
        sheet_text(g, m->name);
        sheet_text(g, m->node);
        sheet_text(g, m->state);
        sheet_number(g, m->results);
        sheet_number(g, m->rounds);
        sheet_number(g, m->ratio);
        sheet_number(g, m->low);
        sheet_number(g, m->high);
        sheet_text(g, m->why);
    }
    sheet_end(g);
}

// ---- what they find --------------------------------------------------------------------------

static void tell_members(const struct page_set *s, struct text *out)
{
    uint32_t slow = UINT32_MAX, out_of_it = 0;
    for (uint32_t i = 0; i < s->member_count; i++) {
        const struct page_member *m = &s->members[i];
        out_of_it += str_equal(m->state, "left out") || str_equal(m->state, "lost");
        if (isfinite(m->ratio) && (slow == UINT32_MAX || m->ratio > s->members[slow].ratio))
            slow = i;
    }
    text_addf(out, "%u devices", s->member_count);
    if (slow != UINT32_MAX)
        text_addf(out, "; the slowest, %s, takes %.3g %% longer than its siblings",
                  s->members[slow].name, percent(s->members[slow].ratio));
    if (out_of_it)
        text_addf(out, "; %u left out or lost", out_of_it);
    text_add(out, ".");
}

const struct view page_view_devices = {
    VIEW("devices", SEARCH, "Devices that shared the work",
         "Equal devices that shared the newest tune: how much longer each took than its "
         "siblings for the same launches, with the interval, and which were left out or lost. "
         "For a tune that was killed, only their names are known.",
         missing_members, grid_members),
    .tell = tell_members, .draw = draw_members};
