// The report of `hone space`.
#include "cli/space_report.h"
#include "cli/work.h"

#include "report/values.h"
#include "report/table.h"
#include "report/units.h"

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

static void emit_values(const void *record, const void *context, struct emit *j)
{
    const struct parameter *p = record;
    (void)context;
    emit_array(j);
    for (uint32_t k = 0; k < p->count; k++)
        value_emit(&p->values[k], j);
    emit_array_end(j);
}

static void emit_initial(const void *record, const void *context, struct emit *j)
{
    const struct parameter *p = record;
    (void)context;
    if (p->has_default)
        value_emit(&p->values[p->initial], j);
    else
        emit_null(j);
}

#define PARAMETER(X)                                                                               \
    X(TEXT, name, (v->name), "", "")                                                               \
    X(TEXT, type, (parameter_type_text(v->type)), "", "")                                          \
    X(PUT, values, (emit_values, v), "[]", "")                                                     \
    X(PUT, default, (emit_initial, v), "", "")
FIELDS(parameter_fields, struct parameter, void, PARAMETER)

static const struct space_restriction_stats *restrictions_of(const struct space *sp)
{
    const struct space_restriction_stats *stats;
    space_restrictions(sp, &stats);
    return stats;
}

static size_t count_restrictions(const struct space *sp)
{
    const struct space_restriction_stats *stats;
    return space_restrictions(sp, &stats);
}

#define LAST c->details->last[v - restrictions_of(c->space)]
#define LAST_ONE(X)                                                                                \
    X(KNOWN, excludes_last, (LAST != UINT64_MAX, LAST), "", "that no other one excludes")
FIELDS(last_fields, struct space_restriction_stats, struct space_report, LAST_ONE)

#define RESTRICTION(X)                                                                             \
    X(TEXT, expression, (v->restriction->text), "", "")                                            \
    X(TEXT, path, (v->restriction->path), "", "in the spec")                                       \
    X(KNOWN, excludes_alone, (v->alone != UINT64_MAX, v->alone), "", "")                           \
    X(MEMBERS, last, (last_fields, c->details ? v : NULL), "", "")                                 \
    X(U64, faults, (v->faults), "", "combinations for which it has no value")
FIELDS(restriction_fields, struct space_restriction_stats, struct space_report, RESTRICTION)

static void emit_configuration(struct emit *j, const struct space_report *v, uint64_t index)
{
    struct text json = TEXT_INIT;
    space_get(v->space, index, v->choice);
    spec_configuration_json(space_spec(v->space), v->choice, &json);
    emit_raw(j, text_cstr(&json));
    j->out->failed |= json.failed;
    text_release(&json);
}

static void emit_default(const void *record, const void *context, struct emit *j)
{
    uint64_t index;
    (void)context;
    if (space_default(((const struct space_report *)record)->space, &index))
        emit_configuration(j, record, index);
    else
        emit_null(j);
}

static void emit_group_names(const void *record, const void *context, struct emit *j)
{
    const struct space_group *g = record;
    const struct spec *s = space_spec(((const struct space_report *)context)->space);
    emit_array(j);
    for (uint32_t p = 0; p < g->count; p++)
        emit_text(j, s->parameters[g->parameters[p]].name);
    emit_array_end(j);
}

#define GROUP(X)                                                                                   \
    X(PUT, parameters, (emit_group_names, v), "[]", "that restrictions tie together")              \
    X(JSON, combinations, (arena_printf(a, "%.0f", v->combinations)), "", "")                      \
    X(U64, valid, (v->valid), "", "of them")
FIELDS(group_fields, struct space_group, struct space_report, GROUP)

#define DIAGRAM(X)                                                                                 \
    X(U64, nodes, (v->nodes), "", "")                                                              \
    X(U64, edges, (v->edges), "", "")                                                              \
    X(U64, bytes, (v->bytes), "bytes", "")
FIELDS(diagram_fields, struct space_details, struct space_report, DIAGRAM)

