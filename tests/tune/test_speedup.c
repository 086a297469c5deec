// The speed-up over the default, by the rounds that a tune drives: an evaluator without a device
// answers each turn with the time of a machine that drifts (../stats/noise.h).
#include "workflows/tie_break.h"
#include "campaign/final_ranking.h"

#include "../stats/noise.h"
#include "stats/speedup.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = 10, TURNS = 64 };

struct simulated {
    struct evaluator base;
    struct machine machine;
    double truth[TEN]; // ns, by ticket; the default is 0
    struct {
        uint64_t ticket;
        struct turn turn;
    } queue[TURNS];
    size_t first, count;
    double spent[TEN]; // ns of launches, warming up included
};

static bool again(struct evaluator *ev, uint64_t ticket, const struct turn *turn, struct error *e)
{
    struct simulated *s = (struct simulated *)ev;
    (void)e;
    ck_assert_uint_lt(s->count, TURNS);
    s->queue[(s->first + s->count) % TURNS].ticket = ticket;
    s->queue[(s->first + s->count++) % TURNS].turn = *turn;
    return true;
}

static int take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    struct simulated *s = (struct simulated *)ev;
    (void)timeout_ms;
    (void)e;
    ck_assert_uint_gt(s->count, 0);
    const struct turn turn = s->queue[s->first].turn;
    *out = (struct outcome){.ticket = s->queue[s->first].ticket, .result = result_new()};
    s->first = (s->first + 1) % TURNS;
    s->count--;
    ck_assert_ptr_nonnull(out->result);
    if (turn.launches > 0 && !turn.compare) {
        uint64_t ns = machine_launch(&s->machine, s->truth[out->ticket]);
        ck_assert_uint_eq(turn.batch, 1);
        out->result->samples_ns = arena_copy(&out->result->arena, &ns, sizeof ns);
        out->result->sample_count = 1;
        s->spent[out->ticket] += (double)(1 + turn.warmups) * (double)ns;
    }
    return 1;
}

static void hold(struct evaluator *ev, bool held)
{
    if (held) // a round begins
        machine_wander(&((struct simulated *)ev)->machine);
}

static const struct evaluator_operations operations = {.again = again, .take = take, .hold = hold};
static const struct device_info device = {.type = DEVICE_GPU, .timer_ns = 1};

struct tuned {
    struct simulated simulated;
    struct finalist finalists[TEN];
    size_t count;
    bool has_late;
    const struct finalist *base, *best; // the default, and what is chosen
    struct stats_ratio speedup;
    struct rounds_seeds seeds;
};

// By the least of two launches each, as after screening: those near to the fastest, and the
// default.
static void screen(struct tuned *t)
{
    struct simulated *s = &t->simulated;
    const struct measure_rules rules = measure_rules_default();
    uint64_t estimates[TEN], first[TEN], least = UINT64_MAX;
    for (uint64_t i = 0; i < TEN; i++) {
        machine_wander(&s->machine);
        uint64_t a = machine_launch(&s->machine, s->truth[i]);
        uint64_t b = machine_launch(&s->machine, s->truth[i]);
        first[i] = a;
        estimates[i] = a < b ? a : b;
        least = estimates[i] < least ? estimates[i] : least;
    }
    t->has_late = (double)estimates[0] > FINAL_RANKING_LATE * (double)least;
    for (uint64_t k = 1; k <= TEN; k++) { // the default last: a late one stands there
        uint64_t i = k % TEN;
        if (i == 0 || (double)estimates[i] <= rules.near * (double)least)
            t->finalists[t->count++] = (struct finalist){
                .ticket = i, .estimate_ns = estimates[i], .first_ns = i == 0 ? 0 : first[i]};
    }
    t->base = &t->finalists[t->count - 1];
}

static void choose(struct tuned *t)
{
    struct tie_candidate c[TEN];
    const struct finalist *of[TEN];
    char why[TIE_BREAK_WHY];
    const struct result unknown = {.resource_count = 0};
    size_t tied = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct finalist *k = &t->finalists[i];
        if (!k->placed || !k->entry.tied)
            continue;
        of[tied] = k;
        c[tied++] = (struct tie_candidate){
            .result = &unknown, .ratio = k->entry.ratio, .is_default = k == t->base};
    }
    t->best = of[tie_break(c, tied, measure_rules_default().alike, 0, why)];
    t->speedup = (struct stats_ratio){1, 1, 1, true};
    if (t->best != t->base && t->base->placed)
        speedup_ranked(&t->base->entry, &t->best->entry, &t->speedup);
}

