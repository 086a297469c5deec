// Kernel Tuner cache files: {"device_name": ..., "tune_params_keys": [...], "tune_params": {...},
// "cache": {"16,1,4": {"block_size_x": 16, ..., "time": 3.87, "times": [...]}, ...}}. Written line
// by line as a tune goes on, they end without the closing braces, or in the middle of a line. Times
// are milliseconds. Failures are words in place of a number.
#include "extras/formats/recorded_json.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>

// ---- the parameters ----------------------------------------------------------------------------

// Their order, which is that of the values in an entry's key.
bool read_cache_keys(struct reading *r)
{
    uint32_t index;
    if (r->is_again)
        return reading_skip(r);
    if (r->tokens.kind != TOKEN_ARRAY)
        return reading_unexpected(r, "tune_params_keys", "a list of names");
    while (reading_item(r)) {
        if (r->tokens.kind != TOKEN_STRING)
            return reading_unexpected(r, "tune_params_keys", "names");
        if (!gather_parameter(&r->gather, text_cstr(&r->tokens.text), &index))
            return false;
        if (!ARRAY_ROOM(r->order, r->order_room, r->order_count + (size_t)1))
            return error_memory(r->e);
        r->order[r->order_count++] = index;
    }
    return reading_is_over(r);
}

static bool read_listed(struct reading *r, const char *name)
{
    struct value v;
    uint32_t parameter;
    if (!gather_parameter(&r->gather, name, &parameter))
        return false;
    if (!reading_next(r))
        return false;
    if (r->tokens.kind != TOKEN_ARRAY)
        return reading_unexpected(r, "tune_params", "a list of values for each parameter");
    while (reading_item(r)) {
        if (!tokens_value(&r->tokens, &v))
            return reading_unexpected(r, "tune_params", "numbers, texts, true or false as values");
        if (!gather_listed(&r->gather, parameter, &v))
            return false;
    }
    return reading_is_over(r);
}

bool read_cache_parameters(struct reading *r)
{
    struct text name = TEXT_INIT;
    bool ok = true;
    if (r->is_again)
        return reading_skip(r);
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_unexpected(r, "tune_params", "an object");
    snprintf(r->gather.place, sizeof r->gather.place, "line %llu: tune_params",
             (unsigned long long)r->tokens.line);
    r->gather.keeps_order = r->has_parameters = true;
    while (ok && reading_key(r)) {
        text_clear(&name);
        text_add(&name, text_cstr(&r->tokens.text));
        ok = name.failed ? error_memory(r->e) : read_listed(r, text_cstr(&name));
    }
    text_release(&name);
    r->gather.place[0] = 0;
    return ok && reading_is_over(r);
}

// ---- an entry ----------------------------------------------------------------------------------

// The values of an entry that says them in its key only. Texts are as Python prints them.
static bool set_from_key(struct reading *r, const char *key)
{
    struct gather *g = &r->gather;
    struct text part = TEXT_INIT;
    bool ok = true;
    uint32_t at = 0;
    for (; ok && at < r->order_count; at++) {
        struct value v;
        size_t length = strcspn(key, ",");
        bool is_last = at + 1 == r->order_count;
        text_clear(&part);
        text_addn(&part, key, is_last ? strlen(key) : length);
        key += length + (!is_last && key[length] == ',');
        ok = !part.failed || error_memory(r->e);
        ok = ok &&
             (value_parse_literal(text_cstr(&part), &g->recorded->arena, &v) || error_memory(r->e));
        ok = ok && gather_set_at(g, r->order[at], &v);
    }
    text_release(&part);
    return ok;
}

static double *cache_cost_of(struct gather_row *row, const char *key)
{
    struct recorded_costs *costs = &row->row.costs;
    const struct {
        const char *key;
        double *cost;
    } known[] = {{"compile_time", &costs->compile_ns},
                 {"benchmark_time", &costs->run_ns},
                 {"verification_time", &costs->verify_ns},
                 {"framework_time", &costs->framework_ns},
                 {"strategy_time", &costs->search_ns}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (str_equal(key, known[i].key))
            return known[i].cost;
    }
    return NULL;
}

