// Known answers of the tests for pairs, and how often they are wrong.
#include "base/random.h"
#include "stats/differ.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

// Wilcoxon's table: of n values, all of one sign, 2 / 2^n; of 1 .. 5 with the 1 negative 4 / 32.
START_TEST(signed_rank_by_hand)
{
    const double all[] = {1, 2, 3, 4, 5}, one[] = {-1, 2, 3, 4, 5}, down[] = {-1, -2, -3, -4, -5};
    ck_assert_double_eq_tol(differ_signed_rank(all, 5, 0), 2.0 / 32, 1e-12);
    ck_assert_double_eq_tol(differ_signed_rank(down, 5, 0), 2.0 / 32, 1e-12);
    ck_assert_double_eq_tol(differ_signed_rank(one, 5, 0), 4.0 / 32, 1e-12);
    ck_assert_double_eq(differ_signed_rank(all, 0, 0), 1);
}
END_TEST

// Ties share their rank: 2, 2, -2 has W = 4 of ranks 2, 2, 2; W >= 4 in 4 of 8 cases.
START_TEST(ties_and_zeros)
{
    const double ties[] = {2, 2, -2}, zeros[] = {0, 0, 0}, some[] = {0, 1, 1, 1};
    ck_assert_double_eq_tol(differ_signed_rank(ties, 3, 0), 1, 1e-12);
    ck_assert_double_eq(differ_signed_rank(zeros, 3, 0), 1);
    ck_assert_double_eq_tol(differ_signed_rank(some, 4, 0), 2.0 / 8, 1e-12);
}
END_TEST

// Values beyond the margin on their side alone tell something.
START_TEST(margin)
{
    const double values[] = {1, 1.1, 1.2, 1.3, 1.4, 1.5};
    ck_assert_double_eq_tol(differ_signed_rank(values, 6, 0.9), 2.0 / 64, 1e-12);
    ck_assert_double_gt(differ_signed_rank(values, 6, 1.2), 0.3);
    ck_assert_double_eq(differ_signed_rank(values, 6, 2), 1);
}
END_TEST

START_TEST(many_values)
{
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = i % 2 ? i + 0.5 : -i;
    ck_assert_double_gt(differ_signed_rank(values, 100, 0), 0.3);
    for (int i = 0; i < 100; i++)
        values[i] = fabs(values[i]) + 1;
    ck_assert_double_lt(differ_signed_rank(values, 100, 0), 1e-12);
}
END_TEST

START_TEST(paired)
{
    const uint64_t a[] = {200, 210, 190, 205, 195, 201}, b[] = {100, 104, 96, 102, 97, 101};
    ck_assert_double_eq_tol(differ_paired(a, b, 6, 0), 2.0 / 64, 1e-12);
    ck_assert_double_eq(differ_paired(a, a, 6, 0), 1);
}
END_TEST

// 2 / 2^n <= 0.05 / pairs
START_TEST(rounds)
{
    ck_assert_uint_eq(differ_rounds(1, 0.95), 6);
    ck_assert_uint_eq(differ_rounds(44, 0.95), 11);
    ck_assert_uint_eq(differ_rounds(1000, 0.95), 16);
    ck_assert_uint_eq(differ_rounds(0, 0.95), 6);
}
END_TEST

// By hand: 0.01 <= 0.05/4, 0.013 <= 0.05/3, 0.03 > 0.05/2, so the last is not tested.
START_TEST(holm)
{
    const double p[] = {0.03, 0.01, 0.04, 0.013};
    bool apart[4];
    ck_assert(differ_holm(p, 4, 0.95, apart));
    ck_assert(!apart[0] && apart[1] && !apart[2] && apart[3]);
    ck_assert(differ_holm(p, 0, 0.95, apart));
}
END_TEST

