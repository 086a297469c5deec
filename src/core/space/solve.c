// From a problem to its diagram: conjunctions are split into parts, value lists are filtered, then
// the diagram is built, in the spec's order or in one by groups. Which of these is the faster
// nobody knows beforehand, so both are tried with little effort, then with eight times as much, and
// so on: that costs at most a constant factor more than the better alone (iterative deepening), and
// it is deterministic, since effort is counted in steps.
#include "space/solve.h"

#include "space/order.h"
#include "space/split_conjunctions.h"

#include <string.h>

// Both orders are tried with the first effort of the limits, then with eight times as much, up to
// the last: the outcome depends on the problem alone, and costs little more than the better order
// takes. A step is one to two nanoseconds of a machine of today, so that all attempts together end
// within five seconds. The last effort is for what is evaluated along the search alone: automata
// that are not made by then would be too large.
#define EFFORT_FACTOR 8
#define EFFORT_LAST   (UINT64_C(3) << 29)
#define EFFORT_ALL    (UINT64_C(9) << 28)
// The least that an attempt costs, in steps.
#define EFFORT_ATTEMPT 2048

// An order, and whether what has no automaton is evaluated.
enum { WAYS = 4 };

struct attempts {
    const struct problem *problem; // of parts: see split.h
    const struct solve_options *options;
    const bool *skip; // parts
    const struct build_limits *limits;
    struct filtered filtered;
    struct evaluator evaluator;
    struct arena arena;
    uint32_t *orders[2]; // the spec's; by groups, made when it is needed
    enum stageable *stageable[2];
    bool hopeless[WAYS]; // more effort would not help
    uint64_t *faults;    // of the filter alone
    uint64_t limit;      // the effort of the last attempt
    uint64_t left;       // of the effort
    uint32_t last;       // the order of the last attempt
};

