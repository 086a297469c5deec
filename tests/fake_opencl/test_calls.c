// A driver that fails in the middle: each of its calls, each time that it is made, answers with an
// error once. Whatever happens is a result or an error that names the call and its code; nothing
// crashes, nothing is left behind, and nothing wrong is called correct.
#include "kit.h"

#include "base/text.h"
#include "device/opencl_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N         256
#define CODE      -1234 // nobody's
#define CODE_TEXT "-1234"

// The driver's own functions for tests.
static struct {
    int (*live_objects)(void);
    unsigned (*count)(const char *call);
    void (*forget)(void);
} driver;

static const char *const kinds[] = {"gpu", "cpu", "pocl", "nvidia"};
#define KINDS (int)(sizeof kinds / sizeof *kinds)

static const char *const calls[] = {
#define X(name) #name,
    OPENCL_FUNCTIONS(X)
#undef X
};
#define CALLS (int)(sizeof calls / sizeof *calls)

// What need not be named when it fails: what gives something back, and questions that a driver
// need not answer. It may cost a fact about the device, or the device itself.
static const char *const unnoticed[] = {
    "clRelease",       "clGetPlatformInfo",        "clGetDeviceInfo",
    "clGetDeviceIDs",  "clGetKernelArgInfo",       "clGetProgramBuildInfo",
    "clGetKernelInfo", "clGetKernelWorkGroupInfo", "clSetEventCallback",
};

static bool may_go_unnoticed(const char *call)
{
    for (size_t i = 0; i < sizeof unnoticed / sizeof *unnoticed; i++) {
        if (str_starts(call, unnoticed[i]))
            return true;
    }
    return false;
}

// ---- one life of a device: a job from its building to its end

struct life {
    char said[4096]; // what failed, all of it
    bool correct;    // verified and measured
    bool right;      // and the output is what it should be
    bool unread;     // the output could not be looked at
};

static void hear(struct life *life, const char *said)
{
    size_t length = strlen(life->said);
    snprintf(life->said + length, sizeof life->said - length, "%s\n", said);
}

// c = a + b; and with a read-write argument, so that there is something to restore.
static struct job *adding(void)
{
    struct job *j = kit_job("__kernel void add(__global const float *a, __global float *b,\n"
                            "                  __global float *c, int n) { /* fake:add */ }\n");
    float expected[N];
    int32_t *n = arena_alloc(&j->arena, sizeof *n);
    kit_buffer(j, "a", N, ACCESS_READ);
    kit_buffer(j, "b", N, ACCESS_BOTH);
    kit_buffer(j, "c", N, ACCESS_WRITE);
    kit_constant(j, 0, 1.5);
    kit_constant(j, 1, 2);
    struct job_launch *l = kit_launch(j, "add", N, 64);
    *n = N;
    struct job_argument scalar = {.kind = ARGUMENT_SCALAR, .name = "n", .value = n, .length = 4};
    scalar.element = (struct element){SCALAR_I32, 1, 0, false};
    struct job_argument *all = arena_array(&j->arena, l->argument_count + 1, sizeof *all);
    memcpy(all, l->arguments, l->argument_count * sizeof *all);
    all[l->argument_count++] = scalar;
    l->arguments = all;
    for (int i = 0; i < N; i++)
        expected[i] = 3.5F;
    kit_expect(j, 2, expected);
    return j;
}

static bool is_right(struct device *d, struct loaded *l, struct life *life)
{
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    float value = 0;
    bool ok = device_output(d, l, 2, &out, &e);
    life->unread = !ok;
    if (!ok)
        hear(life, e.text);
    for (size_t i = 0; ok && i < N; i++) {
        memcpy(&value, out.data + i * sizeof value, sizeof value);
        ok = value == 3.5F;
    }
    text_release(&out);
    return ok;
}

static void run_loaded(struct device *d, const struct job *j, const struct device_image *image,
                       struct life *life)
{
    struct policy policy = {.launches = 2, .batch = 2, .warmups = 1, .compare = true};
    struct result *r = result_new(), *measured = result_new();
    struct text binary = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct loaded *l = device_load(d, j, image, r);
    life->correct = l && device_verify(d, l, &policy, r) && device_measure(d, l, &policy, measured);
    ck_assert(life->correct == (r->status == STATUS_CORRECT && l &&
                                measured->status == STATUS_CORRECT && measured->sample_count == 2));
    hear(life, r->message);
    hear(life, measured->message);
    if (l && !device_binary(d, l, 0, &binary, &e))
        hear(life, e.text);
    life->right = life->correct && is_right(d, l, life);
    device_unload(d, l);
    text_release(&binary);
    result_free(measured);
    result_free(r);
}

static void build_and_run(struct device *d, struct arena *a, struct life *life)
{
    struct job *j = adding();
    struct result *built = result_new(), *prepared = result_new();
    struct device_image image = {.primed = false};
    bool ok = device_build(d, j, a, &image, built) && device_prepare(d, j, prepared);
    hear(life, built->message);
    hear(life, prepared->message);
    if (ok)
        run_loaded(d, j, &image, life);
    result_free(prepared);
    result_free(built);
    job_free(j);
}

