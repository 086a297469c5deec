// The program from outside, as far as it needs no device: help, refusals, exit statuses, writing.
#include "base/text.h"
#include "cli/cli.h"
#include "program.h"

#include "../base/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPEC HONE_SOURCE_DIR "/tests/cli/data/vector_add.json"

START_TEST(help_of_every_command)
{
    static const char *const forms[] = {"-h", "--help"};
    for (const struct command *const *c = commands(); *c; c++) {
        for (size_t i = 0; i < 2; i++) {
            struct ran r = (*c)->under ? program_run((*c)->under, (*c)->name, forms[i])
                                       : program_run((*c)->name, forms[i]);
            ck_assert_int_eq(r.status, 0);
            ck_assert_str_eq(r.err, "");
            ck_assert(str_starts(r.out, "usage: hone "));
            ran_release(&r);
        }
    }
}
END_TEST

START_TEST(help_without_a_command)
{
    static const char *const words[] = {"help", "-h", "--help"};
    for (size_t i = 0; i < 3; i++) {
        struct ran r = program_run(words[i]);
        ck_assert_int_eq(r.status, 0);
        ck_assert_str_eq(r.err, "");
        for (const struct command *const *c = commands(); *c; c++)
            ck_assert((*c)->under || strstr(r.out, (*c)->summary));
        ran_release(&r);
    }
    struct ran r = program_run("--version");
    ck_assert_str_eq(r.out, "hone " HONE_VERSION "\n");
    ran_release(&r);
}
END_TEST

// What other tuners' devices allow is said with --where: 1,024 work-items, 48 KiB of local memory.
START_TEST(space_of_a_smaller_device)
{
    struct ran r = program_run("space", HONE_SOURCE_DIR "/kernels_cl/matmul_tiled.json", "--set",
                               "WIDTH=4096", "--where", "block_size_x * block_size_y <= 1024",
                               "--where", "4 * block_size_x**2 * (1 + tile_size_x) <= 48 * 1024");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert(str_starts(r.out, "matmul_tiled: 36 of 288 configurations are valid\n"));
    ran_release(&r);
}
END_TEST

// A screen by --help, everything by --help --all, whatever else stands on the line.
START_TEST(help_in_layers)
{
    struct ran brief = program_run("best", "--help");
    struct ran all = program_run("best", "--help", "--all");
    struct ran again = program_run("best", "--all", "-h");
    struct ran by_help = program_run("help", "best", "--all");
    ck_assert_uint_lt(strlen(brief.out), strlen(all.out));
    ck_assert_str_eq(all.out, again.out);
    ck_assert_str_eq(all.out, by_help.out);
    ran_release(&brief);
    ran_release(&all);
    ran_release(&again);
    ran_release(&by_help);
}
END_TEST

// Tables that several subcommands share go on under one title.
START_TEST(titles_stand_once)
{
    struct ran r = program_run("tune", "--help", "--all");
    const char *title = strstr(r.out, "\nResults:\n");
    ck_assert_ptr_nonnull(title);
    ck_assert_ptr_null(strstr(title + 1, "\nResults:\n"));
    ck_assert_ptr_nonnull(strstr(title, "--fresh[=transfer|failures|STATUS,...]"));
    ck_assert_ptr_nonnull(strstr(title, "--report FILE"));
    ran_release(&r);
}
END_TEST

// PoCL has no device where its cache cannot be written, which says nothing of the cause.
START_TEST(cache_that_cannot_be_written)
{
    program_folder();
    setenv("XDG_CACHE_HOME", "/proc", 1); // root cannot write there either
    struct ran r = program_run("devices", "--json");
    ck_assert_ptr_nonnull(strstr(r.err, "/proc/hone may not be written: "));
    ck_assert_ptr_nonnull(strstr(r.err, "set XDG_CACHE_HOME"));
    ran_release(&r);
}
END_TEST

START_TEST(full_output)
{
    struct ran r = program_run_to("/dev/full", (const char *const[]){"space", SPEC, NULL});
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(strstr(r.err, "cannot write the output"));
    ran_release(&r);
}
END_TEST

START_TEST(no_worker)
{
    program_folder();
    setenv("HONE_WORKER", "/nowhere/hone-worker", 1);
    struct ran r = program_run("devices");
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(strstr(r.err, "/nowhere/hone-worker"));
    ran_release(&r);
}
END_TEST

// ---- what others recorded ----------------------------------------------------------------------

static const struct {
    const char *file, *text;
} hostile[] = {
    {"evil_t4.json",
     "{\"schema_version\": \"1.0.0\", \"results\": [{\"configuration\": {\"a\\nforged "
     "\\u001b[2J\": 1, "
     "\"b\\u202e\": \"x\\nforged\"}, \"invalidity\": \"correct\", \"measurements\": [{\"name\": "
     "\"time\", \"value\": 2.0, \"unit\": \"ms\"}], \"objectives\": [\"time\"]}, "
     "{\"configuration\": "
     "{\"a\\nforged \\u001b[2J\": 2, \"b\\u202e\": \"y\\u001b[1A\"}, \"invalidity\": \"correct\", "
     "\"measurements\": [{\"name\": \"time\", \"value\": 3.0, \"unit\": \"ms\"}], \"objectives\": "
     "[\"time\"]}]}"},
    {"evil_cache.json",
     "{\"device_name\": \"gpu\\nforged \\u001b[31m\", \"kernel_name\": \"k\\nforged\", "
     "\"problem_size\": "
     "[1], \"tune_params_keys\": [\"a\\u001b[2J\\nforged\"], \"tune_params\": "
     "{\"a\\u001b[2J\\nforged\": [1, 2]}, \"objective\": \"time\", \"cache\": {\"1\": "
     "{\"a\\u001b[2J\\nforged\": 1, \"time\": 2.0}, \"2\": {\"a\\u001b[2J\\nforged\": 2, \"time\": "
     "1.0}}}"},
};

static void expect_tame(const struct ran *r)
{
    const char *texts[] = {r->out, r->err};
    ck_assert_msg(strstr(r->out, "\\x0aforged"), "%s%s", r->out, r->err);
    for (size_t i = 0; i < 2; i++)
        ck_assert_msg(!strchr(texts[i], '\x1b') && !strstr(texts[i], "\xe2\x80\xae") &&
                          !strstr(texts[i], "\nforged") && strncmp(texts[i], "forged", 6) != 0,
                      "%s", texts[i]);
}

// Names of T4 and cache files are shown within their line: they neither move the cursor nor forge a
// line of hone's.
START_TEST(hostile_recordings)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", program_folder(), hostile[_i].file);
    FILE *f = fopen(path, "w");
    fputs(hostile[_i].text, f);
    fclose(f);
    struct ran r = program_run("tune", "--replay", path, "--no-store");
    expect_tame(&r);
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, help_of_every_command);
    tcase_add_test(tests, help_without_a_command);
    tcase_add_test(tests, space_of_a_smaller_device);
    tcase_add_test(tests, help_in_layers);
    tcase_add_test(tests, titles_stand_once);
    tcase_add_test(tests, cache_that_cannot_be_written);
    tcase_add_test(tests, full_output);
    tcase_add_test(tests, no_worker);
    tcase_add_loop_test(tests, hostile_recordings, 0,
                        0 EXTRA_FORMATS(+(int)(sizeof hostile / sizeof *hostile)));
}

int main(void)
{
    program_folder();
    int status = suite_run("cli/usage", add);
    program_folder_remove();
    return status;
}
