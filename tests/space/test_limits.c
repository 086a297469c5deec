// Restrictions that are too large for an automaton and are evaluated during the search, among
// others that prune strongly: random specs under forced limits, and large ones under the usual
// limits, each held against all assignments.
#include "../base/suite.h"
#include "make.h"
#include "space/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define PARAMETERS 6
#define NAMES      "abcdef"

static uint32_t below(struct rng *r, uint32_t bound)
{
    return (uint32_t)rng_below(r, bound);
}

// ---- random specs ------------------------------------------------------------------------------

// P is a parameter, K a small number. Those that leave few values for the last of two or three:
static const char *const pruning[] = {
    "P == P",       "P == P + K",  "P == P * P", "P % P == 0", "P < P < P",       "P * P == P",
    "P + P == K*2", "P // P == P", "P != P",     "P != P",     "abs(P - P) <= K",
};
// Those that read many, and are to be evaluated:
static const char *const reading[] = {
    "(P*P + P*P*P) % (P + 3) == 0",
    "(P*P + P*P*P) % (P + 3) != 0",
    "sorted([P, P, P])[1] <= P",
    "P // (P - P) != P + K",
    "P * P * P * P * P <= K * K * 9",
    "(P ^ P ^ P) % (P + 1) != K",
    "sum([P, P, P, P]) % 3 != P % 3 or P > P",
    "max(P, P, P) - min(P, P, P) <= K",
    "D * P <= P + P + P + K",
    "(P if P > P else P) != (P if P < P else K)",
};

static void add_form(struct rng *r, const char *form, uint32_t parameters, struct text *out)
{
    for (; *form; form++) {
        if (*form == 'P')
            text_addc(out, NAMES[below(r, parameters)]);
        else if (*form == 'K')
            text_addf(out, "%u", 1 + below(r, 6));
        else
            text_addc(out, *form);
    }
    text_addc(out, ';');
}

// Equal parameters in a row, each by a restriction of its own, in either direction.
static void add_chain(struct rng *r, uint32_t parameters, struct text *out)
{
    uint64_t places[PARAMETERS] = {0, 1, 2, 3, 4, 5};
    rng_shuffle(r, places, parameters);
    for (uint32_t i = 1 + below(r, parameters - 1); i > 0; i--) {
        bool forwards = below(r, 2);
        text_addf(out, "%c == %c;", NAMES[places[forwards ? i - 1 : i]],
                  NAMES[places[forwards ? i : i - 1]]);
    }
}

static void add_parameters(struct rng *r, uint32_t count, uint32_t most, struct text *out)
{
    for (uint32_t p = 0; p < count; p++) {
        uint64_t values[] = {1, 2, 3, 4, 0, 6, 8, 12};
        uint32_t used = 2 + below(r, most - 1);
        rng_shuffle(r, values, used + (below(r, 2) ? 1 : 0)); // most share many values
        text_addf(out, "%c [", NAMES[p]);
        for (uint32_t i = 0; i < used; i++)
            text_addf(out, "%s%u", i > 0 ? ", " : "", (unsigned)values[i]);
        text_add(out, "];");
    }
}

static struct spec *random_spec(struct rng *r)
{
    struct text parameters = TEXT_INIT, restrictions = TEXT_INIT, derived = TEXT_INIT;
    uint32_t count = 3 + below(r, PARAMETERS - 2);
    add_parameters(r, count, count > 4 ? 4 : 6, &parameters);
    if (below(r, 2))
        add_chain(r, count, &restrictions);
    for (uint32_t i = 1 + below(r, 2); i > 0; i--)
        add_form(r, reading[below(r, sizeof reading / sizeof *reading)], count, &restrictions);
    for (uint32_t i = below(r, 6); i > 0; i--)
        add_form(r, pruning[below(r, sizeof pruning / sizeof *pruning)], count, &restrictions);
    text_addf(&derived, "D = %c %s %c", NAMES[below(r, count)], below(r, 2) ? "//" : "+",
              NAMES[below(r, count)]);
    struct spec *s = make_spec_derived(parameters.data, restrictions.data, derived.data, "");
    text_release(&parameters);
    text_release(&restrictions);
    text_release(&derived);
    return s;
}

