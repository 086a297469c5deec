// libhone as a stranger uses it: through hone/hone.h alone, linked as a shared library. With a
// worker that runs nothing and answers as the spec tells it, and with the real one where there is a
// device.
#include <hone/hone.h>

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SMALL      HONE_SOURCE_DIR "/tests/api/data/small.json"
#define BOTH       HONE_SOURCE_DIR "/tests/api/data/both.json"
#define NAIVE      HONE_SOURCE_DIR "/kernels_cl/matmul_naive.json"
#define REAL       HONE_BINARY_DIR "/hone-worker"
#define PARAMETERS 2

static const struct hone_worker fake = {.size = sizeof fake, .program = FAKE_WORKER};

static char folder[64], store_file[96];

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hone-api-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(store_file, sizeof store_file, "%s/store.sqlite", folder);
}

static void teardown(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static struct hone_spec *load(const char *path, const char *const *set)
{
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_spec_options o = HONE_SPEC_OPTIONS_INIT;
    o.set = set;
    struct hone_spec *s = hone_spec_load(path, &o, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

static struct hone_devices *list_devices(const struct hone_worker *worker)
{
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_devices_options o = HONE_DEVICES_OPTIONS_INIT;
    o.worker = worker;
    struct hone_devices *d = hone_devices_list(&o, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    return d;
}

START_TEST(version_is_of_the_project)
{
    struct hone_error e = HONE_ERROR_INIT;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", HONE_VERSION_MAJOR, HONE_VERSION_MINOR,
             HONE_VERSION_PATCH);
    ck_assert_str_eq(hone_version(), HONE_VERSION);
    ck_assert_str_eq(version, HONE_VERSION);
    ck_assert_msg(hone_check_version(HONE_VERSION_NUMBER, &e), "%s", e.text);
    ck_assert(hone_check_version(HONE_VERSION_NUMBER + 1, &e)); // another patch
    ck_assert(!hone_check_version(100, &e));
    ck_assert_int_eq(e.code, HONE_ERROR_USAGE);
    ck_assert_msg(strstr(e.text, "built for hone 0.1") && strstr(e.text, "libhone " HONE_VERSION),
                  "%s", e.text);
}
END_TEST

// ---- specs and spaces --------------------------------------------------------------------------

START_TEST(spec_is_described)
{
    struct hone_spec *s = load(SMALL, NULL);
    char text[64];
    ck_assert_str_eq(hone_spec_name(s), "small");
    ck_assert_uint_eq(hone_spec_parameters(s), PARAMETERS);
    ck_assert_str_eq(hone_spec_parameter(s, 0), "ID");
    ck_assert_uint_eq(hone_spec_values(s, 0), 4);
    ck_assert_uint_eq(hone_spec_value(s, 0, 3, text, sizeof text), 1);
    ck_assert_str_eq(text, "4");
    ck_assert_uint_eq(hone_spec_value(s, 1, 1, text, sizeof text), 5);
    ck_assert_str_eq(text, "wrong");
    hone_spec_free(s);
}
END_TEST

// From memory, with its files beside another one.
START_TEST(spec_from_memory)
{
    struct hone_error e = HONE_ERROR_INIT;
    char text[4096], constants[64], value[16];
    FILE *f = fopen(SMALL, "r");
    size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    struct hone_spec *s =
        hone_spec_parse(text, length, HONE_SOURCE_DIR "/tests/api/data", NULL, NULL, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    memset(text, '#', sizeof text); // it is the caller's again
    ck_assert_str_eq(hone_spec_name(s), "small");
    ck_assert_str_eq(hone_spec_path(s), "spec");
    ck_assert_str_eq(hone_spec_type(s, 0), "int");
    ck_assert_uint_eq(hone_spec_constants(s), 1);
    ck_assert_str_eq(hone_spec_constant(s, 0), "SLOWNESS");
    hone_spec_constant_value(s, 0, value, sizeof value);
    ck_assert_str_eq(value, "1000");
    hone_spec_constants_text(s, constants, sizeof constants);
    ck_assert_str_eq(constants, "SLOWNESS=1000");
    ck_assert_uint_eq(hone_spec_metrics(s), 1);
    ck_assert_str_eq(hone_spec_metric(s, 0), "speed");
    struct hone_devices *d = list_devices(&fake);
    uint32_t c[PARAMETERS];
    hone_spec_default(s, c);
    struct hone_job *j = hone_job_new(s, hone_devices_get(d, 0), c, NULL, &e); // reads small.cl
    ck_assert_msg(j != NULL, "%s", e.text);
    hone_job_free(j);
    hone_devices_free(d);
    hone_spec_free(s);
    ck_assert_ptr_null(hone_spec_parse("{ ", 2, NULL, "mine.json", NULL, &e));
    ck_assert_msg(strncmp(e.text, "mine.json:1:", 12) == 0, "%s", e.text);
}
END_TEST

START_TEST(configurations_as_text)
{
    struct hone_spec *s = load(SMALL, NULL);
    struct hone_error e = HONE_ERROR_INIT;
    uint32_t c[PARAMETERS];
    char text[64];
    hone_spec_default(s, c);
    ck_assert_uint_eq(hone_spec_text(s, c, text, sizeof text), strlen("ID=2, FAKE=good"));
    ck_assert_str_eq(text, "ID=2, FAKE=good");
    ck_assert_msg(hone_spec_read(s, "ID=4", c, &e), "%s", e.text);
    hone_spec_json(s, c, text, sizeof text);
    ck_assert_str_eq(text, "{\"ID\": 4, \"FAKE\": \"good\"}");
    ck_assert(!hone_spec_read(s, "ID=5", c, &e));
    ck_assert_int_ne(e.code, HONE_ERROR_NONE);
    ck_assert_ptr_nonnull(strstr(e.text, "ID"));
    hone_spec_free(s);
}
END_TEST

START_TEST(texts_are_cut_as_snprintf_cuts)
{
    struct hone_spec *s = load(SMALL, NULL);
    uint32_t c[PARAMETERS];
    char text[8] = "#######";
    hone_spec_default(s, c);
    ck_assert_uint_eq(hone_spec_text(s, c, NULL, 0), 15);
    ck_assert_uint_eq(hone_spec_text(s, c, text, 5), 15);
    ck_assert_str_eq(text, "ID=2");
    ck_assert_int_eq(text[5], '#');
    ck_assert_uint_eq(hone_spec_text(s, c, text, 1), 15);
    ck_assert_str_eq(text, "");
    hone_spec_free(s);
}
END_TEST

START_TEST(space_counts_and_finds)
{
    struct hone_spec *s = load(SMALL, NULL);
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_space *sp = hone_space_new(s, NULL, &e);
    ck_assert_msg(sp != NULL, "%s", e.text);
    ck_assert_double_eq(hone_space_cartesian(sp), 12);
    ck_assert_uint_eq(hone_space_count(sp), 5);
    struct hone_restriction r = HONE_RESTRICTION_INIT;
    ck_assert_uint_eq(hone_space_restrictions(sp), 2);
    ck_assert(hone_space_restriction(sp, 0, &r) && !hone_space_restriction(sp, 2, &r));
    ck_assert_str_eq(r.text, "ID != 3");
    ck_assert_str_eq(r.path, "ConfigurationSpace.Conditions[0].Expression");
    ck_assert(r.alone == 3 && r.faults == 0);
    for (uint64_t i = 0; i < 5; i++) {
        uint32_t c[PARAMETERS];
        uint64_t back = 99;
        hone_space_get(sp, i, c);
        ck_assert(hone_space_find(sp, c, &back));
        ck_assert_uint_eq(back, i);
        ck_assert_uint_eq(hone_space_why(sp, c, NULL, 0), 0);
    }
    hone_space_free(sp);
    hone_spec_free(s);
}
END_TEST

START_TEST(space_says_why)
{
    struct hone_spec *s = load(SMALL, NULL);
    struct hone_error e = HONE_ERROR_INIT;
    const char *const where[] = {"ID > 4", NULL};
    struct hone_space *sp = hone_space_new(s, NULL, &e);
    struct hone_space_options o = HONE_SPACE_OPTIONS_INIT;
    o.where = where;
    struct hone_space *empty = hone_space_new(s, &o, &e);
    uint32_t c[PARAMETERS] = {2, 0};
    uint64_t index;
    char why[512];
    ck_assert_msg(sp && empty, "%s", e.text);
    ck_assert(!hone_space_find(sp, c, &index));
    hone_space_why(sp, c, why, sizeof why);
    ck_assert_ptr_nonnull(strstr(why, "ID != 3"));
    ck_assert_uint_eq(hone_space_why(sp, NULL, why, sizeof why), 0);
    ck_assert_uint_eq(hone_space_count(empty), 0);
    ck_assert_uint_gt(hone_space_why(empty, NULL, why, sizeof why), 0);
    ck_assert_ptr_nonnull(strstr(why, "ID > 4"));
    hone_space_free(sp);
    hone_space_free(empty);
    hone_spec_free(s);
}
END_TEST

// ---- errors ------------------------------------------------------------------------------------

START_TEST(first_error_is_kept)
{
    struct hone_error e = HONE_ERROR_INIT;
    const char *const set[] = {"SLOWNES=1", NULL};
    struct hone_spec_options o = HONE_SPEC_OPTIONS_INIT;
    o.set = set;
    ck_assert_ptr_null(hone_spec_load("/nowhere/x.json", NULL, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "/nowhere/x.json"));
    ck_assert_ptr_null(hone_spec_load(SMALL, &o, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "/nowhere/x.json"));
    e = (struct hone_error)HONE_ERROR_INIT;
    ck_assert_ptr_null(hone_spec_load(SMALL, &o, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "SLOWNESS"));
    ck_assert_ptr_null(hone_spec_load(SMALL, &o, NULL));
}
END_TEST

START_TEST(nothing_to_free)
{
    hone_spec_free(NULL);
    hone_space_free(NULL);
    hone_job_free(NULL);
    hone_devices_free(NULL);
    hone_store_close(NULL);
    hone_tune_free(NULL);
}
END_TEST

START_TEST(worker_that_is_not_there)
{
    struct hone_error e = HONE_ERROR_INIT;
    const struct hone_worker missing = {.size = sizeof missing, .program = "/nowhere/worker"};
    struct hone_devices_options o = HONE_DEVICES_OPTIONS_INIT;
    o.worker = &missing;
    ck_assert_ptr_null(hone_devices_list(&o, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "/nowhere/worker"));
}
END_TEST

START_TEST(tune_options_are_checked)
{
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    ck_assert_ptr_null(hone_tune_new(&o, &e));
    ck_assert_int_eq(e.code, HONE_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(e.text, "a spec and a device"));
    e = (struct hone_error)HONE_ERROR_INIT;
    o.size = 0;
    ck_assert_ptr_null(hone_tune_new(&o, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "HONE_TUNE_OPTIONS_INIT"));
}
END_TEST

// A store that was made by something else is refused and left alone.
START_TEST(foreign_store)
{
    struct hone_error e = HONE_ERROR_INIT;
    FILE *f = fopen(store_file, "w");
    ck_assert_int_gt(fputs("not a store\n", f), 0);
    fclose(f);
    ck_assert_ptr_null(hone_store_open(store_file, HONE_STORE_WRITE, &e));
    ck_assert_int_eq(e.code, HONE_ERROR_STORE);
    ck_assert_ptr_nonnull(strstr(e.text, store_file));
}
END_TEST

// ---- devices -----------------------------------------------------------------------------------

START_TEST(devices_are_listed_and_picked)
{
    struct hone_devices *d = list_devices(&fake);
    struct hone_error e = HONE_ERROR_INIT;
    const struct hone_device *device = hone_devices_get(d, 0);
    ck_assert_uint_eq(hone_devices_count(d), 1);
    ck_assert_str_eq(device->name, "fake device");
    ck_assert_str_eq(device->language, "opencl");
    ck_assert_int_eq(device->type, HONE_CPU);
    ck_assert_ptr_null(hone_devices_get(d, 1));
    ck_assert_ptr_null(hone_devices_note(d, 0));
    ck_assert_ptr_eq(hone_devices_pick(d, NULL, &e), device);
    ck_assert_ptr_eq(hone_devices_pick(d, "FAKE", &e), device);
    ck_assert_ptr_null(hone_devices_pick(d, "another", &e));
    ck_assert_ptr_nonnull(strstr(e.text, "fake device"));
    hone_devices_free(d);
}
END_TEST

// A card with a view in each language is one device, and the spec or its user chooses the view.
START_TEST(views_of_one_card)
{
    static const char *const card[] = {"FAKE_CARD=1", NULL};
    const struct hone_worker two = {
        .size = sizeof two, .program = FAKE_WORKER, .environment = card};
    struct hone_devices *d = list_devices(&two);
    struct hone_spec *spec = load(SMALL, NULL);
    struct hone_error e = HONE_ERROR_INIT;
    const struct hone_device *opencl = hone_devices_get(d, 0), *cuda = hone_devices_get(d, 1);
    ck_assert_uint_eq(hone_devices_count(d), 2);
    ck_assert_str_eq(cuda->language, "cuda");
    ck_assert_ptr_eq(hone_devices_pick(d, "fake", &e), opencl);
    ck_assert_ptr_eq(hone_devices_pick_for(d, spec, NULL, "fake", &e), opencl);
    ck_assert_ptr_eq(hone_devices_pick_for(d, spec, "opencl", NULL, &e), opencl);
    ck_assert_ptr_null(hone_devices_pick_for(d, spec, "cuda", NULL, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "it has a kernel in OpenCL, and none in CUDA"));
    e = (struct hone_error)HONE_ERROR_INIT;
    ck_assert_ptr_null(hone_devices_pick_for(d, spec, "hip", NULL, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "'hip' is not a language"));
    hone_spec_free(spec);
    e = (struct hone_error)HONE_ERROR_INIT;
    spec = load(BOTH, NULL);
    ck_assert_ptr_eq(hone_devices_pick_for(d, spec, NULL, NULL, &e), cuda); // the spec's first
    ck_assert_ptr_eq(hone_devices_pick_for(d, spec, "opencl", "fake", &e), opencl);
    hone_spec_free(spec);
    hone_devices_free(d);
    d = list_devices(&fake);
    spec = load(BOTH, NULL);
    ck_assert_str_eq(hone_devices_pick_for(d, spec, NULL, NULL, &e)->language, "opencl");
    ck_assert_ptr_null(hone_devices_pick_for(d, spec, "cuda", NULL, &e));
    ck_assert_str_eq(e.text, "none of the devices runs CUDA");
    hone_spec_free(spec);
    hone_devices_free(d);
}
END_TEST

// ---- tuning ------------------------------------------------------------------------------------

struct session {
    struct hone_spec *spec;
    struct hone_devices *devices;
    struct hone_store *store;
    struct hone_tune *tune;
};

static void begin_with(struct session *s, const struct hone_worker *worker, const char *spec,
                       const char *const *set, struct hone_tune_options o)
{
    struct hone_error e = HONE_ERROR_INIT;
    s->spec = load(spec, set);
    s->devices = list_devices(worker);
    s->store = hone_store_open(store_file, HONE_STORE_WRITE, &e);
    ck_assert_msg(s->store != NULL, "%s", e.text);
    o.spec = s->spec;
    o.device = hone_devices_pick(s->devices, NULL, &e);
    o.worker = worker;
    o.store = s->store;
    o.lock_folder = folder;
    o.seed = 1;
    s->tune = hone_tune_new(&o, &e);
    ck_assert_msg(s->tune != NULL, "%s", e.text);
}

static void begin(struct session *s, const struct hone_worker *worker, const char *spec,
                  const char *const *set, const char *const *where)
{
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    o.where = where;
    begin_with(s, worker, spec, set, o);
}

static void end(struct session *s)
{
    hone_tune_free(s->tune);
    hone_store_close(s->store);
    hone_devices_free(s->devices);
    hone_spec_free(s->spec);
}

// Runs to the end; how many records there were with each status.
static unsigned run(struct hone_tune *t, unsigned by_status[HONE_CONSTRAINTS + 1])
{
    struct hone_error e = HONE_ERROR_INIT;
    const struct hone_record *r;
    enum hone_answer answer;
    unsigned records = 0;
    while ((answer = hone_tune_step(t, 1000, &r, &e)) != HONE_END) {
        ck_assert_msg(answer != HONE_BROKEN, "%s", e.text);
        if (answer != HONE_RECORD)
            continue;
        ck_assert_ptr_nonnull(r);
        by_status[hone_record_status(r)]++;
        records++;
    }
    return records;
}

static void check_failed(const struct hone_record *r)
{
    const uint64_t *samples;
    double time = -1, other = -1;
    ck_assert_uint_gt(strlen(hone_record_message(r)), 0);
    ck_assert(!hone_record_median(r, &time));
    ck_assert(!hone_record_interval(r, &time, &other));
    ck_assert(!hone_record_metric(r, 0, &time));
    ck_assert_double_eq(time, -1);
    ck_assert_uint_eq(hone_record_samples(r, &samples), 0);
    ck_assert(!hone_record_verified(r));
    struct hone_deviation d = HONE_DEVIATION_INIT;
    struct hone_resources x = HONE_RESOURCES_INIT;
    bool is_wrong = hone_record_status(r) == HONE_CORRECTNESS;
    ck_assert(!hone_record_deviation(r, 9, &d) && !hone_record_resources(r, 9, &x));
    struct hone_gpu gpu = HONE_GPU_INIT;
    ck_assert(!hone_record_gpu(r, &gpu) && gpu.celsius == 0);
    ck_assert(!hone_record_deviation(r, 0, &d) || (is_wrong && !d.is_right));
}

// The value of a fact of the record by its name.
static const struct hone_value *fact(struct hone_facts *f, const struct hone_record *r,
                                     const char *name, enum hone_value_kind kind)
{
    struct hone_fact fact = HONE_FACT_INIT;
    for (size_t i = 0; hone_facts_get(f, i, &fact); i++) {
        if (strcmp(fact.name, name) == 0) {
            ck_assert_int_eq(fact.kind, kind);
            return &hone_facts_read(f, r, 0)[i];
        }
    }
    ck_abort_msg("there is no fact %s", name);
}

static void check_facts(const struct hone_record *r, double median, const uint64_t *samples,
                        double metric)
{
    struct hone_facts *f = hone_facts_new(HONE_OF_RECORD);
    struct hone_facts *of_launch = hone_facts_new(HONE_OF_LAUNCH);
    const struct hone_value *v;
    ck_assert_str_eq(fact(f, r, "status", HONE_TEXT)->text, "correct");
    ck_assert_uint_eq(fact(f, r, "verified", HONE_FLAG)->count, 1);
    ck_assert(fact(f, r, "median_ns", HONE_NUMBER)->number == median);
    ck_assert(fact(f, r, "time_ns", HONE_NUMBER)->number == median);
    v = fact(f, r, "interval_ns", HONE_PAIR);
    ck_assert(v->is_known && v->number <= median && v->high >= median);
    v = fact(f, r, "samples_ns", HONE_COUNTS);
    ck_assert(v->items == samples && v->item_count == hone_record_samples(r, &samples));
    v = fact(f, r, "metric_values", HONE_COUNTS);
    ck_assert(v->item_count == 1 && ((const double *)v->items)[0] == metric);
    ck_assert(fact(f, r, "choice", HONE_COUNTS)->items == hone_record_choice(r));
    ck_assert_uint_eq(fact(f, r, "times_ns.measure", HONE_COUNT)->count, 0);
    ck_assert(!fact(f, r, "gpu.watts", HONE_NUMBER)->is_known);
    ck_assert(!fact(f, r, "limit_ns", HONE_COUNT)->is_known);
    ck_assert_ptr_null(hone_facts_read(of_launch, r, 9));
    hone_facts_free(of_launch);
    hone_facts_free(f);
}

static void check_best(const struct hone_record *r)
{
    const uint64_t *samples;
    double median, low, high, metric;
    ck_assert_str_eq(hone_record_configuration(r), "ID=1, FAKE=good");
    ck_assert_uint_eq(hone_record_choice(r)[0], 0);
    ck_assert_str_eq(hone_status_text(hone_record_status(r)), "correct");
    ck_assert_str_eq(hone_record_message(r), "");
    ck_assert(hone_record_verified(r));
    ck_assert_uint_ge(hone_record_samples(r, &samples), 2);
    ck_assert_uint_eq(samples[0], 1000);
    ck_assert(hone_record_median(r, &median));
    ck_assert(hone_record_interval(r, &low, &high));
    ck_assert(low <= median && median <= high);
    ck_assert(median >= 1000 && median <= 1002);
    ck_assert(hone_record_metric(r, 0, &metric));
    ck_assert_double_eq_tol(metric, 1000 / median, 1e-12);
    struct hone_times times = HONE_TIMES_INIT;
    times.build_ns = times.measure_ns = 1;
    hone_record_times(r, &times); // the fake worker counts none
    ck_assert_uint_eq(times.build_ns + times.load_ns + times.verify_ns + times.measure_ns, 0);
    check_facts(r, median, samples, metric);
}

START_TEST(tune_finds_the_best)
{
    struct session s;
    struct hone_progress p = HONE_PROGRESS_INIT;
    unsigned counts[HONE_CONSTRAINTS + 1] = {0};
    begin(&s, &fake, SMALL, NULL, NULL);
    ck_assert_uint_eq(run(s.tune, counts), 5);
    ck_assert_uint_eq(counts[HONE_CORRECT], 3);
    ck_assert_uint_eq(counts[HONE_CORRECTNESS], 1);
    ck_assert_uint_eq(counts[HONE_COMPILE], 1);
    hone_tune_progress(s.tune, &p);
    ck_assert_uint_eq(p.valid, 5);
    ck_assert_uint_eq(p.done, 5);
    ck_assert_uint_eq(p.correct, 3);
    ck_assert_uint_eq(p.reused, 0);
    check_best(p.best);
    end(&s);
}
END_TEST

START_TEST(advancing_hands_no_record_out)
{
    struct session s;
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_progress p = HONE_PROGRESS_INIT;
    enum hone_answer a = HONE_NOTHING;
    size_t count = 0;
    begin(&s, &fake, SMALL, NULL, NULL);
    while (a == HONE_NOTHING)
        a = hone_tune_advance(s.tune, 1000, &e);
    ck_assert_msg(a == HONE_END, "%d: %s", a, e.text);
    hone_tune_records(s.tune, &count);
    ck_assert_uint_eq(count, 5);
    hone_tune_progress(s.tune, &p);
    check_best(p.best);
    end(&s);
}
END_TEST

START_TEST(records_have_their_place)
{
    struct session s;
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    const char *const rules[] = {"rounds=12", "near=9", "behind=99", "hopeless=99", NULL};
    const char *const wrong[] = {"round=12", NULL};
    const struct hone_record *r, *records[4] = {NULL};
    const uint64_t *samples;
    double ratio, low, high, nothing;
    int count = 0;
    o.rules = rules;
    begin_with(&s, &fake, SMALL, NULL, o);
    for (enum hone_answer a = HONE_NOTHING; a != HONE_END;
         a = hone_tune_step(s.tune, 1000, &r, &e)) {
        ck_assert_msg(a != HONE_BROKEN, "%s", e.text);
        if (a == HONE_RECORD && hone_record_status(r) == HONE_CORRECT)
            records[hone_record_choice(r)[0]] = r, count++;
        else if (a == HONE_RECORD)
            ck_assert(!hone_record_ratio(r, &nothing, NULL, NULL) && !hone_record_tied(r));
    }
    ck_assert_int_eq(count, 3);
    for (int id = 1; id <= 4; id++) {
        r = records[id - 1];
        if (id == 3) // is not in the space
            continue;
        ck_assert_msg(hone_record_ratio(r, &ratio, &low, &high), "%d", id);
        ck_assert_double_eq_tol(ratio, id, 0.01);
        ck_assert(low <= ratio && ratio <= high);
        ck_assert(hone_record_ratio(r, &ratio, NULL, NULL));
        ck_assert(hone_record_tied(r) == (id == 1));
        ck_assert_uint_le(hone_record_samples(r, &samples), 12);
    }
    end(&s);
    o.rules = wrong;
    o.spec = load(SMALL, NULL);
    struct hone_devices *devices = list_devices(&fake);
    o.device = hone_devices_get(devices, 0);
    o.worker = &fake;
    ck_assert_ptr_null(hone_tune_new(&o, &e));
    ck_assert_msg(strstr(e.text, "rounds") != NULL, "%s", e.text);
    hone_devices_free(devices);
    hone_spec_free((struct hone_spec *)o.spec);
}
END_TEST

// Without a ranking, and with a fixed count, nobody has a place.
START_TEST(unranked_records_have_none)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        struct session s;
        struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
        struct hone_progress p = HONE_PROGRESS_INIT;
        const uint64_t *samples;
        double ratio;
        unsigned counts[HONE_CONSTRAINTS + 1] = {0};
        o.fresh = true;
        o.unranked = !fixed;
        o.iterations = fixed ? 9 : 0;
        begin_with(&s, &fake, SMALL, NULL, o);
        run(s.tune, counts);
        hone_tune_progress(s.tune, &p);
        ck_assert(!hone_record_ratio(p.best, &ratio, NULL, NULL));
        ck_assert(!hone_record_tied(p.best));
        if (fixed)
            ck_assert_uint_eq(hone_record_samples(p.best, &samples), 9);
        end(&s);
    }
}
END_TEST

// Another objective than the time, and two that agree on one configuration. A caller who does not
// know of them yet tunes for the time.
START_TEST(objectives)
{
    static const char *const given[] = {"max:time", "time,max:speed", "max:time"};
    for (int i = 0; i < 3; i++) {
        struct session s;
        struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
        struct hone_progress p = HONE_PROGRESS_INIT;
        unsigned counts[HONE_CONSTRAINTS + 1] = {0};
        double value;
        o.objective = given[i];
        o.strategy = i == 0 ? "genetic:population=2" : NULL;
        o.size = i == 2 ? offsetof(struct hone_tune_options, objective) : o.size;
        begin_with(&s, &fake, SMALL, NULL, o);
        ck_assert_uint_eq(run(s.tune, counts), 5);
        hone_tune_progress(s.tune, &p);
        ck_assert(i == 1 ? !p.best : p.best != NULL);
        ck_assert_uint_eq(p.pareto, i == 1);
        if (p.best) {
            ck_assert_uint_eq(hone_record_choice(p.best)[0], i == 0 ? 3 : 0);
            ck_assert(hone_record_objective(p.best, 0, &value) && value >= 1000);
            ck_assert(!hone_record_objective(p.best, 1, &value) && !hone_record_pareto(p.best));
        }
        end(&s);
    }
}
END_TEST

START_TEST(objectives_are_checked)
{
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    struct hone_spec *spec = load(SMALL, NULL);
    struct hone_devices *devices = list_devices(&fake);
    o.spec = spec;
    o.device = hone_devices_get(devices, 0);
    o.worker = &fake;
    o.objective = "max:sped";
    ck_assert_ptr_null(hone_tune_new(&o, &e));
    ck_assert_str_eq(e.text, "no metric 'sped'; did you mean 'speed'?");
    hone_devices_free(devices);
    hone_spec_free(spec);
}
END_TEST

START_TEST(failures_have_no_time)
{
    struct session s;
    struct hone_error e = HONE_ERROR_INIT;
    const char *const where[] = {"FAKE != 'good'", NULL};
    const struct hone_record *r;
    enum hone_answer answer;
    begin(&s, &fake, SMALL, NULL, where);
    while ((answer = hone_tune_step(s.tune, 1000, &r, &e)) != HONE_END) {
        ck_assert_msg(answer != HONE_BROKEN, "%s", e.text);
        if (answer == HONE_RECORD)
            check_failed(r);
    }
    end(&s);
}
END_TEST

START_TEST(store_answers_and_knows_the_best)
{
    struct session s;
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_progress p = HONE_PROGRESS_INIT;
    unsigned counts[HONE_CONSTRAINTS + 1] = {0};
    uint32_t c[PARAMETERS] = {9, 9};
    double median = 0;
    begin(&s, &fake, SMALL, NULL, NULL);
    ck_assert(!hone_store_best(s.store, s.spec, NULL, c, &median, &e));
    ck_assert_msg(e.code == HONE_ERROR_NONE, "%s", e.text);
    ck_assert_uint_eq(c[0], 9);
    run(s.tune, counts);
    end(&s);
    begin(&s, &fake, SMALL, NULL, NULL);
    ck_assert_uint_eq(run(s.tune, counts), 5);
    hone_tune_progress(s.tune, &p);
    ck_assert_uint_eq(p.reused, 5);
    ck_assert(hone_record_reused(p.best));
    ck_assert_msg(hone_store_best(s.store, s.spec, hone_devices_get(s.devices, 0), c, &median, &e),
                  "%s", e.text);
    ck_assert_uint_eq(c[0], 0);
    ck_assert_uint_eq(c[1], 0);
    ck_assert(median >= 1000 && median <= 1002);
    end(&s);
}
END_TEST

// Other constants, other results.
START_TEST(store_keeps_constants_apart)
{
    struct session s;
    struct hone_error e = HONE_ERROR_INIT;
    unsigned counts[HONE_CONSTRAINTS + 1] = {0};
    const char *const set[] = {"SLOWNESS=5000", NULL};
    uint32_t c[PARAMETERS];
    double median;
    begin(&s, &fake, SMALL, NULL, NULL);
    run(s.tune, counts);
    end(&s);
    begin(&s, &fake, SMALL, set, NULL);
    ck_assert(!hone_store_best(s.store, s.spec, NULL, c, &median, &e));
    run(s.tune, counts);
    ck_assert_msg(hone_store_best(s.store, s.spec, NULL, c, &median, &e), "%s", e.text);
    ck_assert(median >= 5000 && median <= 5002);
    end(&s);
}
END_TEST

START_TEST(cancelled_tune_ends)
{
    struct session s;
    struct hone_progress p = HONE_PROGRESS_INIT;
    unsigned counts[HONE_CONSTRAINTS + 1] = {0};
    begin(&s, &fake, SMALL, NULL, NULL);
    hone_tune_cancel(s.tune);
    ck_assert_uint_lt(run(s.tune, counts), 5);
    hone_tune_progress(s.tune, &p);
    ck_assert_uint_lt(p.done, 5);
    end(&s);
}
END_TEST

// What the library fills in stops where the caller's struct ends; what it does not know is 0.
START_TEST(filled_structs_have_the_callers_size)
{
    struct session s;
    struct {
        struct hone_progress p;
        uint64_t more[2];
    } newer;
    struct hone_progress p;
    memset(&p, 0x5a, sizeof p);
    memset(&newer, 0x5a, sizeof newer);
    begin(&s, &fake, SMALL, NULL, NULL);
    p.size = offsetof(struct hone_progress, planned);
    hone_tune_progress(s.tune, &p);
    ck_assert_uint_eq(p.size, offsetof(struct hone_progress, planned));
    ck_assert_uint_eq(p.valid, 5);
    ck_assert_uint_eq(p.planned, UINT64_C(0x5a5a5a5a5a5a5a5a));
    newer.p.size = sizeof newer.p + sizeof newer.more[0];
    hone_tune_progress(s.tune, &newer.p);
    ck_assert_uint_eq(newer.p.planned, 5);
    ck_assert_uint_eq(newer.more[0], 0);
    ck_assert_uint_eq(newer.more[1], UINT64_C(0x5a5a5a5a5a5a5a5a));
    end(&s);
}
END_TEST

// Each kind of options: as of an older caller, who knows the first member alone; of a newer one who
// sets nothing that is not known, and of one who does; and without a size.
static bool use_options(int kind, const void *o, struct hone_error *e)
{
    struct hone_spec *spec = load(SMALL, NULL);
    struct hone_devices *d = list_devices(&fake);
    struct hone_store *st = hone_store_open(store_file, HONE_STORE_WRITE, e);
    struct hone_devices_options list = HONE_DEVICES_OPTIONS_INIT;
    void *made = NULL;
    bool ok = true;
    list.worker = kind == 4 ? o : &fake;
    if (kind == 0)
        hone_spec_free(made = hone_spec_load(SMALL, o, e));
    else if (kind == 1)
        hone_space_free(made = hone_space_new(spec, o, e));
    else if (kind == 2)
        hone_devices_free(made = hone_devices_list(o, e));
    else if (kind == 3)
        ok = hone_store_records(st, o, NULL, NULL, e);
    else if (kind == 4)
        hone_devices_free(made = hone_devices_list(&list, e));
    hone_store_close(st);
    hone_devices_free(d);
    hone_spec_free(spec);
    return ok && (made || kind == 3);
}

START_TEST(options_have_the_callers_size)
{
    const size_t sizes[] = {sizeof(struct hone_spec_options), sizeof(struct hone_space_options),
                            sizeof(struct hone_devices_options), sizeof(struct hone_query),
                            sizeof(struct hone_worker)};
    for (int kind = 0; kind < 5; kind++) {
        struct hone_error e = HONE_ERROR_INIT;
        union {
            size_t size;
            const void *members[32];
        } o = {.size = 2 * sizeof(size_t)};
        o.members[1] = kind == 2 ? (const void *)&fake : kind == 4 ? FAKE_WORKER : NULL;
        o.members[2] = &o; // not read
        ck_assert_msg(use_options(kind, &o, &e), "%d: %s", kind, e.text);
        o.members[2] = NULL;
        o.size = sizes[kind] + 2 * sizeof(size_t);
        ck_assert_msg(use_options(kind, &o, &e), "%d: %s", kind, e.text);
        ((char *)&o)[sizes[kind] + sizeof(size_t)] = 1;
        ck_assert(!use_options(kind, &o, &e));
        ck_assert_msg(strstr(e.text, "does not know all members"), "%s", e.text);
        e = (struct hone_error)HONE_ERROR_INIT;
        o.size = 0;
        ck_assert(!use_options(kind, &o, &e));
        ck_assert_int_eq(e.code, HONE_ERROR_USAGE);
        ck_assert_msg(strstr(e.text, "_INIT"), "%s", e.text);
    }
}
END_TEST

// ---- jobs and runs -----------------------------------------------------------------------------

START_TEST(job_is_described)
{
    struct hone_spec *s = load(SMALL, NULL);
    struct hone_devices *d = list_devices(&fake);
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_program p = HONE_PROGRAM_INIT;
    struct hone_launch l = HONE_LAUNCH_INIT;
    struct hone_buffer b = HONE_BUFFER_INIT;
    uint32_t c[PARAMETERS] = {3, 0};
    bool found = false;
    struct hone_job *j = hone_job_new(s, hone_devices_get(d, 0), c, NULL, &e);
    ck_assert_msg(j != NULL, "%s", e.text);
    ck_assert_uint_eq(hone_job_programs(j), 1);
    ck_assert(hone_job_program(j, 0, &p) && !hone_job_program(j, 1, &p));
    ck_assert_str_eq(p.name, "small.cl");
    ck_assert_uint_eq(p.source_bytes, strlen(p.source));
    ck_assert_ptr_nonnull(strstr(p.source, "void k("));
    for (const char *const *o = p.options; *o; o++)
        found |= strcmp(*o, "-DID=4") == 0;
    ck_assert(found);
    ck_assert_uint_eq(hone_job_launches(j), 1);
    ck_assert(hone_job_launch(j, 0, &l) && !hone_job_launch(j, 1, &l));
    ck_assert_str_eq(l.kernel, "k");
    ck_assert_uint_eq(l.dimensions, 1);
    ck_assert(l.global[0] == 64 && l.local[0] == 64);
    ck_assert_uint_eq(hone_job_buffers(j), 1);
    ck_assert(hone_job_buffer(j, 0, &b) && !hone_job_buffer(j, 1, &b));
    ck_assert_str_eq(b.name, "y");
    ck_assert_str_eq(b.type, "float");
    ck_assert(b.count == 64 && b.total_bytes == 256 && b.is_output && !b.has_contents);
    float none[64];
    ck_assert(!hone_job_contents(j, 0, none, sizeof none, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "y holds nothing before the launch"));
    e = (struct hone_error)HONE_ERROR_INIT;
    ck_assert(!hone_job_contents(j, 1, none, sizeof none, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "1 buffers, and none at 1"));
    hone_job_free(j);
    hone_devices_free(d);
    hone_spec_free(s);
}
END_TEST

static struct hone_devices *list_kept(const struct hone_worker *worker)
{
    struct hone_devices_options list = HONE_DEVICES_OPTIONS_INIT;
    struct hone_error e = HONE_ERROR_INIT;
    list.worker = worker;
    list.keep_worker = true;
    struct hone_devices *d = hone_devices_list(&list, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    return d;
}

static struct hone_tune_options on_first(const struct hone_spec *spec, const struct hone_devices *d)
{
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    o.spec = spec;
    o.device = hone_devices_get(d, 0);
    o.lock_folder = folder;
    o.fresh = true;
    return o;
}

START_TEST(run_of_one_configuration)
{
    struct hone_spec *spec = load(SMALL, NULL);
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_launch launch = HONE_LAUNCH_INIT;
    const struct hone_record *r = NULL, *last = NULL;
    const uint64_t *samples;
    enum hone_answer answer;
    uint32_t good[PARAMETERS] = {3, 0}, excluded[PARAMETERS] = {2, 0};
    struct hone_devices *d = list_kept(&fake);
    struct hone_tune_options o = on_first(spec, d);
    ck_assert_ptr_null(hone_run_new(&o, excluded, &e));
    ck_assert_int_eq(e.code, HONE_ERROR_USAGE);
    ck_assert_msg(strstr(e.text, "ID=3, FAKE=good is excluded: ") && strstr(e.text, "ID != 3"),
                  "%s", e.text);
    e = (struct hone_error)HONE_ERROR_INIT;
    struct hone_tune *t = hone_run_new(&o, good, &e);
    ck_assert_msg(t != NULL, "%s", e.text);
    while ((answer = hone_tune_step(t, 1000, &r, &e)) != HONE_END) {
        ck_assert_msg(answer != HONE_BROKEN, "%s", e.text);
        last = answer == HONE_RECORD ? r : last;
    }
    ck_assert_ptr_nonnull(last);
    ck_assert_str_eq(hone_record_json(last), "{\"ID\": 4, \"FAKE\": \"good\"}");
    ck_assert_uint_eq(hone_record_samples(last, &samples), 7);
    struct hone_job *j = hone_job_of_record_new(t, last, &e);
    ck_assert_msg(j && hone_job_launch(j, 0, &launch), "%s", e.text);
    ck_assert_uint_eq(launch.global[0], 64);
    hone_job_free(j);
    hone_tune_free(t);
    hone_devices_free(d);
    hone_spec_free(spec);
}
END_TEST

// How many were correct.
static int run_to_end(struct hone_tune *t)
{
    const struct hone_record *r = NULL;
    struct hone_error e = HONE_ERROR_INIT;
    enum hone_answer answer;
    int correct = 0;
    while ((answer = hone_tune_step(t, 1000, &r, &e)) != HONE_END) {
        ck_assert_msg(answer != HONE_BROKEN, "%s", e.text);
        correct += answer == HONE_RECORD && hone_record_status(r) == HONE_CORRECT;
    }
    return correct;
}

// By a bench worker and the one builder.
static unsigned count_openings(const char *frames)
{
    char line[80];
    unsigned count = 0;
    FILE *f = fopen(frames, "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f))
        count += strncmp(line, "open ", 5) == 0;
    fclose(f);
    return count;
}

// Not at all, twice, or another one than the tune is on: that worker is ended then.
START_TEST(device_is_opened_ahead)
{
    char frames[600], variable[640];
    snprintf(frames, sizeof frames, "%s/frames", folder);
    snprintf(variable, sizeof variable, "FAKE_FRAMES=%s", frames);
    const char *const environment[] = {"FAKE_CARD=1", variable, NULL};
    const struct hone_worker two = {
        .size = sizeof two, .program = FAKE_WORKER, .environment = environment};
    struct hone_spec *spec = load(SMALL, NULL);
    struct hone_error e = HONE_ERROR_INIT;
    uint32_t good[PARAMETERS] = {3, 0};
    struct hone_devices *d = list_kept(&two);
    for (int times = 0; times < 2 && _i > 0; times++)
        hone_devices_open(d, hone_devices_get(d, (size_t)_i - 1));
    for (int i = 0; i < 500 && _i > 0 && count_openings(frames) == 0; i++)
        usleep(10000);
    ck_assert_uint_eq(count_openings(frames), _i > 0); // without a tune
    struct hone_tune_options o = on_first(spec, d);
    o.jobs = 1;
    struct hone_tune *t = hone_run_new(&o, good, &e);
    ck_assert_msg(t != NULL, "%s", e.text);
    ck_assert_int_eq(run_to_end(t), 1);
    hone_tune_free(t);
    hone_devices_free(d);
    hone_spec_free(spec);
    ck_assert_uint_eq(count_openings(frames), _i == 2 ? 3 : 2);
}
END_TEST

// The next tune, or who frees the devices, waits for the workers of a tune that does not; who leaves them leaves processes
// that were killed.
START_TEST(workers_are_waited_for_later)
{
    struct hone_spec *spec = load(SMALL, NULL);
    struct hone_error e = HONE_ERROR_INIT;
    uint32_t good[PARAMETERS] = {3, 0};
    struct hone_devices *d = list_kept(&fake);
    struct hone_tune_options o = on_first(spec, d);
    o.unawaited = true;
    for (int i = 0; i < 2; i++) {
        struct hone_tune *t = hone_run_new(&o, good, &e);
        ck_assert_msg(t != NULL, "%s", e.text);
        ck_assert_int_eq(run_to_end(t), 1);
        hone_tune_free(t);
    }
    if (_i == 0)
        hone_devices_free(d);
    else
        hone_devices_leave(d);
    int status;
    while (_i == 1 && wait(&status) > 0)
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ck_assert_msg(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD, "a worker is left");
    hone_spec_free(spec);
}
END_TEST

// ---- what a store tells ------------------------------------------------------------------------

struct seen {
    struct hone_store *store;
    unsigned records, correct, chosen, most;
    char run[64], job[80], device[32];
    double metric;
};

static bool count_texts(void *context, const char *kind, const char *name, const char *text,
                        size_t length)
{
    unsigned *count = context;
    ck_assert(kind && name);
    ck_assert_uint_eq(strlen(text), length);
    *count += strcmp(kind, "source") == 0 && strstr(text, "void k(");
    return true;
}

static bool see_record(void *context, const struct hone_record *r, const struct hone_origin *origin)
{
    struct seen *seen = context;
    struct hone_error e = HONE_ERROR_INIT;
    unsigned texts = 0;
    double median, metric;
    bool is_correct = hone_record_status(r) == HONE_CORRECT;
    seen->records++;
    seen->correct += is_correct;
    seen->chosen += hone_record_choice(r) != NULL;
    ck_assert(hone_record_median(r, &median) == is_correct);
    if (is_correct && hone_record_metric(r, 0, &metric))
        seen->metric = metric * median;
    ck_assert_str_eq(origin->spec, "small");
    ck_assert_uint_eq(strlen(origin->id), 32);
    ck_assert_uint_eq(strlen(origin->date), strlen("2024-05-06T07:08:09.123Z"));
    ck_assert_str_eq(origin->hone_version, hone_version());
    snprintf(seen->run, sizeof seen->run, "%s", origin->run);
    snprintf(seen->device, sizeof seen->device, "%s", origin->device);
    ck_assert(hone_store_texts(seen->store, origin->job, count_texts, &texts, &e));
    ck_assert_uint_eq(texts, 1);
    return seen->records != seen->most;
}

static bool see_best(void *context, const struct hone_record *r, const struct hone_origin *origin)
{
    struct seen *seen = context;
    ck_assert_str_eq(hone_record_configuration(r), "ID=1, FAKE=good");
    ck_assert_ptr_nonnull(strstr(origin->constants, "SLOWNESS="));
    seen->records++;
    seen->chosen += hone_record_choice(r) != NULL;
    return true;
}

static bool see_run(void *context, const struct hone_run_info *run)
{
    struct seen *seen = context;
    snprintf(seen->run, sizeof seen->run, "%s", run->id);
    seen->most++;
    seen->records += (unsigned)run->records;
    seen->correct += (unsigned)run->correct;
    ck_assert_str_eq(run->device, "fake device");
    ck_assert_str_eq(run->command, "test of the store");
    return true;
}

START_TEST(store_hands_out_what_it_has)
{
    struct session s;
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    struct hone_query q = HONE_QUERY_INIT;
    unsigned counts[HONE_CONSTRAINTS + 1] = {0};
    const char *const set[] = {"SLOWNESS=5000", NULL};
    o.unranked = true;
    o.command = "test of the store";
    begin_with(&s, &fake, SMALL, set, o);
    run(s.tune, counts);
    end(&s);
    begin_with(&s, &fake, SMALL, NULL, o);
    run(s.tune, counts);
    struct seen all = {.store = s.store}, own = all, one = all, runs = all, first = {.most = 1};
    first.store = s.store;
    ck_assert_msg(hone_store_records(s.store, NULL, see_record, &all, &e), "%s", e.text);
    ck_assert(all.records == 10 && all.correct == 6 && all.chosen == 0);
    q.spec = s.spec;
    q.device = hone_devices_get(s.devices, 0);
    ck_assert_msg(hone_store_records(s.store, &q, see_record, &own, &e), "%s", e.text);
    ck_assert(own.records == 5 && own.correct == 3 && own.chosen == 5);
    ck_assert_double_eq_tol(own.metric, 1000, 1e-6); // speed is SLOWNESS / time_ns
    ck_assert_str_eq(own.device, "fake device");
    ck_assert(hone_store_records(s.store, &q, see_record, &first, &e));
    ck_assert_uint_eq(first.records, 1); // it was ended
    q.any_constants = q.correct_only = true;
    ck_assert_msg(hone_store_runs(s.store, &q, see_run, &runs, &e), "%s", e.text);
    ck_assert(runs.most == 2 && runs.records == 6 && runs.correct == 6);
    q.run = runs.run;
    ck_assert(hone_store_records(s.store, &q, see_record, &one, &e));
    ck_assert(one.records == 3 && one.chosen == 0); // of the other constants
    ck_assert_str_eq(one.run, runs.run);
    struct seen bests = {.store = s.store};
    ck_assert_msg(hone_store_bests(s.store, s.spec, see_best, &bests, &e), "%s", e.text);
    ck_assert(bests.records == 2 && bests.chosen == 1);
    ck_assert(!hone_store_texts(s.store, "abc", count_texts, &counts, &e));
    ck_assert_msg(strstr(e.text, "'abc' is not a job"), "%s", e.text);
    end(&s);
}
END_TEST

// Behind a store that knows nothing another one answers.
START_TEST(store_behind)
{
    struct session s;
    struct hone_error e = HONE_ERROR_INIT;
    char own[128];
    unsigned counts[HONE_CONSTRAINTS + 1] = {0};
    uint32_t c[PARAMETERS];
    double median_ns;
    begin(&s, &fake, SMALL, NULL, NULL);
    run(s.tune, counts);
    snprintf(own, sizeof own, "%s/own.sqlite", folder);
    struct hone_store *st = hone_store_open(own, HONE_STORE_WRITE, &e);
    ck_assert_str_eq(hone_store_path(st), own);
    ck_assert(!hone_store_best(st, s.spec, NULL, c, &median_ns, &e));
    st = hone_store_stack(st, hone_store_open(store_file, HONE_STORE_READ, &e));
    ck_assert_msg(hone_store_best(st, s.spec, NULL, c, &median_ns, &e), "%s", e.text);
    ck_assert(hone_store_kept(st, &e));
    hone_store_close(st);
    end(&s);
}
END_TEST

START_TEST(empty_space_is_refused)
{
    struct hone_spec *spec = load(SMALL, NULL);
    struct hone_devices *d = list_devices(&fake);
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    const char *const where[] = {"ID == 3", NULL};
    o.spec = spec;
    o.device = hone_devices_get(d, 0);
    o.worker = &fake;
    o.where = where;
    o.lock_folder = folder;
    ck_assert_ptr_null(hone_tune_new(&o, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "no configuration is valid"));
    hone_devices_free(d);
    hone_spec_free(spec);
}
END_TEST

// ---- a real device -----------------------------------------------------------------------------

// Those that an earlier run has measured are ranked with a new one: built again for their turns.
static void rank_with_earlier(const struct hone_worker *real, const char *const *set)
{
    const char *const where[] = {"block_size_x == 16 and block_size_y in (2, 4, 8)", NULL};
    const char *const rules[] = {"near=1000", "hopeless=1000", "certain=1000", "rounds=6", NULL};
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    struct hone_progress p = HONE_PROGRESS_INIT;
    struct session s;
    unsigned counts[HONE_CONSTRAINTS + 1] = {0};
    double ratio, low, high;
    o.where = where;
    o.rules = rules;
    begin_with(&s, real, NAIVE, set, o);
    ck_assert_uint_eq(run(s.tune, counts), 3);
    ck_assert_uint_eq(counts[HONE_CORRECT], 3);
    hone_tune_progress(s.tune, &p);
    ck_assert_uint_eq(p.reused, 2);
    ck_assert(hone_record_ratio(p.best, &ratio, &low, &high));
    ck_assert(hone_record_tied(p.best));
    ck_assert(ratio >= 1 && low <= ratio && ratio <= high);
    end(&s);
}

// Notes what it is shown: one output of 64 * 64 floats. Refuses when it is told to.
struct judgement {
    unsigned calls;
    float last;
    bool refuses;
};

static bool note_outputs(void *context, const char *configuration, const void *const *outputs,
                         const size_t *lengths, size_t count, char *why, size_t size)
{
    struct judgement *j = context;
    ck_assert_ptr_nonnull(strstr(configuration, "\"block_size_x\": 16"));
    for (size_t i = 0; i < count; i++) {
        ck_assert((outputs[i] != NULL) == (lengths[i] > 0));
        if (!outputs[i])
            continue;
        ck_assert_uint_eq(lengths[i], 64 * 64 * sizeof(float));
        memcpy(&j->last, (const char *)outputs[i] + lengths[i] - sizeof(float), sizeof(float));
    }
    j->calls++;
    snprintf(why, size, "the last element is %g", (double)j->last);
    return !j->refuses;
}

// Inputs have contents, which are the same each time.
static void check_contents(const struct hone_job *j)
{
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_buffer b = HONE_BUFFER_INIT;
    float one[64 * 64], two[64 * 64];
    unsigned seen = 0;
    for (uint32_t i = 0; hone_job_buffer(j, i, &b); i++) {
        if (!b.has_contents)
            continue;
        ck_assert_uint_eq(b.total_bytes, sizeof one);
        ck_assert_msg(hone_job_contents(j, i, one, sizeof one, &e), "%s", e.text);
        ck_assert(hone_job_contents(j, i, two, sizeof two, &e));
        ck_assert_int_eq(memcmp(one, two, sizeof one), 0);
        ck_assert(!hone_job_contents(j, i, two, 4, NULL));
        seen++;
    }
    ck_assert_uint_eq(seen, 2);
}

// What the kernel computed, and what the driver made of it.
static void run_and_fetch(const struct hone_worker *real)
{
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    struct hone_spec *spec = load(NAIVE, (const char *const[]){"WIDTH=64", NULL});
    struct hone_devices *d = list_devices(real);
    struct hone_buffer b = HONE_BUFFER_INIT;
    const struct hone_record *r = NULL, *last = NULL;
    const void *bytes;
    size_t length = 0, count = 0;
    enum hone_answer answer;
    uint32_t c[64];
    o.spec = spec;
    o.device = hone_devices_pick_for(d, spec, NULL, NULL, &e);
    o.worker = real;
    o.lock_folder = folder;
    o.fresh = true;
    struct judgement judgement = {.refuses = false};
    o.judge = note_outputs;
    o.judge_context = &judgement;
    hone_spec_default(spec, c);
    ck_assert_msg(hone_spec_read(spec, "block_size_x=16,block_size_y=4", c, &e), "%s", e.text);
    struct hone_tune *t = hone_run_new(&o, c, &e);
    ck_assert_msg(t != NULL, "%s", e.text);
    while ((answer = hone_tune_step(t, 1000, &r, &e)) != HONE_END) {
        ck_assert_msg(answer != HONE_BROKEN, "%s", e.text);
        last = answer == HONE_RECORD ? r : last;
    }
    ck_assert(last && hone_record_verified(last));
    const struct hone_record *const *records = hone_tune_records(t, &count);
    ck_assert(count == 1 && records[0] == last);
    struct hone_job *j = hone_job_of_record_new(t, last, &e);
    ck_assert_msg(j != NULL, "%s", e.text);
    check_contents(j);
    for (uint32_t i = 0; hone_job_buffer(j, i, &b); i++) {
        if (!b.is_output)
            continue;
        ck_assert_msg(hone_tune_fetch(t, last, HONE_FETCH_BUFFER, i, &bytes, &length, &e), "%s",
                      e.text);
        ck_assert(b.count == 64 * 64 && length == b.total_bytes);
        ck_assert_int_eq(
            memcmp((const char *)bytes + length - sizeof(float), &judgement.last, sizeof(float)),
            0);
    }
    ck_assert_uint_gt(length, 0);
    ck_assert_uint_eq(judgement.calls, 1);
    hone_job_free(j);
    hone_tune_free(t);
    judgement.refuses = true;
    t = hone_run_new(&o, c, &e);
    ck_assert_msg(t != NULL, "%s", e.text);
    while ((answer = hone_tune_step(t, 1000, &r, &e)) == HONE_RECORD || answer == HONE_NOTHING)
        last = answer == HONE_RECORD ? r : last;
    ck_assert_int_eq(answer, HONE_END);
    ck_assert_int_eq(hone_record_status(last), HONE_CORRECTNESS);
    ck_assert_ptr_nonnull(strstr(hone_record_message(last), "the last element is"));
    hone_tune_free(t);
    hone_devices_free(d);
    hone_spec_free(spec);
}

START_TEST(real_device_tunes)
{
    char cache[96], temporary[96];
    snprintf(cache, sizeof cache, "POCL_CACHE_DIR=%s", folder);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s/tmp", folder);
    const char *temporary_folder = temporary + strlen("TMPDIR=");
    ck_assert_int_eq(mkdir(temporary_folder, 0777), 0);
    const char *const environment[] = {cache, temporary, NULL};
    const struct hone_worker real = {
        .size = sizeof real, .program = REAL, .environment = environment};
    const char *const set[] = {"WIDTH=64", NULL};
    const char *const where[] = {"block_size_x == 16 and block_size_y in (4, 8)", NULL};
    unsigned counts[HONE_CONSTRAINTS + 1] = {0};
    struct hone_progress p = HONE_PROGRESS_INIT;
    struct session s;
    struct hone_devices *d = access(REAL, X_OK) == 0 ? list_devices(&real) : NULL;
    bool there = d && hone_devices_count(d) > 0;
    hone_devices_free(d);
    if (!there) {
        printf("skipped: a tune on a real device (there is none)\n");
        return;
    }
    begin(&s, &real, NAIVE, set, where);
    ck_assert_uint_eq(run(s.tune, counts), 2);
    ck_assert_uint_eq(counts[HONE_CORRECT], 2);
    hone_tune_progress(s.tune, &p);
    ck_assert_ptr_nonnull(p.best);
    ck_assert(hone_record_verified(p.best));
    end(&s);
    rank_with_earlier(&real, set);
    run_and_fetch(&real);
    // The workers were killed, and nothing of theirs is left.
    ck_assert_int_eq(rmdir(temporary_folder), 0);
}
END_TEST

static TCase *plain_case(void)
{
    TCase *c = tcase_create("plain");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, version_is_of_the_project);
    tcase_add_test(c, spec_is_described);
    tcase_add_test(c, spec_from_memory);
    tcase_add_test(c, configurations_as_text);
    tcase_add_test(c, texts_are_cut_as_snprintf_cuts);
    tcase_add_test(c, space_counts_and_finds);
    tcase_add_test(c, space_says_why);
    tcase_add_test(c, first_error_is_kept);
    tcase_add_test(c, nothing_to_free);
    tcase_add_test(c, tune_options_are_checked);
    tcase_add_test(c, foreign_store);
    return c;
}

// How posix_spawn() learns of a program that is not there needs memory that parent and child share;
// valgrind does not give it to them.
static TCase *spawn_case(void)
{
    TCase *c = tcase_create("spawn");
    tcase_set_tags(c, "shared_memory");
    tcase_add_test(c, worker_that_is_not_there);
    return c;
}

static TCase *tune_case(void)
{
    TCase *c = tcase_create("tune");
    tcase_set_timeout(c, 100);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, devices_are_listed_and_picked);
    tcase_add_test(c, views_of_one_card);
    tcase_add_test(c, tune_finds_the_best);
    tcase_add_test(c, advancing_hands_no_record_out);
    tcase_add_test(c, records_have_their_place);
    tcase_add_test(c, unranked_records_have_none);
    tcase_add_test(c, objectives);
    tcase_add_test(c, objectives_are_checked);
    tcase_add_test(c, failures_have_no_time);
    tcase_add_test(c, store_answers_and_knows_the_best);
    tcase_add_test(c, store_keeps_constants_apart);
    tcase_add_test(c, cancelled_tune_ends);
    tcase_add_test(c, filled_structs_have_the_callers_size);
    tcase_add_test(c, options_have_the_callers_size);
    tcase_add_test(c, job_is_described);
    tcase_add_test(c, run_of_one_configuration);
    tcase_add_loop_test(c, device_is_opened_ahead, 0, 3);
    tcase_add_loop_test(c, workers_are_waited_for_later, 0, 2);
    tcase_add_test(c, store_hands_out_what_it_has);
    tcase_add_test(c, store_behind);
    tcase_add_test(c, empty_space_is_refused);
    tcase_add_test(c, real_device_tunes);
    return c;
}

int main(void)
{
    Suite *s = suite_create("api");
    suite_add_tcase(s, plain_case());
    suite_add_tcase(s, spawn_case());
    suite_add_tcase(s, tune_case());
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
