// A driver and a compiler that fail in the middle: each of their calls, each time that it is made,
// answers with an error once. Whatever happens is a result or an error that names the call and its
// code; nothing crashes, nothing is left behind, and nothing wrong is called correct.
#include "../base/suite.h"
#include "../device/gemm_job.h"
#include "../fake_driver/life.h"
#include "../support/patience.h"
#include "kit.h"

#include "os/process.h"
#include "base/text.h"
#include "device/backends/cuda/cuda_api.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The libraries' own functions for tests.
struct library {
    const char *name, *prefix; // of its calls
    int (*live_objects)(void);
    unsigned (*count)(const char *call);
    void (*forget)(void);
};
static struct library libraries[] = {{.name = CUDA_LIBRARY, .prefix = "cu"},
                                     {.name = "libnvrtc.so", .prefix = "nvrtc"}};

static const char *const calls[] = {
#define X(name, symbol, result, parameters) #name,
    CUDA_DRIVER_FUNCTIONS(X) CUDA_OPTIONAL_FUNCTIONS(X) NVRTC_FUNCTIONS(X)
#undef X
};
#define CALLS (int)(sizeof calls / sizeof *calls)

// What need not be named when it fails: what gives something back, words for codes, and questions
// that a driver need not answer.
static const char *const unnoticed[] = {
    "cuGetError",
    "cuDriverGetVersion",
    "cuDeviceGet",
    "cuDeviceTotalMem",
    "cuFuncGetAttribute",
    "cuFuncGetParamInfo",
    "cuOccupancy",
    "cuMemFree",
    "cuModuleUnload",
    "cuEventDestroy",
    "cuArrayDestroy",
    "cuTexObjectDestroy",
    "cuSurfObjectDestroy",
    "cuStreamDestroy",
    "cuDevicePrimaryCtxRelease",
    "nvrtcGetErrorString",
    "nvrtcDestroyProgram",
    "nvrtcGetProgramLog",
    "nvrtcVersion",
    "nvrtcGetNumSupported",
    "nvrtcGetSupported",
    "nvrtcGetPTX",
    "nvrtcGetCUBINSize", // told as nvrtcGetCUBIN
};

static bool may_go_unnoticed(const char *call)
{
    for (size_t i = 0; i < sizeof unnoticed / sizeof *unnoticed; i++) {
        if (str_starts(call, unnoticed[i]))
            return true;
    }
    return false;
}

static void find(void *library, const char *name, void *out, size_t size)
{
    void *symbol = dlsym(library, name);
    ck_assert_msg(symbol != NULL, "LD_LIBRARY_PATH does not name the fake driver");
    memcpy(out, &symbol, size);
}

static void open_libraries(void)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        struct library *l = &libraries[i];
        void *handle = dlopen(l->name, RTLD_NOW | RTLD_LOCAL);
        ck_assert_msg(handle != NULL, "%s", dlerror());
        find(handle, "fake_live_objects", &l->live_objects, sizeof l->live_objects);
        find(handle, "fake_count", &l->count, sizeof l->count);
        find(handle, "fake_forget", &l->forget, sizeof l->forget);
    }
}

static void forget(void)
{
    libraries[0].forget();
    libraries[1].forget();
}

static unsigned count(const char *call)
{
    return libraries[str_starts(call, libraries[1].prefix)].count(call);
}

static int live_objects(void)
{
    return libraries[0].live_objects() + libraries[1].live_objects();
}

// ---- tests

START_TEST(a_driver_in_order_is_correct)
{
    struct life life;
    open_libraries();
    life_live(&life, LANGUAGE_CUDA);
    ck_assert_msg(life.correct && life.right, "%s", life.said);
    ck_assert_int_eq(live_objects(), 0);
    for (int i = 0; i < CALLS; i++) // or this test says nothing of it
        ck_assert_msg(count(calls[i]) > 0 || may_go_unnoticed(calls[i]) ||
                          strcmp(calls[i], "cuFuncSetAttribute") == 0 ||
                          strcmp(calls[i], "cuMemcpyDtoDAsync") == 0,
                      "%s is never called", calls[i]);
}
END_TEST

