// When measuring one configuration stops, and what is asked for until then.
#include "measure/rules.h"

#include <check.h>
#include <stdlib.h>

// `count` samples around `median`, alternately below and above it by `half`.
static void spread(uint64_t *samples, size_t count, uint64_t median, uint64_t half)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = i % 2 ? median + half : median - half;
}

START_TEST(defaults)
{
    struct measure_rules r = measure_rules_default();
    ck_assert_uint_eq(r.first, 6);
    ck_assert_uint_eq(r.most, 20);
    ck_assert_uint_eq(r.more, 7);
    ck_assert_double_eq(r.settled, 0.01);
    ck_assert_double_eq(r.hopeless, 2);
    ck_assert_uint_eq(r.budget_ns, 1000000000);
    ck_assert_uint_eq(r.fixed, 0);
}
END_TEST

START_TEST(first_samples_then_more)
{
    struct measure_rules r = measure_rules_default();
    uint64_t samples[20];
    uint32_t more;
    spread(samples, 20, 10000, 500); // 5 %: never settled
    ck_assert_int_eq(measure_next(&r, samples, 0, 1, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 6);
    ck_assert_int_eq(measure_next(&r, samples, 2, 1, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 4);
    ck_assert_int_eq(measure_next(&r, samples, 6, 1, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 7);
    ck_assert_int_eq(measure_next(&r, samples, 15, 1, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 5); // 20 at most
    ck_assert_int_eq(measure_next(&r, samples, 20, 1, 0, &more), MEASURE_SETTLED);
    ck_assert_uint_eq(more, 0);
}
END_TEST

START_TEST(settled_when_narrow)
{
    struct measure_rules r = measure_rules_default();
    uint64_t samples[6];
    uint32_t more;
    spread(samples, 6, 10000, 100); // exactly 1 %
    ck_assert_int_eq(measure_next(&r, samples, 6, 1, 0, &more), MEASURE_SETTLED);
    spread(samples, 6, 10000, 102);
    ck_assert_int_eq(measure_next(&r, samples, 6, 1, 0, &more), MEASURE_MORE);
    spread(samples, 6, 10000, 0); // equal samples, but the timer sees no more than 1 us
    ck_assert_int_eq(measure_next(&r, samples, 6, 1000, 0, &more), MEASURE_MORE);
    ck_assert_int_eq(measure_next(&r, samples, 6, 200, 0, &more), MEASURE_SETTLED);
}
END_TEST

START_TEST(time_budget)
{
    struct measure_rules r = measure_rules_default();
    uint64_t samples[6];
    uint32_t more;
    spread(samples, 6, 300000000, 100000000); // 0.2 s, 0.4 s, ...
    ck_assert_int_eq(measure_next(&r, samples, 2, 1, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 2); // 0.4 s are left, at 0.3 s each
    ck_assert_int_eq(measure_next(&r, samples, 3, 1, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 1);
    ck_assert_int_eq(measure_next(&r, samples, 4, 1, 0, &more), MEASURE_LIMIT);
    r.budget_ns = 0;
    ck_assert_int_eq(measure_next(&r, samples, 4, 1, 0, &more), MEASURE_MORE);
    samples[0] = samples[1] = UINT64_MAX;
    r.budget_ns = UINT64_MAX;
    ck_assert_int_eq(measure_next(&r, samples, 2, 1, 0, &more), MEASURE_LIMIT);
}
END_TEST

START_TEST(fixed_count)
{
    struct measure_rules r = measure_rules_default();
    uint64_t samples[9];
    uint32_t more;
    r.fixed = 9;
    spread(samples, 9, 2000000000, 0); // neither settled nor out of time matters
    ck_assert_int_eq(measure_next(&r, samples, 0, 1, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 9);
    ck_assert_int_eq(measure_next(&r, samples, 8, 1, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 1);
    ck_assert_int_eq(measure_next(&r, samples, 9, 1, 0, &more), MEASURE_FIXED);
    ck_assert_uint_eq(more, 0);
}
END_TEST

// Odd rules never lead to a request for nothing.
START_TEST(always_something_to_do)
{
    struct measure_rules none = {.budget_ns = 0};
    uint64_t sample = 0;
    uint32_t more;
    ck_assert_int_eq(measure_next(&none, &sample, 0, 0, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 1);
    ck_assert_int_eq(measure_next(&none, &sample, 1, 0, 0, &more), MEASURE_SETTLED);
}
END_TEST

// What cannot be the best any more gets no more samples; what may be still does.
START_TEST(test_behind_the_best)
{
    static const uint64_t wide[] = {1200, 1300, 1250, 1400, 1350, 1280};
    struct measure_rules r = measure_rules_default();
    uint32_t more = 0;
    ck_assert_int_eq(measure_next(&r, wide, 6, 1, 0, &more), MEASURE_MORE);
    ck_assert_int_eq(measure_next(&r, wide, 6, 1, 1000, &more), MEASURE_SETTLED);
    // The interval reaches down to 1200: not beyond 1.1 times 1100.
    ck_assert_int_eq(measure_next(&r, wide, 6, 1, 1100, &more), MEASURE_MORE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rules");
    TCase *tests = tcase_create("rules");
    tcase_add_test(tests, defaults);
    tcase_add_test(tests, first_samples_then_more);
    tcase_add_test(tests, settled_when_narrow);
    tcase_add_test(tests, time_budget);
    tcase_add_test(tests, fixed_count);
    tcase_add_test(tests, always_something_to_do);
    tcase_add_test(tests, test_behind_the_best);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
