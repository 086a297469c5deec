// T4 results: {"results": [{"configuration": {...}, "times": {...}, "invalidity": "correct",
// "correctness": 1, "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}]}, ...]}, with
// what the files of the wild do otherwise: `compilation` for `compilation_time`, a unit of
// `miliseconds`, a failure as the value of a measurement, a time that has another name, `metadata` before or after the
// results.
#include "extras/formats/recorded_json.h"

#include <math.h>
#include <stdio.h>

// ---- metadata ----------------------------------------------------------------------------------

static bool read_t4_unit(struct reading *r)
{
    const char *unit = NULL;
    if (!reading_text(r, &unit))
        return false;
    if (!unit || !unit[0])
        return true;
    r->gather.is_unit_said = true;
    return time_unit_ns(unit, &r->gather.unit_ns) ||
           error_set(r->e, ERROR_INPUT,
                     "%s: line %llu: metadata.timeunit: '%s' is not a unit of time that is known; "
                     "such as milliseconds",
                     r->bytes.path, (unsigned long long)r->tokens.line, unit);
}

bool read_t4_metadata(struct reading *r)
{
    struct recorded *rec = r->gather.recorded;
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_skip(r);
    while (reading_key(r)) {
        const char *key = text_cstr(&r->tokens.text);
        bool (*read)(struct reading *) = NULL;
        const char **text = str_equal(key, "device") || str_equal(key, "device_name") ? &rec->device
                            : str_equal(key, "name") || str_equal(key, "kernel_name") ? &rec->name
                            : str_equal(key, "constants") ? &rec->constants
                                                          : NULL;
        bool is_statistic = str_equal(key, "statistic");
        if (str_equal(key, "timeunit"))
            read = read_t4_unit;
        if (!reading_next(r))
            return false;
        bool ok = read           ? read(r)
                  : is_statistic ? reading_statistic(r, &rec->statistic)
                  : text         ? reading_text(r, text)
                                 : reading_skip(r);
        if (!ok)
            return false;
    }
    return reading_is_over(r);
}

// ---- a result ----------------------------------------------------------------------------------

static bool read_configuration(struct reading *r)
{
    struct text name = TEXT_INIT;
    struct value v;
    bool ok = true;
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_unexpected(r, r->gather.place, "the configuration as an object");
    while (ok && reading_key(r)) {
        text_clear(&name);
        text_add(&name, text_cstr(&r->tokens.text));
        if (name.failed) {
            ok = error_memory(r->e);
        } else if (!reading_next(r)) {
            ok = false;
        } else if (!tokens_value(&r->tokens, &v)) {
            ok = gather_refuse(&r->gather,
                               "the value of '%s' is %s; a parameter has a number, a "
                               "text, true or false",
                               text_cstr(&name), reading_no_value(r));
        } else {
            ok = gather_set(&r->gather, text_cstr(&name), &v);
        }
    }
    text_release(&name);
    return ok && reading_is_over(r);
}

static bool read_times(struct reading *r)
{
    struct recorded_costs *costs = &r->gather.row.row.costs;
    const struct {
        const char *key;
        double *cost;
    } known[] = {{"compilation_time", &costs->compile_ns},
                 {"compilation", &costs->compile_ns},
                 {"benchmark", &costs->run_ns},
                 {"benchmark_time", &costs->run_ns},
                 {"validation", &costs->verify_ns},
                 {"framework", &costs->framework_ns},
                 {"search_algorithm", &costs->search_ns}};
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_skip(r);
    while (reading_key(r)) {
        double *cost = NULL;
        const char *key = text_cstr(&r->tokens.text);
        bool is_runs = str_equal(key, "runtimes");
        for (size_t i = 0; i < sizeof known / sizeof *known && !cost; i++)
            cost = str_equal(key, known[i].key) ? known[i].cost : NULL;
        if (!reading_next(r))
            return false;
        if (!(is_runs ? reading_runs(r) : cost ? reading_number(r, cost) : reading_skip(r)))
            return false;
    }
    return reading_is_over(r);
}

// One of `measurements`, whose keys come in any order.
struct measurement {
    struct text name, unit;
    struct text number;    // the value as it is written, NaN and Infinity, too; "": not a number
    const char *statistic; // NULL: not said
    double value;
    bool is_failure;
};

static bool read_measurement_value(struct reading *r, struct measurement *m)
{
    if (r->tokens.kind == TOKEN_STRING) {
        m->is_failure = gather_failure(&r->gather, text_cstr(&r->tokens.text));
        return r->e->code == ERROR_NONE;
    }
    text_clear(&m->number);
    if (r->tokens.kind == TOKEN_NUMBER || r->tokens.kind == TOKEN_MISSING)
        text_add(&m->number, text_cstr(&r->tokens.text));
    return reading_number(r, &m->value);
}

static bool read_measurement_keys(struct reading *r, struct measurement *m)
{
    while (reading_key(r)) {
        const char *key = text_cstr(&r->tokens.text);
        struct text *text = str_equal(key, "name")   ? &m->name
                            : str_equal(key, "unit") ? &m->unit
                                                     : NULL;
        bool is_value = str_equal(key, "value"), is_statistic = str_equal(key, "statistic");
        bool is_kept = false;
        if (!reading_next(r))
            return false;
        if (text && r->tokens.kind == TOKEN_STRING) {
            text_clear(text);
            text_add(text, text_cstr(&r->tokens.text));
            is_kept = true;
        }
        if (!(is_kept        ? true
              : is_value     ? read_measurement_value(r, m)
              : is_statistic ? reading_statistic(r, &m->statistic)
                             : reading_skip(r)))
            return false;
    }
    return reading_is_over(r) &&
           (!(m->name.failed || m->unit.failed || m->number.failed) || error_memory(r->e));
}

