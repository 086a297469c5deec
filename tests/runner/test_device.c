// A device that dies under a configuration: that one is told, those before it keep what they have,
// those after it are blamed for nothing; and one that only seemed dead goes on.
#include "fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { JOBS = 8, KILLER = 3 };

// What came of each job, and what the evaluator said at its end.
struct run {
    bool seen[JOBS];
    enum status status[JOBS];
    enum fault fault[JOBS];
    char message[JOBS][1024];
    unsigned after_killer; // outcomes after the killer's
    struct error e;        // of the end; no code: all came
    // What the admission was told to keep.
    unsigned kept[JOBS];
    enum fault kept_fault[JOBS];
};

static enum admission_answer enter(void *context, uint64_t ticket, struct admission_known *known,
                                   struct result **out, struct error *e)
{
    (void)context, (void)ticket, (void)known, (void)out, (void)e;
    return ADMISSION_OPEN;
}

static bool keep(void *context, uint64_t ticket, const struct result *result, struct error *e)
{
    struct run *run = context;
    (void)e;
    if (!result)
        return true;
    run->kept[ticket]++;
    run->kept_fault[ticket] = result->fault;
    return true;
}

static void note(struct run *run, const struct outcome *out)
{
    uint64_t i = out->ticket;
    ck_assert(!run->seen[i]);
    run->seen[i] = true;
    run->status[i] = out->result->status;
    run->fault[i] = out->result->fault;
    run->after_killer += i != KILLER && run->seen[KILLER];
    snprintf(run->message[i], sizeof run->message[i], "%s", out->result->message);
    result_free(out->result);
}

// Runs JOBS jobs, of which one kills the device; those before it are done when it is submitted.
static void run_all(struct run *run, const char *behaviour, unsigned before, const char *killer)
{
    struct device_info d = device(false);
    struct live_options o = options(&d);
    struct outcome out;
    memset(run, 0, sizeof *run);
    o.admission = (struct admission){.enter = enter, .leave = keep, .context = run};
    o.at.jobs = 1; // built in order, so measured in order
    struct evaluator *ev = make_live(&o);
    for (unsigned i = KILLER - before; i < JOBS; i++) {
        submit(ev, i, i == KILLER ? killer : i < KILLER ? behaviour : "good", 1000);
        if (i <= KILLER && evaluator_take(ev, i < KILLER ? 10000 : 0, &out, &run->e) == 1)
            note(run, &out);
    }
    int got;
    while (!evaluator_idle(ev) && (got = evaluator_take(ev, 20000, &out, &run->e)) != 0) {
        if (got < 0)
            break;
        note(run, &out);
        evaluator_drop(ev, out.ticket);
    }
    ck_assert(run->e.code || evaluator_idle(ev));
    evaluator_free(ev);
}

static void check_lost(const struct run *run)
{
    ck_assert_int_eq(run->e.code, ERROR_DEVICE);
    ck_assert_msg(str_starts(run->e.text, "device lost: "), "%s", run->e.text);
    ck_assert_ptr_nonnull(strstr(run->e.text, "ID=3"));
    ck_assert(run->seen[KILLER]);
    ck_assert_int_eq(run->fault[KILLER], FAULT_LOST);
    ck_assert_ptr_nonnull(strstr(run->message[KILLER], "the device was lost while this was"));
    ck_assert_uint_eq(run->after_killer, 0);
    // Kept with that note, and nothing else of it or of those that came later.
    ck_assert_uint_eq(run->kept[KILLER], 1);
    ck_assert_int_eq(run->kept_fault[KILLER], FAULT_LOST);
    for (unsigned i = 0; i < JOBS; i++) {
        ck_assert_uint_eq(run->kept[i], run->seen[i]);
        ck_assert(i == KILLER || !run->seen[i] || run->status[i] == STATUS_CORRECT);
    }
}

struct way {
    const char *variable;
    enum status status;  // of the one in flight
    const char *message; // part of the error's: how the last proof failed
};

static const struct way ways[] = {
    {"FAKE_DEAD=die", STATUS_RUNTIME, "was killed by SIGABRT"},
    {"FAKE_DEAD=loading", STATUS_RUNTIME, "while loading"},
    {"FAKE_DEAD=opening", STATUS_RUNTIME, "while opening the device"},
    {"FAKE_DEAD=refused", STATUS_RUNTIME, "CL_DEVICE_NOT_FOUND"},
    {"FAKE_DEAD=hang", STATUS_TIMEOUT, "still running after 300.0 ms"},
    {"FAKE_DEAD=lie", STATUS_RUNTIME, "nothing was written"},
    {"FAKE_DEAD=error", STATUS_RUNTIME, "CL_OUT_OF_RESOURCES"},
    {"FAKE_DEAD=gone", STATUS_RUNTIME, "CL_DEVICE_NOT_AVAILABLE"},
};
enum { WAYS = sizeof ways / sizeof *ways };

