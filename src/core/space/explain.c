// Why a space is empty, and what would help: the restrictions that exclude everything alone, else
// those that do so together (found by leaving out one at a time, as in a minimal unsatisfiable
// core), and a value of a constant that makes it valid.
#include "space/inside.h"
#include "space/solve.h"

#include <stdlib.h>
#include <string.h>

// The steps (see solve.c) that explaining may take in all, and each search for a better constant.
#define EXPLAIN_EFFORT  (UINT64_C(1) << 29)
#define CONSTANT_EFFORT (UINT64_C(1) << 28)
// How far from its value a constant is tried, in each direction.
#define CONSTANT_REACH 4096

struct explaining {
    const struct problem *problem;
    bool *skip;   // scratch for a solution
    bool *guilty; // the restrictions to name
    uint64_t effort;
};

// Is nothing left without the restrictions in `skip`? When it takes too long to say: no.
static bool is_empty(struct explaining *x, const struct value *slots)
{
    struct diagram d;
    struct solve_options o = {.skip = x->skip, .slots = slots, .any = true, .effort = &x->effort};
    enum build_outcome outcome = solve(x->problem, &o, &d, NULL);
    bool empty = outcome == BUILD_DONE && d.root == DIAGRAM_NONE;
    diagram_release(&d);
    return empty;
}

static void skip_all(struct explaining *x, bool skip)
{
    for (uint32_t i = 0; i < x->problem->restriction_count; i++)
        x->skip[i] = skip;
}

// Marks those that exclude everything by themselves; how many there are.
static uint32_t find_alone(struct explaining *x)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < x->problem->restriction_count; i++) {
        skip_all(x, true);
        x->skip[i] = false;
        x->guilty[i] = is_empty(x, NULL);
        found += x->guilty[i];
    }
    return found;
}

// Marks a set that excludes everything together, and less than which does not: leaves out one after
// the other as long as nothing is left.
static void find_together(struct explaining *x)
{
    skip_all(x, false);
    for (uint32_t i = 0; i < x->problem->restriction_count; i++) {
        x->skip[i] = true;
        x->skip[i] = is_empty(x, NULL);
    }
    for (uint32_t i = 0; i < x->problem->restriction_count; i++)
        x->guilty[i] = !x->skip[i];
}

// ---- constants ---------------------------------------------------------------------------------

static bool reads_constant(const struct problem *p, const struct restriction *r, uint32_t constant)
{
    const struct spec *s = p->spec;
    size_t slot = (size_t)s->slots.constants + constant;
    if (r->formula->expr && expr_uses(r->formula->expr, slot))
        return true;
    for (uint32_t i = 0; i < r->derived_count; i++) {
        if (expr_uses(s->derived[r->derived[i]].expr, slot))
            return true;
    }
    return false;
}

static bool is_guilty(const struct explaining *x, uint32_t constant)
{
    for (uint32_t i = 0; i < x->problem->restriction_count; i++) {
        if (x->guilty[i] && reads_constant(x->problem, &x->problem->restrictions[i], constant))
            return true;
    }
    return false;
}

// Does this value leave something? The guilty ones are asked first: they are few.
static bool helps(struct explaining *x, struct value *slots, uint32_t constant, int64_t value)
{
    slots[x->problem->spec->slots.constants + constant] = value_int(value);
    for (uint32_t i = 0; i < x->problem->restriction_count; i++)
        x->skip[i] = !x->guilty[i];
    if (is_empty(x, slots))
        return false;
    skip_all(x, false);
    return !is_empty(x, slots) && x->effort > 0;
}

// The nearest value in one direction; a positive constant stays positive.
static bool find_value(struct explaining *x, struct value *slots, uint32_t constant, int direction,
                       int64_t *found)
{
    int64_t own = x->problem->spec->constants[constant].value.i, value = own;
    for (int i = 0; i < CONSTANT_REACH && x->effort > 0; i++) {
        if (__builtin_add_overflow(value, direction, &value) || (own > 0 && value <= 0))
            return false;
        if (helps(x, slots, constant, value)) {
            *found = value;
            return true;
        }
    }
    return false;
}

static void suggest_value(struct explaining *x, uint32_t constant, struct text *out)
{
    const struct spec *s = x->problem->spec;
    size_t count = s->slots.count;
    struct value *slots = malloc(count * sizeof *slots);
    int64_t below, above;
    if (!slots)
        return;
    memcpy(slots, x->problem->slots, count * sizeof *slots);
    x->effort = CONSTANT_EFFORT;
    bool has_below = find_value(x, slots, constant, -1, &below);
    x->effort = CONSTANT_EFFORT;
    bool has_above = find_value(x, slots, constant, 1, &above);
    const char *name = s->constants[constant].name;
    if (has_below && has_above)
        text_addf(out, "; nearest %s that work: %lld, %lld", name, (long long)below,
                  (long long)above);
    else if (has_below || has_above)
        text_addf(out, "; nearest %s that works: %lld", name,
                  (long long)(has_below ? below : above));
    free(slots);
}

// ---- as text -----------------------------------------------------------------------------------

static void add_guilty(const struct explaining *x, struct text *out)
{
    const char *separator = "";
    for (uint32_t i = 0; i < x->problem->restriction_count; i++) {
        const struct restriction *r = &x->problem->restrictions[i];
        if (!x->guilty[i])
            continue;
        text_addf(out, "%s%s: %s", separator, r->formula->path, r->formula->text);
        separator = "; ";
    }
}

// " (WIDTH=1000)": the constants that what is named reads.
static void add_constants(const struct explaining *x, struct text *out)
{
    const struct spec *s = x->problem->spec;
    const char *separator = " (";
    for (uint32_t c = 0; c < s->constant_count; c++) {
        if (!is_guilty(x, c))
            continue;
        text_addf(out, "%s%s=", separator, s->constants[c].name);
        value_print(&s->constants[c].value, out);
        separator = ", ";
    }
    if (separator[0] == ',')
        text_add(out, ")");
}

void space_explain_empty(const struct space *sp, struct text *out)
{
    const struct problem *p = &sp->problem;
    struct explaining x = {.problem = p, .effort = EXPLAIN_EFFORT};
    x.skip = calloc((size_t)p->restriction_count + 1, sizeof *x.skip);
    x.guilty = calloc((size_t)p->restriction_count + 1, sizeof *x.guilty);
    if (sp->listed && space_count(sp) == 0)
        text_add(out, "no configuration is recorded");
    else if (sp->whole_count > 0 && space_count(sp) == 0)
        text_addf(
            out, "part %lu of %lu is empty, as the whole has %llu configurations; take fewer parts",
            (unsigned long)sp->share.part + 1, (unsigned long)sp->share.parts,
            (unsigned long long)sp->whole_count);
    else if (x.skip && x.guilty && space_count(sp) == 0) {
        const char *cartesian = space_cartesian_text(sp);
        const struct spec *s = x.problem->spec;
        uint32_t alone = find_alone(&x);
        if (alone == 0)
            find_together(&x);
        if (strcmp(cartesian, "1") == 0)
            text_add(out, "the only configuration is excluded by ");
        else
            text_addf(out, "all %s configurations are excluded by ", cartesian);
        if (alone == 0)
            text_add(out, "these together: ");
        else if (alone > 1)
            text_add(out, "each of these: ");
        add_guilty(&x, out);
        add_constants(&x, out);
        for (uint32_t c = 0; c < s->constant_count; c++) {
            if (s->constants[c].value.kind == VALUE_INT && is_guilty(&x, c))
                suggest_value(&x, c, out);
        }
    }
    free(x.skip);
    free(x.guilty);
}
