// A driver that hangs: each of its calls in turn never returns, in every process that makes it. The
// evaluator comes to an end all the same, soon, and nobody is blamed for what he did not do.
#include "../support/at_once.h"
#include "fixture.h"

#include "os/process.h"
#include "device/backends/opencl/opencl_api.h"
#include "model/probe.h"
#include "worker/protocol.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { JOBS = 3, MOST_SECONDS = 60 };

static const char *const real_worker[] = {HONE_BINARY_DIR "/hone-worker", NULL};

static const char *const calls[] = {
#define X(name) #name,
    OPENCL_FUNCTIONS(X)
#undef X
};
enum { CALLS = sizeof calls / sizeof *calls };

// What must come of some; of the others only that it ends.
enum end { ENDS, OPENS_NOT, BUILDS_NOT, DEVICE_LOST };

static const struct {
    const char *call;
    enum end end;
} known[] = {
    {"clGetDeviceIDs", OPENS_NOT},
    {"clCreateContext", OPENS_NOT},
    {"clCreateCommandQueue", OPENS_NOT},
    {"clBuildProgram", BUILDS_NOT},
    {"clEnqueueNDRangeKernel", DEVICE_LOST},
    {"clWaitForEvents", DEVICE_LOST},
    // Opening a device tries its timer.
    {"clEnqueueFillBuffer", OPENS_NOT},
    {"clFinish", OPENS_NOT},
};

static enum end expected_of(const char *call)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].call, call) == 0)
            return known[i].end;
    }
    return ENDS;
}

static struct job *numbered(unsigned id)
{
    struct job *j = job_probe(LANGUAGE_OPENCL);
    const char **words = arena_alloc(&j->arena, sizeof(*words));
    words[0] = arena_printf(&j->arena, "-DID=%u", id);
    j->programs[0].options = words;
    j->programs[0].option_count = 1;
    j->configuration = arena_printf(&j->arena, "ID=%u", id);
    return j;
}

static struct live_options options_of(const struct device_info *d)
{
    struct live_options o = options(d);
    o.at.worker = real_worker;
    o.at.jobs = 1;
    o.terms.build_limit_ns = 1000000000;
    o.terms.launch_limit_ns = 500000000;
    o.terms.driver_limit_ns = 1000000000;
    return o;
}

static void check_outcome(const struct result *r, enum end end)
{
    bool fine =
        r->status == STATUS_CORRECT || r->status == STATUS_TIMEOUT || r->fault == FAULT_LOST;
    ck_assert_msg(fine, "%s: %s", status_text(r->status), r->message);
    if (end == BUILDS_NOT)
        ck_assert_int_eq(r->status, STATUS_TIMEOUT);
    // Builds launch too: one may meet its limit before the device is found lost.
    if (end == DEVICE_LOST)
        ck_assert_msg(r->fault == FAULT_LOST || r->status == STATUS_TIMEOUT, "%s", r->message);
}

static void hang_call(int at)
{
    enum end end = expected_of(calls[at]);
    struct device_report report = {0};
    struct error e = ERROR_INIT;
    struct outcome out;
    struct arena a;
    char hang[96];
    unsigned came = 0, lost = 0;
    int got = 1;
    setup(); // a folder of its own
    arena_init(&a);
    ck_assert_msg(live_devices(&(struct place){.worker = real_worker, .environment = environment},
                               languages_unnamed(), &a, &report, NULL, 0, &e),
                  "%s", e.text);
    ck_assert_uint_eq(report.device_count, 1);
    snprintf(hang, sizeof hang, "FAKE_CL_HANG=%s", calls[at]);
    add_environment(hang);
    struct live_options o = options_of(&report.devices[0]);
    struct evaluator *ev = make_live(&o);
    uint64_t start = clock_ns();
    for (unsigned i = 0; i < JOBS; i++)
        ck_assert(evaluator_submit(ev, i, numbered(i), &e));
    while (!evaluator_idle(ev) && (got = evaluator_take(ev, 1000, &out, &e)) >= 0) {
        ck_assert_msg(clock_ns() - start < MOST_SECONDS * 1000000000ull, "it goes on and on");
        if (got == 0)
            continue;
        came++;
        lost += out.result->fault == FAULT_LOST;
        check_outcome(out.result, end);
        result_free(out.result);
    }
    printf("%-28s %u outcomes in %.1f s%s%s\n", calls[at], came, (double)(clock_ns() - start) / 1e9,
           got < 0 ? ", then: " : "", e.text);
    // A break is told after the outcome of the one that ran; no other is said to have been there.
    ck_assert(got < 0 ? lost <= 1 && e.code == ERROR_DEVICE : came == JOBS);
    if (end == OPENS_NOT)
        ck_assert_ptr_nonnull(strstr(e.text, "opening the device took longer than the limit"));
    if (end == DEVICE_LOST)
        ck_assert_msg(str_starts(e.text, "device lost: "), "%s", e.text);
    evaluator_free(ev);
    arena_release(&a);
    teardown();
}

START_TEST(each_call_hangs)
{
    const struct at_once all = {"a call that hangs", hang_call, 0, CALLS};
    at_once(&all, 1, 4);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("driver", setup, 8 * MOST_SECONDS);
    tcase_add_test(cases, each_call_hangs);
    return run_cases(cases);
}
