// `hone compare` from outside on a device.
#include "base/text.h"
#include "program.h"

#include "../base/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA  HONE_SOURCE_DIR "/tests/cli/data"
#define SPEC  DATA "/vector_add.json"
#define RIGHT "--where", "flavor < 2"
#define ONE   "--config", "block=32,work=1,flavor=0"
#define NAIVE HONE_SOURCE_DIR "/kernels_cl/matmul_naive.json"
#define TILED HONE_SOURCE_DIR "/kernels_cl/matmul_tiled.json"

#define has(text, part)     ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text)
#define has_not(text, part) ck_assert_msg(strstr(text, part) == NULL, "'%s' in:\n%s", part, text)

static void expect(struct ran r, int status, const char *part)
{
    ck_assert_msg(r.status == status, "%d: %s%s", r.status, r.out, r.err);
    has(status == 2 ? r.err : r.out, part);
    ran_release(&r);
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        found++;
    return found;
}

// A picture of the program's, which is removed.
static void read_picture(const char *path, struct text *out)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(file_read(path, 1 << 20, out, &e), "%s", e.text);
    has(text_cstr(out), "<style>");
    has_not(text_cstr(out), "nan");
    unlink(path);
}

START_TEST(two_constants)
{
    char path[300];
    struct text svg = TEXT_INIT;
    str_format(path, sizeof path, "%s/sides.svg", program_folder());
    struct ran r = program_run("compare", SPEC, RIGHT, "--right", "set=N=4194304", "--no-store",
                               "--svg", path);
    read_picture(path, &svg);
    has(text_cstr(&svg), ">N=4096 is faster</text>");
    ck_assert_uint_eq(count(text_cstr(&svg), "h0"), 5 + 3); // with three in the legend
    text_release(&svg);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "N=4096: vector_add, N=4096; ");
    has(r.out, "N=4194304: vector_add, N=4194304; ");
    has(r.out, "7 configurations\n");
    has(r.out, "N=4096 / N=4194304");
    has(r.out, "5 of 5 differ (95 % family-wise); N=4096 is faster in 5.\n");
    has(r.out, "N=4096 / N=4194304: 0.0");
    has(r.out, "Best of N=4194304: ");
    has(r.out, "Best against best, interleaved: N=4096 is ");
    has(r.out, "7 of 7 configurations, 10 rounds each");
    ck_assert_uint_eq(count(r.out, "(identical to another)"), 2);
    ran_release(&r);
}
END_TEST

START_TEST(one_side_fails)
{
    struct ran r = program_run("compare", SPEC, "--config", "block=32,work=1", "--right",
                               "option=-Dvector_add=other", "--no-store");
    ck_assert_int_eq(r.status, 2);
    has(r.err, "-Dvector_add=other: ");
    ran_release(&r);
    r = program_run("compare", SPEC, "--config", "block=32,work=1", "--rounds", "6", "--left",
                    "option=-DHONE_TEST=1 -cl-mad-enable", "--no-store");
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, ", built with -DHONE_TEST=1 -cl-mad-enable; ");
    has(r.out, "default, block=32, work=1, flavor=2: compile: ");
    has(r.out, "-DHONE_TEST=1 -cl-mad-enable, block=32, work=1, flavor=2: compile: ");
    ran_release(&r);
}
END_TEST

START_TEST(as_json_and_markdown)
{
    struct ran r = program_run("compare", SPEC, ONE, "--right", "option=-cl-mad-enable", "--json",
                               "--no-store");
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "{\"hone\":");
    has(r.out, "\"options\":[\"-cl-mad-enable\"]");
    has(r.out, "\"rows\":[{\"configuration\":{\"block\": 32, \"work\": 1, \"flavor\": 0}");
    has(r.out, "\"in_turn\":true,\"rounds\":8,");
    has(r.out, "\"why\":null}\n");
    ran_release(&r);
    r = program_run("compare", SPEC, ONE, "--right", "option=-cl-mad-enable", "--markdown",
                    "--no-store");
    has(r.out, "| default | -cl-mad-enable | default / -cl-mad-enable |");
    has(r.out, "| :--- |\n");
    ran_release(&r);
}
END_TEST

START_TEST(a_run_of_the_store)
{
    struct ran r = program_run("tune", SPEC, RIGHT);
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
    r = program_run("compare", SPEC, RIGHT, "--left", "run=last", "--top", "2");
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "run ");
    has(r.out, " / now");
    has(r.out, "were not interleaved");
    ran_release(&r);
    expect(program_run("compare", SPEC, "--left", "run=xyz"), 2,
           "no run of vector_add begins with 'xyz'; the newest are:\n");
    // What a comparison measured is not what a tune found: its ranking is still known.
    r = program_run("best", SPEC);
    has(r.out, "ranked");
    ran_release(&r);
}
END_TEST

// Two configurations or more of each, all of which are ranked.
#define SMALL                                                                                      \
    "--set", "WIDTH=64", "--where", "block_size_x == 16 and block_size_y in [4, 8]", "--rule",     \
        "near=1000", "--rule", "hopeless=1000", "--rule", "certain=1000"

