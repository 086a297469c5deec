// What a stored result answers for, seen from the workflow: whatever may change the answer has each
// configuration measured anew and the old rows kept; what cannot, has nothing measured. With a
// worker that runs nothing.
#include "fixture.h"

#include "workflows/tune/tune.h"

#include "os/process.h"
#include "base/text.h"
#include "worker/protocol.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIGURATIONS = 4, FAR = 3 };

// ---- a world that can change -------------------------------------------------------------------

// All that a result depends on.
struct world {
    const char *source, *include, *option, *fill, *tolerance, *constant, *method;
    struct device_info device;
    uint64_t seed;
    const char *reads; // (optional) a directive in front of the source; "%" stands for the folder
    bool reuse_unseen;
    bool older; // the store's rows were written by a hone that measures in another way
};

static const struct world usual = {.source = "y[0] = x[0] * ID * NS;",
                                   .include = "#define HALF 2",
                                   .option = "-DNOTHING=1",
                                   .fill = "1",
                                   .tolerance = "1e-5",
                                   .constant = "64",
                                   .method = "norm"};

static void write_text(const char *name, struct text *t)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text_cstr(t), f), 0);
    ck_assert_int_eq(fclose(f), 0);
    text_clear(t);
}

// The configuration FAR is far behind the others: a search stops it early.
static void write_world(const struct world *w)
{
    struct text t = TEXT_INIT;
    for (const char *c = w->reads ? w->reads : ""; *c; c++)
        text_addf(&t, *c == '%' ? "%s" : "%.1s", *c == '%' ? folder : c);
    text_addf(&t,
              "#include \"half.h\"\n__kernel void k(__global const float *x, __global float *y) "
              "{ %s }\n",
              w->source);
    write_text("k.cl", &t);
    text_addf(&t, "%s\n", w->include);
    write_text("half.h", &t);
    text_addf(
        &t,
        "{\"General\": {\"BenchmarkName\": \"answers\"}, \"Constants\": {\"N\": %s},"
        "\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"ID\", \"Type\": \"int\","
        " \"Values\": \"[0, 1, 2, 3]\", \"Default\": 0}], \"Conditions\": [], \"Derived\": ["
        "{\"Name\": \"NS\", \"Expression\": \"100000 + 300000 * (ID == 3)\"}]},"
        "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"k\", "
        "\"KernelFile\": \"k.cl\", \"CompilerOptions\": [\"%s\"], "
        "\"GlobalSize\": {\"X\": \"64\"}, \"LocalSize\": {\"X\": \"64\"}, \"Arguments\": ["
        "{\"Name\": \"x\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": "
        "\"ReadOnly\", \"Size\": \"N\", \"FillType\": \"Constant\", \"FillValue\": %s},"
        "{\"Name\": \"y\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": "
        "\"WriteOnly\", \"Size\": 64, \"Output\": true, \"Verification\": {\"Method\": "
        "\"%s\", \"RelativeTolerance\": %s}}]}}",
        w->constant, w->option, w->fill, w->method, w->tolerance);
    write_text("answers.json", &t);
    text_release(&t);
}

