// Gathers a recorded space row by row. Values of a parameter are kept once, in a hash table, so
// that a row is a few small numbers; an earlier row of the same configuration is found by the hash
// of these and replaced: newer measurements are appended, and Kernel Tuner reads its cache files
// the same way. At the end values and rows are sorted; with a spec no other parameters and values
// are allowed.

#include "recorded/gather.h"

#include "base/array.h"
#include "stats/stats.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#undef gather_refuse

#define NONE              UINT32_MAX
#define PARAMETERS_MOST   4096
#define MEASUREMENTS_MOST 1024
#define LOOKED_AT         64  // rows by which it is told what their time is
#define SURELY_TIME       1e8 // so many minutes still fit a result
#define ODD_TEXT          60  // bytes of a number that is shown

bool gather_refuse(struct gather *g, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    str_vformat(text, sizeof text, format, args);
    va_end(args);
    return error_set(g->e, ERROR_INPUT, "%s: %s%s%s", g->recorded->path, g->place,
                     g->place[0] ? ": " : "", text);
}

bool time_unit_ns(const char *text, double *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},          {"nanosecond", 1},   {"us", 1e3},
                 {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3},  {"microsecond", 1e3},
                 {"ms", 1e6},        {"milisecond", 1e6}, {"millisecond", 1e6},
                 {"s", 1e9},         {"sec", 1e9},        {"second", 1e9},
                 {"min", 60e9},      {"minute", 60e9}};
    char one[24];
    size_t length = strlen(text);
    if (length >= sizeof one)
        return false;
    memcpy(one, text, length + 1);
    if (length > 4 && one[length - 1] == 's') // plural
        one[length - 1] = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (str_equal_nocase(one, units[i].name)) {
            *ns = units[i].ns;
            return true;
        }
    }
    return false;
}

static const char *keep_gathered_text(struct gather *g, const char *text)
{
    const char *own = arena_strdup(&g->recorded->arena, text);
    if (!own)
        error_memory(g->e);
    return own;
}

// ---- values ------------------------------------------------------------------------------------

static uint64_t mix_value_hash(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

// The slot that holds the value, or the free one where it belongs.
static uint32_t *value_slot(const struct gather_values *p, const struct value *v)
{
    // Equal values (True == 1 == 1.0) have equal hashes.
    double f;
    uint64_t h = 5381;
    if (value_to_f64(v, &f)) {
        f = f == 0 ? 0 : f; // -0.0
        memcpy(&h, &f, sizeof h);
    } else if (v->kind == VALUE_STRING) {
        for (const char *s = v->s; *s; s++)
            h = h * 33 + (unsigned char)*s;
    }
    uint64_t at = mix_value_hash(h);
    for (;; at++) {
        uint32_t *slot = &p->slots[at & (p->slot_count - 1)];
        if (*slot == 0 || value_equal(&p->values[*slot - 1], v))
            return slot;
    }
}

static bool values_rehash(struct gather *g, struct gather_values *p)
{
    uint32_t wanted = p->slot_count ? 2 * p->slot_count : 32;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return error_memory(g->e);
    free(p->slots);
    p->slots = slots;
    p->slot_count = wanted;
    for (uint32_t i = 0; i < p->count; i++)
        *value_slot(p, &p->values[i]) = i + 1;
    return true;
}

// Known already, or added.
static bool value_add(struct gather *g, struct gather_values *p, const struct value *v,
                      uint32_t *index)
{
    if (2 * (uint64_t)p->count >= p->slot_count && !values_rehash(g, p))
        return false;
    uint32_t *slot = value_slot(p, v);
    if (*slot == 0) {
        if (!ARRAY_ROOM(p->values, p->room, p->count + (size_t)1))
            return error_memory(g->e);
        if (!value_copy(&g->recorded->arena, v, &p->values[p->count]))
            return error_memory(g->e);
        *slot = ++p->count;
    }
    *index = *slot - 1;
    return true;
}

static bool value_find(const struct gather_values *p, const struct value *v, uint32_t *index)
{
    uint32_t slot = p->slot_count ? *value_slot(p, v) : 0;
    *index = slot - 1;
    return slot > 0;
}

// ---- parameters --------------------------------------------------------------------------------

static bool parameter_add(struct gather *g, const char *name, uint32_t *index)
{
    *index = g->parameter_count;
    if (g->parameter_count == PARAMETERS_MOST)
        return gather_refuse(g, "more than %d parameters", PARAMETERS_MOST);
    if (!ARRAY_ROOM(g->parameters, g->parameter_room, g->parameter_count + (size_t)1))
        return error_memory(g->e);
    struct gather_values *p = &g->parameters[g->parameter_count];
    memset(p, 0, sizeof *p);
    p->name = keep_gathered_text(g, name);
    if (!p->name)
        return false;
    g->parameter_count++;
    uint32_t *choice = realloc(g->choice, g->parameter_count * sizeof *choice);
    if (!choice)
        return error_memory(g->e);
    g->choice = choice;
    choice[*index] = NONE;
    return true;
}

bool gather_find(const struct gather *g, const char *name, uint32_t *index)
{
    for (uint32_t i = 0; i < g->parameter_count; i++) {
        if (str_equal(g->parameters[i].name, name)) {
            *index = i;
            return true;
        }
    }
    return false;
}

// Takes parameters and values from the spec, which then lists all of them.
static bool take_spec(struct gather *g, const struct spec *s)
{
    uint32_t index;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        if (!parameter_add(g, p->name, &index))
            return false;
        for (uint32_t k = 0; k < p->count; k++) {
            if (!value_add(g, &g->parameters[i], &p->values[k], &index))
                return false;
        }
    }
    g->is_closed = true;
    return true;
}

