// Whole checks inside Oclgrind: kernels that are clean, and each planted fault found on its line.
// Skipped, visibly, where it is not installed.
#include "workflows/check/checks.h"

#include "worker/protocol.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA    HONE_SOURCE_DIR "/tests/races/data/"
#define KERNELS HONE_SOURCE_DIR "/kernels_cl/"

static const char *const worker[] = {HONE_BINARY_DIR "/hone-worker", NULL};
static const char *const *inside; // the worker in the simulator
static char folder[] = "/tmp/hone-test-XXXXXX";
static char log_path[64], cache[96];
static const char *environment[] = {cache, NULL};
static struct arena arena;
static struct device_report report;
static struct device_info device; // its first

static bool find_simulator(void)
{
    struct error e = ERROR_INIT;
    struct races_options o = {.worker = worker, .path = getenv("PATH"), .log = log_path};
    inside = races_command(&o, &arena, &e);
    if (!inside || !live_devices(&(struct place){.worker = inside, .environment = environment},
                                 1u << LANGUAGE_OPENCL, &arena, &report, NULL, 0, &e)) {
        printf("skipped: %s\n", e.text);
        return false;
    }
    if (report.device_count > 0)
        device = report.devices[0];
    else
        printf("skipped: no device in the simulator: %s\n", report.problem);
    return report.device_count > 0;
}

START_TEST(simulator_alone)
{
    ck_assert_uint_eq(report.device_count, 1);
    ck_assert_str_eq(device.platform, RACES_PLATFORM);
    ck_assert_uint_eq(device.local_bytes, RACES_LOCAL_MEMORY);
    ck_assert_uint_eq(device.max_group_size, RACES_GROUP_SIZE);
}
END_TEST

// ---- running a check ---------------------------------------------------------------------------

struct checked {
    struct spec *spec;
    struct check *check;
    struct check_view view;
};

static void run(struct checked *c, const struct check_options *o)
{
    struct error e = ERROR_INIT;
    const struct check_record *record;
    enum workflow_answer answer;
    c->check = check_new(o, &e);
    ck_assert_msg(c->check != NULL, "%s", e.text);
    do
        answer = check_step(c->check, 1000, &record, &e);
    while (answer == WORKFLOW_NOTHING || answer == WORKFLOW_RECORD);
    ck_assert_msg(answer == WORKFLOW_END, "%s", e.text);
    check_view(c->check, &c->view);
}

static void load(struct checked *c, const char *path, const char *const *set, uint32_t count,
                 struct check_options *o)
{
    struct error e = ERROR_INIT;
    struct spec_options so = {.set = set, .set_count = count};
    c->spec = spec_load(path, &so, &e);
    ck_assert_msg(c->spec != NULL, "%s", e.text);
    *o = (struct check_options){.setup.spec = c->spec,
                                .spec_options = so,
                                .setup.at.device = &device,
                                .setup.at.worker = inside,
                                .setup.at.environment = environment,
                                .setup.seed = 1,
                                .setup.fresh = true,
                                .races_log = log_path,
                                .setup.terms = {.rules = measure_rules_default(),
                                                .build_limit_ns = POLICY_BUILD_LIMIT_NS,
                                                .launch_limit_ns = RACES_LAUNCH_LIMIT_NS}};
}

static void release(struct checked *c)
{
    check_free(c->check);
    spec_free(c->spec);
}

static void tell(const struct checked *c)
{
    struct text out = TEXT_INIT;
    for (size_t i = 0; i < c->view.finding_count; i++)
        race_text(&c->view.findings[i].race, &out);
    printf("%s", text_cstr(&out));
    text_release(&out);
}

// ---- clean kernels -----------------------------------------------------------------------------

static const char *const square[] = {"WIDTH"}, *const m[] = {"M"}, *const n[] = {"N"},
                         *const k[] = {"K"};
static const struct check_smallest square_sizes[] = {{square, 1, 16}};
static const struct check_smallest odd_sizes[] = {{m, 1, 17}, {n, 1, 19}, {k, 1, 9}};

// Few of those whose whole spaces tests/kernels simulates.
static const struct {
    const char *spec;
    const struct check_smallest *sizes;
    uint32_t count;
    uint64_t sample;
} clean[] = {
    {KERNELS "matmul_naive.json", square_sizes, 1, 2},
    {KERNELS "matmul_shared.json", square_sizes, 1, 2},
    {KERNELS "matmul_tiled.json", square_sizes, 1, 2},
    {KERNELS "matmul_bounded.json", odd_sizes, 3, 2},
    {KERNELS "matmul_blocked.json", odd_sizes, 3, 2},
    {KERNELS "matmul_register.json", odd_sizes, 3, 2},
    {KERNELS "matmul_vector.json", odd_sizes, 3, 4},
};