static void live(struct life *life)
{
    struct arena arena;
    struct device_list list = {.problem = ""};
    struct error e = ERROR_INIT;
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    ck_assert(mkdtemp(scratch) != NULL);
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct device *d = NULL;
    *life = (struct life){.said = ""};
    arena_init(&arena);
    ck_assert(device_list(&arena, &options, &list, &e));
    hear(life, list.problem);
    if (list.count)
        d = device_open(list.devices[0].id, &options, &e);
    if (d)
        build_and_run(d, &arena, life);
    else
        hear(life, e.text);
    device_close(d);
    arena_release(&arena);
    folder_remove(scratch);
}

static void order(const char *variable, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void order(const char *variable, const char *format, ...)
{
    char value[128];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    ck_assert_int_eq(setenv(variable, value, 1), 0);
}

static void find(void *library, const char *name, void *out, size_t size)
{
    void *symbol = dlsym(library, name);
    ck_assert_msg(symbol != NULL, "LD_LIBRARY_PATH does not name the fake driver");
    memcpy(out, &symbol, size);
}

static void open_driver(const char *kind)
{
    void *library = dlopen(OPENCL_LIBRARY, RTLD_NOW);
    ck_assert(library != NULL);
    find(library, "fake_live_objects", &driver.live_objects, sizeof driver.live_objects);
    find(library, "fake_count", &driver.count, sizeof driver.count);
    find(library, "fake_forget", &driver.forget, sizeof driver.forget);
    order("FAKE_CL_KIND", "%s", kind);
}

// ---- tests

START_TEST(a_driver_in_order_is_correct)
{
    struct life life;
    open_driver(kinds[_i]);
    live(&life);
    ck_assert_msg(life.correct && life.right, "%s", life.said);
    ck_assert_int_eq(driver.live_objects(), 0);
}
END_TEST

static void check_failure(const char *call, int nth, const struct life *life)
{
    bool named = strstr(life->said, call) && strstr(life->said, CODE_TEXT);
    ck_assert_msg(life->right || named || may_go_unnoticed(call), "%s@%d is not named:\n%s", call,
                  nth, life->said);
    ck_assert_msg(!life->correct || life->right || life->unread, "%s@%d: wrong, and called correct",
                  call, nth);
    ck_assert_msg(driver.live_objects() == 0, "%s@%d: %d objects left", call, nth,
                  driver.live_objects());
}

// The nth call fails, for each n until a life makes fewer calls.
START_TEST(each_failing_call_is_named)
{
    const char *call = calls[_i % CALLS];
    struct life life;
    open_driver(kinds[_i / CALLS]);
    for (int nth = 1;; nth++) {
        driver.forget();
        order("FAKE_CL_FAIL", "%s:%d@%d", call, CODE, nth);
        live(&life);
        if (driver.count(call) < (unsigned)nth)
            break;
        check_failure(call, nth, &life);
    }
}
END_TEST

// Every call of the name fails: what is asked again after a failure fails again.
START_TEST(a_call_that_never_works_ends)
{
    const char *call = calls[_i % CALLS];
    struct life life;
    open_driver(kinds[_i / CALLS]);
    order("FAKE_CL_FAIL", "%s:%d", call, CODE);
    live(&life);
    ck_assert_msg(!life.correct || life.right || life.unread, "%s: wrong, and called correct",
                  call);
    ck_assert_int_eq(driver.live_objects(), 0);
}
END_TEST

// The clock counts in steps of `tick`, whatever the driver says of it.
START_TEST(resolution_is_tried)
{
    static const struct {
        const char *tick, *claimed;
        uint64_t least, most;
    } cases[] = {
        {"1", "1", 1, 1},          {"1000", "1", 1000, 1000}, {"1000", "1000", 1000, 1000},
        {"1", "1000", 1000, 1000}, {"32", "1", 32, 32},       {"1000", "0", 1000, 1000},
    };
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    ck_assert(mkdtemp(scratch) != NULL);
    open_driver("gpu");
    order("FAKE_CL_TICK_NS", "%s", cases[_i].tick);
    order("FAKE_CL_RESOLUTION_NS", "%s", cases[_i].claimed);
    struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    ck_assert_uint_ge(device_describe(d)->timer_ns, cases[_i].least);
    ck_assert_uint_le(device_describe(d)->timer_ns, cases[_i].most);
    device_close(d);
    ck_assert_int_eq(driver.live_objects(), 0);
    folder_remove(scratch);
}
END_TEST

START_TEST(lies_are_not_believed)
{
    static const char *const lies[] = {"garbage", "nothing", "zero", "unread"};
    struct life life;
    for (int kind = 0; kind < KINDS; kind++) {
        open_driver(kinds[kind]);
        order("FAKE_CL_LIE", "%s", lies[_i]);
        live(&life);
        if (strcmp(lies[_i], "unread") == 0 && life.right)
            continue; // a device that works on the host's memory is not read from
        ck_assert_msg(!life.correct, "%s: %s is called correct", kinds[kind], lies[_i]);
        ck_assert_int_eq(driver.live_objects(), 0);
    }
}
END_TEST

static void add(TCase *t)
{
    tcase_add_loop_test(t, a_driver_in_order_is_correct, 0, KINDS);
    tcase_add_loop_test(t, each_failing_call_is_named, 0, KINDS * CALLS);
    tcase_add_loop_test(t, a_call_that_never_works_ends, 0, KINDS * CALLS);
    tcase_add_loop_test(t, resolution_is_tried, 0, 6);
    tcase_add_loop_test(t, lies_are_not_believed, 0, 4);
}

int main(void)
{
    return kit_run("calls of the driver", add);
}