static struct build_limits random_limits(struct rng *r)
{
    static const uint32_t words[] = {0, 0, 1, 20, 1 << 20};
    static const uint64_t most[] = {0, 0, 30, 1000}, effort[] = {500, 10000, 1 << 25};
    return (struct build_limits){.table_few = most[below(r, 3)],
                                 .table_most = most[below(r, 4)],
                                 .tables_most = most[below(r, 4)],
                                 .words = words[below(r, 5)],
                                 .bytes = SIZE_MAX,
                                 .effort = effort[below(r, 3)]};
}

// ---- held against all assignments --------------------------------------------------------------

// All restrictions, evaluated one after the other.
struct judge {
    struct problem problem;
    struct evaluator evaluator;
};

static void judge_init(struct judge *j, const struct spec *s)
{
    static const struct space_options nothing = {.device = NULL};
    ck_assert(problem_init(&j->problem, s, &nothing, NULL));
    ck_assert(evaluator_init(&j->evaluator, &j->problem, NULL));
}

static void judge_release(struct judge *j)
{
    evaluator_release(&j->evaluator);
    problem_release(&j->problem);
}

static bool holds(struct judge *j, const uint32_t *choice)
{
    bool all = true;
    for (uint32_t i = 0; i < j->problem.spec->parameter_count; i++)
        evaluator_set(&j->evaluator, i, choice[i]);
    for (uint32_t i = 0; all && i < j->problem.restriction_count; i++) {
        enum expr_fault fault;
        all = evaluator_test(&j->evaluator, &j->problem.restrictions[i], &fault);
    }
    return all;
}

// Is the assignment in the space where it holds, and nowhere else, and does its index lead back?
static bool agrees(const struct space *sp, const uint32_t *choice, bool expected)
{
    uint32_t got[PARAMETERS];
    uint64_t index;
    if (space_find(sp, choice, &index) != expected)
        return false;
    if (expected)
        space_get(sp, index, got);
    return !expected || memcmp(got, choice, sp->diagram.layers * sizeof *got) == 0;
}

// Every assignment, without an assertion for each: these write to a file.
static void compare(const struct spec *s, const struct space *sp)
{
    uint32_t choice[PARAMETERS] = {0};
    uint64_t valid = 0;
    struct judge j;
    judge_init(&j, s);
    do {
        bool expected = holds(&j, choice);
        valid += expected;
        if (!agrees(sp, choice, expected))
            ck_abort_msg("%s: %u,%u,%u,%u,%u,%u: should be %d", s->restrictions[0].text, choice[0],
                         choice[1], choice[2], choice[3], choice[4], choice[5], expected);
    } while (next_choice(s, choice));
    ck_assert_uint_eq(space_count(sp), valid);
    judge_release(&j);
}

// What is said of an assignment is what the space has: --why and --verbose agree.
static void compare_reasons(const struct spec *s, const struct space *sp, struct rng *r)
{
    uint32_t choice[PARAMETERS] = {0};
    struct judge j;
    judge_init(&j, s);
    for (int i = 0; i < 5; i++) {
        struct space_reason reason;
        uint64_t index;
        for (uint32_t p = 0; p < s->parameter_count; p++)
            choice[p] = below(r, s->parameters[p].count);
        space_why(sp, choice, &reason);
        ck_assert_int_eq(reason.restriction == NULL, space_find(sp, choice, &index));
        if (space_count(sp) == 0)
            continue;
        index = space_sample(sp, r);
        space_get(sp, index, choice);
        space_why(sp, choice, &reason);
        ck_assert_ptr_null(reason.restriction);
    }
    judge_release(&j);
}

#define ROUNDS 25

START_TEST(forced_limits)
{
    struct rng r;
    rng_init(&r, 15, (uint64_t)_i);
    for (int round = 0; round < ROUNDS; round++) {
        struct spec *s = random_spec(&r);
        struct build_limits limits = random_limits(&r);
        struct error e = ERROR_INIT;
        struct space *sp = space_make(s, NULL, &limits, &e);
        ck_assert_msg(sp != NULL, "%s", e.text);
        compare(s, sp);
        compare_reasons(s, sp, &r);
        space_free(sp);
        spec_free(s);
    }
}
END_TEST

