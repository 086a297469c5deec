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
#define ODD  HONE_SOURCE_DIR "/tests/cli/data/odd.cl"

START_TEST(help_of_every_command)
{
    static const char *const forms[] = {"-h", "--help"};
    for (const struct command *const *c = commands(); *c; c++) {
        for (size_t i = 0; i < 2; i++) {
            struct ran r = program_run((*c)->name, forms[i]);
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
            ck_assert_ptr_nonnull(strstr(r.out, (*c)->summary));
        ran_release(&r);
    }
    struct ran r = program_run("--version");
    ck_assert_str_eq(r.out, "hone " HONE_VERSION "\n");
    ran_release(&r);
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        const char *words[6];
        int status;
        const char *err;
    } cases[] = {
        {{NULL}, 2, "usage: hone COMMAND"},
        {{"tnue"}, 2, "unknown command 'tnue'; did you mean 'tune'?"},
        {{"frobnicate"}, 2, "there are init, spec, devices, space"},
        {{"tune"}, 2, "tune needs SPEC"},
        {{"tune", "a", "b"}, 2, "'b' is one argument too many"},
        {{"tune", "--jsno", "a"}, 2, "did you mean --json?"},
        {{"space", "/nowhere/x.json"}, 2, "/nowhere/x.json"},
        {{"space", SPEC, "--set", "M=3"}, 2, "unknown constant 'M'"},
        {{"space", SPEC, "--set", "N=many"}, 2, "N=many"},
        {{"space", SPEC, "--where", "blok == 3"}, 2, "did you mean 'block'?"},
        {{"space", SPEC, "--config", "block=33"}, 2, "32, 64"},
        {{"space", SPEC, "--assume", "nothing=1"}, 2, "unknown fact 'nothing'"},
        {{"space", SPEC, "--why", "blok=1"}, 2, "did you mean 'block'?"},
        {{"best", SPEC, "--store", "/nowhere/x.sqlite"}, 1, "/nowhere/x.sqlite"},
        {{"space", SPEC, "--set", "block=32"},
         2,
         "is a parameter, not a constant: --config block=32"},
        {{"sweep", SPEC, "--set", "block=32"},
         2,
         "is a parameter, not a constant: --config block=32"},
        {{"space", SPEC, "--config", "N=32"}, 2, "is a constant, not a parameter: --set N="},
        {{"tune", ODD}, 2, "odd.cl is a kernel, not a spec; `hone init "},
        {{"space", "nowhere.cl"}, 2, "nowhere.cl"},
        {{"help", "rankin"}, 2, "did you mean 'ranking'?"},
        {{"help", "ranking", "more"}, 2, "'more' is one argument too many"},
        {{"help", "json", "init"}, 2, "`hone init` writes no JSON"},
        {{"help", "--completion=tcsh"}, 2, "bash|zsh|fish"},
        {{"best", SPEC, "--options", "--all"}, 2, "--options and --all exclude each other"},
        {{"run", SPEC, "--show", "source", "--json"}, 2, "--show and --json exclude each other"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ran r = program_run_to(NULL, cases[i].words);
        ck_assert_msg(r.status == cases[i].status, "case %zu: %d: %s", i, r.status, r.err);
        ck_assert_msg(strstr(r.err, cases[i].err) != NULL, "case %zu: %s", i, r.err);
        ck_assert_str_eq(r.out, "");
        ran_release(&r);
    }
}
END_TEST

START_TEST(space_text)
{
    struct ran r = program_run("space", SPEC);
    ck_assert_int_eq(r.status, 0);
    ck_assert_str_eq(r.err, "");
    ck_assert(str_starts(r.out, "vector_add: 11 of 24 configurations are valid\n"));
    ran_release(&r);
    r = program_run("space", SPEC, "--list", "--config", "work=4");
    ck_assert_str_eq(r.out, "block=32,work=4,flavor=0\n");
    ran_release(&r);
    r = program_run("space", SPEC, "--why", "block=64,work=4");
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(strstr(r.out, "block * work <= 128"));
    ran_release(&r);
    r = program_run("space", SPEC, "--why", "work=2");
    ck_assert_int_eq(r.status, 0);
    ck_assert_str_eq(r.out, "block=32, work=2, flavor=0: valid\n");
    ran_release(&r);
    r = program_run("space", SPEC, "--why", "work=2", "--json");
    ck_assert_int_eq(r.status, 0);
    ck_assert(str_starts(r.out, "{\"configuration\":{\"block\": 32,"));
    ck_assert_ptr_nonnull(strstr(r.out, "\"valid\":true,\"restriction\":null,"));
    ran_release(&r);
    r = program_run("space", SPEC, "--why", "block=64,work=4", "--json");
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(
        strstr(r.out, "\"valid\":false,\"restriction\":\"block * work <= 128\",\"path\":"));
    ran_release(&r);
}
END_TEST

START_TEST(space_statistics)
{
    struct ran r = program_run("space", SPEC, "--stats");
    ck_assert_int_eq(r.status, 0);
    ck_assert_str_eq(r.err, "");
    ck_assert_ptr_nonnull(strstr(r.out, "as the last"));
    ck_assert_ptr_nonnull(strstr(r.out, "independent group"));
    ck_assert_ptr_nonnull(strstr(r.out, "kept as a diagram of "));
    ck_assert_ptr_nonnull(strstr(r.out, " of memory at most"));
    ran_release(&r);
    r = program_run("space", SPEC, "--stats", "--json");
    ck_assert_int_eq(r.status, 0);
    ck_assert_ptr_nonnull(strstr(r.out, "\"excludes_last\":"));
    ck_assert_ptr_nonnull(strstr(r.out, "\"groups\":[{\"parameters\":["));
    ck_assert_ptr_nonnull(strstr(r.out, "\"build_seconds\":"));
    ran_release(&r);
    r = program_run("space", SPEC, "--json"); // unasked for it takes no time
    ck_assert_ptr_null(strstr(r.out, "excludes_last"));
    ran_release(&r);
    r = program_run("space", SPEC, "--stats", "--config", "block=64,work=2,flavor=0");
    ck_assert(str_starts(r.out, "vector_add: 1 of 24 configurations is valid\n"));
    ran_release(&r);
    r = program_run("space", SPEC, "--stats", "--where", "block > 4096");
    ck_assert_int_eq(r.status, 0);
    ck_assert(str_starts(r.out, "vector_add: 0 of 24 configurations are valid\n"));
    ck_assert_ptr_nonnull(strstr(r.out, "none is valid: "));
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
    ck_assert_ptr_nonnull(strstr(brief.out, "hone best --help --all"));
    ck_assert_ptr_null(strstr(brief.out, "--reuse-unseen"));
    ck_assert_ptr_nonnull(strstr(all.out, "--reuse-unseen"));
    ck_assert_str_eq(all.out, again.out);
    ck_assert_str_eq(all.out, by_help.out);
    ran_release(&brief);
    ran_release(&all);
    ran_release(&again);
    ran_release(&by_help);
    brief = program_run("tune", "--no-such", "--help"); // asking for help is no mistake
    ck_assert_int_eq(brief.status, 0);
    ran_release(&brief);
    brief = program_run("help", "store"); // a topic and a command
    ck_assert_ptr_nonnull(strstr(brief.out, "A stored result answers"));
    ck_assert_ptr_nonnull(strstr(brief.out, "usage: hone store"));
    ran_release(&brief);
    brief = program_run("help", "spec", "size"); // of a spec, not of `hone spec`
    ck_assert_int_eq(brief.status, 0);
    ck_assert_ptr_nonnull(strstr(brief.out, "arguments.*.size"));
    ck_assert_ptr_null(strstr(brief.out, "hone spec"));
    ran_release(&brief);
}
END_TEST

// Tables that several subcommands share go on under one title.
START_TEST(titles_stand_once)
{
    struct ran r = program_run("tune", "--help", "--all");
    const char *title = strstr(r.out, "\nResults:\n");
    ck_assert_ptr_nonnull(title);
    ck_assert_ptr_null(strstr(title + 1, "\nResults:\n"));
    ck_assert_ptr_nonnull(strstr(title, "--retry[=STATUS,...]"));
    ck_assert_ptr_nonnull(strstr(title, "--no-store"));
    ran_release(&r);
}
END_TEST

// A starting spec that loads as it is, and is not written twice.
START_TEST(init)
{
    char spec[256];
    snprintf(spec, sizeof spec, "%s/odd.json", program_folder());
    struct ran r = program_run("init", ODD, "--output", spec);
    ck_assert_int_eq(r.status, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "name one with --kernel: first, second"));
    ran_release(&r);
    r = program_run("init", ODD, "--kernel", "first", "--output", spec, "--no-check");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ran_release(&r);
    r = program_run("space", spec);
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_str_eq(r.err, "");
    ran_release(&r);
    r = program_run("init", ODD, "--kernel", "first", "--output", spec, "--no-check");
    ck_assert_int_eq(r.status, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "is there already"));
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

