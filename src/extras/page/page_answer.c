// The answer, as a strip: the best, its time, how much that gains, how sure it is, how it is launched and compiled, what to try
// next.
#include "extras/page/page_html.h"

#include "model/result_fields.h"
#include "report/advice.h"
#include "report/peak_report.h"
#include "report/report.h"
#include "report/units.h"
#include "stats/rules.h"
#include "stats/stats.h"

// ---- facts -------------------------------------------------------------------------------------

static const struct page_detail *detail_of(const struct page_set *s, size_t row)
{
    for (size_t i = 0; i < s->detail_count; i++) {
        if (s->details[i].row == row)
            return &s->details[i];
    }
    return NULL;
}

static const struct page_detail *detail_of_best(const struct page_set *s)
{
    return detail_of(s, s->best);
}

static void put_answer_time(const struct page_set *s, const struct page_row *best, struct text *out)
{
    (void)best;
    struct stats_summary sum;
    char time[32], low[32], high[32];
    page_best_stats(s, &sum);
    duration_to_str(sum.median, time);
    page_put_fact("Time", "median_ns", sum.median, time, out);
    if (!sum.interval)
        return;
    f64_to_str(sum.low, low);
    f64_to_str(sum.high, high);
    text_addf(out, "<dd class=\"note\" data-name=\"interval_ns\" data-low=\"%s\" data-high=\"%s\">",
              low, high);
    duration_to_str(sum.low, low);
    duration_to_str(sum.high, high);
    text_addf(out, "%s to %s</dd>\n", low, high);
}

double page_speedup(const struct page_set *s)
{
    const struct page_row *usual = s->usual != SIZE_MAX ? &s->rows[s->usual] : NULL;
    const struct page_row *best = s->best != SIZE_MAX ? &s->rows[s->best] : NULL;
    if (s->ranking.has_speedup)
        return s->ranking.speedup.ratio;
    bool is_recorded = s->is_recorded && usual && usual->timed && best && best->timed;
    return is_recorded ? usual->median / best->median : NAN;
}

static void put_speedup(const struct page_set *s, const struct page_row *best, struct text *out)
{
    (void)best;
    const struct stats_ratio *k = &s->ranking.speedup;
    const struct page_row *usual = s->usual != SIZE_MAX ? &s->rows[s->usual] : NULL;
    double ratio = page_speedup(s);
    struct text shown = TEXT_INIT;
    if (!isnan(ratio)) {
        text_addf(&shown, "%.4g times as fast", ratio);
        page_put_fact("Against the default", "speedup_over_default", ratio, text_cstr(&shown), out);
        text_clear(&shown);
        if (s->ranking.has_speedup && k->interval)
            text_addf(&shown, "%.4g to %.4g within rounds%s", k->low, k->high,
                      k->low > 1 ? "" : ": not told apart from it");
        else
            text_add(&shown, s->is_recorded ? "as recorded" : "not told apart from it");
        text_add(out, "<dd class=\"note\">");
        put_markup(text_cstr(&shown), out);
        text_add(out, "</dd>\n");
    } else if (usual && !usual->timed) {
        text_addf(&shown, "unknown: the default has no time (%s)", status_text(usual->status));
        page_put_words("Against the default", text_cstr(&shown), out);
    } else if (!s->is_recorded) {
        page_put_words("Against the default", "unknown: the two were not ranked together", out);
    }
    text_release(&shown);
}

// "correct; ranked, 31 samples".
static void put_answer_status(const struct page_set *s, const struct page_row *best,
                              struct text *out)
{
    struct text shown = TEXT_INIT;
    const struct result *r = s->has_answer ? s->answer.result : NULL;
    text_add(&shown, status_text(best ? best->status : STATUS_CORRECT));
    if (r) {
        text_addf(&shown, ", %s; ", verification_text(r->verification));
        put_count(s->answer.stats.count, "sample", &shown);
        text_add(&shown, s->is_recorded           ? ""
                         : r->stop == STOP_RANKED ? ", ranked: interleaved with the other finalists"
                                                  : ", screened: measured alone");
    } else {
        text_addf(&shown, ", the shortest %s that was recorded", s->statistic);
    }
    page_put_words("Status", text_cstr(&shown), out);
    out->failed |= shown.failed;
    text_release(&shown);
}

static void put_ties(const struct page_set *s, struct text *out)
{
    struct text shown = TEXT_INIT;
    const struct best_ranking *k = &s->ranking;
    if (k->count == 0)
        return;
    if (k->tied > 1)
        text_addf(&shown, "%zu of %zu finalists are tied; this one was chosen: %s", k->tied,
                  k->count, k->why);
    else
        text_addf(&shown, "none: it is distinguishable from the other %zu finalists, in %u rounds",
                  k->count - 1, k->rounds);
    page_put_fact("Ties", "tied_count", (double)k->tied, text_cstr(&shown), out);
    text_release(&shown);
}

