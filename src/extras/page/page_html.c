// The page: one HTML file that needs nothing else. Pictures and tables stand in it as they are; the same numbers follow
// as JSON in islands that no browser runs, for the one script, whose digest is all that the policy of the page allows.
#include "extras/page/page.h"

#include "extras/page/view.h"
#include "report/advice.h"
#include "report/peak_report.h"
#include "model/result_fields.h"
#include "report/report.h"
#include "report/units.h"
#include "stats/rules.h"
#include "stats/stats.h"

#include "base/digest.h"
#include "base/fields.h"
#include "report/values.h"

extern const char page_style[], page_script[]; // page.css, page.js

// ---- small parts -------------------------------------------------------------------------------

static void put_base64(const uint8_t *bytes, size_t count, struct text *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        uint32_t n = (uint32_t)bytes[i] << 16;
        n |= i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0;
        n |= i + 2 < count ? bytes[i + 2] : 0;
        text_addc(out, digits[n >> 18]);
        text_addc(out, digits[n >> 12 & 63]);
        text_addc(out, i + 1 < count ? digits[n >> 6 & 63] : '=');
        text_addc(out, i + 2 < count ? digits[n & 63] : '=');
    }
}

static void put_source_digest(const char *text, size_t length, struct text *out)
{
    struct digest d;
    digest_of(text, length, &d);
    text_add(out, "'sha256-");
    put_base64(d.bytes, sizeof d.bytes, out);
    text_add(out, "'");
}

