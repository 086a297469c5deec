// A driver that fails in the middle: each of its calls, each time that it is made, answers with an
// error once. Whatever happens is a result or an error that names the call and its code; nothing
// crashes, nothing is left behind, and nothing wrong is called correct.
#include "../base/suite.h"
#include "../device/gemm_job.h"
#include "../fake_driver/life.h"
#include "../support/patience.h"
#include "kit.h"

#include "os/process.h"
#include "base/text.h"
#include "device/open_device.h"
#include "device/backends/opencl/opencl_api.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The driver's own functions for tests.
static struct {
    int (*live_objects)(void);
    unsigned (*count)(const char *call);
    void (*forget)(void);
} driver;

static const char *const kinds[] = {"gpu", "cpu", "pocl", "nvidia", "nvidia"};
#define KINDS (int)(sizeof kinds / sizeof *kinds)
// The last one's programs are rewritten for another target: two builds, and a binary in between.
#define RETARGETED (KINDS - 1)

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

static void find(void *library, const char *name, void *out, size_t size)
{
    void *symbol = dlsym(library, name);
    ck_assert_msg(symbol != NULL, "LD_LIBRARY_PATH does not name the fake driver");
    memcpy(out, &symbol, size);
}

static void open_driver(int kind)
{
    void *library = dlopen(OPENCL_LIBRARY, RTLD_NOW);
    ck_assert(library != NULL);
    find(library, "fake_live_objects", &driver.live_objects, sizeof driver.live_objects);
    find(library, "fake_count", &driver.count, sizeof driver.count);
    find(library, "fake_forget", &driver.forget, sizeof driver.forget);
    life_order("KIND", "%s", kinds[kind]);
}

static void live(struct life *life, int kind)
{
    if (kind == RETARGETED)
        life_live_retargeted(life, "sm_90a");
    else
        life_live(life, LANGUAGE_OPENCL);
}

// ---- tests

// Whatever OpenCL, CUDA and NVML this machine has.
START_TEST(the_fakes_device_is_the_only_one)
{
    struct arena arena;
    struct device_report list;
    struct error e = ERROR_INIT;
    struct device_options options = {.root = "/nowhere", .languages = languages_unnamed()};
    arena_init(&arena);
    open_driver(0);
    ck_assert_msg(device_list(&arena, &options, &list, &e), "%s", e.text);
    ck_assert_str_eq(list.problem, "");
    ck_assert_uint_eq(list.note_count, 0);
    ck_assert_uint_eq(list.device_count, 1);
    ck_assert_str_eq(list.devices[0].vendor, "Fake");
    arena_release(&arena);
}
END_TEST

START_TEST(a_driver_in_order_is_correct)
{
    struct life life;
    open_driver(_i);
    live(&life, _i);
    ck_assert_msg(life.correct && life.right, "%s", life.said);
    ck_assert_int_eq(driver.live_objects(), 0);
}
END_TEST

static void check_failure(const char *call, int nth, const struct life *life)
{
    bool named = strstr(life->said, call) && strstr(life->said, LIFE_CODE_TEXT);
    ck_assert_msg(life->right || named || may_go_unnoticed(call), "%s@%d is not named:\n%s", call,
                  nth, life->said);
    ck_assert_msg(!life->correct || life->right || life->unread, "%s@%d: wrong, and called correct",
                  call, nth);
    ck_assert_msg(driver.live_objects() == 0, "%s@%d: %d objects left", call, nth,
                  driver.live_objects());
}

