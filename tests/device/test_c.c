// Kernels in C on the host: what is right, what does not compile, what writes where it may not, and
// what stays loaded.
#include "kit.h"

#include "base/text.h"
#include "os/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 64 };

static struct kit kit;

static void set_up(void)
{
    kit_open(&kit, NULL);
}

static void tear_down(void)
{
    kit_close(&kit);
}

// out[i] = in[i] * factor + 1, of ones; `fault` stands at the end of the function.
static struct job *scaling(const char *fault)
{
    struct text source = TEXT_INIT;
    float expected[N];
    text_addf(&source,
              "#include <math.h>\n"
              "void scale(const float *restrict in, float *restrict out, float factor, long n)\n"
              "{\n"
              "    for (long i = 0; i < n; i++)\n"
              "        out[i] = fabsf(in[i]) * factor + 1;\n"
              "    %s\n"
              "}\n",
              fault);
    struct job *j = kit_job(text_cstr(&source));
    text_release(&source);
    j->programs[0].name = "scale.c";
    kit_buffer(j, "in", N, ACCESS_READ);
    kit_buffer(j, "out", N, ACCESS_WRITE);
    kit_constant(j, 0, 1);
    struct job_launch *l = kit_launch(j, "scale", 1, 1);
    float *factor = arena_alloc(&j->arena, sizeof *factor);
    int16_t *n = arena_alloc(&j->arena, sizeof *n); // the kernel's prototype makes it a long
    *factor = 2.5F;
    *n = N;
    l->arguments[l->argument_count++] =
        (struct job_argument){.name = "factor",
                              .kind = ARGUMENT_SCALAR,
                              .element = {SCALAR_FLOAT, 1, 0, false},
                              .value = factor,
                              .length = sizeof *factor};
    l->arguments[l->argument_count++] = (struct job_argument){.name = "n",
                                                              .kind = ARGUMENT_SCALAR,
                                                              .element = {SCALAR_I16, 1, 0, false},
                                                              .value = n,
                                                              .length = sizeof *n};
    for (int i = 0; i < N; i++)
        expected[i] = 3.5F;
    kit_expect(j, 1, expected);
    return j;
}

static void check_fault(const char *fault, enum status status, const char *message)
{
    struct result *r = kit_verify_take(&kit, scaling(fault));
    ck_status(r, status);
    ck_says(r, message);
    result_free(r);
}

START_TEST(test_right_and_wrong)
{
    check_fault("", STATUS_CORRECT, "");
    check_fault("out[3] += 1;", STATUS_CORRECTNESS, "out");
    check_fault("out[n] = 1;", STATUS_RUNTIME, "wrote 4 bytes past the end of out");
    check_fault("out[-1] = 1;", STATUS_RUNTIME, "before the start of out");
    check_fault("((float *)in)[0] = 7;", STATUS_RUNTIME, "changed read-only in");
    check_fault("this is no C;", STATUS_COMPILE, "scale.c:6:");
    check_fault("missing_function();", STATUS_COMPILE, "missing_function");
}
END_TEST

// The compiler gets each option as it is, without a shell; what stays behind in the folder is
// nothing.
START_TEST(test_options)
{
    static const char *const taken[] = {"-O3", "-DVALUE=\"a b $HOME `id` ;\"", "-DTWICE(x)=x+x",
                                        "-lm"};
    struct job *j = scaling("if (sizeof VALUE != 17 || TWICE(3) != 6) out[0] = 0;");
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        kit_option(j, taken[i]);
    struct result *r = kit_verify_take(&kit, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    DIR *folder = opendir(kit.scratch);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        ck_assert_msg(entry->d_name[0] == '.', "%s", entry->d_name);
    closedir(folder);
}
END_TEST

// GCC quotes the file that #line names.
START_TEST(test_logs_quote_no_file)
{
    char path[512], fault[600];
    snprintf(path, sizeof path, "%s/secret.txt", kit.scratch);
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs("the secret words\n", f) >= 0 && fclose(f) == 0);
    snprintf(fault, sizeof fault, "\n#line 1 \"%s\"\nint x = ;\n", path);
    struct result *r = kit_verify_take(&kit, scaling(fault));
    ck_status(r, STATUS_COMPILE);
    ck_assert_msg(strstr(r->log, "secret.txt:1") && !strstr(r->log, "the secret words"), "%s",
                  r->log);
    result_free(r);
    unlink(path);
}
END_TEST