static bool refuse_parameter(struct gather *g, const char *name)
{
    struct text known = TEXT_INIT;
    for (uint32_t i = 0; i < g->parameter_count && known.length < 300; i++)
        text_addf(&known, "%s%s", i ? ", " : "", g->parameters[i].name);
    if (g->o->spec)
        gather_refuse(g, "it is of another space: %s has no parameter '%s'; it has %s",
                      g->o->spec->path, name, text_cstr(&known));
    else
        gather_refuse(g, "a parameter '%s' that was not there before; there are %s", name,
                      text_cstr(&known));
    text_release(&known);
    return false;
}

bool gather_parameter(struct gather *g, const char *name, uint32_t *index)
{
    if (gather_find(g, name, index))
        return true;
    return g->is_closed ? refuse_parameter(g, name) : parameter_add(g, name, index);
}

static bool refuse_value(struct gather *g, uint32_t parameter, const struct value *v)
{
    struct text text = TEXT_INIT;
    const struct gather_values *p = &g->parameters[parameter];
    text_addf(&text, "%s%s = ", g->o->spec ? "it is of another space: " : "", p->name);
    value_print(v, &text);
    text_addf(&text, " is not among the values %s%s: [", g->o->spec ? "in " : "that the file lists",
              g->o->spec ? g->o->spec->path : "");
    for (uint32_t i = 0; i < p->count && i < 12; i++) {
        text_add(&text, i ? ", " : "");
        value_print(&p->values[i], &text);
    }
    gather_refuse(g, "%s%s]", text_cstr(&text), p->count > 12 ? ", ..." : "");
    text_release(&text);
    return false;
}

bool gather_listed(struct gather *g, uint32_t parameter, const struct value *v)
{
    uint32_t index;
    if (!g->o->spec)
        return value_add(g, &g->parameters[parameter], v, &index);
    return value_find(&g->parameters[parameter], v, &index) || refuse_value(g, parameter, v);
}

bool gather_close(struct gather *g)
{
    g->is_closed = true;
    return g->parameter_count > 0 || gather_refuse(g, "it names no parameters");
}

// ---- one row -----------------------------------------------------------------------------------

void gather_begin(struct gather *g)
{
    memset(&g->row, 0, sizeof g->row);
    g->row.row.time_ns = g->row.other_ns = NAN;
    g->row.row.costs = (struct recorded_costs){NAN, NAN, NAN, NAN, NAN};
    g->row.row.message = "";
    g->row.mean = g->row.median = g->row.least = NAN;
    g->run_count = 0;
    for (uint32_t i = 0; i < g->parameter_count; i++)
        g->choice[i] = NONE;
}

