// Three forms of one answer. Whether the text as a whole is JSON with "benchmarks" tells the two libraries' from hone's own, which
// is the last line that is an object with "time_ns"; nvbench's benchmarks have states.
#include "extras/program/program_times.h"

#include "base/text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double json_as_number(const json_t *v)
{
    if (json_is_string(v)) // nvbench writes 64-bit values as texts
        return strtod(json_string_value(v), NULL);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *text_member(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

// ---- several benchmarks, one of which counts

struct chosen {
    const char *wanted; // (optional)
    const char *name;   // the first that counts; NULL: none yet
    bool is_several;
    struct text names; // all that there are
    double sum;
    size_t count;
};

// May this one count? Notes its name.
static bool choose_benchmark(struct chosen *c, const char *name, const char *other)
{
    bool is_new = !strstr(text_cstr(&c->names), name);
    text_addf(&c->names, "%s%s", is_new && c->names.length ? ", " : "", is_new ? name : "");
    if (c->wanted && !str_equal(c->wanted, name) && !str_equal(c->wanted, other))
        return false;
    c->is_several = c->is_several || (c->name && !str_equal(c->name, name));
    c->name = c->name ? c->name : name;
    return true;
}

static bool end_choice(struct chosen *c, struct program_time *out, struct error *e)
{
    if (c->is_several)
        error_set(e, ERROR_INPUT, "there are several benchmarks, %s: say which by \"benchmark\"",
                  text_cstr(&c->names));
    else if (!c->name && c->wanted)
        error_set(e, ERROR_INPUT, "there is no benchmark '%s'; there are: %s", c->wanted,
                  text_cstr(&c->names));
    else if (c->count == 0)
        error_set(e, ERROR_INPUT, "its benchmarks have no time");
    else
        out->ns = c->sum / (double)c->count;
    bool ok = !c->is_several && c->name && c->count > 0;
    text_release(&c->names);
    return ok;
}

// ---- Google Benchmark

static double nanoseconds_of(const char *unit)
{
    return str_equal(unit, "s")    ? 1e9
           : str_equal(unit, "ms") ? 1e6
           : str_equal(unit, "us") ? 1e3
                                   : 1;
}

// The mean of the repetitions; where only aggregates are reported, their median.
static bool read_google(const json_t *list, const char *benchmark, struct program_time *out,
                        struct error *e)
{
    struct chosen c = {.wanted = benchmark};
    double median = NAN;
    size_t index;
    json_t *b;
    json_array_foreach((json_t *)list, index, b)
    {
        const char *name = text_member(b, "run_name");
        name = *name ? name : text_member(b, "name");
        if (!choose_benchmark(&c, name, text_member(b, "name")))
            continue;
        double ns = json_as_number(json_object_get(b, "real_time")) *
                    nanoseconds_of(text_member(b, "time_unit"));
        if (json_is_true(json_object_get(b, "error_occurred"))) {
            out->claim = CLAIM_WRONG;
            str_format(out->why, sizeof out->why, "%s", text_member(b, "error_message"));
        } else if (!str_equal(text_member(b, "run_type"), "aggregate")) {
            c.sum += ns;
            c.count++;
        } else if (str_equal(text_member(b, "aggregate_name"), "median")) {
            median = ns;
        }
    }
    if (out->claim == CLAIM_WRONG)
        return text_release(&c.names), true;
    if (c.count == 0 && median >= 0) {
        c.sum = median;
        c.count = 1;
    }
    return end_choice(&c, out, e);
}

// ---- nvbench

// Seconds of the first of these summaries that the state has; NAN: of none.
static double seconds_of_state(const json_t *state)
{
    static const char *const tags[] = {"nv/cold/time/gpu/mean", "nv/batch/time/gpu/mean",
                                       "nv/cpu_only/time/cpu/mean", "nv/cold/time/cpu/mean"};
    for (size_t t = 0; t < sizeof tags / sizeof *tags; t++) {
        size_t index, at;
        json_t *summary, *datum;
        json_array_foreach(json_object_get(state, "summaries"), index, summary)
        {
            if (!str_equal(text_member(summary, "tag"), tags[t]))
                continue;
            json_array_foreach(json_object_get(summary, "data"), at, datum)
            {
                if (str_equal(text_member(datum, "name"), "value"))
                    return json_as_number(json_object_get(datum, "value"));
            }
        }
    }
    return NAN;
}

static void add_states(struct chosen *c, const json_t *benchmark, struct program_time *out)
{
    size_t index;
    json_t *state;
    const char *name = text_member(benchmark, "name");
    json_array_foreach(json_object_get(benchmark, "states"), index, state)
    {
        const char *own = text_member(state, "name");
        if (!choose_benchmark(c, *own ? own : name, name))
            continue;
        double seconds = seconds_of_state(state);
        if (json_is_true(json_object_get(state, "is_skipped"))) {
            out->claim = CLAIM_WRONG;
            str_format(out->why, sizeof out->why, "skipped: %s", text_member(state, "skip_reason"));
        } else if (seconds >= 0) {
            c->sum += seconds * 1e9;
            c->count++;
        }
    }
}

static bool read_nvbench(const json_t *list, const char *benchmark, struct program_time *out,
                         struct error *e)
{
    struct chosen c = {.wanted = benchmark};
    size_t index;
    json_t *b;
    json_array_foreach((json_t *)list, index, b)
    {
        add_states(&c, b, out);
    }
    if (out->claim == CLAIM_WRONG)
        return text_release(&c.names), true;
    return end_choice(&c, out, e);
}

// ---- hone's own

static bool read_own(const json_t *o, struct program_time *out, struct error *e)
{
    const json_t *valid = json_object_get(o, "valid"), *time = json_object_get(o, "time_ns");
    out->claim = json_is_true(valid)    ? CLAIM_VALID
                 : json_is_false(valid) ? CLAIM_WRONG
                                        : CLAIM_NOTHING;
    str_format(out->why, sizeof out->why, "%s", text_member(o, "message"));
    if (valid && !json_is_boolean(valid))
        return error_set(e, ERROR_INPUT, "its \"valid\" is neither true nor false");
    out->ns = json_as_number(time);
    return out->claim == CLAIM_WRONG ||
           (json_is_number(time) && out->ns > 0 && isfinite(out->ns)) ||
           error_set(e, ERROR_INPUT, "its \"time_ns\" is not a number above 0");
}

// The last line that is an object with one of the two members.
static json_t *find_own(const char *text, size_t length)
{
    json_t *found = NULL;
    for (const char *at = text, *end; at < text + length; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text + length - at));
        end = end ? end : text + length;
        const char *start = at;
        while (start < end && (*start == ' ' || *start == '\t'))
            start++;
        json_t *o =
            start < end && *start == '{' ? json_loadb(start, (size_t)(end - start), 0, NULL) : NULL;
        bool is_own = json_object_get(o, "time_ns") || json_object_get(o, "valid");
        if (is_own) {
            json_decref(found);
            found = json_incref(o);
        }
        json_decref(o);
    }
    return found;
}

bool program_time_read(const char *text, size_t length, const char *benchmark,
                       struct program_time *out, struct error *e)
{
    json_t *whole = json_loadb(text, length, 0, NULL);
    const json_t *list = json_object_get(whole, "benchmarks");
    bool ok;
    *out = (struct program_time){.ns = 0};
    if (json_is_array(list)) {
        bool is_nvbench = json_object_get(json_array_get(list, 0), "states") != NULL;
        ok = (is_nvbench ? read_nvbench : read_google)(list, benchmark, out, e);
        ok = ok && (out->claim == CLAIM_WRONG || (out->ns > 0 && isfinite(out->ns)) ||
                    error_set(e, ERROR_INPUT, "its benchmark's time is not a number above 0"));
    } else {
        json_t *own = find_own(text, length);
        ok = own ? read_own(own, out, e)
                 : error_set(e, ERROR_INPUT,
                             "it gave no time: a line {\"time_ns\": 1234, \"valid\": true}, or "
                             "nvbench's or Google Benchmark's JSON");
        json_decref(own);
    }
    json_decref(whole);
    return ok;
}
