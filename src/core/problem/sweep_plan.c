// Reading --set NAME=VALUES and making points of it: words are split outside of brackets and quotes
// into single values, ranges and lists; names that read others get their values after those; and a
// point is refused that is the same as an earlier one.
#include "problem/sweep_plan.h"

#include <math.h>
#include <string.h>

// One of the values that a name was given.
struct item {
    const char *text;
    const struct expr *x; // NULL: `value` is it
    struct value value;
};

struct given {
    const char *word; // "N=256,512"
    const char *name;
    uint32_t constant; // in the spec
    struct item *items;
    uint32_t count;
    size_t capacity;
    bool done; // while points are made: it has its value at this one
};

struct planner {
    const struct spec *spec;
    struct arena *a;
    struct error *e;
    struct expr_symbols symbols; // all constants
    struct given *given;
    uint32_t count;
    struct value *slots; // of the point that is being made
};

// ---- words -------------------------------------------------------------------------------------

// The first of `what` in the text that stands in no brackets and no quotes, or NULL.
static const char *find_outside(const char *text, const char *what)
{
    int depth = 0;
    char quote = 0;
    for (const char *s = text; *s; s++) {
        if (quote) {
            quote = *s == quote ? 0 : quote;
        } else if (depth == 0 && str_starts(s, what)) {
            return s;
        } else if (*s == '\'' || *s == '"') {
            quote = *s;
        } else {
            depth += strchr("([{", *s) != NULL;
            depth -= strchr(")]}", *s) != NULL;
        }
    }
    return NULL;
}