// With a spec, and if a file listed values, only those are known; else those of the rows.
bool gather_set_at(struct gather *g, uint32_t parameter, const struct value *v)
{
    uint32_t index;
    struct gather_values *p = &g->parameters[parameter];
    if (g->o->spec || g->keeps_order) {
        if (!value_find(p, v, &index))
            return refuse_value(g, parameter, v);
    } else if (!value_add(g, p, v, &index)) {
        return false;
    }
    if (g->choice[parameter] != NONE && g->choice[parameter] != index)
        return gather_refuse(g, "'%s' has two values", p->name);
    g->choice[parameter] = index;
    return true;
}

bool gather_set(struct gather *g, const char *name, const struct value *v)
{
    uint32_t parameter;
    return gather_parameter(g, name, &parameter) && gather_set_at(g, parameter, v);
}

bool gather_odd_time(struct gather *g, double time, const char *text, struct gather_odd *odd)
{
    char shown[ODD_TEXT];
    if (time > 0 && time < SURELY_TIME)
        return true;
    str_format(shown, sizeof shown, "%s", text);
    odd->text = keep_gathered_text(g, shown);
    odd->place = odd->text ? keep_gathered_text(g, g->place) : NULL;
    return odd->place != NULL;
}

bool gather_time(struct gather *g, double time, const char *text)
{
    g->row.row.time_ns = time;
    return gather_odd_time(g, time, text, &g->row.odd);
}

bool gather_run(struct gather *g, double time, const char *text)
{
    if (!(time > 0) || !isfinite(time)) // if no run is better, this is what was recorded
        return g->row.odd.text || gather_odd_time(g, time, text, &g->row.odd);
    if (!ARRAY_ROOM(g->runs, g->run_room, g->run_count + 1))
        return error_memory(g->e);
    g->runs[g->run_count++] = time;
    return true;
}

static bool measurement_index(struct gather *g, const char *name, uint32_t *index)
{
    for (*index = 0; *index < g->measurement_count; ++*index) {
        if (str_equal(g->measurements[*index], name))
            return true;
    }
    if (g->measurement_count == MEASUREMENTS_MOST)
        return gather_refuse(g, "more than %d kinds of measurement", MEASUREMENTS_MOST);
    if (!ARRAY_ROOM(g->measurements, g->measurement_room, g->measurement_count + (size_t)1))
        return error_memory(g->e);
    const char *own = keep_gathered_text(g, name);
    if (own)
        g->measurements[g->measurement_count++] = own;
    return own != NULL;
}

bool gather_measure(struct gather *g, const char *name, double value)
{
    uint32_t index;
    if (!measurement_index(g, name, &index))
        return false;
    struct gather_measured *m = arena_alloc(&g->recorded->arena, sizeof *m);
    if (!m)
        return error_memory(g->e);
    *m = (struct gather_measured){index, value, g->row.measured};
    g->row.measured = m;
    return true;
}

bool gather_message(struct gather *g, const char *message)
{
    const size_t known = sizeof g->messages / sizeof *g->messages;
    for (size_t i = 0; i < known; i++) {
        if (g->messages[i] && str_equal(g->messages[i], message)) {
            g->row.row.message = g->messages[i];
            return true;
        }
    }
    const char *own = keep_gathered_text(g, message);
    if (!own)
        return false;
    g->messages[g->count % known] = own;
    g->row.row.message = own;
    return true;
}

bool gather_failure(struct gather *g, const char *word)
{
    static const struct {
        const char *word;
        enum status status;
    } failures[] = {{"RuntimeFailedConfig", STATUS_RUNTIME},
                    {"CompilationFailedConfig", STATUS_COMPILE},
                    {"InvalidConfig", STATUS_CONSTRAINTS},
                    {"ErrorConfig", STATUS_RUNTIME}};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        if (!str_equal(word, failures[i].word))
            continue;
        if (g->row.row.status == STATUS_CORRECT)
            g->row.row.status = failures[i].status;
        if (!g->row.row.message[0])
            gather_message(g, failures[i].word);
        return true;
    }
    return false;
}

