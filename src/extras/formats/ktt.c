// KTT's results as JSON: {"Metadata": {"Device": ..., "TimeUnit": "Microseconds"}, "Results": [{"Status": "Ok", "TotalDuration":
// 96.2, "CompilationOverhead": ..., "Configuration": [{"Name": "BLOCK", "Value": 32}], "ComputationResults": [{"Duration": 96.2,
// "ProfilingData": {"Counters": [...]}}]}]}. A configuration that was profiled has a result for each of its runs.
#include "extras/formats/recorded_json.h"

#include <math.h>
#include <stdio.h>

// The result that is being read, as far as it is known; times in the file's unit, NaN: not said.
struct ktt_result {
    double total, extra;   // of all its kernels, and of the host's code between them
    double kernels;        // the sum of their durations
    double moving, probed; // overheads
    bool has_counters;     // of its first kernel
};

static void ktt_begin(struct reading *r, struct ktt_result *k, uint64_t line, uint64_t number)
{
    *k = (struct ktt_result){
        .total = NAN, .extra = NAN, .kernels = NAN, .moving = NAN, .probed = NAN};
    snprintf(r->gather.place, sizeof r->gather.place, "line %llu: Results[%llu]",
             (unsigned long long)line, (unsigned long long)number);
    gather_begin(&r->gather);
}

static void ktt_number(struct reading *r, struct ktt_result *k, const char *name, double value)
{
    struct recorded_costs *costs = &r->gather.row.row.costs;
    const struct {
        const char *name;
        double *number;
    } known[] = {{"TotalDuration", &k->total},
                 {"ExtraDuration", &k->extra},
                 {"DataMovementOverhead", &k->moving},
                 {"ProfilingOverhead", &k->probed},
                 {"CompilationOverhead", &costs->compile_ns},
                 {"ValidationOverhead", &costs->verify_ns},
                 {"SearcherOverhead", &costs->search_ns}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (str_equal(name, known[i].name))
            *known[i].number = value;
    }
}

static bool ktt_status(struct reading *r, const char *word)
{
    static const struct {
        const char *word;
        enum status status;
    } known[] = {{"Ok", STATUS_CORRECT},
                 {"ComputationFailed", STATUS_RUNTIME},
                 {"ValidationFailed", STATUS_CORRECTNESS},
                 {"CompilationFailed", STATUS_COMPILE},
                 {"DeviceLimitsExceeded", STATUS_CONSTRAINTS}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!str_equal(word, known[i].word))
            continue;
        r->gather.row.row.status = known[i].status;
        return known[i].status == STATUS_CORRECT || gather_message(&r->gather, known[i].word);
    }
    return gather_refuse(&r->gather,
                         "Status: '%.60s' is none of Ok, ComputationFailed, ValidationFailed, "
                         "CompilationFailed, DeviceLimitsExceeded",
                         word);
}

static bool ktt_kernel(struct reading *r, struct ktt_result *k, const char *name, double value)
{
    if (str_equal(name, "Duration") && !isnan(value))
        k->kernels = isnan(k->kernels) ? value : k->kernels + value;
    bool is_measured = str_equal(name, "PowerUsage") || str_equal(name, "EnergyConsumption");
    return !is_measured || k->has_counters || isnan(value) ||
           gather_measure(&r->gather, name, value);
}

static bool ktt_counter(struct reading *r, const struct ktt_result *k, const char *name,
                        double value)
{
    return k->has_counters || isnan(value) || gather_measure(&r->gather, name, value);
}

