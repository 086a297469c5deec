// A finished space is compared with the restrictions themselves.
//
// Both directions are tried by a few hundred draws: configurations of the space must meet every
// restriction, evaluated in full, and assignments that meet every restriction must be in the space.
// The latter are found without the diagram: by changing configurations of the space, which may
// cross its border, and by repairing random assignments, which knows nothing of the space at all.
// The same seed is used each time, so that a spec passes always or never.
#include "make.h"
#include "space/inside.h"

#include <stdlib.h>

// Drawn from the space, as far as the effort allows, but this many in any case.
#define MEMBERS_MOST  300
#define MEMBERS_LEAST 8
// Assignments that are to be found outside, in each of the two ways.
#define FOUND_ENOUGH 6
// Evaluations, in steps (see restriction_cost()): of members, of changed ones, of repaired ones;
// and of repaired ones where the space is empty, so that nothing else can tell.
#define MEMBERS_EFFORT 400000
#define CHANGED_EFFORT 200000
#define REPAIR_EFFORT  200000
#define EMPTY_EFFORT   2000000
// Steps that evaluating expressions may take in all: when they are used up, the draws checked by
// then must do.
#define INNER_EFFORT (UINT64_C(1) << 27)
// Repairs of one assignment before another is drawn.
#define REPAIRS_MOST 200

struct self_check {
    const struct space *space;
    const struct problem *problem;
    struct evaluator evaluator;
    struct rng random;
    uint32_t *choice; // the assignment at hand; the evaluator has its values
    int64_t effort;   // left
    uint64_t inner;   // left
    struct error *error;
};

static void set_choice_value(struct self_check *c, uint32_t parameter, uint32_t value)
{
    c->choice[parameter] = value;
    evaluator_set(&c->evaluator, parameter, value);
}

static uint32_t draw_value(struct self_check *c, uint32_t parameter)
{
    return (uint32_t)rng_below(&c->random, c->problem->spec->parameters[parameter].count);
}

static void draw_member(struct self_check *c, uint64_t index)
{
    space_get(c->space, index, c->choice);
    for (uint32_t p = 0; p < c->problem->spec->parameter_count; p++)
        evaluator_set(&c->evaluator, p, c->choice[p]);
}

static bool restriction_holds(struct self_check *c, const struct restriction *r)
{
    enum expr_fault fault;
    uint64_t before = c->inner;
    bool holds = r->kind == RESTRICTION_CHOICES ? choices_allow(c->problem, c->choice)
                                                : evaluator_test(&c->evaluator, r, &fault);
    c->effort -= restriction_cost(r) + (int64_t)(before - c->inner);
    return holds;
}

// Is there effort left, or must it go on in any case?
static bool check_goes_on(const struct self_check *c, bool must)
{
    return !c->evaluator.exhausted && (must || c->effort > 0);
}

// The first restriction that the assignment does not meet; NULL: it meets all.
static const struct restriction *find_violated(struct self_check *c)
{
    for (uint32_t i = 0; i < c->problem->restriction_count; i++) {
        if (!restriction_holds(c, &c->problem->restrictions[i]))
            return &c->problem->restrictions[i];
    }
    return NULL;
}

// ---- what is wrong -----------------------------------------------------------------------------

static bool refuse_space(struct self_check *c, const char *what, const char *why)
{
    struct text choice = TEXT_INIT;
    if (c->evaluator.failed)
        return error_memory(c->error);
    spec_configuration_text(c->problem->spec, c->choice, true, &choice);
    error_set(
        c->error, ERROR_INTERNAL,
        "internal error: %s: the space of %llu configurations %s %s%s; please report this with "
        "the spec, the command and hone's version",
        c->problem->spec->path, (unsigned long long)space_count(c->space), what, text_cstr(&choice),
        why);
    text_release(&choice);
    return false;
}

// The assignment at hand meets every restriction: it must be found.
static bool is_found(struct self_check *c)
{
    uint64_t index;
    return space_find(c->space, c->choice, &index) ||
           refuse_space(c, "lacks", ", which no restriction excludes");
}

// ---- drawn from the space ----------------------------------------------------------------------

static bool check_member(struct self_check *c, uint64_t index)
{
    uint64_t found = 0;
    draw_member(c, index);
    const struct restriction *violated = find_violated(c);
    if (c->evaluator.exhausted)
        return true;
    if (violated) {
        struct text why = TEXT_INIT;
        text_addf(&why, ", which %s excludes: %s", violated->formula->path,
                  violated->formula->text);
        refuse_space(c, "holds", text_cstr(&why));
        text_release(&why);
        return false;
    }
    return (space_find(c->space, c->choice, &found) && found == index) ||
           refuse_space(c, "does not find again", " under its index");
}

