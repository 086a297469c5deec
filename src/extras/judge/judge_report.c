// Verdicts for readers: a table, those that are faster first, by the lower end of their intervals; and records for scripts.
#include "extras/judge/judge_report.h"

#include "report/junit.h"
#include "report/report.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVIDENCE_MOST 100 // bytes of it in the table, without --verbose

bool judge_has_right(const struct judge_report *v)
{
    const uint64_t *counts = v->progress.by_verdict;
    return counts[JUDGE_FASTER] + counts[JUDGE_SAME] + counts[JUDGE_SLOWER] > 0;
}

// ---- the head ----------------------------------------------------------------------------------

static void write_judge_head(const void *report, struct text *out)
{
    const struct judge_report *v = report;
    const struct judging_progress *p = &v->progress;
    report_device(v->device, out);
    text_addf(out, "%zu candidate%s for %s", v->count, v->count == 1 ? "" : "s", v->spec->name);
    text_addf(out, ", against its own kernel%s%s\n", p->baseline[0] ? " at " : "", p->baseline);
    for (uint32_t i = 0; i < p->check_count; i++)
        text_addf(out, "%s%s%s", i ? "; " : "Verified at ",
                  p->checks[i].label[0] ? p->checks[i].label : "the spec's size",
                  p->checks[i].timed ? " (timed)" : "");
    text_addf(out, "\nThey run %s%s\n\n",
              p->sandbox[0] ? "in a sandbox: " : "WITHOUT A SANDBOX, as you", p->sandbox);
}

// ---- the table ---------------------------------------------------------------------------------

static int rank_of(const struct judge_record *r)
{
    return r->timed ? 0 : 1;
}

