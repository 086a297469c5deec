// The rounds of a ranking, step by step.
#include "stats/rounds.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

static struct measure_rules rules;

static void set_rules(void)
{
    rules = measure_rules_default();
    rules.rounds = 16;
    rules.looks = 2;
    rules.early = 3;
    rules.behind = 1.1;
    rules.disturbed = 1.3;
    rules.repeats = 2;
    rules.load = 0.2;
    rules.precision = 0;
    rules.level = 0.95;
}

static struct rounds *start(const uint64_t *screening, size_t count)
{
    struct rounds *r = rounds_new(&rules, screening, count, 1, (struct rounds_seeds){42, 42}, 1);
    ck_assert_ptr_nonnull(r);
    return r;
}

// One round in which each finalist takes its time times `factor`, with a jitter of up to 1 %.
static enum rounds_verdict round_of(struct rounds *r, const uint64_t *truth, double factor,
                                    double load)
{
    uint64_t times[MOST + 1];
    size_t count;
    const size_t *order = rounds_next(r, 0, &count);
    uint32_t kept = rounds_account(r).kept;
    for (size_t i = 0; i < count; i++) {
        uint64_t jitter = i == 0 ? 0 : (order[i] * 7 + kept * 5 + order[i] * kept * 3) % 11;
        times[i] = (uint64_t)((double)(truth[order[i]] + truth[order[i]] * jitter / 1000) * factor);
    }
    return rounds_tell(r, 0, times, load);
}

static const uint64_t five[] = {1020, 1000, 1010, 1500, 1030};

START_TEST(a_round_has_the_reference_and_everyone_once)
{
    struct rounds *r = start(five, 5);
    size_t count, seen[5] = {0};
    const size_t *order = rounds_next(r, 0, &count);
    ck_assert_uint_eq(count, 6);
    ck_assert_uint_eq(order[0], 1); // the fastest by screening
    for (size_t i = 1; i < count; i++)
        seen[order[i]]++;
    for (size_t c = 0; c < 5; c++)
        ck_assert_uint_eq(seen[c], 1);
    size_t again;
    ck_assert_ptr_eq(rounds_next(r, 0, &again), order);
    ck_assert_uint_eq(again, 6);
    rounds_free(r);
}
END_TEST

// Each place of the round is everybody's about as often: 5 finalists in 1,000 orders, 200 each
// with a standard deviation of 12.6.
START_TEST(orders_are_shuffled)
{
    rules.rounds = 1000;
    rules.early = 1000;
    rules.looks = 1;
    struct rounds *r = start(five, 5);
    unsigned places[5][5] = {{0}};
    uint64_t times[6] = {1000, 1000, 1000, 1000, 1000, 1000};
    for (int i = 0; i < 999; i++) {
        size_t count;
        const size_t *order = rounds_next(r, 0, &count);
        for (size_t k = 1; k < count; k++)
            places[order[k]][k - 1]++;
        ck_assert_int_eq(rounds_tell(r, 0, times, -1), ROUNDS_KEPT);
    }
    for (size_t i = 0; i < 25; i++) {
        ck_assert_uint_gt(places[i / 5][i % 5], 150);
        ck_assert_uint_lt(places[i / 5][i % 5], 250);
    }
    rounds_free(r);
}
END_TEST

START_TEST(same_seed_same_orders)
{
    struct rounds *a = start(five, 5), *b = start(five, 5);
    for (int i = 0; i < 3; i++) {
        size_t count;
        const size_t *x = rounds_next(a, 0, &count), *y = rounds_next(b, 0, &count);
        ck_assert_mem_eq(x, y, count * sizeof *x);
        round_of(a, five, 1, -1);
        round_of(b, five, 1, -1);
    }
    rounds_free(a);
    rounds_free(b);
}
END_TEST

START_TEST(a_disturbed_round_is_repeated_then_marked)
{
    struct rounds *r = start(five, 5);
    uint32_t count;
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(round_of(r, five, 1, -1), ROUNDS_KEPT);
    ck_assert_int_eq(round_of(r, five, 1.29, -1), ROUNDS_KEPT);
    ck_assert_int_eq(round_of(r, five, 1.4, -1), ROUNDS_REPEATED);
    rounds_samples(r, 1, &count);
    ck_assert_uint_eq(count, 3); // nothing of it is kept
    ck_assert_int_eq(round_of(r, five, 1.7, -1), ROUNDS_REPEATED);
    ck_assert_int_eq(round_of(r, five, 1.8, -1), ROUNDS_MARKED);
    rounds_samples(r, 1, &count);
    ck_assert_uint_eq(count, 4);
    struct rounds_account a = rounds_account(r);
    ck_assert_uint_eq(a.kept, 4);
    ck_assert_uint_eq(a.repeated, 2);
    ck_assert_uint_eq(a.marked, 1);
    rounds_free(r);
}
END_TEST

