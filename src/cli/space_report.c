// The report of `hone space`.
#include "cli/space_report.h"
#include "cli/work.h"

#include "report/values.h"
#include "report/table.h"
#include "report/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_VALUES 24

// The most memory that the process has had so far; 0: not known. (getrusage() counts what the
// process was before it became this program.)
static uint64_t peak_bytes(void)
{
    struct text status = TEXT_INIT;
    uint64_t kib = 0;
    if (file_read("/proc/self/status", 1 << 16, &status, NULL)) {
        const char *line = strstr(text_cstr(&status), "VmHWM:");
        kib = line ? strtoull(line + strlen("VmHWM:"), NULL, 10) : 0;
    }
    text_release(&status);
    return kib * 1024;
}

// ---- text --------------------------------------------------------------------------------------

static void put_values(const struct parameter *p, struct text *out)
{
    for (uint32_t i = 0; i < p->count && i < SHOWN_VALUES; i++) {
        text_add(out, i ? " " : "");
        value_print(&p->values[i], out);
    }
    if (p->count > SHOWN_VALUES)
        text_addf(out, " ... (%u values)", p->count);
}

static void put_parameters(const struct spec *s, enum report_format format, struct text *out)
{
    static const struct table_column columns_of[] = {{"parameter", ALIGN_LEFT},
                                                     {"type", ALIGN_LEFT},
                                                     {"default", ALIGN_RIGHT},
                                                     {"values", ALIGN_LEFT}};
    struct table table;
    struct text cell = TEXT_INIT;
    table_init(&table, columns_of, sizeof columns_of / sizeof *columns_of);
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        table_row(&table);
        table_cell(&table, 0, "%s", p->name);
        table_cell(&table, 1, "%s", parameter_type_text(p->type));
        text_clear(&cell);
        value_print(&p->values[p->initial], &cell);
        table_cell(&table, 2, "%s", p->has_default ? text_cstr(&cell) : "-");
        text_clear(&cell);
        put_values(p, &cell);
        table_cell(&table, 3, "%s", text_cstr(&cell));
    }
    table_print(&table, format, "  ", out);
    table_release(&table);
    text_release(&cell);
}

// A count, or nothing where it is not known.
static void put_known(struct table *t, size_t column, uint64_t count)
{
    if (count != UINT64_MAX)
        table_cell(t, column, "%llu", (unsigned long long)count);
}

static void put_restrictions(const struct space *sp, const struct space_details *details,
                             enum report_format format, struct text *out)
{
    static const struct table_column columns_of[] = {{"restriction", ALIGN_LEFT},
                                                     {"excludes alone", ALIGN_RIGHT},
                                                     {"as the last", ALIGN_RIGHT},
                                                     {"no value", ALIGN_RIGHT}};
    const struct space_restriction_stats *stats;
    size_t count = space_restrictions(sp, &stats);
    struct table table;
    table_init(&table, columns_of, sizeof columns_of / sizeof *columns_of);
    for (size_t i = 0; i < count; i++) {
        table_row(&table);
        table_cell(&table, 0, "%s", stats[i].restriction->text);
        put_known(&table, 1, stats[i].alone);
        if (details)
            put_known(&table, 2, details->last[i]);
        if (stats[i].faults > 0)
            table_cell(&table, 3, "%llu", (unsigned long long)stats[i].faults);
    }
    table_print(&table, format, "  ", out);
    table_release(&table);
}

static void put_groups(const struct space *sp, const struct space_details *details,
                       enum report_format format, struct text *out)
{
    static const struct table_column columns_of[] = {
        {"independent group", ALIGN_LEFT}, {"combinations", ALIGN_RIGHT}, {"valid", ALIGN_RIGHT}};
    const struct spec *s = space_spec(sp);
    struct table table;
    struct text names = TEXT_INIT;
    table_init(&table, columns_of, sizeof columns_of / sizeof *columns_of);
    for (size_t i = 0; i < details->group_count; i++) {
        const struct space_group *g = &details->groups[i];
        text_clear(&names);
        for (uint32_t p = 0; p < g->count; p++)
            text_addf(&names, "%s%s", p ? " " : "", s->parameters[g->parameters[p]].name);
        table_row(&table);
        table_cell(&table, 0, "%s", text_cstr(&names));
        table_cell(&table, 1, "%.0f", g->combinations);
        table_cell(&table, 2, "%llu", (unsigned long long)g->valid);
    }
    table_print(&table, format, "  ", out);
    table_release(&table);
    text_release(&names);
}

