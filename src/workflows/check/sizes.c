// Choosing the smallest sizes at which a configuration works, one choice of constants after the
// other. Candidates, in ascending order, are first checked by the restrictions that change with the
// choice, evaluated on the spec as it was read with the constant replaced; those that pass are then
// tried on the spec read again at that value. Specs at other sizes are kept in a table; those at
// which no configuration is checked are dropped when there are too many.
#include "workflows/check/sizes.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS       1024
#define UNUSED_MOST   256                // specs kept that no configuration is checked at
#define QUOTIENT_MOST ((int64_t)1 << 20) // divisors are searched by their quotients up to this
#define SCRATCH_MOST  ((size_t)1 << 20)  // bytes of lists that restrictions made, then afresh

// One choice: constants that have one value.
struct choice {
    const struct check_smallest *given;
    uint32_t *slots; // of its constants
    uint32_t slot_count;
    int64_t own;       // the smallest of the spec's values: where candidates end
    int64_t *divisors; // of `own`, from `least` up, ascending
    size_t divisor_count;
    uint32_t *derived; // indices of the derived parameters that change with it, in order
    uint32_t derived_count;
    const struct expr **tests; // restrictions that change with it
    uint32_t test_count;
    uint32_t refused_by; // the test that refused the last candidate: it often refuses the next
};

struct sizes {
    const struct check_options *o;
    const struct spec_sources *sources;
    struct arena arena;
    struct arena bound;   // lists of derived parameters of the present configuration
    struct arena scratch; // of single tests
    struct choice *choices;
    uint32_t count;
    struct value *slots; // of the spec as it was read, with the candidate
    int64_t *values;     // being chosen, one a choice; 0: the spec's own
    uint32_t *translated;
    struct sized *buckets[BUCKETS];
    uint32_t unused;
};

// ---- what changes with a choice ----------------------------------------------------------------

static bool reads_any(const struct expr *x, const uint32_t *slots, uint32_t count, uint32_t first)
{
    for (uint32_t i = 0; i < count; i++) {
        if (expr_uses(x, first + slots[i]))
            return true;
    }
    return false;
}

static bool reads_special(const struct spec *s, const struct expr *x)
{
    for (uint32_t slot = s->slots.special; slot < s->slots.count; slot++) {
        if (expr_uses(x, slot))
            return true;
    }
    return false;
}

static bool changes_with_choice(const struct spec *s, const struct choice *c, const struct expr *x)
{
    return reads_any(x, c->slots, c->slot_count, 0) ||
           reads_any(x, c->derived, c->derived_count, s->slots.derived);
}

// The derived parameters and the restrictions that change with a choice. Those that read
// ProblemSize can only be evaluated once the spec is read again.
static bool find_tests(struct sizes *z, struct choice *c, struct error *e)
{
    const struct spec *s = z->o->setup.spec;
    bool is_blind = false;
    c->tests = arena_array(&z->arena, s->restriction_count + 1, sizeof(*c->tests));
    c->derived = arena_array(&z->arena, s->derived_count + 1, sizeof *c->derived);
    if (!c->tests || !c->derived)
        return error_memory(e);
    for (uint32_t i = 0; i < s->derived_count; i++) {
        is_blind |= reads_special(s, s->derived[i].expr);
        if (changes_with_choice(s, c, s->derived[i].expr))
            c->derived[c->derived_count++] = i;
    }
    if (is_blind)
        c->derived_count = 0;
    for (uint32_t i = 0; !is_blind && i < s->restriction_count; i++) {
        const struct expr *x = s->restrictions[i].expr;
        if (x && changes_with_choice(s, c, x) && !reads_special(s, x))
            c->tests[c->test_count++] = x;
    }
    return true;
}

static bool find_divisors(struct choice *c, struct error *e)
{
    size_t room = 0;
    int64_t most = c->own / c->given->least;
    for (int64_t q = most < QUOTIENT_MOST ? most : QUOTIENT_MOST; q >= 1; q--) {
        if (c->own % q != 0)
            continue;
        if (!ARRAY_ROOM(c->divisors, room, c->divisor_count + (size_t)1))
            return error_memory(e);
        c->divisors[c->divisor_count++] = c->own / q;
    }
    return true;
}

// ---- making ------------------------------------------------------------------------------------

