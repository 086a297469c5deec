// The ranking decision on known cases, and how often it is right.
#include "stats/ranking.h"
#include "noise.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 32 };

// Rounds of some finalists, and the decision on them.
struct sheet {
    uint64_t cells[MOST][64];
    const uint64_t *times[MOST];
    uint32_t counts[MOST];
    size_t finalists;
    struct ranking_terms terms;
    struct ranking_entry entries[MOST];
    size_t winner;
};

static void sheet_init(struct sheet *s, size_t finalists, uint32_t rounds)
{
    memset(s, 0, sizeof *s);
    s->finalists = finalists;
    s->terms = (struct ranking_terms){.level = 0.95, .looks = 1, .seed = 1, .resolution_ns = 1};
    for (size_t c = 0; c < finalists; c++) {
        s->times[c] = s->cells[c];
        s->counts[c] = rounds;
    }
}

static bool sheet_decide(struct sheet *s)
{
    struct ranking_times t = {s->times, s->counts, s->finalists};
    return ranking_decide(&t, &s->terms, s->entries, &s->winner);
}

static void sheet_fill(struct sheet *s, struct machine *m, const double *truth)
{
    for (size_t r = 0; r < 64; r++) {
        machine_wander(m);
        for (size_t c = 0; c < s->finalists; c++)
            s->cells[c][r] = machine_launch(m, 1e6 * truth[c]);
    }
}

// A small deterministic jitter, different for each finalist.
static uint64_t jitter(size_t c, size_t r)
{
    return (c * 7 + r * 5 + c * r * 3) % 11;
}

static size_t tied(const struct sheet *s)
{
    size_t count = 0;
    for (size_t c = 0; c < s->finalists; c++)
        count += s->entries[c].tied;
    return count;
}

// What holds of every decision.
static void check_consistent(const struct sheet *s)
{
    bool places[MOST] = {false};
    ck_assert(s->entries[s->winner].tied);
    ck_assert_uint_eq(s->entries[s->winner].place, 0);
    ck_assert_double_eq(s->entries[s->winner].ratio, 1);
    for (size_t c = 0; c < s->finalists; c++) {
        const struct ranking_entry *e = &s->entries[c];
        ck_assert_uint_lt(e->place, s->finalists);
        ck_assert(!places[e->place]);
        places[e->place] = true;
        ck_assert(e->ratio_low <= e->ratio && e->ratio <= e->ratio_high);
        ck_assert(isfinite(e->ratio_low) && isfinite(e->ratio_high));
        ck_assert_int_eq(e->tied, e->ratio_low <= 1 && 1 <= e->ratio_high);
    }
}

// ---- known cases
// ---------------------------------------------------------------------------------

START_TEST(three_far_apart)
{
    struct sheet s;
    sheet_init(&s, 3, 12);
    for (size_t r = 0; r < 12; r++) { // the state of the machine doubles meanwhile
        for (size_t c = 0; c < 3; c++)
            s.cells[c][r] = (10000 + 2000 * ((c + 1) % 3) + jitter(c, r)) * (12 + r) / 12;
    }
    ck_assert(sheet_decide(&s));
    check_consistent(&s);
    ck_assert_uint_eq(s.winner, 2);
    ck_assert_uint_eq(tied(&s), 1);
    ck_assert_double_eq_tol(s.entries[0].ratio, 1.2, 0.001);
    ck_assert_double_eq_tol(s.entries[1].ratio, 1.4, 0.001);
    ck_assert_uint_eq(s.entries[0].place, 1);
    ck_assert(s.entries[0].ratio_interval);
    ck_assert_double_gt(s.entries[0].ratio_low, 1.19);
    ck_assert_double_lt(s.entries[0].ratio_high, 1.21);
    // Its own samples tell nothing of that: their intervals overlap.
    ck_assert_double_gt(s.entries[2].high, s.entries[0].low);
    ck_assert_double_eq_tol(s.entries[2].median, 10000 * 17.5 / 12, 12);
}
END_TEST

START_TEST(one_finalist)
{
    struct sheet s;
    sheet_init(&s, 1, 6);
    for (size_t r = 0; r < 6; r++)
        s.cells[0][r] = 100 * (r + 1);
    ck_assert(sheet_decide(&s));
    check_consistent(&s);
    ck_assert_double_eq(s.entries[0].median, 350);
    ck_assert_double_eq(s.entries[0].low, 100);
    ck_assert_double_eq(s.entries[0].high, 600);
    ck_assert(s.entries[0].interval);
}
END_TEST

