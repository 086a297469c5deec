// Making a space: counts the Cartesian product (as text, where it passes 64 bits), solves the
// problem. What can be asked of it afterwards is answered by the diagram.
#include "space/space.h"

#include "space/inside.h"
#include "space/share.h"
#include "space/solve.h"

#include <stdlib.h>

// ---- the Cartesian product ---------------------------------------------------------------------

// Decimal digits in groups of nine, the lowest first.
#define GROUP      1000000000u
#define GROUP_BITS 29 // at least this many bits in a group

static bool set_cartesian(struct space *sp, struct error *e)
{
    const struct spec *s = sp->problem.spec;
    size_t used = 1, most = (size_t)s->parameter_count * 32 / GROUP_BITS + 2;
    uint32_t *groups = calloc(most, sizeof *groups);
    if (!groups)
        return error_memory(e);
    groups[0] = 1;
    sp->cartesian = 1;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        uint64_t carry = 0;
        for (size_t k = 0; k < used; k++) {
            uint64_t product = (uint64_t)groups[k] * s->parameters[i].count + carry;
            groups[k] = (uint32_t)(product % GROUP);
            carry = product / GROUP;
        }
        for (; carry > 0; carry /= GROUP)
            groups[used++] = (uint32_t)(carry % GROUP);
        sp->cartesian *= s->parameters[i].count;
    }
    text_addf(&sp->cartesian_text, "%u", groups[used - 1]);
    for (size_t i = used - 1; i-- > 0;)
        text_addf(&sp->cartesian_text, "%09u", groups[i]);
    free(groups);
    return !sp->cartesian_text.failed || error_memory(e);
}

// ---- making and freeing ------------------------------------------------------------------------

static bool set_diagram(struct space *sp, const struct build_limits *limits, struct error *e)
{
    struct solve_options o = {.limits = limits};
    struct solved solved = {.faults = sp->faults};
    switch (solve(&sp->problem, &o, &sp->diagram, &solved)) {
    case BUILD_DONE:
        return true;
    case BUILD_OVERFLOW:
        return error_set(e, ERROR_INPUT,
                         "%s: more than 2^64 valid configurations; narrow the space with "
                         "restrictions, --where or --config",
                         sp->problem.spec->path);
    case BUILD_EFFORT:
        return problem_refuse(&sp->problem, solved.culprit, "a few seconds of work", e);
    case BUILD_LARGE:
        return problem_refuse(&sp->problem, solved.culprit, "256 MiB of states", e);
    case BUILD_MEMORY:
        break;
    }
    return error_memory(e);
}

static bool make_content(struct space *sp, const struct spec *s, const struct space_options *o,
                         struct error *e)
{
    if (!problem_init(&sp->problem, s, o, e))
        return false;
    sp->faults = calloc((size_t)sp->problem.restriction_count + 1, sizeof *sp->faults);
    sp->statistics = calloc(1, sizeof *sp->statistics);
    if (!sp->faults || !sp->statistics)
        return error_memory(e);
    return set_cartesian(sp, e);
}

struct space *space_start(const struct spec *s, const struct space_options *o, struct error *e)
{
    if (!spec_is_bound(s, e))
        return NULL;
    struct space *sp = alloc_zeroed(sizeof *sp, e);
    if (!sp)
        return NULL;
    sp->diagram.root = DIAGRAM_NONE;
    if (make_content(sp, s, o, e))
        return sp;
    space_free(sp);
    return NULL;
}

struct space *space_make(const struct spec *s, const struct space_options *o,
                         const struct build_limits *limits, struct error *e)
{
    static const struct space_options nothing = {.device = NULL};
    struct space *sp = space_start(s, o ? o : &nothing, e);
    if (sp && set_diagram(sp, limits, e)) {
        sp->share = o ? o->share : nothing.share;
        sp->whole_count = diagram_count(&sp->diagram);
        if (share_take(&sp->diagram, s, sp->share, e))
            return sp;
    }
    space_free(sp);
    return NULL;
}

struct space *space_new(const struct spec *s, const struct space_options *o, struct error *e)
{
    return space_make(s, o, &build_limits_usual, e);
}

void space_free(struct space *sp)
{
    if (!sp)
        return;
    if (sp->statistics)
        free(sp->statistics->items);
    free(sp->statistics);
    free(sp->faults);
    text_release(&sp->cartesian_text);
    diagram_release(&sp->diagram);
    problem_release(&sp->problem);
    free(sp);
}

// ---- asking ------------------------------------------------------------------------------------

// `fact` NULL: any of them. One that the spec hides behind a name of its own has none.
static bool reads_fact(const struct spec *s, const struct expr *x, const char *fact)
{
    const uint32_t *slots;
    size_t count = x ? expr_slots(x, &slots) : 0;
    for (size_t i = 0; i < count; i++) {
        bool is_fact = slots[i] >= s->slots.facts && slots[i] < s->slots.special;
        if (is_fact && (!fact || str_equal(s->symbols.items[slots[i]].name, fact)))
            return true;
    }
    return false;
}

static bool restriction_reads(const struct space *sp, const char *fact)
{
    const struct problem *p = &sp->problem;
    bool reads = false;
    for (uint32_t i = 0; i < p->restriction_count && !reads; i++)
        reads = reads_fact(p->spec, p->restrictions[i].formula->expr, fact);
    return reads;
}

bool space_reads_device(const struct space *sp)
{
    return sp->problem.spec->uses_device || restriction_reads(sp, NULL);
}

bool space_reads_fact(const struct space *sp, const char *fact)
{
    const struct spec *s = sp->problem.spec;
    bool reads = restriction_reads(sp, fact);
    for (uint32_t i = 0; i < s->derived_count && !reads; i++)
        reads = reads_fact(s, s->derived[i].expr, fact);
    return reads;
}

const struct spec *space_spec(const struct space *sp)
{
    return sp->problem.spec;
}

const char *space_cartesian_text(const struct space *sp)
{
    return text_cstr(&sp->cartesian_text);
}

double space_cartesian(const struct space *sp)
{
    return sp->cartesian;
}

uint64_t space_count(const struct space *sp)
{
    return diagram_count(&sp->diagram);
}

void space_get(const struct space *sp, uint64_t index, uint32_t *choice)
{
    diagram_get(&sp->diagram, index, choice);
}

bool space_find(const struct space *sp, const uint32_t *choice, uint64_t *index)
{
    return diagram_find(&sp->diagram, choice, index);
}

uint64_t space_sample(const struct space *sp, struct rng *r)
{
    return rng_below(r, space_count(sp));
}

static bool gives_default(const struct spec *s)
{
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        if (s->parameters[i].has_default)
            return true;
    }
    return false;
}

bool space_default(const struct space *sp, uint64_t *index)
{
    const struct spec *s = sp->problem.spec;
    if (!gives_default(s))
        return false;
    uint32_t *choice = malloc(((size_t)s->parameter_count + 1) * sizeof *choice);
    if (!choice)
        return false;
    spec_default(s, choice);
    bool found = space_find(sp, choice, index);
    free(choice);
    return found;
}

uint64_t space_faults(const struct space *sp)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sp->problem.restriction_count; i++)
        sum += sp->faults[i];
    return sum;
}