// ---- large ones --------------------------------------------------------------------------------

// 11^4 * 10^2 assignments, more than a table has, of a restriction that cannot be made in stages,
// or not within the effort that an attempt has.
static const char *const wide[] = {
    "(a*b + c*d*e) % (f + 3) == 0",
    "sorted([a, b, c, d, e, f])[2] == d",
    "[a, b, c, d, e, f][(a + b + c + d + e) % 6] > f",
    "[a*b + c, c*d, e*f][d % 3] % 5 == b % 4",
};

START_TEST(large_restrictions)
{
    struct rng r;
    struct text restrictions = TEXT_INIT, parameters = TEXT_INIT;
    rng_init(&r, 16, (uint64_t)_i);
    for (int p = 0; p < 6; p++)
        text_addf(&parameters, "%c list(range(%d, %d));", NAMES[p], p / 4, 11);
    if (below(&r, 2))
        add_chain(&r, 6, &restrictions);
    text_addf(&restrictions, "%s;", wide[_i]);
    for (int i = 0; i < 2; i++)
        add_form(&r, pruning[below(&r, 5)], 6, &restrictions);
    struct spec *s = make_spec(parameters.data, restrictions.data, "");
    struct space *sp = make_space(s, NULL);
    compare(s, sp);
    space_free(sp);
    spec_free(s);
    text_release(&restrictions);
    text_release(&parameters);
}
END_TEST

// The assignments of 1 to 32 with a == b, c == d, e == f, of which `== 0` leaves 1748.
START_TEST(chains_of_equalities)
{
    static const char *const tests[] = {"== 0", "!= 0"};
    uint64_t expected[2] = {0, 0};
    for (int a = 1; a <= 32; a++)
        for (int c = 1; c <= 32; c++)
            for (int e = 1; e <= 32; e++)
                expected[(a * a + c * c * e) % (e + 3) != 0]++;
    for (int i = 0; i < 2; i++) {
        char restrictions[128];
        snprintf(restrictions, sizeof restrictions,
                 "b == a; d == c; f == e; (a*b + c*d*e) %% (f + 3) %s", tests[i]);
        struct spec *s = make_spec("a list(range(1, 33)); b list(range(1, 33)); "
                                   "c list(range(1, 33)); d list(range(1, 33)); "
                                   "e list(range(1, 33)); f list(range(1, 33))",
                                   restrictions, "");
        struct space *sp = make_space(s, NULL);
        ck_assert_uint_eq(space_count(sp), expected[i]);
        space_free(sp);
        spec_free(s);
    }
    ck_assert_uint_eq(expected[0], 1748);
}
END_TEST

// Tile, warp and stage sizes of a matrix product: the warps' tiles make up the block's, every
// thread loads as much, and what the stages hold fits. Counted here by loops over what the
// equalities leave.
static uint64_t count_tiles(void)
{
    static const int depths[] = {8, 16, 24, 32, 48, 64};
    uint64_t valid = 0;
    for (int wm = 8; wm <= 128; wm += 8)
        for (int wn = 8; wn <= 128; wn += 8)
            for (int i = 0; i < 4 * 4 * 4 * 4 * 6; i++) {
                int m = 1 << i % 4, n = 1 << i / 4 % 4, va = 1 << i / 16 % 4, vb = 1 << i / 64 % 4;
                int bk = depths[i / 256], bm = wm * m, bn = wn * n;
                if (bm > 512 || bn > 512 || bm * bk % (32 * m * n * va) != 0 ||
                    bk * bn % (32 * m * n * vb) != 0)
                    continue;
                for (int row = bk; row <= bk + 32; row++)
                    for (int stages = 1; stages <= 8; stages++)
                        valid += row % va == 0 && row % vb == 0 &&
                                 4 * stages * (bm * row + bn * row) + 8 * (wm * wn) / va +
                                         128 * vb * m * n <=
                                     233472;
            }
    return valid;
}

