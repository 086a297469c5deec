// A bench as a table (text or Markdown), JSON and JUnit's XML. The verdicts are the workflow's; a configuration that fails is
// a loss where the baseline has a time of it.
#include "base/fields.h"
#include "report/bench_report.h"

#include "report/junit.h"
#include "report/table.h"
#include "report/units.h"
#include "report/values.h"

#include <math.h>

// ---- what is shown -----------------------------------------------------------------------------

// "ok", "gain", "loss", "undecided", "failed"; NULL: not compared with a baseline.
static const char *bench_verdict(const struct benchmark_record *n)
{
    return n->failure ? "failed" : n->judged ? regression_text(n->regression.verdict) : NULL;
}

static bool is_lost(const struct bench_report *v, const struct benchmark_record *n)
{
    bool fails = n->failure && v->path && !v->unfit;
    return fails || (n->judged && n->regression.verdict == REGRESSION_LOSS);
}

uint32_t bench_losses(const struct bench_report *v)
{
    uint32_t losses = 0;
    for (uint32_t i = 0; i < v->count; i++)
        losses += is_lost(v, &v->records[i]);
    return losses;
}

static const char *point_name(const struct bench_report_point *p)
{
    return p->constants[0]       ? p->constants
           : p->configuration[0] ? p->configuration
                                 : "(the only configuration)";
}

// "+4.9 % [+3.2 .. +6.6]", of a mere range "(+3.2 .. +6.6)".
static void put_change(const struct stats_ratio *r, struct text *out)
{
    text_addf(out, "%+.1f %% %c%+.1f .. %+.1f%c", 100 * (r->ratio - 1), r->interval ? '[' : '(',
              100 * (r->low - 1), 100 * (r->high - 1), r->interval ? ']' : ')');
}

// "WIDTH=256: 4.9 % slower [3.2 .. 6.6]", or why it failed.
static void put_loss(const struct bench_report *v, const struct benchmark_record *n,
                     struct text *out)
{
    text_addf(out, "%s: ", point_name(&v->points[n->point]));
    if (n->failure)
        text_addf(out, "%s: %s", result_word(n->failure), n->failure->message);
    else
        put_change(&n->regression.ratio, out);
}

static void write_bench_head(const void *report, struct text *out)
{
    const struct bench_report *v = report;
    report_device(v->device, out);
    text_addf(out, "Bench: %s, ", v->spec->name);
    put_count(v->point_count, "configuration", out);
    if (v->path)
        text_addf(out, ", against %s (%s, hone %s)", v->path, v->baseline->date,
                  v->baseline->hone_version);
    text_add(out, "\n\n");
}

// ---- the table ---------------------------------------------------------------------------------

enum column { CONSTANTS, CONFIGURATION, BEFORE, NOW, SPREAD, CHANGE, VERDICT, COLUMNS };

static void fill_row(const struct bench_report *v, const struct benchmark_record *n,
                     struct table *t)
{
    char number[UNITS_SIZE];
    const struct bench_report_point *p = &v->points[n->point];
    table_row(t);
    table_cell(t, CONSTANTS, "%s", p->constants);
    table_cell(t, CONFIGURATION, "%s", p->configuration);
    if (n->judged) {
        duration_to_str(n->before_ns, number);
        table_cell(t, BEFORE, "%s", number);
        put_change(&n->regression.ratio, table_text(t, CHANGE));
    }
    if (n->pass_count > 0) {
        duration_to_str(n->stats.median, number);
        table_cell(t, NOW, "%s", number);
        report_interval(&n->stats, table_text(t, SPREAD));
    }
    const char *verdict = bench_verdict(n);
    table_cell(t, VERDICT, "%s%s",
               is_lost(v, n) ? "LOSS"
               : verdict     ? verdict
                             : "",
               is_lost(v, n) && n->failure ? ": fails" : "");
}

// ---- sentences ---------------------------------------------------------------------------------

static void put_verdicts(const struct bench_report *v, struct text *out)
{
    uint32_t held = 0, losses = bench_losses(v), undecided = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        held += v->records[i].judged || is_lost(v, &v->records[i]);
        undecided +=
            v->records[i].judged && v->records[i].regression.verdict == REGRESSION_UNDECIDED;
    }
    if (v->unfit)
        text_addf(out, "Nothing was compared with %s: %s\n", v->path, v->unfit);
    for (uint32_t i = 0; i < v->count && losses > 0; i++) {
        if (!is_lost(v, &v->records[i]))
            continue;
        text_add(out, "Loss: ");
        put_loss(v, &v->records[i], out);
        text_add(out, "\n");
    }
    if (held == 0)
        return;
    put_share(losses, held, "configuration", out);
    text_addf(out, " lost more than %.3g %% (intervals of %.3g %% together)", 100 * v->loss,
              100 * v->level);
    if (undecided > 0)
        text_addf(out, "; of %u a loss cannot be excluded: more passes would tell (--repeats)",
                  (unsigned)undecided);
    text_add(out, "\n");
}