// Rounds are not repeated again and again on a machine that stays busy.
START_TEST(a_machine_that_stays_busy)
{
    struct rounds *r = start(five, 5);
    ck_assert_int_eq(round_of(r, five, 1, 0.9), ROUNDS_REPEATED);
    ck_assert_int_eq(round_of(r, five, 1, 0.9), ROUNDS_REPEATED);
    ck_assert_int_eq(round_of(r, five, 1, 0.9), ROUNDS_MARKED);
    ck_assert_int_eq(round_of(r, five, 1, 0.9), ROUNDS_MARKED);
    ck_assert_int_eq(round_of(r, five, 1, 0), ROUNDS_KEPT);
    ck_assert_int_eq(round_of(r, five, 1, 0.9), ROUNDS_REPEATED);
    ck_assert_uint_eq(rounds_account(r).marked, 2);
    ck_assert_uint_eq(rounds_account(r).repeated, 3);
    rounds_free(r);
}
END_TEST

// A machine that stays slower is as usual after a while.
START_TEST(a_lasting_change_becomes_the_usual)
{
    rules.rounds = 1000;
    rules.looks = 1;
    struct rounds *r = start(five, 5);
    for (int i = 0; i < 9; i++)
        round_of(r, five, 1, -1);
    for (int i = 0; i < 9; i++)
        round_of(r, five, 2, -1);
    ck_assert_int_eq(round_of(r, five, 2, -1), ROUNDS_KEPT);
    ck_assert_int_eq(round_of(r, five, 2.7, -1), ROUNDS_REPEATED);
    rounds_free(r);
}
END_TEST

START_TEST(load_disturbs_too)
{
    struct rounds *r = start(five, 5);
    ck_assert_int_eq(round_of(r, five, 1, 0.2), ROUNDS_KEPT);
    ck_assert_int_eq(round_of(r, five, 1, 0.21), ROUNDS_REPEATED);
    ck_assert_int_eq(round_of(r, five, 1, -1), ROUNDS_KEPT);
    rounds_free(r);
}
END_TEST

START_TEST(who_is_clearly_behind_leaves_early)
{
    struct rounds *r = start(five, 5);
    for (int i = 0; i < 2; i++)
        round_of(r, five, 1, -1);
    ck_assert_int_eq(rounds_standing(r, 3), ROUNDS_IN);
    round_of(r, five, 1, -1);
    ck_assert_int_eq(rounds_standing(r, 3), ROUNDS_LEFT);
    ck_assert_uint_eq(rounds_account(r).looks, 0);
    size_t turns, winner;
    rounds_next(r, 0, &turns);
    ck_assert_uint_eq(turns, 5);
    while (!rounds_done(r))
        round_of(r, five, 1, -1);
    struct ranking_entry e[5];
    uint32_t count;
    ck_assert(rounds_rank(r, e, &winner));
    rounds_samples(r, 3, &count);
    ck_assert_uint_eq(count, 3);
    ck_assert(!e[3].tied);
    ck_assert_double_gt(e[3].ratio_low, 1);
    ck_assert_uint_eq(e[3].place, 4);
    ck_assert_double_eq_tol(e[3].ratio, 1.5, 0.02);
    rounds_free(r);
}
END_TEST

// 20 % apart: all is told at the first look, after half the rounds.
START_TEST(told_apart_is_done)
{
    static const uint64_t far[] = {1000, 1200, 1440};
    rules.early = 1000;
    struct rounds *r = start(far, 3);
    for (int i = 0; i < 8; i++) {
        ck_assert(!rounds_done(r));
        round_of(r, far, 1, -1);
    }
    ck_assert(rounds_done(r));
    ck_assert_uint_eq(rounds_account(r).looks, 1);
    rounds_free(r);
}
END_TEST

START_TEST(precise_enough_is_done)
{
    static const uint64_t equal[] = {1000000, 1000000, 1000000};
    rules.precision = 0.05;
    struct rounds *r = start(equal, 3);
    while (!rounds_done(r))
        round_of(r, equal, 1, -1);
    ck_assert_uint_eq(rounds_account(r).kept, 8);
    rounds_free(r);
    rules.precision = 1e-6;
    r = start(equal, 3);
    while (!rounds_done(r))
        round_of(r, equal, 1, -1);
    ck_assert_uint_eq(rounds_account(r).kept, 16);
    ck_assert_uint_eq(rounds_account(r).looks, 2);
    rounds_free(r);
}
END_TEST