START_TEST(several_specs)
{
    char store[300];
    str_format(store, sizeof store, "%s/specs.sqlite", program_folder());
    // What ran by itself is no best of its spec.
    struct ran r = program_run("run", NAIVE, "--set", "WIDTH=64", "--config",
                               "block_size_x=16,block_size_y=8", "--store", store);
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
    r = program_run("compare", NAIVE, TILED, SMALL, "--store", store);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.err, "Tuning matmul_naive first: the store has no ranking of it for this device.\n");
    has(r.err, "Tuning matmul_tiled first");
    has(r.out, "naive: matmul_naive, WIDTH=64; ");
    has(r.out, "  naive  block_size_x=16, block_size_y=");
    has(r.out, "2 specs, 16 rounds");
    ran_release(&r);
    char path[300];
    struct text svg = TEXT_INIT;
    str_format(path, sizeof path, "%s/specs.svg", program_folder());
    r = program_run("compare", NAIVE, TILED, SMALL, "--store", store, "--svg", path);
    ck_assert_int_eq(r.status, 0);
    has_not(r.err, "Tuning");
    read_picture(path, &svg);
    has(text_cstr(&svg), ">naive</text>");
    has(text_cstr(&svg), ">tiled</text>");
    text_release(&svg);
    ran_release(&r);
}
END_TEST

START_TEST(refused)
{
    expect(program_run("compare", NAIVE, "--against", "cublas", "--no-store"), 2,
           "--against cublas: cuBLAS is for NVIDIA's cards, and ");
    expect(program_run("compare", SPEC), 2, "there is one language; say with --left and --right");
    expect(program_run("compare", SPEC, SPEC), 2, "is named twice");
    expect(program_run("compare", SPEC, "--left", "set=N=64", "--right", "set=N=64"), 2,
           "both sides are the same");
    expect(program_run("compare", SPEC, "--left", "size=3"), 2, "--left: 'size=3': write device=");
    expect(program_run("compare", SPEC, "--left", "set="), 2, "--left: set= needs a value");
    expect(program_run("compare", SPEC, "--left", "language=hip"), 2, "'hip' is no language");
    expect(program_run("compare", SPEC, TILED, "--left", "set=N=64"), 2,
           "--left is for two sides of one spec");
    expect(program_run("compare", SPEC, "--json", "--markdown"), 2, "exclude each other");
    expect(program_run("compare", SPEC, TILED, "--why"), 2, "--why is for two sides of one spec");
    expect(program_run("compare", SPEC, "--left", "run=last", "--no-store"), 2,
           "--no-store and a run of the store exclude each other");
}
END_TEST

// A library beside the best of a spec, one that is right and ones that are not: these are results,
// and the spec's best is measured all the same.
START_TEST(against_libraries)
{
    char store[300];
    str_format(store, sizeof store, "%s/against.sqlite", program_folder());
    struct ran r = program_run("compare", NAIVE, SMALL, "--store", store, "--against",
                               "cblas=" FAKE_CBLAS_FILE, "--markdown");
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
    expect(program_run("store", "--verify", "--store", store), 0, "");
    // Nor does it go with a spec that is shipped.
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

// What was built with further options is another spec's in the store, answers nobody, and is not
// shipped.
START_TEST(further_options)
{
    char store[300], known[300];
    str_format(store, sizeof store, "%s/options.sqlite", program_folder());
    str_format(known, sizeof known, "%s/shipped.sqlite", program_folder());
    struct ran r = program_run("compare", SPEC, ONE, "--left", "option=-DHONE_TEST=1", "--right",
                               "option=-cl-mad-enable", "--store", store);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    ran_release(&r);
    r = program_run("store", "--store", store);
    has(r.out, "vector_add (-DHONE_TEST=1)");
    has(r.out, "vector_add (-cl-mad-enable)");
    ran_release(&r);
    r = program_run("best", SPEC, "--store", store);
    ck_assert_msg(r.status == 1, "%d: %s%s", r.status, r.out, r.err);
    ran_release(&r);
    r = program_run("compare", SPEC, ONE, "--right", "option=-cl-mad-enable", "--store", store);
    ran_release(&r);
    r = program_run("import", "--best", "--store", known, store);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    ran_release(&r);
    r = program_run("store", "--store", known);
    has(r.out, "vector_add");
    has_not(r.out, "vector_add (");
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
               " are one library");
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
    tcase_add_test(tests, two_constants);
    tcase_add_test(tests, one_side_fails);
    tcase_add_test(tests, as_json_and_markdown);
    tcase_add_test(tests, a_run_of_the_store);
    tcase_add_test(tests, against_libraries);
    tcase_add_test(tests, further_options);
    tcase_add_test(tests, library_by_a_relative_path);
    tcase_add_test(tests, libraries_of_one_name);
    tcase_add_test(tests, interrupted_while_it_tunes);
    tcase_add_test(tests, several_specs);
    tcase_add_test(tests, refused);
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