// Do all move alike? Then it is likelier the machine than a kernel.
static void put_common_change(const struct bench_report *v, struct text *out)
{
    double sum = 0, least = INFINITY, most = -INFINITY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        if (!v->records[i].judged || v->records[i].beside)
            continue;
        double change = log(v->records[i].regression.ratio.ratio);
        sum += change;
        least = fmin(least, change);
        most = fmax(most, change);
        count++;
    }
    if (count > 2 && most - least < 0.015 && fabs(sum / count) > 0.015)
        text_addf(out,
                  "All changed alike, by %+.1f %%: look at the machine (clock, load, temperature) "
                  "before the kernels\n",
                  100 * (exp(sum / count) - 1));
}

// Reports that a baseline of one moment does not show what changes from one moment to the next.
static void put_moments(const struct bench_report *v, struct text *out)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const struct benchmark_record *n = &v->records[i];
        if (!n->judged || n->beside || n->regression.moments > 1)
            continue;
        text_addf(out,
                  "The baseline is of one moment: what changes from one to the next is not known, "
                  "and no gain is reported. Save another one at another time into the same file "
                  "(--output %s)\n",
                  v->path);
        return;
    }
}

static void put_state(const char *what, double then, double now, const char *unit, struct text *out)
{
    if (then > 0 && now > 0)
        text_addf(out, "%s%s %.4g then, %.4g%s now", out->length ? "; " : "", what, then, now,
                  unit);
}

// Load, clock and temperature of both, so that a machine that differs is not taken for a kernel that does.
static void put_states(const struct bench_report *v, struct text *out)
{
    struct text line = TEXT_INIT;
    for (uint32_t i = 0; i < v->count && line.length == 0; i++) { // the others saw the same machine
        const struct benchmark_record *n = &v->records[i];
        if (!n->judged)
            continue;
        put_state("load", n->before.load / 100.0, n->now.load / 100.0, "", &line);
        put_state("clock", n->before.mhz, n->now.mhz, " MHz", &line);
        put_state("temperature", n->before.celsius, n->now.celsius, " degrees Celsius", &line);
        if (line.length)
            text_addf(out, "Machine: %s%s\n", text_cstr(&line),
                      n->beside ? "; both codes were launched now"
                      : n->is_other_state
                          ? ": too different for a gain, and for the usual intervals"
                          : "");
    }
    out->failed |= line.failed;
    text_release(&line);
}

static void put_bench_sentences(const struct bench_report *v, struct text *out)
{
    char span[UNITS_SIZE];
    for (uint32_t i = 0; i < v->count; i++) {
        const struct bench_report_point *p = &v->points[v->records[i].point];
        if (p->note)
            text_addf(out, "%s: %s\n", point_name(p), p->note);
        if (v->records[i].why_sessions)
            text_addf(
                out,
                "%s: the baseline's times are compared, since its code cannot be launched: %s\n",
                point_name(p), v->records[i].why_sessions);
        if (v->records[i].failure && !is_lost(v, &v->records[i]))
            text_addf(out, "%s: %s: %s\n", point_name(p), result_word(v->records[i].failure),
                      v->records[i].failure->message);
    }
    put_verdicts(v, out);
    put_moments(v, out);
    put_common_change(v, out);
    if (v->is_source_other)
        text_add(out, "The kernel's source has changed since the baseline\n");
    put_states(v, out);
    span_to_str(v->progress.common.elapsed_ns, span);
    text_addf(out, "%u passes of %u rounds in %s%s\n", (unsigned)v->progress.passes,
              (unsigned)v->rounds, span, v->progress.common.cancelled ? "; ended early" : "");
    if (v->saved)
        text_addf(out, "Baseline: %s\n", v->saved);
}

