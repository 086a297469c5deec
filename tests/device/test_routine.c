// Routines of libraries on an OpenCL device: OpenBLAS and CLBlast where they are installed, and a
// CBLAS of the test's own that does what it should not.
#include "gemm_job.h"
#include "hiding.h"
#include "kit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct kit k;

static void setup(void)
{
    kit_open(&k, NULL);
}

static void teardown(void)
{
    kit_close(&k);
}

// A device's memory is not always the host's.
static bool is_on_cpu(void)
{
    return device_describe(k.device)->type == DEVICE_CPU && !getenv("HONE_TEST_AS_GPU");
}

static struct result *run(enum routine routine, const char *library, const struct gemm_case *c)
{
    return kit_verify_take(&k, gemm_job(LANGUAGE_OPENCL, routine, library, c));
}

static bool is_installed(const char *library)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        printf("%s is not installed: its cases are skipped\n", library);
    return handle != NULL;
}

// ---- what is right

START_TEST(openblas_is_right)
{
    if (!is_on_cpu() || !is_installed("libopenblas.so.0"))
        return;
    struct result *r = run(ROUTINE_CBLAS, NULL, &gemm_cases[_i]);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    ck_assert_uint_gt(r->verify_launch_ns, 0);
    result_free(r);
}
END_TEST

START_TEST(any_cblas_is_right)
{
    if (!is_on_cpu())
        return;
    struct result *r = run(ROUTINE_CBLAS, FAKE_CBLAS_FILE, &gemm_cases[_i]);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

START_TEST(clblast_is_right)
{
    if (!is_installed("libclblast.so.1"))
        return;
    struct result *r = run(ROUTINE_CLBLAST, NULL, &gemm_cases[_i]);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

// Samples come from the same rounds as a kernel's; C is restored before each.
START_TEST(samples_are_taken)
{
    const struct gemm_case c = {30, 20, 10, false, false, 1, 2};
    const struct policy policy = {
        .launches = 5, .batch = 3, .warmups = 1, .check = POLICY_CHECK_EACH};
    if (!is_on_cpu())
        return;
    struct result *r = result_new();
    struct job *j = gemm_job(LANGUAGE_OPENCL, ROUTINE_CBLAS, FAKE_CBLAS_FILE, &c);
    struct loaded *l = device_load(k.device, j, NULL, r);
    ck_status(r, STATUS_CORRECT);
    ck_assert_msg(strstr(r->log, "CBLAS, as many threads as it chooses, /") == r->log, "%s",
                  r->log);
    ck_assert(device_verify(k.device, l, &policy, r) && device_measure(k.device, l, &policy, r));
    ck_assert_uint_eq(r->sample_count, 5);
    ck_assert_uint_eq(r->part_count, 0);
    for (uint32_t i = 0; i < r->sample_count; i++)
        ck_assert_uint_gt(r->samples_ns[i], 0);
    device_unload(k.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

// What is asked before anything is loaded is what the log says then.
START_TEST(a_library_says_what_it_is)
{
    static const struct {
        enum routine routine;
        const char *library, *begins;
    } libraries[] = {{ROUTINE_CBLAS, FAKE_CBLAS_FILE, "OpenBLAS 0.3.99, as many threads as it"},
                     {ROUTINE_CBLAS, NULL, "OpenBLAS 0."},
                     {ROUTINE_CLBLAST, NULL, "CLBlast, /"}};
    setenv("FAKE_CBLAS_CONFIG", "OpenBLAS 0.3.99 NO_AFFINITY MAX_THREADS=64", 1);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const char *library = libraries[i].library;
        enum routine routine = libraries[i].routine;
        struct device_options options = {.toolkit = NULL};
        struct text about = TEXT_INIT;
        if ((!library && !is_installed(i == 1 ? "libopenblas.so.0" : "libclblast.so.1")) ||
            (routine == ROUTINE_CBLAS && !is_on_cpu()))
            continue;
        struct result *r = result_new();
        ck_assert(device_routine_about(&options, routine, library, &about, r));
        ck_assert_msg(str_starts(text_cstr(&about), libraries[i].begins), "%s", text_cstr(&about));
        struct job *j = gemm_job(LANGUAGE_OPENCL, routine, library, gemm_cases);
        struct loaded *l = device_load(k.device, j, NULL, r);
        ck_status(r, STATUS_CORRECT);
        ck_assert_str_eq(r->log, text_cstr(&about));
        device_unload(k.device, l);
        job_free(j);
        result_free(r);
        text_release(&about);
    }
    unsetenv("FAKE_CBLAS_CONFIG");
}
END_TEST

// Builders have nothing to do, and do not look for the library.
START_TEST(nothing_is_built)
{
    struct kit builder;
    struct image image;
    struct device_options options = {.build_only = true};
    struct result *r = result_new();
    struct job *j = gemm_job(LANGUAGE_OPENCL, ROUTINE_CBLAS, "/nowhere/libblas.so", gemm_cases);
    kit_open_as(&builder, &options);
    ck_assert(device_build(builder.device, j, &j->arena, &image, r));
    ck_status(r, STATUS_CORRECT);
    ck_assert(image.primed && image.length == 0);
    kit_close(&builder);
    result_free(r);
    job_free(j);
}
END_TEST

// ---- what is not

START_TEST(what_a_library_does_wrong_is_seen)
{
    static const struct {
        const char *how;
        enum status status;
        const char *says;
    } wrongs[] = {{"wrong", STATUS_CORRECTNESS, "C"},
                  {"beyond", STATUS_RUNTIME, "wrote 4 bytes past the end of C"},
                  {"input", STATUS_RUNTIME, "changed read-only A at element 0"}};
    if (!is_on_cpu())
        return;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        setenv("FAKE_CBLAS", wrongs[i].how, 1);
        struct result *r = run(ROUTINE_CBLAS, FAKE_CBLAS_FILE, &gemm_cases[4]);
        ck_status(r, wrongs[i].status);
        ck_says(r, wrongs[i].says);
        result_free(r);
    }
}
END_TEST

START_TEST(libraries_that_cannot_be_called)
{
    static const struct {
        enum routine routine;
        const char *library, *says;
    } missing[] = {
        {ROUTINE_CBLAS, "/nowhere/libblas.so", "/nowhere/libblas.so cannot be opened as CBLAS: "},
        {ROUTINE_CLBLAST, "/nowhere/lib.so", "/nowhere/lib.so cannot be opened as CLBlast: "},
        {ROUTINE_CBLAS, "/dev/null", "/dev/null cannot be opened as CBLAS: it is not a file"},
        {ROUTINE_CBLAS, "libm.so.6", "libm.so.6 has no cblas_sgemm: it is not a library"},
        {ROUTINE_CLBLAST, "libm.so.6", "libm.so.6 has no CLBlastSgemm: it is not a library"},
        {ROUTINE_CUBLAS, NULL, "cuBLAS is not called through OpenCL: CLBlast is"}};
    if (!is_on_cpu())
        return;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        struct result *r = run(missing[i].routine, missing[i].library, gemm_cases);
        ck_status(r, STATUS_CONSTRAINTS);
        ck_says(r, missing[i].says);
        result_free(r);
    }
}
END_TEST

START_TEST(libraries_that_are_not_installed)
{
    static const struct {
        enum routine routine;
        const char *name, *says, *remedy;
    } absent[] = {
        {ROUTINE_CBLAS, "openblas",
         "CBLAS was not found (tried libopenblas.so.0, libopenblas.so where the loader looks): ",
         "apt install libopenblas0), or name the file with --against cblas=FILE"},
        {ROUTINE_CLBLAST, "clblast",
         "CLBlast was not found (tried libclblast.so.1, libclblast.so where the loader looks): ",
         "apt install libclblast1), or name the file with --against clblast=FILE"}};
    if (!is_on_cpu())
        return;
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        hidden = absent[i].name;
        struct result *r = run(absent[i].routine, NULL, gemm_cases);
        ck_status(r, STATUS_CONSTRAINTS);
        ck_says(r, absent[i].says);
        ck_says(r, absent[i].remedy);
        result_free(r);
    }
}
END_TEST