// Rounds of the ranking in which most finalists took so many times their usual, or longer. A ranking repeats rounds by
// that rule, for its reference's first launch alone, which is not kept.
uint32_t page_disturbed_rounds(const struct best_ranking *k, double rule)
{
    uint32_t disturbed = 0;
    double *ratios = calloc(k->count + 1, sizeof *ratios);
    for (uint32_t round = 0; ratios && round < k->rounds; round++) {
        size_t n = 0;
        for (size_t i = 0; i < k->count; i++) {
            const struct best_finalist *f = &k->finalists[i];
            if (round >= f->first_round && round - f->first_round < f->count)
                ratios[n++] = (double)f->samples[round - f->first_round] / f->stats.median;
        }
        qsort(ratios, n, sizeof *ratios, stats_compare_double);
        disturbed += n > 0 && ratios[n / 2] > rule;
    }
    free(ratios);
    return disturbed;
}

static void put_busy_rounds(const struct best_ranking *k, struct text *out)
{
    struct text shown = TEXT_INIT;
    const double rule = measure_rules_default().disturbed;
    uint32_t disturbed = page_disturbed_rounds(k, rule);
    if (disturbed > 0 && disturbed * 10 >= k->rounds) {
        text_addf(&shown,
                  "the machine was busy: in %u of %u rounds most finalists took %g times their "
                  "usual or longer; tune again when it is idle",
                  disturbed, k->rounds, rule);
        page_put_fact("Warning", "disturbed_rounds", disturbed, text_cstr(&shown), out);
    }
    text_release(&shown);
}

static void put_warnings(const struct page_set *s, struct text *out)
{
    const struct best_answer *b = &s->answer;
    struct text slowed = TEXT_INIT;
    struct text clock = TEXT_INIT;
    char time[32];
    put_busy_rounds(&s->ranking, out);
    if (report_is_slowed(&b->result->gpu))
        gpu_put_slowed(&b->result->gpu, &slowed);
    page_put_words("Warning", text_cstr(&slowed), out);
    if (result_by_host(b->result))
        report_clock(b->result, &clock);
    page_put_words("Warning", text_cstr(&clock), out);
    if (b->place.faster) {
        duration_to_str(b->place.faster_median, time);
        text_clear(&slowed);
        text_addf(&slowed,
                  "%s was faster when measured alone (%s), but was not ranked with it: rank both "
                  "to decide",
                  b->place.faster, time);
        page_put_words("Warning", text_cstr(&slowed), out);
    }
    if (b->place.part) {
        text_clear(&slowed);
        text_addf(&slowed, "it is the best of only a part of the space: %s", b->place.part);
        page_put_words("Warning", text_cstr(&slowed), out);
    }
    text_release(&slowed);
    text_release(&clock);
}

// ---- how to use it, and what next -----------------------------------------------------------------

// Words that a line does not break, at their hyphens for instance.
static void put_words(const char *words, struct text *out)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        struct text word = TEXT_INIT;
        text_addn(&word, words, length);
        text_add(out, "<span class=\"word\">");
        put_markup(text_cstr(&word), out);
        text_add(out, words[length] ? "</span> " : "</span>");
        words += length + (words[length] != '\0');
        out->failed |= word.failed;
        text_release(&word);
    }
}

static void put_use(const struct page_set *s, struct text *out)
{
    if (!s->code.options)
        return;
    text_add(out, "<div class=\"use\">");
    text_addf(out, "<h4>Options%s</h4><pre class=\"copy\" tabindex=\"0\">",
              s->code.geometry ? "" : ", of the parameters only");
    put_words(s->code.options, out);
    text_add(out, "</pre>\n");
    text_add(out, "<details><summary>As a header</summary><pre class=\"copy\" tabindex=\"0\">");
    put_markup(s->code.header, out);
    text_add(out, "</pre></details></div>\n");
}

// In the words of a tune's end, over what the set has timed.
static void put_advice(const struct page_set *s, struct text *out)
{
    struct arena a = {0};
    struct advice advice;
    const struct page_detail *d = detail_of_best(s), *usual = detail_of(s, s->usual);
    const struct advised of = {.parameters = s->parameters,
                               .parameter_count = s->parameter_count,
                               .best = s->rows[s->best].choice,
                               .resources = d && d->resource_count ? d->resources : NULL,
                               .importance = &s->importance,
                               .counters = d ? d->counters : NULL,
                               .beside = usual && usual != d ? usual->counters : NULL};
    if (!advice_find(&of, &a, &advice))
        out->failed = true;
    for (size_t i = 0; !out->failed && i < advice.count; i++) {
        text_add(out, "<li>");
        put_markup(advice.lines[i], out);
        text_add(out, "</li>\n");
    }
    arena_release(&a);
}