START_TEST(test_dies_and_stays_dead)
{
    const struct way *w = &ways[_i];
    struct run run;
    add_environment(w->variable);
    run_all(&run, "good", KILLER, "kill_device");
    check_lost(&run);
    ck_assert_int_eq(run.status[KILLER], w->status);
    ck_assert_msg(strstr(run.e.text, w->message) != NULL, "%s", run.e.text);
    ck_assert_ptr_nonnull(strstr(run.e.text, "a small kernel of hone's own failed too, twice"));
    for (unsigned i = 0; i < KILLER; i++)
        ck_assert(run.seen[i] && run.status[i] == STATUS_CORRECT);
    // Not one request after the second proof failed.
    const char *all = events();
    ck_assert_uint_le(count_events(all, "load probe"), 2);
    ck_assert_uint_eq(count_events(all, "load 3"), 1);
    ck_assert_uint_eq(count_events(all, "load 2"), 1);
}
END_TEST

// Builds fail on a dead device, too: whoever is built before the news is there is not blamed.
START_TEST(test_builds_fail_on_it_too)
{
    static const char *const how[] = {"FAKE_DEAD=hang", "FAKE_DEAD=die"};
    struct run run;
    add_environment(how[_i]);
    add_environment("FAKE_DEAD_BUILDS=1");
    run_all(&run, "good", KILLER, "kill_device");
    check_lost(&run);
}
END_TEST

// Before there is a job that is known to work, a kernel of our own shows that none does.
START_TEST(test_dies_under_the_first)
{
    struct run run;
    add_environment(ways[_i].variable);
    run_all(&run, "good", 0, "kill_device");
    check_lost(&run);
    ck_assert_int_eq(run.status[KILLER], ways[_i].status);
    ck_assert_ptr_nonnull(strstr(run.e.text, "a small kernel of hone's own failed too, twice"));
    ck_assert_msg(strstr(run.e.text, ways[_i].message) != NULL, "%s", run.e.text);
}
END_TEST

// A job whose results nobody checks would not see a driver that lies.
START_TEST(test_unverified_job_proves_nothing)
{
    struct run run;
    add_environment("FAKE_DEAD=lie");
    run_all(&run, "unverified", KILLER, "kill_device");
    check_lost(&run);
    ck_assert_ptr_nonnull(strstr(run.e.text, "a small kernel of hone's own"));
    ck_assert_uint_eq(count_events(events(), "load probe"), 2);
}
END_TEST

// Dead once (its worker), or once more when it is tried in a fresh one: it goes on, and nobody is
// blamed.
START_TEST(test_recovers)
{
    static const char *const how[] = {"FAKE_DEAD=die", "FAKE_DEAD=hang", "FAKE_DEAD=gone"};
    static const char *const times[] = {"FAKE_DEAD_TIMES=1", "FAKE_DEAD_TIMES=2"};
    bool is_hang = _i / 2 == 1;
    struct run run;
    add_environment(how[_i / 2]);
    add_environment(times[_i % 2]);
    run_all(&run, "good", KILLER, "kill_device");
    ck_assert_msg(!run.e.code, "%s", run.e.text);
    for (unsigned i = 0; i < JOBS; i++) {
        ck_assert(run.seen[i]);
        // What was ended past its limit is not tried again.
        enum status expected = is_hang && i == KILLER ? STATUS_TIMEOUT : STATUS_CORRECT;
        ck_assert_msg(run.status[i] == expected, "%u: %s", i, run.message[i]);
        ck_assert_int_eq(run.fault[i], is_hang && i == KILLER ? FAULT_CONFIGURATION : FAULT_NONE);
    }
    const char *all = events();
    ck_assert_uint_eq(count_events(all, "load 2"), 1);
    ck_assert_uint_eq(count_events(all, "load probe"), 1 + (unsigned)_i % 2);
    ck_assert_uint_eq(count_events(all, "load 3"), is_hang ? 1 : 2);
}
END_TEST