static void put_bench(const struct bench_report *v, enum report_format format, struct text *out)
{
    static const struct table_column columns_of[COLUMNS] = {
        [CONSTANTS] = {"constants", ALIGN_LEFT}, [CONFIGURATION] = {"configuration", ALIGN_LEFT},
        [BEFORE] = {"baseline", ALIGN_RIGHT},    [NOW] = {"now", ALIGN_RIGHT},
        [SPREAD] = {"of passes", ALIGN_LEFT},    [CHANGE] = {"change", ALIGN_LEFT},
        [VERDICT] = {"verdict", ALIGN_LEFT}};
    struct table t;
    table_init(&t, columns_of, COLUMNS);
    for (uint32_t i = 0; i < v->count; i++)
        fill_row(v, &v->records[i], &t);
    if (v->count > 0) {
        table_print(&t, format, "", out);
        text_add(out, format == REPORT_MARKDOWN ? "" : "\n"); // which ends a table with one
    }
    table_release(&t);
    put_bench_sentences(v, out);
    if (v->about->broken) // beside a text the reason is the error
        text_addf(out, "Broken off%s%s\n", format == REPORT_MARKDOWN ? ": " : "",
                  format == REPORT_MARKDOWN ? v->about->broken : "");
}

// ---- JSON --------------------------------------------------------------------------------------

static void put_passes(struct emit *j, const struct baseline_pass *passes, uint32_t count)
{
    emit_array(j);
    for (uint32_t i = 0; i < count; i++) {
        emit_array(j);
        for (uint32_t k = 0; k < passes[i].count; k++)
            emit_u64(j, passes[i].samples_ns[k]);
        emit_array_end(j);
    }
    emit_array_end(j);
}

static void emit_passes(const void *record, const void *context, struct emit *j)
{
    const struct benchmark_record *n = record;
    (void)context;
    put_passes(j, n->passes, n->pass_count);
}

static void emit_beside(const void *record, const void *context, struct emit *j)
{
    const struct benchmark_record *n = record;
    (void)context;
    put_passes(j, n->beside, n->beside ? n->pass_count : 0);
}

#define POINT    c->points[v->point]
#define CHANGE   v->regression.ratio
#define LOAD(of) (v->of.load ? v->of.load / 100.0 : NAN)
#define BENCH_ROW(X)                                                                               \
    X(PUT, constants, (emit_constants, POINT.spec), "{}", "")                                      \
    X(JSON, configuration, (POINT.configuration_json), "{}", "")                                   \
    X(TEXT, status, (status_text(v->failure ? v->failure->status : STATUS_CORRECT)), "", "")       \
    X(TEXT, verdict, (bench_verdict(v)), "",                                                       \
      "ok, gain, loss, undecided, failed; null: compared with nothing")                            \
    X(F64, median_ns, (v->pass_count ? v->stats.median : NAN), "ns", "of the passes' medians")     \
    X(PAIR, range_ns, (v->pass_count > 0, v->stats.least, v->stats.most), "ns", "of these")        \
    X(U64, passes, (v->pass_count), "", "")                                                        \
    X(PUT, samples_ns, (emit_passes, v), "[[]]", "a list a pass, in ns")                           \
    X(PUT, baseline_samples_ns, (emit_beside, v), "[[]]", "likewise, of its code, interleaved")    \
    X(F64, baseline_ns, (v->judged ? v->before_ns : NAN), "ns", "")                                \
    X(F64, ratio, (v->judged ? CHANGE.ratio : NAN), "", "to the baseline")                         \
    X(PAIR, ratio_interval, (v->judged && CHANGE.interval, CHANGE.low, CHANGE.high), "",           \
      "null: too few passes")                                                                      \
    X(KNOWN, mhz, (v->now.mhz, v->now.mhz), "MHz", "")                                             \
    X(KNOWN, baseline_mhz, (v->before.mhz, v->before.mhz), "MHz", "")                              \
    X(F64, load, (LOAD(now)), "", "load average")                                                  \
    X(F64, baseline_load, (LOAD(before)), "", "")                                                  \
    X(U64, baseline_moments, (v->regression.moments), "", "that it was measured at")               \
    X(BOOL, beside, (v->beside != NULL), "", "interleaved with the baseline's code")               \
    X(TEXT, why_sessions, (v->why_sessions), "", "why not")                                        \
    X(TEXT, note, (POINT.note), "", "")                                                            \
    X(TEXT, message, (v->failure ? v->failure->message : NULL), "", "")
FIELDS(bench_row_fields, struct benchmark_record, struct bench_report, BENCH_ROW)

#define BASELINE(X)                                                                                \
    X(TEXT, file, (v->path), "", "")                                                               \
    X(TEXT, date, (v->baseline->date), "", "")                                                     \
    X(TEXT, hone, (v->baseline->hone_version), "", "its version")                                  \
    X(TEXT, device, (v->baseline->device.name), "", "")                                            \
    X(TEXT, driver, (v->baseline->device.driver), "", "")                                          \
    X(TEXT, unfit, (v->unfit), "", "why nothing is compared with it")