START_TEST(sizes_beyond_an_int)
{
    const struct gemm_case c = {1, 1, 1, false, false, 1, 0};
    struct job *j = gemm_job(LANGUAGE_OPENCL, ROUTINE_CLBLAST, NULL, &c);
    j->reference.gemm.k = UINT64_C(1) << 31;
    struct result *r = kit_verify_take(&k, j); // told before anything is looked at
    ck_status(r, STATUS_CONSTRAINTS);
    ck_says(r, "CLBlast takes sizes up to 2147483647, and this product is 1 x 1 x 2147483648");
    result_free(r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 200);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, openblas_is_right, 0, GEMM_CASES);
    tcase_add_loop_test(tests, any_cblas_is_right, 0, GEMM_CASES);
    tcase_add_loop_test(tests, clblast_is_right, 0, GEMM_CASES);
    tcase_add_test(tests, samples_are_taken);
    tcase_add_test(tests, a_library_says_what_it_is);
    tcase_add_test(tests, nothing_is_built);
    tcase_add_test(tests, what_a_library_does_wrong_is_seen);
    tcase_add_test(tests, libraries_that_cannot_be_called);
    tcase_add_test(tests, libraries_that_are_not_installed);
    tcase_add_test(tests, sizes_beyond_an_int);
}

int main(void)
{
    return kit_has_device() ? kit_run("device/routine", add) : KIT_SKIPPED;
}