// A machine with less noise than that drifts as little, as a card does.
#define QUIET 0.01

static void tune(struct tuned *t, const double *truth, double noise, uint64_t seed)
{
    struct error e = ERROR_INIT;
    const struct measure_rules rules = measure_rules_default();
    struct final_ranking_status status;
    memset(t, 0, sizeof *t);
    t->simulated.base.ops = &operations;
    t->simulated.machine = (struct machine){.noise = noise, .drift = 0.05, .outliers = 0.05};
    if (noise < QUIET)
        t->simulated.machine = (struct machine){.noise = noise, .drift = noise};
    rng_init(&t->simulated.machine.rng, 14, seed);
    memcpy(t->simulated.truth, truth, sizeof t->simulated.truth);
    screen(t);
    t->seeds = (struct rounds_seeds){seed, seed};
    struct final_ranking_options o = {.evaluator = &t->simulated.base,
                                      .rules = &rules,
                                      .device = &device,
                                      .seeds = t->seeds,
                                      .finalists = t->finalists,
                                      .count = t->count - t->has_late,
                                      .has_late = t->has_late};
    struct final_ranking *s = final_ranking_new(&o, &e);
    ck_assert_ptr_nonnull(s);
    while (final_ranking_step(s, 1000, &e) != WORKFLOW_END)
        ck_assert_int_eq(e.code, ERROR_NONE);
    final_ranking_status(s, &status);
    ck_assert(status.decided);
    final_ranking_free(s);
    choose(t);
}

// Of ten names of one kernel none is faster than the default, though the winner is the fastest of
// them by its times.
START_TEST(ten_names_of_one_kernel)
{
    enum { TUNES = 1000 };
    double truth[TEN];
    int held = 0, shown = 0;
    for (size_t i = 0; i < TEN; i++)
        truth[i] = 1e6;
    for (uint64_t seed = 0; seed < TUNES; seed++) {
        struct tuned t;
        tune(&t, truth, 0.03, seed);
        ck_assert(t.base->placed);
        held += t.speedup.low <= 1 && 1 <= t.speedup.high;
        shown += t.speedup.interval;
        ck_assert_msg(t.speedup.ratio >= 1, "tune %llu: %g", (unsigned long long)seed,
                      t.speedup.ratio);
        finalists_release(t.finalists, t.count);
    }
    printf("ten names: the interval contains 1 in %d of %d tunes\n", held, TUNES);
    ck_assert_int_ge(shown, TUNES - 1);
    ck_assert_msg(held >= 930, "%d of %d", held, TUNES);
}
END_TEST

// Five times slower: launched after the others, for a tenth of the time, and its interval holds the
// truth.
START_TEST(a_default_many_times_slower)
{
    enum { TUNES = 200 };
    double truth[TEN];
    int held = 0, told = 0;
    for (size_t i = 0; i < TEN; i++)
        truth[i] = i == 0 ? 5e7 : 1e7;
    for (uint64_t seed = 0; seed < TUNES; seed++) {
        struct tuned t;
        double all = 0;
        tune(&t, truth, 0.03, seed);
        ck_assert(t.has_late && t.base->placed);
        ck_assert_uint_gt(t.base->first_round, 0);
        ck_assert_uint_ge(t.base->count, SPEEDUP_ROUNDS);
        ck_assert_uint_le(t.base->count, FINAL_RANKING_LATE_ROUNDS);
        for (size_t i = 0; i < TEN; i++)
            all += t.simulated.spent[i];
        // Its launches are estimated before they are made; some are disturbed.
        ck_assert_double_le(t.simulated.spent[0], 0.15 * all);
        held += t.speedup.low <= 5 && 5 <= t.speedup.high;
        told += t.speedup.low > 1;
        finalists_release(t.finalists, t.count);
    }
    printf("five times slower: the interval contains 5 in %d, lies above 1 in %d of %d tunes\n",
           held, told, TUNES);
    ck_assert_msg(held * 100 >= TUNES * 93, "%d of %d", held, TUNES);
    ck_assert_msg(told * 100 >= TUNES * 97, "%d of %d", told, TUNES);
}
END_TEST

// Where three launches would take longer than a tenth of the ranking there are none.
START_TEST(a_default_that_takes_too_long)
{
    double truth[TEN];
    struct tuned t;
    for (size_t i = 0; i < TEN; i++)
        truth[i] = i == 0 ? 1e9 : 1e6;
    tune(&t, truth, 0.03, 1);
    ck_assert(t.has_late && !t.base->placed);
    ck_assert_uint_eq(t.base->count, 0);
    ck_assert_double_eq(t.simulated.spent[0], 0);
    finalists_release(t.finalists, t.count);
}
END_TEST

