// The choice of configurations on matrices of times: against brute force, never below the default, and refined between
// the points, with times that a formula simulates.
#include "extras/deploy/choose.h"

#include "base/random.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CANDIDATES = 8, MOST_ROWS = 64 };

struct problem {
    struct deploy_matrix m;
    struct arena arena;
    double ns[MOST_ROWS * MOST_CANDIDATES], weights[MOST_ROWS];
    bool valid[MOST_ROWS * MOST_CANDIDATES];
    struct deploy_cost costs[MOST_CANDIDATES];
    int64_t shapes[MOST_ROWS];
    const int64_t *rows[MOST_ROWS];
};

static struct problem p;

static void set_up(void)
{
    memset(&p, 0, sizeof p);
    arena_init(&p.arena);
    for (size_t i = 0; i < MOST_ROWS; i++) {
        p.shapes[i] = (int64_t)i + 1;
        p.rows[i] = &p.shapes[i];
        p.weights[i] = 1;
    }
    memset(p.valid, true, sizeof p.valid);
    for (size_t i = 0; i < MOST_CANDIDATES; i++)
        p.costs[i] = (struct deploy_cost){0, -1, 0, -1};
    p.m = (struct deploy_matrix){.default_candidate = DEPLOY_NONE,
                                 .column_count = 1,
                                 .shapes = p.rows,
                                 .weights = p.weights,
                                 .ns = p.ns,
                                 .valid = p.valid,
                                 .costs = p.costs,
                                 .within = 0.02};
}

static void tear_down(void)
{
    arena_release(&p.arena);
}

static double at(uint32_t row, uint32_t candidate)
{
    return p.ns[row * p.m.candidate_count + candidate];
}

static double best_at(uint32_t row)
{
    double best = NAN;
    for (uint32_t c = 0; c < p.m.candidate_count; c++)
        best = fmin(best, at(row, c));
    return best;
}

static bool covers(uint32_t set, uint32_t row)
{
    double own_default =
        p.m.default_candidate == DEPLOY_NONE ? NAN : at(row, p.m.default_candidate);
    if (isnan(best_at(row)))
        return true;
    for (uint32_t c = 0; c < p.m.candidate_count; c++) {
        bool is_in = set & 1u << c && at(row, c) <= best_at(row) * (1 + p.m.within);
        if (is_in && !(at(row, c) > own_default))
            return true;
    }
    return false;
}

static uint32_t fewest_by_force(void)
{
    uint32_t fewest = UINT32_MAX;
    for (uint32_t set = 0; set < 1u << p.m.candidate_count; set++) {
        bool all = true;
        for (uint32_t row = 0; all && row < p.m.point_count; row++)
            all = covers(set, row);
        uint32_t size = (uint32_t)__builtin_popcount(set);
        fewest = all && size < fewest ? size : fewest;
    }
    return fewest;
}

// As src/extras/deploy/choose.h says of any choice.
static void check_choice(const struct deploy_chosen *t)
{
    for (uint32_t i = 0; i < t->point_count; i++) {
        const struct deploy_point *point = &t->points[i];
        uint32_t row = t->rows[i];
        ck_assert_uint_lt(point->configuration, t->count);
        double ns = at(row, t->candidates[point->configuration]);
        ck_assert_double_eq(ns, point->median_ns);
        ck_assert_double_le(point->above_best, p.m.within + 1e-12);
        if (p.m.default_candidate != DEPLOY_NONE)
            ck_assert(!(ns > at(row, p.m.default_candidate)));
        for (uint32_t c = 0; c < t->count; c++)
            ck_assert(!(at(row, t->candidates[c]) < ns));
    }
}

