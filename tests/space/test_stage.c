// Automata made in stages, of random restrictions, each held against all assignments of its
// parameters: what holds, and what has no value.
#include "../base/suite.h"
#include "make.h"
#include "space/solve.h"

#include <stdlib.h>
#include <string.h>

#define PARAMETERS 5
#define NAMES      "abcde"

static uint32_t below(struct rng *r, uint32_t bound)
{
    return (uint32_t)rng_below(r, bound);
}

// ---- random restrictions -----------------------------------------------------------------------

// Two to six distinct values, often 0 and negative ones among them.
static void random_parameters(struct rng *r, uint32_t count, struct text *out)
{
    static const int values[] = {-3, -1, 0, 1, 2, 3, 4, 5, 6, 8, 12, 16};
    for (uint32_t p = 0; p < count; p++) {
        uint64_t places[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        uint32_t used = 2 + below(r, 5), from = below(r, 2) ? 3 : 0; // often none below 1
        rng_shuffle(r, places + from, 12 - from);
        text_addf(out, "%c [", NAMES[p]);
        for (uint32_t i = 0; i < used; i++)
            text_addf(out, "%s%d", i > 0 ? ", " : "", values[places[from + i]]);
        text_add(out, "];");
    }
}

// What a text stands for: N a number, B a truth, P a parameter, K a small constant.
static const char *const numbers[] = {
    "P",
    "P",
    "P",
    "K",
    "(N + N)",
    "(N - N)",
    "(N * N)",
    "(N * N)",
    "(N // N)",
    "(N % N)",
    "(N / N)",
    "-N",
    "abs(N)",
    "min(N, N)",
    "max(N, N, N)",
    "(N if B else N)",
    "(N ** K)",
    "(N & N)",
    "(N | N)",
    "(N << K)",
    "sum([N, N])",
    "[N, N][N % 2]",
    "(B or N)",
    "(N and N)",
    "(9223372036854775807 - N)",
    "D",
    "(N * N - N * N)",
    "0.5 * N",
    "gcd(N, N)",
    "int(N / N)",
    "(N * N * N)",
    "(N + N - N + N)",
    "prod([N, N])",
    "(N >> K)",
    "(N ^ N)",
    "(N ** N)",
    "~N",
    "(N * N * N % K)",
    "(N * N + N * P - N * N) % (1 + K)",
    "(P * P * P * P) % N",
    "(N * N * P & 7)",
    "(P - P * P + P) % -3",
};
static const char *const truths[] = {
    "N <= N",
    "N == N",
    "N < N < N",
    "N % N == 0",
    "(B and B)",
    "(B or B)",
    "not (B)",
    "N != N",
    "N in [1, 2, N]",
    "N not in [0, 4, 8]",
    "N >= K",
    "(B and B and B)",
    "N",
    "(B if B else B)",
    "all([x > N for x in [N, N]])",
    "N * N <= N",
    "N > N",
    "str(N) < str(N)",
    "(N is N)",
    "any([B, B])",
    "N in range(N)",
    "N not in range(N, N)",
    "N in range(K, N, N)",
    "K < N in range(-100, 10000000)",
    "N not in []",
};

// Replaces the capital letters; beyond a depth only parameters and constants are left.
static void grow_text(struct rng *r, const char *form, uint32_t parameters, int depth,
                      struct text *out)
{
    for (; *form; form++) {
        bool is_name = form[1] >= 'a' && form[1] <= 'z';
        if (*form == 'P')
            text_addc(out, NAMES[below(r, parameters)]);
        else if (*form == 'K')
            text_addf(out, "%u", below(r, 5));
        else if (*form == 'N' && !is_name)
            grow_text(r, depth > 0 ? numbers[below(r, sizeof numbers / sizeof *numbers)] : "P",
                      parameters, depth - 1, out);
        else if (*form == 'B')
            grow_text(r, depth > 0 ? truths[below(r, sizeof truths / sizeof *truths)] : "P > K",
                      parameters, depth - 1, out);
        else
            text_addc(out, *form);
    }
}

static struct spec *random_spec(struct rng *r)
{
    struct text parameters = TEXT_INIT, restriction = TEXT_INIT, derived = TEXT_INIT;
    uint32_t count = 3 + below(r, PARAMETERS - 2);
    random_parameters(r, count, &parameters);
    grow_text(r, below(r, 3) ? "B" : "B and B", count, 1 + (int)below(r, 3), &restriction);
    text_addf(&derived, "D = %c %s %c", NAMES[below(r, count)], below(r, 2) ? "//" : "*",
              NAMES[below(r, count)]);
    struct spec *s = make_spec_derived(parameters.data, restriction.data, derived.data, "");
    text_release(&parameters);
    text_release(&restriction);
    text_release(&derived);
    return s;
}

// ---- held against all assignments --------------------------------------------------------------

struct staged {
    struct problem problem;
    struct filtered filtered;
    struct evaluator evaluator;
    struct arena arena;
    struct automaton automaton;
    uint64_t faults;
};

static void start(struct staged *g, const struct spec *s)
{
    static const struct space_options nothing = {.device = NULL};
    bool skip[2] = {true, true}; // nothing is filtered
    struct error e = ERROR_INIT;
    memset(g, 0, sizeof *g);
    arena_init(&g->arena);
    ck_assert_msg(problem_init(&g->problem, s, &nothing, &e), "%s", e.text);
    ck_assert_uint_eq(g->problem.restriction_count, 2); // and the derived parameter
    ck_assert(evaluator_init(&g->evaluator, &g->problem, NULL));
    ck_assert(filter(&g->filtered, &g->arena, skip, &g->evaluator));
}

static void stop(struct staged *g)
{
    evaluator_release(&g->evaluator);
    problem_release(&g->problem);
    arena_release(&g->arena);
}

// The automaton of one restriction, its parameters in a random order.
static enum staging make_automaton(struct staged *g, const struct restriction *r, struct rng *rng)
{
    // Few words in half of the cases: the last stage but one then goes without.
    struct stage_limits limits = {.bytes = SIZE_MAX,
                                  .words = below(rng, 2) ? 1 + below(rng, 60) : 1 << 20};
    uint64_t order[PARAMETERS], effort = UINT64_C(1) << 40;
    uint32_t *parameters = arena_array(&g->arena, PARAMETERS, sizeof *parameters);
    for (uint32_t i = 0; i < r->parameter_count; i++)
        order[i] = r->parameters[i];
    if (below(rng, 2))
        rng_shuffle(rng, order, r->parameter_count);
    for (uint32_t i = 0; i < r->parameter_count; i++)
        parameters[i] = (uint32_t)order[i];
    g->automaton = (struct automaton){.parameters = parameters, .length = r->parameter_count};
    g->faults = 0;
    limits.effort = &effort;
    return automaton_stage(&g->automaton, &g->arena, r, g->filtered.domains, &g->evaluator, &limits,
                           &g->faults);
}

static bool accepts(const struct automaton *a, const uint32_t *choice)
{
    uint32_t state = a->start;
    for (uint32_t i = 0; i < a->length && state >= STATE_FIRST; i++) {
        const struct transitions *t = &a->next[i];
        const uint32_t *starts = t->starts + (state - STATE_FIRST);
        uint32_t at = starts[0];
        while (at < starts[1] && t->items[at].value != choice[a->parameters[i]])
            at++;
        state = at < starts[1] ? t->items[at].state : STATE_DEAD;
    }
    return state == STATE_HOLDS;
}

static bool next_of(const struct spec *s, const struct restriction *r, uint32_t *choice)
{
    for (uint32_t i = r->parameter_count; i-- > 0;) {
        uint32_t p = r->parameters[i];
        if (++choice[p] < s->parameters[p].count)
            return true;
        choice[p] = 0;
    }
    return false;
}

static void compare(struct staged *g, const struct restriction *r, const struct spec *s)
{
    uint32_t choice[PARAMETERS] = {0};
    uint64_t faults = 0;
    do {
        enum expr_fault fault;
        for (uint32_t i = 0; i < s->parameter_count; i++)
            evaluator_set(&g->evaluator, i, choice[i]);
        bool holds = evaluator_test(&g->evaluator, r, &fault);
        faults += fault != EXPR_FAULT_NONE;
        ck_assert_msg(accepts(&g->automaton, choice) == holds, "%s: %u,%u,%u,%u,%u",
                      r->formula->text, choice[0], choice[1], choice[2], choice[3], choice[4]);
    } while (next_of(s, r, choice));
    ck_assert_msg(g->faults == faults, "%s: %lu faults, not %lu", r->formula->text,
                  (unsigned long)g->faults, (unsigned long)faults);
}

#define ROUNDS 40

START_TEST(as_all_assignments)
{
    struct rng r;
    uint32_t made = 0;
    rng_init(&r, 4711, (uint64_t)_i);
    for (int round = 0; round < ROUNDS; round++) {
        struct spec *s = random_spec(&r);
        struct staged g;
        start(&g, s);
        for (uint32_t i = 0; i < 2; i++) {
            const struct restriction *restriction = &g.problem.restrictions[i];
            if (restriction->parameter_count == 0)
                continue;
            enum staging outcome = make_automaton(&g, restriction, &r);
            ck_assert(outcome == STAGING_DONE || outcome == STAGING_LARGE);
            if (outcome == STAGING_DONE)
                compare(&g, restriction, s);
            made += outcome == STAGING_DONE;
        }
        stop(&g);
        spec_free(s);
    }
    ck_assert_uint_gt(made, ROUNDS); // few cannot be made
}
END_TEST

// ---- large ones --------------------------------------------------------------------------------

// Counts of 63^5 assignments, by another way than the one at work here.
static const struct {
    const char *restriction;
    uint64_t valid;
} large[] = {
    {"a * b * c <= 4096 and (d * e) % 8 == 0", 57794125},
    {"e * d * c * b * a <= 100000", 26111180},
    {"(a + b) * (c + d) % e == 0", 158570125},
    {"max(a, b, c) <= min(d, e) * 2", 406840064},
    {"a * b in range(64, 100000000) and c <= d", 469421568},
};

START_TEST(a_billion_assignments)
{
    struct spec *s = make_spec("a list(range(1, 64)); b list(range(1, 64)); c list(range(1, 64));"
                               "d list(range(1, 64)); e list(range(1, 64))",
                               large[_i].restriction, "");
    struct space *sp = make_space(s, NULL);
    ck_assert_uint_eq(space_count(sp), large[_i].valid);
    for (uint64_t i = 0; i < space_count(sp); i += space_count(sp) / 1000) {
        uint32_t choice[5];
        uint64_t index;
        space_get(sp, i, choice);
        ck_assert(is_valid(s, choice) && space_find(sp, choice, &index));
        ck_assert_uint_eq(index, i);
    }
    space_free(sp);
    spec_free(s);
}
END_TEST

// Sums and products that may overflow or are no integers, each within the next: to look at each in
// two ways would take years.
START_TEST(deep_sums_end)
{
    struct text restriction = TEXT_INIT, brackets = TEXT_INIT;
    for (int i = 0; i < 60; i++)
        text_addc(&brackets, '(');
    text_addf(&restriction, "%sa", brackets.data);
    for (int i = 0; i < 60; i++)
        text_addf(&restriction, " * 0.5 + %c)", "bc"[i % 2]);
    text_add(&restriction, " > 20");
    struct spec *s =
        make_spec("a list(range(30)); b list(range(30)); c list(range(30))", restriction.data, "");
    struct space *sp = make_space(s, NULL);
    uint32_t choice[3] = {0};
    uint64_t valid = 0;
    do {
        valid += is_valid(s, choice);
    } while (next_choice(s, choice));
    ck_assert_uint_eq(space_count(sp), valid);
    ck_assert(valid > 0 && valid < 30 * 30 * 30);
    space_free(sp);
    spec_free(s);
    text_release(&restriction);
    text_release(&brackets);
}
END_TEST

// What took the effort is named.
START_TEST(names_the_culprit)
{
    struct spec *s = make_spec("a list(range(99)); b list(range(99)); c list(range(99))",
                               "a <= b; [a, b, c] == [c, b, a]", "");
    static const struct space_options nothing = {.device = NULL};
    struct problem p;
    struct diagram d;
    struct error e = ERROR_INIT;
    uint64_t effort = 3000000, faults[2];
    struct solve_options o = {.effort = &effort};
    struct solved solved = {.faults = faults};
    ck_assert_msg(problem_init(&p, s, &nothing, &e), "%s", e.text);
    ck_assert_int_eq(solve(&p, &o, &d, &solved), BUILD_EFFORT);
    ck_assert_uint_eq(solved.culprit, 1);
    ck_assert(!problem_refuse(&p, solved.culprit, "tests", &e));
    ck_assert_int_eq(e.code, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(e.text, "Conditions[1]"));
    ck_assert_ptr_nonnull(strstr(e.text, "[a, b, c] == [c, b, a]: the values of a, b and c"));
    diagram_release(&d);
    problem_release(&p);
    spec_free(s);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, as_all_assignments, 0, 30);
    tcase_add_test(tests, names_the_culprit);
    tcase_add_test(tests, deep_sums_end);
    tcase_add_loop_test(tests, a_billion_assignments, 0, sizeof large / sizeof *large);
}

int main(void)
{
    return suite_run("space_stage", add);
}