// A configuration that ends each of its workers on a device that lives is blamed as ever.
START_TEST(test_blamed_when_the_device_lives)
{
    static const struct {
        const char *behaviour;
        enum status status;
        unsigned loads;
    } killers[] = {{"die_running", STATUS_RUNTIME, 2},
                   {"die_loading", STATUS_COMPILE, 2},
                   {"hang_running", STATUS_TIMEOUT, 1}};
    struct run run;
    run_all(&run, "good", KILLER, killers[_i].behaviour);
    ck_assert_msg(!run.e.code, "%s", run.e.text);
    ck_assert_int_eq(run.status[KILLER], killers[_i].status);
    ck_assert_int_eq(run.fault[KILLER], FAULT_CONFIGURATION);
    const char *all = events();
    ck_assert_uint_eq(count_events(all, "load 3"), killers[_i].loads);
    // After each loss the proof, with no job of the tune: the one before may be what does the harm.
    ck_assert_uint_eq(count_events(all, "load 2"), 1);
    ck_assert_uint_eq(count_events(all, "load probe"), killers[_i].loads);
    for (unsigned i = KILLER + 1; i < JOBS; i++)
        ck_assert_int_eq(run.status[i], STATUS_CORRECT);
}
END_TEST

// Nothing was lost: nothing is proved. A touched guard replaces the worker, but the launch that
// touched it came to its end.
START_TEST(test_no_cost_without_a_loss)
{
    static const char *const killers[] = {"good", "out_of_bounds", "wrong", "die_building"};
    char load[16];
    struct run run;
    run_all(&run, "good", KILLER, killers[_i]);
    ck_assert_msg(!run.e.code, "%s", run.e.text);
    const char *all = events();
    ck_assert_uint_eq(count_events(all, "load probe"), 0);
    for (unsigned i = 0; i < JOBS; i++) {
        snprintf(load, sizeof load, "load %u\n", i);
        ck_assert_uint_eq(count_events(all, load), i != KILLER || _i != 3);
    }
}
END_TEST

// Dead from the start.
START_TEST(test_dead_before_anything)
{
    static const struct {
        const char *variable, *message;
    } starts[] = {{"FAKE_DEAD=die", "device lost: while running"},
                  {"FAKE_DEAD=opening", "3 workers died while opening the device"},
                  {"FAKE_DEAD=refused", "CL_DEVICE_NOT_FOUND"},
                  {"FAKE_DEAD=gone", "device lost: while running"}};
    char path[96];
    struct run run;
    snprintf(path, sizeof path, "%s/dead", folder);
    fclose(fopen(path, "w"));
    add_environment(starts[_i].variable);
    run_all(&run, "good", 0, "good");
    ck_assert_int_ne(run.e.code, ERROR_NONE);
    ck_assert_msg(strstr(run.e.text, starts[_i].message) != NULL, "%s", run.e.text);
    for (unsigned i = KILLER + 1; i < JOBS; i++)
        ck_assert(!run.seen[i] && !run.kept[i]);
}
END_TEST

// In a ranking: the turn fails with that note, and the evaluator ends.
START_TEST(test_dies_in_a_round)
{
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct error e = ERROR_INIT;
    struct outcome out;
    uint64_t ticket;
    struct turn turn = {.warmups = 1, .launches = 1};
    char path[96];
    struct evaluator *ev = make_live(&o);
    for (unsigned i = 0; i < 2; i++) {
        submit(ev, i, i ? "die_in_turn" : "good", 1000);
        take_correct(ev, i);
    }
    snprintf(path, sizeof path, "%s/dead", folder);
    fclose(fopen(path, "w")); // whoever verifies from now on dies
    evaluator_hold(ev, true);
    for (unsigned i = 0; i < 4; i++)
        ck_assert(evaluator_again(ev, i % 2, &turn, &e));
    take_correct(ev, 0);
    for (unsigned i = 0; i < 2; i++) { // in both its turns
        struct result *r = take(ev, &ticket);
        ck_assert_uint_eq(ticket, 1);
        ck_assert_int_eq(r->fault, FAULT_LOST);
        result_free(r);
    }
    ck_assert_int_eq(evaluator_take(ev, 5000, &out, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "device lost"));
    evaluator_free(ev);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("device", setup, 60);
    tcase_add_loop_test(cases, test_dies_and_stays_dead, 0, WAYS);
    tcase_add_loop_test(cases, test_dies_under_the_first, 0, WAYS);
    tcase_add_loop_test(cases, test_builds_fail_on_it_too, 0, 2);
    tcase_add_test(cases, test_unverified_job_proves_nothing);
    tcase_add_loop_test(cases, test_recovers, 0, 6);
    tcase_add_loop_test(cases, test_blamed_when_the_device_lives, 0, 3);
    tcase_add_loop_test(cases, test_no_cost_without_a_loss, 0, 4);
    tcase_add_loop_test(cases, test_dead_before_anything, 0, 4);
    tcase_add_test(cases, test_dies_in_a_round);
    return run_cases(cases);
}