START_TEST(tiles_of_a_kernel)
{
    struct spec *s = make_spec(
        "BM list(range(8, 513, 8)); WM list(range(8, 129, 8)); WARPS_M [1, 2, 4, 8]; "
        "BN list(range(8, 513, 8)); WN list(range(8, 129, 8)); WARPS_N [1, 2, 4, 8]; "
        "BK [8, 16, 24, 32, 48, 64]; STAGES list(range(1, 9)); VA [1, 2, 4, 8]; VB [1, 2, 4, 8]; "
        "PAD list(range(33))",
        "BM == WM*WARPS_M; BN == WN*WARPS_N; (BM*BK) % (32*WARPS_M*WARPS_N*VA) == 0; "
        "(BK*BN) % (32*WARPS_M*WARPS_N*VB) == 0; 4*STAGES*(BM*(BK + PAD) + BN*(BK + PAD)) + "
        "8*(WM*WN) // VA + 128*VB*WARPS_M*WARPS_N <= 233472; "
        "(BK + PAD) % VA == 0 and (BK + PAD) % VB == 0",
        "");
    struct space *sp = make_space(s, NULL);
    ck_assert_uint_eq(count_tiles(), 6592146);
    ck_assert_uint_eq(space_count(sp), 6592146);
    space_free(sp);
    spec_free(s);
}
END_TEST

// ---- many assignments, few states --------------------------------------------------------------

// "p0 VALUES; p1 VALUES; ..."
static void add_equal(struct text *out, uint32_t count, const char *values)
{
    for (uint32_t i = 0; i < count; i++)
        text_addf(out, "p%u %s;", i, values);
}

// A restriction of each pair, as `form` with the numbers of both.
static void add_pairs(struct text *out, uint32_t count, const char *before, const char *between,
                      const char *after)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            text_addf(out, "%sp%u %s p%u%s;", before, j, between, i, after);
}

static void expect_count(const char *parameters, const char *restrictions, uint64_t valid)
{
    struct spec *s = make_spec(parameters, restrictions, "");
    struct space *sp = make_space(s, NULL);
    ck_assert_msg(space_count(sp) == valid, "%s: %lu, not %lu", restrictions,
                  (unsigned long)space_count(sp), (unsigned long)valid);
    space_free(sp);
    spec_free(s);
}

// The subsets in use are the states: 12! of 12^12 assignments.
START_TEST(pairs_that_differ)
{
    struct text parameters = TEXT_INIT, restrictions = TEXT_INIT;
    add_equal(&parameters, 12, "list(range(12))");
    add_pairs(&restrictions, 12, "", "!=", "");
    expect_count(parameters.data, restrictions.data, 479001600);
    text_release(&parameters);
    text_release(&restrictions);
}
END_TEST

// The least and the greatest value are the states: 26 windows of five values, less what two share.
START_TEST(pairs_that_are_near)
{
    struct text parameters = TEXT_INIT, restrictions = TEXT_INIT;
    uint64_t five = 95367431640625, four = UINT64_C(1) << 40; // 5^20, 4^20
    add_equal(&parameters, 20, "list(range(30))");
    add_pairs(&restrictions, 20, "abs(", "-", ") <= 4");
    expect_count(parameters.data, restrictions.data, 26 * (five - four) + four);
    text_release(&parameters);
    text_release(&restrictions);
}
END_TEST

// What pairs leave of more than 32 values: 40 * 39 * 38 * 37 of 40^4.
START_TEST(pairs_of_many_values)
{
    expect_count("a list(range(40)); b list(range(40)); c list(range(40)); d list(range(40))",
                 "a != b; a != c; a != d; b != c; b != d; c != d", 40 * 39 * 38 * 37);
}
END_TEST

// The same in one restriction, also as a set: a conjunction is as good as its parts.
START_TEST(pairs_in_one_restriction)
{
    struct text parameters = TEXT_INIT, all = TEXT_INIT, set = TEXT_INIT, near = TEXT_INIT;
    add_equal(&parameters, 12, "list(range(12))");
    text_add(&set, "len(set([p0");
    for (int i = 1; i < 12; i++) {
        text_addf(&set, ", p%d", i);
        for (int j = 0; j < i; j++) {
            text_addf(&all, "%sp%d != p%d", i > 1 ? " and " : "", j, i);
            text_addf(&near, "%s(abs(p%d - p%d) <= 2)", i > 1 ? " and " : "", j, i);
        }
    }
    text_add(&set, "])) == 12");
    expect_count(parameters.data, all.data, 479001600);
    expect_count(parameters.data, set.data, 479001600);
    expect_count(parameters.data, near.data, 10 * (531441 - 4096) + 4096); // 3^12, 2^12
    expect_count(parameters.data,
                 "p0 > 3 and 12 == len({p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, "
                 "p10, p11}) and (p1 < p2 and p11 in [2, 5])",
                 27216000);
    text_release(&parameters);
    text_release(&all);
    text_release(&set);
    text_release(&near);
}
END_TEST