// False without memory. The second order is NULL when it is the first again.
static bool make_attempt_order(struct attempts *a, uint32_t which)
{
    size_t count = a->problem->spec->parameter_count;
    uint32_t *order = arena_array(&a->arena, count + 1, sizeof *order);
    a->orders[which] = order;
    a->stageable[which] =
        arena_array(&a->arena, (size_t)a->problem->restriction_count + 1, sizeof **a->stageable);
    if (!order || !a->stageable[which])
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
static enum build_outcome attempt(struct attempts *a, uint32_t way, uint64_t limit,
                                  struct diagram *out)
{
    uint64_t given = limit < a->left ? limit : a->left, effort = given;
    a->evaluator.steps = &effort;
    a->evaluator.exhausted = false;
    uint32_t which = way % 2;
    size_t restrictions = a->problem->restriction_count;
    struct build_options o = {.limits = a->limits,
                              .order = a->orders[which],
                              .any = a->options->any,
                              .checks = way >= 2,
                              .effort = &effort,
                              .stageable = a->stageable[which]};
    a->limit = given;
    a->last = which;
    memcpy(a->filtered.faults, a->faults, restrictions * sizeof *a->faults);
    memset(a->filtered.spent, 0, restrictions * sizeof *a->filtered.spent);
    enum build_outcome outcome = build_diagram(&a->filtered, &o, &a->evaluator, out);
    a->evaluator.steps = &a->left;
    uint64_t used = given - effort + EFFORT_ATTEMPT;
    a->left -= a->left < used ? a->left : used;
    a->hopeless[way] = outcome == BUILD_LARGE;
    return outcome;
}

// Four ways with one limit of effort: with automata alone in either order, then with evaluation
// along the search. A way that ended for want of effort is worth another try with more; one that
// was too large is not.
static enum build_outcome attempt_ways(struct attempts *a, uint64_t limit, struct diagram *out)
{
    enum build_outcome all = BUILD_LARGE;
    uint32_t first = limit == EFFORT_LAST ? 2 : 0; // what else there is has had its try
    for (uint32_t way = first; way < WAYS && a->left > 0; way++) {
        if (limit == a->limits->effort && way < 2 && !make_attempt_order(a, way))
            return BUILD_MEMORY;
        if (!a->orders[way % 2] || a->hopeless[way])
            continue;
        enum build_outcome outcome = attempt(a, way, limit, out);
        if (outcome != BUILD_EFFORT && outcome != BUILD_LARGE)
            return outcome;
        all = outcome == BUILD_EFFORT ? outcome : all;
    }
    return a->left > 0 ? all : BUILD_EFFORT;
}

// The restriction that took most of what was spent, if one took so much that it is to blame; else
// the first that is too large for an automaton.
static uint32_t blame(const struct attempts *a)
{
    uint32_t most = 0, count = a->problem->restriction_count;
    for (uint32_t i = 1; a->filtered.spent && i < count; i++) {
        if (a->filtered.spent[i] > a->filtered.spent[most])
            most = i;
    }
    bool guilty = count > 0 && a->filtered.spent && a->filtered.spent[most] >= a->limit / 4;
    for (uint32_t i = 0; !guilty && a->stageable[a->last] && i < count; i++) {
        if (a->stageable[a->last][i] != STAGEABLE_UNKNOWN)
            return i;
    }
    return guilty ? most : UINT32_MAX;
}

static enum build_outcome build_filtered(struct attempts *a, struct diagram *out)
{
    if (a->filtered.empty)
        return BUILD_DONE;
    a->faults = arena_copy(&a->arena, a->filtered.faults,
                           (a->problem->restriction_count + (size_t)1) * sizeof *a->faults);
    if (!a->faults)
        return BUILD_MEMORY;
    uint64_t limit = a->limits->effort;
    for (;; limit *= EFFORT_FACTOR) {
        limit = limit > EFFORT_LAST ? EFFORT_LAST : limit;
        enum build_outcome outcome = attempt_ways(a, limit, out);
        if (outcome != BUILD_EFFORT || a->left == 0 || limit == EFFORT_LAST)
            return outcome;
    }
}

static enum build_outcome filter_and_build(struct attempts *a, struct diagram *out)
{
    enum build_outcome outcome = BUILD_MEMORY;
    a->left = a->limit = a->options->effort ? *a->options->effort : EFFORT_ALL;
    a->evaluator.steps = &a->left;
    if (filter(&a->filtered, &a->arena, a->skip, &a->evaluator))
        outcome = build_filtered(a, out);
    else if (a->evaluator.exhausted)
        outcome = BUILD_EFFORT;
    if (a->options->effort)
        *a->options->effort = a->left;
    return outcome;
}

enum build_outcome solve(const struct problem *p, const struct solve_options *o,
                         struct diagram *out, struct solved *solved)
{
    struct split split;
    struct attempts a = {.problem = &split.problem, .options = o};
    a.limits = o->limits ? o->limits : &build_limits_usual;
    enum build_outcome outcome = BUILD_MEMORY;
    *out = (struct diagram){.root = DIAGRAM_NONE};
    arena_init(&a.arena);
    if (solved)
        solved->culprit = UINT32_MAX;
    if (split_init(&split, p, o->slots, a.limits->table_few, o->skip) &&
        evaluator_init(&a.evaluator, a.problem, o->slots)) {
        a.skip = split.skip;
        outcome = filter_and_build(&a, out);
        if (solved) {
            // Blame and faults of a part are told of the restriction that it was split from.
            uint32_t culprit = blame(&a);
            solved->culprit = culprit == UINT32_MAX ? culprit : split.whole[culprit];
            for (uint32_t i = 0; a.filtered.faults && i < split.problem.restriction_count; i++)
                solved->faults[split.whole[i]] += a.filtered.faults[i];
        }
    }
    evaluator_release(&a.evaluator);
    arena_release(&a.arena);
    split_release(&split);
    return outcome;
}
