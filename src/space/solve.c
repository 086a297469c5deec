#include "space/solve.h"

#include "space/order.h"

#include <string.h>

// Both orders are tried with the first effort of the limits, then with eight times as much, and so
// on: the outcome depends on the problem alone, and costs little more than the better order takes.
// The last takes some seconds.
#define EFFORT_FACTOR 8
#define EFFORT_LAST   (UINT64_C(1) << 31)
// What one attempt costs at least, in steps.
#define EFFORT_ATTEMPT 64

struct attempts {
    const struct problem *problem;
    const struct solve_options *options;
    const struct build_limits *limits;
    struct filtered filtered;
    struct evaluator evaluator;
    struct arena arena;
    uint32_t *orders[2]; // the spec's; by groups, made when it is needed
    uint64_t *faults;    // of the filter alone
    uint64_t limit;      // the effort of the last attempt
};

// False without memory. The second order is NULL when it is the first again.
static bool make_order(struct attempts *a, uint32_t which)
{
    size_t count = a->problem->spec->parameter_count;
    uint32_t *order = arena_array(&a->arena, count + 1, sizeof *order);
    a->orders[which] = order;
    if (!order)
        return false;
    if (which == 0) {
        order_of_spec(a->problem, order);
        return true;
    }
    if (!order_by_groups(a->problem, &a->filtered, order))
        return false;
    if (memcmp(order, a->orders[0], count * sizeof *order) == 0)
        a->orders[which] = NULL;
    return true;
}

// One attempt with at most `limit` of the effort.
static enum build_outcome attempt(struct attempts *a, uint32_t which, bool checks, uint64_t limit,
                                  struct diagram *out)
{
    uint64_t *left = a->options->effort, effort = limit;
    if (left && effort > *left)
        effort = *left;
    uint64_t given = effort;
    a->limit = given;
    size_t faults = a->problem->restriction_count * sizeof *a->faults;
    struct build_options o = {.limits =
                                  a->options->limits ? a->options->limits : &build_limits_usual,
                              .order = a->orders[which],
                              .any = a->options->any,
                              .checks = checks,
                              .effort = &effort};
    memcpy(a->filtered.faults, a->faults, faults);
    memset(a->filtered.spent, 0, a->problem->restriction_count * sizeof *a->filtered.spent);
    enum build_outcome outcome = build(&a->filtered, &o, &a->evaluator, out);
    if (left) {
        uint64_t used = given - effort + EFFORT_ATTEMPT;
        *left = *left > used ? *left - used : 0;
    }
    return outcome;
}

// With automata alone in either order, before anything is evaluated assignment by assignment.
static enum build_outcome attempt_orders(struct attempts *a, uint64_t limit, struct diagram *out)
{
    enum build_outcome outcome = BUILD_EFFORT;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t which = i % 2;
        if (limit == a->limits->effort && i < 2 && !make_order(a, which))
            return BUILD_MEMORY;
        if (!a->orders[which])
            continue;
        outcome = attempt(a, which, i >= 2, limit, out);
        if (outcome != BUILD_EFFORT || (a->options->effort && *a->options->effort == 0))
            return outcome;
    }
    return outcome;
}

static enum build_outcome attempt_all(struct attempts *a, struct diagram *out)
{
    uint64_t limit = a->limits->effort;
    for (;; limit *= EFFORT_FACTOR) {
        limit = limit > EFFORT_LAST ? EFFORT_LAST : limit;
        enum build_outcome outcome = attempt_orders(a, limit, out);
        bool spent = a->options->effort && *a->options->effort == 0;
        if (outcome != BUILD_EFFORT || spent || limit == EFFORT_LAST)
            return outcome;
    }
}

// The restriction that took most of what was spent, if one took so much that it is to blame.
static uint32_t blame(const struct attempts *a)
{
    uint32_t most = 0, count = a->problem->restriction_count;
    for (uint32_t i = 1; a->filtered.spent && i < count; i++) {
        if (a->filtered.spent[i] > a->filtered.spent[most])
            most = i;
    }
    bool guilty = count > 0 && a->filtered.spent && a->filtered.spent[most] >= a->limit / 4;
    return guilty ? most : UINT32_MAX;
}

static enum build_outcome filter_and_build(struct attempts *a, struct diagram *out)
{
    if (!filter(&a->filtered, &a->arena, a->options->skip, &a->evaluator))
        return BUILD_MEMORY;
    if (a->filtered.empty)
        return BUILD_DONE;
    a->faults = arena_copy(&a->arena, a->filtered.faults,
                           (a->problem->restriction_count + (size_t)1) * sizeof *a->faults);
    return a->faults ? attempt_all(a, out) : BUILD_MEMORY;
}

enum build_outcome solve(const struct problem *p, const struct solve_options *o,
                         struct diagram *out, struct solved *solved)
{
    struct attempts a = {.problem = p, .options = o};
    a.limits = o->limits ? o->limits : &build_limits_usual;
    enum build_outcome outcome = BUILD_MEMORY;
    *out = (struct diagram){.root = DIAGRAM_NONE};
    arena_init(&a.arena);
    if (evaluator_init(&a.evaluator, p, o->slots))
        outcome = filter_and_build(&a, out);
    if (solved && a.filtered.faults)
        memcpy(solved->faults, a.filtered.faults, p->restriction_count * sizeof *solved->faults);
    if (solved)
        solved->culprit = blame(&a);
    evaluator_release(&a.evaluator);
    arena_release(&a.arena);
    return outcome;
}