#define STATS(X)                                                                                   \
    X(RECORDS, groups, (group_fields, v->details->groups, v->details->group_count), "", "")        \
    X(RECORD, diagram, (diagram_fields, v->details), "", "")                                       \
    X(F64, read_seconds, ((double)v->times.read_ns / 1e9), "s", "")                                \
    X(F64, build_seconds, ((double)v->times.build_ns / 1e9), "s", "")                              \
    X(U64, peak_memory_bytes, (peak_bytes()), "bytes", "with --details, as from groups on")
FIELDS(stats_fields, struct space_report, struct space_report, STATS)

static void emit_listed(const void *record, const void *context, struct emit *j)
{
    const struct space_report *v = record;
    (void)context;
    emit_array(j);
    for (uint64_t i = 0; i < space_count(v->space); i++)
        emit_configuration(j, v, i);
    emit_array_end(j);
}

#define LIST(X) X(PUT, configurations, (emit_listed, v), "[{}]", "with --verbose")
FIELDS(list_fields, struct space_report, struct space_report, LIST)

#define OF_SPEC space_spec(v->space)
#define SPACE(X)                                                                                   \
    X(TEXT, spec, (OF_SPEC->path), "", "")                                                         \
    X(TEXT, name, (OF_SPEC->name), "", "")                                                         \
    X(JSON, cartesian, (space_cartesian_text(v->space)), "", "all combinations of values")         \
    X(U64, valid, (space_count(v->space)), "", "configurations")                                   \
    X(PUT, constants, (emit_constants, OF_SPEC), "{}", "")                                         \
    X(RECORDS, parameters, (parameter_fields, OF_SPEC->parameters, OF_SPEC->parameter_count), "",  \
      "")                                                                                          \
    X(RECORDS, restrictions,                                                                       \
      (restriction_fields, restrictions_of(v->space), count_restrictions(v->space)), "", "")       \
    X(U64, faults, (space_faults(v->space)), "", "")                                               \
    X(PUT, default, (emit_default, v), "{}", "")                                                   \
    X(MEMBERS, stats, (stats_fields, v->details ? v : NULL), "", "")                               \
    X(MEMBERS, list, (list_fields, v->list ? v : NULL), "", "")
FIELDS_SHARED(space_fields, struct space_report, struct space_report, SPACE)

const writers space_writers = {
    [REPORT_TEXT] = {.record = write_listed, .end = write_space},
    [REPORT_JSON] = {.end_fields = &space_fields},
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

static const char *why_configuration(const struct space_why_report *v, struct arena *a)
{
    struct text words = TEXT_INIT;
    spec_configuration_json(space_spec(v->space), v->choice, &words);
    return text_to_arena(&words, a);
}

static const char *why_message(const struct space_why_report *v, struct arena *a)
{
    struct text words = TEXT_INIT;
    space_reason_text(v->space, v->choice, &v->reason, &words);
    return text_to_arena(&words, a);
}

#define EXCLUDED_BY v->reason.restriction
#define WHY(X)                                                                                     \
    X(JSON, configuration, (why_configuration(v, a)), "{}", "")                                    \
    X(BOOL, valid, (!EXCLUDED_BY), "", "")                                                         \
    X(TEXT, restriction, (EXCLUDED_BY ? EXCLUDED_BY->text : NULL), "", "that excludes it")         \
    X(TEXT, path, (EXCLUDED_BY ? EXCLUDED_BY->path : NULL), "", "in the spec")                     \
    X(TEXT, message, (EXCLUDED_BY ? why_message(v, a) : NULL), "", "")
FIELDS_SHARED(space_why_fields, struct space_why_report, void, WHY)

const writers space_why_writers = {[REPORT_TEXT] = {.end = write_space_why},
                                   [REPORT_JSON] = {.end_fields = &space_why_fields},
                                   [REPORT_MARKDOWN] = {.end = write_space_why}};
