// `hone bench` from outside on a device: a baseline, and the same again. What it says is in tests/golden.
#include "base/text.h"
#include "program.h"

#include "../base/suite.h"

#include <stdio.h>
#include <string.h>

#define SPEC  HONE_SOURCE_DIR "/tests/cli/data/vector_add.json"
#define ONE   "--config", "block=32,work=1,flavor=0"
#define QUICK "--repeats", "4", "--rounds", "2"

#define has(text, part)     ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text)
#define has_not(text, part) ck_assert_msg(strstr(text, part) == NULL, "'%s' in:\n%s", part, text)

static char base[256], doctored[256];

static void expect_status(const struct ran *r, int status)
{
    ck_assert_msg(r->status == status, "%d, not %d:\n%s%s", r->status, status, r->out, r->err);
}

static void name_files(void)
{
    str_format(base, sizeof base, "%s/base.json", program_folder());
    str_format(doctored, sizeof doctored, "%s/doctored.json", program_folder());
}

// A baseline of one configuration that a tune has found.
static void make_baseline(void)
{
    name_files();
    remove(base); // else it would be a moment more
    struct ran r = program_run("tune", SPEC, ONE);
    expect_status(&r, 0);
    ran_release(&r);
    r = program_run("bench", SPEC, QUICK, "--output", base);
    expect_status(&r, 0);
    has(r.out, "block=32, work=1");
    has(r.out, "8 passes of 2 rounds");
    has(r.out, base);
    has_not(r.out, "verdict");
    ran_release(&r);
}

// The baseline with all that stands between `from` and `to` replaced.
static void doctor(const char *from, const char *to, const char *with)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT, out = TEXT_INIT;
    ck_assert_msg(file_read(base, 0, &text, &e), "%s", e.text);
    const char *at = text_cstr(&text), *found;
    while ((found = strstr(at, from))) {
        found += strlen(from);
        text_addn(&out, at, (size_t)(found - at));
        text_add(&out, with);
        at = strstr(found, to);
        ck_assert_ptr_nonnull(at);
    }
    text_add(&out, at);
    FILE *f = fopen(doctored, "w");
    ck_assert(f && fputs(text_cstr(&out), f) >= 0 && fclose(f) == 0);
    text_release(&text);
    text_release(&out);
}

// No store is needed, and times far apart would be no loss here: on a busy machine they are.
START_TEST(the_same_again)
{
    make_baseline();
    struct ran r =
        program_run("bench", SPEC, "--baseline", base, "--no-store", QUICK, "--fail-if", "900%");
    expect_status(&r, 0);
    has(r.out, "against ");
    has(r.out, "baseline");
    has(r.out, "0 of 1 configuration lost more than 900 %");
    has_not(r.out, "LOSS");
    ran_release(&r);
    r = program_run("bench", SPEC, "--from", base, "--no-store", QUICK, "--json");
    expect_status(&r, 0);
    has(r.out, "\"verdict\":null");
    has(r.out, "\"baseline\":null");
    ran_release(&r);
}
END_TEST

static unsigned count_of(const char *part)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    unsigned count = 0;
    ck_assert_msg(file_read(base, 0, &text, &e), "%s", e.text);
    for (const char *at = text_cstr(&text); (at = strstr(at, part)); at++)
        count++;
    text_release(&text);
    return count;
}

// Into the same file it is a moment more, while the source is the same.
START_TEST(a_second_moment)
{
    make_baseline();
    ck_assert_uint_eq(count_of("\"moment\":"), 8);
    ck_assert_uint_eq(count_of("\"load\":"), 8);
    struct ran r =
        program_run("bench", SPEC, "--baseline", base, "--no-store", QUICK, "--fail-if", "900%");
    has_not(r.out, "The baseline is of one moment"); // its code is launched beside
    ran_release(&r);
    r = program_run("bench", SPEC, "--from", base, "--no-store", QUICK, "--output", base);
    expect_status(&r, 0);
    ck_assert_uint_eq(count_of("\"moment\":"), 16);
    ran_release(&r);
    r = program_run("bench", SPEC, "--baseline", base, "--no-store", QUICK, "--fail-if", "900%",
                    "--json");
    has(r.out, "\"beside\":true");
    ran_release(&r);
    doctor("\"source_sha256\":\"", "\"", "another");
    ck_assert_int_eq(rename(doctored, base), 0);
    r = program_run("bench", SPEC, "--from", base, "--no-store", QUICK, "--output", base);
    expect_status(&r, 0);
    ck_assert_uint_eq(count_of("\"moment\":"), 8);
    ran_release(&r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 250);
    tcase_add_test(tests, the_same_again);
    tcase_add_test(tests, a_second_moment);
}

int main(void)
{
    program_folder();
    if (!program_has_device()) {
        program_folder_remove();
        puts("skipped: no OpenCL device");
        return 77;
    }
    int status = suite_run("cli_bench", add);
    program_folder_remove();
    return status;
}