START_TEST(test_refused_options)
{
    static const char *const refused[] = {"-o",
                                          "-ofile",
                                          "@options",
                                          "-specs=x",
                                          "-fplugin=x",
                                          "--specs=x",
                                          "-Wl,-o,x",
                                          "-save-temps",
                                          "-B/folder",
                                          "-wrapper",
                                          "other.c",
                                          "-MD",
                                          "-fdump-rtl-all",
                                          "-E",
                                          "-Xlinker",
                                          "-fdiagnostics-show-caret",
                                          "-x"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct job *j = scaling("");
        kit_option(j, refused[i]);
        struct result *r = kit_verify_take(&kit, j);
        ck_status(r, STATUS_COMPILE);
        ck_says(r, refused[i]);
        ck_says(r, "is refused");
        result_free(r);
    }
}
END_TEST

START_TEST(test_vectors_by_value_are_refused)
{
    struct job *j = scaling("");
    j->launches[0].arguments[2].element.width = 4;
    struct result *r = kit_verify_take(&kit, j);
    ck_status(r, STATUS_COMPILE);
    ck_says(r, "make 'factor' a Vector");
    result_free(r);
}
END_TEST

// A build worker makes the image and loads nothing; the same configuration gives the same bytes.
START_TEST(test_image)
{
    struct kit builder;
    struct image image, again;
    struct policy policy = {.launches = 3, .batch = 2};
    struct job *j = scaling("");
    struct result *r = result_new();
    kit_open_as(&builder, &(struct device_options){.build_only = true});
    ck_assert_msg(device_build(builder.device, j, &builder.arena, &image, r), "%s", r->message);
    ck_assert_msg(device_build(builder.device, j, &builder.arena, &again, r), "%s", r->message);
    ck_assert_uint_gt(image.length, 1000);
    ck_assert(digest_equal(&image.digest, &again.digest));
    struct loaded *l = device_load(kit.device, j, &image, r);
    ck_assert_msg(l != NULL, "%s", r->message);
    ck_assert_msg(device_verify(kit.device, l, &policy, r), "%s", r->message);
    ck_assert_msg(device_measure(kit.device, l, &policy, r), "%s", r->message);
    ck_assert_uint_gt(r->sample_count, 0);
    ck_assert_uint_gt(r->samples_ns[0], 0);
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
    kit_close(&builder);
}
END_TEST

// Its threads outlive the objects that started them. Twice, in two objects.
START_TEST(test_openmp)
{
    struct text fault = TEXT_INIT;
    text_addf(&fault,
              "\n#pragma omp parallel\n"
              "    if (omp_get_num_threads() != %u) out[0] = 0;",
              process_cores());
    for (int i = 0; i < 2; i++) {
        struct job *j = scaling(text_cstr(&fault));
        kit_option(j, "-fopenmp");
        kit_option(j, "-include");
        kit_option(j, "omp.h");
        kit_option(j, i ? "-DAGAIN" : "-DFIRST");
        struct result *r = kit_verify_take(&kit, j);
        ck_status(r, STATUS_CORRECT);
        result_free(r);
    }
    text_release(&fault);
}
END_TEST

START_TEST(test_device)
{
    struct device_report all;
    struct error e = ERROR_INIT;
    struct device_options none = {.languages = 1u << LANGUAGE_C, .compiler = "/nonexistent"};
    const struct device_info *d = device_describe(kit.device);
    ck_assert_int_eq(d->language, LANGUAGE_C);
    ck_assert_int_eq(d->type, DEVICE_CPU);
    ck_assert(d->name[0] && d->driver[0] && d->compiler[0] && d->include_folders[0] == '/');
    ck_assert_ptr_nonnull(strstr(d->surroundings, "cores="));
    ck_assert(device_list(&kit.arena, NULL, &all, &e));
    ck_assert_int_eq(all.devices[all.device_count - 1].language, LANGUAGE_C); // the last, and alone
    ck_assert(all.device_count < 2 || all.devices[all.device_count - 2].language != LANGUAGE_C);
    ck_assert(device_list(&kit.arena, &none, &all, &e));
    ck_assert_uint_eq(all.device_count, 0);
    ck_assert_ptr_nonnull(strstr(all.problem, "/nonexistent"));
    none.languages = 0; // nobody asked for C: it is no problem
    ck_assert(device_list(&kit.arena, &none, &all, &e));
    ck_assert_ptr_null(strstr(all.problem, "/nonexistent"));
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_right_and_wrong);
    tcase_add_test(tests, test_options);
    tcase_add_test(tests, test_logs_quote_no_file);
    tcase_add_test(tests, test_refused_options);
    tcase_add_test(tests, test_vectors_by_value_are_refused);
    tcase_add_test(tests, test_image);
    tcase_add_test(tests, test_openmp);
    tcase_add_test(tests, test_device);
}

int main(void)
{
    setenv("HONE_TEST_DEVICE", "c/", 1);
    return kit_has_device() ? kit_run("c", add_tests) : KIT_SKIPPED;
}