// Decides again from the samples: the same, wherever the late one stands.
static void check_again(const struct tuned *t)
{
    const struct measure_rules rules = measure_rules_default();
    struct finalist again_of[TEN];
    size_t winner;
    bool whole;
    again_of[0] = t->finalists[t->count - 1];
    memcpy(again_of + 1, t->finalists, (t->count - 1) * sizeof *again_of);
    for (size_t i = 0; i < t->count; i++)
        again_of[i].first_ns = 0; // not kept
    ck_assert(final_ranking_again(again_of, t->count, &rules, t->seeds.decision, 1, false, &winner,
                                  &whole));
    ck_assert(whole);
    ck_assert_uint_eq(again_of[winner].entry.place, 0);
    for (size_t i = 0; i < t->count; i++) {
        const struct ranking_entry *now = &again_of[(i + 1) % t->count].entry,
                                   *then = &t->finalists[i].entry;
        ck_assert_uint_eq(now->place, then->place);
        ck_assert_int_eq(now->tied, then->tied);
        ck_assert_double_eq(now->ratio, then->ratio);
        ck_assert_double_eq(now->ratio_low, then->ratio_low);
        ck_assert_double_eq(now->ratio_high, then->ratio_high);
    }
    if (!t->has_late)
        return;
    // Alone, as where the others are no part of the space: placed, and no whole ranking.
    ck_assert_uint_gt(again_of[0].first_round, 0);
    ck_assert(
        final_ranking_again(again_of, 1, &rules, t->seeds.decision, 1, false, &winner, &whole));
    ck_assert(!whole && winner == 0 && again_of[0].placed);
}

START_TEST(decided_again_it_is_the_same)
{
    double truth[TEN];
    for (size_t i = 0; i < TEN; i++)
        truth[i] = i == 0 ? 5e7 : 1e7 + 1e6 * (double)(i / 4);
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct tuned t;
        tune(&t, truth, 0.03, seed);
        check_again(&t);
        finalists_release(t.finalists, t.count);
    }
}
END_TEST

// On a quiet card those that are far behind leave after one round, the default after three, and what is left
// is decided again from that.
START_TEST(who_is_far_behind_is_launched_once)
{
    double truth[TEN];
    for (size_t i = 0; i < TEN;
         i++) // finalists 1 and 2 are the fastest, the default is 40 % behind
        truth[i] = i == 0 ? 1.4e7 : i < 3 ? 1e7 : 1.15e7 + 2e5 * (double)i;
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct tuned t;
        size_t once = 0;
        tune(&t, truth, 0.001, seed);
        for (size_t i = 0; i + 1 < t.count; i++) {
            once += t.finalists[i].count == 1;
            ck_assert_int_eq(t.finalists[i].entry.tied, t.finalists[i].ticket < 3);
            ck_assert_uint_eq(t.finalists[i].warmups, 0); // 10 ms on a card
        }
        ck_assert_uint_eq(once, 7);
        ck_assert_uint_eq(t.base->count, SPEEDUP_ROUNDS);
        ck_assert(t.speedup.low > 1.39 && t.speedup.high < 1.41);
        check_again(&t);
        finalists_release(t.finalists, t.count);
    }
}
END_TEST

// Of a part of those that were ranked each is judged by all that it was launched for: with fewer finalists one would have
// left sooner, and what it was launched for after that counts all the same.
START_TEST(a_part_of_them_keeps_all_samples)
{
    double truth[TEN];
    for (size_t i = 0; i < TEN; i++)
        truth[i] = i == 0 ? 1.6e7 : 1e7;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct measure_rules rules = measure_rules_default();
        struct finalist part[2];
        struct stats_summary all;
        struct tuned t;
        size_t winner;
        tune(&t, truth, 0.2, seed);
        part[0] = *t.base;
        part[1] = t.finalists[seed % (t.count - 1)];
        ck_assert(final_ranking_again(part, 2, &rules, t.seeds.decision, 1, false, &winner, NULL));
        for (size_t i = 0; i < 2; i++) {
            stats_summarise(part[i].samples, part[i].count, 0, &all);
            ck_assert_msg(part[i].entry.median == all.median,
                          "seed %llu, finalist %zu of %u samples: %g, not %g",
                          (unsigned long long)seed, i, part[i].count, part[i].entry.median,
                          all.median);
        }
        finalists_release(t.finalists, t.count);
    }
}
END_TEST

