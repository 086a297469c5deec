// The next job is loaded while the verified launch of the present one runs, or on a CPU after its last
// launch: once each, nobody is blamed for another, and where the load is not answered for the launch is
// seen again alone.
#include "fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { JOBS = 5, SPECIAL = 2 };

struct run {
    enum status status[JOBS];
    char message[JOBS][512];
    bool seen[JOBS];
    struct error e;
};

static struct live_options gpu_options(const struct device_info *d)
{
    struct live_options o = options(d);
    o.at.jobs = 1; // built in order, so measured in order
    o.terms.launch_limit_ns = 600000000;
    return o;
}

static void run_all_on(struct run *run, const char *special, enum device_type type)
{
    struct device_info d = device(type == DEVICE_CPU);
    struct outcome out;
    memset(run, 0, sizeof *run);
    d.type = type;
    struct live_options o = gpu_options(&d);
    struct evaluator *ev = make_live(&o);
    for (unsigned i = 0; i < JOBS; i++)
        submit(ev, i, i == SPECIAL ? special : "good", 1000);
    while (!evaluator_idle(ev)) {
        int got = evaluator_take(ev, 20000, &out, &run->e);
        ck_assert_msg(got == 1, "%s", run->e.text);
        ck_assert(!run->seen[out.ticket]);
        run->seen[out.ticket] = true;
        run->status[out.ticket] = out.result->status;
        snprintf(run->message[out.ticket], sizeof run->message[0], "%s", out.result->message);
        result_free(out.result);
        evaluator_drop(ev, out.ticket);
    }
    evaluator_free(ev);
}

static void run_all(struct run *run, const char *special)
{
    run_all_on(run, special, DEVICE_GPU);
}

static void check_others(const struct run *run)
{
    for (unsigned i = 0; i < JOBS; i++) {
        ck_assert(run->seen[i]);
        ck_assert_msg(i == SPECIAL || run->status[i] == STATUS_CORRECT, "%u: %s", i,
                      run->message[i]);
    }
}

static unsigned count_numbered(const char *all, const char *what, unsigned id)
{
    char line[32];
    snprintf(line, sizeof line, "%s %u", what, id);
    return count_events(all, line);
}

START_TEST(test_each_is_loaded_once)
{
    struct run run;
    unsigned beside = 0;
    add_environment("FAKE_BESIDE_MS=100");
    run_all(&run, "good");
    check_others(&run);
    ck_assert_int_eq(run.status[SPECIAL], STATUS_CORRECT);
    const char *all = events();
    for (unsigned i = 0; i < JOBS; i++) {
        beside += count_numbered(all, "beside", i);
        ck_assert_uint_eq(count_numbered(all, "beside", i) + count_numbered(all, "load", i), 1);
        ck_assert_uint_eq(count_numbered(all, "verify", i), 1);
    }
    // The first has nobody before it, and which of the others are built in time is chance.
    ck_assert_uint_ge(beside, 1);
}
END_TEST

// A worker that serves in order answers for the launch first; after one that is wrong the next
// job's turn has come while its load is under way.
START_TEST(test_a_late_load_is_the_same)
{
    static const char *const specials[] = {"good", "wrong"};
    struct run run;
    add_environment("FAKE_DELAY_US=50000"); // while one is measured the others are built
    run_all(&run, specials[_i]);
    check_others(&run);
    const char *all = events();
    for (unsigned i = 0; i < JOBS; i++)
        ck_assert_uint_eq(count_numbered(all, "load", i), 1);
}
END_TEST

// What went wrong beside another is told when it is its turn.
START_TEST(test_a_refused_load_is_told_in_its_turn)
{
    struct run run;
    add_environment("FAKE_BESIDE_MS=100");
    run_all(&run, "refuse_loading");
    check_others(&run);
    ck_assert_int_eq(run.status[SPECIAL], STATUS_COMPILE);
    ck_assert_str_eq(run.message[SPECIAL], "no such kernel");
    const char *all = events();
    // Once beside or after the launches of the one before it, and once when it is its turn.
    ck_assert_uint_le(count_numbered(all, "load", SPECIAL) + count_numbered(all, "beside", SPECIAL),
                      2);
    ck_assert_uint_eq(count_numbered(all, "verify", SPECIAL), 0);
}
END_TEST

START_TEST(test_a_load_that_kills_is_not_the_launchs_doing)
{
    struct run run;
    add_environment("FAKE_BESIDE_MS=100");
    run_all(&run, "die_loading");
    check_others(&run);
    ck_assert_int_eq(run.status[SPECIAL], STATUS_COMPILE);
    ck_assert_ptr_nonnull(strstr(run.message[SPECIAL], "while loading"));
}
END_TEST