static void put_head(const struct page *p, struct text *out)
{
    struct text style = TEXT_INIT;
    text_addf(&style, "%s%s", picture_style, page_style);
    text_add(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ");
    put_source_digest(page_script, strlen(page_script), out);
    text_add(out, "; style-src ");
    put_source_digest(text_cstr(&style), style.length, out);
    text_add(out, "; base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    put_markup(p->title, out);
    text_add(out, "</title>\n<style>");
    text_addn(out, text_cstr(&style), style.length);
    text_add(out, "</style>");
    if (p->reload_s)
        text_addf(out, "\n<noscript><meta http-equiv=\"refresh\" content=\"%u\"></noscript>",
                  p->reload_s);
    text_add(out, "</head>\n<body");
    if (p->reload_s)
        text_addf(out, " data-reload=\"%u\"", p->reload_s);
    text_add(out, ">\n");
    out->failed |= style.failed;
    text_release(&style);
}

static void put_element(const char *tag, const char *text, struct text *out)
{
    text_addf(out, "<%s>", tag);
    put_markup(text, out);
    text_addf(out, "</%s>", tag);
}

// A term and what it is; the exact number beside what people read. `name` is the field of `hone best --json`.
static void put_fact(const char *term, const char *name, double exact, const char *shown,
                     struct text *out)
{
    char number[32];
    put_element("dt", term, out);
    text_add(out, "<dd");
    if (name) {
        f64_to_str(exact, number);
        text_addf(out, " data-name=\"%s\" data-v=\"%s\"", name, number);
    }
    text_add(out, ">");
    put_markup(shown, out);
    text_add(out, "</dd>\n");
}

static void put_words(const char *term, const char *shown, struct text *out)
{
    if (shown && shown[0])
        put_fact(term, NULL, 0, shown, out);
}

// ---- the answer --------------------------------------------------------------------------------

static void put_answer_time(const struct page_set *s, struct text *out)
{
    struct stats_summary sum;
    page_best_stats(s, &sum);
    struct text shown = TEXT_INIT;
    bool is_ranked = s->answer.result->stop == STOP_RANKED;
    report_time(&sum, &shown);
    text_addf(&shown, ", %zu samples, %s", sum.count,
              s->is_recorded ? s->statistic
              : is_ranked    ? "ranked: interleaved with the other finalists"
                             : "screened: measured alone");
    put_fact("Time", "median_ns", sum.median, text_cstr(&shown), out);
    text_release(&shown);
    if (sum.interval) {
        char low[32], high[32];
        f64_to_str(sum.low, low);
        f64_to_str(sum.high, high);
        text_addf(out,
                  "<dd class=\"exact\" data-name=\"interval_ns\" data-low=\"%s\" "
                  "data-high=\"%s\">95 %% interval of the median: ",
                  low, high);
        duration_to_str(sum.low, low);
        duration_to_str(sum.high, high);
        text_addf(out, "%s to %s</dd>\n", low, high);
    }
}

static void put_speedup(const struct page_set *s, struct text *out)
{
    const struct best_ranking *k = &s->ranking;
    struct text shown = TEXT_INIT;
    const struct page_row *usual = s->usual != SIZE_MAX ? &s->rows[s->usual] : NULL;
    const struct page_row *best = s->best != SIZE_MAX ? &s->rows[s->best] : NULL;
    if (k->has_speedup) {
        text_addf(&shown, "%.4g times as fast as the default", k->speedup.ratio);
        if (k->speedup.interval)
            text_addf(&shown, ", [%.4g .. %.4g] within rounds", k->speedup.low, k->speedup.high);
        text_add(&shown,
                 k->speedup.interval && k->speedup.low > 1 ? "" : ": not told apart from it");
        put_fact("Speed-up", "speedup_over_default", k->speedup.ratio, text_cstr(&shown), out);
    } else if (s->is_recorded && usual && usual->timed && best && best->timed) {
        double ratio = usual->median / best->median;
        text_addf(&shown, "%.4g times as fast as the default, as recorded", ratio);
        put_fact("Speed-up", "speedup_over_default", ratio, text_cstr(&shown), out);
    } else if (usual && !usual->timed) {
        text_addf(&shown, "not known: the default has no time (%s)", status_text(usual->status));
        put_words("Speed-up", text_cstr(&shown), out);
    } else if (!s->is_recorded) {
        put_words("Speed-up", "not known: the two were not ranked together", out);
    }
    text_release(&shown);
}

static void put_metrics(const struct page_set *s, const struct page_row *r, struct text *out)
{
    struct peak_share share;
    char number[UNITS_SIZE];
    for (uint32_t i = 0; r && r->metrics && i < s->metric_count; i++) {
        struct text shown = TEXT_INIT;
        double value = r->metrics[i];
        if (isnan(value))
            continue;
        number_to_str(value, number);
        text_addf(&shown, "%s", number);
        if (peak_share(&s->peak, s->metrics[i], value, &share))
            text_addf(&shown, ", %.3g %% of the device's measured peak (%s)", 100 * share.share,
                      peak_limit_title(share.limit));
        put_fact(s->metrics[i], "metric", value, text_cstr(&shown), out);
        text_release(&shown);
    }
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
        text_addf(&shown, "none: it is told apart from the other %zu finalists, in %u rounds",
                  k->count - 1, k->rounds);
    put_fact("Ties", "tied_count", (double)k->tied, text_cstr(&shown), out);
    text_release(&shown);
}

// Rounds of the ranking in which most finalists took so many times their usual, or longer. A ranking repeats rounds by
// that rule, for its reference's first launch alone, which is not kept.
static uint32_t count_disturbed(const struct best_ranking *k, double rule)
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
    uint32_t disturbed = count_disturbed(k, rule);
    if (disturbed > 0 && disturbed * 10 >= k->rounds) {
        text_addf(&shown,
                  "the machine was busy: in %u of %u rounds most finalists took %g times their "
                  "usual or longer; tune again when it is idle",
                  disturbed, k->rounds, rule);
        put_fact("Warning", "disturbed_rounds", disturbed, text_cstr(&shown), out);
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
    put_words("Warning", text_cstr(&slowed), out);
    if (result_by_host(b->result))
        report_clock(b->result, &clock);
    put_words("Warning", text_cstr(&clock), out);
    if (b->place.faster) {
        duration_to_str(b->place.faster_median, time);
        text_clear(&slowed);
        text_addf(
            &slowed,
            "%s was measured faster alone (%s) and not ranked with it: a ranking of both decides",
            b->place.faster, time);
        put_words("Warning", text_cstr(&slowed), out);
    }
    if (b->place.part) {
        text_clear(&slowed);
        text_addf(&slowed, "it is the best of a part only: %s", b->place.part);
        put_words("Warning", text_cstr(&slowed), out);
    }
    text_release(&slowed);
    text_release(&clock);
}

static void put_code(const char *title, const char *code, struct text *out)
{
    if (!code)
        return;
    text_addf(out, "<h4>%s</h4><pre class=\"copy\" tabindex=\"0\">", title);
    put_markup(code, out);
    text_add(out, "</pre>\n");
}

// In the words of a tune's end, over what the set has timed.
static void put_advice(const struct page_set *s, struct text *out)
{
    struct arena a = {0};
    struct advice advice;
    const struct page_detail *d = NULL;
    for (size_t i = 0; !d && i < s->detail_count; i++)
        d = s->details[i].row == s->best ? &s->details[i] : NULL;
    const struct advised of = {.parameters = s->parameters,
                               .parameter_count = s->parameter_count,
                               .best = s->rows[s->best].choice,
                               .resources = d && d->resource_count ? d->resources : NULL,
                               .importance = &s->importance};
    if (!advice_find(&of, &a, &advice))
        out->failed = true;
    for (size_t i = 0; !out->failed && i < advice.count; i++)
        put_words("Advice", advice.lines[i], out);
    arena_release(&a);
}

static void put_answer_view(const struct page_set *s, struct text *out)
{
    struct text configuration = TEXT_INIT;
    const struct page_row *best = s->best != SIZE_MAX ? &s->rows[s->best] : NULL;
    text_add(out, "<section class=\"view answer\"><h3>The answer</h3>\n<dl>");
    if (!s->has_answer && !best) {
        put_words("Best",
                  s->count ? "none: no configuration has a time" : "none: there are no results",
                  out);
    } else {
        if (best)
            page_configuration(s, best, &configuration);
        else
            text_add(&configuration, s->answer.configuration);
        put_words("Best",
                  configuration.length ? text_cstr(&configuration) : "the only configuration", out);
        if (s->has_answer) {
            put_answer_time(s, out);
        } else {
            char time[32];
            struct text shown = TEXT_INIT;
            duration_to_str(best->median, time);
            text_addf(&shown, "%s, the least %s that was recorded", time, s->statistic);
            put_fact("Time", "median_ns", best->median, text_cstr(&shown), out);
            text_release(&shown);
        }
        put_metrics(s, best, out);
        put_speedup(s, out);
        put_ties(s, out);
        if (best)
            put_advice(s, out);
        if (s->has_answer)
            put_warnings(s, out);
    }
    text_add(out, "</dl>\n");
    put_code("For a compiler", s->code.options, out);
    put_code("As a header", s->code.header, out);
    text_add(out, "</section>\n");
    out->failed |= configuration.failed;
    text_release(&configuration);
}

// ---- views -------------------------------------------------------------------------------------

static void put_view(const struct page_set *s, const struct view *v, size_t number,
                     struct text *out)
{
    char id[64];
    struct sheet g = {.out = out, .most = v->rows ? v->rows : PAGE_ROWS_MOST};
    str_format(id, sizeof id, "%s-%zu", v->name, number);
    text_addf(out, "<section class=\"view %s\" data-view=\"%s\"><h3>", v->name, v->name);
    put_markup(v->title, out);
    text_add(out, "</h3><p>");
    put_markup(v->about, out);
    text_add(out, "</p>\n");
    if (v->draw) {
        text_add(out, "<div class=\"plot\" tabindex=\"0\">");
        v->draw(s, id, out);
        text_add(out, "</div>\n");
    }
    bool has_rows = v->grid && v->rows != 1;
    if (has_rows && v->draw)
        text_add(out, "<details><summary>The numbers</summary>");
    if (has_rows)
        v->grid(s, &g);
    if (has_rows && v->draw)
        text_add(out, "</details>\n");
    if (v->put)
        v->put(s, out);
    text_add(out, "</section>\n");
}

static void put_missing(const struct page_set *s, struct text *out)
{
    bool any = false;
    for (const struct view *const *v = page_views; *v; v++) {
        const char *why = (*v)->is_across && !page_is_first(s) ? NULL : (*v)->missing(s);
        if (!why || !page_has_view(s->page, *v))
            continue;
        text_add(out, any ? "; " : "<p class=\"note\">Left out: ");
        put_markup((*v)->name, out);
        text_add(out, " (");
        put_markup(why, out);
        text_add(out, ")");
        any = true;
    }
    text_add(out, any ? ".</p>\n" : "");
    if (s->space && s->space->left_out > 0)
        text_addf(out,
                  "<p class=\"note\">%llu older results do not compare and are left out: another "
                  "text of the kernel, other inputs, or another driver.</p>\n",
                  (unsigned long long)s->space->left_out);
    if (s->unreadable > 0)
        text_addf(out,
                  "<p class=\"note\">%zu results have values that the spec does not have any more; "
                  "they are left out.</p>\n",
                  s->unreadable);
}

static void put_rules(const struct page_set *s, struct text *out)
{
    struct text rules = TEXT_INIT;
    const struct result *r = s->has_answer ? s->answer.result : NULL;
    put_words("Ranking", s->ranking.id, out);
    if (r && r->stop == STOP_RANKED && r->terms.rounds > 0)
        text_addf(&rules,
                  "level=%g, behind=%g, alike=%g, rounds=%u, looks=%u, early=%u (hone help rules)",
                  r->terms.level, r->terms.behind, r->terms.alike, r->terms.rounds, r->terms.looks,
                  r->terms.early);
    put_words("Its rules", text_cstr(&rules), out);
    text_release(&rules);
}

static void put_environment(const struct page *p, const struct page_set *s, struct text *out)
{
    struct text dates = TEXT_INIT;
    text_add(out, "<section class=\"view environment\"><h3>Where it comes from</h3><dl>\n");
    put_words("From", s->origin, out);
    put_words("Device", s->device, out);
    put_words(s->is_recorded ? "Recorded as" : "Platform", s->platform, out);
    put_words("Driver", s->driver, out);
    put_words("Language", s->language, out);
    put_words("Constants", s->constants, out);
    put_words("Inputs", s->inputs, out);
    put_words("Kernel text", s->text, out);
    put_words("Run", s->run, out);
    if (s->first_date)
        text_addf(&dates, "%s to %s", s->first_date, s->last_date);
    put_words("Measured", text_cstr(&dates), out);
    put_words("hone", s->hone_version, out);
    put_words("Host", s->host, out);
    put_words("Surroundings", s->surroundings, out);
    put_words("Seed", s->command && strstr(s->command, "tune") ? s->seed : "", out);
    put_words("Newest run", s->command, out);
    put_words("This page", p->about->command, out);
    if (s->ranking.count > 0)
        put_rules(s, out);
    if (!s->is_recorded && s->best != SIZE_MAX) {
        text_clear(&dates);
        page_run_command(s, &s->rows[s->best], &dates);
        put_words("The answer again", text_cstr(&dates), out);
    }
    text_add(out, "</dl></section>\n");
    text_release(&dates);
}

// ---- data --------------------------------------------------------------------------------------

static void put_data_number(double v, struct text *out)
{
    char number[40];
    if (isnan(v) || isinf(v)) {
        return; // between two commas: an empty place, see page.js
    }
    if (v == floor(v) && fabs(v) < 1e15) {
        char digits[24];
        size_t n = 0;
        uint64_t whole = (uint64_t)fabs(v);
        text_add(out, v < 0 ? "-" : "");
        do
            digits[n++] = (char)('0' + whole % 10);
        while (whole /= 10);
        while (n)
            text_addc(out, digits[--n]);
        return;
    }
    f64_to_str(v, number);
    text_add(out, number);
}

// The columns of the data: numbers of each row.
#define ROW(X)                                                                                     \
    X(F64, status, (v->status), "", "index of statuses")                                           \
    X(F64, message, (v->message), "", "index of messages")                                         \
    X(F64, time, (v->timed ? v->median : NAN), "ns", "")                                           \
    X(F64, low, (v->interval ? v->low : NAN), "ns", "")                                            \
    X(F64, high, (v->interval ? v->high : NAN), "ns", "")                                          \
    X(F64, screened, (v->screened), "ns", "before it was ranked")                                  \
    X(F64, ranked, (v->ranked), "", "0 or 1")                                                      \
    X(F64, samples, (v->timed ? v->samples : NAN), "", "")                                         \
    X(F64, at, (v->at), "s", "since the first of the set")
FIELDS(row_fields, struct page_row, void, ROW)

static double field_number(const struct page_row *r, size_t field)
{
    struct field_value values[FIELDS_MOST];
    row_fields.values(r, NULL, NULL, values);
    return values[field].number;
}

static double choice_number(const struct page_row *r, size_t parameter)
{
    return r->choice[parameter];
}

static double metric_number(const struct page_row *r, size_t metric)
{
    return r->metrics ? r->metrics[metric] : NAN;
}

// A column as one text, numbers between commas: far shorter than arrays with null, and read faster.
static void emit_column(struct emit *j, const struct page_set *s, size_t column,
                        double (*number)(const struct page_row *r, size_t column))
{
    emit_text(j, "");
    j->out->length--; // the closing quotation mark
    for (size_t i = 0; i < s->count; i++) {
        text_add(j->out, i > 0 ? "," : "");
        put_data_number(number(&s->rows[i], column), j->out);
    }
    text_addc(j->out, '"');
}

static void emit_row_columns(struct emit *j, const struct page_set *s)
{
    for (size_t c = 0; c < row_fields.count; c++) {
        bool any = false;
        for (size_t i = 0; i < s->count && !any; i++)
            any = !isnan(field_number(&s->rows[i], c)) && field_number(&s->rows[i], c) != 0;
        emit_key(j, row_fields.rows[c].name);
        if (any)
            emit_column(j, s, c, field_number);
        else
            emit_text(j, "");
    }
}

static void emit_choices(const void *record, const void *context, struct emit *j)
{
    const struct page_set *s = record;
    (void)context;
    emit_array(j);
    for (uint32_t i = 0; i < s->parameter_count; i++)
        emit_column(j, s, i, choice_number);
    emit_array_end(j);
}

static void emit_metrics(const void *record, const void *context, struct emit *j)
{
    const struct page_set *s = record;
    (void)context;
    emit_array(j);
    for (uint32_t i = 0; i < s->metric_count; i++)
        emit_column(j, s, i, metric_number);
    emit_array_end(j);
}

static const char *visible(const char *s, struct arena *a)
{
    struct text words = TEXT_INIT;
    text_add_visible(&words, s, strlen(s), true);
    return text_to_arena(&words, a);
}

static const char *const *visible_list(const char *const *list, size_t count, struct arena *a)
{
    const char **shown = arena_array(a, count, sizeof *shown);
    for (size_t i = 0; shown && i < count; i++)
        shown[i] = visible(list[i], a);
    return shown;
}

static void emit_parameter_values(const void *record, const void *context, struct emit *j)
{
    const struct parameter *p = record;
    (void)context;
    emit_array(j);
    for (uint32_t i = 0; i < p->count; i++) {
        struct text text = TEXT_INIT, shown = TEXT_INIT;
        if (p->values[i].kind == VALUE_INT || p->values[i].kind == VALUE_FLOAT) {
            emit_value(j, &p->values[i]);
            continue;
        }
        value_print(&p->values[i], &text);
        text_add_visible(&shown, text_cstr(&text), text.length, true);
        emit_text(j, text_cstr(&shown));
        j->out->failed |= text.failed || shown.failed;
        text_release(&text);
        text_release(&shown);
    }
    emit_array_end(j);
}

#define PARAMETER(X)                                                                               \
    X(TEXT, name, (visible(v->name, a)), "", "")                                                   \
    X(PUT, values, (emit_parameter_values, v), "[]", "")
FIELDS(parameter_fields, struct parameter, void, PARAMETER)

static const char *const statuses[] = {
#define X(name, text, meaning) text,
    STATUSES(X)
#undef X
};

#define INDEX(row) ((row) == SIZE_MAX ? NAN : (double)(row))
#define NAMES(X)                                                                                   \
    X(U64, count, (v->count), "", "rows")                                                          \
    X(TEXT, statistic, (v->statistic), "", "")                                                     \
    X(BOOL, recorded, (v->is_recorded), "", "")                                                    \
    X(F64, best, (INDEX(v->best)), "", "row")                                                      \
    X(F64, usual, (INDEX(v->usual)), "", "row of the default")                                     \
    X(RECORDS, parameters, (parameter_fields, v->parameters, v->parameter_count), "", "")          \
    X(TEXTS, statuses, (statuses, STATUS_COUNT), "", "")                                           \
    X(TEXTS, messages, (visible_list(v->messages, v->message_count, a), v->message_count), "", "") \
    X(TEXTS, metrics, (visible_list(v->metrics, v->metric_count, a), v->metric_count), "", "")
FIELDS(names_fields, struct page_set, void, NAMES)

#define COLUMNS(X)                                                                                 \
    X(PUT, choice, (emit_choices, v), "[]", "of each parameter, as indices of values")             \
    X(PUT, metric, (emit_metrics, v), "[]", "")
FIELDS(columns_fields, struct page_set, void, COLUMNS)

// JSON in which no `<` stands, so that nothing in it ends the element.
static void put_island(const struct page_set *s, struct text *out)
{
    struct text json = TEXT_INIT;
    struct emit j;
    emit_start(&j, &json);
    emit_object(&j);
    emit_fields(&j, &names_fields, s, NULL);
    emit_row_columns(&j, s);
    emit_fields(&j, &columns_fields, s, NULL);
    emit_object_end(&j);
    text_add(out, "<script type=\"application/json\" class=\"data\">");
    const char *at = text_cstr(&json), *end = at + json.length;
    while (at < end) {
        const char *next = memchr(at, '<', (size_t)(end - at));
        next = next ? next : end;
        text_addn(out, at, (size_t)(next - at));
        if (next < end)
            text_add(out, "\\u003c");
        at = next + 1;
    }
    text_add(out, "</script>\n");
    out->failed |= json.failed;
    text_release(&json);
}

// ---- the whole ---------------------------------------------------------------------------------

static void put_set_title(const struct page_set *s, struct text *out)
{
    struct text state = TEXT_INIT; // what tells it from others of the device
    put_markup(s->spec, out);
    if (s->constants[0]) {
        text_add(out, " (");
        put_markup(s->constants, out);
        text_add(out, ")");
    }
    text_add(out, s->device[0] ? " on " : "");
    put_markup(s->device, out);
    if (s->language[0]) {
        text_add(out, ", ");
        put_markup(s->language, out);
    }
    page_put_state(s, true, 0, &state);
    if (s->run[0] && s->first_date)
        text_addf(&state, "%s%s", state.length ? ", " : "", s->first_date);
    text_add(out, state.length ? ", " : "");
    put_markup(text_cstr(&state), out);
    text_release(&state);
}

// The results of hone score, hone deploy, hone judge or one hone tune, which the page's script does not handle.
static void put_found(const struct page_set *s, size_t number, struct text *out)
{
    text_addf(out, "<article class=\"across\" id=\"set-%zu\"><h2>", number);
    put_markup(s->spec, out);
    text_add(out, s->score_count > 0     ? ": scores of strategies"
                  : s->is_beginning      ? ": what a tune began with"
                  : s->verdict_count > 0 ? ": kernels that were judged"
                                         : ": a dispatch table");
    text_add(out, "</h2>\n<div class=\"views\">\n");
    for (const struct view *const *v = page_views; *v; v++) {
        if (!(*v)->is_across && page_has_view(s->page, *v) && !(*v)->missing(s))
            put_view(s, *v, number, out);
    }
    text_add(out, "</div></article>\n");
}

static void put_set(const struct page *p, size_t number, struct text *out)
{
    const struct page_set *s = &p->sets[number];
    if (page_set_is_found(s)) {
        put_found(s, number, out);
        return;
    }
    text_addf(out, "<article class=\"set\" id=\"set-%zu\"><h2>", number);
    put_set_title(s, out);
    text_add(out, "</h2><p class=\"note\">");
    put_count(s->count, "configuration", out);
    for (int i = 0; i < STATUS_COUNT; i++) {
        if (s->by_status[i] > 0)
            text_addf(out, ", %zu %s", s->by_status[i], status_text((enum status)i));
    }
    text_add(out, ".</p>\n<div class=\"tools\" hidden></div>\n<div class=\"views\">\n");
    put_answer_view(s, out);
    for (const struct view *const *v = page_views; *v; v++) {
        if (!(*v)->is_across && page_has_view(s->page, *v) && !(*v)->missing(s))
            put_view(s, *v, number, out);
    }
    put_environment(p, s, out);
    text_add(out, "</div>\n");
    put_missing(s, out);
    put_island(s, out);
    text_add(out, "</article>\n");
}

// Views about all sets of a spec together are placed before the first of them.
static void put_across(const struct page *p, size_t number, struct text *out)
{
    bool any = false;
    const struct page_set *s = &p->sets[number];
    for (const struct view *const *v = page_views; *v && page_is_first(s); v++) {
        if (!(*v)->is_across || !page_has_view(p, *v) || (*v)->missing(s))
            continue;
        if (!any) {
            text_addf(out, "<article class=\"across\" id=\"across-%zu\"><h2>", number);
            put_markup(s->spec, out);
            text_add(out, ": all sets together</h2>\n<div class=\"views\">\n");
        }
        any = true;
        put_view(s, *v, number, out);
    }
    text_add(out, any ? "</div></article>\n" : "");
}

void page_write(const struct page *p, struct text *out)
{
    put_head(p, out);
    text_add(out, "<header><h1>");
    put_markup(p->title, out);
    text_add(out, "</h1><p class=\"note\">hone ");
    put_markup(p->about->hone_version, out);
    text_add(out, ", ");
    put_markup(p->about->date, out);
    text_add(out, "</p>\n");
    if (p->reload_s) {
        text_add(out, "<p class=\"live\">Live: this page loads itself anew. <span class=\"note\">");
        put_markup(p->news ? p->news : "", out);
        text_add(out, "</span></p>\n");
    }
    if (p->count > 1) {
        text_add(out, "<nav aria-label=\"Sets of results\"><ul>");
        for (size_t i = 0; i < p->count; i++) {
            text_addf(out, "<li><a href=\"#set-%zu\">", i);
            put_set_title(&p->sets[i], out);
            text_add(out, "</a></li>");
        }
        text_add(out, "</ul></nav>\n");
    }
    text_add(out, "</header>\n<main>\n");
    if (p->count == 0) {
        text_addf(out, "<p>There are no results%s, for this command:</p>\n<pre tabindex=\"0\">",
                  p->reload_s ? " yet" : "");
        put_markup(p->about->command, out);
        text_add(out, "</pre>\n");
    }
    for (size_t i = 0; i < p->count; i++) {
        put_across(p, i, out);
        put_set(p, i, out);
    }
    text_add(out,
             "</main>\n<div id=\"told\" role=\"status\" aria-live=\"polite\"></div>\n<script>");
    text_add(out, page_script);
    text_add(out, "</script>\n</body></html>\n");
}