// The first of another name whose unit is one of time: "kernel_time" in us.
static bool keep_other_time(struct reading *r, const struct measurement *m, const char *name)
{
    double unit = 1;
    struct gather *g = &r->gather;
    if (m->unit.length == 0 || !time_unit_ns(text_cstr(&m->unit), &unit))
        return true;
    if (!g->other_time && !(g->other_time = arena_strdup(&g->recorded->arena, name)))
        return error_memory(r->e);
    if (!str_equal(name, g->other_time))
        return true;
    g->row.other_ns = m->value * unit;
    return gather_odd_time(g, m->value, text_cstr(&m->number), &g->row.other_odd);
}

static bool keep_measurement(struct reading *r, const struct measurement *m)
{
    double unit = 1;
    struct gather *g = &r->gather;
    const char *name = text_cstr(&m->name);
    bool is_time = str_equal(name, "time");
    if (m->is_failure || !name[0])
        return true;
    if (isnan(m->value)) // NaN, null, or a number that is too large
        return !is_time || m->number.length == 0 ||
               gather_odd_time(g, NAN, text_cstr(&m->number), &g->row.odd);
    if (!is_time)
        return gather_measure(g, name, m->value) && keep_other_time(r, m, name);
    g->has_time = true;
    g->row.is_own_unit = m->unit.length > 0;
    if (g->row.is_own_unit && !time_unit_ns(text_cstr(&m->unit), &unit))
        return gather_refuse(g, "the unit of the time: '%.60s' is none that is known; such as ms",
                             text_cstr(&m->unit));
    g->row.row.time_ns = m->value * unit;
    if (!g->recorded->statistic)
        g->recorded->statistic = m->statistic;
    return gather_odd_time(g, m->value, text_cstr(&m->number), &g->row.odd);
}

static bool read_measurements(struct reading *r)
{
    struct measurement m = {.name = TEXT_INIT, .unit = TEXT_INIT, .number = TEXT_INIT};
    bool ok = true;
    if (r->tokens.kind != TOKEN_ARRAY)
        return reading_skip(r);
    while (ok && reading_item(r)) {
        text_clear(&m.name);
        text_clear(&m.unit);
        text_clear(&m.number);
        m.statistic = NULL;
        m.value = NAN;
        m.is_failure = false;
        ok = r->tokens.kind == TOKEN_OBJECT
                 ? read_measurement_keys(r, &m) && keep_measurement(r, &m)
                 : reading_skip(r);
    }
    text_release(&m.name);
    text_release(&m.unit);
    text_release(&m.number);
    return ok && reading_is_over(r);
}

static bool read_t4_invalidity(struct reading *r)
{
    enum status status;
    struct recorded_row *row = &r->gather.row.row;
    if (r->tokens.kind != TOKEN_STRING)
        return reading_skip(r);
    const char *text = text_cstr(&r->tokens.text);
    if (!status_parse(text, &status))
        return gather_refuse(&r->gather,
                             "invalidity: '%.60s' is none of correct, compile, runtime, timeout, "
                             "correctness, constraints",
                             text);
    if (status != STATUS_CORRECT)
        row->status = status;
    return true;
}

// A wrong result that was timed anyway.
static bool read_correctness(struct reading *r)
{
    double correct;
    struct recorded_row *row = &r->gather.row.row;
    if (r->tokens.kind == TOKEN_TRUE || r->tokens.kind == TOKEN_FALSE)
        correct = r->tokens.kind == TOKEN_TRUE;
    else if (!reading_number(r, &correct))
        return false;
    if (correct == 0 && row->status == STATUS_CORRECT)
        r->gather.row.is_wrong = true;
    return true;
}

static bool read_message(struct reading *r)
{
    if (r->tokens.kind != TOKEN_STRING)
        return reading_skip(r);
    return gather_message(&r->gather, text_cstr(&r->tokens.text));
}

static const struct {
    const char *key;
    bool (*read)(struct reading *r);
} keys[] = {
    {"configuration", read_configuration}, {"times", read_times},
    {"measurements", read_measurements},   {"invalidity", read_t4_invalidity},
    {"correctness", read_correctness},     {"message", read_message},
};

static bool read_result_keys(struct reading *r, bool *has_configuration)
{
    while (reading_key(r)) {
        const char *key = text_cstr(&r->tokens.text);
        bool (*read)(struct reading *) = reading_skip;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            if (str_equal(key, keys[i].key))
                read = keys[i].read;
        }
        *has_configuration |= read == read_configuration;
        if (!reading_next(r) || !read(r))
            return false;
    }
    return reading_is_over(r);
}

static bool read_result(struct reading *r, uint64_t number)
{
    bool has_configuration = false;
    struct gather *g = &r->gather;
    snprintf(g->place, sizeof g->place, "line %llu: results[%llu]",
             (unsigned long long)r->tokens.line, (unsigned long long)number);
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_unexpected(r, "results", "an object for each result");
    gather_begin(g);
    if (!read_result_keys(r, &has_configuration))
        return false;
    if (!has_configuration)
        return gather_refuse(g, "it has no 'configuration'");
    return gather_end(g);
}

bool read_t4_results(struct reading *r)
{
    uint64_t number = 0;
    if (r->has_rows)
        return reading_skip(r);
    if (r->tokens.kind != TOKEN_ARRAY)
        return reading_unexpected(r, "results", "a list");
    r->has_rows = true;
    r->gather.recorded->format = RECORDED_T4;
    while (reading_item(r)) {
        if (!read_result(r, number++))
            return false;
    }
    r->gather.place[0] = 0;
    return reading_is_over(r);
}
