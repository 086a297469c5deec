// A problem lists everything that restricts a space: the spec's restrictions, derived parameters
// (where one has no value the configuration is invalid), --where, and all --config together as one
// restriction. The evaluator judges any of them for an assignment, deriving what it needs.
#include "space/problem.h"

#include <stdlib.h>
#include <string.h>

// Lists from an evaluation stay in the scratch arena until it holds this much.
#define SCRATCH_KEPT (64 * 1024)

// ---- what a restriction reads ------------------------------------------------------------------

// Marks the parameters and derived parameters an expression needs, derived ones followed.
static void mark(const struct spec *s, const struct expr *x, bool *parameters, bool *derived)
{
    const uint32_t *slots;
    size_t count = expr_slots(x, &slots);
    for (size_t i = 0; i < count; i++) {
        uint32_t p = slots[i] - s->slots.parameters, d = slots[i] - s->slots.derived;
        if (p < s->parameter_count)
            parameters[p] = true;
        if (d >= s->derived_count || derived[d])
            continue;
        derived[d] = true;
        mark(s, s->derived[d].expr, parameters, derived);
    }
}

// The marked indices, ascending; NULL without memory.
static uint32_t *collect_indices(struct arena *a, const bool *marks, uint32_t size, uint32_t *count)
{
    uint32_t *list = arena_array(a, (size_t)size + 1, sizeof *list);
    *count = 0;
    for (uint32_t i = 0; list && i < size; i++) {
        if (marks[i])
            list[(*count)++] = i;
    }
    return list;
}

static bool set_reads(struct problem *p, struct restriction *r, const bool *parameters,
                      const bool *derived)
{
    const struct spec *s = p->spec;
    r->parameters = collect_indices(&p->arena, parameters, s->parameter_count, &r->parameter_count);
    r->derived = collect_indices(&p->arena, derived, s->derived_count, &r->derived_count);
    return r->parameters && r->derived;
}

bool problem_add(struct problem *p, const struct restriction *from, struct error *e)
{
    const struct spec *s = p->spec;
    struct restriction *r = &p->restrictions[p->restriction_count];
    bool *parameters = calloc((size_t)s->parameter_count + 1, sizeof *parameters);
    bool *derived = calloc((size_t)s->derived_count + 1, sizeof *derived);
    bool ok = false;
    *r = *from;
    if (parameters && derived) {
        if (r->kind == RESTRICTION_DERIVED)
            derived[r->formula - s->derived] = true;
        if (r->formula->expr)
            mark(s, r->formula->expr, parameters, derived);
        for (uint32_t row = 0; r->kind == RESTRICTION_CHOICES && row < p->choice_count; row++) {
            for (uint32_t i = 0; i < s->parameter_count; i++)
                parameters[i] |= problem_choice(p, row)[i] != CHOICE_ANY;
        }
        ok = set_reads(p, r, parameters, derived);
    }
    free(parameters);
    free(derived);
    p->restriction_count += ok;
    return ok || error_memory(e);
}

// ---- from the command line ---------------------------------------------------------------------

static bool add_where(struct problem *p, const char *text, struct error *e)
{
    struct formula *f = arena_alloc(&p->arena, sizeof *f);
    char *copy = arena_strdup(&p->arena, text);
    if (!f || !copy)
        return error_memory(e);
    *f = (struct formula){.path = "--where", .text = copy};
    f->expr = expr_parse(&p->arena, copy, &p->spec->symbols, e);
    if (!f->expr)
        return error_context(e, "--where '%s'", copy);
    // The time of a launch, which metrics may read, is not known when the space is made.
    const struct spec *s = p->spec;
    const uint32_t *slots;
    size_t count = expr_slots(f->expr, &slots);
    for (size_t i = 0; i < count; i++) {
        const char *name = s->symbols.items[slots[i]].name;
        if (slots[i] >= s->slots.special && str_starts(name, "time_"))
            return error_set(e, ERROR_INPUT, "--where '%s': '%s' is known in metrics only", f->text,
                             name);
    }
    return problem_add(
        p, &(struct restriction){.kind = RESTRICTION_FORMULA, .formula = f, .where = true}, e);
}

static bool add_choices(struct problem *p, const struct space_options *o, struct error *e)
{
    size_t columns = p->spec->parameter_count;
    struct formula *f = arena_alloc(&p->arena, sizeof *f);
    // All --config texts joined, for messages.
    struct text t = TEXT_INIT;
    for (uint32_t i = 0; i < o->configuration_count; i++)
        text_addf(&t, "%s%s", i > 0 ? " or " : "", o->configurations[i]);
    char *text = text_to_arena(&t, &p->arena);
    p->choices =
        arena_array(&p->arena, (size_t)o->configuration_count * (columns + 1), sizeof *p->choices);
    if (!f || !text || !p->choices)
        return error_memory(e);
    *f = (struct formula){.path = "--config", .text = text};
    for (uint32_t i = 0; i < o->configuration_count; i++) {
        uint32_t *row = p->choices + i * columns;
        for (size_t c = 0; c < columns; c++)
            row[c] = CHOICE_ANY;
        if (!spec_parse_configuration(p->spec, o->configurations[i], row, e))
            return error_context(e, "--config '%s'", o->configurations[i]);
    }
    p->choice_count = o->configuration_count;
    return problem_add(
        p, &(struct restriction){.kind = RESTRICTION_CHOICES, .formula = f, .where = true}, e);
}

