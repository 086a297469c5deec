// Candidates: what is read of them, what they may change of the judge's spec; and the floor of physics.
#include "extras/judge/candidates.h"
#include "extras/judge/judging.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char spec[] = "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"B\", "
                           "\"Values\": \"[64, 32]\", \"Default\": 64},"
                           " {\"Name\": \"mode\", \"Values\": \"['a', 'b']\"}]},"
                           " \"KernelSpecification\": {\"KernelFile\": \"own.cl\", \"Languages\": "
                           "{\"CUDA\": {\"KernelFile\": \"own.cu\"}},"
                           " \"Launches\": [{\"KernelName\": \"one\"}, {\"KernelName\": \"two\", "
                           "\"KernelFile\": \"two.cl\"}]}}";

static char folder[] = "/tmp/hone-candidates-XXXXXX";

static const char *write_file(const char *name, const char *text)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    return path;
}

static const struct candidate *read_one(struct candidates *c, const char *text)
{
    struct error e = ERROR_INIT;
    ck_assert(candidates_add(c, write_file("one.cl", text), LANGUAGE_OPENCL, &e));
    return c->list[c->count - 1];
}

START_TEST(test_values)
{
    struct candidates all;
    candidates_init(&all);
    ck_assert_str_eq(read_one(&all, "kernel void f() {}\n")->values, "");
    ck_assert_str_eq(read_one(&all, "// a kernel\n  //  hone: B=16, mode=b\r\nx\n")->values,
                     "B=16, mode=b");
    ck_assert_str_eq(read_one(&all, "int hone: B=16;\n")->values, "");
    const struct candidate *none = NULL;
    struct error e = ERROR_INIT;
    ck_assert(candidates_add(&all, "/nowhere/x.cl", LANGUAGE_OPENCL, &e));
    none = all.list[all.count - 1];
    ck_assert(!none->text && none->why && strstr(none->why, "/nowhere/x.cl"));
    candidates_release(&all);
}
END_TEST

START_TEST(test_folders)
{
    struct candidates all;
    struct error e = ERROR_INIT;
    candidates_init(&all);
    write_file("b.cl", "b");
    write_file("a.cl", "a");
    write_file("a.cu", "not OpenCL");
    ck_assert(candidates_add(&all, folder, LANGUAGE_OPENCL, &e));
    ck_assert(all.count >= 2 && strstr(all.list[0]->name, "/a.cl") &&
              strstr(all.list[1]->name, "/b.cl"));
    ck_assert(!candidates_add(&all, folder, LANGUAGE_C, &e) && strstr(e.text, ".c"));
    candidates_release(&all);
}
END_TEST

static void expect_refusal(const char *text, const char *words)
{
    struct candidates all;
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    candidates_init(&all);
    ck_assert(
        !candidate_spec(read_one(&all, text), spec, sizeof spec - 1, LANGUAGE_OPENCL, &out, &e));
    ck_assert_msg(strstr(e.text, words), "%s", e.text);
    text_release(&out);
    candidates_release(&all);
}

START_TEST(test_spec)
{
    struct candidates all;
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    candidates_init(&all);
    const struct candidate *c = read_one(&all, "// hone: B=16, mode=b\n");
    ck_assert(candidate_spec(c, spec, sizeof spec - 1, LANGUAGE_OPENCL, &out, &e));
    ck_assert(strstr(text_cstr(&out), "[16]") && strstr(text_cstr(&out), "['b']"));
    ck_assert(!strstr(text_cstr(&out), "Default") && !strstr(text_cstr(&out), "own.cl"));
    ck_assert(!strstr(text_cstr(&out), "two.cl") && strstr(text_cstr(&out), "own.cu"));
    text_clear(&out);
    ck_assert(candidate_spec(c, spec, sizeof spec - 1, LANGUAGE_CUDA, &out, &e));
    ck_assert(strstr(text_cstr(&out), "own.cl") && !strstr(text_cstr(&out), "own.cu"));
    text_release(&out);
    candidates_release(&all);
    expect_refusal("// hone: N=16\n", "no parameter N");
    expect_refusal("// hone: B=2*N\n", "neither a number nor a word");
    expect_refusal("// hone: B='x'\n", "neither a number nor a word");
    expect_refusal("// hone: B\n", "NAME=VALUE");
}
END_TEST

START_TEST(test_variants)
{
    struct candidates all;
    struct arena a = {NULL, 0};
    candidates_init(&all);
    const struct candidate *c = read_one(&all, "// hone: B=16|32|64, T=2, mode=a|b\n");
    static const char *const six[] = {"B=16, T=2, mode=a", "B=32, T=2, mode=a",
                                      "B=64, T=2, mode=a", "B=16, T=2, mode=b",
                                      "B=32, T=2, mode=b", "B=64, T=2, mode=b"};
    ck_assert_uint_eq(candidate_variants(c, 16), 6);
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_str_eq(candidate_values(c, i, 6, &a), six[i]);
    ck_assert_uint_eq(candidate_variants(c, 3), 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_str_eq(candidate_values(c, i, 3, &a), six[2 * i]);
    c = read_one(&all, "// hone: x|y=1, =2|3, |\n");
    ck_assert_uint_eq(candidate_variants(c, 16), 4);
    ck_assert_str_eq(candidate_values(c, 3, 4, &a), "x|y=1, =3, ");
    arena_release(&a);
    candidates_release(&all);
}
END_TEST

START_TEST(test_floor)
{
    struct device_info d = {.compute_units = 2, .clock_mhz = 1000};
    struct job_buffer buffers[] = {
        {.element = {SCALAR_FLOAT, 1, 0, false}, .count = 1024 * 1024, .output = true},
        {.element = {SCALAR_FLOAT, 1, 0, false}, .count = 1024 * 1024}};
    struct job job = {.buffers = buffers, .buffer_count = 2};
    struct judge_floor f;
    judge_floor(&d, &job, 0, &f);
    ck_assert(fabs(f.ns - 4096) < 1e-6 && !f.is_by_peak); // 4 MiB by 2 * 2 * 256 bytes in a ns
    judge_floor(&d, &job, 1e11, &f);
    ck_assert(fabs(f.ns - 4096) < 1e-6); // what a cache holds is not known
    d.cache_bytes = 4 << 20;
    judge_floor(&d, &job, 1e11, &f);
    ck_assert(fabs(f.ns - 4096) < 1e-6); // all may stay in the cache
    d.cache_bytes = 1 << 20;
    judge_floor(&d, &job, 1e11, &f);
    ck_assert(fabs(f.ns - 3 * 1048576 / 150.0) < 1e-6 && f.is_by_peak);
    ck_assert(fabs(f.sure_ns - 4096) < 1e-6);
    d.type = DEVICE_GPU;
    ck_assert(judge_floor_that_decides(&d, &f, 1e6) == f.ns);
    ck_assert(judge_floor_that_decides(&d, &f, f.ns - 1) == f.sure_ns); // the peak is too low
    d.type = DEVICE_CPU;
    ck_assert(judge_floor_that_decides(&d, &f, 1e6) == f.sure_ns);
    d.all_cache_bytes = 4 << 20;
    d.clock_mhz = 0;
    judge_floor(&d, &job, 1e11, &f);
    ck_assert(f.ns == 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("judge");
    TCase *t = tcase_create("candidates");
    if (!mkdtemp(folder))
        return EXIT_FAILURE;
    tcase_add_test(t, test_values);
    tcase_add_test(t, test_folders);
    tcase_add_test(t, test_spec);
    tcase_add_test(t, test_variants);
    tcase_add_test(t, test_floor);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    folder_remove(folder);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