// Summarises single runs; computes the median only if it may be needed.
static void sum_up_runs(struct gather *g)
{
    struct gather_row *row = &g->row;
    double sum = 0;
    if (g->run_count == 0)
        return;
    row->least = INFINITY;
    for (size_t i = 0; i < g->run_count; i++) {
        sum += g->runs[i];
        row->least = fmin(row->least, g->runs[i]);
    }
    row->mean = sum / (double)g->run_count;
    if (isnan(row->row.costs.run_ns))
        row->row.costs.run_ns = sum;
    if (g->count < LOOKED_AT || isnan(row->row.time_ns))
        row->median = stats_median_of(g->runs, g->run_count);
}

// Completes omitted parameters: allowed with a spec, for parameters with a single value.
static bool complete_row(struct gather *g)
{
    for (uint32_t i = 0; i < g->parameter_count; i++) {
        if (g->choice[i] != NONE)
            continue;
        if (!g->o->spec || g->parameters[i].count != 1)
            return gather_refuse(g, "%s'%s' has no value",
                                 g->o->spec ? "it is of another space: parameter " : "",
                                 g->parameters[i].name);
        g->choice[i] = 0;
    }
    return true;
}

static uint64_t *choice_slot(const struct gather *g, const uint32_t *choice)
{
    size_t bytes = g->parameter_count * sizeof *choice;
    uint64_t at = 1;
    for (uint32_t i = 0; i < g->parameter_count; i++)
        at = mix_value_hash(at * 31 + choice[i]);
    for (;; at++) {
        uint64_t *slot = &g->slots[at & (g->slot_count - 1)];
        if (*slot == 0 || memcmp(g->rows[*slot - 1].row.choice, choice, bytes) == 0)
            return slot;
    }
}

static bool rows_rehash(struct gather *g)
{
    uint64_t wanted = g->slot_count ? 2 * g->slot_count : 256;
    uint64_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return error_memory(g->e);
    free(g->slots);
    g->slots = slots;
    g->slot_count = wanted;
    for (uint64_t i = 0; i < g->count; i++)
        *choice_slot(g, g->rows[i].row.choice) = i + 1;
    return true;
}

// The newest row of a configuration counts: a store gives it first, a file has it last.
static bool counts_first(const struct gather *g)
{
    return g->recorded->format == RECORDED_STORE;
}

bool gather_end(struct gather *g)
{
    if (!complete_row(g) || !gather_close(g))
        return false;
    if (2 * g->count >= g->slot_count && !rows_rehash(g))
        return false;
    uint64_t *slot = choice_slot(g, g->choice);
    if (*slot && g->recorded->duplicates++ == 0)
        str_format(g->first_repeat, sizeof g->first_repeat, "%s", g->place);
    if (*slot && counts_first(g))
        return true;
    sum_up_runs(g);
    if (g->row.is_wrong && g->row.row.status == STATUS_CORRECT)
        g->row.row.status = STATUS_CORRECTNESS;
    if (*slot) {
        g->row.row.choice = g->rows[*slot - 1].row.choice;
        g->rows[*slot - 1] = g->row;
        return true;
    }
    uint32_t *choice =
        arena_array(&g->recorded->arena, g->parameter_count + (size_t)1, sizeof *choice);
    if (!choice || !ARRAY_ROOM(g->rows, g->room, g->count + 1))
        return error_memory(g->e);
    for (uint32_t i = 0; i < g->parameter_count; i++)
        choice[i] = g->choice[i];
    g->row.row.choice = choice;
    g->rows[g->count] = g->row;
    *slot = ++g->count;
    return true;
}

// ---- what the time is --------------------------------------------------------------------------

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

