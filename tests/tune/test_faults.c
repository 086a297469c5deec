// A space in which every fault that a kernel can have stands beside correct configurations: each
// must come out as a result of its own with the right status, and the tune must find the best of
// the rest. Runs on the first CPU device; skipped, visibly, where there is none.
#include "workflows/tune/tune.h"

#include "worker/protocol.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const worker[] = {HONE_BINARY_DIR "/hone-worker", NULL};
static struct arena arena;
static struct device_info device;

struct expectation {
    const char *name;
    enum status status;
    const char *message; // part of it
};

// In the order of the constants of data/faults.json.
static const struct expectation expectations[] = {
    {"GOOD", STATUS_CORRECT, ""},
    {"SLOW", STATUS_CORRECT, ""},
    {"COMPILE_ERROR", STATUS_COMPILE, "this configuration does not compile"},
    {"COMPILER_CRASH", STATUS_COMPILE, "died"},
    {"GROUP_TOO_LARGE", STATUS_CONSTRAINTS, "work-group"},
    {"LOCAL_MEMORY", STATUS_CONSTRAINTS, "local memory"},
    {"ONE_PAST_END", STATUS_RUNTIME, "past the end of y"},
    {"PAGE_PAST_END", STATUS_RUNTIME, "past the end of y"},
    {"BEFORE_START", STATUS_RUNTIME, "before the start of y"},
    {"FAR_AWAY", STATUS_RUNTIME, "SIGSEGV"},
    {"INPUT_CHANGED", STATUS_RUNTIME, "changed read-only x"},
    {"ENDLESS", STATUS_TIMEOUT, "still running"},
    {"EXITS", STATUS_RUNTIME, "exited"}, // see is_expected()
    {"NULL_POINTER", STATUS_RUNTIME, "SIGSEGV"},
    {"NOT_A_NUMBER", STATUS_CORRECTNESS, "NaN"},
    {"SLIGHTLY_WRONG", STATUS_CORRECTNESS, "y"},
    {"UNWRITTEN", STATUS_CORRECTNESS, "unwritten"},
    {"LATER_PAST_END", STATUS_RUNTIME, "past the end of y"},
    {"LATER_INPUT_CHANGED", STATUS_RUNTIME, "changed read-only x"},
    {"COPY_PAST_END", STATUS_RUNTIME, "past the end of y"},
    {"GOOD_TOO", STATUS_CORRECT, ""},
};
enum { FAULTS = sizeof expectations / sizeof *expectations };

static bool find_device(void)
{
    struct device_report report = {0};
    struct error e = ERROR_INIT;
    if (!live_devices(&(struct place){.worker = worker}, languages_unnamed(), &arena, &report, NULL,
                      0, &e)) {
        printf("skipped: %s\n", e.text);
        return false;
    }
    for (uint32_t i = 0; i < report.device_count; i++) {
        if (report.devices[i].type == DEVICE_CPU) {
            device = report.devices[i];
            return true;
        }
    }
    printf("skipped: no OpenCL CPU device\n");
    return false;
}

static struct tune_options options(const struct spec *spec, const char *const *environment)
{
    return (struct tune_options){.setup.spec = spec,
                                 .setup.at.device = &device,
                                 .setup.at.worker = worker,
                                 .setup.at.environment = environment,
                                 .setup.seed = 1,
                                 .setup.fresh = true,
                                 .setup.terms = {.rules = measure_rules_default(),
                                                 .build_limit_ns = 60ull * 1000000000,
                                                 .launch_limit_ns = 3ull * 1000000000}};
}

// Other ways to die of the same fault, recorded as what they are. PoCL 5 with LLVM 16 asserts on
// the inline assembly that EXITS is made of, reports no local memory before a launch, and aborts
// there.
static const struct expectation others[] = {
    {"EXITS", STATUS_COMPILE, "SIGABRT"},
    {"LOCAL_MEMORY", STATUS_RUNTIME, "local buffer"},
};

static bool meets(const struct expectation *x, const struct result *r)
{
    return r->status == x->status && strstr(r->message, x->message) != NULL;
}

static bool is_expected(const struct expectation *x, const struct result *r)
{
    bool ok = meets(x, r);
    for (size_t i = 0; i < sizeof others / sizeof *others && !ok; i++)
        ok = strcmp(others[i].name, x->name) == 0 && meets(&others[i], r);
    return ok;
}

static void check_record(const struct spec *spec, const struct tune_record *r)
{
    int64_t fault = spec->parameters[0].values[r->choice[0]].i;
    const struct expectation *x = &expectations[fault];
    ck_assert_msg(is_expected(x, r->result), "%s: %s, %s", x->name, status_text(r->result->status),
                  r->result->message);
    ck_assert_msg(r->timed == (x->status == STATUS_CORRECT), "%s", x->name);
}

