// Why a configuration is not in the space.
#include "space/inside.h"

bool choices_allow(const struct problem *p, const uint32_t *choice)
{
    for (uint32_t row = 0; row < p->choice_count; row++) {
        const uint32_t *wanted = problem_choice(p, row);
        uint32_t i = 0;
        while (i < p->spec->parameter_count && (wanted[i] == CHOICE_ANY || wanted[i] == choice[i]))
            i++;
        if (i == p->spec->parameter_count)
            return true;
    }
    return p->choice_count == 0;
}

// The steps that evaluating one configuration may take (see expr_test_within()).
#define WHY_EFFORT (UINT64_C(1) << 30)

static bool reason_holds(struct evaluator *v, const struct restriction *r, const uint32_t *choice,
                         enum expr_fault *fault)
{
    *fault = EXPR_FAULT_NONE;
    if (r->kind == RESTRICTION_CHOICES)
        return choices_allow(v->problem, choice);
    bool holds = evaluator_test(v, r, fault);
    if (v->exhausted)
        *fault = EXPR_FAULT_LIMIT;
    return holds && !v->exhausted;
}

// The first of the kind (derived or not) that does not hold.
static bool find_reason(struct evaluator *v, bool derived, const uint32_t *choice,
                        struct space_reason *out)
{
    for (uint32_t i = 0; i < v->problem->restriction_count; i++) {
        const struct restriction *r = &v->problem->restrictions[i];
        enum expr_fault fault;
        if ((r->kind == RESTRICTION_DERIVED) != derived || reason_holds(v, r, choice, &fault))
            continue;
        *out = (struct space_reason){r->formula, r->where, fault};
        return true;
    }
    return false;
}

void space_why(const struct space *sp, const uint32_t *choice, struct space_reason *out)
{
    const struct problem *p = &sp->problem;
    struct evaluator v;
    uint64_t steps = WHY_EFFORT;
    *out = (struct space_reason){NULL, false, EXPR_FAULT_NONE};
    if (sp->listed) {
        uint64_t index;
        out->restriction = space_find(sp, choice, &index) ? NULL : sp->listed;
        return;
    }
    if (!evaluator_init(&v, p, NULL)) {
        out->fault = EXPR_FAULT_MEMORY;
        out->restriction = p->restriction_count > 0 ? p->restrictions[0].formula : NULL;
        return;
    }
    v.steps = &steps;
    for (uint32_t i = 0; i < p->spec->parameter_count; i++)
        evaluator_set(&v, i, choice[i]);
    if (!find_reason(&v, true, choice, out))
        find_reason(&v, false, choice, out);
    evaluator_release(&v);
}

// ---- as text -----------------------------------------------------------------------------------

// " for a=1, WIDTH=256": what the formula reads; slots from `unknown` on have no value.
static void add_values(const struct spec *s, const struct formula *f, const struct value *slots,
                       uint32_t unknown, struct text *out)
{
    const uint32_t *used;
    size_t count = f->expr ? expr_slots(f->expr, &used) : 0;
    const char *separator = " for ";
    for (size_t i = 0; i < count; i++) {
        uint32_t derived = used[i] - s->slots.derived;
        if (derived < s->derived_count && derived >= unknown)
            continue;
        text_addf(out, "%s%s=", separator, s->symbols.items[used[i]].name);
        value_print(&slots[used[i]], out);
        separator = ", ";
    }
}

static void add_judgement(const struct space_reason *reason, bool derived, struct text *out)
{
    const struct formula *f = reason->restriction;
    if (derived)
        text_addf(out, "derived parameter %s (%s): %s", f->name, f->path, f->text);
    else if (reason->where)
        text_addf(out, "%s: %s", f->path, f->text);
    else
        text_addf(out, "restriction %s: %s", f->path, f->text);
    if (reason->fault != EXPR_FAULT_NONE)
        text_addf(out, " has no value (%s)", expr_fault_text(reason->fault));
    else if (f->expr)
        text_add(out, " is false");
    else
        text_add(out, " leaves it out");
}

void space_reason_text(const struct space *sp, const uint32_t *choice,
                       const struct space_reason *reason, struct text *out)
{
    const struct problem *p = &sp->problem;
    const struct spec *s = p->spec;
    const struct formula *f = reason->restriction;
    struct arena scratch;
    struct evaluator v;
    uint32_t unknown = s->derived_count;
    enum expr_fault fault;
    if (!f) {
        text_add(out, "it is in the space");
        return;
    }
    if (f == sp->listed) {
        text_add(out, f->text);
        return;
    }
    add_judgement(reason, f >= s->derived && f < s->derived + s->derived_count, out);
    arena_init(&scratch);
    if (evaluator_init(&v, p, NULL)) {
        if (spec_bind(s, choice, v.slots, &scratch, &unknown, &fault))
            unknown = s->derived_count;
        add_values(s, f, v.slots, unknown, out);
        evaluator_release(&v);
    }
    arena_release(&scratch);
}
