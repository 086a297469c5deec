#include "fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[4096];

void folder_enter(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/hone-store-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

void folder_leave(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove(folder);
}

const struct device_info test_device = {
    .language = LANGUAGE_OPENCL,
    .type = DEVICE_CPU,
    .id = "pocl:0",
    .name = "Test Processor 9000",
    .vendor = "Test",
    .platform = "Portable Computing Language",
    .platform_version = "OpenCL 3.0",
    .driver = "3.1",
    .compiler = "clang 14",
    .language_version = "OpenCL C 1.2",
    .extensions = "",
    .uuid = "",
    .pci = "",
    .surroundings = "cores=2",
    .compute_units = 2,
    .global_bytes = 1 << 30,
};

const struct policy test_policy = {.launches = 7,
                                   .batch = 1,
                                   .launch_limit_ns = POLICY_LAUNCH_LIMIT_NS,
                                   .build_limit_ns = POLICY_BUILD_LIMIT_NS};

static const char source[] = "#include \"tile.h\"\n__kernel void scale(__global float *c) {}\n";
static const char header[] = "#define TILE 4\n";

struct job *job_make(unsigned i)
{
    struct job *j = job_new();
    ck_assert_ptr_nonnull(j);
    struct arena *a = &j->arena;
    j->program_count = 1;
    j->programs = arena_array(a, 1, sizeof *j->programs);
    struct job_program *p = j->programs;
    p->name = "scale.cl";
    p->source = source;
    p->length = strlen(source);
    p->file_count = 1;
    p->files = arena_array(a, 1, sizeof *p->files);
    p->files[0] = (struct job_file){"tile.h", header, strlen(header)};
    p->option_count = 2;
    p->options = arena_array(a, 2, sizeof *p->options);
    p->options[0] = arena_printf(a, "-DBLOCK=%u", i);
    p->options[1] = "-DTYPE=unsigned int";
    j->launch_count = 1;
    j->launches = arena_array(a, 1, sizeof *j->launches);
    j->launches[0] = (struct job_launch){.name = "scale",
                                         .kernel = "scale",
                                         .dimensions = 1,
                                         .global = {1024, 1, 1},
                                         .local = {16, 1, 1}};
    j->configuration = arena_printf(a, "block=%u", i);
    return j;
}

void key_of(unsigned i, struct digest *key)
{
    struct job *j = job_make(i);
    job_key(j, &test_device, key);
    job_free(j);
}

struct result *result_make(unsigned i)
{
    struct result *r = result_new();
    ck_assert_ptr_nonnull(r);
    r->stop = STOP_SETTLED;
    r->verification = VERIFICATION_REFERENCE;
    r->sample_count = 7;
    r->batch = 1;
    r->samples_ns = arena_array(&r->arena, 7, sizeof *r->samples_ns);
    // Out of order, so that the median is not just the middle one: 1000 + i is.
    static const int offsets[7] = {5, -3, 9, 0, -1, 2, -7};
    for (int n = 0; n < 7; n++)
        r->samples_ns[n] = (uint64_t)(1000 + (int)i + offsets[n]);
    return r;
}

struct store *store_make(const char *path)
{
    struct error e = ERROR_INIT;
    struct store *s = store_open(path, STORE_WRITE, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

void begin(struct store *s, const char *spec_name)
{
    struct error e = ERROR_INIT;
    struct store_session session = {.command = "hone tune scale.json",
                                    .hone_version = "0.1.0",
                                    .spec_name = spec_name,
                                    .spec_path = "/home/ann/scale.json",
                                    .spec_text = "{\"KernelSpecification\": {}}",
                                    .constants = "WIDTH=256",
                                    .host = "nowhere",
                                    .seed = UINT64_MAX,
                                    .device = &test_device,
                                    .surroundings = "governor=performance"};
    ck_assert_msg(store_begin(s, &session, &e), "%s", e.text);
}

static bool put_one(struct store *s, unsigned i, const struct policy *policy,
                    const struct result *r, struct error *e)
{
    struct job *j = job_make(i);
    char json[64];
    snprintf(json, sizeof json, "{\"block\": %u}", i);
    struct store_job job = {.job = j, .as.spec_name = "scale.json", .as.constants = "WIDTH=256"};
    j->configuration_json = json;
    job_key(j, &test_device, &job.key);
    digest_of(source, strlen(source), &job.as.source);
    bool ok = store_put(s, &job, policy, r, e);
    job_free(j);
    return ok;
}

void put_result(struct store *s, unsigned i, const struct policy *policy, struct result *r)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(put_one(s, i, policy, r, &e), "%s", e.text);
    result_free(r);
}

void put(struct store *s, unsigned i)
{
    put_result(s, i, &test_policy, result_make(i));
}

bool put_quietly(struct store *s, unsigned i, struct error *e)
{
    struct result *r = result_make(i);
    bool ok = put_one(s, i, &test_policy, r, e);
    result_free(r);
    return ok;
}

struct result *find_one(struct store *s, const struct digest *key, struct error *e)
{
    struct store_question question = {.key = *key, .policy = test_policy};
    return store_find(s, &question, NULL, e);
}

long long ask(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(db));
    ck_assert_msg(sqlite3_step(statement) == SQLITE_ROW, "%s: %s", sql, sqlite3_errmsg(db));
    long long answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return answer;
}

int store_suite_run(const char *name, void (*add)(TCase *tests))
{
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, folder_enter, folder_leave);
    add(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