static const char *trimmed_word(struct arena *a, const char *text, size_t length)
{
    while (length > 0 && text[0] == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    return arena_strndup(a, text, length);
}

static bool refuse_word(const struct planner *p, const struct given *g, const char *why)
{
    return error_set(p->e, ERROR_USAGE, "--set %s: %s", g->word, why);
}

static bool refuse_constant(const struct planner *p, const struct given *g)
{
    const struct spec *s = p->spec;
    const char **names = arena_array(p->a, s->constant_count + 1, sizeof *names);
    struct text known = TEXT_INIT;
    if (!names)
        return error_memory(p->e);
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        if (str_equal(s->parameters[i].name, g->name))
            return error_set(p->e, ERROR_USAGE,
                             "--set %s: '%s' is a parameter, not a constant: --config %s", g->word,
                             g->name, g->word);
    }
    for (uint32_t i = 0; i < s->constant_count; i++) {
        names[i] = s->constants[i].name;
        text_addf(&known, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = str_nearest(g->name, names, s->constant_count);
    if (s->constant_count == 0)
        refuse_word(p, g, "the spec has no constants to set");
    else
        error_set(p->e, ERROR_USAGE, "--set %s: unknown constant '%s'%s%s%s; the spec has %s",
                  g->word, g->name, near ? "; did you mean '" : "", near ? near : "",
                  near ? "'?" : "", text_cstr(&known));
    text_release(&known);
    return false;
}

static bool read_set_name(struct planner *p, struct given *g)
{
    const char *equals = strchr(g->word, '=');
    if (!equals || equals == g->word || !equals[1])
        return refuse_word(p, g, "write NAME=VALUE, or NAME=VALUE,VALUE,...");
    g->name = arena_strndup(p->a, g->word, (size_t)(equals - g->word));
    if (!g->name)
        return error_memory(p->e);
    for (const struct given *other = p->given; other < g; other++) {
        if (str_equal(other->name, g->name))
            return error_set(p->e, ERROR_USAGE,
                             "--set %s and --set %s: the same name twice; write %s=VALUE,VALUE,...",
                             other->word, g->word, g->name);
    }
    for (uint32_t i = 0; i < p->spec->constant_count; i++) {
        if (str_equal(p->spec->constants[i].name, g->name)) {
            g->constant = i;
            return true;
        }
    }
    return refuse_constant(p, g);
}

// ---- values ------------------------------------------------------------------------------------

// A value that stands there is refused at once; what an expression gives at a point is that
// point's matter.
static bool add_item(struct planner *p, struct given *g, const struct item *item)
{
    int64_t whole;
    if (!item->x && item->value.kind == VALUE_FLOAT && !value_to_i64(&item->value, &whole) &&
        p->spec->constants[g->constant].value.kind == VALUE_INT) {
        struct text number = TEXT_INIT;
        value_print(&item->value, &number);
        error_set(p->e, ERROR_USAGE, "--set %s: %s is of type int; '%s' is not", g->word, g->name,
                  text_cstr(&number));
        text_release(&number);
        return false;
    }
    if (g->count == SWEEP_POINTS_MOST)
        return error_set(p->e, ERROR_USAGE, "--set %s: more than %d values", g->word,
                         SWEEP_POINTS_MOST);
    if (!ARENA_ROOM(p->a, g->items, g->capacity, g->count + 1))
        return error_memory(p->e);
    g->items[g->count++] = *item;
    return true;
}

static bool no_value(const struct planner *p, const struct given *g, const char *text,
                     enum expr_fault fault)
{
    if (fault == EXPR_FAULT_MEMORY)
        return error_memory(p->e);
    return error_set(p->e, ERROR_USAGE, "--set %s: '%s' has no value: %s", g->word, text,
                     expr_fault_text(fault));
}

static struct expr *parse_value(struct planner *p, const struct given *g, const char *text)
{
    struct expr *x = expr_parse(p->a, text, &p->symbols, p->e);
    if (x)
        return x;
    bool memory = p->e && p->e->code == ERROR_MEMORY;
    if (p->e && !memory)
        p->e->code = ERROR_USAGE;
    if (!memory)
        error_context(p->e, "--set %s: '%s'", g->word, text);
    return NULL;
}

static bool reads_constants(const struct expr *x)
{
    const uint32_t *slots;
    return expr_slots(x, &slots) > 0;
}

static bool read_bound(struct planner *p, const struct given *g, const char *text, double *number,
                       struct value *out)
{
    struct expr *x = parse_value(p, g, text);
    if (!x)
        return false;
    if (reads_constants(x))
        return refuse_word(p, g,
                           "a range cannot read constants; name them in an expression of its own");
    enum expr_fault fault = expr_eval(x, p->slots, p->a, out);
    if (fault != EXPR_FAULT_NONE)
        return no_value(p, g, text, fault);
    if (!value_to_f64(out, number))
        return refuse_word(p, g, "a range has numbers as its ends");
    return true;
}

// The value of a range `index` steps, or doublings, from its first; integers stay exact. False:
// there is none.
static bool range_value(const struct value *first, const struct value *step, uint32_t index,
                        struct value *out)
{
    double x = 0, y = 0;
    if (first->kind == VALUE_INT && (!step || step->kind == VALUE_INT)) {
        int64_t more = 0, sum = 0;
        bool over = step
                        ? __builtin_mul_overflow(step->i, (int64_t)index, &more) ||
                              __builtin_add_overflow(first->i, more, &sum)
                        : index > 62 || __builtin_mul_overflow(first->i, (int64_t)1 << index, &sum);
        if (!over)
            *out = value_int(sum);
        return !over;
    }
    value_to_f64(first, &x);
    if (step)
        value_to_f64(step, &y);
    *out = value_float(step ? x + index * y : ldexp(x, (int)index));
    return true;
}

// The last value is the range's end itself where only rounding makes them differ: 0.1..0.3..0.1
// has three.
static bool is_within_range(struct value *v, double end, double step)
{
    double at = 0;
    value_to_f64(v, &at);
    if (v->kind == VALUE_FLOAT && fabs(at - end) <= 1e-9 * step)
        *v = value_float(at = end);
    return at <= end;
}

static bool add_range(struct planner *p, struct given *g, const char *text, const char *dots)
{
    const char *third = find_outside(dots + 2, "..");
    const char *parts[3] = {
        trimmed_word(p->a, text, (size_t)(dots - text)),
        trimmed_word(p->a, dots + 2, third ? (size_t)(third - dots - 2) : strlen(dots + 2)),
        third ? trimmed_word(p->a, third + 2, strlen(third + 2)) : ""};
    struct value values[3];
    double numbers[3] = {0, 0, 0};
    if (!parts[0] || !parts[1] || !parts[2])
        return error_memory(p->e);
    for (int i = 0; i < (third ? 3 : 2); i++) {
        if (!read_bound(p, g, parts[i], &numbers[i], &values[i]))
            return false;
    }
    if (third ? numbers[2] <= 0 : numbers[0] <= 0)
        return refuse_word(p, g,
                           third ? "the step of a range is above 0"
                                 : "a range doubles from a number above 0 on; with a step write "
                                   "FROM..TO..STEP");
    if (numbers[1] < numbers[0])
        return refuse_word(p, g, "the range ends below its beginning");
    struct item item = {.text = text};
    for (uint32_t i = 0; range_value(&values[0], third ? &values[2] : NULL, i, &item.value) &&
                         is_within_range(&item.value, numbers[1], numbers[2]);
         i++) {
        if (!add_item(p, g, &item))
            return false;
    }
    return true;
}

static bool add_list(struct planner *p, struct given *g, const char *text, const struct value *list)
{
    if (list->count == 0)
        return refuse_word(p, g, "an empty list");
    for (uint32_t i = 0; i < list->count; i++) {
        struct item item = {.text = text};
        if (!value_copy(p->a, &list->items[i], &item.value))
            return error_memory(p->e);
        if (!add_item(p, g, &item))
            return false;
    }
    return true;
}

static bool add_expression(struct planner *p, struct given *g, const char *text)
{
    struct item item = {.text = text, .value = {.kind = VALUE_STRING}};
    if (!value_parse_literal(text, p->a, &item.value))
        return error_memory(p->e);
    if (item.value.kind != VALUE_STRING)
        return add_item(p, g, &item);
    item.x = parse_value(p, g, text);
    if (!item.x)
        return false;
    if (reads_constants(item.x))
        return add_item(p, g, &item);
    enum expr_fault fault = expr_eval(item.x, p->slots, p->a, &item.value);
    if (fault != EXPR_FAULT_NONE)
        return no_value(p, g, text, fault);
    item.x = NULL;
    return item.value.kind == VALUE_LIST ? add_list(p, g, text, &item.value)
                                         : add_item(p, g, &item);
}

static bool read_values(struct planner *p, struct given *g)
{
    bool is_text = p->spec->constants[g->constant].value.kind == VALUE_STRING;
    const char *rest = strchr(g->word, '=') + 1;
    for (bool more = true; more;) {
        const char *comma = find_outside(rest, ",");
        const char *text = trimmed_word(p->a, rest, comma ? (size_t)(comma - rest) : strlen(rest));
        const char *dots = text && !is_text ? find_outside(text, "..") : NULL;
        struct item item = {.text = text, .value = value_string(text)};
        if (!text)
            return error_memory(p->e);
        if (!text[0])
            return refuse_word(p, g, "a value is missing beside a comma");
        if (is_text ? !add_item(p, g, &item)
            : dots  ? !add_range(p, g, text, dots)
                    : !add_expression(p, g, text))
            return false;
        more = comma != NULL;
        rest = more ? comma + 1 : rest;
    }
    return true;
}

// ---- points ------------------------------------------------------------------------------------

// Names are ordered so that who reads comes after who is read: the next one that can have its
// value.
static bool is_ready(const struct planner *p, const struct given *g, const struct item *item)
{
    for (uint32_t i = 0; item->x && i < p->count; i++) {
        const struct given *other = &p->given[i];
        if (!other->done && expr_uses(item->x, other->constant))
            return false;
    }
    return !g->done;
}

static bool say_circle(const struct planner *p)
{
    struct text names = TEXT_INIT;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!p->given[i].done)
            text_addf(&names, "%s--set %s", names.length ? ", " : "", p->given[i].word);
    }
    error_set(p->e, ERROR_USAGE, "%s: given by themselves or by each other", text_cstr(&names));
    text_release(&names);
    return false;
}