// Rounds in which two finalists lie by a factor of two apart: 5 are no decision at 95 %, because
// labels exchanged at random look like that in 2 of 32; 6 are (2 of 64).
START_TEST(rounds_that_two_need)
{
    struct sheet s;
    sheet_init(&s, 2, (uint32_t)_i);
    for (size_t r = 0; r < (size_t)_i; r++) {
        s.cells[0][r] = 1000 + r;
        s.cells[1][r] = 2000 + 3 * r;
    }
    ck_assert(sheet_decide(&s));
    check_consistent(&s);
    ck_assert_uint_eq(s.winner, 0);
    ck_assert_int_eq(s.entries[1].tied, _i < 6);
    ck_assert_int_eq(s.entries[1].ratio_interval, _i >= 6);
    ck_assert_double_eq_tol(s.entries[1].ratio, 2, 0.01);
}
END_TEST

START_TEST(equal_samples_tie)
{
    struct sheet s;
    sheet_init(&s, 5, 20);
    for (size_t c = 0; c < 5; c++) {
        for (size_t r = 0; r < 20; r++)
            s.cells[c][r] = 5000;
    }
    ck_assert(sheet_decide(&s));
    check_consistent(&s);
    ck_assert_uint_eq(tied(&s), 5);
    ck_assert_uint_eq(s.winner, 0); // the first of equals
}
END_TEST

// 1 % apart without any noise, but the timer sees steps of 2 %.
START_TEST(nothing_is_told_finer_than_the_timer)
{
    struct sheet s;
    sheet_init(&s, 2, 20);
    for (size_t r = 0; r < 20; r++) {
        s.cells[0][r] = 10000;
        s.cells[1][r] = 10100;
    }
    s.terms.resolution_ns = 50;
    ck_assert(sheet_decide(&s));
    check_consistent(&s);
    ck_assert_uint_eq(tied(&s), 1);
    ck_assert_double_ge(s.entries[1].ratio_high - s.entries[1].ratio_low, 0.005 - 1e-9);
    s.terms.resolution_ns = 200;
    ck_assert(sheet_decide(&s));
    check_consistent(&s);
    ck_assert_uint_eq(tied(&s), 2);
    ck_assert_double_ge(s.entries[1].ratio_high - s.entries[1].ratio_low, 0.02 - 1e-9);
}
END_TEST

START_TEST(times_of_zero)
{
    struct sheet s;
    sheet_init(&s, 2, 20);
    s.terms.resolution_ns = 1000;
    for (size_t r = 0; r < 20; r++)
        s.cells[1][r] = r % 2 ? 1000 : 0;
    ck_assert(sheet_decide(&s));
    check_consistent(&s);
    ck_assert_uint_eq(tied(&s), 2);
}
END_TEST

START_TEST(nothing_to_decide)
{
    struct sheet s;
    sheet_init(&s, 0, 3);
    ck_assert(!sheet_decide(&s));
    sheet_init(&s, 2, 3);
    s.counts[1] = 0;
    ck_assert(!sheet_decide(&s));
    const bool all[] = {true, true};
    sheet_init(&s, 2, 3);
    s.terms.apart = all;
    ck_assert(!sheet_decide(&s));
}
END_TEST

// One that left after 4 of 20 rounds is compared on those four: the machine was twice as fast then.
START_TEST(leavers_are_compared_on_shared_rounds)
{
    struct sheet s;
    sheet_init(&s, 6, 20);
    for (size_t c = 0; c < 6; c++) {
        for (size_t r = 0; r < 20; r++)
            s.cells[c][r] = (r < 4 ? 1 : 2) * (c == 5 ? 13000 : 10000) + jitter(c, r);
    }
    s.counts[5] = 4;
    ck_assert(sheet_decide(&s));
    check_consistent(&s);
    ck_assert_uint_ne(s.winner, 5); // though its median is the smallest by far
    ck_assert_double_lt(s.entries[5].median, s.entries[s.winner].median);
    ck_assert_double_eq_tol(s.entries[5].ratio, 1.3, 0.01);
    ck_assert(!s.entries[5].tied);
    ck_assert_uint_eq(s.entries[5].place, 5);
    ck_assert_uint_eq(tied(&s), 5);
}
END_TEST

// What was told apart earlier stays so, though these two rounds could not tell.
START_TEST(told_apart_earlier)
{
    static const bool apart[] = {false, false, true};
    struct sheet s;
    sheet_init(&s, 3, 10);
    for (size_t c = 0; c < 3; c++) {
        for (size_t r = 0; r < 10; r++)
            s.cells[c][r] = (c == 2 ? 13000 : 10000) + jitter(c, r);
    }
    s.counts[2] = 2;
    ck_assert(sheet_decide(&s));
    ck_assert(s.entries[2].tied);
    s.terms.apart = apart;
    ck_assert(sheet_decide(&s));
    check_consistent(&s);
    ck_assert(!s.entries[2].tied);
}
END_TEST

