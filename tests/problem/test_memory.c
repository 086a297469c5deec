// Every allocation fails once: loading, reading sources, making jobs and digests then end with "out
// of memory", and nothing leaks.
#include "../base/suite.h"
#include "../support/failing.h"
#include "fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char spec_text[] =
    "{\"Constants\": {\"N\": 64, \"T\": \"float\"}, \"Iterations\": 3,"
    " \"Metrics\": [{\"Name\": \"GB/s\", \"Expression\": \"N / time_ns\"}],"
    " \"ConfigurationSpace\": {\"TuningParameters\": ["
    "  {\"Name\": \"A\", \"Type\": \"int\", \"Values\": \"[2**i for i in range(5)]\"},"
    "  {\"Name\": \"B\", \"Type\": \"int\", \"Values\": \"[0, 1, 2]\", \"Default\": 1}],"
    "  \"Conditions\": [\"A > B\"], \"Derived\": [{\"Name\": \"D\", \"Expression\": \"A * B\"}]},"
    " \"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"k\","
    "  \"Sources\": [\"k.cl\", \"l.cl\"], \"ProblemSize\": [\"N\"], \"GridDivX\": [\"A\"],"
    "  \"LocalSize\": {\"X\": \"A\"}, \"IncludeFolders\": [\"inc\"],"
    "  \"Arguments\": [{\"Name\": \"o\", \"Type\": \"float\", \"MemoryType\": \"Vector\","
    "    \"AccessType\": \"WriteOnly\", \"Size\": \"N\"},"
    "   {\"Name\": \"i\", \"Type\": \"float\", \"TypeExpression\": \"T\", \"MemoryType\": "
    "\"Vector\","
    "    \"FillType\": \"Generator\", \"DataSource\": \"i * N\"},"
    "   {\"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillExpression\": \"N\"}]}}";

// Everything once; true when all of it worked.
static bool use(const char *path, struct error *e)
{
    uint32_t choice[2];
    struct digest digest;
    struct job *job = NULL;
    struct spec_sources *src = NULL;
    const char *set[] = {"N=128"};
    struct spec_options options = {.set = set, .set_count = 1};
    struct spec *s = spec_load(path, &options, e);
    bool ok = s && spec_parse_configuration(s, "A=4", (spec_default(s, choice), choice), e) &&
              (src = spec_sources_read(s, LANGUAGE_OPENCL, NULL, NULL, e)) &&
              spec_job(s, src, NULL, choice, &job, e);
    if (ok && !spec_effective_digest(s, src, job, &digest))
        ok = error_memory(e);
    job_free(job);
    spec_sources_free(src);
    spec_free(s);
    return ok;
}

START_TEST(every_allocation)
{
    struct fixture f;
    char path[128];
    long n = 0;
    fixture_start(&f);
    fixture_file(&f, "spec.json", spec_text);
    fixture_file(&f, "k.cl", "#include \"h.h\"\n#if B > 0\nint x = A;\n#endif\n");
    fixture_file(&f, "l.cl", "#include <i.h>\nD\n");
    fixture_file(&f, "h.h", "int h;\n");
    fixture_file(&f, "inc/i.h", "int i;\n");
    snprintf(path, sizeof path, "%s/spec.json", f.folder);
    for (bool reached = true; reached; n++) {
        struct error e = ERROR_INIT;
        failing_start(n);
        bool ok = use(path, &e);
        reached = failing_end();
        ck_assert_msg(failing_left() == 0, "allocation %ld: %ld blocks are left", n,
                      failing_left());
        ck_assert_msg(ok || e.code == ERROR_MEMORY, "allocation %ld: %s", n, e.text);
        ck_assert_msg(ok || reached, "allocation %ld", n);
    }
    ck_assert_int_gt(n, 30);
    fixture_end(&f);
}
END_TEST

// The first allocations fail one by one, then a few here and there.
static void check_conversion(const struct spec *s)
{
    long n = 0;
    for (bool reached = true; reached; n += n < 200 ? 1 : 1 + n / 20) {
        struct error e = ERROR_INIT;
        struct text out = TEXT_INIT;
        failing_start(n);
        bool ok = spec_to_t1(s, NULL, &out, &e);
        text_release(&out);
        reached = failing_end();
        ck_assert_msg(failing_left() == 0, "allocation %ld: %ld blocks are left", n,
                      failing_left());
        ck_assert_msg(ok || e.code == ERROR_MEMORY, "allocation %ld: %s", n, e.text);
        ck_assert_msg(ok || reached, "allocation %ld", n);
    }
    ck_assert_int_gt(n, 100);
}

// The same in the short form.
static const char short_text[] =
    "{\"name\": \"spec\", \"kernel\": [\"k.cl\", \"l.cl\"], \"function\": \"k\","
    " \"constants\": {\"N\": 64, \"T\": \"float\"},"
    " \"parameters\": {\"A\": \"[2**i for i in range(5)]\", \"B\": [0, 1, 2]}, \"defaults\": "
    "{\"B\": 1},"
    " \"derived\": {\"D\": \"A * B\"}, \"restrictions\": [\"A > B\"], \"include\": [\"inc\"],"
    " \"problem\": [\"N\"], \"per_group\": [[\"A\"]], \"local\": [\"A\"],"
    " \"launches\": [{\"arguments\": [\"o\", \"i\", \"argument2\"]}],"
    " \"arguments\": {\"o\": {\"size\": \"N\"}, \"i\": {\"type\": \"T\", \"access\": \"read\", "
    "\"fill\": \"i * N\"},"
    "  \"argument2\": \"N\"},"
    " \"metrics\": {\"GB/s\": \"N / time_ns\"}, \"iterations\": 3}";

START_TEST(conversions)
{
    struct fixture f;
    fixture_start(&f);
    fixture_file(&f, "k.cl",
                 "kernel void k(global float *o, global float *i, int n) { o[0] = A + B + D; }\n");
    fixture_file(&f, "l.cl", "int n;\n");
    fixture_file(&f, "inc/i.h", "int i;\n");
    fixture_load(&f, short_text);
    ck_assert(f.spec->is_short);
    check_conversion(f.spec);
    fixture_end(&f);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, every_allocation);
    tcase_add_test(tests, conversions);
}

int main(void)
{
    return suite_run("spec_memory", add);
}