// Adds one constant to the choice. `taken` is by constant.
static bool add_constant(struct sizes *z, struct choice *c, const char *name, bool *taken,
                         struct error *e)
{
    const struct spec *s = z->o->setup.spec;
    uint32_t i = 0;
    while (i < s->constant_count && !str_equal(s->constants[i].name, name))
        i++;
    if (i == s->constant_count) {
        struct text known = TEXT_INIT;
        for (i = 0; i < s->constant_count; i++)
            text_addf(&known, "%s%s", i ? ", " : "", s->constants[i].name);
        error_set(e, ERROR_USAGE, "--smallest: '%s' is not a constant of the spec, which has %s",
                  name, s->constant_count ? text_cstr(&known) : "none");
        text_release(&known);
        return false;
    }
    const struct value *v = &s->constants[i].value;
    if (v->kind != VALUE_INT || v->i < 1)
        return error_set(e, ERROR_USAGE, "--smallest: %s is not a whole number above 0", name);
    if (taken[i])
        return error_set(e, ERROR_USAGE, "--smallest: %s is named twice", name);
    taken[i] = true;
    c->own = c->own && c->own < v->i ? c->own : v->i;
    c->slots[c->slot_count++] = s->slots.constants + i;
    return true;
}

static bool make_choices(struct sizes *z, struct error *e)
{
    const struct check_options *o = z->o;
    size_t parameters = o->setup.spec->parameter_count + 1;
    bool *taken = arena_array(&z->arena, o->setup.spec->constant_count + 1, sizeof *taken);
    z->choices = arena_array(&z->arena, o->smallest_count + 1, sizeof *z->choices);
    z->values = arena_array(&z->arena, o->smallest_count + 1, sizeof *z->values);
    z->slots = arena_array(&z->arena, o->setup.spec->slots.count, sizeof *z->slots);
    z->translated = arena_array(&z->arena, parameters, sizeof *z->translated);
    if (!taken || !z->choices || !z->values || !z->slots || !z->translated)
        return error_memory(e);
    for (uint32_t i = 0; i < o->smallest_count; i++) {
        struct choice *c = &z->choices[z->count++];
        c->given = &o->smallest[i];
        c->slots = arena_array(&z->arena, c->given->count + 1, sizeof *c->slots);
        if (!c->slots)
            return error_memory(e);
        for (uint32_t k = 0; k < c->given->count; k++) {
            if (!add_constant(z, c, c->given->names[k], taken, e))
                return false;
        }
        if (!find_tests(z, c, e) || !find_divisors(c, e))
            return false;
    }
    return true;
}

struct sizes *sizes_new(const struct check_options *o, const struct spec_sources *sources,
                        struct error *e)
{
    struct sizes *z = alloc_zeroed(sizeof *z, e);
    if (!z)
        return NULL;
    arena_init(&z->arena);
    arena_init(&z->scratch);
    z->o = o;
    z->sources = sources;
    if (make_choices(z, e))
        return z;
    sizes_free(z);
    return NULL;
}

static void sized_free(struct sized *v)
{
    if (!v)
        return;
    spec_sources_free(v->own_sources);
    spec_free(v->own_spec);
    free(v->text);
    free(v->constants);
    free(v->values);
    free(v->order);
    free(v);
}

void sizes_free(struct sizes *z)
{
    if (!z)
        return;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        for (struct sized *v = z->buckets[i], *next; v; v = next) {
            next = v->next;
            sized_free(v);
        }
    }
    for (uint32_t i = 0; i < z->count; i++)
        free(z->choices[i].divisors);
    arena_release(&z->scratch);
    arena_release(&z->bound);
    arena_release(&z->arena);
    free(z);
}

// ---- the spec at other sizes -------------------------------------------------------------------

// With "WIDTH=48" for each constant of a choice that has a value of its own. A spec that is invalid
// at these sizes is not an error: NULL.
static struct spec *read_spec_at(struct sizes *z, const int64_t *values, struct error *e)
{
    struct arena a;
    struct error why = ERROR_INIT;
    struct spec_options options = z->o->spec_options;
    struct spec *spec = NULL;
    uint32_t count = options.set_count;
    arena_init(&a);
    const char **list = arena_array(&a, count + z->o->setup.spec->constant_count + 1, sizeof *list);
    bool ok = list != NULL;
    for (uint32_t i = 0; ok && i < count; i++)
        list[i] = options.set[i];
    for (uint32_t i = 0; ok && i < z->count; i++) {
        const struct check_smallest *given = z->choices[i].given;
        for (uint32_t k = 0; ok && values[i] && k < given->count; k++) {
            list[count] = arena_printf(&a, "%s=%lld", given->names[k], (long long)values[i]);
            ok = list[count++] != NULL;
        }
    }
    if (!ok) {
        error_memory(e);
        goto end;
    }
    options.set = list;
    options.set_count = count;
    options.log = NULL; // the same warnings again
    spec = spec_read_again(z->o->setup.spec, &options, &why);
    if (why.code == ERROR_MEMORY)
        *e = why;
end:
    arena_release(&a);
    return spec;
}

