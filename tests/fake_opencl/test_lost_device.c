// Whole tunes on a driver that dies, hangs and lies: a dead device is told as such and nobody is
// blamed but what ran there; every hang ends; nothing wrong is called correct; no process is left.
#include "../fake_driver/tunes.h"
#include "../support/at_once.h"

#include "device/backends/opencl/opencl_api.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- a device that dies at configuration 20 and stays dead

static const struct {
    const char *how, *dead;
} deaths[] = {
    {"kill", "open"}, {"kill", "build"}, {"kill", "refuse"}, {"kill", "wait"},
    {"kill", "hang"}, {"kill", "kill"},  {"abort", "open"},  {"abort", "kill"},
    {"wait", "open"}, {"wait", "wait"},  {"wait", "hang"},
};

static void a_dead_device_is_told_and_nobody_else_is_blamed(int at)
{
    struct tune t;
    struct text output = TEXT_INIT;
    struct stored s;
    static const char *const retry[] = {"--fresh=failures", NULL};
    tune_prepare(&t);
    tune_order("DIE", "ID=20");
    tune_order("HOW", deaths[at].how);
    tune_order("DEAD", deaths[at].dead);
    tune_start(&t, NULL);
    int code = tune_end(&t, 60 * SECONDS);
    tune_output(&t, &output);
    tune_check_death(&t, code, text_cstr(&output));
    ck_assert(tune_leaves_no_worker(&t));

    // The device is well again: what killed it is left alone, the rest is done.
    tune_revive(&t);
    tune_start(&t, NULL);
    code = tune_end(&t, 60 * SECONDS);
    tune_output(&t, &output);
    tune_stored(&t, &s);
    ck_assert_msg(code == 0, "exit %d: %s", code, text_cstr(&output));
    ck_assert_uint_eq(s.of[DEADLY], 1);
    ck_assert_uint_eq(s.correct, CONFIGURATIONS - 1 + (s.rows - CONFIGURATIONS));
    for (unsigned i = DEADLY + 1; i < CONFIGURATIONS; i++)
        ck_assert_msg(s.of[i] >= 1 && s.last[i] == STATUS_CORRECT, "ID=%u: %s", i, s.message[i]);

    // Asked for, and harmless now.
    tune_order("DIE", NULL);
    tune_start(&t, retry);
    ck_assert_int_eq(tune_end(&t, 60 * SECONDS), 0);
    tune_stored(&t, &s);
    ck_assert_uint_ge(s.correct_of[DEADLY], 1);
    folder_remove(t.folder);
    text_release(&output);
}

// A check's device dies the same way; what killed it is a failure until it is asked for again.
static void a_check_loses_its_device(int at)
{
    struct tune t;
    struct text output = TEXT_INIT;
    static const char *const retry[] = {"--fresh=failures", NULL};
    tune_prepare(&t);
    t.command = "check";
    tune_order("DIE", "ID=20");
    tune_order("HOW", deaths[at].how);
    tune_order("DEAD", deaths[at].dead);
    tune_start(&t, NULL);
    int code = tune_end(&t, 60 * SECONDS);
    tune_output(&t, &output);
    tune_check_death(&t, code, text_cstr(&output));
    ck_assert(strstr(text_cstr(&output), "INCOMPLETE") || strstr(text_cstr(&output), "FAILED"));
    ck_assert(tune_leaves_no_worker(&t));

    tune_revive(&t);
    tune_start(&t, NULL);
    code = tune_end(&t, 60 * SECONDS);
    tune_output(&t, &output);
    ck_assert_msg(code == 1 && strstr(text_cstr(&output), "FAILED: 1 of 40 configurations\n"), "%s",
                  text_cstr(&output));
    tune_order("DIE", NULL);
    tune_start(&t, retry);
    code = tune_end(&t, 60 * SECONDS);
    tune_output(&t, &output);
    ck_assert_msg(code == 0 && strstr(text_cstr(&output), "OK: 40 configurations are correct\n"),
                  "%s", text_cstr(&output));
    folder_remove(t.folder);
    text_release(&output);
}

// ---- a driver that hangs, in each call in turn

static const char *const calls[] = {
#define X(name) #name,
    OPENCL_FUNCTIONS(X)
#undef X
};
enum { CALLS = sizeof calls / sizeof *calls };

// The other kinds: what only they call, or call otherwise.
static const struct {
    const char *kind, *calls[8]; // none: all
} kinds[] = {
    {"card", {NULL}},
    {"nvidia", {"clCreateProgramWithBinary", "clGetProgramInfo", "clBuildProgram"}},
    {"cpu", {"clEnqueueMapBuffer", "clEnqueueUnmapMemObject"}},
    {"pocl",
     {"clCreateUserEvent", "clSetUserEventStatus", "clSetEventCallback", "clEnqueueNDRangeKernel",
      "clWaitForEvents", "clFinish"}},
};

