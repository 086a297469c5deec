// The finalists, the fastest and one of each group of failures in full: every sample, what the compiled kernel takes, how far
// its outputs are from the reference, and the texts and options that it was compiled from.
#include "extras/page/view.h"
#include "report/counters_report.h"

enum { SHOWN_MOST = 24, SAMPLES_MOST = 200 };

static const char *missing_details(const struct page_set *s)
{
    return s->is_recorded        ? "recorded by another tool: hone has not compiled or launched it"
           : s->detail_count > 0 ? NULL
                                 : "there are no results";
}

static const char *missing_samples(const struct page_set *s)
{
    for (size_t i = 0; i < s->detail_count; i++) {
        if (s->details[i].sample_count > 0)
            return NULL;
    }
    return s->is_recorded ? "recorded by another tool: there are no samples" : page_no_times(s);
}

// ---- samples -----------------------------------------------------------------------------------

static double sample_median(const struct page_detail *d)
{
    return stats_median(d->samples, d->sample_count);
}

static size_t choose_shown(const struct page_set *s, const struct page_detail **out, double *least,
                           double *most)
{
    size_t count = 0;
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < s->detail_count && count < SHOWN_MOST; i++) {
        const struct page_detail *d = &s->details[i];
        if (d->sample_count == 0)
            continue;
        out[count++] = d;
        for (uint32_t k = 0; k < d->sample_count; k++) {
            *least = fmin(*least, (double)d->samples[k]);
            *most = fmax(*most, (double)d->samples[k]);
        }
    }
    return count;
}

static void draw_sample_row(const struct page_set *s, const struct page_detail *d, double y,
                            double half, struct mark *marks, const struct picture *p)
{
    const struct page_row *r = &s->rows[d->row];
    double median = sample_median(d);
    uint32_t count = d->sample_count < SAMPLES_MOST ? d->sample_count : SAMPLES_MOST;
    for (uint32_t k = 0; k < count; k++) // a little up and down, so that equal ones are seen
        marks[k] = (struct mark){(double)d->samples[k], y + half * ((double)(k % 5) - 2) / 4};
    picture_points(p, r->ranked ? "ranked" : "correct", marks, count);
    picture_segment(p, d->row == s->best ? "best" : "s6", median, y - half, median, y + half);
}

static void draw_samples(const struct page_set *s, const struct canvas *at, struct text *out)
{
    const struct page_detail *shown[SHOWN_MOST];
    const char *list[SHOWN_MOST];
    struct text names[SHOWN_MOST];
    struct mark marks[SAMPLES_MOST];
    double least, most;
    size_t count = choose_shown(s, shown, &least, &most);
    struct picture p;
    struct picture_rows rows;
    struct text about = TEXT_INIT;
    for (size_t i = 0; i < count; i++) {
        names[i] = (struct text)TEXT_INIT;
        page_configuration(s, &s->rows[shown[i]->row], &names[i]);
        list[i] = text_cstr(&names[i]);
    }
    text_addf(&about, "Every launch of %zu configurations, the finalists first.", count);
    struct picture_list picture = {.title = "Each launch",
                                   .description = text_cstr(&about),
                                   .names = list,
                                   .count = count,
                                   .least = 20,
                                   .x = {.title = "time", .is_time = true}};
    axis_fit(&picture.x, least, most);
    picture_begin_rows(&p, &rows, out, at, &picture);
    for (size_t i = 0; i < count; i++) {
        page_put_row_hit(&p, i, shown[i]->row);
        draw_sample_row(s, shown[i], (double)i + rows.middle, rows.half, marks, &p);
        picture_row_name(&p, &rows, i, list[i]);
        text_release(&names[i]);
    }
    static const struct legend legend[] = {{"ranked", "of the ranking", false},
                                           {"correct", "measured alone", false},
                                           {"s6", "median", true},
                                           {"best", "of the answer", true}};
    picture_legend(&p, legend, 4);
    picture_end(&p);
    text_release(&about);
}

static void grid_samples(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {
        "configuration", "basis", "ended",          "samples", "launches each",
        "warm-ups",      "least", "lower quartile", "median",  "upper quartile",
        "most",          "joule", "all (ns)",       NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < s->detail_count; i++) {
        const struct page_detail *d = &s->details[i];
        struct text all = TEXT_INIT;
        if (d->sample_count == 0)
            continue;
        sheet_row(g);
        page_grid_configuration(s, &s->rows[d->row], g);
        sheet_text(g, s->rows[d->row].ranked ? "ranked" : "screened");
        sheet_text(g, d->ended);
        sheet_count(g, d->sample_count);
        sheet_count(g, d->batch > 0 ? d->batch : 1);
        sheet_count(g, d->warmups);
        for (int q = 0; q <= 4; q++)
            sheet_time(g, q == 2 ? sample_median(d)
                                 : stats_quantile(d->samples, d->sample_count, 0.25 * q));
        sheet_number(g, d->joule);
        for (uint32_t k = 0; k < d->sample_count; k++)
            text_addf(&all, "%s%llu", k ? " " : "", (unsigned long long)d->samples[k]);
        sheet_text(g, text_cstr(&all));
        g->out->failed |= all.failed;
        text_release(&all);
    }
    sheet_end(g);
}