static long long ask(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    ck_assert_int_eq(sqlite3_open(store_file, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s",
                  sqlite3_errmsg(db));
    int code = sqlite3_step(statement);
    long long number = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    ck_assert(code == SQLITE_ROW || code == SQLITE_DONE);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

// ---- a tune ------------------------------------------------------------------------------------

struct asked {
    uint32_t fixed;
    const char *where;
    bool ranked;
};

struct seen {
    uint64_t done, reused, samples;
    const struct tune_record *last;
    uint32_t last_samples;
    enum stop_reason last_stop;
};

static struct seen tune(const struct world *w, const struct asked *a)
{
    struct error e = ERROR_INIT;
    struct tune_progress p;
    struct seen seen = {0};
    const struct tune_record *record;
    char path[160];
    write_world(w);
    snprintf(path, sizeof path, "%s/answers.json", folder);
    struct spec_options so = {0};
    struct spec *spec = spec_load(path, &so, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    struct store *store = store_open(store_file, STORE_WRITE, &e);
    ck_assert_msg(store != NULL, "%s", e.text);
    if (w->reuse_unseen)
        store_reuse_unseen(store);
    struct tune_options o = {.setup.spec = spec,
                             .setup.at.device = &w->device,
                             .setup.at.worker = worker,
                             .setup.at.environment = environment,
                             .setup.store = store,
                             .setup.lock_folder = folder,
                             .setup.at.jobs = 1,
                             .setup.seed = w->seed,
                             .setup.space.where = &a->where,
                             .setup.space.where_count = a->where != NULL,
                             .setup.terms = {.rules = measure_rules_default(),
                                             .build_limit_ns = 60ull * 1000000000,
                                             .launch_limit_ns = 30ull * 1000000000}};
    o.setup.terms.rules.fixed = a->fixed;
    o.setup.terms.rules.unranked = !a->ranked;
    struct tune *t = tune_new(&o, &e);
    ck_assert_msg(t != NULL, "%s", e.text);
    enum workflow_answer answer;
    while ((answer = tune_step(t, 1000, &record, &e)) != WORKFLOW_END) {
        ck_assert_msg(answer != WORKFLOW_BROKEN, "%s", e.text);
        if (answer == WORKFLOW_RECORD)
            seen.last = record;
    }
    tune_progress(t, &p);
    seen.done = p.common.done;
    seen.reused = p.reused;
    seen.samples = p.samples;
    seen.last_samples = seen.last->result->sample_count;
    seen.last_stop = seen.last->result->stop;
    tune_free(t);
    store_close(store);
    spec_free(spec);
    return seen;
}

// ---- what is measured anew ---------------------------------------------------------------------

static const struct change {
    const char *what;
    size_t offset; // of a text in struct world
    const char *now;
    bool answers; // all the same
} changes[] = {
    {"the source", offsetof(struct world, source), "y[0] = x[0] + ID * NS;", false},
    {"an include file", offsetof(struct world, include), "#define HALF 3", false},
    {"a compiler option", offsetof(struct world, option), "-DNOTHING=2", false},
    {"a size", offsetof(struct world, constant), "128", false},
    {"an argument's recipe", offsetof(struct world, fill), "2", false},
    {"the tolerance", offsetof(struct world, tolerance), "1e-4", false},
    {"the way of verifying", offsetof(struct world, method), "close", false},
    {"the device", offsetof(struct world, device.name), "another device", false},
    {"the driver", offsetof(struct world, device.driver), "2.0", false},
    {"the driver's compiler", offsetof(struct world, device.compiler), "some", false},
    {"the device's surroundings", offsetof(struct world, device.surroundings), "4 cores", false},
    {"nothing", offsetof(struct world, source), "y[0] = x[0] * ID * NS;", true},
    {"which of two cards of one model", offsetof(struct world, device.uuid), "other", true},
};
#define CHANGES ((int)(sizeof changes / sizeof *changes))

static struct world world_now(void)
{
    struct world w = usual;
    w.device = report.devices[0];
    return w;
}

// Twice: the second time what was measured anew answers; in the end the first rows still do.
static void check_change(const char *what, const struct world *before, const struct world *after,
                         bool answers)
{
    static const struct asked search = {0};
    struct seen s = tune(before, &search);
    ck_assert_uint_eq(s.done, CONFIGURATIONS);
    ck_assert_msg(s.reused == 0, "%s: at first", what);
    for (int again = 0; again < 2; again++) {
        s = tune(after, &search);
        ck_assert_uint_eq(s.done, CONFIGURATIONS);
        ck_assert_msg(s.reused == (answers || again ? CONFIGURATIONS : 0), "%s: %llu reused", what,
                      (unsigned long long)s.reused);
    }
    s = tune(before, &search);
    ck_assert_msg(s.reused == CONFIGURATIONS, "%s: the old ones are gone", what);
    ck_assert_int_eq(ask("SELECT count(*) FROM result"),
                     answers ? CONFIGURATIONS : 2 * CONFIGURATIONS);
}

START_TEST(test_change)
{
    const struct change *c = &changes[_i];
    struct world before = world_now(), after = before;
    *(const char **)((char *)&after + c->offset) = c->now;
    check_change(c->what, &before, &after, c->answers);
}
END_TEST

START_TEST(test_seed_is_the_searchs)
{
    struct world before = world_now(), after = before;
    after.seed = 12345;
    check_change("the seed of the search", &before, &after, true);
}
END_TEST

// Rows of a hone that measures in another way: their keys are others, for the version is in them.
START_TEST(test_measuring_version)
{
    static const struct asked search = {0};
    struct world w = world_now();
    tune(&w, &search);
    ask("UPDATE job SET measuring_version = measuring_version - 1");
    ask("UPDATE result SET job = CAST(substr(job, 2) || substr(job, 1, 1) AS BLOB)");
    ask("UPDATE job SET key = CAST(substr(key, 2) || substr(key, 1, 1) AS BLOB)");
    struct seen s = tune(&w, &search);
    ck_assert_uint_eq(s.reused, 0);
    ck_assert_int_eq(ask("SELECT count(*) FROM result"), 2 * CONFIGURATIONS);
    ck_assert_int_eq(ask("SELECT count(DISTINCT measuring_version) FROM job"), 2);
    ck_assert_uint_eq(tune(&w, &search).reused, CONFIGURATIONS);
}
END_TEST

// A header of the user's that the kernel names whole is read; one that lies where the compiler alone looks
// is not found, and what was measured with it answers for no later run.
START_TEST(test_headers_elsewhere)
{
    static const struct asked search = {0};
    struct text contents = TEXT_INIT;
    struct world w = world_now();
    w.reads = _i ? "#include \"of_the_compiler.h\"\n" : "#include \"%/abs.h\"\n";
    for (int edited = 0; edited < 2; edited++) {
        text_addf(&contents, "#define EDITED %d\n", edited);
        write_text("abs.h", &contents);
        ck_assert_uint_eq(tune(&w, &search).reused, 0);
        ck_assert_uint_eq(tune(&w, &search).reused, _i ? 0 : CONFIGURATIONS);
    }
    ck_assert_int_eq(ask("SELECT sum(unseen) FROM result"), _i ? 4 * CONFIGURATIONS : 0);
    w.reuse_unseen = true;
    ck_assert_uint_eq(tune(&w, &search).reused, CONFIGURATIONS);
    text_release(&contents);
}
END_TEST

// ---- what was stopped early --------------------------------------------------------------------

static long long far_rows(const char *stop)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM result JOIN job ON key = job WHERE configuration = 'ID=%d' AND "
             "stop = '%s'",
             FAR, stop);
    return ask(sql);
}

static const struct asked search_all = {0}, counted = {.fixed = 5}, more = {.fixed = 8},
                          far_alone = {.where = "ID == 3"},
                          far_ranked = {.where = "ID == 3", .ranked = true},
                          far_counted = {.where = "ID == 3", .fixed = 5};

START_TEST(test_stopped_early)
{
    static const struct {
        const struct asked *asked;
        enum stop_reason stop;
        uint32_t samples; // at least
    } rows[] = {
        {&far_alone, STOP_SETTLED, 1},
        {&far_ranked, STOP_RANKED, 2},
        {&far_counted, STOP_FIXED, 5},
    };
    struct world w = world_now();
    tune(&w, &search_all);
    ck_assert_int_eq(far_rows("hopeless"), 1);
    ck_assert_uint_eq(tune(&w, &search_all).reused, CONFIGURATIONS);
    struct seen s = tune(&w, rows[_i].asked);
    ck_assert_uint_eq(s.done, 1);
    ck_assert_int_eq(s.last_stop, rows[_i].stop);
    ck_assert_uint_ge(s.last_samples, rows[_i].samples);
    ck_assert_int_eq(far_rows("hopeless"), 1); // kept
    ck_assert_int_eq(far_rows(stop_text(rows[_i].stop)), 1);
    // It is known from then on.
    s = tune(&w, rows[_i].asked);
    ck_assert_uint_eq(s.reused, 1);
    ck_assert_uint_eq(s.samples, 0);
}
END_TEST

// With a fixed count there is no early stop, and more of it tops up what is there.
START_TEST(test_fixed_counts)
{
    struct world w = world_now();
    tune(&w, &search_all);
    struct seen s = tune(&w, &counted);
    ck_assert_uint_eq(s.reused, 0);
    ck_assert_uint_eq(s.samples, 5 * CONFIGURATIONS);
    s = tune(&w, &more);
    ck_assert_uint_eq(s.samples, 3 * CONFIGURATIONS);
    ck_assert_uint_eq(s.last_samples, 8);
    s = tune(&w, &more);
    ck_assert_uint_eq(s.reused, CONFIGURATIONS);
    ck_assert_uint_eq(s.last_samples, 8);
    s = tune(&w, &far_counted);
    ck_assert_uint_eq(s.reused, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("answers");
    TCase *cases = tcase_create("answers");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, test_change, 0, CHANGES);
    tcase_add_test(cases, test_seed_is_the_searchs);
    tcase_add_test(cases, test_measuring_version);
    tcase_add_loop_test(cases, test_headers_elsewhere, 0, 2);
    tcase_add_loop_test(cases, test_stopped_early, 0, 3);
    tcase_add_test(cases, test_fixed_counts);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