START_TEST(same_seed_same_answer)
{
    static const double truth[MOST] = {1, 1.01, 1.02, 1.03, 1.04};
    struct sheet a, b;
    struct machine m = {.noise = 0.03, .drift = 0.05, .outliers = 0.05};
    rng_init(&m.rng, 3, 0);
    sheet_init(&a, 5, 20);
    sheet_fill(&a, &m, truth);
    sheet_init(&b, 5, 20);
    memcpy(b.cells, a.cells, sizeof a.cells);
    ck_assert(sheet_decide(&a) && sheet_decide(&b));
    ck_assert_mem_eq(a.entries, b.entries, 5 * sizeof *a.entries);
}
END_TEST

// In two rounds nobody is clear; then who was behind in each.
START_TEST(clearly_behind)
{
    struct sheet s;
    bool clear[6];
    sheet_init(&s, 6, 3);
    for (size_t r = 0; r < 3; r++) {
        for (size_t c = 0; c < 4; c++)
            s.cells[c][r] = 10000 + jitter(c, r);
        s.cells[4][r] = r == 1 ? 10001 : 13000; // slow but once
        s.cells[5][r] = 12000 + jitter(5, r);
    }
    struct ranking_times t = {s.times, s.counts, 6};
    ck_assert(ranking_clear(&t, NULL, 1.05, clear));
    for (size_t c = 0; c < 5; c++)
        ck_assert(!clear[c]);
    ck_assert(clear[5]);
    ck_assert(ranking_clear(&t, NULL, 1.25, clear));
    ck_assert(!clear[5]);
    for (size_t c = 0; c < 6; c++)
        s.counts[c] = 2;
    ck_assert(ranking_clear(&t, NULL, 1.05, clear));
    ck_assert(!clear[5]);
}
END_TEST

// ---- how often it is right
// -----------------------------------------------------------------------

// Rankings of kernels that are all equal; in how many all tie.
static int all_tie(size_t finalists, uint32_t rounds, int rankings)
{
    double truth[MOST];
    for (size_t c = 0; c < MOST; c++)
        truth[c] = 1;
    int held = 0;
    for (int i = 0; i < rankings; i++) {
        struct sheet s;
        struct machine m = {.noise = 0.03, .drift = 0.05, .outliers = 0.05};
        rng_init(&m.rng, 99, (uint64_t)i);
        sheet_init(&s, finalists, rounds);
        s.terms.seed = (uint64_t)i;
        s.terms.permutations = 500;
        sheet_fill(&s, &m, truth);
        ck_assert(sheet_decide(&s));
        check_consistent(&s);
        held += tied(&s) == finalists;
    }
    return held;
}

static const struct {
    size_t finalists;
    uint32_t rounds;
} sizes[] = {{2, 7}, {2, 28}, {3, 8}, {10, 3}, {10, 8}, {10, 28}};

// 1,000 rankings: 936 are 2 standard deviations below 95 %.
START_TEST(equal_kernels_tie)
{
    int held = all_tie(sizes[_i].finalists, sizes[_i].rounds, 1000);
    printf("%zu equal, %u rounds: %.2f %% tie\n", sizes[_i].finalists, sizes[_i].rounds,
           held / 10.0);
    ck_assert_msg(held >= 936, "%d of 1000", held);
}
END_TEST

struct spread {
    const char *what;
    size_t finalists;
    double truth[6], noise[6];
    size_t best; // so many of them are equally good
    int least;   // of 1,000 decisions that must be right; 940 is 95 % less 1.5 standard deviations
};

static const struct spread spreads[] = {
    {"two clusters", 6, {1, 1, 1, 1.06, 1.06, 1.06}, {0.02, 0.02, 0.02, 0.02, 0.02, 0.02}, 3, 940},
    {"steps of 2 %", 5, {1, 1.02, 1.04, 1.06, 1.08}, {0.02, 0.02, 0.02, 0.02, 0.02}, 1, 940},
    {"equal, one scatters", 6, {1, 1, 1, 1, 1, 1}, {0.08, 0.02, 0.02, 0.02, 0.02, 0.02}, 6, 880},
    {"equal, one is quiet", 6, {1, 1, 1, 1, 1, 1}, {0.005, 0.03, 0.03, 0.03, 0.03, 0.03}, 6, 930},
};