// ---- resources and deviations ------------------------------------------------------------------

static void put_deviations(const struct page_detail *d, struct text *out)
{
    for (uint32_t i = 0; i < d->deviation_count; i++) {
        const struct deviation *v = &d->deviations[i];
        text_addf(out, "%s%s: ", i ? "; " : "", v->name);
        if (v->components > 0 && !v->compared) {
            text_add(out, "not compared with a reference");
            continue;
        }
        text_addf(out, "norm %.3g, largest %.3g", v->norm, v->largest);
        if (v->largest > 0 && deviation_has_got(v))
            text_addf(out, " at %llu (%.9g, not %.9g)", (unsigned long long)v->index, v->got,
                      v->expected);
        if (v->wrong > 0)
            text_addf(out, ", %llu wrong", (unsigned long long)v->wrong);
        if (v->nans > 0)
            text_addf(out, ", %llu NaN or infinite", (unsigned long long)v->nans);
        if (v->unwritten > 0)
            text_addf(out, ", %llu not written", (unsigned long long)v->unwritten);
    }
}

static const struct {
    const char *name;
    size_t offset; // in struct resources
} kept[] = {{"registers", offsetof(struct resources, registers)},
            {"spilled bytes", offsetof(struct resources, spill_bytes)},
            {"local bytes", offsetof(struct resources, local_bytes)},
            {"private bytes", offsetof(struct resources, private_bytes)},
            {"constant bytes", offsetof(struct resources, constant_bytes)},
            {"most work-items", offsetof(struct resources, max_group_size)},
            {"groups per unit", offsetof(struct resources, groups_per_unit)}};
enum { KEPT = sizeof kept / sizeof *kept };

static int64_t resource_of(const struct resources *r, size_t i)
{
    return *(const int64_t *)((const char *)r + kept[i].offset);
}

// Does the driver say it of any?
static bool has_resource(const struct page_set *s, size_t resource)
{
    for (size_t i = 0; i < s->detail_count; i++) {
        for (uint32_t k = 0; k < s->details[i].resource_count; k++) {
            if (resource_of(&s->details[i].resources[k], resource) >= 0)
                return true;
        }
    }
    return false;
}

static void put_resource_row(const struct page_set *s, const struct page_detail *d, uint32_t launch,
                             const bool *told, struct sheet *g)
{
    static const struct resources unknown = RESOURCES_UNKNOWN;
    const struct page_row *r = &s->rows[d->row];
    const struct resources *c = d->resource_count ? &d->resources[launch] : &unknown;
    struct text outputs = TEXT_INIT;
    put_deviations(d, &outputs);
    sheet_row(g);
    page_grid_configuration(s, r, g);
    sheet_text(g, status_text(r->status));
    sheet_count(g, launch + 1);
    sheet_text(g, d->geometry);
    for (size_t i = 0; i < KEPT; i++) {
        int64_t value = resource_of(c, i);
        if (told[i])
            sheet_number(g, value < 0 ? NAN : (double)value);
    }
    sheet_time(g, r->build_ns);
    sheet_text(g, d->verified);
    sheet_text(g, text_cstr(&outputs));
    sheet_text(g, r->status == STATUS_CORRECT ? "" : s->messages[r->message]);
    g->out->failed |= outputs.failed;
    text_release(&outputs);
}

// A row for each launch of a job. What the driver says of none has no column.
static void grid_resources(const struct page_set *s, struct sheet *g)
{
    const char *names[KEPT + 9] = {"configuration", "status", "launch", "sizes (global / local)"};
    bool told[KEPT];
    size_t n = 4;
    for (size_t i = 0; i < KEPT; i++) {
        told[i] = has_resource(s, i);
        if (told[i])
            names[n++] = kept[i].name;
    }
    names[n++] = "build time";
    names[n++] = "verification";
    names[n++] = "outputs";
    names[n] = "message";
    sheet_head(g, names);
    for (size_t i = 0; i < s->detail_count; i++) {
        const struct page_detail *d = &s->details[i];
        for (uint32_t k = 0; k < d->resource_count || k == 0; k++)
            put_resource_row(s, d, k, told, g);
    }
    sheet_end(g);
}

// ---- counters ----------------------------------------------------------------------------------

static const char *missing_counters(const struct page_set *s)
{
    for (size_t i = 0; i < s->detail_count; i++) {
        if (s->details[i].counters && s->details[i].counters->source[0])
            return NULL;
    }
    return "nothing was counted: hone tune --with counters counts what the finalists do";
}