START_TEST(one_that_fails_has_no_place)
{
    struct rounds *r = start(five, 5);
    round_of(r, five, 1, -1);
    rounds_drop(r, 1);
    ck_assert_uint_eq(rounds_account(r).reference, 2); // the next fastest
    while (!rounds_done(r))
        round_of(r, five, 1, -1);
    struct ranking_entry e[5];
    size_t winner;
    ck_assert(rounds_rank(r, e, &winner));
    ck_assert_uint_ne(winner, 1);
    ck_assert_uint_eq(e[1].place, 4);
    ck_assert(!e[1].tied);
    ck_assert_double_eq(e[1].ratio, 0);
    ck_assert_int_eq(rounds_standing(r, 1), ROUNDS_DROPPED);
    rounds_free(r);
}
END_TEST

// Dropped between the order and the times: its time is not read, nor the reference's where it was
// that.
START_TEST(one_that_fails_in_a_round)
{
    struct rounds *r = start(five, 5);
    uint64_t times[6] = {1, 1, 1, 1, 1, 1};
    size_t turns;
    uint32_t count;
    rounds_next(r, 0, &turns);
    rounds_drop(r, 1);
    times[0] = UINT64_MAX;
    ck_assert_int_eq(rounds_tell(r, 0, times, -1), ROUNDS_KEPT);
    rounds_samples(r, 1, &count);
    ck_assert_uint_eq(count, 0);
    rounds_samples(r, 0, &count);
    ck_assert_uint_eq(count, 1);
    rounds_free(r);
}
END_TEST

// By then the others had left: they are ranked all the same.
START_TEST(the_one_ahead_of_all_fails)
{
    static const uint64_t ahead[] = {1000, 100, 2000};
    struct rounds *r = start(ahead, 3);
    struct ranking_entry e[3];
    size_t winner = 9;
    while (!rounds_done(r))
        round_of(r, ahead, 1, -1);
    ck_assert_int_eq(rounds_standing(r, 0), ROUNDS_LEFT);
    rounds_drop(r, 1);
    ck_assert(rounds_rank(r, e, &winner));
    ck_assert_uint_eq(winner, 0);
    ck_assert_uint_eq(e[1].place, 2);
    rounds_free(r);
}
END_TEST

START_TEST(when_all_fail)
{
    struct rounds *r = start(five, 5);
    struct ranking_entry e[5];
    size_t turns, winner;
    for (size_t c = 0; c < 5; c++)
        rounds_drop(r, c);
    ck_assert(rounds_done(r));
    rounds_next(r, 0, &turns);
    ck_assert_uint_eq(turns, 0);
    ck_assert(!rounds_rank(r, e, &winner));
    rounds_free(r);
    rounds_free(NULL);
    ck_assert_ptr_null(rounds_new(&rules, five, 0, 1, (struct rounds_seeds){1, 1}, 1));
}
END_TEST

// One alone runs to the first look, so that its own median has an interval.
START_TEST(one_alone)
{
    struct rounds *r = start(five, 1);
    while (!rounds_done(r))
        round_of(r, five, 1, -1);
    ck_assert_uint_eq(rounds_account(r).kept, 8);
    struct ranking_entry e;
    size_t winner;
    ck_assert(rounds_rank(r, &e, &winner));
    ck_assert_uint_eq(winner, 0);
    ck_assert(e.tied && e.interval);
    rounds_free(r);
}
END_TEST

// Broken off between looks: there is an answer at every moment.
START_TEST(broken_off)
{
    struct rounds *r = start(five, 3);
    struct ranking_entry e[3];
    size_t winner;
    ck_assert(!rounds_rank(r, e, &winner));
    for (int i = 0; i < 10; i++) {
        round_of(r, five, 1, -1);
        ck_assert(rounds_rank(r, e, &winner));
        ck_assert_uint_eq(e[winner].place, 0);
    }
    rounds_free(r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rounds");
    TCase *tests = tcase_create("rounds");
    tcase_add_checked_fixture(tests, set_rules, NULL);
    tcase_add_test(tests, a_round_has_the_reference_and_everyone_once);
    tcase_add_test(tests, orders_are_shuffled);
    tcase_add_test(tests, same_seed_same_orders);
    tcase_add_test(tests, a_disturbed_round_is_repeated_then_marked);
    tcase_add_test(tests, a_machine_that_stays_busy);
    tcase_add_test(tests, a_lasting_change_becomes_the_usual);
    tcase_add_test(tests, load_disturbs_too);
    tcase_add_test(tests, who_is_clearly_behind_leaves_early);
    tcase_add_test(tests, told_apart_is_done);
    tcase_add_test(tests, precise_enough_is_done);
    tcase_add_test(tests, one_that_fails_has_no_place);
    tcase_add_test(tests, one_that_fails_in_a_round);
    tcase_add_test(tests, the_one_ahead_of_all_fails);
    tcase_add_test(tests, when_all_fail);
    tcase_add_test(tests, one_alone);
    tcase_add_test(tests, broken_off);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