static void spread_fill(struct sheet *s, struct machine *m, const struct spread *x)
{
    for (size_t r = 0; r < 28; r++) {
        machine_wander(m);
        for (size_t c = 0; c < x->finalists; c++) {
            m->noise = x->noise[c];
            s->cells[c][r] = machine_launch(m, 1e6 * x->truth[c]);
        }
    }
}

// Do all intervals hold the true ratio to the winner?
static bool intervals_hold(const struct sheet *s, const struct spread *x)
{
    for (size_t c = 0; c < x->finalists; c++) {
        double truth = x->truth[c] / x->truth[s->winner];
        const struct ranking_entry *e = &s->entries[c];
        if (c != s->winner && !(e->ratio_low <= truth && truth <= e->ratio_high))
            return false;
    }
    return true;
}

// The best tie with each other and one of them wins in 95 % of the rankings, all intervals together
// hold in as many, and clusters 6 % apart are separated. Labels of kernels whose noise differs
// cannot be exchanged quite: where one scatters four times as much as the others, about 90 %.
START_TEST(decisions_on_spreads)
{
    enum { RANKINGS = 1000 };
    const struct spread *x = &spreads[_i];
    int right = 0, held = 0, separated = 0;
    for (int i = 0; i < RANKINGS; i++) {
        struct sheet s;
        struct machine m = {.drift = 0.05, .outliers = 0.05};
        rng_init(&m.rng, 5, (uint64_t)_i * RANKINGS + (uint64_t)i);
        sheet_init(&s, x->finalists, 28);
        s.terms.seed = (uint64_t)i;
        s.terms.permutations = 500;
        spread_fill(&s, &m, x);
        ck_assert(sheet_decide(&s));
        check_consistent(&s);
        bool all = s.winner < x->best;
        for (size_t c = 0; c < x->best; c++)
            all = all && s.entries[c].tied;
        right += all;
        held += intervals_hold(&s, x);
        separated += all && tied(&s) == x->best;
    }
    printf("%s: the best tie %.1f %%, intervals hold %.1f %%, separated %.1f %%\n", x->what,
           right / 10.0, held / 10.0, separated / 10.0);
    ck_assert_msg(right >= x->least, "%s: %d", x->what, right);
    ck_assert_msg(held >= x->least, "%s: %d", x->what, held);
    ck_assert_msg(_i > 0 || separated >= 900, "%s: %d", x->what, separated);
}
END_TEST

static double decide_ms(size_t finalists, uint32_t rounds, bool apart)
{
    struct sheet s;
    struct machine m = {.noise = 0.02, .drift = 0.05, .outliers = 0.05};
    double truth[MOST];
    struct timespec a, b;
    rng_init(&m.rng, 1, 1);
    for (size_t c = 0; c < MOST; c++)
        truth[c] = apart ? 1 + 0.1 * (double)c : 1;
    sheet_init(&s, finalists, rounds);
    s.terms.permutations = 1000;
    sheet_fill(&s, &m, truth);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    ck_assert(sheet_decide(&s));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    return 1e3 * (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_nsec - a.tv_nsec);
}

// Told, and held against ten times what is usual: a sanitizer build on a busy machine passes.
START_TEST(a_decision_takes_milliseconds)
{
    double small = decide_ms(3, 6, true), large = decide_ms(32, 24, true);
    printf("3 x 6: %.2f ms, 32 x 24, all told apart: %.1f ms, all equal: %.1f ms\n", small, large,
           decide_ms(32, 24, false));
    ck_assert_double_lt(small, 10);
    ck_assert_double_lt(large, 500);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ranking");
    TCase *tests = tcase_create("ranking");
    tcase_set_timeout(tests, 200);
    tcase_add_test(tests, three_far_apart);
    tcase_add_test(tests, one_finalist);
    tcase_add_loop_test(tests, rounds_that_two_need, 1, 9);
    tcase_add_test(tests, equal_samples_tie);
    tcase_add_test(tests, nothing_is_told_finer_than_the_timer);
    tcase_add_test(tests, times_of_zero);
    tcase_add_test(tests, nothing_to_decide);
    tcase_add_test(tests, leavers_are_compared_on_shared_rounds);
    tcase_add_test(tests, told_apart_earlier);
    tcase_add_test(tests, same_seed_same_answer);
    tcase_add_test(tests, clearly_behind);
    tcase_add_loop_test(tests, equal_kernels_tie, 0, sizeof sizes / sizeof *sizes);
    tcase_add_loop_test(tests, decisions_on_spreads, 0, sizeof spreads / sizeof *spreads);
    tcase_add_test(tests, a_decision_takes_milliseconds);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
