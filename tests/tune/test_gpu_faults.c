// A space in which every fault that a kernel on a GPU can have stands between correct
// configurations, in each language that an NVIDIA GPU has here: each must come out with the right
// status, what follows it must be measured correctly, the best of the rest be found, and the device
// be usable afterwards. Skipped, visibly, for a language without such a device.
#include "workflows/tune/tune.h"

#include "worker/protocol.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC HONE_SOURCE_DIR "/tests/tune/data/gpu_faults.json"

enum { BEST = 13 };

static const char *const worker[] = {HONE_BINARY_DIR "/hone-worker", NULL};
static struct arena arena;
static struct device_info devices[LANGUAGE_COUNT];
static bool is_there[LANGUAGE_COUNT];

struct expectation {
    const char *name;
    enum status status;
    const char *message[LANGUAGE_COUNT]; // part of it; NULL: whatever the driver says
};

// In the order of the constants of data/gpu_faults.json; between two of them stands a kernel
// without a fault.
static const struct expectation expectations[] = {
    {"COMPILE_ERROR", STATUS_COMPILE, {"does not compile", "does not compile"}},
    {"ONE_PAST_END", STATUS_RUNTIME, {"past the end of y", "past the end of y"}},
    {"BEFORE_START", STATUS_RUNTIME, {"before the start of y", "before the start of y"}},
    {"FAR_AWAY", STATUS_RUNTIME, {NULL, "ILLEGAL_ADDRESS"}},
    {"MISALIGNED", STATUS_RUNTIME, {NULL, "MISALIGNED_ADDRESS"}},
    {"TRAP", STATUS_RUNTIME, {NULL, NULL}},
    {"ENDLESS", STATUS_TIMEOUT, {"still running", "still running"}},
    {"MANY_REGISTERS", STATUS_CONSTRAINTS, {NULL, NULL}},
    {"STATIC_SHARED", STATUS_CONSTRAINTS, {NULL, "shared"}},
    {"DYNAMIC_SHARED", STATUS_CONSTRAINTS, {NULL, NULL}},
    {"OUT_OF_MEMORY", STATUS_CONSTRAINTS, {NULL, NULL}},
    {"MORE_THAN_THERE_IS", STATUS_CONSTRAINTS, {"buffer", "buffer"}},
    {"LARGE_SHARED", STATUS_CORRECT, {NULL, NULL}},
    {"INPUT_CHANGED", STATUS_RUNTIME, {"changed read-only x", "changed read-only x"}},
    {"NOT_A_NUMBER", STATUS_CORRECTNESS, {"NaN", "NaN"}},
};
enum { FAULTS = sizeof expectations / sizeof *expectations };

static const struct expectation without_fault = {"no fault", STATUS_CORRECT, {NULL, NULL}};
// NVIDIA's OpenCL may bound the registers by the largest work-group, and spill the rest.
static const struct expectation spilled = {"MANY_REGISTERS", STATUS_CORRECT, {NULL, NULL}};

// ---- devices -----------------------------------------------------------------------------------

static bool find_devices(void)
{
    struct device_report report = {0};
    struct error e = ERROR_INIT;
    bool any = false;
    if (!live_devices(&(struct place){.worker = worker}, languages_unnamed(), &arena, &report, NULL,
                      0, &e)) {
        printf("skipped: %s\n", e.text);
        return false;
    }
    for (uint32_t i = 0; i < report.device_count; i++) {
        const struct device_info *d = &report.devices[i];
        if (strstr(d->vendor, "NVIDIA") && !is_there[d->language]) {
            devices[d->language] = *d;
            is_there[d->language] = any = true;
        }
    }
    for (unsigned l = 0; l <= LANGUAGE_CUDA; l++) {
        if (!is_there[l])
            printf("skipped: no NVIDIA device in %s\n", l == LANGUAGE_CUDA ? "CUDA" : "OpenCL");
    }
    return any;
}

// ---- tuning ------------------------------------------------------------------------------------

