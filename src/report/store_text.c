// Reports the contents of a store as text and JSON.
#include "base/fields.h"
#include "report/report.h"
#include "report/table.h"
#include "report/units.h"

#include <stdio.h>

// "2026-05-01 17:20" of "2026-05-01T17:20:11.123Z".
static void date_to_str(const char *date, char out[UNITS_SIZE])
{
    snprintf(out, UNITS_SIZE, "%.10s %.5s", date, date[0] ? date + 11 : "");
}

static const struct table_column spec_columns[] = {{"spec", ALIGN_LEFT},
                                                   {"configurations", ALIGN_RIGHT},
                                                   {"results", ALIGN_RIGHT},
                                                   {"correct", ALIGN_RIGHT},
                                                   {"newest", ALIGN_LEFT}};

static const struct table_column device_columns[] = {{"device", ALIGN_LEFT},
                                                     {"platform", ALIGN_LEFT},
                                                     {"driver", ALIGN_LEFT},
                                                     {"results", ALIGN_RIGHT},
                                                     {"newest", ALIGN_LEFT}};

static void put_devices(const struct store_summary *s, enum report_format format, struct text *out)
{
    struct table t;
    char date[UNITS_SIZE];
    table_init(&t, device_columns, sizeof device_columns / sizeof *device_columns);
    for (size_t i = 0; i < s->device_count; i++) {
        const struct store_device_summary *d = &s->devices[i];
        date_to_str(d->newest, date);
        table_row(&t);
        table_cell(&t, 0, "%s", d->name);
        table_cell(&t, 1, "%s", d->platform);
        table_cell(&t, 2, "%s", d->driver);
        table_cell(&t, 3, "%llu", (unsigned long long)d->results);
        table_cell(&t, 4, "%s", date);
    }
    text_addc(out, '\n');
    table_end(&t, format, "", out);
}

static void put_counts(const struct store_summary *s, struct text *out)
{
    const char *separator = ": ";
    put_count(s->results, "result", out);
    for (unsigned status = 0; status < STATUS_COUNT; status++) {
        if (!s->by_status[status])
            continue;
        text_addf(out, "%s%llu %s", separator, (unsigned long long)s->by_status[status],
                  status_text((enum status)status));
        separator = ", ";
    }
    text_addc(out, '\n');
    if (s->earlier)
        text_addf(out, "%llu of them were measured by earlier rules and are not reused\n",
                  (unsigned long long)s->earlier);
}

static void write_store(const void *report, struct text *out)
{
    const struct store_report *v = report;
    const struct store_summary *s = v->summary;
    char size[UNITS_SIZE], oldest[UNITS_SIZE], newest[UNITS_SIZE];
    bytes_to_str(s->file_bytes, size);
    date_to_str(s->oldest, oldest);
    date_to_str(s->newest, newest);
    text_addf(out, "%s: %s\n", v->path, size);
    put_counts(s, out);
    if (s->results == 0)
        return;
    put_count(s->jobs, "job", out);
    text_add(out, " in ");
    put_count(s->sessions, "session", out);
    text_addf(out, ", from %s to %s (UTC)\n", oldest, newest);
    struct table t;
    char date[UNITS_SIZE];
    table_init(&t, spec_columns, sizeof spec_columns / sizeof *spec_columns);
    for (size_t i = 0; i < s->spec_count; i++) {
        const struct store_spec_summary *spec = &s->specs[i];
        date_to_str(spec->newest, date);
        table_row(&t);
        table_cell(&t, 0, "%s", spec->name);
        table_cell(&t, 1, "%llu", (unsigned long long)spec->configurations);
        table_cell(&t, 2, "%llu", (unsigned long long)spec->results);
        table_cell(&t, 3, "%llu", (unsigned long long)spec->correct);
        table_cell(&t, 4, "%s", date);
    }
    text_addc(out, '\n');
    table_end(&t, v->format, "", out);
    put_devices(s, v->format, out);
}

static void write_verified(const void *report, struct text *out)
{
    const struct store_report *v = report;
    const struct store_checked *c = v->checked;
    for (size_t i = 0; i < v->problem_count; i++) {
        const struct store_problem *p = &v->problems[i];
        text_addf(out, "%s%s%s: %s\n", p->table, *p->row ? " " : "", p->row, p->what);
    }
    if (c->problems > v->problem_count)
        text_addf(out, "... and %llu more\n", (unsigned long long)(c->problems - v->problem_count));
    text_addf(out, "%s: %llu results, %llu jobs, %llu sessions and %llu sets of texts: ", v->path,
              (unsigned long long)c->results, (unsigned long long)c->jobs,
              (unsigned long long)c->sessions, (unsigned long long)c->texts);
    if (c->problems)
        text_addf(out,
                  "%llu problem%s; restore a copy, or import this store's good rows from one\n",
                  (unsigned long long)c->problems, c->problems == 1 ? "" : "s");
    else
        text_add(out, "all is well\n");
}