START_TEST(test_a_launch_that_hangs_is_seen_again_alone)
{
    struct run run;
    add_environment("FAKE_BESIDE_MS=100");
    run_all(&run, "hang_running");
    check_others(&run);
    ck_assert_int_eq(run.status[SPECIAL], STATUS_TIMEOUT);
    ck_assert_uint_le(count_numbered(events(), "verify", SPECIAL), 2);
}
END_TEST

START_TEST(test_a_crash_replaces_the_worker)
{
    static const char *const crashes[] = {"die_running", "out_of_bounds", "wrong"};
    static const enum status statuses[] = {STATUS_RUNTIME, STATUS_RUNTIME, STATUS_CORRECTNESS};
    struct run run;
    add_environment("FAKE_BESIDE_MS=100");
    run_all(&run, crashes[_i]);
    check_others(&run);
    ck_assert_msg(run.status[SPECIAL] == statuses[_i], "%s", run.message[SPECIAL]);
}
END_TEST

// On a CPU nothing is loaded beside a launch. Once all launches of a job are over the next one is
// loaded, before anybody has taken the outcome.
START_TEST(test_between_launches)
{
    struct device_info d = device(true);
    d.type = DEVICE_CPU;
    struct live_options o = gpu_options(&d);
    struct evaluator *ev = make_live(&o);
    unsigned early = 0, loads[JOBS] = {0}, beside = 0;
    for (unsigned i = 0; i < JOBS; i++)
        submit(ev, i, "good", 1000);
    for (unsigned i = 0; i < JOBS; i++) {
        take_correct(ev, i);
        for (int tries = 0; tries < 50; tries++) {
            const char *more = events(); // what is new
            beside += count_events(more, "beside");
            for (unsigned k = 0; k < JOBS; k++)
                loads[k] += count_numbered(more, "load", k);
            if (i + 1 == JOBS || loads[i + 1])
                break;
            usleep(10000);
        }
        early += i + 1 < JOBS && loads[i + 1];
    }
    ck_assert_uint_ge(early, 1);
    ck_assert_uint_eq(beside, 0);
    for (unsigned i = 0; i < JOBS; i++) {
        ck_assert_uint_eq(loads[i], 1);
        evaluator_drop(ev, i);
    }
    evaluator_free(ev);
}
END_TEST

START_TEST(test_what_fails_between_launches)
{
    static const struct {
        const char *special;
        enum status status;
    } cases[] = {{"refuse_loading", STATUS_COMPILE},
                 {"die_loading", STATUS_COMPILE},
                 {"hang_running", STATUS_TIMEOUT},
                 {"die_running", STATUS_RUNTIME},
                 {"wrong", STATUS_CORRECTNESS}};
    struct run run;
    run_all_on(&run, cases[_i].special, DEVICE_CPU);
    check_others(&run);
    ck_assert_msg(run.status[SPECIAL] == cases[_i].status, "%s", run.message[SPECIAL]);
}
END_TEST

// Cancelled and dropped while a load is under way.
START_TEST(test_cancelled)
{
    struct device_info d = device(false);
    struct error e = ERROR_INIT;
    struct outcome out;
    d.type = DEVICE_GPU;
    struct live_options o = gpu_options(&d);
    add_environment("FAKE_BESIDE_MS=100");
    struct evaluator *ev = make_live(&o);
    for (unsigned i = 0; i < JOBS; i++)
        submit(ev, i, "good", 1000);
    take_correct(ev, 0);
    int got = evaluator_take(ev, 20 * (_i + 1), &out, &e);
    ck_assert_int_ge(got, 0);
    if (got == 1)
        result_free(out.result);
    evaluator_cancel(ev);
    for (int i = 0; !evaluator_idle(ev); i++) {
        ck_assert_int_lt(i, 200);
        if (evaluator_take(ev, 100, &out, &e) == 1)
            result_free(out.result);
    }
    for (unsigned i = 0; i < JOBS; i++)
        evaluator_drop(ev, i);
    evaluator_free(ev);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("prefetch", setup, 60);
    tcase_add_test(cases, test_each_is_loaded_once);
    tcase_add_loop_test(cases, test_a_late_load_is_the_same, 0, 2);
    tcase_add_test(cases, test_a_refused_load_is_told_in_its_turn);
    tcase_add_test(cases, test_a_load_that_kills_is_not_the_launchs_doing);
    tcase_add_test(cases, test_a_launch_that_hangs_is_seen_again_alone);
    tcase_add_loop_test(cases, test_a_crash_replaces_the_worker, 0, 3);
    tcase_add_test(cases, test_between_launches);
    tcase_add_loop_test(cases, test_what_fails_between_launches, 0, 5);
    tcase_add_loop_test(cases, test_cancelled, 0, 3);
    return run_cases(cases);
}