// What a later part of an `and` has no value for counts only where the earlier ones are true.
START_TEST(faults_of_conjunctions)
{
    static const char *const forms[] = {
        "a != b and c % 4 != d % 5",          "a > 3 and c // d > b",
        "d != 0 and a > b and c // d > 1",    "a > b and c // d > 1 and b < d",
        "len(set([a, b, c, d])) == 4",        "len(set([a, b, c, a])) == 4",
        "len(set([a, b, c])) == 4 and a < d", "a < b < c and [c, d][a % 3] != b",
        "a > 99 and b // (c - d) == 1",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct spec *s = make_spec("a list(range(10)); b list(range(10)); c list(range(10)); "
                                   "d list(range(10))",
                                   forms[i], "");
        struct space *sp = make_space(s, NULL);
        uint32_t choice[PARAMETERS] = {0};
        uint64_t valid = 0, faults = 0;
        struct judge j;
        judge_init(&j, s);
        do {
            enum expr_fault fault;
            for (uint32_t p = 0; p < 4; p++)
                evaluator_set(&j.evaluator, p, choice[p]);
            valid += evaluator_test(&j.evaluator, &j.problem.restrictions[0], &fault);
            faults += fault != EXPR_FAULT_NONE;
        } while (next_choice(s, choice));
        ck_assert_msg(space_count(sp) == valid, "%s", forms[i]);
        ck_assert_msg(space_faults(sp) == faults, "%s: %lu faults, not %lu", forms[i],
                      (unsigned long)space_faults(sp), (unsigned long)faults);
        judge_release(&j);
        space_free(sp);
        spec_free(s);
    }
}
END_TEST

// The residues are the states. Held against the products of two, counted by their residues.
START_TEST(products_modulo)
{
    static uint64_t products[4096];
    uint64_t zero = 0, seven = 0;
    for (uint32_t a = 1; a <= 512; a++)
        for (uint32_t b = 1; b <= 512; b++)
            products[a * b % 4096]++;
    for (uint32_t i = 0; i < 4096; i++)
        for (uint32_t j = 0; j < 4096; j++) {
            zero += i * j % 4096 == 0 ? products[i] * products[j] : 0;
            seven += i * j % 4096 == 7 ? products[i] * products[j] : 0;
        }
    const char *parameters = "a list(range(1, 513)); b list(range(1, 513)); "
                             "c list(range(1, 513)); d list(range(1, 513))";
    expect_count(parameters, "a*b*c*d % 4096 == 0", zero);
    expect_count(parameters, "(d*c*b*a) & 4095 == 7", seven);
    ck_assert_uint_eq(zero, 1124073472);
}
END_TEST

// ---- hostile ones ------------------------------------------------------------------------------

#define CPU_SECONDS 5
#define PEAK_KIB    (500 * 1024)

// Restrictions whose states are as many as their assignments, or nearly.
enum hostile { KNAPSACK, PRODUCTS, MIXED, ONE_CONJUNCTION, HOSTILE };

// Distinct values without a pattern, so that hardly two sums are equal.
static void add_scattered(struct rng *r, uint32_t count, uint32_t values, uint32_t bound,
                          struct text *out)
{
    for (uint32_t p = 0; p < count; p++) {
        text_addf(out, "p%u [%u", p, 2 + below(r, bound));
        for (uint32_t i = 1; i < values; i++)
            text_addf(out, ", %u", 2 + i * bound + below(r, bound));
        text_add(out, "];");
    }
}

static void add_joined(uint32_t count, const char *between, const char *end, struct text *out)
{
    for (uint32_t p = 0; p < count; p++)
        text_addf(out, "%sp%u", p > 0 ? between : "", p);
    text_add(out, end);
}

