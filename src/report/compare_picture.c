// The picture of a comparison: of two sides each configuration's times, one over the other, beside the diagonal; of several
// specs how many times as long as the fastest each takes.
#include "picture/chart.h"
#include "report/compare_report.h"

#include <math.h>
#include <stdlib.h>

enum { BARS_MOST = 200 }; // configurations whose intervals are drawn
// Bytes of a side's label in the legend: the other entries have room beside two of these.
enum { LABEL_MOST = 22 };

// A configuration that is identical to another was not launched: it shares the other's times and is
// not drawn.
static bool is_drawn(const struct compare_report *v, const struct compare_record *r)
{
    return report_is_compared(v, r) && !r->same_as;
}

// Told apart, family-wise; which side is faster then.
enum side_class { SIDE_FIRST, SIDE_SECOND, SIDE_TIED, SIDE_CLASSES };

static enum side_class class_of(const struct compare_record *r)
{
    return !r->apart ? SIDE_TIED : r->ratio.ratio < 1 ? SIDE_FIRST : SIDE_SECOND;
}

static void draw_class(const struct compare_report *v, enum side_class class, const char *kind,
                       struct mark *marks, const struct picture *p)
{
    size_t count = 0;
    for (size_t i = 0; i < v->found.count; i++) {
        const struct compare_record *r = v->found.records[i];
        if (!is_drawn(v, r) || class_of(r) != class)
            continue;
        const struct stats_summary *x = &r->entries[0].stats, *y = &r->entries[1].stats;
        marks[count++] = (struct mark){x->median, y->median};
        if (v->found.count > BARS_MOST)
            continue;
        if (x->interval)
            picture_segment(p, "hair", x->low, y->median, x->high, y->median);
        if (y->interval)
            picture_segment(p, "hair", x->median, y->low, x->median, y->high);
    }
    picture_points(p, kind, marks, count);
}

static void draw_sides(const struct compare_report *v, struct mark *marks, struct text *out)
{
    static const char *const kinds[SIDE_CLASSES] = {"dots best", "dots ranked", "dots correct"};
    char names[2][LABEL_MOST + 1], first[LABEL_MOST + 12], second[LABEL_MOST + 12];
    double least = INFINITY, most = 0;
    size_t drawn = 0;
    struct picture p;
    struct text about = TEXT_INIT;
    for (size_t i = 0; i < v->found.count; i++) {
        if (!is_drawn(v, v->found.records[i]))
            continue;
        drawn++;
        for (size_t k = 0; k < 2; k++) {
            least = fmin(least, v->found.records[i]->entries[k].stats.median);
            most = fmax(most, v->found.records[i]->entries[k].stats.median);
        }
    }
    text_addf(&about,
              "%zu configurations, interleaved on both sides: %llu are faster on the first, "
              "%llu on the second, the others are tied.",
              drawn, (unsigned long long)v->found.progress.first_faster,
              (unsigned long long)v->found.progress.second_faster);
    picture_begin(&p, out, &(struct canvas){.id = "compare"}, 640, 600, "Both sides",
                  text_cstr(&about));
    p.x = (struct axis){.title = v->sides[0].label, .is_time = true};
    axis_fit(&p.x, least, most);
    p.y = p.x;
    p.y.title = v->sides[1].label;
    picture_axes(&p);
    picture_segment(&p, "default", p.x.low, p.x.low, p.x.high, p.x.high);
    for (int c = SIDE_TIED; c >= SIDE_FIRST; c--)
        draw_class(v, (enum side_class)c, kinds[c], marks, &p);
    for (size_t k = 0; k < 2; k++)
        str_format(names[k], sizeof names[k], "%s", v->sides[k].label);
    str_format(first, sizeof first, "%s is faster", names[0]);
    str_format(second, sizeof second, "%s is faster", names[1]);
    const struct legend legend[] = {{"dots best", first, false},
                                    {"dots ranked", second, false},
                                    {"dots correct", "tied", false},
                                    {"default", "equal", true}};
    picture_legend(&p, legend, 4);
    picture_end(&p);
    text_release(&about);
}

static int by_rank(const void *a, const void *b)
{
    const struct compare_entry *x = *(const struct compare_entry *const *)a,
                               *y = *(const struct compare_entry *const *)b;
    return (x->rank.place > y->rank.place) - (x->rank.place < y->rank.place);
}

// Rows from the top, the fastest first.
static void draw_specs(const struct compare_report *v, const struct compare_record *r,
                       struct text *out)
{
    const struct compare_entry *list[COMPARE_SIDES] = {NULL};
    size_t count = 0;
    double low = 1, high = 1;
    struct picture p;
    for (uint32_t i = 0; i < v->side_count; i++) {
        const struct compare_entry *n = &r->entries[i];
        if (!n->ranked)
            continue;
        list[count++] = n;
        high = fmax(high, fmax(n->rank.ratio, n->rank.ratio_interval ? n->rank.ratio_high : 1));
        low = fmin(low, n->rank.ratio_interval ? n->rank.ratio_low : 1);
    }
    qsort(list, count, sizeof(struct compare_entry *), by_rank);
    struct picture_rows rows;
    const char *names[COMPARE_SIDES];
    for (size_t i = 0; i < count; i++)
        names[i] = v->sides[list[i] - r->entries].label;
    const struct picture_list picture = {
        .title = "The bests of several specs",
        .description = "How many times as long as the fastest each takes, with the interval that "
                       "decided; green ones are tied with it.",
        .names = names,
        .count = count,
        .least = 26,
        .x = {.kind = high > 4 ? AXIS_LOG : AXIS_LINEAR,
              .low = low * 0.99,
              .high = high * 1.03,
              .title = "times as long as the fastest"}};
    picture_begin_rows(&p, &rows, out, &(struct canvas){.id = "compare"}, &picture);
    picture_segment(&p, "hair", 1, NAN, 1, NAN);
    for (size_t i = 0; i < count; i++) {
        const struct ranking_entry *n = &list[i]->rank;
        double y = (double)i + rows.middle;
        bool is_tied = n->tied || n->place == 0;
        if (n->ratio_interval)
            picture_segment(&p, is_tied ? "best" : "correct", n->ratio_low, y, n->ratio_high, y);
        picture_points(&p, is_tied ? "large best" : "large correct", &(struct mark){n->ratio, y},
                       1);
        picture_row_name(&p, &rows, i, names[i]);
    }
    picture_end(&p);
}

bool report_compare_picture(const struct compare_report *v, struct text *out)
{
    struct text svg = TEXT_INIT;
    struct mark *marks = calloc(v->found.count + 1, sizeof *marks);
    const struct compare_record *ranked =
        v->of_specs && v->found.count > 0 ? v->found.records[0] : NULL;
    bool any = false;
    for (uint32_t i = 0; ranked && i < v->side_count; i++)
        any = any || ranked->entries[i].ranked;
    for (size_t i = 0; !v->of_specs && i < v->found.count; i++)
        any = any || is_drawn(v, v->found.records[i]);
    out->failed |= !marks;
    if (any && ranked)
        draw_specs(v, ranked, &svg);
    else if (any && marks)
        draw_sides(v, marks, &svg);
    if (any)
        picture_file(&svg, out);
    text_release(&svg);
    free(marks);
    return any;
}