// The nth call fails, for each n (a sanitizer: each third) until a life makes fewer calls.
START_TEST(each_failing_call_is_named)
{
    const char *call = calls[_i % CALLS];
    struct life life;
    open_driver(_i / CALLS);
    for (int nth = 1;; nth += SUITE_SANITIZED ? 3 : 1) {
        driver.forget();
        life_order("FAIL", "%s:%d@%d", call, LIFE_CODE, nth);
        live(&life, _i / CALLS);
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
    open_driver(_i / CALLS);
    life_order("FAIL", "%s:%d", call, LIFE_CODE);
    live(&life, _i / CALLS);
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
    open_driver(0);
    life_order("TICK_NS", "%s", cases[_i].tick);
    life_order("RESOLUTION_NS", "%s", cases[_i].claimed);
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
    static const char *const lies[] = {"garbage", "nothing", "unread"};
    struct life life;
    for (int kind = 0; kind < KINDS; kind++) {
        open_driver(kind);
        life_order("LIE", "%s", lies[_i]);
        live(&life, kind);
        if (strcmp(lies[_i], "unread") == 0 && life.right)
            continue; // a device that works on the host's memory is not read from
        ck_assert_msg(!life.correct, "%s: %s is called correct", kinds[kind], lies[_i]);
        ck_assert_int_eq(driver.live_objects(), 0);
    }
}
END_TEST

// ---- events whose times are none

struct clock_case {
    const char *lie, *times, *honest; // orders; so many first commands tell the truth
    bool when_opened;                 // is it seen
    const char *fail;                 // (or NULL) a call that does not work from the start
};

static const struct clock_case clocks[] = {
    {"zero", "", "0", true, NULL},        {"", "instant", "0", true, NULL},
    {"", "backwards", "0", true, NULL},   {"", "slow", "0", true, NULL},
    {"", "fast", "0", true, NULL},        {"", "instant", "60", false, NULL},
    {"", "backwards", "60", false, NULL}, {"", "fast", "60", false, NULL},
    {"", "slow", "34", false, NULL},      {"", "", "0", true, "clGetEventProfilingInfo:-7"},
};

// Inputs that need no restoring, so that launches can follow each other.
static struct job *plain_job(void)
{
    struct job *j = life_job(LANGUAGE_OPENCL);
    j->buffers[1].access = ACCESS_READ;
    j->buffers[1].output = false;
    kit_option(j, "-DFAKE_NS=300000");
    return j;
}

// A million launches a sample, as a tuner asks for where a launch takes no time: 5 minutes each.
static void check_by_host(struct device *d, const struct clock_case *c)
{
    const struct policy policy = {.launches = 40, .batch = 1000000, .warmups = 1, .fixed = true};
    struct result *r = result_new();
    struct job *j = plain_job();
    struct loaded *l = device_load(d, j, NULL, r);
    ck_assert_msg(l && device_verify(d, l, &policy, r), "%s", r->message);
    struct policy few = policy;
    bool is_slow = strcmp(c->times, "slow") == 0; // which only a long run shows
    few.launches = c->when_opened ? 2 : is_slow ? 5 : 60;
    few.batch = is_slow && !c->when_opened ? 100 : 1;
    ck_assert_msg(device_measure(d, l, &few, r), "%s", r->message);
    ck_assert_uint_eq(r->sample_count, few.launches);
    ck_assert_msg(*r->timer_fault, "%s %s is believed", c->lie, c->times);
    ck_assert_uint_le((uint64_t)r->batch * 300000, 1100000000);
    // What a call itself takes is subtracted, and a busy machine makes that more than it is later.
    for (uint32_t i = 0; i < r->sample_count; i++)
        ck_assert_msg(r->samples_ns[i] >= 100000 && r->samples_ns[i] < 1000000000, "%llu",
                      (unsigned long long)r->samples_ns[i]);
    device_unload(d, l);
    result_free(r);
    job_free(j);
}

START_TEST(the_hosts_clock_takes_over)
{
    const struct clock_case *c = &clocks[_i];
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    ck_assert(mkdtemp(scratch) != NULL);
    open_driver(0);
    life_order("LIE", "%s", c->lie);
    life_order("TIMES", "%s", c->times);
    life_order("HONEST", "%s", c->honest);
    if (c->fail)
        life_order("FAIL", "%s", c->fail);
    struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    const char *fault = device_describe(d)->timer_fault;
    ck_assert_msg((fault && *fault) == c->when_opened, "%s %s: '%s'", c->lie, c->times, fault);
    check_by_host(d, c);
    device_close(d);
    folder_remove(scratch);
}
END_TEST

// A million launches are not made, whatever the clock says of one.
START_TEST(a_sample_holds_the_device_for_a_second_at_most)
{
    const struct policy policy = {.launches = 1, .batch = 1000000, .fixed = true};
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    struct result *r = result_new();
    struct job *j = plain_job();
    uint64_t start = clock_ns();
    ck_assert(mkdtemp(scratch) != NULL);
    open_driver(0);
    life_order("TIMES", "%s", _i ? "instant" : "");
    struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
    struct loaded *l = device_load(d, j, NULL, r);
    ck_assert_msg(l && device_verify(d, l, &policy, r), "%s", r->message);
    ck_assert_msg(device_measure(d, l, &policy, r), "%s", r->message);
    ck_assert_int_eq(*r->timer_fault != 0, _i);
    ck_assert_uint_lt(clock_ns() - start, patience() * 20000000000u);
    device_unload(d, l);
    device_close(d);
    result_free(r);
    job_free(j);
    folder_remove(scratch);
}
END_TEST

// The host takes longer to enqueue a launch than the device to run it: that is no time of the kernel.
START_TEST(a_slow_host_is_not_timed)
{
    open_driver(0);
    ck_assert_uint_lt(life_short_launch_ns("opencl/Fake/Fake device/0", LANGUAGE_OPENCL), 10000);
}
END_TEST

// Where kernels are told apart, the launches of one repetition have events, not those of all.
START_TEST(events_are_no_time_of_several_launches)
{
    const struct policy policy = {.launches = 5, .batch = 40, .fixed = true};
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    struct result *r = result_new();
    struct job *j = plain_job();
    kit_option(j, "-DFAKE_NS=2000");
    kit_launch(j, "add", 64, 64);
    j->launches[1] = j->launches[0];
    open_driver(0);
    life_order("EVENT_NS", "3000");
    ck_assert(mkdtemp(scratch) != NULL);
    struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    struct loaded *l = device_load(d, j, NULL, r);
    ck_assert_msg(l && device_verify(d, l, &policy, r), "%s", r->message);
    ck_assert_msg(device_measure(d, l, &policy, r), "%s", r->message);
    ck_assert_uint_eq(r->part_columns, 2);
    for (uint32_t i = 0; i < r->sample_count; i++) {
        ck_assert_uint_lt(r->samples_ns[i], 5000); // 2 launches, and the events of 2 among 80
        ck_assert_uint_eq(r->parts_ns[2 * i], 2000);
        ck_assert_uint_eq(r->parts_ns[2 * i + 1], 2000);
    }
    device_unload(d, l);
    device_close(d);
    result_free(r);
    job_free(j);
    folder_remove(scratch);
}
END_TEST

// ---- errors that are told late

// Of two launches, behind the one that holds the queue.
static const struct late_error {
    const char *order, *value, *says;
    bool limit;
} late_errors[] = {
    {"FAIL", "clEnqueueNDRangeKernel:-5@2", "kernel 'add': clEnqueueNDRangeKernel: ", true},
    {"FAIL", "clEnqueueNDRangeKernel:-5@3",
     "failed while running: clEnqueueNDRangeKernel: CL_OUT_OF_RESOURCES", false},
    {"FAIL", "clEnqueueNDRangeKernel:-54@3", "kernel 'add': clEnqueueNDRangeKernel: ", true},
    {"DIE", "FAKE_NS=300000", "failed while running: clFinish: NVIDIA's code", false},
};

START_TEST(the_error_of_an_earlier_command_is_no_limit)
{
    const struct late_error *c = &late_errors[_i];
    const struct policy policy = {.launches = 1};
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    struct result *r = result_new(), *again = result_new();
    struct job *j = plain_job();
    kit_launch(j, "add", LIFE_COUNT, 64);
    j->launches[1] = j->launches[0];
    open_driver(0);
    ck_assert(mkdtemp(scratch) != NULL);
    struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    struct loaded *l = device_load(d, j, NULL, r);
    ck_assert_msg(l && device_verify(d, l, &policy, again), "%s%s", r->message, again->message);
    driver.forget();
    life_order("HOW", "wait");
    life_order("DEAD", "refuse");
    life_order(c->order, "%s", c->value);
    ck_assert(!device_verify(d, l, &policy, r));
    ck_assert_msg(strstr(r->message, c->says), "%s", r->message);
    ck_assert_int_eq(r->device_limit, c->limit);
    ck_assert_int_eq(r->status, c->limit ? STATUS_CONSTRAINTS : STATUS_RUNTIME);
    ck_assert_int_eq(device_verify(d, l, &policy, again), c->limit);
    ck_assert_int_eq(again->fault == FAULT_DEVICE, !c->limit);
    device_unload(d, l);
    device_close(d);
    result_free(again);
    result_free(r);
    job_free(j);
    folder_remove(scratch);
}
END_TEST

START_TEST(a_build_that_tells_of_an_earlier_command_is_no_error_of_the_source)
{
    static const char *const codes[] = {"-36", "-9999"};
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    struct result *r = result_new();
    struct job *j = plain_job();
    open_driver(0);
    ck_assert(mkdtemp(scratch) != NULL);
    struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    life_order("FAIL", "clBuildProgram:%s", codes[_i]);
    ck_assert(!device_load(d, j, NULL, r));
    ck_assert_msg(r->status == STATUS_RUNTIME && r->fault == FAULT_DEVICE, "%s", r->message);
    device_close(d);
    result_free(r);
    job_free(j);
    folder_remove(scratch);
}
END_TEST

// Idle buffers and references make room for every buffer, and for the copy that it is restored from.
START_TEST(a_buffer_that_finds_no_room_is_tried_again)
{
    for (unsigned nth = 1;; nth++) {
        char scratch[] = "/tmp/hone-test-fake-XXXXXX";
        struct device_options options = {.scratch = scratch, .root = scratch};
        struct error e = ERROR_INIT;
        struct result *r = result_new();
        struct job *j = life_job(LANGUAGE_OPENCL);
        open_driver(0);
        ck_assert(mkdtemp(scratch) != NULL);
        struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
        ck_assert_msg(d != NULL, "%s", e.text);
        driver.forget();
        life_order("FAIL", "clCreateBuffer:-4@%u", nth);
        struct loaded *l = device_load(d, j, NULL, r);
        unsigned made = driver.count("clCreateBuffer");
        ck_assert_msg(l != NULL, "buffer %u: %s", nth, r->message);
        life_order("FAIL", "%s", "");
        device_unload(d, l);
        device_close(d);
        result_free(r);
        job_free(j);
        folder_remove(scratch);
        if (made < nth)
            break;
    }
}
END_TEST

// What fails before a launch, or for want of the host's memory, is not the kernel's doing.
START_TEST(what_fails_before_a_launch_is_no_fault_of_the_kernel)
{
    static const char *const before[] = {"clEnqueueCopyBuffer", "clEnqueueFillBuffer"};
    const struct policy policy = {.launches = 2, .fixed = true};
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    struct result *r = result_new(), *measured = result_new(), *host = result_new();
    struct job *j = life_job(LANGUAGE_OPENCL);
    open_driver(0);
    ck_assert(mkdtemp(scratch) != NULL);
    struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    struct loaded *l = device_load(d, j, NULL, r);
    ck_assert_msg(l && device_verify(d, l, &policy, r), "%s", r->message);
    error_memory(&e);
    ck_assert(!run_lost(d, &e, host));
    ck_assert_int_eq(host->fault, FAULT_WORKER);
    ck_assert_str_eq(host->message, e.text);
    life_order("FAIL", "%s:%d", before[_i], LIFE_CODE);
    ck_assert(!device_measure(d, l, &policy, measured)); // the device was not lost before
    ck_assert_msg(measured->fault == FAULT_DEVICE && strstr(measured->message, before[_i]), "%s",
                  measured->message);
    device_unload(d, l);
    device_close(d);
    result_free(host);
    result_free(measured);
    result_free(r);
    job_free(j);
    folder_remove(scratch);
}
END_TEST

// ---- the compiler is awake before the first job

// Checksum, product of floats, their comparison. The last two need float64, which the fake lacks.
static const struct {
    const char *kind;
    bool build_only;
    unsigned builds;
} awake[] = {{"gpu", false, 1}, {"nvidia", false, 1}, {"cpu", false, 0}, {"gpu", true, 0}};

// On a GPU that runs jobs, without one; and what a job then wants is not built again.
START_TEST(the_compiler_is_called_before_the_first_job)
{
    static const struct gemm_case large = {.m = 1024, .n = 1024, .k = 8, .alpha = 1};
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch, .wakes = true};
    struct error e = ERROR_INIT;
    struct result *r = result_new();
    struct job *j = gemm_job(LANGUAGE_OPENCL, ROUTINE_CLBLAST, NULL, &large);
    uint64_t start = clock_ns();
    ck_assert(mkdtemp(scratch) != NULL);
    open_driver(0);
    life_order("KIND", "%s", awake[_i].kind);
    options.build_only = awake[_i].build_only;
    struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    while (driver.count("clBuildProgram") < awake[_i].builds &&
           clock_ns() - start < patience() * 20000000000u)
        sched_yield();
    ck_assert_uint_eq(driver.count("clBuildProgram"), awake[_i].builds);
    if (!options.build_only)
        ck_assert_msg(device_prepare(d, j, r), "%s", r->message);
    ck_assert_uint_eq(driver.count("clBuildProgram"), awake[_i].builds);
    device_close(d);
    device_close(device_open("opencl/Fake/Fake device/0", &options, &e)); // and at once
    ck_assert_int_eq(driver.live_objects(), 0);
    folder_remove(scratch);
    result_free(r);
    job_free(j);
}
END_TEST