// Compares the file's unnamed time with the single runs of the first rows. Kernel Tuner, and
// converters of its files, write the mean.
static const char *guess_statistic(const struct gather *g)
{
    uint64_t looked = 0, means = 0, medians = 0, leasts = 0, timed = 0;
    for (uint64_t i = 0; i < g->count && looked < LOOKED_AT; i++) {
        const struct gather_row *row = &g->rows[i];
        bool is_other = !g->has_time && isnan(row->median) && !isnan(row->other_ns);
        timed += !isnan(row->row.time_ns) || is_other;
        if (isnan(row->row.time_ns) || isnan(row->median))
            continue;
        double unit = row->is_own_unit ? g->unit_ns : 1;
        looked++;
        means += is_near(row->row.time_ns, row->mean * unit);
        medians += is_near(row->row.time_ns, row->median * unit);
        leasts += is_near(row->row.time_ns, row->least * unit);
    }
    if (timed == 0)
        return "median";
    bool is_median = looked > 0 && medians == looked && means < looked;
    bool is_least = looked > 0 && leasts == looked && means < looked && medians < looked;
    return is_median ? "median" : is_least ? "minimum" : "mean";
}

static double run_statistic(const struct gather *g, const struct gather_row *row)
{
    const char *which = g->recorded->statistic;
    return str_equal(which, "median")    ? row->median
           : str_equal(which, "minimum") ? row->least
                                         : row->mean;
}

// A duration in ns that fits a result, or NaN.
static double settled(double ns)
{
    return ns >= 0 && ns < 0x1p63 ? ns : NAN;
}

// A correct result without a time that can be used: a failure that says so. Whose message is the
// same is the same result to a store: where the row stands is for the warning alone.
static bool fail_untimed_row(struct gather *g, struct gather_row *row)
{
    struct recorded_row *r = &row->row;
    const struct gather_odd *odd = row->odd.text                         ? &row->odd
                                   : !g->has_time && row->other_odd.text ? &row->other_odd
                                                                         : NULL;
    r->status = STATUS_RUNTIME;
    r->message = "recorded without a time";
    if (!odd) {
        g->untimed++;
        return true;
    }
    if (g->unusable++ == 0)
        g->first_odd = odd;
    r->message =
        arena_printf(&g->recorded->arena, "the recorded time is not a usable time: %s", odd->text);
    return r->message || error_memory(g->e);
}

// From the file's unit; a missing time makes a failure.
static bool final_ranking_row(struct gather *g, struct gather_row *row)
{
    struct recorded_row *r = &row->row;
    double unit = g->unit_ns;
    const double times[] = {row->is_own_unit ? NAN : r->time_ns,
                            row->median,
                            r->costs.compile_ns,
                            r->costs.run_ns,
                            r->costs.verify_ns,
                            r->costs.framework_ns,
                            r->costs.search_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        g->needs_unit |= !isnan(times[i]);
    if (isnan(r->time_ns))
        r->time_ns = run_statistic(g, row) * unit;
    else if (!row->is_own_unit)
        r->time_ns *= unit;
    if (isnan(r->time_ns) && !g->has_time)
        r->time_ns = row->other_ns;
    r->costs.compile_ns = settled(r->costs.compile_ns * unit);
    r->costs.run_ns = settled(r->costs.run_ns * unit);
    r->costs.verify_ns = settled(r->costs.verify_ns * unit);
    r->costs.framework_ns = settled(r->costs.framework_ns * unit);
    r->costs.search_ns = settled(r->costs.search_ns * unit);
    // Caches of before there were names of failures hold 1e20.
    bool has_time = r->time_ns > 0 && !isnan(settled(r->time_ns));
    bool needs_time = !g->recorded->is_untimed || !row->measured;
    if (r->status == STATUS_CORRECT && !has_time && needs_time && !fail_untimed_row(g, row))
        return false;
    if (r->status != STATUS_CORRECT) {
        r->time_ns = NAN;
        if (!r->message[0])
            r->message = status_text(r->status);
    }
    return true;
}

// A converter of KTT's files writes the unit at the one measurement, which is the single run, too: that is the unit of all times.
static void guess_unit(struct gather *g)
{
    static const double units[] = {1, 1e3, 1e6, 1e9};
    const struct gather_row *row = g->rows;
    while (row < g->rows + g->count && (isnan(row->other_ns) || isnan(row->least)))
        row++;
    if (g->recorded->format != RECORDED_T4 || g->is_unit_said || row == g->rows + g->count)
        return;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (is_near(row->mean * units[i], row->other_ns)) {
            g->unit_ns = units[i];
            g->is_unit_said = true;
        }
    }
}

