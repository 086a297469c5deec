// The decision of `hone bench`: known answers, and simulated benches. A simulated time has what real ones have: noise from
// launch to launch with rare slow ones, an offset of each pass (where code and buffers came to lie), and one of the whole
// day. The procedure is that of workflows/bench: passes, and as many again of what is not clearly within the threshold.
#include "stats/regression.h"

#include "base/random.h"
#include "stats/stats.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define CONFIGURATIONS 6
#define ROUNDS         8
#define PASSES         6
#define BENCHES        300

struct noise {
    double launch, pass, day; // relative standard deviations
};
static const struct noise usual = {0.01, 0.004, 0.003}, rough = {0.03, 0.01, 0.005};

static struct rng state;

static double uniform(void)
{
    return rng_unit(&state);
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(2 * acos(-1) * uniform());
}

// The median of a pass's rounds; one launch of fifty takes half as long again.
static uint64_t simulate_pass(double ns, const struct noise *n)
{
    uint64_t rounds[ROUNDS];
    double offset = 1 + n->pass * normal();
    for (int i = 0; i < ROUNDS; i++) {
        double slow = uniform() < 0.02 ? 1.5 : 1;
        rounds[i] = (uint64_t)(ns * offset * slow * (1 + fabs(n->launch * normal())));
    }
    return (uint64_t)stats_median(rounds, ROUNDS);
}

static void simulate(double ns, const struct noise *n, uint64_t *passes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        passes[i] = simulate_pass(ns, n);
}

// One bench in which the first configuration is `factor` times as slow as it was. How many losses it finds; *first: is that
// one among them?
static int simulate_bench(double factor, const struct noise *n, bool *first)
{
    const struct regression_terms terms = {
        .loss = 0.03, .level = 0.95, .tests = CONFIGURATIONS, .resolution_ns = 1};
    double day_before = 1 + n->day * normal(), day_now = 1 + n->day * normal();
    int losses = 0;
    *first = false;
    for (int c = 0; c < CONFIGURATIONS; c++) {
        uint64_t before[2 * PASSES], now[2 * PASSES];
        struct regression r;
        double ns = 1e5 * (1 + c);
        simulate(ns * day_before, n, before, 2 * PASSES);
        simulate(ns * day_now * (c == 0 ? factor : 1), n, now, 2 * PASSES);
        regression_judge(now, PASSES, before, 2 * PASSES, &terms, &r);
        if (regression_goes_on(&r))
            regression_judge(now, 2 * PASSES, before, 2 * PASSES, &terms, &r);
        losses += r.verdict == REGRESSION_LOSS;
        *first = *first || (c == 0 && r.verdict == REGRESSION_LOSS);
    }
    return losses;
}

static void run_benches(double factor, const struct noise *n, int *alarms, int *found)
{
    *alarms = *found = 0;
    rng_init(&state, 17, 0);
    for (int i = 0; i < BENCHES; i++) {
        bool first;
        *alarms += simulate_bench(factor, n, &first) > 0;
        *found += first;
    }
}

START_TEST(the_same_again_is_no_loss)
{
    int alarms, found;
    run_benches(1, &usual, &alarms, &found);
    ck_assert_msg(alarms <= 2, "%d of %d benches of the same kernels fail", alarms, BENCHES);
    run_benches(1, &rough, &alarms, &found);
    ck_assert_msg(alarms <= 2, "%d of %d noisy benches of the same kernels fail", alarms, BENCHES);
}
END_TEST

START_TEST(a_loss_below_the_threshold_is_none)
{
    int alarms, found;
    run_benches(1.02, &usual, &alarms, &found);
    ck_assert_msg(alarms <= 2, "%d of %d benches fail for a loss of 2 %%", alarms, BENCHES);
}
END_TEST

START_TEST(five_per_cent_are_found)
{
    int alarms, found;
    run_benches(1.05, &usual, &alarms, &found);
    ck_assert_msg(found > 0.9 * BENCHES, "%d of %d losses of 5 %% were found", found, BENCHES);
    ck_assert_int_eq(alarms, found);
    run_benches(1.10, &rough, &alarms, &found);
    ck_assert_msg(found > 0.9 * BENCHES, "%d of %d losses of 10 %% in noise were found", found,
                  BENCHES);
}
END_TEST

START_TEST(verdicts)
{
    struct regression_terms terms = {.loss = 0.03, .level = 0.95, .tests = 1};
    const uint64_t before[] = {1000, 1001, 1002, 1003, 1004, 1005},
                   slow[] = {1100, 1101, 1102, 1103, 1104, 1105},
                   fast[] = {900, 901, 902, 903, 904, 905},
                   wide[] = {990, 1000, 1030, 1050, 1080, 1100};
    struct regression r;
    regression_judge(slow, 6, before, 6, &terms, &r);
    ck_assert_int_eq(r.verdict, REGRESSION_LOSS);
    ck_assert(regression_goes_on(&r));
    ck_assert_double_eq_tol(r.ratio.ratio, 1.1, 2e-3);
    regression_judge(fast, 6, before, 6, &terms, &r);
    ck_assert_int_eq(r.verdict, REGRESSION_GAIN);
    ck_assert(!regression_goes_on(&r));
    regression_judge(before, 6, before, 6, &terms, &r);
    ck_assert_int_eq(r.verdict, REGRESSION_OK);
    regression_judge(wide, 6, before, 6, &terms, &r);
    ck_assert_int_eq(r.verdict, REGRESSION_UNDECIDED);
    ck_assert(regression_goes_on(&r));
    terms.loss = 0.2;
    regression_judge(slow, 6, before, 6, &terms, &r);
    ck_assert_int_eq(r.verdict, REGRESSION_OK);
    ck_assert_str_eq(regression_text(REGRESSION_LOSS), "loss");
}
END_TEST

// Too few passes for an interval, or none: never a loss.
START_TEST(too_few_decide_nothing)
{
    struct regression_terms terms = {.loss = 0.03, .level = 0.95, .tests = 1};
    const uint64_t before[] = {1000, 1000, 1000, 1000}, now[] = {2000, 2000, 2000, 2000};
    struct regression r;
    regression_judge(now, 2, before, 2, &terms, &r);
    ck_assert_int_eq(r.verdict, REGRESSION_UNDECIDED);
    ck_assert(!r.ratio.interval);
    regression_judge(now, 0, before, 2, &terms, &r);
    ck_assert_int_eq(r.verdict, REGRESSION_UNDECIDED);
    regression_judge(now, 4, before, 4, &terms, &r);
    ck_assert_int_eq(r.verdict, REGRESSION_LOSS);
    terms.tests = 100; // of so many one or another would look so by chance
    regression_judge(now, 4, before, 4, &terms, &r);
    ck_assert_int_eq(r.verdict, REGRESSION_UNDECIDED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("regression");
    TCase *c = tcase_create("regression");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, the_same_again_is_no_loss);
    tcase_add_test(c, a_loss_below_the_threshold_is_none);
    tcase_add_test(c, five_per_cent_are_found);
    tcase_add_test(c, verdicts);
    tcase_add_test(c, too_few_decide_nothing);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