FIELDS(baseline_fields, struct bench_report, void, BASELINE)

#define BENCH(X)                                                                                   \
    X(MEMBERS, about, (report_about_fields, v->about), "", "")                                     \
    X(TEXT, spec, (v->spec->path), "", "")                                                         \
    X(RECORD, device, (report_device_fields, v->device), "", "")                                   \
    X(RECORD, baseline, (baseline_fields, v->path ? v : NULL), "", "")                             \
    X(F64, fail_if, (v->loss), "", "so much slower")                                               \
    X(F64, level, (v->level), "", "of the decisions")                                              \
    X(RECORDS, rows, (bench_row_fields, v->records, v->count), "", "")                             \
    X(U64, losses, (bench_losses(v)), "", "")                                                      \
    X(TEXT, saved, (v->saved), "", "the file of the new baseline")                                 \
    X(U64, elapsed_ns, (v->progress.common.elapsed_ns), "ns", "")                                  \
    X(BOOL, cancelled, (v->progress.common.cancelled), "", "")                                     \
    X(TEXT, error, (v->about->broken), "", "")
FIELDS_SHARED(report_bench_fields, struct bench_report, struct bench_report, BENCH)

// ---- JUnit -------------------------------------------------------------------------------------

static void bench_case(const struct bench_report *v, const struct benchmark_record *n,
                       struct text *out)
{
    const struct bench_report_point *p = &v->points[n->point];
    struct text name = TEXT_INIT, message = TEXT_INIT;
    text_addf(&name, "%s%s%s", p->constants, p->constants[0] ? ": " : "", p->configuration);
    junit_case(v->spec->name, text_cstr(&name), out);
    if (is_lost(v, n) || n->failure) {
        put_loss(v, n, &message);
        junit_failure(n->failure ? result_word(n->failure) : "loss", text_cstr(&message),
                      n->failure ? n->failure->log : "", out);
    } else if (!n->judged) {
        junit_skipped(v->unfit  ? v->unfit
                      : p->note ? p->note
                                : "measured, and compared with nothing",
                      out);
    } else if (n->regression.verdict == REGRESSION_UNDECIDED) {
        text_add(&message, "a loss cannot be excluded: ");
        put_change(&n->regression.ratio, &message);
        junit_skipped(text_cstr(&message), out);
    }
    text_add(out, "  </testcase>\n");
    out->failed |= name.failed || message.failed;
    text_release(&name);
    text_release(&message);
}

static void write_bench_junit(const void *report, struct text *out)
{
    const struct bench_report *v = report;
    const char *why = v->about->broken               ? v->about->broken
                      : v->progress.common.cancelled ? "ended by a signal"
                                                     : NULL;
    uint32_t failures = 0;
    for (uint32_t i = 0; i < v->count; i++)
        failures += is_lost(v, &v->records[i]) || v->records[i].failure;
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite");
    junit_attribute("name", v->spec->name, out);
    text_addf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\"",
              (unsigned)(v->count + (why != NULL)), (unsigned)failures, (unsigned)(why != NULL));
    junit_attribute("timestamp", v->about->date, out);
    junit_attribute("hostname", v->about->host, out);
    text_add(out, ">\n");
    for (uint32_t i = 0; i < v->count; i++)
        bench_case(v, &v->records[i], out);
    if (why)
        junit_incomplete(v->spec->name, why, out);
    text_add(out, "</testsuite>\n</testsuites>\n");
}

// ---- the writers -------------------------------------------------------------------------------

static void write_bench_text(const void *report, struct text *out)
{
    put_bench(report, REPORT_TEXT, out);
}

// With a title, because it is one part of a job's summary.
static void write_bench_markdown(const void *report, struct text *out)
{
    const struct bench_report *v = report;
    uint32_t losses = bench_losses(v);
    text_addf(out, "### hone bench %s on %s: ", v->spec->name, v->device->name);
    if (losses > 0)
        text_addf(out, "%u loss%s\n\n", (unsigned)losses, losses == 1 ? "" : "es");
    else
        text_add(out, v->path && !v->unfit ? "no loss\n\n" : "measured\n\n");
    put_bench(v, REPORT_MARKDOWN, out);
}

const writers bench_writers = {
    [REPORT_TEXT] = {.head = write_bench_head, .end = write_bench_text},
    [REPORT_JSON] = {.end_fields = &report_bench_fields},
    [REPORT_MARKDOWN] = {.end = write_bench_markdown},
    [REPORT_JUNIT] = {.end = write_bench_junit},
};