// Records are written one by one: a space may have millions.
static void write_listed(const void *report, const void *record, struct text *out)
{
    const struct space_report *v = report;
    work_configuration(space_spec(v->space), record, out);
    text_add(out, "\n");
}

static void write_space(const void *report, struct text *out)
{
    const struct space_report *v = report;
    const struct space *sp = v->space;
    const struct space_details *details = v->details;
    const struct spec *s = space_spec(sp);
    if (v->list)
        return;
    struct text constants = TEXT_INIT, why = TEXT_INIT;
    spec_constants_text(s, &constants);
    text_addf(out, "%s: %llu of %s configuration%s %s valid\n", s->name,
              (unsigned long long)space_count(sp), space_cartesian_text(sp),
              str_equal(space_cartesian_text(sp), "1") ? "" : "s",
              space_count(sp) == 1 ? "is" : "are");
    if (constants.length > 0)
        text_addf(out, "constants: %s\n", text_cstr(&constants));
    put_parameters(s, v->format, out);
    put_restrictions(sp, details, v->format, out);
    if (details) {
        char diagram[UNITS_SIZE], peak[UNITS_SIZE];
        put_groups(sp, details, v->format, out);
        bytes_to_str(details->bytes, diagram);
        bytes_to_str(peak_bytes(), peak);
        text_addf(out, "kept as a diagram of %llu nodes and %llu edges, %s\n",
                  (unsigned long long)details->nodes, (unsigned long long)details->edges, diagram);
        text_addf(out,
                  "read in %.3f ms, built in %.3f ms; %s of memory at most, statistics included\n",
                  (double)v->times.read_ns / 1e6, (double)v->times.build_ns / 1e6, peak);
    }
    space_explain_empty(sp, &why);
    if (why.length > 0)
        text_addf(out, "none is valid: %s\n", text_cstr(&why));
    text_release(&constants);
    text_release(&why);
}

// ---- JSON --------------------------------------------------------------------------------------

static void emit_parameters(struct emit *j, const struct spec *s)
{
    emit_array_at(j, "parameters");
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        emit_object(j);
        emit_text_at(j, "name", p->name);
        emit_text_at(j, "type", parameter_type_text(p->type));
        emit_array_at(j, "values");
        for (uint32_t k = 0; k < p->count; k++)
            emit_value(j, &p->values[k]);
        emit_array_end(j);
        emit_key(j, "default");
        if (p->has_default)
            emit_value(j, &p->values[p->initial]);
        else
            emit_null(j);
        emit_object_end(j);
    }
    emit_array_end(j);
}

static void emit_known(struct emit *j, const char *key, uint64_t count)
{
    if (count != UINT64_MAX)
        emit_u64_at(j, key, count);
    else
        emit_null_at(j, key);
}

static void emit_configuration(struct emit *j, const struct space *sp, uint64_t index,
                               uint32_t *choice)
{
    struct text json = TEXT_INIT;
    space_get(sp, index, choice);
    spec_configuration_json(space_spec(sp), choice, &json);
    emit_raw(j, text_cstr(&json));
    j->out->failed |= json.failed;
    text_release(&json);
}

static void emit_default(struct emit *j, const struct space *sp, uint32_t *choice)
{
    uint64_t index;
    emit_key(j, "default");
    if (space_default(sp, &index))
        emit_configuration(j, sp, index, choice);
    else
        emit_null(j);
}