static void tell_counters(const struct page_set *s, struct text *out)
{
    for (size_t i = 0; i < s->detail_count; i++) {
        const struct page_detail *d = &s->details[i];
        struct text bound = TEXT_INIT;
        if (d->counters && d->row == s->best)
            report_bound(d->counters, &bound);
        if (bound.length)
            text_addf(out, "The best is bound by %s.", text_cstr(&bound));
        text_release(&bound);
    }
}

static void grid_counters(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"configuration", "bound", "stall",
#define X(name, unit, meaning) #name,
                                        LAUNCH_COUNTERS(X)
#undef X
                                            NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < s->detail_count; i++) {
        const struct counters *c = s->details[i].counters;
        if (!c || !c->source[0])
            continue;
        sheet_row(g);
        page_grid_configuration(s, &s->rows[s->details[i].row], g);
        sheet_text(g, bound_text(counters_bound(c)));
        sheet_text(g, c->stall);
        for (int k = 0; k < COUNTER_COUNT; k++)
            sheet_number(g, c->values[k]);
    }
    sheet_end(g);
}

// ---- sources -----------------------------------------------------------------------------------

static void grid_source(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {"configuration", "status", "options", NULL};
    sheet_head(g, names);
    for (size_t i = 0; i < s->detail_count; i++) {
        const struct page_row *r = &s->rows[s->details[i].row];
        sheet_row(g);
        page_grid_configuration(s, r, g);
        sheet_text(g, status_text(r->status));
        sheet_text(g, s->details[i].code.options);
    }
    sheet_end(g);
}

static void put_sources(const struct page_set *s, struct text *out)
{
    for (size_t i = 0; i < s->source_count; i++) {
        const struct page_source *f = &s->sources[i];
        text_add(out, "<details><summary>");
        put_markup(f->name, out);
        text_addf(out, "%s, %zu bytes</summary>", f->is_include ? ", included" : "", f->length);
        if (f->length > 0 && f->text[0] == '\0') {
            text_add(out, "<p class=\"note\">Too long for this page: the store has it.</p>");
        } else {
            text_add(out, "<pre class=\"copy\" tabindex=\"0\">\n");
            put_markup(f->text, out);
            text_add(out, "</pre>");
        }
        text_add(out, "</details>\n");
    }
}

// ---- what they find --------------------------------------------------------------------------

// The answer's slowest launch beside its median.
static void tell_samples(const struct page_set *s, struct text *out)
{
    for (size_t i = 0; i < s->detail_count; i++) {
        const struct page_detail *d = &s->details[i];
        if (d->row != s->best || d->sample_count < 2)
            continue;
        text_addf(out, "The answer's slowest launch took %.3g times its median, in %u samples.",
                  stats_quantile(d->samples, d->sample_count, 1) / sample_median(d),
                  d->sample_count);
    }
}

static void tell_resources(const struct page_set *s, struct text *out)
{
    for (size_t i = 0; i < s->detail_count; i++) {
        const struct page_detail *d = &s->details[i];
        for (size_t k = 0; k < KEPT && d->row == s->best && d->resource_count; k++) {
            int64_t value = resource_of(&d->resources[0], k);
            if (value >= 0)
                text_addf(out, "%s%lld %s", out->length ? ", " : "The answer: ", (long long)value,
                          kept[k].name);
        }
    }
    text_add(out, out->length ? "." : "");
}

const struct view page_view_samples = {
    VIEW("samples", DATA, "Each launch",
         "Every sample of the finalists, the 100 fastest, and one of each group of failures "
         "that was timed; the picture shows the first of these. Samples of a ranking were "
         "interleaved and are not comparable with those measured alone.",
         missing_samples, grid_samples),
    .is_folded = true, .tell = tell_samples, .draw = draw_samples, .rows = 150};
const struct view page_view_resources = {
    VIEW("resources", DATA, "Resources and deviations",
         "Resources of the compiled kernels, as reported by the driver, and the deviation of "
         "their outputs from the reference: for the finalists, the 100 fastest, and one of "
         "each group of failures.",
         missing_details, grid_resources),
    .is_folded = true, .tell = tell_resources, .rows = 150};
const struct view page_view_counters = {
    VIEW("counters", DATA, "Counters",
         "What one launch of a configuration did, counted after all that was timed: bytes, sectors "
         "of 32 bytes, units in per "
         "cent of their peak. The bound is what keeps the launch from being faster.",
         missing_counters, grid_counters),
    .is_folded = true, .tell = tell_counters};
const struct view page_view_source = {
    VIEW("source", DATA, "Sources as compiled",
         "The source that the compiler saw, which all configurations share, and the options of "
         "the finalists, the 100 fastest, and one of each group of failures.",
         missing_details, grid_source),
    .is_folded = true, .put = put_sources, .rows = 150};
