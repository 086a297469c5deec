// Whole tunes on a driver that dies, hangs and lies: a dead device is told as such and nobody is
// blamed but what ran there; every hang ends; nothing wrong is called correct; no process is left.
#include "base/process.h"
#include "base/text.h"
#include "device/opencl_api.h"
#include "store/store.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPEC    HONE_SOURCE_DIR "/tests/fake_opencl/data/forty.json"
#define SECONDS 1000000000ull

enum { CONFIGURATIONS = 40, DEADLY = 20 };

// A folder of its own for each tune: store, caches, output, and the name its workers go by.
struct tune {
    char folder[64];
    const char *command;
    pid_t hone;
    uint64_t start_ns;
};

static void path_in(const struct tune *t, const char *name, char out[128])
{
    snprintf(out, 128, "%.63s/%s", t->folder, name);
}

static void prepare(struct tune *t)
{
    char worker[128];
    *t = (struct tune){.folder = "/tmp/hone-test-lost-XXXXXX", .command = "tune"};
    ck_assert_ptr_nonnull(mkdtemp(t->folder));
    path_in(t, "worker", worker);
    ck_assert_int_eq(symlink(HONE_BINARY_DIR "/hone-worker", worker), 0);
}

static void order(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

static void surround(const struct tune *t)
{
    char path[128];
    path_in(t, "worker", path);
    order("HONE_WORKER", path);
    path_in(t, "dead", path);
    order("FAKE_CL_STATE", path);
    order("FAKE_CL_NAME", t->folder); // a lock of its own
    order("XDG_CACHE_HOME", t->folder);
}

// Starts hone with `more` arguments, up to a NULL, behind those that all tunes have.
static void start(struct tune *t, const char *const *more)
{
    const char *argv[16] = {"hone", t->command, SPEC, "--timeout", "build=2s,launch=1s,driver=2s"};
    char store[128], output[128];
    size_t n = 5;
    path_in(t, "store.sqlite", store);
    path_in(t, "output", output);
    argv[n++] = "--store", argv[n++] = store;
    for (size_t i = 0; more && more[i]; i++)
        argv[n++] = more[i];
    t->start_ns = clock_ns();
    t->hone = fork();
    ck_assert_int_ge(t->hone, 0);
    if (t->hone > 0)
        return;
    surround(t);
    int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(fd, 1);
    dup2(fd, 2);
    execv(HONE_BINARY_DIR "/hone", (char *const *)argv);
    _exit(127);
}

// Its exit status; it is killed, and the test fails, when it takes longer than it may.
static int end(struct tune *t, uint64_t most_ns)
{
    int status = 0;
    pid_t got;
    while ((got = waitpid(t->hone, &status, WNOHANG)) == 0 && clock_ns() < t->start_ns + most_ns)
        usleep(10000);
    if (got == t->hone)
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    kill(t->hone, SIGKILL);
    waitpid(t->hone, NULL, 0);
    return -SIGALRM;
}

static void read_output(const struct tune *t, struct text *out)
{
    char path[128];
    path_in(t, "output", path);
    file_read(path, 0, out, NULL);
}

// A worker ends at once when its tuner does; init may need a moment to see it off.
static bool leaves_no_worker(const struct tune *t)
{
    char command[128];
    bool left = true;
    snprintf(command, sizeof command, "pgrep -f '^%s/worker' >/dev/null", t->folder);
    for (int tries = 0; left && tries < 100; tries++) {
        left = system(command) == 0;
        usleep(left ? 20000 : 0);
    }
    return !left;
}

// ---- what is in the store

struct stored {
    unsigned rows, correct;
    unsigned of[CONFIGURATIONS]; // rows of each
    unsigned correct_of[CONFIGURATIONS];
    enum status last[CONFIGURATIONS];
    enum fault fault[CONFIGURATIONS];
    char message[CONFIGURATIONS][256];
};

static bool take_row(void *context, const struct store_row *row)
{
    struct stored *s = context;
    unsigned id = CONFIGURATIONS;
    ck_assert_int_eq(sscanf(row->configuration, "ID=%u", &id), 1);
    ck_assert_uint_lt(id, CONFIGURATIONS);
    s->rows++;
    s->of[id]++;
    s->correct += row->result->status == STATUS_CORRECT;
    s->correct_of[id] += row->result->status == STATUS_CORRECT;
    s->last[id] = row->result->status;
    s->fault[id] = row->result->fault;
    snprintf(s->message[id], sizeof s->message[id], "%s", row->result->message);
    return true;
}

static void read_store(const struct tune *t, struct stored *out)
{
    char path[128];
    struct error e = ERROR_INIT;
    struct store_query query = {0};
    path_in(t, "store.sqlite", path);
    memset(out, 0, sizeof *out);
    struct store *s = access(path, F_OK) == 0 ? store_open(path, STORE_READ, &e) : NULL;
    if (!s)
        return; // nothing was ever written
    ck_assert_msg(store_each(s, &query, take_row, out, &e), "%s", e.text);
    store_close(s);
}

// ---- a device that dies at configuration 20 and stays dead

static const struct {
    const char *how, *dead;
} deaths[] = {
    {"kill", "open"}, {"kill", "build"}, {"kill", "refuse"}, {"kill", "wait"},
    {"kill", "hang"}, {"kill", "kill"},  {"abort", "open"},  {"abort", "kill"},
    {"wait", "open"}, {"wait", "wait"},  {"wait", "hang"},
};

static void check_death(const struct tune *t, int code, const char *output)
{
    struct stored s;
    read_store(t, &s);
    ck_assert_msg(code == 1, "exit %d: %s", code, output);
    ck_assert_msg(strstr(output, "device lost: ") != NULL, "%s", output);
    ck_assert_msg(strstr(output, "ID=20") != NULL, "%s", output);
    for (unsigned i = 0; i < DEADLY; i++)
        ck_assert_msg(s.of[i] == 1 && s.last[i] == STATUS_CORRECT, "ID=%u: %u rows, %s", i, s.of[i],
                      s.message[i]);
    ck_assert_uint_eq(s.of[DEADLY], 1);
    ck_assert(s.last[DEADLY] == STATUS_RUNTIME || s.last[DEADLY] == STATUS_TIMEOUT);
    ck_assert_int_eq(s.fault[DEADLY], FAULT_LOST);
    ck_assert_msg(strstr(s.message[DEADLY], "the device was lost") != NULL, "%s",
                  s.message[DEADLY]);
    ck_assert_uint_eq(s.rows, DEADLY + 1);
}

static void revive(const struct tune *t)
{
    char path[128];
    path_in(t, "dead", path);
    unlink(path);
}

START_TEST(a_dead_device_is_told_and_nobody_else_is_blamed)
{
    struct tune t;
    struct text output = TEXT_INIT;
    struct stored s;
    static const char *const retry[] = {"--retry", NULL};
    prepare(&t);
    order("FAKE_CL_DIE", "ID=20");
    order("FAKE_CL_HOW", deaths[_i].how);
    order("FAKE_CL_DEAD", deaths[_i].dead);
    start(&t, NULL);
    int code = end(&t, 60 * SECONDS);
    read_output(&t, &output);
    check_death(&t, code, text_cstr(&output));
    ck_assert(leaves_no_worker(&t));

    // The device is well again: what killed it is left alone, the rest is done.
    revive(&t);
    start(&t, NULL);
    code = end(&t, 60 * SECONDS);
    read_output(&t, &output);
    read_store(&t, &s);
    ck_assert_msg(code == 0, "exit %d: %s", code, text_cstr(&output));
    ck_assert_uint_eq(s.of[DEADLY], 1);
    ck_assert_uint_eq(s.correct, CONFIGURATIONS - 1 + (s.rows - CONFIGURATIONS));
    for (unsigned i = DEADLY + 1; i < CONFIGURATIONS; i++)
        ck_assert_msg(s.of[i] >= 1 && s.last[i] == STATUS_CORRECT, "ID=%u: %s", i, s.message[i]);

    // Asked for, and harmless now.
    order("FAKE_CL_DIE", NULL);
    start(&t, retry);
    ck_assert_int_eq(end(&t, 60 * SECONDS), 0);
    read_store(&t, &s);
    ck_assert_uint_ge(s.correct_of[DEADLY], 1);
    folder_remove(t.folder);
    text_release(&output);
}
END_TEST

// A check's device dies the same way; what killed it is a failure until it is asked for again.
START_TEST(a_check_loses_its_device)
{
    struct tune t;
    struct text output = TEXT_INIT;
    static const char *const retry[] = {"--retry", NULL};
    prepare(&t);
    t.command = "check";
    order("FAKE_CL_DIE", "ID=20");
    order("FAKE_CL_HOW", deaths[_i].how);
    order("FAKE_CL_DEAD", deaths[_i].dead);
    start(&t, NULL);
    int code = end(&t, 60 * SECONDS);
    read_output(&t, &output);
    check_death(&t, code, text_cstr(&output));
    ck_assert(strstr(text_cstr(&output), "INCOMPLETE") || strstr(text_cstr(&output), "FAILED"));
    ck_assert(leaves_no_worker(&t));

    revive(&t);
    start(&t, NULL);
    code = end(&t, 60 * SECONDS);
    read_output(&t, &output);
    ck_assert_msg(code == 1 && strstr(text_cstr(&output), "FAILED: 1 of 40 configurations\n"), "%s",
                  text_cstr(&output));
    order("FAKE_CL_DIE", NULL);
    start(&t, retry);
    code = end(&t, 60 * SECONDS);
    read_output(&t, &output);
    ck_assert_msg(code == 0 && strstr(text_cstr(&output), "OK: 40 configurations are correct\n"),
                  "%s", text_cstr(&output));
    folder_remove(t.folder);
    text_release(&output);
}
END_TEST

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
    {"gpu", {NULL}},
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

// Says what was waited for, or that nothing was wrong with it (a call that is not made).
static void check_hang(const struct tune *t, const char *call, int code)
{
    struct text output = TEXT_INIT;
    struct stored s;
    read_output(t, &output);
    read_store(t, &s);
    const char *text = text_cstr(&output);
    bool says = strstr(text, "limit") || strstr(text, "took longer");
    ck_assert_msg(code == 0 || code == 1, "%s hangs: exit %d: %s", call, code, text);
    ck_assert_msg(code == 0 ? s.correct >= 3 : says, "%s hangs: exit %d: %s", call, code, text);
    ck_assert_msg(leaves_no_worker(t), "%s hangs: a worker is left", call);
    text_release(&output);
}

// All at once: they only wait, on a CPU for each other's lock as well. Listing devices has a limit
// of a minute.
START_TEST(every_hang_ends)
{
    static const char *const few[] = {"--where", "ID < 3", NULL};
    struct tune tunes[CALLS];
    const char *hanging[CALLS];
    int codes[CALLS], count = 0;
    order("FAKE_CL_KIND", kinds[_i].kind);
    for (int i = 0; i < CALLS; i++) {
        if (is_called(_i, calls[i]))
            hanging[count++] = calls[i];
    }
    for (int i = 0; i < count; i++) {
        prepare(&tunes[i]);
        order("FAKE_CL_HANG", hanging[i]);
        start(&tunes[i], few);
    }
    for (int i = 0; i < count; i++)
        codes[i] = end(&tunes[i], 150 * SECONDS);
    for (int i = 0; i < count; i++) {
        check_hang(&tunes[i], hanging[i], codes[i]);
        folder_remove(tunes[i].folder);
    }
}
END_TEST

// ---- a driver that lies about success

START_TEST(nothing_that_a_liar_ran_is_correct)
{
    static const char *const lies[] = {"garbage", "nothing", "unread", "zero"};
    struct tune t;
    struct text output = TEXT_INIT;
    struct stored s;
    prepare(&t);
    order("FAKE_CL_LIE", lies[_i]);
    start(&t, NULL);
    int code = end(&t, 60 * SECONDS);
    read_output(&t, &output);
    read_store(&t, &s);
    ck_assert_msg(code == 1, "%s: exit %d: %s", lies[_i], code, text_cstr(&output));
    ck_assert_uint_eq(s.correct, 0);
    ck_assert(leaves_no_worker(&t));
    folder_remove(t.folder);
    text_release(&output);
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
    tcase_set_timeout(cases, 200);
    tcase_add_loop_test(cases, a_dead_device_is_told_and_nobody_else_is_blamed, 0,
                        sizeof deaths / sizeof *deaths);
    tcase_add_loop_test(cases, a_check_loses_its_device, 7, 10); // of the deaths
    tcase_add_loop_test(cases, nothing_that_a_liar_ran_is_correct, 0, 4);
    tcase_add_loop_test(cases, every_hang_ends, 0, sizeof kinds / sizeof *kinds);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