static double sum_of_known(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static bool ktt_end(struct reading *r, const struct ktt_result *k)
{
    char text[32];
    struct gather *g = &r->gather;
    double time = isnan(k->total) ? sum_of_known(k->kernels, k->extra) : k->total;
    g->has_time = true;
    g->row.row.costs.run_ns = time;
    g->row.row.costs.framework_ns = sum_of_known(k->moving, k->probed);
    snprintf(text, sizeof text, "%g", time);
    return (isnan(time) || gather_time(g, time, text)) && gather_end(g);
}

static bool ktt_metadata(struct reading *r, const char *name, const char *text)
{
    struct recorded *rec = r->gather.recorded;
    if (str_equal(name, "Device")) {
        rec->device = arena_strdup(&rec->arena, text);
        return rec->device || error_memory(r->e);
    }
    if (!str_equal(name, "TimeUnit"))
        return true;
    r->gather.is_unit_said = true;
    return time_unit_ns(text, &r->gather.unit_ns) ||
           error_set(r->e, ERROR_INPUT,
                     "%s: Metadata.TimeUnit: '%.60s' is not a unit of time that is known; such as "
                     "Microseconds",
                     r->bytes.path, text);
}

// {"Name": ..., "Value": ...}, in any order and with whatever else.
struct pair {
    struct text name, text;
    struct value value; // a string is `text`
    bool has_value;
};

static bool read_pair_field(struct reading *r, struct pair *p, bool is_name, bool is_value)
{
    if (is_name && r->tokens.kind == TOKEN_STRING) {
        text_clear(&p->name);
        text_add(&p->name, text_cstr(&r->tokens.text));
        return !p->name.failed || error_memory(r->e);
    }
    if (!is_value || !tokens_value(&r->tokens, &p->value))
        return reading_skip(r);
    p->has_value = true;
    if (p->value.kind != VALUE_STRING)
        return true;
    text_clear(&p->text);
    text_add(&p->text, p->value.s);
    return !p->text.failed || error_memory(r->e);
}

static bool read_pair(struct reading *r, struct pair *p)
{
    text_clear(&p->name);
    p->has_value = false;
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_unexpected(r, r->gather.place, "an object with Name and Value");
    while (reading_key(r)) {
        const char *key = text_cstr(&r->tokens.text);
        bool is_name = str_equal(key, "Name"), is_value = str_equal(key, "Value");
        if (!reading_next(r) || !read_pair_field(r, p, is_name, is_value))
            return false;
    }
    if (reading_is_over(r) && p->has_value && p->value.kind == VALUE_STRING)
        p->value.s = text_cstr(&p->text);
    return reading_is_over(r);
}

// A list of pairs: the configuration (k NULL), or counters.
static bool read_pairs(struct reading *r, const struct ktt_result *k)
{
    struct pair p = {.name = TEXT_INIT, .text = TEXT_INIT};
    bool ok = true;
    if (r->tokens.kind != TOKEN_ARRAY)
        return reading_skip(r);
    while (ok && reading_item(r)) {
        double number = NAN;
        ok = read_pair(r, &p);
        if (ok && k && p.has_value && value_to_f64(&p.value, &number))
            ok = ktt_counter(r, k, text_cstr(&p.name), number);
        else if (ok && !k)
            ok = p.has_value
                     ? gather_set(&r->gather, text_cstr(&p.name), &p.value)
                     : gather_refuse(&r->gather, "parameter '%s' has no Value", text_cstr(&p.name));
    }
    text_release(&p.name);
    text_release(&p.text);
    return ok && reading_is_over(r);
}

static bool read_profile(struct reading *r, const struct ktt_result *k)
{
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_skip(r);
    while (reading_key(r)) {
        bool is_counters = str_equal(text_cstr(&r->tokens.text), "Counters");
        if (!reading_next(r) || !(is_counters ? read_pairs(r, k) : reading_skip(r)))
            return false;
    }
    return reading_is_over(r);
}

static bool read_kernel(struct reading *r, struct ktt_result *k)
{
    char key[24];
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_skip(r);
    while (reading_key(r)) {
        double number;
        str_format(key, sizeof key, "%s", text_cstr(&r->tokens.text));
        if (!reading_next(r))
            return false;
        bool ok = str_equal(key, "ProfilingData")
                      ? read_profile(r, k)
                      : reading_number(r, &number) && ktt_kernel(r, k, key, number);
        if (!ok)
            return false;
    }
    k->has_counters = true;
    return reading_is_over(r);
}

static bool read_kernels(struct reading *r, struct ktt_result *k)
{
    if (r->tokens.kind != TOKEN_ARRAY)
        return reading_skip(r);
    while (reading_item(r)) {
        if (!read_kernel(r, k))
            return false;
    }
    return reading_is_over(r);
}

static bool read_ktt_field(struct reading *r, struct ktt_result *k, const char *key,
                           bool *has_pairs)
{
    double number;
    if (str_equal(key, "Configuration")) {
        *has_pairs = true;
        return read_pairs(r, NULL);
    }
    if (str_equal(key, "ComputationResults"))
        return read_kernels(r, k);
    if (str_equal(key, "Status") && r->tokens.kind == TOKEN_STRING)
        return ktt_status(r, text_cstr(&r->tokens.text));
    if (str_equal(key, "KernelName"))
        return reading_text(r, &r->gather.recorded->name);
    if (!reading_number(r, &number))
        return false;
    ktt_number(r, k, key, number);
    return true;
}

static bool read_ktt_result(struct reading *r, uint64_t number)
{
    struct ktt_result k;
    char key[24];
    bool has_pairs = false;
    ktt_begin(r, &k, r->tokens.line, number);
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_unexpected(r, "Results", "an object for each result");
    while (reading_key(r)) {
        str_format(key, sizeof key, "%s", text_cstr(&r->tokens.text));
        if (!reading_next(r) || !read_ktt_field(r, &k, key, &has_pairs))
            return false;
    }
    if (!reading_is_over(r))
        return false;
    return has_pairs ? ktt_end(r, &k) : gather_refuse(&r->gather, "it has no 'Configuration'");
}

bool read_ktt_results(struct reading *r)
{
    uint64_t number = 0;
    if (r->has_rows)
        return reading_skip(r);
    if (r->tokens.kind != TOKEN_ARRAY)
        return reading_unexpected(r, "Results", "a list");
    r->has_rows = true;
    r->gather.recorded->format = RECORDED_KTT;
    while (reading_item(r)) {
        if (!read_ktt_result(r, number++))
            return false;
    }
    r->gather.place[0] = 0;
    return reading_is_over(r);
}

bool read_ktt_metadata(struct reading *r)
{
    char key[24];
    if (r->tokens.kind != TOKEN_OBJECT)
        return reading_skip(r);
    while (reading_key(r)) {
        str_format(key, sizeof key, "%s", text_cstr(&r->tokens.text));
        if (!reading_next(r))
            return false;
        if (!(r->tokens.kind == TOKEN_STRING ? ktt_metadata(r, key, text_cstr(&r->tokens.text))
                                             : reading_skip(r)))
            return false;
    }
    return reading_is_over(r);
}