static void check_failure(const char *call, int nth, const struct life *life)
{
    bool named = strstr(life->said, call) && strstr(life->said, LIFE_CODE_TEXT);
    ck_assert_msg(life->right || named || may_go_unnoticed(call), "%s@%d is not named:\n%s", call,
                  nth, life->said);
    ck_assert_msg(!life->correct || life->right || life->unread, "%s@%d: wrong, and called correct",
                  call, nth);
    ck_assert_msg(live_objects() == 0, "%s@%d: %d objects left", call, nth, live_objects());
}

// The nth call fails, for each n (a sanitizer: each third) until a life makes fewer calls.
// What the user says of the queues of a context stays.
START_TEST(contexts_have_one_queue)
{
    struct life life;
    open_libraries();
    unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
    if (_i)
        setenv("CUDA_DEVICE_MAX_CONNECTIONS", "4", 1);
    life_live(&life, LANGUAGE_CUDA);
    ck_assert(life.correct);
    ck_assert_str_eq(getenv("CUDA_DEVICE_MAX_CONNECTIONS"), _i ? "4" : "1");
}
END_TEST

START_TEST(each_failing_call_is_named)
{
    const char *call = calls[_i];
    struct life life;
    open_libraries();
    for (int nth = 1;; nth += SUITE_SANITIZED ? 3 : 1) {
        forget();
        life_order("FAIL", "%s:%d@%d", call, LIFE_CODE, nth);
        life_live(&life, LANGUAGE_CUDA);
        if (count(call) < (unsigned)nth)
            break;
        check_failure(call, nth, &life);
    }
}
END_TEST

// Every call of the name fails: what is asked again after a failure fails again.
START_TEST(a_call_that_never_works_ends)
{
    struct life life;
    open_libraries();
    life_order("FAIL", "%s:%d", calls[_i], LIFE_CODE);
    life_live(&life, LANGUAGE_CUDA);
    ck_assert_msg(!life.correct || life.right || life.unread, "%s: wrong, and called correct",
                  calls[_i]);
    ck_assert_int_eq(live_objects(), 0);
}
END_TEST

START_TEST(lies_are_not_believed)
{
    static const char *const lies[] = {"garbage", "nothing", "unread"};
    struct life life;
    open_libraries();
    life_order("LIE", "%s", lies[_i]);
    life_live(&life, LANGUAGE_CUDA);
    ck_assert_msg(!life.correct, "%s is called correct", lies[_i]);
    ck_assert_int_eq(live_objects(), 0);
}
END_TEST

// Its events say 0: the host's clock is taken, and that is said.
START_TEST(the_hosts_clock_takes_over)
{
    struct life life;
    open_libraries();
    life_order("LIE", "zero");
    life_live(&life, LANGUAGE_CUDA);
    ck_assert_msg(life.correct && life.right, "%s", life.said);
    ck_assert_msg(strstr(life.said, "its events say 0 ns for a wait of 1000000") != NULL, "%s",
                  life.said);
}
END_TEST