START_TEST(as_few_as_brute_force_finds)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct rng r;
        struct deploy_chosen t;
        rng_init(&r, seed, 7);
        p.m.candidate_count = 1 + (uint32_t)rng_below(&r, MOST_CANDIDATES);
        p.m.point_count = 1 + (uint32_t)rng_below(&r, 12);
        p.m.default_candidate =
            rng_below(&r, 2) ? DEPLOY_NONE : (uint32_t)rng_below(&r, p.m.candidate_count);
        for (uint32_t i = 0; i < p.m.point_count * p.m.candidate_count; i++)
            p.ns[i] = rng_below(&r, 8) == 0 ? NAN : 1000 + 10 * (double)rng_below(&r, 8);
        ck_assert(deploy_choose(&p.m, &p.arena, &t));
        check_choice(&t);
        ck_assert_uint_eq(t.count, fewest_by_force());
    }
}
END_TEST

START_TEST(greed_alone_would_take_three)
{
    // 0 covers four of six rows, 1 and 2 three each, and all six together.
    static const char *const rows[] = {"xx.", "xx.", "x.x", "x.x", ".x.", "..x"};
    struct deploy_chosen t;
    p.m.candidate_count = 3;
    p.m.point_count = 6;
    for (uint32_t i = 0; i < 18; i++)
        p.ns[i] = rows[i / 3][i % 3] == 'x' ? 100 : 150;
    ck_assert(deploy_choose(&p.m, &p.arena, &t));
    ck_assert_uint_eq(t.count, 2);
    check_choice(&t);
}
END_TEST

START_TEST(never_below_the_default)
{
    struct deploy_chosen t;
    p.m.candidate_count =
        3; // 0: the default. 1 covers both points, but is 1 % below it at the first.
    p.m.point_count = 2;
    p.m.default_candidate = 0;
    const double ns[] = {1000, 1010, 1005, 2000, 1000, 3000};
    memcpy(p.ns, ns, sizeof ns);
    ck_assert(deploy_choose(&p.m, &p.arena, &t));
    ck_assert_uint_eq(t.count, 2);
    ck_assert_double_eq(t.points[0].median_ns, 1000);
    ck_assert_double_eq(t.points[1].median_ns, 1000);
    check_choice(&t);
}
END_TEST

START_TEST(resources_break_ties_and_weights_come_first)
{
    struct deploy_chosen t;
    p.m.candidate_count = 3;
    p.m.point_count = 1;
    p.ns[0] = p.ns[1] = p.ns[2] = 100;
    p.costs[1].local_bytes = -1; // not known: decides nothing
    p.costs[0].local_bytes = 2048;
    p.costs[2].local_bytes = 1024;
    ck_assert(deploy_choose(&p.m, &p.arena, &t));
    ck_assert_uint_eq(t.count, 1);
    ck_assert_uint_eq(t.candidates[0], 2);
}
END_TEST

START_TEST(what_it_costs_is_told)
{
    struct deploy_chosen t;
    p.m.candidate_count = 2;
    p.m.point_count = 4;
    const double ns[] = {100, 101, 100, 102, 100, 100.4, NAN, NAN};
    memcpy(p.ns, ns, sizeof ns);
    p.ns[0] = p.ns[2] = p.ns[4] = 100;
    p.costs[0].local_bytes = 4096;
    p.weights[1] = 6;
    ck_assert(deploy_choose(&p.m, &p.arena, &t));
    ck_assert_uint_eq(t.count, 1);
    ck_assert_uint_eq(t.point_count, 3); // nothing works at the fourth
    ck_assert_uint_eq(t.candidates[0], 1);
    ck_assert_double_eq_tol(t.at_points.median, 0.01, 1e-9);
    ck_assert_double_eq_tol(t.at_points.most, 0.02, 1e-9);
    ck_assert_uint_eq(t.at_points.most_at, 1);
    ck_assert_double_eq_tol(t.at_points.mean, (0.01 + 6 * 0.02 + 0.004) / 8, 1e-9);
}
END_TEST

// ---- between the points ------------------------------------------------------------------------

// Candidate c is made for sizes about 16^c and gets 10 % slower for each factor of two away from them, on both sides.
static double simulated(int64_t size, uint32_t candidate)
{
    return (double)size * (1 + 0.1 * fabs(log2((double)size) - 4.0 * candidate));
}