static bool is_called(int kind, const char *call)
{
    const char *const *some = kinds[kind].calls;
    for (size_t i = 0; some[i]; i++) {
        if (str_equal(some[i], call))
            return true;
    }
    return !some[0];
}

// All at once: they only wait, as a CPU for the host's lock as well. Listing devices has a limit
// of a minute.
static void every_hang_ends(int at)
{
    static const char *const few[] = {"--where", "ID < 3", NULL};
    struct tune tunes[CALLS];
    const char *hanging[CALLS];
    int codes[CALLS], count = 0;
    tune_order("KIND", kinds[at].kind);
    for (int i = 0; i < CALLS; i++) {
        if (is_called(at, calls[i]))
            hanging[count++] = calls[i];
    }
    for (int i = 0; i < count; i++) {
        tune_prepare(&tunes[i]);
        tune_order("HANG", hanging[i]);
        tune_start(&tunes[i], few);
    }
    for (int i = 0; i < count; i++)
        codes[i] = tune_end(&tunes[i], 150 * SECONDS);
    for (int i = 0; i < count; i++) {
        tune_check_hang(&tunes[i], hanging[i], codes[i]);
        folder_remove(tunes[i].folder);
    }
}

// ---- a driver that lies about success

static void nothing_that_a_liar_ran_is_correct(int at)
{
    static const char *const lies[] = {"garbage", "nothing", "unread"};
    struct tune t;
    struct text output = TEXT_INIT;
    struct stored s;
    tune_prepare(&t);
    tune_order("LIE", lies[at]);
    tune_start(&t, NULL);
    int code = tune_end(&t, 60 * SECONDS);
    tune_output(&t, &output);
    tune_stored(&t, &s);
    ck_assert_msg(code == 1, "%s: exit %d: %s", lies[at], code, text_cstr(&output));
    ck_assert_uint_eq(s.correct, 0);
    ck_assert(tune_leaves_no_worker(&t));
    folder_remove(t.folder);
    text_release(&output);
}

// ---- events whose times are none

static bool count_clocks(void *context, const struct store_row *row)
{
    unsigned *by = context;
    by[*row->result->timer_fault != 0]++;
    return true;
}

// From the start, and from the middle of the search or of the ranking on. What was timed by the
// device's clock before takes no part in the ranking.
static void the_hosts_clock_takes_over_in_a_tune(int at)
{
    static const char *const honest[] = {"0", "300", "700"};
    // A busy host's clock would have the ranking go on for minutes.
    static const char *const few[] = {"--rule", "rounds=8",  "--rule", "resolution=1",
                                      "--rule", "repeats=0", NULL};
    struct tune t;
    struct text output = TEXT_INIT;
    struct store_query query = {0};
    struct error e = ERROR_INIT;
    unsigned by[2] = {0, 0};
    char path[128];
    tune_prepare(&t);
    tune_order("TIMES", "backwards");
    tune_order("HONEST", honest[at]);
    tune_start(&t, few);
    int code = tune_end(&t, 100 * SECONDS);
    tune_output(&t, &output);
    const char *said = text_cstr(&output), *first = strstr(said, "Times are the host's clock");
    ck_assert_msg(code == 0, "exit %d: %s", code, said);
    ck_assert_msg(first && !strstr(first + 1, "Times are the host's clock"), "%s", said);
    tune_path(&t, "store.sqlite", path);
    struct store *s = store_open(path, STORE_READ, &e);
    ck_assert_msg(s && store_each(s, &query, count_clocks, by, &e), "%s", e.text);
    store_close(s);
    ck_assert_msg(at == 0 ? by[0] == 0 && by[1] >= CONFIGURATIONS : by[0] > 0 && by[1] > 0,
                  "%u by the device's clock, %u by the host's: %s", by[0], by[1], said);
    folder_remove(t.folder);
    text_release(&output);
}

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

START_TEST(a_lost_device)
{
    static const struct at_once all[] = {
        {"every hang ends", every_hang_ends, 0, COUNT(kinds)},
        {"a dead device is told", a_dead_device_is_told_and_nobody_else_is_blamed, 0,
         COUNT(deaths)},
        {"a check loses its device", a_check_loses_its_device, 7, 10}, // of the deaths
        {"nothing that a liar ran is correct", nothing_that_a_liar_ran_is_correct, 0, 3},
        {"the host's clock takes over", the_hosts_clock_takes_over_in_a_tune, 0, 3},
    };
    at_once(all, sizeof all / sizeof *all, 6);
}
END_TEST

int main(void)
{
    if (access(HONE_BINARY_DIR "/hone", X_OK) != 0) {
        printf("skipped: no hone in the build folder\n");
        return 77;
    }
    Suite *suite = suite_create("lost device");
    TCase *cases = tcase_create("lost device");
    tcase_set_timeout(cases, 500);
    tcase_add_test(cases, a_lost_device);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