static struct spec *hostile_spec(enum hostile kind)
{
    struct text parameters = TEXT_INIT, restrictions = TEXT_INIT;
    struct rng r;
    rng_init(&r, 17, kind);
    if (kind == KNAPSACK) {
        add_scattered(&r, 30, 8, 100000000, &parameters);
        add_joined(30, " + ", " == 12000000007", &restrictions);
    } else if (kind == PRODUCTS) {
        add_scattered(&r, 12, 12, 250, &parameters);
        text_add(&restrictions, "p0*p1*p2 + p3*p4*p5 < p6*p7*p8 + p9*p10*p11");
    } else if (kind == MIXED) {
        add_equal(&parameters, 12, "list(range(30))");
        for (int i = 0; i < 30; i++)
            text_addf(&restrictions, "(p%u*p%u + p%u) %% 7 != 3;", below(&r, 12), below(&r, 12),
                      below(&r, 12));
    } else {
        add_equal(&parameters, 20, "list(range(30))");
        for (int i = 1; i < 20; i++)
            text_addf(&restrictions, "%s[p%d, p0][p%d %% 2] != p%d", i > 1 ? " and " : "", i, i - 1,
                      (i + 7) % 20);
    }
    struct spec *s = make_spec(parameters.data, restrictions.data, "");
    text_release(&parameters);
    text_release(&restrictions);
    return s;
}

static double cpu_seconds(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

// None of them can be counted here, so that a count is checked by the space itself; a refusal says
// what its limit is, and what to do.
START_TEST(counted_or_refused)
{
    struct spec *s = hostile_spec((enum hostile)_i);
    struct error e = ERROR_INIT;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    struct space *sp = space_new(s, NULL, &e);
    getrusage(RUSAGE_SELF, &after);
    if (!sp) {
        ck_assert_int_eq(e.code, ERROR_INPUT);
        ck_assert_msg(strstr(e.text, "more than the limit of ") != NULL, "%s", e.text);
        ck_assert_ptr_nonnull(strstr(e.text, "--config"));
    }
#ifndef __SANITIZE_ADDRESS__
    double seconds = cpu_seconds(&after) - cpu_seconds(&before);
    ck_assert_msg(seconds < CPU_SECONDS, "%d: %g s", _i, seconds);
    ck_assert_msg(after.ru_maxrss < PEAK_KIB, "%d: %ld KiB", _i, after.ru_maxrss);
#endif
    space_free(sp);
    spec_free(s);
}
END_TEST

// ---- work inside of expressions ----------------------------------------------------------------

__attribute__((unused)) // under a sanitizer no time is judged
static double
seconds_since(const struct rusage *before)
{
    struct rusage now;
    getrusage(RUSAGE_SELF, &now);
    return cpu_seconds(&now) - cpu_seconds(before);
}

// "A in [0, 2, 4, ...] or B == 2": `form` has the number of an item twice.
static void add_members(struct text *out, const char *item, const char *form, int count)
{
    text_addf(out, "%s in [", item);
    for (int i = 0; i < count; i++)
        text_addf(out, form, 2 * i, 2 * i);
    text_add(out, "] or b == 2");
}

// Long lists of constants are searched: half of a's values are in them.
START_TEST(members_of_long_lists)
{
    static const struct {
        const char *item, *form;
    } lists[] = {
        {"a", "%d,"}, {"str(a)", "'%d',"}, {"a * 1.0", "%d.0,"}, {"(a, 'x', a)", "(%d, 'x', %d),"}};
    struct rusage before;
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct text restriction = TEXT_INIT;
        add_members(&restriction, lists[i].item, lists[i].form, 10000);
        struct spec *s = make_spec("a list(range(20000)); b [1, 2, 3]", restriction.data, "");
        struct space *sp = make_space(s, NULL);
        ck_assert_msg(space_count(sp) == 40000, "%s: %lu", lists[i].item,
                      (unsigned long)space_count(sp));
        space_free(sp);
        spec_free(s);
        text_release(&restriction);
    }
#ifndef __SANITIZE_ADDRESS__
    ck_assert_double_lt(seconds_since(&before), 3);
#endif
}
END_TEST

