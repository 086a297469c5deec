// Recovery alone: its table of states and events, every verdict, and what is said of a dead device.
#include "runner/recovery.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct loss loss_of(enum loss_kind kind, enum loss_of of, enum phase_kind phase)
{
    struct loss l = {.kind = kind, .of = of, .phase = phase, .limit_ns = 7};
    snprintf(l.how, sizeof l.how, "was killed by SIGSEGV");
    return l;
}

static struct recovery lost(enum loss_kind kind, enum loss_of of, enum phase_kind phase)
{
    struct recovery r = {.state = RECOVERY_NONE};
    struct loss l = loss_of(kind, of, phase);
    ck_assert_int_eq(recovery_begin(&r, &l, NULL), RECOVERY_PROBE);
    return r;
}

// Every state meets every event: the steps below are possible, all others are errors that leave the
// state as it is.
START_TEST(test_every_transition)
{
    static const enum recovery_step steps[RECOVERY_STATES][RECOVERY_EVENTS] = {
        {RECOVERY_PROBE, RECOVERY_IMPOSSIBLE, RECOVERY_IMPOSSIBLE, RECOVERY_IMPOSSIBLE},
        {RECOVERY_IMPOSSIBLE, RECOVERY_AWAIT, RECOVERY_IMPOSSIBLE, RECOVERY_PROBE},
        {RECOVERY_IMPOSSIBLE, RECOVERY_IMPOSSIBLE, RECOVERY_LAUNCH, RECOVERY_PROBE},
        {RECOVERY_IMPOSSIBLE, RECOVERY_IMPOSSIBLE, RECOVERY_ALIVE, RECOVERY_PROBE}};
    for (unsigned state = 0; state < RECOVERY_STATES; state++) {
        for (unsigned event = 0; event < RECOVERY_EVENTS; event++) {
            struct error e = ERROR_INIT;
            struct recovery r = {.state = (enum recovery_state)state};
            enum recovery_step step = recovery_event(&r, (enum recovery_event)event, &e);
            ck_assert_int_eq(step, steps[state][event]);
            ck_assert_int_eq(e.code, step == RECOVERY_IMPOSSIBLE ? ERROR_INTERNAL : ERROR_NONE);
            ck_assert(step != RECOVERY_IMPOSSIBLE || r.state == state);
        }
    }
}
END_TEST

START_TEST(test_the_device_lives)
{
    struct recovery r = lost(LOSS_DIED, LOSS_OF_JOB, PHASE_LAUNCHING);
    uint32_t deaths = 0;
    ck_assert(!recovery_is_probing(&r));
    ck_assert_int_eq(recovery_event(&r, RECOVERY_PROBE_SENT, NULL), RECOVERY_AWAIT);
    ck_assert(recovery_is_probing(&r));
    ck_assert_int_eq(recovery_event(&r, RECOVERY_PROBE_FAILED, NULL), RECOVERY_PROBE);
    ck_assert(!recovery_is_probing(&r));
    ck_assert_int_eq(recovery_event(&r, RECOVERY_PROBE_SENT, NULL), RECOVERY_AWAIT);
    ck_assert_int_eq(recovery_event(&r, RECOVERY_PROBE_PASSED, NULL), RECOVERY_LAUNCH);
    ck_assert_int_eq(recovery_event(&r, RECOVERY_PROBE_PASSED, NULL), RECOVERY_ALIVE);
    ck_assert_int_eq(r.state, RECOVERY_NONE);
    ck_assert_int_eq(recovery_verdict(&r, &deaths), VERDICT_RETRY);
    ck_assert_uint_eq(deaths, 1);
}
END_TEST

// In two fresh workers, wherever in them it fails; a later loss counts anew.
START_TEST(test_the_device_is_lost)
{
    struct recovery r = lost(LOSS_DIED, LOSS_OF_JOB, PHASE_LAUNCHING);
    for (int round = 0; round < 2; round++) {
        recovery_event(&r, RECOVERY_PROBE_SENT, NULL);
        ck_assert_int_eq(recovery_event(&r, RECOVERY_PROBE_FAILED, NULL), RECOVERY_PROBE);
        recovery_event(&r, RECOVERY_PROBE_SENT, NULL);
        recovery_event(&r, RECOVERY_PROBE_PASSED, NULL);
        ck_assert_int_eq(recovery_event(&r, RECOVERY_PROBE_FAILED, NULL), RECOVERY_DEAD);
        struct loss next = loss_of(LOSS_DIED, LOSS_OF_NOTHING, PHASE_IDLE);
        ck_assert_int_eq(recovery_begin(&r, &next, NULL), RECOVERY_PROBE);
    }
}
END_TEST

