// Every allocation fails once: libhone refuses with "out of memory" (or does without), and leaks
// nothing. The allocator of this program is the library's too.
#include "../support/failing.h"

#include <hone/hone.h>

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL HONE_SOURCE_DIR "/tests/api/data/small.json"

static char folder[] = "/tmp/hone-memory-XXXXXX";
static char store_file[64]; // with the results of a tune
static struct hone_spec *spec;
static struct hone_devices *devices;
static const struct hone_worker fake = {.size = sizeof fake, .program = FAKE_WORKER};
static const struct hone_devices_options listing = {.size = sizeof listing, .worker = &fake};

// ---- what is tried, each true when all of it worked --------------------------------------------

static bool use_spec(struct hone_error *e)
{
    const char *const set[] = {"SLOWNESS=7", NULL};
    uint32_t c[2];
    char text[128];
    struct hone_spec_options o = HONE_SPEC_OPTIONS_INIT;
    o.set = set;
    struct hone_spec *s = hone_spec_load(SMALL, &o, e);
    if (!s)
        return false;
    hone_spec_default(s, c);
    bool ok = hone_spec_read(s, "ID=4", c, e);
    hone_spec_json(s, c, text, sizeof text);
    hone_spec_text(s, c, text, sizeof text);
    for (size_t i = 0; i < hone_spec_parameters(s); i++)
        hone_spec_value(s, i, hone_spec_values(s, i) - 1, text, sizeof text);
    hone_spec_free(s);
    return ok;
}