static void simulate(const int64_t *sizes, uint32_t points, uint32_t drawn, uint32_t candidates)
{
    p.m.candidate_count = candidates;
    p.m.point_count = points;
    p.m.drawn_count = drawn;
    for (uint32_t i = 0; i < points + drawn; i++) {
        p.shapes[i] = sizes[i];
        for (uint32_t c = 0; c < candidates; c++)
            p.ns[i * candidates + c] = simulated(sizes[i], c);
    }
}

START_TEST(regret_between_the_points_is_refined_away)
{
    // Measured at 1 and 4096 alone, where 0 and 3 are best; 16 and 256 have best ones of their own.
    static const int64_t sizes[] = {1, 4096, 2, 16, 200, 256, 2048};
    struct deploy_chosen t;
    simulate(sizes, 2, 5, 4);
    ck_assert(deploy_choose(&p.m, &p.arena, &t));
    ck_assert_uint_eq(t.drawn.count, 5);
    ck_assert_uint_eq(t.drawn.most_at, 3); // 16: 0 in place of 1; 256 is as bad
    ck_assert_double_eq_tol(t.drawn.most, 0.4, 1e-3);
    ck_assert_uint_ge(t.refined, 2);
    ck_assert_uint_eq(t.point_count, 2 + t.refined);
    ck_assert_uint_eq(t.left.count, 5 - t.refined);
    ck_assert_double_le(t.left.most, p.m.within);
    ck_assert(!t.points[1].is_refined && t.points[2].is_refined);
    ck_assert_int_eq(t.points[2].shape[0], 16);
    ck_assert_uint_eq(t.count, 4);
    check_choice(&t);
}
END_TEST

START_TEST(nothing_is_refined_where_regret_is_low)
{
    static const int64_t sizes[] = {1, 16, 256, 4096, 2, 14, 18, 3000};
    struct deploy_chosen t;
    simulate(sizes, 4, 4, 4);
    ck_assert(deploy_choose(&p.m, &p.arena, &t));
    ck_assert_uint_eq(t.refined, 0);
    ck_assert_uint_eq(t.left.count, 4);
    ck_assert_double_eq_tol(t.left.most, 0, 1e-9);
}
END_TEST

START_TEST(what_is_not_valid_there_does_not_answer)
{
    static const int64_t sizes[] = {1, 4096, 2048};
    struct deploy_chosen t;
    simulate(sizes, 2, 1, 4);
    for (uint32_t c = 0; c < 4; c++)
        p.valid[2 * 4 + c] = c == 1; // what is nearest is not valid, what is valid was not chosen
    p.ns[2 * 4 + 0] = p.ns[2 * 4 + 2] = p.ns[2 * 4 + 3] = NAN;
    ck_assert(deploy_choose(&p.m, &p.arena, &t));
    ck_assert_uint_eq(t.drawn.unanswered, 1);
    ck_assert_uint_eq(t.refined, 1);
    ck_assert_uint_eq(t.left.unanswered, 0);
    check_choice(&t);
}
END_TEST

START_TEST(of_nothing_nothing_is_chosen)
{
    struct deploy_chosen t;
    p.m.candidate_count = 1;
    p.m.point_count = 2;
    p.ns[0] = p.ns[1] = NAN;
    ck_assert(deploy_choose(&p.m, &p.arena, &t));
    ck_assert_uint_eq(t.count, 0);
    ck_assert_uint_eq(t.point_count, 0);
    ck_assert(isnan(t.at_points.median));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("deploy_choose");
    TCase *t = tcase_create("choose");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, as_few_as_brute_force_finds);
    tcase_add_test(t, greed_alone_would_take_three);
    tcase_add_test(t, never_below_the_default);
    tcase_add_test(t, resources_break_ties_and_weights_come_first);
    tcase_add_test(t, what_it_costs_is_told);
    tcase_add_test(t, regret_between_the_points_is_refined_away);
    tcase_add_test(t, nothing_is_refined_where_regret_is_low);
    tcase_add_test(t, what_is_not_valid_there_does_not_answer);
    tcase_add_test(t, of_nothing_nothing_is_chosen);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