static void write_pruned(const void *report, struct text *out)
{
    const struct store_report *v = report;
    const struct store_pruned *p = v->pruned;
    char before[UNITS_SIZE], after[UNITS_SIZE];
    text_addf(out, "%s: %s ", v->path, v->removed ? "removed" : "this removes");
    put_share(p->results, p->results_before, "result", out);
    text_add(out, ", with ");
    put_count(p->jobs, "job", out);
    text_add(out, " and ");
    put_count(p->sessions, "session", out);
    bytes_to_str(p->bytes_before, before);
    bytes_to_str(p->bytes_after, after);
    if (v->removed)
        text_addf(out, "; the file took %s and takes %s", before, after);
    text_add(out, "\n");
}

// ---- JSON --------------------------------------------------------------------------------------

#define STORED_SPEC(X)                                                                             \
    X(TEXT, spec, (v->name), "", "")                                                               \
    X(U64, configurations, (v->configurations), "", "")                                            \
    X(U64, results, (v->results), "", "")                                                          \
    X(U64, correct, (v->correct), "", "")                                                          \
    X(TEXT, newest, (v->newest), "", "")
FIELDS(stored_spec_fields, struct store_spec_summary, void, STORED_SPEC)

#define STORED_DEVICE(X)                                                                           \
    X(TEXT, device, (v->name), "", "")                                                             \
    X(TEXT, platform, (v->platform), "", "")                                                       \
    X(TEXT, driver, (v->driver), "", "")                                                           \
    X(U64, results, (v->results), "", "")                                                          \
    X(TEXT, newest, (v->newest), "", "")
FIELDS(stored_device_fields, struct store_device_summary, void, STORED_DEVICE)

#define HELD v->summary
#define STORED(X)                                                                                  \
    X(TEXT, store, (v->path), "", "")                                                              \
    X(U64, bytes, (HELD->file_bytes), "bytes", "")                                                 \
    X(U64, results, (HELD->results), "", "")                                                       \
    X(RECORD, counts, (report_counts_fields, HELD->by_status), "", "")                             \
    X(U64, earlier, (HELD->earlier), "", "results that were measured by earlier rules")            \
    X(U64, jobs, (HELD->jobs), "", "")                                                             \
    X(U64, sessions, (HELD->sessions), "", "")                                                     \
    X(TEXT, oldest, (HELD->results ? HELD->oldest : NULL), "", "")                                 \
    X(TEXT, newest, (HELD->results ? HELD->newest : NULL), "", "")                                 \
    X(RECORDS, specs, (stored_spec_fields, HELD->specs, HELD->spec_count), "", "")                 \
    X(RECORDS, devices, (stored_device_fields, HELD->devices, HELD->device_count), "", "")
FIELDS_SHARED(report_store_fields, struct store_report, void, STORED)

#define PROBLEM(X)                                                                                 \
    X(TEXT, table, (v->table), "", "")                                                             \
    X(SOME, row, (v->row), "", "")                                                                 \
    X(TEXT, problem, (v->what), "", "")
FIELDS(problem_fields, struct store_problem, void, PROBLEM)

#define VERIFIED(X)                                                                                \
    X(RECORDS, problems, (problem_fields, v->problems, v->problem_count), "", "the first 100")     \
    X(TEXT, store, (v->path), "", "")                                                              \
    X(U64, results, (v->checked->results), "", "")                                                 \
    X(U64, jobs, (v->checked->jobs), "", "")                                                       \
    X(U64, sessions, (v->checked->sessions), "", "")                                               \
    X(U64, texts, (v->checked->texts), "", "")                                                     \
    X(U64, problem_count, (v->checked->problems), "", "")
FIELDS_SHARED(report_verify_fields, struct store_report, void, VERIFIED)

#define PRUNED(X)                                                                                  \
    X(TEXT, store, (v->path), "", "")                                                              \
    X(BOOL, removed, (v->removed), "", "else this is what would be")                               \
    X(U64, results, (v->pruned->results), "", "removed")                                           \
    X(U64, results_before, (v->pruned->results_before), "", "")                                    \
    X(U64, jobs, (v->pruned->jobs), "", "removed")                                                 \
    X(U64, sessions, (v->pruned->sessions), "", "removed")                                         \
    X(U64, bytes_before, (v->pruned->bytes_before), "bytes", "of the file")                        \
    X(U64, bytes_after, (v->pruned->bytes_after), "bytes", "")
FIELDS_SHARED(report_prune_fields, struct store_report, void, PRUNED)

const writers store_writers = {[REPORT_TEXT] = {.end = write_store},
                               [REPORT_JSON] = {.end_fields = &report_store_fields},
                               [REPORT_MARKDOWN] = {.end = write_store}};
const writers store_verify_writers = {[REPORT_TEXT] = {.end = write_verified},
                                      [REPORT_JSON] = {.end_fields = &report_verify_fields},
                                      [REPORT_MARKDOWN] = {.end = write_verified}};
const writers store_prune_writers = {[REPORT_TEXT] = {.end = write_pruned},
                                     [REPORT_JSON] = {.end_fields = &report_prune_fields},
                                     [REPORT_MARKDOWN] = {.end = write_pruned}};
