// A JSON document whose kind its keys tell: T4 results, a Kernel Tuner cache file, or results of KTT.
#include "extras/formats/recorded_json.h"

#include <math.h>

// ---- helpers -----------------------------------------------------------------------------------

// A cache file may end anywhere once its results began.
static bool may_be_torn(const struct reading *r)
{
    return r->has_rows && r->gather.recorded->format == RECORDED_CACHE;
}

bool reading_next(struct reading *r)
{
    enum token k = tokens_next(&r->tokens, r->e);
    if (k == TOKEN_TORN && may_be_torn(r))
        return false;
    if (k == TOKEN_TORN)
        return error_set(r->e, ERROR_INPUT,
                         "%s: line %llu: the file is cut off: it ends inside the document",
                         r->bytes.path, (unsigned long long)r->bytes.line);
    return k != TOKEN_BROKEN;
}

bool reading_skip(struct reading *r)
{
    if (tokens_skip(&r->tokens, r->e))
        return true;
    return reading_next(r); // says how it ends
}

bool reading_unexpected(struct reading *r, const char *where, const char *what)
{
    return error_set(r->e, ERROR_INPUT, "%s: line %llu: %s: expected %s, found %s", r->bytes.path,
                     (unsigned long long)r->tokens.line, where, what, token_text(r->tokens.kind));
}

const char *reading_no_value(const struct reading *r)
{
    enum token kind = r->tokens.kind;
    return kind == TOKEN_NUMBER ? "a number that is too large" : token_text(kind);
}

bool reading_text(struct reading *r, const char **out)
{
    if (r->tokens.kind != TOKEN_STRING)
        return reading_skip(r);
    const char *own = arena_strdup(&r->gather.recorded->arena, text_cstr(&r->tokens.text));
    if (!own)
        return error_memory(r->e);
    *out = own;
    return true;
}

bool reading_number(struct reading *r, double *out)
{
    *out = NAN;
    if (tokens_f64(&r->tokens, out))
        return true;
    return reading_skip(r);
}

bool reading_key(struct reading *r)
{
    return reading_next(r) && r->tokens.kind == TOKEN_KEY;
}

bool reading_item(struct reading *r)
{
    return reading_next(r) && r->tokens.kind != TOKEN_ARRAY_END;
}

bool reading_is_over(const struct reading *r)
{
    return r->tokens.kind == TOKEN_OBJECT_END || r->tokens.kind == TOKEN_ARRAY_END;
}

bool reading_runs(struct reading *r)
{
    if (r->tokens.kind != TOKEN_ARRAY)
        return reading_skip(r);
    while (reading_item(r)) {
        const char *text = text_cstr(&r->tokens.text);
        bool ok = r->tokens.kind == TOKEN_NUMBER
                      ? gather_run(&r->gather, tokens_near(&r->tokens), text)
                  : r->tokens.kind == TOKEN_MISSING ? gather_run(&r->gather, NAN, text)
                                                    : reading_skip(r);
        if (!ok)
            return false;
    }
    return reading_is_over(r);
}

bool reading_statistic(struct reading *r, const char **out)
{
    static const char *const known[] = {"mean", "median", "minimum"};
    if (r->tokens.kind != TOKEN_STRING)
        return reading_skip(r);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (str_equal_nocase(text_cstr(&r->tokens.text), known[i]))
            *out = known[i];
    }
    return true;
}

// ---- the document ------------------------------------------------------------------------------

static bool read_recorded_device(struct reading *r)
{
    return reading_text(r, &r->gather.recorded->device);
}

static bool read_recorded_constants(struct reading *r)
{
    return reading_text(r, &r->gather.recorded->constants);
}

static bool read_recorded_statistic(struct reading *r)
{
    return reading_statistic(r, &r->gather.recorded->statistic);
}

static bool read_recorded_name(struct reading *r)
{
    return reading_text(r, &r->gather.recorded->name);
}

static const struct {
    const char *key;
    bool (*read)(struct reading *r);
} parts[] = {
    {"results", read_t4_results},           {"metadata", read_t4_metadata},
    {"cache", read_cache_results},          {"tune_params_keys", read_cache_keys},
    {"device_name", read_recorded_device},  {"tune_params", read_cache_parameters},
    {"kernel_name", read_recorded_name},    {"constants", read_recorded_constants},
    {"statistic", read_recorded_statistic}, {"Results", read_ktt_results},
    {"Metadata", read_ktt_metadata},
};

static bool read_recorded_part(struct reading *r)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (str_equal(text_cstr(&r->tokens.text), parts[i].key))
            return reading_next(r) && parts[i].read(r);
    }
    return reading_next(r) && reading_skip(r);
}

static bool refuse_json_kind(struct reading *r)
{
    if (r->is_put_off)
        return error_set(r->e, ERROR_INPUT,
                         "%s: a cache file without 'tune_params' and 'tune_params_keys'",
                         r->bytes.path);
    return error_set(r->e, ERROR_INPUT,
                     "%s: no recorded results: none of 'results' (T4), 'cache' (Kernel Tuner) and "
                     "'Results' (KTT) is in it",
                     r->bytes.path);
}

static bool read_json(struct reading *r)
{
    if (!reading_next(r))
        return false;
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_unexpected(r, "the document",
                                  "an object with 'results' (T4), 'cache' (Kernel Tuner) or "
                                  "'Results' (KTT)");
    while (reading_key(r) && read_recorded_part(r))
        continue;
    if (r->e->code == ERROR_NONE && r->tokens.kind == TOKEN_OBJECT_END)
        reading_next(r); // there must be no more
    if (r->e->code != ERROR_NONE)
        return false;
    return r->has_rows || (r->is_put_off && r->has_parameters && !r->is_again) ||
           refuse_json_kind(r);
}

static bool is_json(int first_byte)
{
    return first_byte == '{' || first_byte == '[';
}

const struct recorded_reader json_reader = {is_json, read_json};