START_TEST(clean_kernels)
{
    struct checked c = {NULL};
    struct check_options o;
    load(&c, clean[_i].spec, NULL, 0, &o);
    o.smallest = clean[_i].sizes;
    o.smallest_count = clean[_i].count;
    o.sample = clean[_i].sample;
    run(&c, &o);
    tell(&c);
    ck_assert_uint_eq(c.view.finding_count, 0);
    ck_assert_uint_gt(c.view.progress.common.done, 0);
    ck_assert_uint_eq(c.view.progress.by_verdict[CHECK_FAILED], 0);
    ck_assert_uint_gt(c.view.progress.by_verdict[CHECK_PASSED], 0);
    release(&c);
}
END_TEST

// ---- planted faults ----------------------------------------------------------------------------

static const struct {
    const char *fault; // --set
    enum race_kind kind;
    const char *file;
    uint32_t line;
    const char *memory, *text; // a part
} planted[] = {
    {"FAULT=1", RACE_READ_WRITE, "faulty.cl", 13, "local", "float v = tile[GROUP - 1 - l];"},
    {"FAULT=2", RACE_READ_OUTSIDE, "faulty.cl", 19, "global", "v = x[i + 1];"},
    {"FAULT=3", RACE_WRITE_OUTSIDE, "faulty.cl", 21, "global", "y[i + 1] = v;"},
    {"FAULT=4", RACE_READ_OUTSIDE, "faulty.cl", 23, "local", "v = tile[l + 1];"},
    {"FAULT=5", RACE_WRITE_OUTSIDE, "faulty.cl", 25, "local", "tile[l + 1] = v;"},
    {"FAULT=6", RACE_DIVERGENCE, "faulty.cl", 28, "", "barrier(CLK_LOCAL_MEM_FENCE);"},
    {"FAULT=9", RACE_WRITE_WRITE, "faulty.cl", 35, "global", "y[0] = v;"},
    {"FAULT=10", RACE_WRITE_OUTSIDE, "faulty.h", 5, "global", "y[i + 1] = 1;"},
    {"FAULT=11", RACE_WRITE_OUTSIDE, "faulty.cl", 40, "global", "y[n + (1 << 20)] = v;"},
};

static const struct check_finding *find(const struct checked *c, enum race_kind kind,
                                        const char *file, uint32_t line)
{
    const struct check_finding *found = NULL;
    for (size_t i = 0; i < c->view.finding_count; i++) {
        const struct race *r = &c->view.findings[i].race;
        if (r->kind != kind || r->at.line != line || !str_equal(r->at.file, file))
            continue;
        ck_assert_msg(found == NULL, "told twice");
        found = &c->view.findings[i];
    }
    return found;
}

START_TEST(planted_faults)
{
    struct checked c = {NULL};
    struct check_options o;
    load(&c, DATA "faulty.json", &planted[_i].fault, 1, &o);
    run(&c, &o);
    tell(&c);
    const struct check_finding *f = find(&c, planted[_i].kind, planted[_i].file, planted[_i].line);
    ck_assert_msg(f != NULL, "%s is not found", planted[_i].fault);
    ck_assert_str_eq(f->race.kernel, "faulty");
    ck_assert_str_eq(f->race.memory, planted[_i].memory);
    ck_assert_str_eq(f->race.at.text, planted[_i].text);
    ck_assert(*f->race.at.item);
    ck_assert_uint_eq(f->configurations, 2); // both values of GROUP
    ck_assert_uint_ge(f->race.count, 2);
    ck_assert_ptr_nonnull(f->example->races);
    ck_assert_uint_eq(c.view.progress.by_verdict[CHECK_FAILED], 2);
    release(&c);
}
END_TEST

START_TEST(no_fault)
{
    struct checked c = {NULL};
    struct check_options o;
    load(&c, DATA "faulty.json", NULL, 0, &o);
    run(&c, &o);
    tell(&c);
    ck_assert_uint_eq(c.view.finding_count, 0);
    ck_assert_uint_eq(c.view.progress.by_verdict[CHECK_PASSED], 2);
    release(&c);
}
END_TEST

// ---- what ends the simulator is a result -------------------------------------------------------

static const struct {
    const char *fault;
    enum status status;
    const char *message; // part of it
} endings[] = {
    {"FAULT=7", STATUS_COMPILE, "died"},
    {"FAULT=8", STATUS_TIMEOUT, "still running"},
};