static bool have_same_lists(const struct spec *a, const struct spec *b)
{
    for (uint32_t i = 0; i < a->parameter_count; i++) {
        const struct parameter *p = &a->parameters[i], *q = &b->parameters[i];
        if (p->count != q->count)
            return false;
        for (uint32_t k = 0; k < p->count; k++) {
            if (!value_equal(&p->values[k], &q->values[k]))
                return false;
        }
    }
    return true;
}

// "WIDTH=48, N=16": every chosen constant with what it is.
static char *sizes_text(const struct sizes *z, const struct spec *spec)
{
    struct text t = TEXT_INIT;
    for (uint32_t i = 0; i < z->count; i++) {
        for (uint32_t k = 0; k < z->choices[i].given->count; k++) {
            uint32_t slot = z->choices[i].slots[k] - spec->slots.constants;
            text_addf(&t, "%s%s=", t.length ? ", " : "", spec->constants[slot].name);
            value_print(&spec->constants[slot].value, &t);
        }
    }
    return t.length || t.failed ? text_steal(&t) : strdup("");
}

static bool fill_sized(struct sizes *z, struct sized *v, struct error *e)
{
    struct text constants = TEXT_INIT;
    bool is_own = true;
    for (uint32_t i = 0; i < z->count; i++)
        is_own = is_own && v->values[i] == 0;
    v->spec = z->o->setup.spec;
    v->sources = z->sources;
    if (!is_own) {
        v->spec = v->own_spec = read_spec_at(z, v->values, e);
        if (!v->spec)
            return e->code == ERROR_NONE;
        v->sources = v->own_sources = spec_sources_share(z->sources, v->spec, e);
    }
    v->same_lists = have_same_lists(z->o->setup.spec, v->spec);
    v->text = sizes_text(z, v->spec);
    spec_constants_text(v->spec, &constants);
    v->constants = constants.data || constants.failed ? text_steal(&constants) : strdup("");
    return (v->sources && v->text && v->constants) || error_memory(e);
}

// Forgets those that no configuration is checked at.
static void forget_unused(struct sizes *z)
{
    for (uint32_t i = 0; i < BUCKETS; i++) {
        for (struct sized **at = &z->buckets[i]; *at;) {
            struct sized *v = *at;
            if (v->used) {
                at = &v->next;
                continue;
            }
            *at = v->next;
            sized_free(v);
        }
    }
    z->unused = 0;
}

static struct sized *sized_of(struct sizes *z, struct error *e)
{
    uint64_t hash = 1469598103934665603ull; // FNV-1a, by value
    for (uint32_t i = 0; i < z->count; i++)
        hash = (hash ^ (uint64_t)z->values[i]) * 1099511628211ull;
    struct sized **bucket = &z->buckets[(hash ^ hash >> 32) % BUCKETS];
    for (struct sized *v = *bucket; v; v = v->next) {
        if (memcmp(v->values, z->values, z->count * sizeof *z->values) == 0)
            return v;
    }
    if (z->unused >= UNUSED_MOST)
        forget_unused(z);
    struct sized *v = calloc(1, sizeof *v);
    bool ok = v != NULL;
    if (ok) {
        v->count = z->count;
        v->values = malloc((z->count + 1) * sizeof *v->values);
        v->order = malloc((z->count + 1) * sizeof *v->order);
        ok = v->values && v->order;
    }
    for (uint32_t i = 0; ok && i < z->count; i++) {
        v->values[i] = z->values[i];
        v->order[i] = z->values[i] ? z->values[i] : z->choices[i].own;
    }
    if (!ok || !fill_sized(z, v, e)) {
        sized_free(v);
        if (!e->code)
            error_memory(e);
        return NULL;
    }
    v->next = *bucket;
    *bucket = v;
    z->unused++;
    return v;
}

bool sizes_translate(const struct sizes *z, const struct sized *v, const uint32_t *choice,
                     uint32_t *out)
{
    const struct spec *base = z->o->setup.spec;
    struct text text = TEXT_INIT;
    struct error ignored = ERROR_INIT;
    memcpy(out, choice, base->parameter_count * sizeof *out);
    if (v->same_lists)
        return true;
    spec_configuration_text(base, choice, true, &text);
    bool ok = !text.failed && spec_parse_configuration(v->spec, text_cstr(&text), out, &ignored);
    text_release(&text);
    return ok;
}

// ---- choosing ----------------------------------------------------------------------------------

