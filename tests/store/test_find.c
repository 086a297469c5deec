// Which stored result answers: one test for each line of the comment at store_find().

#include "fixture.h"

#include <stdio.h>

// Stores `r` (taken) for job 1, as measured under `measured`, and says whether it answers `asked`.
static bool answered(const struct policy *measured, struct result *r, const struct policy *asked,
                     bool retry)
{
    struct error e = ERROR_INIT;
    struct digest key;
    remove("s.db");
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put_result(s, 1, measured, r);
    key_of(1, &key);
    struct result *found = store_find(s, &key, asked, retry, &e);
    ck_assert_msg(e.code == ERROR_NONE, "%s", e.text);
    bool yes = found != NULL;
    result_free(found);
    store_close(s);
    return yes;
}

static struct result *stopped(enum stop_reason stop, uint32_t samples)
{
    struct result *r = result_make(1);
    ck_assert_uint_le(samples, 7);
    r->stop = stop;
    r->sample_count = samples;
    return r;
}

static struct result *failed(enum status status, enum fault fault, uint64_t limit_ns)
{
    struct result *r = result_new();
    result_fail(r, status, fault, "it failed");
    r->limit_ns = limit_ns;
    return r;
}

static struct policy fixed_policy(uint32_t launches, uint32_t batch)
{
    struct policy p = test_policy;
    p.fixed = true;
    p.launches = launches;
    p.batch = batch;
    return p;
}

START_TEST(test_nothing_stored)
{
    struct error e = ERROR_INIT;
    struct digest key;
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put(s, 1);
    key_of(2, &key);
    ck_assert_ptr_null(store_find(s, &key, &test_policy, false, &e));
    ck_assert_int_eq(e.code, ERROR_NONE);
    store_close(s);
}
END_TEST

START_TEST(test_whole_result_returns)
{
    struct error e = ERROR_INIT;
    struct digest key;
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    struct result *r = result_make(1);
    r->log = "a warning";
    r->build_ns = 12345;
    put_result(s, 1, &test_policy, r);
    key_of(1, &key);
    r = store_find(s, &key, &test_policy, false, &e);
    ck_assert_ptr_nonnull(r);
    ck_assert(r->reused);
    ck_assert_int_eq(r->status, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    ck_assert_uint_eq(r->sample_count, 7);
    ck_assert_uint_eq(r->samples_ns[0], 1006);
    ck_assert_uint_eq(r->samples_ns[6], 994);
    ck_assert_str_eq(r->log, "a warning");
    ck_assert_uint_eq(r->build_ns, 12345);
    result_free(r);
    store_close(s);
}
END_TEST

START_TEST(test_correct_with_enough_samples_answers_fixed)
{
    struct policy seven = fixed_policy(7, 1), eight = fixed_policy(8, 1);
    ck_assert(answered(&seven, stopped(STOP_FIXED, 7), &seven, false));
    ck_assert(!answered(&seven, stopped(STOP_FIXED, 7), &eight, false));
    // A settled one counts by its samples too.
    ck_assert(answered(&test_policy, stopped(STOP_SETTLED, 7), &seven, false));
    ck_assert(!answered(&test_policy, stopped(STOP_SETTLED, 6), &seven, false));
}
END_TEST

START_TEST(test_samples_are_batches_of_launches)
{
    struct policy p = fixed_policy(70, 10), more = fixed_policy(71, 10);
    ck_assert(answered(&p, stopped(STOP_FIXED, 7), &p, false));
    ck_assert(!answered(&p, stopped(STOP_FIXED, 7), &more, false));
}
END_TEST

START_TEST(test_settled_answers)
{
    struct policy many = test_policy;
    many.launches = 1000;
    ck_assert(answered(&test_policy, stopped(STOP_SETTLED, 3), &many, false));
    // Too few that were asked for once are no answer to a tune.
    ck_assert(!answered(&test_policy, stopped(STOP_FIXED, 3), &many, false));
    ck_assert(answered(&test_policy, stopped(STOP_FIXED, 7), &test_policy, false));
    // Nothing was timed.
    ck_assert(!answered(&test_policy, stopped(STOP_NONE, 0), &test_policy, false));
}
END_TEST

START_TEST(test_cold_and_warm_are_different_answers)
{
    struct policy cold = test_policy;
    cold.cold = true;
    ck_assert(!answered(&test_policy, result_make(1), &cold, false));
    ck_assert(!answered(&cold, result_make(1), &test_policy, false));
    ck_assert(answered(&cold, result_make(1), &cold, false));
}
END_TEST

START_TEST(test_stopped_early_answers_unless_fixed)
{
    struct policy fixed = fixed_policy(7, 1);
    ck_assert(answered(&test_policy, stopped(STOP_HOPELESS, 1), &test_policy, false));
    ck_assert(answered(&test_policy, stopped(STOP_LIMIT, 2), &test_policy, false));
    ck_assert(!answered(&test_policy, stopped(STOP_HOPELESS, 1), &fixed, false));
    ck_assert(!answered(&test_policy, stopped(STOP_LIMIT, 2), &fixed, false));
}
END_TEST

START_TEST(test_failures_answer_unless_retried)
{
    static const enum status statuses[] = {STATUS_COMPILE, STATUS_CORRECTNESS, STATUS_CONSTRAINTS,
                                           STATUS_RUNTIME};
    struct policy fixed = fixed_policy(100, 1);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        enum status st = statuses[i];
        ck_assert(answered(&test_policy, failed(st, FAULT_CONFIGURATION, 0), &test_policy, false));
        ck_assert(answered(&test_policy, failed(st, FAULT_CONFIGURATION, 0), &fixed, false));
        ck_assert(!answered(&test_policy, failed(st, FAULT_CONFIGURATION, 0), &test_policy, true));
    }
}
END_TEST