// A script must learn that its output is not whole.
// What is chosen by a variable (the tests' cache of PoCL is) stays; so does all of it while a scratch folder is in use.
START_TEST(caches_are_shown_and_cleared)
{
    struct text scratch = TEXT_INIT, kept = TEXT_INIT, file = TEXT_INIT;
    text_addf(&scratch, "%s/hone-scratch-abcdef", program_folder());
    text_addf(&kept, "%s/hone/references", program_folder());
    text_addf(&file, "%s/reference", text_cstr(&kept));
    setenv("POCL_CACHE_DIR", program_folder(), 1);
    ck_assert(folder_make(text_cstr(&kept), NULL) && folder_make(text_cstr(&scratch), NULL));
    FILE *f = fopen(text_cstr(&file), "w");
    ck_assert(f && fputs("x", f) >= 0 && fclose(f) == 0);
    struct ran r = program_run("cache", "--json");
    ck_assert_int_eq(r.status, 0);
    ck_assert_ptr_nonnull(strstr(r.out, "\"variable\":\"POCL_CACHE_DIR\",\"own\":false,"));
    ck_assert_ptr_nonnull(strstr(r.out, "/hone/references\",\"variable\":\"HONE_WORKER_CACHE\","
                                        "\"own\":true,\"entries\":1,\"in_use\":0,\"bytes\":4096,"
                                        "\"limit_bytes\":536870912,\"oldest\":\"2"));
    ck_assert_ptr_nonnull(strstr(r.out, "\"entries\":1,\"in_use\":1,")); // made a moment ago
    ran_release(&r);
    r = program_run("cache", "--clear");
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(strstr(r.err, "another hone is at work"));
    ck_assert_int_eq(access(text_cstr(&file), F_OK), 0);
    ran_release(&r);
    folder_remove(text_cstr(&scratch));
    r = program_run("cache", "--clear");
    ck_assert_int_eq(r.status, 0);
    ck_assert_str_eq(r.err, "");
    ck_assert_ptr_nonnull(strstr(r.out, "chosen by POCL_CACHE_DIR"));
    ck_assert_ptr_nonnull(strstr(r.out, "\n4 KiB were removed\n"));
    ck_assert_int_ne(access(text_cstr(&file), F_OK), 0);
    ran_release(&r);
    text_release(&scratch);
    text_release(&kept);
    text_release(&file);
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
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, space_text);
    tcase_add_test(tests, space_statistics);
    tcase_add_test(tests, space_of_a_smaller_device);
    tcase_add_test(tests, help_in_layers);
    tcase_add_test(tests, titles_stand_once);
    tcase_add_test(tests, init);
    tcase_add_test(tests, cache_that_cannot_be_written);
    tcase_add_test(tests, caches_are_shown_and_cleared);
    tcase_add_test(tests, full_output);
    tcase_add_test(tests, no_worker);
    tcase_add_loop_test(tests, hostile_recordings, 0, sizeof hostile / sizeof *hostile);
}

int main(void)
{
    program_folder();
    int status = suite_run("cli/usage", add);
    program_folder_remove();
    return status;
}