START_TEST(ends_the_simulator)
{
    struct checked c = {NULL};
    struct check_options o;
    load(&c, DATA "ending.json", &endings[_i].fault, 1, &o);
    o.setup.terms.launch_limit_ns = 4ull * 1000000000;
    o.setup.terms.is_launch_given = true; // else it has the time of a build, too
    run(&c, &o);
    const struct check_record *const *records = c.view.records;
    ck_assert_uint_eq(c.view.count, 2);
    for (size_t i = 0; i < c.view.count; i++) {
        bool faulty = strstr(records[i]->configuration, "PLANTED=1") != NULL;
        const struct result *r = records[i]->result;
        ck_assert_msg(r->status == (faulty ? endings[_i].status : STATUS_CORRECT), "%s: %s: %s",
                      records[i]->configuration, status_text(r->status), r->message);
        if (faulty)
            ck_assert_msg(strstr(r->message, endings[_i].message) != NULL, "%s", r->message);
    }
    release(&c);
}
END_TEST

// The launch is given up by the simulator, and what was computed is not to be trusted.
START_TEST(gives_up)
{
    static const char *const fault = "FAULT=12";
    struct checked c = {NULL};
    struct check_options o;
    load(&c, DATA "ending.json", &fault, 1, &o);
    run(&c, &o);
    ck_assert_uint_eq(c.view.finding_count, 1);
    ck_assert_int_eq(c.view.findings[0].race.kind, RACE_OTHER);
    ck_assert_ptr_nonnull(strstr(c.view.findings[0].race.detail, "trap"));
    ck_assert_uint_eq(c.view.findings[0].configurations, 1);
    release(&c);
}
END_TEST

// ---- the reference ------------------------------------------------------------------------------

// The default configuration, with which all are compared, races: no other is blamed for it.
START_TEST(racing_reference)
{
    struct checked c = {NULL};
    struct check_options o;
    load(&c, DATA "reference.json", NULL, 0, &o);
    run(&c, &o);
    const struct check_record *const *records = c.view.records;
    ck_assert_uint_eq(c.view.count, 2);
    for (size_t i = 0; i < c.view.count; i++) {
        bool faulty = strstr(records[i]->configuration, "PLANTED=1") != NULL;
        ck_assert_msg((records[i]->races != NULL) == faulty, "%s", records[i]->configuration);
    }
    ck_assert_uint_eq(c.view.finding_count, 1);
    ck_assert_uint_eq(c.view.findings[0].configurations, 1);
    release(&c);
}
END_TEST

// ---- the target's limits -----------------------------------------------------------------------

START_TEST(limits_of_the_target)
{
    struct device_report small_report = {0};
    struct error e = ERROR_INIT;
    struct races_options o = {.worker = worker,
                              .path = getenv("PATH"),
                              .local_memory = 16384,
                              .max_group_size = 64,
                              .log = log_path};
    const char *const *small = races_command(&o, &arena, &e);
    ck_assert(live_devices(&(struct place){.worker = small, .environment = environment},
                           LANGUAGES_ALL, &arena, &small_report, NULL, 0, &e));
    ck_assert_uint_eq(small_report.devices[0].local_bytes, 16384);
    ck_assert_uint_eq(small_report.devices[0].max_group_size, 64);
    ck_assert_uint_eq(small_report.devices[0].max_item_sizes[0], 64);

    struct checked c = {NULL};
    struct check_options co;
    load(&c, KERNELS "matmul_tiled.json", NULL, 0, &co);
    co.setup.at.worker = small;
    co.setup.at.device = &small_report.devices[0];
    co.smallest = square_sizes;
    co.smallest_count = 1;
    co.sample = 6;
    run(&c, &co);
    ck_assert_uint_gt(c.view.progress.by_verdict[CHECK_LIMITED], 0); // groups of more than 64
    ck_assert_uint_eq(c.view.progress.by_verdict[CHECK_FAILED], 0);
    release(&c);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static int run_all(void)
{
    Suite *s = suite_create("simulator");
    TCase *t = tcase_create("simulator");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, simulator_alone);
    tcase_add_loop_test(t, planted_faults, 0, COUNT(planted));
    tcase_add_test(t, no_fault);
    tcase_add_loop_test(t, ends_the_simulator, 0, COUNT(endings));
    tcase_add_test(t, gives_up);
    tcase_add_test(t, racing_reference);
    tcase_add_test(t, limits_of_the_target);
    suite_add_tcase(s, t);
    TCase *kernels = tcase_create("kernels");
    tcase_set_timeout(kernels, 120);
    tcase_add_loop_test(kernels, clean_kernels, 0, COUNT(clean));
    suite_add_tcase(s, kernels);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(void)
{
    // Oclgrind's library comes before AddressSanitizer's, which a sanitized worker would refuse.
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 0);
    arena_init(&arena);
    if (!mkdtemp(folder))
        return EXIT_FAILURE;
    snprintf(log_path, sizeof log_path, "%s/races.log", folder);
    snprintf(cache, sizeof cache, "HONE_WORKER_CACHE=%s/cache", folder);
    int status = find_simulator() ? run_all() : 77;
    folder_remove(folder);
    arena_release(&arena);
    return status;
}