START_TEST(test_retry_does_not_touch_correct_ones)
{
    ck_assert(answered(&test_policy, result_make(1), &test_policy, true));
}
END_TEST

START_TEST(test_launch_timeout_answers_up_to_its_limit)
{
    struct policy p = test_policy;
    p.launch_limit_ns = 2000000000;
    struct policy longer = p, shorter = p, none = p;
    longer.launch_limit_ns++;
    shorter.launch_limit_ns--;
    none.launch_limit_ns = 0;
    const uint64_t met = 2000000000;
#define TIMED_OUT failed(STATUS_TIMEOUT, FAULT_CONFIGURATION, met)
    ck_assert(answered(&p, TIMED_OUT, &p, false));
    ck_assert(answered(&p, TIMED_OUT, &shorter, false));
    ck_assert(!answered(&p, TIMED_OUT, &longer, false));
    ck_assert(!answered(&p, TIMED_OUT, &none, false));
    ck_assert(!answered(&p, TIMED_OUT, &p, true));
    // The build limit is another matter.
    longer = p;
    longer.build_limit_ns *= 2;
    ck_assert(answered(&p, TIMED_OUT, &longer, false));
#undef TIMED_OUT
}
END_TEST

START_TEST(test_build_timeout_answers_up_to_its_limit)
{
    struct policy p = test_policy;
    p.build_limit_ns = 5000000000;
    struct policy longer = p, launch = p;
    longer.build_limit_ns++;
    launch.launch_limit_ns *= 100;
#define TIMED_OUT failed(STATUS_TIMEOUT, FAULT_CONFIGURATION, 5000000000)
    ck_assert(answered(&p, TIMED_OUT, &p, false));
    ck_assert(!answered(&p, TIMED_OUT, &longer, false));
    ck_assert(answered(&p, TIMED_OUT, &launch, false));
    // Both limits alike: which one it was is not known, so both must cover.
    struct policy alike = p, raised;
    alike.launch_limit_ns = alike.build_limit_ns;
    raised = alike;
    raised.launch_limit_ns++;
    ck_assert(answered(&alike, TIMED_OUT, &alike, false));
    ck_assert(!answered(&alike, TIMED_OUT, &raised, false));
#undef TIMED_OUT
}
END_TEST

START_TEST(test_faults_elsewhere_never_answer)
{
    for (int fault = 0; fault < FAULT_COUNT; fault++) {
        if (fault == FAULT_CONFIGURATION)
            continue;
        struct result *r = failed(STATUS_RUNTIME, (enum fault)fault, 0);
        ck_assert_msg(!answered(&test_policy, r, &test_policy, false), "%s",
                      fault_text((enum fault)fault));
    }
}
END_TEST

START_TEST(test_newest_that_answers_wins)
{
    struct error e = ERROR_INIT;
    struct digest key;
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    struct result *first = result_make(1), *second = result_make(1);
    first->build_ns = 1;
    second->build_ns = 2;
    put_result(s, 1, &test_policy, first);
    put_result(s, 1, &test_policy, second);
    // Newer, but these do not answer.
    put_result(s, 1, &test_policy, failed(STATUS_RUNTIME, FAULT_DEVICE, 0));
    put_result(s, 1, &test_policy, stopped(STOP_FIXED, 1));
    key_of(1, &key);
    struct result *r = store_find(s, &key, &test_policy, false, &e);
    ck_assert_ptr_nonnull(r);
    ck_assert_uint_eq(r->build_ns, 2);
    result_free(r);
    // A newer failure answers in its place, unless it is to be retried.
    put_result(s, 1, &test_policy, failed(STATUS_COMPILE, FAULT_CONFIGURATION, 0));
    r = store_find(s, &key, &test_policy, false, &e);
    ck_assert_int_eq(r->status, STATUS_COMPILE);
    ck_assert_str_eq(r->message, "it failed");
    result_free(r);
    r = store_find(s, &key, &test_policy, true, &e);
    ck_assert_uint_eq(r->build_ns, 2);
    result_free(r);
    store_close(s);
}
END_TEST

static void tests_add(TCase *t)
{
    tcase_add_test(t, test_nothing_stored);
    tcase_add_test(t, test_whole_result_returns);
    tcase_add_test(t, test_correct_with_enough_samples_answers_fixed);
    tcase_add_test(t, test_samples_are_batches_of_launches);
    tcase_add_test(t, test_settled_answers);
    tcase_add_test(t, test_cold_and_warm_are_different_answers);
    tcase_add_test(t, test_stopped_early_answers_unless_fixed);
    tcase_add_test(t, test_failures_answer_unless_retried);
    tcase_add_test(t, test_retry_does_not_touch_correct_ones);
    tcase_add_test(t, test_launch_timeout_answers_up_to_its_limit);
    tcase_add_test(t, test_build_timeout_answers_up_to_its_limit);
    tcase_add_test(t, test_faults_elsewhere_never_answer);
    tcase_add_test(t, test_newest_that_answers_wins);
}

int main(void)
{
    return suite_run("store find", tests_add);
}