// 512 / 2 is 256.0 in Python; as an integer constant it is 256.
static bool take_value(struct planner *p, const struct given *g, const struct value *v)
{
    int64_t whole;
    bool is_integer = p->spec->constants[g->constant].value.kind == VALUE_INT;
    struct value *slot = &p->slots[g->constant];
    if (v->kind == VALUE_LIST || v->kind == VALUE_NONE)
        return refuse_word(p, g, "an expression over constants gives one value, not a list");
    if (v->kind == VALUE_STRING && p->spec->constants[g->constant].value.kind != VALUE_STRING)
        return error_set(p->e, ERROR_USAGE, "--set %s: '%s' is not of type %s, as %s is", g->word,
                         v->s, value_kind_name(p->spec->constants[g->constant].value.kind),
                         g->name);
    if (is_integer && v->kind == VALUE_FLOAT && value_to_i64(v, &whole))
        *slot = value_int(whole);
    else if (!value_copy(p->a, v, slot))
        return error_memory(p->e);
    return true;
}

static bool set_value(struct planner *p, struct given *g, const struct item *item)
{
    struct value v = item->value;
    enum expr_fault fault = item->x ? expr_eval(item->x, p->slots, p->a, &v) : EXPR_FAULT_NONE;
    if (fault != EXPR_FAULT_NONE)
        return no_value(p, g, item->text, fault);
    g->done = true;
    return take_value(p, g, &v);
}