static bool restrictions_hold(struct sizes *z, const struct spec *s, const uint32_t *choice)
{
    bool holds = true;
    struct value *slots = arena_array(&z->scratch, s->slots.count, sizeof *slots);
    if (!slots)
        return false;
    spec_bind_fixed(s, z->o->setup.at.device, slots);
    if (!spec_bind(s, choice, slots, &z->scratch, NULL, NULL))
        return false;
    for (uint32_t i = 0; holds && i < s->restriction_count; i++) {
        const struct expr *x = s->restrictions[i].expr;
        holds = !x || (expr_test(x, slots, &z->scratch, &holds) == EXPR_FAULT_NONE && holds);
    }
    return holds;
}

// Does the configuration work at z->values?
static bool works_at_values(struct sizes *z, const uint32_t *choice, struct error *e)
{
    struct job *job = NULL;
    struct error why = ERROR_INIT;
    const struct sized *v = sized_of(z, e);
    if (!v || !v->spec || !sizes_translate(z, v, choice, z->translated) ||
        !restrictions_hold(z, v->spec, z->translated))
        return false;
    bool ok = spec_job(v->spec, v->sources, z->o->setup.at.device, z->translated, &job, &why);
    job_free(job);
    return ok;
}

// Do the restrictions hold, as far as they can be evaluated without reading the spec again?
static bool passes_tests(struct sizes *z, struct choice *c)
{
    const struct spec *s = z->o->setup.spec;
    if (z->scratch.bytes > SCRATCH_MOST)
        arena_release(&z->scratch);
    for (uint32_t i = 0; i < c->derived_count; i++) {
        struct value *slot = &z->slots[s->slots.derived + c->derived[i]];
        if (expr_eval(s->derived[c->derived[i]].expr, z->slots, &z->scratch, slot) !=
            EXPR_FAULT_NONE)
            return false;
    }
    for (uint32_t i = 0; i < c->test_count; i++) {
        uint32_t test = (c->refused_by + i) % c->test_count;
        bool holds = false;
        if (expr_test(c->tests[test], z->slots, &z->scratch, &holds) != EXPR_FAULT_NONE || !holds) {
            c->refused_by = test;
            return false;
        }
    }
    return true;
}

// The first candidate above `last`, below the spec's own value; 0 at their end.
static int64_t next_size(const struct choice *c, int64_t last, uint32_t in_earnest)
{
    int64_t least = c->given->least;
    bool one_by_one = last - least + 1 < CHECK_TRIED_ONE_BY_ONE && in_earnest < CHECK_TRIED_JOBS;
    int64_t next = one_by_one ? last + 1 : 0;
    for (size_t i = 0; !next && i < c->divisor_count; i++)
        next = c->divisors[i] > last ? c->divisors[i] : 0;
    return next < c->own ? next : 0;
}

static bool choose_smallest(struct sizes *z, uint32_t index, const uint32_t *choice,
                            struct error *e)
{
    struct choice *c = &z->choices[index];
    int64_t value = c->given->least - 1;
    uint32_t in_earnest = 0;
    bool found = false;
    while (!found && (value = next_size(c, value, in_earnest)) != 0) {
        for (uint32_t i = 0; i < c->slot_count; i++)
            z->slots[c->slots[i]] = value_int(value);
        if (!passes_tests(z, c))
            continue;
        z->values[index] = value;
        found = works_at_values(z, choice, e);
        in_earnest++;
        if (e->code)
            return false;
    }
    const struct spec *s = z->o->setup.spec;
    for (uint32_t i = 0; !found && i < c->slot_count; i++)
        z->slots[c->slots[i]] = s->constants[c->slots[i] - s->slots.constants].value;
    z->values[index] = found ? z->values[index] : 0;
    spec_bind(s, choice, z->slots, &z->bound, NULL, NULL);
    return true;
}

const struct sized *sizes_choose(struct sizes *z, const uint32_t *choice, struct error *e)
{
    const struct spec *s = z->o->setup.spec;
    struct error why = ERROR_INIT;
    arena_release(&z->scratch);
    arena_release(&z->bound);
    memset(z->values, 0, z->count * sizeof *z->values);
    if (z->count > 0) {
        spec_bind_fixed(s, z->o->setup.at.device, z->slots);
        spec_bind(s, choice, z->slots, &z->bound, NULL, NULL);
    }
    for (uint32_t i = 0; i < z->count; i++) {
        if (!choose_smallest(z, i, choice, &why)) {
            *e = why;
            return NULL;
        }
    }
    struct sized *v = sized_of(z, e);
    if (v && !v->used) {
        v->used = true;
        z->unused--;
    }
    return v;
}

int sizes_compare(const struct sized *a, const struct sized *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->order[i] != b->order[i])
            return a->order[i] < b->order[i] ? -1 : 1;
    }
    return 0;
}
