// `hone compare` from outside on a device.
#include "base/text.h"
#include "extras.h"
#include "program.h"

#include "../base/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA  HONE_SOURCE_DIR "/tests/cli/data"
#define SPEC  DATA "/vector_add.json"
#define NAIVE HONE_SOURCE_DIR "/kernels_cl/matmul_naive.json"
#define TILED HONE_SOURCE_DIR "/kernels_cl/matmul_tiled.json"

#define has(text, part) ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text)

START_TEST(one_side_fails)
{
    struct ran r = program_run("compare", SPEC, "--config", "block=32,work=1", "--right",
                               "option=-Dvector_add=other", "--no-store");
    ck_assert_int_eq(r.status, 2);
    has(r.err, "-Dvector_add=other: ");
    ran_release(&r);
}
END_TEST

// Two configurations or more of each, all of which are ranked.
#define SMALL                                                                                      \
    "--set", "WIDTH=64", "--where", "block_size_x == 16 and block_size_y in [4, 8]", "--rule",     \
        "near=1000", "--rule", "hopeless=1000", "--rule", "certain=1000"

// A library beside the best of a spec, one that is right and ones that are not: these are results,
// and the spec's best is measured all the same.
START_TEST(against_libraries)
{
    char store[300];
    str_format(store, sizeof store, "%s/against.sqlite", program_folder());
    struct ran r = program_run("compare", NAIVE, SMALL, "--store", store, "--against",
                               "cblas=" FAKE_CBLAS_FILE, "--format", "markdown");
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.err, "Tuning matmul_naive first");
    has(r.out, " | CBLAS of libfake_cblas.so |  |\n");
    // Behind an empty line, else it would be one more row of the table.
    has(r.out, " |\n\n- CBLAS of libfake_cblas.so: CBLAS, as many threads as it chooses, /");
    ran_release(&r);
    setenv("FAKE_CBLAS", "die", 1);
    r = program_run("compare", NAIVE, SMALL, "--store", store, "--against",
                    "cblas=" FAKE_CBLAS_FILE, "--against", "cblas=/nowhere/libblas.so");
    unsetenv("FAKE_CBLAS");
    ck_assert_msg(r.status == 1, "%d: %s%s", r.status, r.out, r.err);
    ck_assert_ptr_null(strstr(r.err, "Tuning"));
    has(r.out, "CBLAS of libfake_cblas.so: runtime: ");
    has(r.out, "CBLAS of libblas.so: constraints: /nowhere/libblas.so cannot be opened as CBLAS: ");
    has(r.out, "  matmul_naive  block_size_x=16");
    ran_release(&r);
    // What a library did is no best of the spec.
    r = program_run("store", "--store", store);
    has(r.out, "matmul_naive (CBLAS of libfake_cblas.so)");
    ran_release(&r);
    r = program_run("store", "verify", "--store", store);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    ran_release(&r);
    // Nor does it go with a spec that is shipped.
    if (!(0 EXTRA_FORMATS(+1)))
        return;
    char known[300];
    str_format(known, sizeof known, "%s/known.sqlite", program_folder());
    r = program_run("import", "--best", "--store", known, store);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    ran_release(&r);
    r = program_run("store", "--store", known);
    has(r.out, "matmul_naive");
    ck_assert_ptr_null(strstr(r.out, "CBLAS"));
    ran_release(&r);
}
END_TEST

// The worker that opens it has another working directory.
START_TEST(library_by_a_relative_path)
{
    char store[300], folder[300], before[300], library[300];
    str_format(store, sizeof store, "%s/relative.sqlite", program_folder());
    str_format(folder, sizeof folder, "%s", FAKE_CBLAS_FILE);
    char *name = strrchr(folder, '/');
    *name++ = '\0';
    str_format(library, sizeof library, "cblas=./%s", name);
    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    ck_assert_int_eq(chdir(folder), 0);
    struct ran r = program_run("compare", NAIVE, SMALL, "--store", store, "--against", library);
    ck_assert_int_eq(chdir(before), 0);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "CBLAS of libfake_cblas.so: CBLAS, as many threads as it chooses, /");
    ran_release(&r);
}
END_TEST

// Two libraries of one file name are told apart by their paths, and one is not taken for two.
START_TEST(libraries_of_one_name)
{
    char store[300];
    str_format(store, sizeof store, "%s/names.sqlite", program_folder());
    struct ran r =
        program_run("compare", NAIVE, SMALL, "--store", store, "--against",
                    "cblas=" FAKE_CBLAS_FILE, "--against", "cblas=/nowhere/libfake_cblas.so");
    ck_assert_msg(r.status == 1, "%d: %s%s", r.status, r.out, r.err); // one is not there
    has(r.out, "CBLAS of " FAKE_CBLAS_FILE);
    has(r.out, "CBLAS of /nowhere/libfake_cblas.so");
    ran_release(&r);
    r = program_run("store", "--store", store);
    has(r.out, "matmul_naive (CBLAS of libfake_cblas.so)"); // whatever stood beside it
    ran_release(&r);
    r = program_run("compare", NAIVE, SMALL, "--store", store, "--against",
                    "cblas=" FAKE_CBLAS_FILE, "--against", "openblas=" FAKE_CBLAS_FILE);
    ck_assert_int_eq(r.status, 2);
    has(r.err, "--against cblas=" FAKE_CBLAS_FILE " and --against openblas=" FAKE_CBLAS_FILE
               " are the same library");
    ran_release(&r);
}
END_TEST

// Ended while a spec is tuned first: what is known is kept, and that is said.
START_TEST(interrupted_while_it_tunes)
{
    char store[300];
    str_format(store, sizeof store, "%s/ended.sqlite", program_folder());
    struct ran r =
        program_interrupt("Tuning matmul_tiled first",
                          (const char *const[]){"compare", TILED, "--store", store, "--against",
                                                "cblas=" FAKE_CBLAS_FILE, NULL});
    ck_assert_msg(r.status == 130, "%d: %s%s", r.status, r.out, r.err);
    ck_assert_str_eq(r.out, "");
    has(r.err, "Ending after the running launch");
    has(r.err, "Ended while tuning matmul_tiled, and nothing was compared: ");
    has(r.err, " configurations are done and kept in ");
    has(r.err, "ended.sqlite; the same command goes on from there.\n");
    ran_release(&r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, one_side_fails);
    tcase_add_test(tests, against_libraries);
    tcase_add_test(tests, library_by_a_relative_path);
    tcase_add_test(tests, libraries_of_one_name);
    tcase_add_test(tests, interrupted_while_it_tunes);
}

int main(void)
{
    program_folder();
    if (!program_has_device()) {
        program_folder_remove();
        puts("skipped: no OpenCL device");
        return 77;
    }
    int status = suite_run("compare", add);
    program_folder_remove();
    return status;
}