// The table of Mann and Whitney: n1 = n2 = 5 at 5 % two-sided, critical value 2: the interval is
// from the third smallest of the 25 ratios to the third largest.
START_TEST(independent_ratio)
{
    const uint64_t a[] = {200, 400, 800, 1600, 3200}, b[] = {100, 100, 100, 100, 100};
    struct stats_ratio r;
    differ_ratio(a, 5, b, 5, 0.95, 0, &r);
    ck_assert(r.interval);
    ck_assert_double_eq_tol(r.ratio, 8, 1e-9);
    ck_assert_double_eq_tol(r.low, 2, 1e-9);
    ck_assert_double_eq_tol(r.high, 32, 1e-9);
    differ_ratio(a, 2, b, 2, 0.95, 0, &r);
    ck_assert(!r.interval);
    ck_assert_uint_eq(differ_samples(0.95), 4); // 2 in 70; 2 in 20 of three
    ck_assert_uint_eq(differ_samples(1 - 0.05 / 7), 6);
    differ_ratio(a, 0, b, 2, 0.95, 0, &r);
    ck_assert(isnan(r.ratio));
}
END_TEST

START_TEST(rank_sum)
{
    const uint64_t a[] = {10, 11, 12, 13, 14, 15, 16, 17}, b[] = {20, 21, 22, 23, 24, 25, 26, 27};
    ck_assert_double_lt(differ_rank_sum(a, 8, b, 8, 0), 0.001);
    ck_assert_double_eq(differ_rank_sum(a, 8, a, 8, 0), 1);
    ck_assert_double_eq(differ_rank_sum(a, 8, b, 8, log(3)), 1);
}
END_TEST

// Twenty pairs of equal kernels: no more than one family of twenty has a pair told apart.
// The slowest is left out, and then its siblings are compared without it; times by another clock are of no use.
START_TEST(devices)
{
    uint64_t times[5][9];
    struct differ_device list[5];
    static const uint64_t around[] = {1000, 1010, 1300, 1600, 5000};
    for (size_t d = 0; d < 5; d++) {
        for (uint64_t i = 0; i < 9; i++)
            times[d][i] = around[d] + i;
        list[d] = (struct differ_device){.samples = times[d], .count = 9, .by_host = d == 4};
    }
    ck_assert(differ_devices(list, 5, 0.95, 1, 0.1));
    ck_assert(!list[0].is_slow && !list[1].is_slow && list[2].is_slow && list[3].is_slow);
    ck_assert(list[1].compared && list[1].ratio.ratio < 1.02);
    ck_assert(!list[4].compared && !list[4].is_slow);
    for (size_t d = 0; d < 5; d++)
        list[d] = (struct differ_device){
            .samples = times[d], .count = d < 3 ? 9 : 0, .is_settled = d == 2};
    ck_assert(differ_devices(list, 5, 0.95, 1, 0.1));
    ck_assert(!list[2].compared && !list[2].is_slow && !list[3].compared);
    ck_assert(differ_devices(list, 5, 0.95, 1, INFINITY));
}
END_TEST

START_TEST(families_of_equal_pairs)
{
    enum { FAMILIES = 400, PAIRS = 20, ROUNDS = 12 };
    struct rng r;
    unsigned wrong = 0;
    rng_init(&r, 7, 0);
    for (int family = 0; family < FAMILIES; family++) {
        double p[PAIRS];
        bool apart[PAIRS], any = false;
        for (int pair = 0; pair < PAIRS; pair++) {
            double values[ROUNDS];
            for (int i = 0; i < ROUNDS; i++)
                values[i] = rng_unit(&r) + rng_unit(&r) - 1;
            p[pair] = differ_signed_rank(values, ROUNDS, 0);
        }
        ck_assert(differ_holm(p, PAIRS, 0.95, apart));
        for (int pair = 0; pair < PAIRS; pair++)
            any = any || apart[pair];
        wrong += any;
    }
    ck_assert_msg(wrong <= FAMILIES / 20 + 12, "%u of %d", wrong, FAMILIES);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("differ");
    TCase *t = tcase_create("differ");
    tcase_add_test(t, signed_rank_by_hand);
    tcase_add_test(t, ties_and_zeros);
    tcase_add_test(t, margin);
    tcase_add_test(t, many_values);
    tcase_add_test(t, paired);
    tcase_add_test(t, rounds);
    tcase_add_test(t, holm);
    tcase_add_test(t, independent_ratio);
    tcase_add_test(t, rank_sum);
    tcase_add_test(t, devices);
    tcase_add_test(t, families_of_equal_pairs);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