// The value of `key` has begun.
static bool read_cache_field(struct reading *r, const char *key, uint32_t *set)
{
    struct value v;
    uint32_t parameter;
    double *cost, number;
    struct gather *g = &r->gather;
    enum token kind = r->tokens.kind;
    if (gather_find(&r->gather, key, &parameter)) {
        ++*set;
        return tokens_value(&r->tokens, &v)
                   ? gather_set_at(g, parameter, &v)
                   : gather_refuse(g, "the value of '%s' is %s", key, reading_no_value(r));
    }
    if (kind == TOKEN_STRING && str_equal(key, "invalidity")) {
        // Written by hone: the exact status, in a word that Kernel Tuner does not have.
        enum status status;
        if (status_parse(text_cstr(&r->tokens.text), &status) && status != STATUS_CORRECT)
            r->gather.row.row.status = status;
        return true;
    }
    if (kind == TOKEN_STRING) {
        gather_failure(g, text_cstr(&r->tokens.text));
        return r->e->code == ERROR_NONE;
    }
    if (str_equal(key, "times"))
        return reading_runs(r);
    bool is_time = str_equal(key, "time");
    if (kind != TOKEN_NUMBER && !(is_time && kind == TOKEN_MISSING))
        return reading_skip(r);
    if (!reading_number(r, &number))
        return false;
    if (is_time)
        return gather_time(g, number, text_cstr(&r->tokens.text));
    cost = cache_cost_of(&g->row, key);
    if (cost)
        *cost = number;
    return cost || gather_measure(g, key, number);
}

static bool read_fields(struct reading *r, struct text *key, uint32_t *set)
{
    while (reading_key(r)) {
        text_clear(key);
        text_add(key, text_cstr(&r->tokens.text));
        if (key->failed)
            return error_memory(r->e);
        if (!reading_next(r) || !read_cache_field(r, text_cstr(key), set))
            return false;
    }
    return reading_is_over(r);
}

// r->tokens has the entry's key.
static bool read_entry(struct reading *r, struct text *name, struct text *key)
{
    uint32_t set = 0;
    struct gather *g = &r->gather;
    text_clear(name);
    text_add(name, text_cstr(&r->tokens.text));
    if (name->failed)
        return error_memory(r->e);
    str_format(g->place, sizeof g->place, "line %llu: cache[\"%.80s\"]",
               (unsigned long long)r->tokens.line, text_cstr(name));
    if (!reading_next(r))
        return false;
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_unexpected(r, "cache", "an object for each configuration");
    gather_begin(g);
    if (!read_fields(r, key, &set))
        return false;
    if (set == 0 && !set_from_key(r, text_cstr(name)))
        return false;
    return gather_end(g);
}

static bool read_entries(struct reading *r)
{
    struct text name = TEXT_INIT, key = TEXT_INIT;
    bool ok = true;
    while (ok && reading_key(r))
        ok = read_entry(r, &name, &key);
    bool is_torn = r->e->code == ERROR_NONE && r->tokens.kind == TOKEN_TORN;
    if (is_torn)
        r->gather.recorded->torn = !ok || r->tokens.is_cut;
    text_release(&name);
    text_release(&key);
    return ok && reading_is_over(r);
}

// Keys in order of the alphabet put the results before the parameters: the file is then read twice.
bool read_cache_results(struct reading *r)
{
    if (r->has_rows)
        return reading_skip(r);
    if (!r->has_parameters) {
        r->is_put_off = true;
        return reading_skip(r);
    }
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_unexpected(r, "cache", "an object");
    r->gather.recorded->format = RECORDED_CACHE;
    r->has_rows = true;
    if (!gather_close(&r->gather))
        return false;
    bool ok = read_entries(r);
    r->gather.place[0] = 0;
    return ok;
}