static void emit_details(struct emit *j, const struct spec *s, const struct space_report *view)
{
    const struct space_details *details = view->details;
    emit_array_at(j, "groups");
    for (size_t i = 0; i < details->group_count; i++) {
        const struct space_group *g = &details->groups[i];
        char combinations[512];
        emit_object(j);
        emit_array_at(j, "parameters");
        for (uint32_t p = 0; p < g->count; p++)
            emit_text(j, s->parameters[g->parameters[p]].name);
        emit_array_end(j);
        snprintf(combinations, sizeof combinations, "%.0f", g->combinations);
        emit_raw_at(j, "combinations", combinations);
        emit_u64_at(j, "valid", g->valid);
        emit_object_end(j);
    }
    emit_array_end(j);
    emit_object_at(j, "diagram");
    emit_u64_at(j, "nodes", details->nodes);
    emit_u64_at(j, "edges", details->edges);
    emit_u64_at(j, "bytes", details->bytes);
    emit_object_end(j);
    emit_f64_at(j, "read_seconds", (double)view->times.read_ns / 1e9);
    emit_f64_at(j, "build_seconds", (double)view->times.build_ns / 1e9);
    emit_u64_at(j, "peak_memory_bytes", peak_bytes());
}

static void write_space_json(const void *report, struct text *out)
{
    const struct space_report *view = report;
    const struct space *sp = view->space;
    const struct spec *s = space_spec(sp);
    struct emit json, *j = &json;
    emit_start(j, out);
    emit_object(j);
    emit_text_at(j, "spec", s->path);
    emit_text_at(j, "name", s->name);
    emit_raw_at(j, "cartesian", space_cartesian_text(sp));
    emit_u64_at(j, "valid", space_count(sp));
    emit_key(j, "constants");
    emit_constants(s, NULL, j);
    emit_parameters(j, s);
    const struct space_restriction_stats *stats;
    size_t count = space_restrictions(sp, &stats);
    emit_array_at(j, "restrictions");
    for (size_t i = 0; i < count; i++) {
        emit_object(j);
        emit_text_at(j, "expression", stats[i].restriction->text);
        emit_text_at(j, "path", stats[i].restriction->path);
        emit_known(j, "excludes_alone", stats[i].alone);
        if (view->details)
            emit_known(j, "excludes_last", view->details->last[i]);
        emit_u64_at(j, "faults", stats[i].faults);
        emit_object_end(j);
    }
    emit_array_end(j);
    emit_u64_at(j, "faults", space_faults(sp));
    emit_default(j, sp, view->choice);
    if (view->details)
        emit_details(j, s, view);
    if (view->list) {
        emit_array_at(j, "configurations");
        for (uint64_t i = 0; i < space_count(sp); i++)
            emit_configuration(j, sp, i, view->choice);
        emit_array_end(j);
    }
    emit_object_end(j);
    text_add(out, "\n");
}

const writers space_writers = {
    [REPORT_TEXT] = {.record = write_listed, .end = write_space},
    [REPORT_JSON] = {.end = write_space_json},
    [REPORT_MARKDOWN] = {.record = write_listed, .end = write_space},
};

// ---- why ---------------------------------------------------------------------------------------

static void write_space_why(const void *report, struct text *out)
{
    const struct space_why_report *v = report;
    spec_configuration_text(space_spec(v->space), v->choice, true, out);
    text_add(out, v->reason.restriction ? ": excluded: " : ": valid");
    if (v->reason.restriction)
        space_reason_text(v->space, v->choice, &v->reason, out);
    text_add(out, "\n");
}

static void write_space_why_json(const void *report, struct text *out)
{
    const struct space_why_report *v = report;
    const struct formula *f = v->reason.restriction;
    struct text configuration = TEXT_INIT, message = TEXT_INIT;
    struct emit j;
    spec_configuration_json(space_spec(v->space), v->choice, &configuration);
    if (f)
        space_reason_text(v->space, v->choice, &v->reason, &message);
    emit_start(&j, out);
    emit_object(&j);
    emit_raw_at(&j, "configuration", text_cstr(&configuration));
    emit_bool_at(&j, "valid", !f);
    emit_text_at(&j, "restriction", f ? f->text : NULL);
    emit_text_at(&j, "path", f ? f->path : NULL);
    emit_text_at(&j, "message", f ? text_cstr(&message) : NULL);
    emit_object_end(&j);
    text_add(out, "\n");
    out->failed |= configuration.failed || message.failed;
    text_release(&configuration);
    text_release(&message);
}

const writers space_why_writers = {[REPORT_TEXT] = {.end = write_space_why},
                                   [REPORT_JSON] = {.end = write_space_why_json},
                                   [REPORT_MARKDOWN] = {.end = write_space_why}};