static bool use_parsed_spec(struct hone_error *e)
{
    static const char text[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"A\", \"Type\": \"int\", "
        "\"Values\": \"[1, 2]\"}]}, \"KernelSpecification\": {\"Language\": \"OpenCL\", "
        "\"KernelName\": \"k\", \"KernelFile\": \"k.cl\", \"GlobalSize\": {\"X\": \"64\"}}}";
    struct hone_spec *s = hone_spec_parse(text, sizeof text - 1, "/tmp", "mine", NULL, e);
    hone_spec_free(s);
    return s != NULL;
}

static bool use_job(struct hone_error *e)
{
    uint32_t c[2];
    struct hone_program p = HONE_PROGRAM_INIT;
    hone_spec_default(spec, c);
    struct hone_job *j = hone_job_new(spec, hone_devices_get(devices, 0), c, NULL, e);
    bool ok = j && hone_job_program(j, 0, &p);
    hone_job_free(j);
    return ok;
}

static bool use_space(struct hone_error *e)
{
    const char *const where[] = {"ID < 4", NULL};
    const char *const nothing[] = {"ID > 4", NULL};
    uint32_t c[2];
    uint64_t index = 0;
    char text[128];
    struct hone_space_options o = HONE_SPACE_OPTIONS_INIT;
    o.where = where;
    struct hone_space *sp = hone_space_new(spec, &o, e);
    if (!sp)
        return false;
    bool ok = hone_space_count(sp) == 4;
    hone_space_get(sp, 1, c);
    ok = ok && hone_space_find(sp, c, &index) && index == 1;
    ok = ok && hone_spec_read(spec, "ID=4", c, e);
    hone_space_why(sp, c, text, sizeof text);
    hone_space_free(sp);
    o.device = hone_devices_get(devices, 0);
    o.where = nothing;
    sp = ok ? hone_space_new(spec, &o, e) : NULL;
    ok = sp != NULL;
    if (sp)
        hone_space_why(sp, NULL, text, sizeof text);
    hone_space_free(sp);
    return ok;
}

static bool use_devices(struct hone_error *e)
{
    struct hone_devices *d = hone_devices_list(&listing, e);
    bool ok = d && hone_devices_count(d) == 1 && !hone_devices_note(d, 0) &&
              hone_devices_pick(d, "fake", e);
    if (ok && hone_devices_pick(d, "no such", NULL))
        ok = false;
    hone_devices_free(d);
    return ok;
}

static bool use_new_store(struct hone_error *e)
{
    char path[128];
    uint32_t c[2];
    double median;
    snprintf(path, sizeof path, "%s/new.sqlite", folder);
    unlink(path);
    struct hone_store *st = hone_store_open(path, HONE_STORE_WRITE, e);
    if (st)
        hone_store_best(st, spec, hone_devices_get(devices, 0), c, &median, e);
    hone_store_close(st);
    return st && e->code == HONE_ERROR_NONE;
}

static bool skip_record(void *context, const struct hone_record *r,
                        const struct hone_origin *origin)
{
    ++*(unsigned *)context;
    return r && origin;
}

static bool skip_run(void *context, const struct hone_run_info *run)
{
    ++*(unsigned *)context;
    return run != NULL;
}

// What is known: the best, and the walks.
static bool use_best(struct hone_error *e)
{
    uint32_t c[2];
    double median_ns = 0;
    unsigned count = 0;
    struct hone_query q = HONE_QUERY_INIT;
    q.spec = spec;
    q.device = hone_devices_get(devices, 0);
    struct hone_store *st = hone_store_open(store_file, HONE_STORE_READ, e);
    bool ok = st && hone_store_best(st, spec, NULL, c, &median_ns, e) && median_ns > 0 &&
              hone_store_best(st, spec, q.device, c, &median_ns, e) &&
              hone_store_records(st, &q, skip_record, &count, e) && count > 0 &&
              hone_store_runs(st, &q, skip_run, &count, e) &&
              hone_store_bests(st, spec, skip_record, &count, e);
    hone_store_close(st);
    return ok;
}

static void read_record(const struct hone_record *r)
{
    double a, b;
    const uint64_t *samples;
    hone_record_message(r);
    hone_record_log(r);
    hone_record_configuration(r);
    hone_record_choice(r);
    hone_record_interval(r, &a, &b);
    hone_record_median(r, &a);
    hone_record_metric(r, 0, &a);
    hone_record_samples(r, &samples);
}

// A tune to its end: what cannot go on says so.
static bool tune(struct hone_store *st, struct hone_error *e)
{
    const char *const where[] = {"ID < 4", NULL};
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    o.spec = spec;
    o.device = hone_devices_get(devices, 0);
    o.worker = &fake;
    o.store = st;
    o.where = where;
    o.budget = "2,60s";
    o.jobs = 1;
    o.lock_folder = folder;
    o.command = "test";
    struct hone_progress progress = HONE_PROGRESS_INIT;
    const struct hone_record *r;
    enum hone_answer answer = HONE_NOTHING;
    struct hone_tune *t = hone_tune_new(&o, e);
    while (t && answer >= HONE_NOTHING && answer != HONE_END) {
        answer = hone_tune_step(t, 100, &r, e);
        if (answer == HONE_RECORD)
            read_record(r);
        hone_tune_progress(t, &progress);
    }
    hone_tune_free(t);
    return t && answer == HONE_END;
}

static bool use_tune(struct hone_error *e)
{
    return tune(NULL, e);
}

// One configuration, and its job.
static bool use_run(struct hone_error *e)
{
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    const struct hone_record *r, *last = NULL;
    enum hone_answer answer = HONE_NOTHING;
    uint32_t c[2];
    o.spec = spec;
    o.device = hone_devices_get(devices, 0);
    o.worker = &fake;
    o.lock_folder = folder;
    o.fresh = true;
    hone_spec_default(spec, c);
    struct hone_tune *t = hone_run_new(&o, c, e);
    while (t && answer >= HONE_NOTHING && answer != HONE_END) {
        answer = hone_tune_step(t, 100, &r, e);
        last = answer == HONE_RECORD ? r : last;
    }
    struct hone_job *j = last && answer == HONE_END ? hone_job_of_record_new(t, last, e) : NULL;
    bool ok = j != NULL;
    hone_job_free(j);
    hone_tune_free(t);
    return ok;
}

// Making a tune, and leaving it before it has worked.
static bool use_tune_unstepped(struct hone_error *e)
{
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    o.spec = spec;
    o.device = hone_devices_get(devices, 0);
    o.worker = &fake;
    o.budget = "50%";
    struct hone_tune *t = hone_tune_new(&o, e);
    if (t)
        hone_tune_cancel(t);
    hone_tune_free(t);
    return t != NULL;
}

static bool use_tune_with_store(struct hone_error *e)
{
    char path[128];
    snprintf(path, sizeof path, "%s/tuned.sqlite", folder);
    unlink(path);
    struct hone_store *st = hone_store_open(path, HONE_STORE_WRITE, e);
    bool ok = st && tune(st, e);
    hone_store_close(st);
    return ok;
}

// Takes no memory.
static bool copy_file(const char *from, const char *to)
{
    char block[4096];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool ok = in >= 0 && out >= 0;
    for (ssize_t got = 1; ok && got > 0;) {
        got = read(in, block, sizeof block);
        ok = got >= 0 && write(out, block, (size_t)got) == got;
    }
    close(in);
    close(out);
    return ok;
}

// Each of them begins with the same store: what one that fails leaves there would be read by all
// that follow.
static bool use_tune_of_known(struct hone_error *e)
{
    char path[128];
    snprintf(path, sizeof path, "%s/known.sqlite", folder);
    struct hone_store *st =
        copy_file(store_file, path) ? hone_store_open(path, HONE_STORE_WRITE, e) : NULL;
    bool ok = st && tune(st, e);
    hone_store_close(st);
    return ok;
}

// ------------------------------------------------------------------------------------------------

static void setup(void)
{
    struct hone_error e = HONE_ERROR_INIT;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(store_file, sizeof store_file, "%s/store.sqlite", folder);
    spec = hone_spec_load(SMALL, NULL, &e);
    devices = hone_devices_list(&listing, &e);
    struct hone_store *st = hone_store_open(store_file, HONE_STORE_WRITE, &e);
    ck_assert_msg(spec && devices && st && tune(st, &e), "%s", e.text);
    hone_store_close(st);
}

static void teardown(void)
{
    char command[128];
    hone_devices_free(devices);
    hone_spec_free(spec);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static const struct {
    const char *name;
    bool (*use)(struct hone_error *e);
    long least; // allocations there are at least
    long step;  // every so many-th fails in one run of the test; which ones, its process decides
} uses[] = {
    {"spec", use_spec, 20, 1},
    {"spec from memory", use_parsed_spec, 5, 1},
    {"job", use_job, 20, 1},
    {"space", use_space, 20, 1},
    {"devices", use_devices, 5, 1},
    {"new store", use_new_store, 10, 3},
    {"best", use_best, 50, 5},
    {"tune unstepped", use_tune_unstepped, 20, 1},
    {"run", use_run, 50, 3},
    {"tune", use_tune, 100, 3},
    {"tune with a store", use_tune_with_store, 200, 7},
    {"tune of what is known", use_tune_of_known, 100, 7},
};

// Repeats with the n-th allocation failing until there are not so many. A question to a store has 12,000, a tune thousands, each
// of which costs one more.
START_TEST(every_allocation)
{
    const char *name = uses[_i].name;
    struct hone_error e = HONE_ERROR_INIT;
    ck_assert_msg(uses[_i].use(&e), "%s", e.text); // what is made once and kept is there now
    bool reached = true;
    const long step = HONE_TEST_ALL ? 1 : uses[_i].step;
    long n = getpid() % step;
    for (; reached; n += step) {
        e = (struct hone_error)HONE_ERROR_INIT;
        failing_start(n);
        bool ok = uses[_i].use(&e);
        reached = failing_end();
        ck_assert_msg(ok || e.code == HONE_ERROR_MEMORY, "%s: allocation %ld: %d, %s", name, n,
                      (int)e.code, e.text);
        ck_assert_msg(!ok || e.code == HONE_ERROR_NONE, "%s: allocation %ld: %s", name, n, e.text);
        ck_assert_msg(ok || reached, "%s: allocation %ld: %s", name, n, e.text);
        ck_assert_msg(failing_left() == 0, "%s: allocation %ld: %ld blocks are left", name, n,
                      failing_left());
    }
    ck_assert_msg(n > uses[_i].least, "%s: only %ld allocations", name, n);
    printf("%s: %ld allocations\n", name, n - step);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("api_memory");
    TCase *c = tcase_create("allocations");
    tcase_set_timeout(c, 250);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, every_allocation, 0, sizeof uses / sizeof *uses);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