// Advice, and commands that go on from here; nothing where there is neither.
static void put_next(const struct page_set *s, struct text *out)
{
    struct text command = TEXT_INIT;
    const size_t before = out->length;
    text_add(out, "<div class=\"next\"><h4>Next</h4><ul>\n");
    const size_t start = out->length;
    put_advice(s, out);
    if (!s->is_recorded) {
        page_command(s, "run", &s->rows[s->best], &command);
        text_add(out, "<li>measure it again: <code>");
        put_words(text_cstr(&command), out);
        text_addf(out, "</code></li>\n<li>%s: <code>",
                  s->ranking.count ? "a header for an application" : "rank the finalists");
        text_clear(&command);
        page_command(s, s->ranking.count ? "deploy" : "tune", NULL, &command);
        text_add(&command, s->ranking.count ? " -o tuned.h" : "");
        put_words(text_cstr(&command), out);
        text_add(out, "</code></li>\n");
    }
    if (out->length == start && !out->failed)
        out->length = before;
    else
        text_add(out, "</ul></div>\n");
    out->failed |= command.failed;
    text_release(&command);
}

// ---- the whole ---------------------------------------------------------------------------------

// A group of the strip, left out where it is empty.
static void put_group(const struct page_set *s, const struct page_row *best,
                      void (*put)(const struct page_set *s, const struct page_row *best,
                                  struct text *out),
                      const char *tag, struct text *out)
{
    size_t before = out->length, start;
    text_addf(out, "<%s>", tag);
    start = out->length;
    put(s, best, out);
    if (out->length == start && !out->failed)
        out->length = before;
    else
        text_addf(out, "</%s>\n", tag);
}

static void put_best(const struct page_set *s, const struct page_row *best, struct text *out)
{
    struct text configuration = TEXT_INIT;
    if (best)
        page_configuration(s, best, &configuration);
    else
        text_add(&configuration, s->answer.configuration);
    page_put_words(
        "Best", configuration.length ? text_cstr(&configuration) : "the only configuration", out);
    out->failed |= configuration.failed;
    text_release(&configuration);
}

static void put_answer_launch(const struct page_set *s, const struct page_row *best,
                              struct text *out)
{
    const struct page_detail *d = detail_of_best(s);
    (void)best;
    page_put_words("Launch", s->code.geometry ? s->code.geometry : d ? d->geometry : "", out);
}

static void put_rest(const struct page_set *s, const struct page_row *best, struct text *out)
{
    struct peak_share share;
    char number[UNITS_SIZE];
    for (uint32_t i = 0; best && best->metrics && i < s->metric_count; i++) {
        struct text shown = TEXT_INIT;
        double value = best->metrics[i];
        if (isnan(value))
            continue;
        number_to_str(value, number);
        text_addf(&shown, "%s", number);
        if (peak_share(&s->peak, s->metrics[i], value, &share))
            text_addf(&shown, ", %.3g %% of the device's measured peak (%s)", 100 * share.share,
                      peak_limit_title(share.limit));
        page_put_fact(s->metrics[i], "metric", value, text_cstr(&shown), out);
        text_release(&shown);
    }
    put_ties(s, out);
    if (s->has_answer)
        put_warnings(s, out);
}

void page_put_answer(const struct page_set *s, struct text *out)
{
    const struct page_row *best = s->best != SIZE_MAX ? &s->rows[s->best] : NULL;
    text_add(out, "<section class=\"view answer\"><h4>The answer</h4>\n");
    if (!s->has_answer && !best) {
        text_addf(out, "<p>None: %s.</p>\n",
                  s->count ? "no configuration has a time" : "there are no results");
    } else {
        text_add(out, "<dl class=\"strip\">");
        put_group(s, best, put_best, "div", out);
        put_group(s, best, put_answer_time, "div", out);
        put_group(s, best, put_speedup, "div", out);
        put_group(s, best, put_answer_status, "div", out);
        put_group(s, best, put_answer_launch, "div", out);
        text_add(out, "</dl>\n");
        put_group(s, best, put_rest, "dl", out);
        text_add(out, "<div class=\"pair\">");
        put_use(s, out);
        if (best)
            put_next(s, out);
        text_add(out, "</div>\n");
    }
    text_add(out, "</section>\n");
}