START_TEST(known_answers)
{
    const uint64_t slow[] = {2000, 2000, 2000, 4000}, fast[] = {1000, 1000, 1000, 1000};
    struct stats_ratio r;
    speedup_paired(slow, fast, 3, 0.95, 1, &r);
    ck_assert_double_eq_tol(r.ratio, 2, 1e-9);
    ck_assert(r.interval);
    ck_assert_double_eq_tol(r.high - r.low, 0.001, 1e-9); // the timer's
    speedup_paired(slow + 2, fast, 2, 0.95, 1, &r);
    ck_assert(!r.interval);
    ck_assert_double_eq_tol(r.low, 2, 1e-9);
    ck_assert_double_eq_tol(r.high, 4, 1e-9);
    speedup_paired(slow + 1, fast, 3, 0.95, 0, &r);
    ck_assert_double_eq_tol(r.ratio, 2 * pow(2, 1.0 / 3), 1e-9);
    // t = 4.3027 with two degrees of freedom, a standard error of log(2) / 3
    ck_assert_double_eq_tol(r.low, r.ratio * exp(-4.30265273 * log(2) / 3), 1e-6);
    struct ranking_entry base = {.ratio = 1.02,
                                 .ratio_low = 1.003,
                                 .ratio_high = 1.04,
                                 .tied = true,
                                 .ratio_interval = true};
    struct ranking_entry best = {
        .ratio = 1.004, .ratio_low = 1, .ratio_high = 1.02, .tied = true, .place = 1};
    speedup_ranked(&base, &best, &r);
    ck_assert_double_eq_tol(r.ratio, 1.02 / 1.004, 1e-12);
    ck_assert(r.low <= 1 && r.high > 1);
    ck_assert(!r.interval); // one of them has none
}
END_TEST

// The winner, two behind it, and a default that was launched late.
START_TEST(any_two_of_a_ranking_compare)
{
    const struct ranking_entry winner = {.ratio = 1, .ratio_low = 1, .ratio_high = 1, .tied = true},
                               near = {.ratio = 1.1,
                                       .ratio_low = 1.05,
                                       .ratio_high = 1.2,
                                       .place = 1,
                                       .ratio_interval = true},
                               far = {.ratio = 2.2,
                                      .ratio_low = 2,
                                      .ratio_high = 2.3,
                                      .place = 2,
                                      .ratio_interval = true};
    const uint64_t times[] = {1000, 1010, 1020};
    struct stats_ratio r;
    speedup_ranked(&near, &winner, &r);
    ck_assert(r.interval && r.ratio == 1.1);
    ck_assert_double_eq_tol(r.low, 1.05, 1e-12);
    ck_assert_double_eq_tol(r.high, 1.2, 1e-12);
    speedup_ranked(&winner, &near, &r); // the other way round: the default was the faster one
    ck_assert(r.interval);
    ck_assert_double_eq_tol(r.ratio, 1 / 1.1, 1e-12);
    ck_assert_double_eq_tol(r.low, 1 / 1.2, 1e-12);
    ck_assert_double_eq_tol(r.high, 1 / 1.05, 1e-12);
    speedup_ranked(&far, &near, &r); // the wider of both
    ck_assert(r.interval);
    ck_assert_double_eq_tol(r.ratio, 2, 1e-12);
    ck_assert_double_eq_tol(r.low, 2 / 1.1, 1e-12);
    ck_assert_double_eq_tol(r.high, 2 * 1.1 / 1.05, 1e-12);
    speedup_of_finalists(&(struct speedup_side){&far, times, 3},
                         &(struct speedup_side){&near, times, 3}, true, 0.95, 1, &r);
    ck_assert_double_eq_tol(r.low, 2 / 1.2, 1e-12);
    ck_assert_double_eq_tol(r.high, 2.3 / 1.05, 1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("speedup");
    TCase *tests = tcase_create("speedup");
    tcase_set_timeout(tests, 200);
    tcase_add_test(tests, known_answers);
    tcase_add_test(tests, any_two_of_a_ranking_compare);
    tcase_add_test(tests, ten_names_of_one_kernel);
    tcase_add_test(tests, a_default_many_times_slower);
    tcase_add_test(tests, a_default_that_takes_too_long);
    tcase_add_test(tests, decided_again_it_is_the_same);
    tcase_add_test(tests, who_is_far_behind_is_launched_once);
    tcase_add_test(tests, a_part_of_them_keeps_all_samples);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