// chosen[i]: which of the i-th name's values.
static bool make_values(struct planner *p, const uint32_t *chosen)
{
    uint32_t left = p->count;
    for (uint32_t i = 0; i < p->spec->constant_count; i++)
        p->slots[i] = p->spec->constants[i].value;
    for (uint32_t i = 0; i < p->count; i++)
        p->given[i].done = false;
    for (bool progress = true; left > 0 && progress;) {
        progress = false;
        for (uint32_t i = 0; i < p->count; i++) {
            struct given *g = &p->given[i];
            if (!is_ready(p, g, &g->items[chosen[i]]))
                continue;
            if (!set_value(p, g, &g->items[chosen[i]]))
                return false;
            progress = true;
            left--;
        }
    }
    return left == 0 || say_circle(p);
}

static bool make_point(struct planner *p, struct sweep_point *out)
{
    struct value *values = arena_array(p->a, p->count + 1, sizeof *values);
    const char **set = arena_array(p->a, p->count + 1, sizeof *set);
    bool ok = values && set;
    for (uint32_t i = 0; ok && i < p->count; i++) {
        struct text word = TEXT_INIT;
        values[i] = p->slots[p->given[i].constant];
        text_addf(&word, "%s=", p->given[i].name);
        if (values[i].kind == VALUE_STRING)
            text_add(&word, values[i].s);
        else
            value_print(&values[i], &word);
        set[i] = text_to_arena(&word, p->a);
        ok = set[i] != NULL;
    }
    *out = (struct sweep_point){set, values};
    return ok || error_memory(p->e);
}

static bool check_point_is_new(const struct planner *p, const struct sweep_point *points,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool alike = true;
        for (uint32_t k = 0; alike && k < p->count; k++)
            alike = value_equal(&points[i].values[k], &points[count].values[k]);
        if (!alike)
            continue;
        struct text text = TEXT_INIT;
        for (uint32_t k = 0; k < p->count; k++)
            text_addf(&text, "%s%s", k ? ", " : "", points[i].set[k]);
        error_set(p->e, ERROR_USAGE, "--set: the points %u and %u are the same, %s", i + 1,
                  count + 1, text_cstr(&text));
        text_release(&text);
        return false;
    }
    return true;
}

// How many points there are; 0 with an error.
static uint32_t count_points(const struct planner *p, bool product)
{
    const struct given *longest = NULL;
    uint64_t all = 1;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct given *g = &p->given[i];
        if (g->count == 1)
            continue;
        all *= g->count;
        if (all > SWEEP_POINTS_MOST) {
            all = SWEEP_POINTS_MOST + 1; // further lists do not make it less
            if (product)
                break;
        }
        if (!product && longest && longest->count != g->count) {
            error_set(p->e, ERROR_USAGE,
                      "--set %s has %u values, --set %s has %u: in step they have the same number; "
                      "--product takes all combinations",
                      longest->word, longest->count, g->word, g->count);
            return 0;
        }
        longest = g;
    }
    if (product && all > SWEEP_POINTS_MOST) {
        error_set(p->e, ERROR_USAGE, "--product: more than %d points", SWEEP_POINTS_MOST);
        return 0;
    }
    return product ? (uint32_t)all : longest ? longest->count : 1;
}

