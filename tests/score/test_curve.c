// Known answers of the baseline and of the score: small spaces by hand, larger ones where a formula
// is known, and what must hold for any space: drawing at random scores 0 in the mean.
#include "workflows/score/score_curve.h"

#include "../base/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT 1e-12

static struct baseline baseline_of(const double *values, uint64_t correct, uint64_t count)
{
    struct baseline b;
    struct error e = ERROR_INIT;
    double copy[16];
    memcpy(copy, values, correct * sizeof *copy);
    ck_assert_msg(baseline_init(&b, copy, correct, count, &e), "%s", e.text);
    return b;
}

// Expected best of one draw 2, of two (1 + 1 + 2) / 3, of three 1. The budget is all three: two
// leave a third of the way.
START_TEST(three_values)
{
    const double values[] = {3, 1, 2};
    struct baseline b = baseline_of(values, 3, 3);
    ck_assert_double_eq(b.optimum, 1);
    ck_assert_double_eq(b.median, 2);
    ck_assert_double_eq(b.worst, 3);
    ck_assert_uint_eq(b.draws, 3);
    ck_assert_double_eq(b.gap[0], 2);
    ck_assert_double_eq_tol(b.gap[1], 1, EXACT);
    ck_assert_double_eq_tol(b.gap[2], 1.0 / 3, EXACT);
    ck_assert_double_eq(b.gap[3], 0);
    baseline_release(&b);
}
END_TEST

// 1, 3 and a failure: draws of one give 1, 3 and (nothing found) 3; of two 1, 1 and 3.
START_TEST(failures_find_nothing)
{
    const double values[] = {1, 3};
    struct baseline b = baseline_of(values, 2, 3);
    ck_assert_double_eq_tol(b.gap[1], 4.0 / 3, EXACT);
    ck_assert_double_eq_tol(b.gap[2], 2.0 / 3, EXACT);
    ck_assert_double_eq(b.gap[3], 0);
    baseline_release(&b);
}
END_TEST

// Of 1 .. n the expected least of k drawn is (n + 1) / (k + 1).
START_TEST(consecutive_numbers)
{
    enum { N = 999 };
    struct baseline b;
    struct error e = ERROR_INIT;
    double values[N];
    for (int i = 0; i < N; i++)
        values[i] = (i * 7) % N + 1; // in some order: 7 and 999 have no common divisor
    ck_assert(baseline_init(&b, values, N, N, &e));
    for (uint64_t k = 1; k <= b.draws; k++)
        ck_assert_double_eq_tol(b.gap[k], 1000.0 / (double)(k + 1) - 1, 1e-9);
    // The first k with 1000 / (k + 1) - 1 <= 0.05 * 499.
    ck_assert_uint_eq(b.draws, 38);
    baseline_release(&b);
}
END_TEST