// A recording without any time, in which something else was measured: a correct row needs no time there.
static bool is_all_untimed(const struct gather *g)
{
    bool is_measured = false;
    for (uint64_t i = 0; i < g->count; i++) {
        const struct gather_row *row = &g->rows[i];
        bool is_timed = !isnan(row->row.time_ns) || !isnan(row->other_ns) || !isnan(row->least);
        if (is_timed || row->odd.text || row->other_odd.text)
            return false;
        is_measured |= row->row.status == STATUS_CORRECT && row->measured;
    }
    return is_measured;
}

// ---- the order of values -----------------------------------------------------------------------

struct ranked_value {
    struct value value;
    uint32_t index;
};

// Numbers first.
static int by_gathered_value(const void *a, const void *b)
{
    double x, y;
    const struct ranked_value *p = a, *q = b;
    bool number_p = value_to_f64(&p->value, &x), number_q = value_to_f64(&q->value, &y);
    if (number_p != number_q)
        return number_p ? -1 : 1;
    int order = number_p ? (x > y) - (x < y) : strcmp(p->value.s, q->value.s);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

// new_index[old index].
static bool values_sort(struct gather *g, struct gather_values *p, uint32_t **new_index)
{
    struct ranked_value *ranked = malloc(p->count * sizeof *ranked + 1);
    uint32_t *places = malloc(p->count * sizeof *places + 1);
    *new_index = places;
    if (!ranked || !places) {
        free(ranked);
        return error_memory(g->e);
    }
    for (uint32_t i = 0; i < p->count; i++)
        ranked[i] = (struct ranked_value){p->values[i], i};
    if (p->count > 0)
        qsort(ranked, p->count, sizeof *ranked, by_gathered_value);
    for (uint32_t i = 0; i < p->count; i++) {
        p->values[i] = ranked[i].value;
        places[ranked[i].index] = i;
    }
    free(ranked);
    return true;
}

static bool sort_all(struct gather *g)
{
    for (uint32_t i = 0; i < g->parameter_count; i++) {
        uint32_t *new_index = NULL;
        bool ok = values_sort(g, &g->parameters[i], &new_index);
        for (uint64_t k = 0; k < g->count && ok; k++) {
            uint32_t *choice = (uint32_t *)g->rows[k].row.choice; // our own, in the arena
            choice[i] = new_index[choice[i]];
        }
        free(new_index);
        if (!ok)
            return false;
    }
    return true;
}

// ---- the whole ---------------------------------------------------------------------------------

static bool make_parameters(struct gather *g)
{
    struct recorded *r = g->recorded;
    r->parameter_count = g->parameter_count;
    if (g->o->spec) {
        r->parameters = g->o->spec->parameters;
        return true;
    }
    struct parameter *list = arena_array(&r->arena, g->parameter_count, sizeof *list);
    for (uint32_t i = 0; list && i < g->parameter_count; i++) {
        const struct gather_values *p = &g->parameters[i];
        list[i] = (struct parameter){.name = p->name,
                                     .path = p->name,
                                     .type = parameter_type_of(p->values, p->count),
                                     .count = p->count};
        list[i].values = arena_copy(&r->arena, p->values, p->count * sizeof *p->values);
        if (!list[i].values)
            return error_memory(g->e);
    }
    r->parameters = list;
    return list || error_memory(g->e);
}

static bool make_measurements(struct gather *g, struct recorded_row *row,
                              const struct gather_measured *measured)
{
    static const double none[1];
    row->measurements = none;
    if (g->measurement_count == 0)
        return true;
    double *all = arena_array(&g->recorded->arena, g->measurement_count, sizeof *all);
    if (!all)
        return error_memory(g->e);
    for (uint32_t i = 0; i < g->measurement_count; i++)
        all[i] = NAN;
    for (; measured; measured = measured->next)
        all[measured->name] = measured->value;
    row->measurements = all;
    return true;
}

static bool make_recorded_rows(struct gather *g)
{
    struct recorded *r = g->recorded;
    struct recorded_row *rows = arena_array(&r->arena, g->count, sizeof *rows);
    if (!rows)
        return error_memory(g->e);
    for (uint64_t i = 0; i < g->count; i++) {
        if (!final_ranking_row(g, &g->rows[i]))
            return false;
        rows[i] = g->rows[i].row;
        r->correct += rows[i].status == STATUS_CORRECT;
        if (!make_measurements(g, &rows[i], g->rows[i].measured))
            return false;
    }
    r->rows = rows;
    r->count = g->count;
    r->measurement_count = g->measurement_count;
    const char **names = arena_array(&r->arena, g->measurement_count + (size_t)1, sizeof *names);
    for (uint32_t i = 0; names && i < g->measurement_count; i++)
        names[i] = g->measurements[i];
    r->measurements = names;
    return names || error_memory(g->e);
}

static void tell_repeats(const struct gather *g)
{
    const struct recorded *r = g->recorded;
    bool is_one = r->duplicates == 1;
    log_add(g->o->log, LOG_WARNING,
            "%s: %llu result%s a configuration that came before, %sat %s; the %s of a "
            "configuration counts",
            r->path, (unsigned long long)r->duplicates, is_one ? " repeats" : "s repeat",
            is_one ? "" : "the first ", g->first_repeat,
            counts_first(g) ? "newest result" : "last result");
}

static void tell_unusable(const struct gather *g)
{
    bool is_one = g->unusable == 1;
    if (g->unusable == 0)
        return;
    log_add(g->o->log, LOG_WARNING,
            "%s: %llu recorded time%s unusable and count%s as %s; %s %s: %s", g->recorded->path,
            (unsigned long long)g->unusable, is_one ? " is" : "s are", is_one ? "s" : "",
            is_one ? "a failure" : "failures", is_one ? "it is at" : "the first is at",
            g->first_odd->place, g->first_odd->text);
}

// Names the measurements of a file that has no times.
static void tell_untimed(const struct gather *g)
{
    const struct recorded *r = g->recorded;
    struct text names = TEXT_INIT;
    for (uint32_t i = 0; i < g->measurement_count; i++)
        text_addf(&names, "%s%s", i ? ", " : "", g->measurements[i]);
    if (r->is_untimed)
        log_add(g->o->log, LOG_NOTE,
                "%s: no times are recorded; look for something else, as by --objective min:NAME; "
                "measured were: %s",
                r->path, text_cstr(&names));
    else if (r->correct == 0 && g->untimed > 0 && g->unusable == 0)
        log_add(g->o->log, LOG_WARNING,
                "%s: no result has a measurement 'time', nor any other, so none counts as correct",
                r->path);
    else if (g->other_time && !g->has_time && r->correct > 0)
        log_add(g->o->log, LOG_NOTE, "%s: no measurement is called 'time'; '%s' is taken for it",
                r->path, g->other_time);
    text_release(&names);
}

bool gather_finish(struct gather *g)
{
    g->place[0] = 0;
    if (g->count == 0)
        return gather_refuse(g, "it has no results");
    if (!g->recorded->statistic)
        g->recorded->statistic = guess_statistic(g);
    guess_unit(g);
    g->recorded->is_untimed = is_all_untimed(g);
    bool ok = (g->o->spec || g->keeps_order || sort_all(g)) && make_parameters(g) &&
              make_recorded_rows(g);
    if (ok) {
        const struct recorded *r = g->recorded;
        if (r->duplicates > 0)
            tell_repeats(g);
        if (r->torn > 0)
            log_add(g->o->log, LOG_WARNING,
                    "%s: the last result was written in part and is left out", r->path);
        tell_unusable(g);
        tell_untimed(g);
    }
    return ok;
}

bool gather_init(struct gather *g, struct recorded *r, const struct recorded_options *o,
                 struct error *e)
{
    memset(g, 0, sizeof *g);
    g->recorded = r;
    g->o = o;
    g->e = e;
    g->unit_ns = 1e6;
    r->name = r->device = r->constants = "";
    return !o->spec || take_spec(g, o->spec);
}

void gather_release(struct gather *g)
{
    for (uint32_t i = 0; i < g->parameter_count; i++) {
        free(g->parameters[i].values);
        free(g->parameters[i].slots);
    }
    free(g->parameters);
    free(g->measurements);
    free(g->rows);
    free(g->slots);
    free(g->choice);
    free(g->runs);
}