static bool make_points(struct planner *p, struct sweep_plan *out)
{
    uint32_t count = count_points(p, out->product);
    struct sweep_point *points = count ? arena_array(p->a, count, sizeof *points) : NULL;
    uint32_t *chosen = arena_array(p->a, p->count + 1, sizeof *chosen);
    if (count == 0)
        return false;
    if (!points || !chosen)
        return error_memory(p->e);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = p->count, index = i; k-- > 0;) {
            uint32_t values = p->given[k].count;
            chosen[k] = values == 1 ? 0 : out->product ? index % values : index;
            index = out->product ? index / values : index;
        }
        if (!make_values(p, chosen) || !make_point(p, &points[i]) ||
            !check_point_is_new(p, points, i))
            return false;
    }
    out->points = points;
    out->point_count = count;
    return true;
}

// ---- the whole ---------------------------------------------------------------------------------

static bool describe_names(struct planner *p, struct sweep_plan *out)
{
    struct sweep_name *names = arena_array(p->a, p->count + 1, sizeof *names);
    if (!names)
        return error_memory(p->e);
    for (uint32_t i = 0; i < p->count; i++) {
        names[i] = (struct sweep_name){
            .name = p->given[i].name, .given = p->given[i].count, .numeric = true};
        for (uint32_t k = 0; k < out->point_count; k++) {
            const struct value *v = &out->points[k].values[i];
            double number;
            names[i].varies |= !value_equal(v, &out->points[0].values[i]);
            names[i].numeric &= value_to_f64(v, &number);
        }
    }
    out->names = names;
    out->name_count = p->count;
    return true;
}

bool sweep_plan_make(const struct spec *spec, const char *const *set, uint32_t count, bool product,
                     struct arena *a, struct sweep_plan *out, struct error *e)
{
    struct planner p = {.spec = spec, .a = a, .e = e};
    uint32_t constants = spec->constant_count;
    struct expr_symbol *symbols = arena_array(a, constants + 1, sizeof *symbols);
    p.slots = arena_array(a, constants + 1, sizeof *p.slots);
    p.given = arena_array(a, count + 1, sizeof *p.given);
    if (!symbols || !p.slots || !p.given)
        return error_memory(e);
    for (uint32_t i = 0; i < constants; i++) {
        symbols[i].name = spec->constants[i].name;
        p.slots[i] = spec->constants[i].value;
    }
    p.symbols = (struct expr_symbols){symbols, constants};
    *out = (struct sweep_plan){.product = product};
    for (; p.count < count; p.count++) {
        struct given *g = &p.given[p.count];
        g->word = set[p.count];
        if (!read_set_name(&p, g) || !read_values(&p, g))
            return false;
    }
    return make_points(&p, out) && describe_names(&p, out);
}

// ---- pictures ----------------------------------------------------------------------------------

// Do two points stand in one panel, with this name along its axis?
static bool share_panel(const struct sweep_plan *p, uint32_t i, uint32_t k, uint32_t axis)
{
    bool same = true;
    for (uint32_t n = 0; p->product && same && n < p->name_count; n++)
        same = n == axis || p->names[n].given == 1 ||
               value_equal(&p->points[i].values[n], &p->points[k].values[n]);
    return same;
}

uint32_t sweep_plan_panels(const struct sweep_plan *p, uint32_t axis, uint32_t *panels)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->point_count; i++) {
        panels[i] = count;
        for (uint32_t k = 0; k < i && panels[i] == count; k++)
            panels[i] = share_panel(p, i, k, axis) ? panels[k] : count;
        count += panels[i] == count;
    }
    return count;
}

// No two of a panel alike?
static bool is_axis(const struct sweep_plan *p, uint32_t name)
{
    for (uint32_t i = 0; i < p->point_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (share_panel(p, i, k, name) &&
                value_equal(&p->points[i].values[name], &p->points[k].values[name]))
                return false;
        }
    }
    return true;
}

uint32_t sweep_plan_axis(const struct sweep_plan *p)
{
    for (uint32_t i = 0; i < p->name_count; i++) {
        const struct sweep_name *n = &p->names[i];
        if (n->given > 1 && n->numeric && n->varies && is_axis(p, i))
            return i;
    }
    return UINT32_MAX;
}