// What takes minutes to evaluate is refused, wherever the work lies: in a derived parameter that a
// restriction of one parameter reads, in a table, along the search.
static const struct {
    const char *parameters, *restrictions, *derived;
} heavy[] = {
    {"a list(range(1, 100001)); b list(range(1, 100001))", "a <= b", ""}, // many edges
    {"a list(range(1, 50000))", "D % 3 == 0", "D = sum([i*a for i in range(20000)])"},
    {"a [1, 2]; b list(range(1, 3000))", "any(i*a % b == 7 * b for i in range(100000))", ""},
    {"a list(range(200)); b list(range(200)); c list(range(200)); d list(range(200))",
     "[a, b, c, d][a % 4] != sum(i*(a + b + c + d) for i in range(3000)) % 99", ""},
};

START_TEST(work_inside_is_effort)
{
    struct spec *s =
        make_spec_derived(heavy[_i].parameters, heavy[_i].restrictions, heavy[_i].derived, "");
    struct error e = ERROR_INIT;
    struct rusage before;
    getrusage(RUSAGE_SELF, &before);
    struct space *sp = space_new(s, NULL, &e);
#ifndef __SANITIZE_ADDRESS__
    struct rusage after;
    getrusage(RUSAGE_SELF, &after);
    ck_assert_msg(seconds_since(&before) < CPU_SECONDS, "%d: %g s", _i, seconds_since(&before));
    ck_assert_msg(after.ru_maxrss < PEAK_KIB, "%d: %ld KiB", _i, after.ru_maxrss);
#endif
    ck_assert_msg(!sp, "%d: counted %lu", _i, (unsigned long)(sp ? space_count(sp) : 0));
    ck_assert_int_eq(e.code, ERROR_INPUT);
    ck_assert_msg(strstr(e.text, "more than the limit of ") != NULL, "%s", e.text);
    ck_assert_msg(strstr(e.text, heavy[_i].restrictions) || strstr(e.text, "D"), "%s", e.text);
    space_free(sp);
    spec_free(s);
}
END_TEST

// What is asked of a finished space is bounded, too: where counting would take minutes the answer
// is that it is not known.
START_TEST(questions_are_bounded)
{
    struct spec *s = make_spec("a list(range(1, 30000))",
                               "a < 20; sum([i*a for i in range(20000)]) % 3 == 0", "");
    const struct space_restriction_stats *stats;
    struct rusage before;
    getrusage(RUSAGE_SELF, &before);
    struct space *sp = make_space(s, NULL);
    ck_assert_uint_eq(space_count(sp), 6); // the multiples of 3
    ck_assert_uint_eq(space_restrictions(sp, &stats), 2);
    ck_assert_uint_eq(stats[0].alone, 29980);
    ck_assert_uint_eq(stats[1].alone, UINT64_MAX);
#ifndef __SANITIZE_ADDRESS__
    ck_assert_double_lt(seconds_since(&before), CPU_SECONDS);
#endif
    space_free(sp);
    spec_free(s);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, forced_limits, 0, SUITE_SANITIZED ? 6 : 24);
    tcase_add_loop_test(tests, large_restrictions, 0,
                        SUITE_SANITIZED ? 1 : (int)(sizeof wide / sizeof *wide));
    tcase_add_test(tests, pairs_that_differ);
    tcase_add_test(tests, pairs_that_are_near);
    tcase_add_test(tests, pairs_of_many_values);
    tcase_add_test(tests, pairs_in_one_restriction);
    tcase_add_test(tests, faults_of_conjunctions);
    if (!SUITE_SANITIZED)
        tcase_add_test(tests, products_modulo);
    if (!SUITE_SANITIZED)
        tcase_add_test(tests, tiles_of_a_kernel);
    tcase_add_loop_test(tests, counted_or_refused, 0, HOSTILE);
    tcase_add_test(tests, chains_of_equalities);
    tcase_add_test(tests, members_of_long_lists);
    tcase_add_loop_test(tests, work_inside_is_effort, 0, sizeof heavy / sizeof *heavy);
    tcase_add_test(tests, questions_are_bounded);
}

int main(void)
{
    return suite_run("space_limits", add);
}