static struct tune_options options(const struct spec *spec, enum language l)
{
    return (struct tune_options){.setup.spec = spec,
                                 .setup.at.device = &devices[l],
                                 .setup.at.worker = worker,
                                 .strategy = "exhaustive",
                                 .setup.seed = 1,
                                 .setup.fresh = true,
                                 .setup.terms = {.rules = measure_rules_default(),
                                                 .build_limit_ns = 60ull * 1000000000,
                                                 .launch_limit_ns = 3ull * 1000000000}};
}

static int64_t fault_of(const struct spec *spec, const struct tune_record *r)
{
    return spec->parameters[0].values[r->choice[0]].i;
}

static bool meets(const struct expectation *x, const struct result *r, enum language l)
{
    return r->status == x->status && (!x->message[l] || strstr(r->message, x->message[l]));
}

static void check_record(const struct spec *spec, const struct tune_record *r, enum language l)
{
    int64_t fault = fault_of(spec, r);
    const struct expectation *x = fault % 2 ? &without_fault : &expectations[fault / 2];
    printf("%s: %s: %s %s\n", l == LANGUAGE_CUDA ? "CUDA" : "OpenCL", x->name,
           status_text(r->result->status), r->result->message);
    bool ok = meets(x, r->result, l);
    if (l == LANGUAGE_OPENCL && strcmp(x->name, spilled.name) == 0)
        ok = ok || meets(&spilled, r->result, l);
    ck_assert_msg(ok, "%s: %s, %s", x->name, status_text(r->result->status), r->result->message);
    ck_assert_msg(r->timed == (r->result->status == STATUS_CORRECT), "%s", x->name);
}

// Tunes to the end; returns how many records came.
static unsigned run(struct tune *t, const struct spec *spec, enum language l)
{
    struct error e = ERROR_INIT;
    const struct tune_record *record;
    enum workflow_answer answer;
    unsigned done = 0;
    while ((answer = tune_step(t, 1000, &record, &e)) >= WORKFLOW_NOTHING &&
           answer != WORKFLOW_END) {
        if (answer == WORKFLOW_RECORD) {
            check_record(spec, record, l);
            done++;
        }
    }
    ck_assert_msg(answer == WORKFLOW_END, "%s", e.text);
    return done;
}

static void check_best(struct tune *t, const struct spec *spec)
{
    struct tune_progress p;
    tune_progress(t, &p);
    ck_assert_ptr_nonnull(p.best);
    ck_assert_int_eq(fault_of(spec, p.best), BEST);
}

// With fresh workers: what the tune before left behind is the device alone.
static void check_usable(const struct spec *spec, enum language l)
{
    static const char *const best[] = {"FAULT=13"};
    struct error e = ERROR_INIT;
    struct tune_options o = options(spec, l);
    o.setup.space.configurations = best;
    o.setup.space.configuration_count = 1;
    struct tune *t = tune_new(&o, &e);
    ck_assert_msg(t != NULL, "%s", e.text);
    ck_assert_uint_eq(run(t, spec, l), 1);
    check_best(t, spec);
    tune_free(t);
}

START_TEST(each_fault_between_good_ones)
{
    enum language l = (enum language)_i;
    struct error e = ERROR_INIT;
    struct spec_options so = {0};
    if (!is_there[l])
        return; // said at the start
    struct spec *spec = spec_load(SPEC, &so, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    struct tune_options o = options(spec, l);
    struct tune *t = tune_new(&o, &e);
    ck_assert_msg(t != NULL, "%s", e.text);
    ck_assert_uint_eq(run(t, spec, l), 2 * FAULTS);
    check_best(t, spec);
    tune_free(t);
    check_usable(spec, l);
    spec_free(spec);
}
END_TEST

int main(void)
{
    arena_init(&arena);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!find_devices())
        return 77;
    Suite *suite = suite_create("gpu_faults");
    TCase *cases = tcase_create("gpu_faults");
    tcase_set_timeout(cases, 280);
    tcase_add_loop_test(cases, each_fault_between_good_ones, 0, LANGUAGE_CUDA + 1);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    arena_release(&arena);
    return failed ? 1 : 0;
}