// A large space: 10^6 values take a moment, and the sum of chances loses nothing.
START_TEST(a_million)
{
    enum { N = 1000000 };
    struct baseline b;
    struct error e = ERROR_INIT;
    double *values = calloc(N, sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (int i = 0; i < N; i++)
        values[i] = 1e6 + i;
    ck_assert(baseline_init(&b, values, N, N, &e));
    for (uint64_t k = 1; k <= b.draws; k++)
        ck_assert_double_eq_tol(b.gap[k] * (double)(k + 1) / (N + 1.0 - (double)(k + 1)), 1, 1e-9);
    baseline_release(&b);
    free(values);
}
END_TEST

START_TEST(nothing_to_look_for)
{
    struct baseline b;
    struct error e = ERROR_INIT;
    double same[] = {5, 5, 5};
    ck_assert(!baseline_init(&b, same, 0, 3, &e));
    ck_assert_str_eq(e.text, "no configuration has a correct result");
    error_clear(&e);
    ck_assert(!baseline_init(&b, same, 1, 3, &e));
    ck_assert_str_eq(e.text, "a single configuration is correct: there is nothing to search");
    error_clear(&e);
    ck_assert(!baseline_init(&b, same, 3, 3, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "equally good"));
    baseline_release(&b);
}
END_TEST

// ---- searches ----------------------------------------------------------------------------------

static double by_evaluations(const struct baseline *b, const double *values, size_t count)
{
    struct curve c;
    curve_by_evaluations(&c, b);
    for (size_t i = 0; i < count; i++) {
        curve_found(&c, values[i]);
        curve_pass(&c, 1);
    }
    return curve_score(&c);
}

static double by_time(const struct baseline *b, const double *values, const double *costs,
                      size_t count)
{
    struct curve c;
    curve_by_time(&c, b);
    for (size_t i = 0; i < count; i++) {
        curve_pass(&c, costs ? costs[i] : 1);
        curve_found(&c, values[i]);
    }
    return curve_score(&c);
}

// After three draws of three the baseline is sure of the optimum: two are left to be looked at.
START_TEST(scores_by_hand)
{
    const double values[] = {1, 2, 3}, up[] = {3, 2, 1}, middle[] = {2, 1, 3};
    struct baseline b = baseline_of(values, 3, 3);
    ck_assert_double_eq_tol(by_evaluations(&b, values, 3), 1, EXACT);
    ck_assert_double_eq_tol(by_evaluations(&b, values, 1), 1, EXACT); // it ended early
    ck_assert_double_eq_tol(by_evaluations(&b, up, 3), (-1 - 2) / 2.0, EXACT);
    ck_assert_double_eq_tol(by_evaluations(&b, middle, 3), (0 + 1) / 2.0, EXACT);
    // By time the first draw of the baseline has not ended before 1.
    ck_assert_double_eq_tol(by_time(&b, up, NULL, 3), (0 - 1 - 2) / 3.0, EXACT);
    ck_assert_double_eq_tol(by_time(&b, values, NULL, 3), (0 + 1 + 1) / 3.0, EXACT);
    baseline_release(&b);
}
END_TEST

START_TEST(costs_by_hand)
{
    const double values[] = {1, 2, 3}, half[] = {0.5, 1, 1}, late[] = {2.5, 1, 1};
    struct baseline b = baseline_of(values, 3, 3);
    ck_assert_double_eq_tol(by_time(&b, values, half, 3), (0.5 + 1 + 1) / 3, EXACT);
    // The worst value until 2.5: 0, then (2 - 3) / 1, then (4/3 - 3) / (1/3), half of the time.
    ck_assert_double_eq_tol(by_time(&b, values, late, 3), (0 - 1 - 5 * 0.5 + 0.5) / 3, EXACT);
    baseline_release(&b);
}
END_TEST

// A failure leaves the worst value, or what was best before.
START_TEST(failed_evaluations)
{
    const double values[] = {1, 2, 3}, failing[] = {NAN, 1}, found[] = {2, NAN};
    struct baseline b = baseline_of(values, 3, 4);
    const double r1 = (1 + 2 + 3 + 3) / 4.0, r2 = (3 * 1 + 2 * 2 + 3) / 6.0, r3 = (3 + 2) / 4.0;
    ck_assert_uint_eq(b.draws, 4);
    ck_assert_double_eq_tol(by_evaluations(&b, failing, 2), ((r1 - 3) / (r1 - 1) + 1 + 1) / 3,
                            EXACT);
    ck_assert_double_eq_tol(by_evaluations(&b, found, 2),
                            ((r1 - 2) / (r1 - 1) + (r2 - 2) / (r2 - 1) + (r3 - 2) / (r3 - 1)) / 3,
                            EXACT);
    baseline_release(&b);
}
END_TEST

struct orders {
    const struct baseline *b;
    double values[8];
    size_t count;
    double evaluations, time;
    uint64_t orders;
};

static void try_orders(struct orders *o, size_t from)
{
    if (from == o->count) {
        o->evaluations += by_evaluations(o->b, o->values, o->count);
        o->time += by_time(o->b, o->values, NULL, o->count);
        o->orders++;
    }
    for (size_t i = from; i < o->count; i++) {
        double first = o->values[from];
        o->values[from] = o->values[i];
        o->values[i] = first;
        try_orders(o, from + 1);
        o->values[i] = o->values[from];
        o->values[from] = first;
    }
}

// Every order of a space, failures among them, is one that random draws may take.
START_TEST(random_scores_nothing)
{
    struct orders o = {.values = {7, 2.5, NAN, 100, 2, NAN, 3, 3}, .count = 8};
    const double values[] = {7, 2.5, 100, 2, 3, 3};
    struct baseline b = baseline_of(values, 6, 8);
    o.b = &b;
    try_orders(&o, 0);
    ck_assert_uint_eq(o.orders, 40320);
    ck_assert_double_eq_tol(o.evaluations / 40320, 0, 1e-10);
    ck_assert_double_eq_tol(o.time / 40320, 0, 1e-10);
    baseline_release(&b);
}
END_TEST

// Values below 0 are those of an objective that is to be large.
START_TEST(negative_values)
{
    const double values[] = {-10, -4, -1}, order[] = {-4, -1, -10};
    struct baseline b = baseline_of(values, 3, 3);
    ck_assert_double_eq(b.optimum, -10);
    const double r1 = -5, r2 = (-10 * 2 - 4) / 3.0;
    ck_assert_double_eq_tol(by_evaluations(&b, order, 3),
                            ((r1 + 4) / (r1 + 10) + (r2 + 4) / (r2 + 10)) / 2, EXACT);
    baseline_release(&b);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, three_values);
    tcase_add_test(tests, failures_find_nothing);
    tcase_add_test(tests, consecutive_numbers);
    tcase_add_test(tests, a_million);
    tcase_add_test(tests, nothing_to_look_for);
    tcase_add_test(tests, scores_by_hand);
    tcase_add_test(tests, costs_by_hand);
    tcase_add_test(tests, failed_evaluations);
    tcase_add_test(tests, random_scores_nothing);
    tcase_add_test(tests, negative_values);
}

int main(void)
{
    return suite_run("curve", add);
}