START_TEST(test_each_fault)
{
    char cache[] = "/tmp/hone-test-XXXXXX", variable[64];
    ck_assert_ptr_nonnull(mkdtemp(cache));
    snprintf(variable, sizeof variable, "POCL_CACHE_DIR=%s", cache);
    const char *const environment[] = {variable, NULL};
    struct error e = ERROR_INIT;
    struct spec_options so = {0};
    struct spec *spec = spec_load(HONE_SOURCE_DIR "/tests/tune/data/faults.json", &so, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    struct tune_options o = options(spec, environment);
    // A disturbed verified launch would look hopeless, and some misbehave only in a later one.
    o.setup.terms.rules.hopeless = o.setup.terms.rules.certain = 1e6;
    // One disturbed launch of a good one may be longer than those of SLOW: the ranking's medians decide.
    o.setup.terms.rules.near = 1e6;
    struct tune *t = tune_new(&o, &e);
    ck_assert_msg(t != NULL, "%s", e.text);
    const struct tune_record *record;
    enum workflow_answer answer;
    unsigned done = 0;
    while ((answer = tune_step(t, 1000, &record, &e)) >= WORKFLOW_NOTHING &&
           answer != WORKFLOW_END) {
        if (answer == WORKFLOW_RECORD) {
            check_record(spec, record);
            done++;
        }
    }
    ck_assert_msg(answer == WORKFLOW_END, "%s", e.text);
    ck_assert_uint_eq(done, FAULTS);
    struct tune_progress p;
    tune_progress(t, &p);
    ck_assert_ptr_nonnull(p.best);
    int64_t best = spec->parameters[0].values[p.best->choice[0]].i;
    ck_assert_msg(best == 0 || best == FAULTS - 1, "best is %s", expectations[best].name);
    tune_free(t);
    spec_free(spec);
    folder_remove(cache);
}
END_TEST

static enum workflow_answer tune_endless(const struct spec *spec, const char *only,
                                         struct tune_progress *p, struct error *e)
{
    struct tune_options o = options(spec, NULL);
    // A correct one is far below it, on a busy machine too; the reference has four times as long.
    o.setup.terms.launch_limit_ns = 1500ull * 1000000;
    o.setup.terms.build_limit_ns = 60ull * 1000000000;
    o.setup.space.configurations = &only;
    o.setup.space.configuration_count = only != NULL;
    struct tune *t = tune_new(&o, e);
    ck_assert_msg(t != NULL, "%s", e->text);
    const struct tune_record *record;
    enum workflow_answer answer;
    while ((answer = tune_step(t, 1000, &record, e)) >= WORKFLOW_NOTHING && answer != WORKFLOW_END)
        ;
    tune_progress(t, p);
    tune_free(t);
    return answer;
}

// A default configuration that never ends is no reference: the next valid one takes its place, and
// where there is none the limit of launches tells so.
START_TEST(test_endless_reference)
{
    struct error e = ERROR_INIT;
    struct spec_options so = {0};
    struct tune_progress p;
    struct spec *spec = spec_load(HONE_SOURCE_DIR "/tests/tune/data/endless.json", &so, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    ck_assert_msg(tune_endless(spec, NULL, &p, &e) == WORKFLOW_END, "%s", e.text);
    ck_assert_uint_eq(p.by_status[STATUS_CORRECT], 1);
    ck_assert_uint_eq(p.by_status[STATUS_TIMEOUT], 1);
    ck_assert_int_eq(tune_endless(spec, "ENDLESS=1", &p, &e), WORKFLOW_BROKEN);
    ck_assert_msg(strstr(e.text, "reference was not there"), "%s", e.text);
    spec_free(spec);
}
END_TEST

static void tune_part(const struct spec *spec, const char *file, struct space_share share,
                      struct tune_progress *p)
{
    struct error e = ERROR_INIT;
    struct tune_options o = options(spec, NULL);
    const struct tune_record *record;
    enum workflow_answer answer;
    o.setup.store = store_open(file, STORE_WRITE, &e);
    ck_assert_msg(o.setup.store != NULL, "%s", e.text);
    o.setup.fresh = false;
    o.setup.space.share = share;
    o.setup.terms.rules.unranked = true;
    struct tune *t = tune_new(&o, &e);
    ck_assert_msg(t != NULL, "%s", e.text);
    while ((answer = tune_step(t, 1000, &record, &e)) >= WORKFLOW_NOTHING && answer != WORKFLOW_END)
        ;
    ck_assert_msg(answer == WORKFLOW_END, "%s", e.text);
    tune_progress(t, p);
    tune_free(t);
    store_close(o.setup.store);
}

// The first two crash: each part, the default in it or not, holds its results against the third,
// as a tune of the whole does, for which they are results then.
START_TEST(test_parts_have_one_stand_in)
{
    char folder[] = "/tmp/hone-test-XXXXXX", file[64];
    struct error e = ERROR_INIT;
    struct spec_options so = {0};
    struct tune_progress p;
    uint64_t correct = 0, done = 0;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/store.sqlite", folder);
    struct spec *spec = spec_load(HONE_SOURCE_DIR "/tests/tune/data/crashes.json", &so, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    for (uint32_t part = 0; part < 2; part++) {
        tune_part(spec, file, (struct space_share){part, 2}, &p);
        correct += p.by_status[STATUS_CORRECT];
        done += p.common.done;
        ck_assert_uint_lt(p.common.done, 4);
    }
    ck_assert_uint_eq(correct, 2);
    ck_assert_uint_eq(done, 4);
    tune_part(spec, file, (struct space_share){0, 0}, &p);
    ck_assert_uint_eq(p.by_status[STATUS_CORRECT], 2);
    ck_assert_uint_eq(p.reused, 4);
    spec_free(spec);
    folder_remove(folder);
}
END_TEST

int main(void)
{
    arena_init(&arena);
    if (!find_device())
        return 77;
    Suite *suite = suite_create("faults");
    TCase *cases = tcase_create("faults");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, test_each_fault);
    tcase_add_test(cases, test_endless_reference);
    tcase_add_test(cases, test_parts_have_one_stand_in);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    arena_release(&arena);
    return failed ? 1 : 0;
}
