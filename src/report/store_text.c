// What is in a store, as text and JSON.
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

static void put_specs(const struct store_summary *s, struct text *out)
{
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
    table_print(&t, "", out);
    table_release(&t);
}

static const struct table_column device_columns[] = {{"device", ALIGN_LEFT},
                                                     {"platform", ALIGN_LEFT},
                                                     {"driver", ALIGN_LEFT},
                                                     {"results", ALIGN_RIGHT},
                                                     {"newest", ALIGN_LEFT}};

static void put_devices(const struct store_summary *s, struct text *out)
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
    table_print(&t, "", out);
    table_release(&t);
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
        text_addf(out,
                  "%llu of them were measured in an earlier way and answer for nothing any more\n",
                  (unsigned long long)s->earlier);
}

void report_store(const char *path, const struct store_summary *s, struct text *out)
{
    char size[UNITS_SIZE], oldest[UNITS_SIZE], newest[UNITS_SIZE];
    bytes_to_str(s->file_bytes, size);
    date_to_str(s->oldest, oldest);
    date_to_str(s->newest, newest);
    text_addf(out, "%s: %s\n", path, size);
    put_counts(s, out);
    if (s->results == 0)
        return;
    put_count(s->jobs, "job", out);
    text_add(out, " in ");
    put_count(s->sessions, "session", out);
    text_addf(out, ", from %s to %s (UTC)\n", oldest, newest);
    put_specs(s, out);
    put_devices(s, out);
}

// ---- JSON --------------------------------------------------------------------------------------

static void emit_spec(const struct store_spec_summary *s, struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "spec", s->name);
    emit_u64_at(j, "configurations", s->configurations);
    emit_u64_at(j, "results", s->results);
    emit_u64_at(j, "correct", s->correct);
    emit_text_at(j, "newest", s->newest);
    emit_object_end(j);
}

static void emit_device(const struct store_device_summary *d, struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "device", d->name);
    emit_text_at(j, "platform", d->platform);
    emit_text_at(j, "driver", d->driver);
    emit_u64_at(j, "results", d->results);
    emit_text_at(j, "newest", d->newest);
    emit_object_end(j);
}

void report_store_json(const char *path, const struct store_summary *s, struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "store", path);
    emit_u64_at(j, "bytes", s->file_bytes);
    emit_u64_at(j, "results", s->results);
    emit_key(j, "counts");
    emit_object(j);
    for (unsigned status = 0; status < STATUS_COUNT; status++)
        emit_u64_at(j, status_text((enum status)status), s->by_status[status]);
    emit_object_end(j);
    emit_u64_at(j, "earlier", s->earlier);
    emit_u64_at(j, "jobs", s->jobs);
    emit_u64_at(j, "sessions", s->sessions);
    emit_text_at(j, "oldest", s->results ? s->oldest : NULL);
    emit_text_at(j, "newest", s->results ? s->newest : NULL);
    emit_key(j, "specs");
    emit_array(j);
    for (size_t i = 0; i < s->spec_count; i++)
        emit_spec(&s->specs[i], j);
    emit_array_end(j);
    emit_key(j, "devices");
    emit_array(j);
    for (size_t i = 0; i < s->device_count; i++)
        emit_device(&s->devices[i], j);
    emit_array_end(j);
    emit_object_end(j);
}