// By the score, which is the lower end of the interval; then as they were given.
static int by_score(const void *a, const void *b)
{
    const struct judge_record *x = *(const struct judge_record *const *)a;
    const struct judge_record *y = *(const struct judge_record *const *)b;
    if (rank_of(x) != rank_of(y))
        return rank_of(x) - rank_of(y);
    if (x->timed && x->verdict != y->verdict)
        return x->verdict < y->verdict ? -1 : 1;
    if (x->timed && x->speedup.low != y->speedup.low)
        return x->speedup.low > y->speedup.low ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void put_speedup(const struct stats_ratio *r, struct text *out)
{
    text_addf(out, "%.3f ", r->ratio);
    put_range(r->low, r->high, 3, r->interval, out);
}

// Bytes of a text that is cut, at a character.
static size_t cut_length(const struct text *t, size_t most)
{
    size_t length = t->length < most ? t->length : most;
    while (length > 0 && length < t->length && (t->data[length] & 0xC0) == 0x80)
        length--;
    return length;
}

static void put_evidence(const struct judge_report *v, const struct judge_record *r,
                         struct text *out)
{
    struct text all = TEXT_INIT;
    if (r->at)
        text_addf(&all, "at %s: ", r->at);
    if (r->evidence[0])
        text_add_visible(&all, r->evidence, strlen(r->evidence), false);
    else if (r->same_as)
        text_addf(&all, "the code of %s", r->same_as->candidate->name);
    else if (r->variants > 1)
        text_addf(&all, "with %s, of %u variants", r->candidate->values, (unsigned)r->variants);
    if (r->unverified)
        text_addf(&all, "%snot verified at %s", all.length ? "; " : "", r->unverified);
    if (r->policies)
        text_addf(&all, "%sits PTX asks of the caches: %s", all.length ? "; " : "", r->policies);
    size_t length = cut_length(&all, v->verbose ? SIZE_MAX : EVIDENCE_MOST);
    text_addn(out, text_cstr(&all), length);
    text_add(out, length < all.length ? " ..." : "");
    text_release(&all);
}

// On a screen, why a candidate is out stands under it: beside it there is no room.
static void add_verdict(const struct judge_report *v, const struct judge_record *r, bool is_screen,
                        struct table *t)
{
    const bool is_under = is_screen && r->evidence[0];
    struct text speedup = TEXT_INIT, evidence = TEXT_INIT, name = TEXT_INIT;
    if (r->timed)
        put_speedup(&r->speedup, &speedup);
    put_evidence(v, r, &evidence);
    text_add_visible(&name, r->candidate->name, strlen(r->candidate->name), false);
    table_row(t);
    table_cell(t, 0, "%s", text_cstr(&name));
    table_cell(t, 1, "%s", judge_verdict_text(r->verdict));
    table_cell(t, 2, "%s", text_cstr(&speedup));
    if (is_under)
        table_note(t, 0, "  %s", text_cstr(&evidence));
    else
        table_cell(t, 3, "%s", text_cstr(&evidence));
    for (uint32_t i = 0; r->timed && r->time_count > 1 && i < r->time_count; i++) {
        struct text line = TEXT_INIT;
        text_addf(&line, "%s: ", r->times[i].label);
        put_speedup(&r->times[i].speedup, &line);
        table_note(t, 2, "%s", text_cstr(&line));
        text_release(&line);
    }
    t->failed = t->failed || speedup.failed || evidence.failed || name.failed;
    text_release(&speedup);
    text_release(&evidence);
    text_release(&name);
}

static void put_verdicts(const struct judge_report *v, enum report_format format, struct text *out)
{
    static const struct table_column titles[] = {{"candidate", ALIGN_LEFT},
                                                 {"verdict", ALIGN_LEFT},
                                                 {"speed-up", ALIGN_LEFT},
                                                 {"", ALIGN_LEFT}};
    const struct judge_record **list = calloc(v->count + 1, sizeof(struct judge_record *));
    struct table t;
    size_t count = 0;
    for (size_t i = 0; list && i < v->count; i++) {
        if (v->records[i])
            list[count++] = v->records[i];
    }
    table_init(&t, titles, sizeof titles / sizeof *titles);
    if (list)
        qsort(list, count, sizeof(struct judge_record *), by_score);
    for (size_t i = 0; i < count; i++)
        add_verdict(v, list[i], format == REPORT_TEXT, &t);
    if (count > 0)
        table_print(&t, format, "", out);
    out->failed |= t.failed || !list;
    table_release(&t);
    free(list);
}

static const char *floor_source(const struct judge_time *t)
{
    return t->floor.is_by_peak ? "the measured peak of its memory" : "its clock";
}

// Floors of the timed sizes, the same for all.
static void put_floors(const struct judge_report *v, struct text *out)
{
    const struct judge_record *r = NULL;
    for (size_t i = 0; i < v->count && !r; i++)
        r = v->records[i] && v->records[i]->timed ? v->records[i] : NULL;
    for (uint32_t i = 0; r && i < r->time_count; i++) {
        const struct judge_time *t = &r->times[i];
        if (!(t->floor.ns >= 1))
            continue;
        text_addf(
            out,
            "To write the output%s%s takes %.1f us at least, by %s; the baseline takes %.1f us\n",
            t->label[0] ? " at " : "", t->label, t->floor.ns / 1e3, floor_source(t),
            t->baseline_ns / 1e3);
    }
}

static void put_totals(const struct judge_report *v, struct text *out)
{
    const struct judging_progress *p = &v->progress;
    uint32_t unused = 0;
    text_addf(out, "%llu of %zu judged", (unsigned long long)p->common.done, v->count);
    for (int i = 0; i < JUDGE_VERDICT_COUNT; i++) {
        if (p->by_verdict[i])
            text_addf(out, ", %llu %s", (unsigned long long)p->by_verdict[i],
                      judge_verdict_text(i));
    }
    text_add(out, "\n");
    if (p->finalists > 0)
        text_addf(out,
                  "%zu measured twice: the second time counts, with intervals of %g %% that hold "
                  "together\n",
                  p->finalists, 100 * p->level);
    put_floors(v, out);
    for (uint32_t i = 0; i < p->check_count; i++)
        unused += p->checks[i].why != NULL;
    for (uint32_t i = 0; i < p->check_count && unused; i++) {
        if (p->checks[i].why)
            text_addf(out, "Not judged at %s: %s\n", p->checks[i].label, p->checks[i].why);
    }
}

static void write_judge_end(const void *report, struct text *out)
{
    const struct judge_report *v = report;
    put_verdicts(v, REPORT_TEXT, out);
    text_add(out, "\n");
    put_totals(v, out);
}

static void write_judge_markdown(const void *report, struct text *out)
{
    const struct judge_report *v = report;
    text_addf(out, "### hone judge %s on %s\n\n", v->spec->name, v->device->name);
    put_verdicts(v, REPORT_MARKDOWN, out);
    put_totals(v, out);
}

// ---- JUnit -------------------------------------------------------------------------------------

static void put_case(const struct judge_report *v, const struct judge_record *r, struct text *out)
{
    junit_case(v->spec->name, r->candidate->name, out);
    if (r->verdict > JUDGE_SLOWER) {
        struct text message = TEXT_INIT;
        text_addf(&message, "%s%s%s", r->at ? r->at : "", r->at ? ": " : "", r->evidence);
        junit_failure(judge_verdict_text(r->verdict), text_cstr(&message), r->log, out);
        out->failed |= message.failed;
        text_release(&message);
    }
    text_add(out, "  </testcase>\n");
}

// A case a candidate, which fails unless it is right.
static void write_judge_junit(const void *report, struct text *out)
{
    const struct judge_report *v = report;
    const char *why = v->about->broken               ? v->about->broken
                      : v->progress.common.cancelled ? "ended by a signal"
                                                     : NULL;
    uint64_t failures = 0;
    size_t judged = 0;
    for (int i = JUDGE_SLOWER + 1; i < JUDGE_VERDICT_COUNT; i++)
        failures += v->progress.by_verdict[i];
    for (size_t i = 0; i < v->count; i++)
        judged += v->records[i] != NULL;
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite");
    junit_attribute("name", v->spec->name, out);
    text_addf(out, " tests=\"%zu\" failures=\"%llu\" errors=\"%u\"", judged + (why != NULL),
              (unsigned long long)failures, (unsigned)(why != NULL));
    junit_attribute("timestamp", v->about->date, out);
    junit_attribute("hostname", v->about->host, out);
    text_add(out, ">\n");
    for (size_t i = 0; i < v->count; i++) {
        if (v->records[i])
            put_case(v, v->records[i], out);
    }
    if (why)
        junit_incomplete(v->spec->name, why, out);
    text_add(out, "</testsuite>\n</testsuites>\n");
}

// ---- JSON --------------------------------------------------------------------------------------

static const char *judge_command(const struct judge_report *run, const struct judge_record *v,
                                 struct arena *a)
{
    struct text command = TEXT_INIT;
    run->command(run->context, v, &command);
    return text_to_arena(&command, a);
}

static const char *hex_of(const struct digest *d, bool is_known, struct arena *a)
{
    char hex[65];
    digest_hex(d, hex);
    return is_known ? arena_strdup(a, hex) : NULL;
}

#define JUDGE_TIME(X)                                                                              \
    X(TEXT, size, (v->label), "", "")                                                              \
    X(F64, baseline_ns, (v->timed ? v->baseline_ns : NAN), "ns", "median")                         \
    X(F64, candidate_ns, (v->timed ? v->candidate_ns : NAN), "ns", "")                             \
    X(F64, floor_ns, (v->timed && v->floor.ns > 0 ? v->floor.ns : NAN), "ns",                      \
      "to write the output at all")                                                                \
    X(TEXT, floor_by, (v->timed && v->floor.ns > 0 ? floor_source(v) : NULL), "",                  \
      "the device's clock, or the measured peak of its memory")                                    \
    X(F64, speedup, (v->timed ? v->speedup.ratio : NAN), "", "")                                   \
    X(PAIR, interval, (v->timed && v->speedup.interval, v->speedup.low, v->speedup.high), "", "")
FIELDS(judge_time_fields, struct judge_time, struct judge_report, JUDGE_TIME)

#define JUDGED(X)                                                                                  \
    X(TEXT, type, ("verdict"), "", "")                                                             \
    X(TEXT, candidate, (v->candidate->name), "", "")                                               \
    X(TEXT, sha256, (hex_of(&v->candidate->digest, v->candidate->text, a)), "", "of its text")     \
    X(TEXT, verdict, (judge_verdict_text(v->verdict)), "",                                         \
      "faster, same, slower, incorrect, impossible, cheats, compile, runtime, timeout or invalid") \
    X(F64, score, (v->timed && v->speedup.interval ? v->speedup.low : NAN), "",                    \
      "the lower end of the interval")                                                             \
    X(F64, speedup, (v->timed ? v->speedup.ratio : NAN), "", "geometric mean over the sizes")      \
    X(PAIR, interval, (v->timed && v->speedup.interval, v->speedup.low, v->speedup.high), "", "")  \
    X(BOOL, measured_twice, (v->is_final), "", "the figures are of the second time")               \
    X(RECORDS, sizes, (judge_time_fields, v->times, v->time_count), "", "")                        \
    X(TEXT, at, (v->at), "", "the size or inputs of the evidence")                                 \
    X(SOME, evidence, (v->evidence), "", "")                                                       \
    X(TEXT, not_verified_at, (v->unverified), "",                                                  \
      "hidden sizes that exclude its own values: it has no verdict of these")                      \
    X(SOME, cache_policies, (v->policies ? v->policies : ""), "",                                  \
      "what its PTX asks of the caches, if it was measured twice")                                 \
    X(SOME, log, (v->log), "", "of the build")                                                     \
    X(F64, error, (v->error), "", "largest relative norm of an output")                            \
    X(F64, baseline_error, (v->baseline_error), "", "of the baseline there")                       \
    X(SOME, values, (v->candidate->values), "",                                                    \
      "of parameters that are its own, or its best variant's")                                     \
    X(U64, variants, (v->variants), "", "that were tried")                                         \
    X(TEXT, same_as, (v->same_as ? v->same_as->candidate->name : NULL), "", "the same code")       \
    X(TEXT, command, (judge_command(c, v, a)), "", "that shows it again")
FIELDS_SHARED(judge_fields, struct judge_record, struct judge_report, JUDGED)

static void emit_judge_counts(const void *record, const void *context, struct emit *j)
{
    const struct judge_report *v = record;
    (void)context;
    emit_object(j);
    for (int i = 0; i < JUDGE_VERDICT_COUNT; i++) {
        emit_key(j, judge_verdict_text(i));
        emit_u64(j, v->progress.by_verdict[i]);
    }
    emit_object_end(j);
}

#define JUDGE_CHECK(X)                                                                             \
    X(TEXT, at, (v->label), "", "")                                                                \
    X(BOOL, timed, (v->timed), "", "")                                                             \
    X(BOOL, used, (v->used), "", "")                                                               \
    X(TEXT, why, (v->why), "", "it is not")
FIELDS(judge_check_fields, struct judge_check, struct judge_report, JUDGE_CHECK)

#define JUDGE_SUMMARY(X)                                                                           \
    X(TEXT, type, ("summary"), "", "")                                                             \
    X(MEMBERS, about, (report_about_fields, v->about), "", "")                                     \
    X(TEXT, spec, (v->spec->path), "", "")                                                         \
    X(RECORD, device, (report_device_fields, v->device), "", "")                                   \
    X(TEXT, baseline, (v->progress.baseline), "", "its configuration")                             \
    X(RECORDS, checks, (judge_check_fields, v->progress.checks, v->progress.check_count), "", "")  \
    X(U64, candidates, (v->count), "", "")                                                         \
    X(U64, judged, (v->progress.common.done), "", "")                                              \
    X(PUT, counts, (emit_judge_counts, v), "{}", "")                                               \
    X(U64, finalists, (v->progress.finalists), "", "that were measured twice")                     \
    X(F64, level, (v->progress.level), "", "of the decisions")                                     \
    X(SOME, sandbox, (v->progress.sandbox), "",                                                    \
      "what is withheld from candidates; null: there is none")                                     \
    X(U64, launches, (v->progress.launches), "", "of kernels, in rounds")                          \
    X(U64, elapsed_ns, (v->progress.common.elapsed_ns), "ns", "")                                  \
    X(BOOL, cancelled, (v->progress.common.cancelled), "", "")                                     \
    X(TEXT, error, (v->about->broken), "", "")
FIELDS_SHARED(judge_summary_fields, struct judge_report, struct judge_report, JUDGE_SUMMARY)

const writers judge_writers = {
    [REPORT_TEXT] = {.head = write_judge_head, .end = write_judge_end},
    [REPORT_JSON] = {.record_fields = &judge_fields, .end_fields = &judge_summary_fields},
    [REPORT_MARKDOWN] = {.end = write_judge_markdown},
    [REPORT_JUNIT] = {.end = write_judge_junit},
};
