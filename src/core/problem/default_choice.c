// The configuration that stands for the spec where none is named: each parameter's default, or
// where those are not valid the first valid one of a search in the order of the lists, which prunes
// by every restriction whose parameters are chosen.
#include "problem/job_formulas.h"

#include <string.h>

// Tests of a restriction, and what they may cost in all, in steps: so much for each node, and what
// loops take (see expr_test_within()).
#define EFFORT     2000000
#define STEPS      (UINT64_C(1) << 31)
#define NODE_STEPS 4

struct finder {
    const struct spec *s;
    struct value *slots;
    uint32_t *last; // by restriction: the parameter after which it can be tested
    uint32_t *choice;
    uint64_t effort; // tests left
    uint64_t steps;  // left
    struct arena scratch;
};

// A restriction over derived parameters or without parameters is tested when all are bound.
static void find_last(struct finder *f)
{
    const struct spec *s = f->s;
    for (uint32_t r = 0; r < s->restriction_count; r++) {
        const uint32_t *slots;
        size_t count = expr_slots(s->restrictions[r].expr, &slots);
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            bool derived = slots[i] >= s->slots.derived && slots[i] < s->slots.facts;
            bool parameter = slots[i] < s->parameter_count;
            any = any || parameter || derived;
            if (derived)
                f->last[r] = s->parameter_count - 1;
            else if (parameter && slots[i] > f->last[r])
                f->last[r] = slots[i];
        }
        if (!any && s->parameter_count > 0)
            f->last[r] = s->parameter_count - 1;
    }
}

// Holds what can be tested once parameter `depth` is bound?
static bool prefix_holds(struct finder *f, uint32_t depth)
{
    const struct spec *s = f->s;
    bool ok = depth + 1 < s->parameter_count ||
              spec_bind_within(s, f->choice, f->slots, &f->scratch, &f->steps, NULL, NULL);
    for (uint32_t r = 0; ok && r < s->restriction_count; r++) {
        bool truth;
        if (f->last[r] != depth)
            continue;
        const struct expr *x = s->restrictions[r].expr;
        uint64_t cost = NODE_STEPS * (uint64_t)expr_weight(x);
        f->effort -= f->effort > 0;
        f->steps -= cost < f->steps ? cost : f->steps;
        ok = expr_test_within(x, f->slots, &f->scratch, &f->steps, &truth) == EXPR_FAULT_NONE &&
             truth;
    }
    if (f->steps == 0) { // what was said since they ran out says nothing
        f->effort = 0;
        ok = false;
    }
    if (f->scratch.bytes > 1 << 20)
        arena_release(&f->scratch);
    return ok;
}

static void set_choice(struct finder *f, uint32_t depth, uint32_t index)
{
    f->choice[depth] = index;
    f->slots[depth] = f->s->parameters[depth].values[index];
}

// The first valid one in lexicographic order: depth first, one value after the other.
static bool search_default(struct finder *f)
{
    uint32_t depth = 0, count = f->s->parameter_count;
    set_choice(f, 0, 0);
    while (f->effort > 0) {
        bool ok = prefix_holds(f, depth);
        if (ok && depth + 1 == count)
            return true;
        if (ok) {
            set_choice(f, ++depth, 0);
            continue;
        }
        while (f->choice[depth] + 1 == f->s->parameters[depth].count) {
            if (depth-- == 0)
                return false;
        }
        set_choice(f, depth, f->choice[depth] + 1);
    }
    return false;
}

static bool is_valid(struct finder *f)
{
    for (uint32_t i = 0; i < f->s->parameter_count; i++)
        set_choice(f, i, f->choice[i]);
    for (uint32_t i = 0; i < f->s->parameter_count; i++) {
        if (!prefix_holds(f, i))
            return false;
    }
    return true;
}

bool spec_baseline(const struct spec_sources *src, const struct device_info *device,
                   uint32_t *choice)
{
    return default_choice(src, device, choice, NULL);
}

bool spec_default_reference(const struct spec_sources *src, const struct device_info *device,
                            uint32_t *choice)
{
    const struct kernel_spec *k = src->spec->kernel;
    return k && k->reference.source == REFERENCE_BY_DEFAULT && spec_baseline(src, device, choice);
}

bool spec_stand_in(struct spec_sources *src, const uint32_t *choice)
{
    size_t bytes = src->spec->parameter_count * sizeof *choice;
    uint32_t *copy = arena_array(&src->arena, src->spec->parameter_count + 1, sizeof *copy);
    src->stand_in = copy ? memcpy(copy, choice, bytes) : NULL;
    return copy != NULL;
}

bool default_choice(const struct spec_sources *src, const struct device_info *device,
                    uint32_t *choice, struct error *e)
{
    const struct spec *s = src->spec;
    bool ok = true;
    if (src->stand_in) {
        memcpy(choice, src->stand_in, s->parameter_count * sizeof *choice);
        return true;
    }
    struct finder f = {.s = s, .choice = choice, .effort = EFFORT, .steps = STEPS};
    spec_default(s, choice);
    if (s->parameter_count == 0)
        return true;
    arena_init(&f.scratch);
    struct arena memory;
    arena_init(&memory);
    f.slots = arena_array(&memory, s->slots.count, sizeof *f.slots);
    f.last = arena_array(&memory, s->restriction_count + 1, sizeof *f.last);
    if (!f.slots || !f.last) {
        ok = error_memory(e);
        goto end;
    }
    spec_bind_fixed(s, device, f.slots);
    f.slots[s->slots.facts + FACT_LANGUAGE_INDEX] = value_string(language_title(src->language));
    find_last(&f);
    ok = is_valid(&f) || search_default(&f) ||
         error_set(e, ERROR_INPUT,
                   "no valid configuration was found to compare outputs with; give "
                   "parameters a Default that is valid, or the kernel a Reference");
end:
    arena_release(&f.scratch);
    arena_release(&memory);
    return ok;
}