static bool check_members(struct self_check *c)
{
    uint64_t count = space_count(c->space);
    uint64_t draws = count < MEMBERS_MOST ? count : MEMBERS_MOST;
    c->effort = MEMBERS_EFFORT;
    for (uint64_t i = 0; i < draws && check_goes_on(c, i < MEMBERS_LEAST); i++) {
        if (!check_member(c, draws < count ? rng_below(&c->random, count) : i))
            return false;
    }
    return true;
}

// ---- changed, and repaired ---------------------------------------------------------------------

// One or two values of a configuration of the space are drawn anew.
static bool check_changed(struct self_check *c)
{
    uint32_t found = 0;
    c->effort = CHANGED_EFFORT;
    while (space_count(c->space) > 0 && found < FOUND_ENOUGH && check_goes_on(c, false)) {
        draw_member(c, rng_below(&c->random, space_count(c->space)));
        for (uint64_t changes = 1 + rng_below(&c->random, 2); changes > 0; changes--) {
            uint32_t p = (uint32_t)rng_below(&c->random, c->problem->spec->parameter_count);
            set_choice_value(c, p, draw_value(c, p));
        }
        c->effort--;
        if (find_violated(c) || c->evaluator.exhausted)
            continue;
        found++;
        if (!is_found(c))
            return false;
    }
    return true;
}

// Gives a parameter that the restriction reads the next value, from a random one on, with which it
// holds; a random one where none does.
static void repair(struct self_check *c, const struct restriction *violated)
{
    if (violated->kind == RESTRICTION_CHOICES) {
        // Gives the assignment the values that a row of --config names.
        const uint32_t *row =
            problem_choice(c->problem, (uint32_t)rng_below(&c->random, c->problem->choice_count));
        for (uint32_t p = 0; p < c->problem->spec->parameter_count; p++) {
            if (row[p] != CHOICE_ANY)
                set_choice_value(c, p, row[p]);
        }
        return;
    }
    if (violated->parameter_count == 0)
        return;
    uint32_t p = violated->parameters[rng_below(&c->random, violated->parameter_count)];
    uint32_t count = c->problem->spec->parameters[p].count, from = draw_value(c, p);
    for (uint32_t i = 0; i < count && check_goes_on(c, false); i++) {
        set_choice_value(c, p, (from + i) % count);
        if (restriction_holds(c, violated))
            return;
    }
    set_choice_value(c, p, from);
}

static bool repair_assignment(struct self_check *c)
{
    const struct restriction *violated = NULL;
    for (uint32_t p = 0; p < c->problem->spec->parameter_count; p++)
        set_choice_value(c, p, draw_value(c, p));
    for (uint32_t i = 0; i < REPAIRS_MOST && check_goes_on(c, false); i++) {
        c->effort--;
        violated = find_violated(c);
        if (!violated)
            return !c->evaluator.exhausted;
        repair(c, violated);
    }
    return false;
}

static bool check_repaired(struct self_check *c)
{
    uint32_t found = 0;
    c->effort = space_count(c->space) > 0 ? REPAIR_EFFORT : EMPTY_EFFORT;
    while (found < FOUND_ENOUGH && check_goes_on(c, false)) {
        if (!repair_assignment(c))
            continue;
        found++;
        if (!is_found(c))
            return false;
    }
    return true;
}

// ---- all of it ---------------------------------------------------------------------------------

bool space_self_check(const struct space *sp, struct error *e)
{
    struct self_check c = {.space = sp, .problem = &sp->problem, .inner = INNER_EFFORT, .error = e};
    bool ready = evaluator_init(&c.evaluator, c.problem, NULL);
    c.evaluator.steps = &c.inner;
    c.choice = calloc((size_t)c.problem->spec->parameter_count + 1, sizeof *c.choice);
    rng_init(&c.random, c.problem->spec->parameter_count, space_count(sp));
    bool ok = ready && c.choice;
    if (!ok)
        error_memory(e);
    ok = ok && check_members(&c);
    if (c.problem->spec->parameter_count >
        0) // else there is one configuration, and nothing to draw
        ok = ok && check_changed(&c) && check_repaired(&c);
    if (ok && c.evaluator.failed)
        ok = error_memory(e);
    evaluator_release(&c.evaluator);
    free(c.choice);
    return ok;
}
