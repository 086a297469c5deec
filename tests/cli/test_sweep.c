// `hone sweep` from outside on a device: the picture, libraries, an interrupt.
#include "base/text.h"
#include "program.h"

#include "../base/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPEC  HONE_SOURCE_DIR "/tests/cli/data/vector_add.json"
#define NAIVE HONE_SOURCE_DIR "/kernels_cl/matmul_naive.json"
#define ONE   "--config", "block=32,work=1,flavor=0"

#define has(text, part)     ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text)
#define has_not(text, part) ck_assert_msg(strstr(text, part) == NULL, "'%s' in:\n%s", part, text)

static char prefix[256];

static const char *named(const char *ending)
{
    static char path[320];
    str_format(path, sizeof path, "%s%s", prefix, ending);
    return path;
}

static void name_files(const char *name)
{
    str_format(prefix, sizeof prefix, "%s/%s", program_folder(), name);
}

static bool is_there(const char *ending)
{
    return access(named(ending), F_OK) == 0;
}

// A file of the test's; the caller's to release.
static struct text content(const char *ending)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    ck_assert_msg(file_read(named(ending), 0, &text, &e), "%s", e.text);
    return text;
}

// hone draws the picture itself, and writes nothing but it and the data.
START_TEST(drawn)
{
    name_files("it's a 'plot'");
    struct ran r = program_run("sweep", SPEC, ONE, "--set", "N=1024,2048", "--output", prefix);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "; picture: ");
    has_not(r.out, "gnuplot");
    struct text svg = content(".svg");
    has(text_cstr(&svg), "<svg");
    has(text_cstr(&svg), "vector_add");
    has(text_cstr(&svg), ">2048</text>");
    text_release(&svg);
    ran_release(&r);
    ck_assert(is_there(".csv") && is_there(".svg") && !is_there(".gnuplot"));
}
END_TEST

static uint32_t launches_beside(const char *version)
{
    setenv("FAKE_CBLAS_CONFIG", version, 1);
    struct ran r =
        program_run("sweep", NAIVE, "--set", "WIDTH=32", "--where", "block_size_x == 16",
                    "--against", "cblas=" FAKE_CBLAS_FILE, "--rounds", "4", "--output", prefix);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "times CBLAS");
    const char *said = strstr(r.out, "1 of 1 point in ");
    said = said ? strstr(said, ", ") : NULL;
    ck_assert_msg(said != NULL, "%s", r.out);
    uint32_t launches = (uint32_t)strtoul(said + 2, NULL, 10);
    ran_release(&r);
    return launches;
}

// What another version of a library did is no answer for this one.
START_TEST(another_version_of_a_library)
{
    name_files("version");
    ck_assert_uint_gt(launches_beside("OpenBLAS 0.3.20"), 0);
    ck_assert_uint_eq(launches_beside("OpenBLAS 0.3.20"), 0);
    ck_assert_uint_gt(launches_beside("OpenBLAS 0.3.21"), 0);
    ck_assert_uint_eq(launches_beside("OpenBLAS 0.3.21"), 0);
    ck_assert_uint_eq(launches_beside("OpenBLAS 0.3.20"), 0);
}
END_TEST

START_TEST(interrupted)
{
    name_files("interrupted");
    struct ran r = program_interrupt(
        "N=1024: ", (const char *const[]){"sweep", SPEC, "--where", "flavor < 2", "--set",
                                          "N=1024..1048576..1024", "--output", prefix, NULL});
    ck_assert_msg(r.status == 130, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, " of 1024 points in ");
    has(r.out, "; ended early\n");
    struct text csv = content(".csv");
    has(text_cstr(&csv), "\n1024,vector_add,tuned,");
    text_release(&csv);
    ran_release(&r);
    r = program_run("sweep", SPEC, "--where", "flavor < 2", "--set", "N=1024", "--output", prefix);
    has(r.out, "0 launches; 1 known from the store\n");
    ran_release(&r);
    // Before the first point is done there is nothing to write.
    name_files("early");
    r = program_interrupt("Sweep: ", (const char *const[]){"sweep", SPEC, "--set", "N=524288",
                                                           "--output", prefix, NULL});
    ck_assert_msg(r.status == 130, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "0 of 1 point in ");
    has(r.out, "No point is done: no file was written\n");
    ck_assert(!is_there(".csv") && !is_there(".svg"));
    ran_release(&r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, drawn);
    tcase_add_test(tests, another_version_of_a_library);
    tcase_add_test(tests, interrupted);
}

int main(void)
{
    program_folder();
    if (!program_has_device()) {
        program_folder_remove();
        puts("skipped: no OpenCL device");
        return 77;
    }
    int status = suite_run("cli_sweep", add);
    program_folder_remove();
    return status;
}