static bool add_own_restrictions(struct problem *p, const struct space_options *o, struct error *e)
{
    const struct spec *s = p->spec;
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->restriction_count; i++)
        ok = problem_add(p, &(struct restriction){.formula = &s->restrictions[i]}, e);
    for (uint32_t i = 0; ok && i < o->where_count; i++)
        ok = add_where(p, o->where[i], e);
    if (ok && o->configuration_count > 0)
        ok = add_choices(p, o, e);
    for (uint32_t i = 0; ok && i < s->derived_count; i++) {
        struct restriction r = {.kind = RESTRICTION_DERIVED, .formula = &s->derived[i]};
        ok = problem_add(p, &r, e);
    }
    return ok;
}

bool problem_init(struct problem *p, const struct spec *s, const struct space_options *o,
                  struct error *e)
{
    *p = (struct problem){.spec = s};
    arena_init(&p->arena);
    size_t most = o ? (size_t)s->restriction_count + o->where_count + 1 + s->derived_count : 1;
    p->restrictions = arena_array(&p->arena, most, sizeof *p->restrictions);
    p->slots = arena_array(&p->arena, (size_t)s->slots.count + 1, sizeof *p->slots);
    if (!p->restrictions || !p->slots)
        return error_memory(e);
    spec_bind_fixed(s, o ? o->device : NULL, p->slots);
    return !o || add_own_restrictions(p, o, e);
}

void problem_release(struct problem *p)
{
    arena_release(&p->arena);
}

const uint32_t *problem_choice(const struct problem *p, uint32_t row)
{
    return p->choices + (size_t)row * p->spec->parameter_count;
}

// ---- refusing ----------------------------------------------------------------------------------

bool problem_refuse(const struct problem *p, uint32_t culprit, const char *most, struct error *e)
{
    struct text names = TEXT_INIT;
    if (culprit == UINT32_MAX)
        return error_set(
            e, ERROR_INPUT,
            "%s: the restrictions together leave a space too entangled to enumerate: it takes "
            "more than the limit of %s; fix parameters with --config, or narrow them with --where",
            p->spec->path, most);
    const struct restriction *r = &p->restrictions[culprit];
    if (r->parameter_count < 2)
        return error_set(e, ERROR_INPUT,
                         "%s: %s: %s: it is too long to evaluate for every value: that takes more "
                         "than the limit of %s; make it shorter, or leave values out with --config",
                         p->spec->path, r->formula->path, r->formula->text, most);
    // "a, b and c"
    for (uint32_t i = 0; i < r->parameter_count; i++)
        text_addf(&names, "%s%s",
                  i == 0                        ? ""
                  : i + 1 == r->parameter_count ? " and "
                                                : ", ",
                  p->spec->parameters[r->parameters[i]].name);
    error_set(
        e, ERROR_INPUT,
        "%s: %s: %s: the values of %s have too many combinations to enumerate: they take more "
        "than the limit of %s; split it into restrictions of fewer parameters, or fix some of "
        "them with --config",
        p->spec->path, r->formula->path, r->formula->text, text_cstr(&names), most);
    text_release(&names);
    return false;
}

// ---- evaluation --------------------------------------------------------------------------------

bool evaluator_init(struct evaluator *v, const struct problem *p, const struct value *slots)
{
    size_t count = p->spec->slots.count;
    *v = (struct evaluator){.problem = p};
    arena_init(&v->scratch);
    v->slots = malloc((count + 1) * sizeof *v->slots);
    if (v->slots && count > 0)
        memcpy(v->slots, slots ? slots : p->slots, count * sizeof *v->slots);
    return v->slots != NULL;
}

void evaluator_release(struct evaluator *v)
{
    free(v->slots);
    arena_release(&v->scratch);
}

void evaluator_set(struct evaluator *v, uint32_t parameter, uint32_t value)
{
    const struct spec *s = v->problem->spec;
    v->slots[s->slots.parameters + parameter] = s->parameters[parameter].values[value];
}

// The derived parameters it reads; false when one has no value (`fault` only if it is asked about).
static bool derive(struct evaluator *v, const struct restriction *r, uint64_t *left,
                   enum expr_fault *fault)
{
    const struct spec *s = v->problem->spec;
    for (uint32_t i = 0; i < r->derived_count; i++) {
        uint32_t d = r->derived[i];
        enum expr_fault f = expr_eval_within(s->derived[d].expr, v->slots, &v->scratch, left,
                                             &v->slots[s->slots.derived + d]);
        if (f == EXPR_FAULT_NONE)
            continue;
        v->failed |= f == EXPR_FAULT_MEMORY;
        if (r->kind == RESTRICTION_DERIVED && i + 1 == r->derived_count)
            *fault = f;
        return false;
    }
    return true;
}

// A cost grows with the nodes of the text.
#define COST_LEAST 256
#define COST_NODE  8

uint32_t restriction_cost(const struct restriction *r)
{
    const struct expr *x = r->formula->expr;
    uint32_t cost = COST_NODE * (x ? expr_weight(x) : 1);
    return cost > COST_LEAST ? cost : COST_LEAST;
}

bool evaluator_test(struct evaluator *v, const struct restriction *r, enum expr_fault *fault)
{
    bool holds = true;
    uint64_t unbounded = UINT64_MAX, *left = v->steps ? v->steps : &unbounded;
    *fault = EXPR_FAULT_NONE;
    v->tests++;
    if (!derive(v, r, left, fault))
        holds = false;
    else if (r->kind == RESTRICTION_FORMULA)
        *fault = expr_test_within(r->formula->expr, v->slots, &v->scratch, left, &holds);
    v->exhausted |= *left == 0;
    v->failed |= *fault == EXPR_FAULT_MEMORY;
    if (v->scratch.bytes > SCRATCH_KEPT)
        arena_release(&v->scratch);
    return holds && *fault == EXPR_FAULT_NONE;
}