static const struct {
    enum loss_kind kind;
    enum loss_of of;
    enum phase_kind phase;
    enum verdict first, second; // of two such losses
} verdicts[] = {
    {LOSS_DIED, LOSS_OF_NOTHING, PHASE_IDLE, VERDICT_NOBODY, VERDICT_NOBODY},
    {LOSS_DIED, LOSS_OF_PREPARATION, PHASE_INPUTS, VERDICT_NOBODY, VERDICT_NOBODY},
    {LOSS_DIED, LOSS_OF_PREPARATION, PHASE_REFERENCE, VERDICT_NOBODY, VERDICT_REFERENCE},
    {LOSS_DIED, LOSS_OF_SHARED, PHASE_LAUNCHING, VERDICT_RETRY, VERDICT_RETRY},
    {LOSS_DIED, LOSS_OF_JOB, PHASE_LAUNCHING, VERDICT_RETRY, VERDICT_JOB},
    {LOSS_DIED, LOSS_OF_JOB, PHASE_REFERENCE, VERDICT_RETRY, VERDICT_REFERENCE},
    {LOSS_REFUSED, LOSS_OF_PREPARATION, PHASE_INPUTS, VERDICT_NOBODY, VERDICT_NOBODY},
    {LOSS_REFUSED, LOSS_OF_JOB, PHASE_LAUNCHING, VERDICT_RETRY, VERDICT_JOB},
    {LOSS_OVERDUE, LOSS_OF_NOTHING, PHASE_IDLE, VERDICT_NOBODY, VERDICT_NOBODY},
    {LOSS_OVERDUE, LOSS_OF_PREPARATION, PHASE_INPUTS, VERDICT_TOO_SLOW, VERDICT_TOO_SLOW},
    {LOSS_OVERDUE, LOSS_OF_SHARED, PHASE_LAUNCHING, VERDICT_RETRY, VERDICT_RETRY},
    {LOSS_OVERDUE, LOSS_OF_JOB, PHASE_LAUNCHING, VERDICT_TIMEOUT, VERDICT_TIMEOUT},
    {LOSS_FAILED, LOSS_OF_JOB, PHASE_LAUNCHING, VERDICT_KEEP, VERDICT_KEEP},
};

START_TEST(test_verdicts)
{
    struct recovery r = {.state = RECOVERY_NONE};
    uint32_t deaths = 0;
    r.loss = loss_of(verdicts[_i].kind, verdicts[_i].of, verdicts[_i].phase);
    ck_assert_int_eq(recovery_verdict(&r, &deaths), verdicts[_i].first);
    ck_assert_int_eq(recovery_verdict(&r, &deaths), verdicts[_i].second);
}
END_TEST

START_TEST(test_preparing_is_given_up_after_four_deaths)
{
    struct recovery r = lost(LOSS_DIED, LOSS_OF_PREPARATION, PHASE_INPUTS);
    uint32_t deaths = 0;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(recovery_verdict(&r, &deaths), VERDICT_NOBODY);
    ck_assert_int_eq(recovery_verdict(&r, &deaths), VERDICT_UNPREPARED);
    ck_assert_uint_eq(deaths, 0);
}
END_TEST

START_TEST(test_a_job_that_is_given_up_is_not_blamed)
{
    struct recovery r = lost(LOSS_DIED, LOSS_OF_JOB, PHASE_LAUNCHING);
    uint32_t deaths = 1;
    recovery_give_up_job(&r);
    ck_assert_int_eq(recovery_verdict(&r, &deaths), VERDICT_NOBODY);
    r = lost(LOSS_OVERDUE, LOSS_OF_PREPARATION, PHASE_INPUTS);
    recovery_give_up_job(&r);
    ck_assert_int_eq(recovery_verdict(&r, &deaths), VERDICT_TOO_SLOW);
}
END_TEST

START_TEST(test_what_is_said)
{
    struct loss l = loss_of(LOSS_DIED, LOSS_OF_JOB, PHASE_LAUNCHING);
    struct text t = TEXT_INIT;
    ck_assert_int_eq(recovery_tell_job(&l, &t), STATUS_RUNTIME);
    ck_assert_str_eq(text_cstr(&t), "the worker died while running, twice and with this "
                                    "configuration alone: it was killed by SIGSEGV");
    text_clear(&t);
    l.phase = PHASE_LOADING;
    ck_assert_int_eq(recovery_tell_job(&l, &t), STATUS_COMPILE);
    l.kind = LOSS_REFUSED;
    ck_assert_int_eq(recovery_tell_job(&l, &t), STATUS_RUNTIME);
    text_clear(&t);
    recovery_tell_dead(&l, "A=1", "no device", &t);
    ck_assert_ptr_nonnull(strstr(text_cstr(&t),
                                 "device lost: while loading A=1 its worker was "
                                 "killed by SIGSEGV; then, in a fresh worker, a "
                                 "small kernel of hone's own failed too, twice: no device."));
    text_release(&t);
    // Its result says more than that the driver refused.
    struct result *r = result_new();
    result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "refused");
    l.kind = LOSS_OVERDUE;
    recovery_fail_lost(&l, r);
    ck_assert_int_eq(r->fault, FAULT_LOST);
    ck_assert_str_eq(r->message, "the device was lost while this was loading: its worker was ended "
                                 "(was killed by SIGSEGV)");
    ck_assert_uint_eq(r->limit_ns, 7);
    result_free(r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recovery");
    TCase *cases = tcase_create("recovery");
    tcase_add_test(cases, test_every_transition);
    tcase_add_test(cases, test_the_device_lives);
    tcase_add_test(cases, test_the_device_is_lost);
    tcase_add_loop_test(cases, test_verdicts, 0, sizeof verdicts / sizeof *verdicts);
    tcase_add_test(cases, test_preparing_is_given_up_after_four_deaths);
    tcase_add_test(cases, test_a_job_that_is_given_up_is_not_blamed);
    tcase_add_test(cases, test_what_is_said);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