// What a launch may end with, what is said of it, and that everything is given back.
static const struct {
    int code;
    const char *name;
} ends[] = {
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},   {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {719, "CUDA_ERROR_LAUNCH_FAILED"},     {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE"}, {999, "CUDA_ERROR_UNKNOWN"},
    {-5, "a code of the driver's own"},
};

START_TEST(a_failed_launch_is_named)
{
    struct life life;
    open_libraries();
    life_order("DIE", "#1");
    life_order("HOW", "wait");
    life_order("CODE", "%d", ends[_i].code);
    life_live(&life, LANGUAGE_CUDA);
    ck_assert(!life.correct);
    ck_assert_msg(strstr(life.said, ends[_i].name) != NULL, "%s", life.said);
    ck_assert_int_eq(live_objects(), 0);
}
END_TEST

// The clock counts in steps of `tick`, whatever NVIDIA says of it.
START_TEST(resolution_is_tried)
{
    static const struct {
        const char *tick;
        uint64_t least, most;
    } cases[] = {{"1", 1, 40}, {"500", 499, 501}, {"32000", 31999, 32001}};
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    ck_assert(mkdtemp(scratch) != NULL);
    open_libraries();
    life_order("TICK_NS", "%s", cases[_i].tick);
    struct device *d = device_open("cuda/Fake card", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    ck_assert_uint_ge(device_describe(d)->timer_ns, cases[_i].least);
    ck_assert_uint_le(device_describe(d)->timer_ns, cases[_i].most);
    device_close(d);
    ck_assert_int_eq(live_objects(), 0);
    folder_remove(scratch);
}
END_TEST

// The host takes longer to enqueue a launch than the card to run it: that is no time of the kernel.
START_TEST(a_slow_host_is_not_timed)
{
    open_libraries();
    ck_assert_uint_lt(life_short_launch_ns("cuda/Fake card", LANGUAGE_CUDA), 10000);
}
END_TEST

// ---- the compiler is awake before the first job

#define OWN_KERNELS 4 // checksum, product of floats, their comparison, inputs

static struct device *open_awake(bool build_only, const char *scratch, struct error *e)
{
    struct device_options options = {.scratch = scratch, .root = scratch, .wakes = true};
    options.build_only = build_only;
    return device_open("cuda/Fake card", &options, e);
}

static void prepare(struct device *d, const struct gemm_case *size)
{
    struct job *j = gemm_job(LANGUAGE_CUDA, ROUTINE_CUBLAS, NULL, size);
    struct result *r = result_new();
    ck_assert_msg(device_prepare(d, j, r), "%s", r->message);
    result_free(r);
    job_free(j);
}

// Without a job; and what a job then wants is not built again.
START_TEST(the_compiler_is_called_before_the_first_job)
{
    static const struct gemm_case large = {.m = 1024, .n = 1024, .k = 8, .alpha = 1};
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct error e = ERROR_INIT;
    uint64_t start = clock_ns();
    ck_assert(mkdtemp(scratch) != NULL);
    open_libraries();
    struct device *d = open_awake(false, scratch, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    while (count("nvrtcCompileProgram") < OWN_KERNELS &&
           clock_ns() - start < patience() * 20000000000u)
        sched_yield();
    ck_assert_uint_eq(count("nvrtcCompileProgram"), OWN_KERNELS);
    prepare(d, &large);
    ck_assert_uint_eq(count("nvrtcCompileProgram"), OWN_KERNELS);
    device_close(d);
    ck_assert_int_eq(live_objects(), 0);
    folder_remove(scratch);
}
END_TEST

// A context that is refused while a kernel is being built, a device that is closed at once, one
// that only builds.
START_TEST(an_awake_device_ends_at_any_time)
{
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct error e = ERROR_INIT;
    ck_assert(mkdtemp(scratch) != NULL);
    open_libraries();
    life_order("FAIL", "cuDevicePrimaryCtxRetain:%d", LIFE_CODE);
    ck_assert_ptr_null(open_awake(false, scratch, &e));
    ck_assert_msg(strstr(e.text, "cuDevicePrimaryCtxRetain") != NULL, "%s", e.text);
    ck_assert_int_eq(live_objects(), 0);
    life_order("FAIL", "%s", "");
    device_close(open_awake(false, scratch, NULL));
    ck_assert_int_eq(live_objects(), 0);
    forget();
    device_close(open_awake(true, scratch, NULL));
    ck_assert_uint_eq(count("nvrtcCompileProgram"), 0);
    ck_assert_int_eq(live_objects(), 0);
    folder_remove(scratch);
}
END_TEST

static void add(TCase *t)
{
    tcase_add_test(t, a_driver_in_order_is_correct);
    tcase_add_loop_test(t, contexts_have_one_queue, 0, 2);
    tcase_add_loop_test(t, each_failing_call_is_named, 0, CALLS);
    tcase_add_loop_test(t, a_call_that_never_works_ends, 0, CALLS);
    tcase_add_test(t, the_hosts_clock_takes_over);
    tcase_add_loop_test(t, lies_are_not_believed, 0, 3);
    tcase_add_loop_test(t, a_failed_launch_is_named, 0, sizeof ends / sizeof *ends);
    tcase_add_loop_test(t, resolution_is_tried, 0, 3);
    tcase_add_test(t, a_slow_host_is_not_timed);
    tcase_add_test(t, the_compiler_is_called_before_the_first_job);
    tcase_add_test(t, an_awake_device_ends_at_any_time);
}

int main(void)
{
    return kit_run("calls of the driver", add);
}