// ---- another target

// Builds the job on this kind of driver, and loads it again from the image.
static bool build(int kind, const char *source, struct text *binary, struct text *said)
{
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    struct arena arena;
    struct result *r = result_new();
    struct image image = {.primed = false};
    arena_init(&arena);
    ck_assert(mkdtemp(scratch) != NULL);
    open_driver(kind);
    struct device *d = device_open("opencl/Fake/Fake device/0", &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    struct job *j = life_job(LANGUAGE_OPENCL);
    j->programs[0].retarget = "sm_90a";
    j->programs[0].source = source ? source : j->programs[0].source;
    j->programs[0].length = source ? strlen(source) : j->programs[0].length;
    driver.forget();
    bool ok = device_build(d, j, &arena, &image, r);
    struct loaded *l = ok ? device_load(d, j, &image, r) : NULL;
    ck_assert(!ok || (l && device_binary(d, l, 0, binary, &e)));
    ck_assert(ok || r->status == STATUS_COMPILE);
    text_add(said, r->message);
    device_unload(d, l);
    device_close(d);
    job_free(j);
    result_free(r);
    arena_release(&arena);
    folder_remove(scratch);
    return ok;
}

// The bench worker gets what was rewritten, and builds nothing from the source.
START_TEST(images_are_rewritten)
{
    struct text binary = TEXT_INIT, said = TEXT_INIT;
    ck_assert_msg(build(RETARGETED, NULL, &binary, &said), "%s", text_cstr(&said));
    ck_assert_msg(str_starts(text_cstr(&binary), ".target sm_90a\n\tspliced %r1;\n__kernel"), "%s",
                  text_cstr(&binary));
    ck_assert_uint_eq(driver.count("clCreateProgramWithSource"), 1);
    ck_assert_uint_eq(driver.count("clCreateProgramWithBinary"), 2);
    ck_assert_int_eq(driver.live_objects(), 0);
    text_release(&binary);
    text_release(&said);
}
END_TEST

START_TEST(retargets_that_cannot_be)
{
    static const struct {
        int kind;
        const char *source, *says;
    } cases[] = {
        {0, NULL,
         "retarget to sm_90a: this driver does not compile to PTX, NVIDIA's does; the spec's "
         "Retarget needs a When, such as device_capability == 90"},
        {RETARGETED, "__kernel void add() { /* fake:add */ }",
         "retarget to sm_90a: the driver's binary is not PTX text: it has no .target"},
        {RETARGETED, ".target sm_90\n// hone-splice: spliced\n",
         "retarget to sm_90a: line 2 of its PTX: the spliced instruction does not end with ';': // "
         "hone-splice: spliced"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text binary = TEXT_INIT, said = TEXT_INIT;
        ck_assert(!build(cases[i].kind, cases[i].source, &binary, &said));
        ck_assert_msg(strstr(text_cstr(&said), cases[i].says), "%s", text_cstr(&said));
        ck_assert_int_eq(driver.live_objects(), 0);
        text_release(&binary);
        text_release(&said);
    }
}
END_TEST

static void add(TCase *t)
{
    tcase_add_test(t, the_fakes_device_is_the_only_one);
    tcase_add_loop_test(t, the_hosts_clock_takes_over, 0, (int)(sizeof clocks / sizeof *clocks));
    tcase_add_loop_test(t, a_sample_holds_the_device_for_a_second_at_most, 0, 2);
    tcase_add_test(t, a_slow_host_is_not_timed);
    tcase_add_test(t, events_are_no_time_of_several_launches);
    tcase_add_loop_test(t, the_error_of_an_earlier_command_is_no_limit, 0,
                        sizeof late_errors / sizeof *late_errors);
    tcase_add_loop_test(t, a_build_that_tells_of_an_earlier_command_is_no_error_of_the_source, 0,
                        2);
    tcase_add_loop_test(t, what_fails_before_a_launch_is_no_fault_of_the_kernel, 0, 2);
    tcase_add_test(t, a_buffer_that_finds_no_room_is_tried_again);
    tcase_add_test(t, images_are_rewritten);
    tcase_add_test(t, retargets_that_cannot_be);
    tcase_add_loop_test(t, a_driver_in_order_is_correct, 0, KINDS);
    tcase_add_loop_test(t, each_failing_call_is_named, 0, KINDS * CALLS);
    tcase_add_loop_test(t, a_call_that_never_works_ends, 0, KINDS * CALLS);
    tcase_add_loop_test(t, resolution_is_tried, 0, 6);
    tcase_add_loop_test(t, lies_are_not_believed, 0, 3);
    tcase_add_loop_test(t, the_compiler_is_called_before_the_first_job, 0,
                        sizeof awake / sizeof *awake);
}

int main(void)
{
    return kit_run("calls of the driver", add);
}
