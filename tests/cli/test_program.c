// The program from outside on a device: tune, run and best on a spec with every kind of outcome.
#include "base/text.h"
#include "program.h"

#include "../base/suite.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DATA HONE_SOURCE_DIR "/tests/cli/data"
#define SPEC DATA "/vector_add.json"

static json_t *parse(const char *text, size_t length)
{
    json_error_t why;
    json_t *j = json_loadb(text, length, JSON_ALLOW_NUL, &why);
    ck_assert_msg(j != NULL, "%s: %.*s", why.text, (int)length, text);
    return j;
}

static void has_keys(json_t *j, const char *const *keys)
{
    for (; *keys; keys++)
        ck_assert_msg(json_object_get(j, *keys) != NULL, "no %s", *keys);
}

static const char *text_at(json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return s ? s : "";
}

static json_int_t number_at(json_t *j, const char *key)
{
    return json_integer_value(json_object_get(j, key));
}

static json_t *line_of(const char **text)
{
    const char *end = strchr(*text, '\n');
    ck_assert_ptr_nonnull(end);
    json_t *j = parse(*text, (size_t)(end - *text));
    *text = end + 1;
    return j;
}

static const char *const result_keys[] = {
    "type",        "configuration", "status",     "verified", "verification", "median_ns",
    "interval_ns", "stopped",       "samples_ns", "warm",     "clock",        "reused",
    "message",     "metrics",       "is_default", "same_as",  "global_size",  "times_ns",
    "local_size",  "limit_ns",      NULL};

static void check_result(json_t *j, json_int_t samples)
{
    has_keys(j, result_keys);
    ck_assert_str_eq(text_at(j, "type"), "result");
    bool correct = strcmp(text_at(j, "status"), "correct") == 0;
    ck_assert(json_is_true(json_object_get(j, "verified")) == correct);
    ck_assert(json_is_real(json_object_get(j, "median_ns")) == correct);
    json_t *interval = json_object_get(j, "interval_ns");
    ck_assert(correct && samples >= 6 ? json_array_size(interval) == 2 : json_is_null(interval));
    ck_assert_uint_eq(json_array_size(json_object_get(j, "samples_ns")),
                      correct ? (size_t)samples : 0);
    ck_assert_str_eq(text_at(j, "stopped"), correct ? "fixed" : "");
    ck_assert(correct == (text_at(j, "message")[0] == '\0'));
}

// The parts of the time follow each other: together they are the whole.
static void check_timing(json_t *timing)
{
    static const char *const parts[] = {
        "startup_ns",   "opening_ns",   "waiting_ns",   "locked_ns",  "loading_ns", "inputs_ns",
        "reference_ns", "verifying_ns", "measuring_ns", "ranking_ns", "storing_ns", "rest_ns"};
    json_int_t sum = 0, wall = number_at(timing, "wall_ns");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        ck_assert_msg(json_is_integer(json_object_get(timing, parts[i])), "%s", parts[i]);
        sum += number_at(timing, parts[i]);
    }
    ck_assert_int_eq(sum, wall);
    ck_assert_int_gt(number_at(timing, "startup_ns"), 0);
    ck_assert_int_le(number_at(timing, "listing_ns"), number_at(timing, "startup_ns"));
    ck_assert_int_ge(number_at(timing, "builds_ns"), number_at(timing, "build_ns"));
    ck_assert_int_le(number_at(timing, "build_ns"), wall);
}

// A tune with every kind of outcome, then the same again from the store.
START_TEST(tune_json)
{
    static const char *const run_keys[] = {
        "hone",      "spec",     "spec_name",    "spec_sha256", "source_sha256",
        "constants", "seed",     "objective",    "objectives",  "strategy_options",
        "command",   "strategy", "device",       "driver",      "compiler",
        "host",      "date",     "cache",        "store",       "cartesian",
        "valid",     "planned",  "verification", NULL};
    static const char *const summary_keys[] = {"objective",
                                               "objectives",
                                               "pareto",
                                               "best",
                                               "counts",
                                               "done",
                                               "valid",
                                               "planned",
                                               "reused",
                                               "error",
                                               "speedup_over_default",
                                               "speedup_over_default_interval",
                                               "speedup_over_default_basis",
                                               "speedup_over_default_significant",
                                               "speedup_over_default_needs",
                                               "times_ns",
                                               "elapsed_ns",
                                               NULL};
    for (int round = 0; round < 2; round++) {
        struct ran r = program_run("tune", SPEC, "--json", "--iterations", "6");
        const char *at = r.out;
        ck_assert_msg(r.status == 0, "%s", r.err);
        json_t *run = line_of(&at);
        has_keys(run, run_keys);
        ck_assert_str_eq(text_at(run, "type"), "run");
        ck_assert_int_eq(number_at(run, "valid"), 11);
        ck_assert_ptr_nonnull(strstr(text_at(run, "verification"), "verified against"));
        int reused = 0;
        for (int i = 0; i < 11; i++) {
            json_t *result = line_of(&at);
            check_result(result, 6);
            reused += json_is_true(json_object_get(result, "reused"));
            json_decref(result);
        }
        json_t *summary = line_of(&at);
        has_keys(summary, summary_keys);
        json_t *counts = json_object_get(summary, "counts");
        ck_assert_int_eq(number_at(counts, "correct"), 7);
        ck_assert_int_eq(number_at(counts, "compile"), 2);
        ck_assert_int_eq(number_at(counts, "correctness"), 2);
        ck_assert_int_eq(number_at(summary, "reused"), reused);
        ck_assert_int_eq(reused, round ? 11 : 0);
        ck_assert_int_eq(number_at(summary, "identical"), round ? 0 : 2); // flavor 1 is flavor 0
        json_t *timing = json_object_get(summary, "timing");
        check_timing(timing);
        ck_assert((number_at(timing, "build_ns") > 0) == (round == 0));
        ck_assert((number_at(timing, "kernel_ns") > 0) == (round == 0));
        ck_assert((number_at(timing, "measuring_ns") > 0) == (round == 0));
        ck_assert_str_eq(at, "");
        json_decref(run);
        json_decref(summary);
        ran_release(&r);
    }
}
END_TEST

// Nothing runs, so what computes something wrong is no failure; and nothing is stored.
START_TEST(tune_builds_only)
{
    struct ran r = program_run("tune", SPEC, "--build-only", "--json");
    const char *at = r.out;
    ck_assert_msg(r.status == 0, "%s", r.err);
    for (int i = 0; i < 12; i++)
        json_decref(line_of(&at));
    json_t *summary = line_of(&at);
    json_t *counts = json_object_get(summary, "counts");
    json_t *timing = json_object_get(summary, "timing");
    ck_assert(json_is_true(json_object_get(summary, "build_only")));
    ck_assert(json_is_null(json_object_get(summary, "best")));
    ck_assert_int_eq(number_at(counts, "correct"), 9);
    ck_assert_int_eq(number_at(counts, "compile"), 2);
    ck_assert_int_eq(number_at(summary, "launches"), 0);
    check_timing(timing);
    ck_assert_int_gt(number_at(timing, "builders"), 0);
    json_decref(summary);
    ran_release(&r);
    r = program_run("tune", SPEC, "--build-only", "--timing");
    ck_assert_ptr_nonnull(strstr(r.out, "built only, nothing runs"));
    ck_assert_ptr_nonnull(strstr(r.out, "9 of 11 configurations built in "));
    ck_assert_ptr_nonnull(strstr(r.out, "\nWhere the time went, "));
    ck_assert_ptr_null(strstr(r.out, "kept in"));
    ran_release(&r);
    r = program_run("tune", SPEC, "--build-only", "--fresh");
    ck_assert_int_eq(r.status, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "--build-only and --fresh exclude each other"));
    ran_release(&r);
}
END_TEST

// In a few lines, with what to type next; nothing of progress where nobody looks.
START_TEST(tune_text)
{
    struct ran r = program_run("tune", SPEC, "--iterations", "6");
    ck_assert_int_eq(r.status, 0);
    ck_assert(str_starts(r.out, "Device: "));
    ck_assert_ptr_nonnull(
        strstr(r.out, "\n\nBest of 7 correct configurations (verified against add"));
    ck_assert_ptr_nonnull(strstr(r.out, " work-items in work-groups of "));
    ck_assert_ptr_nonnull(strstr(r.out, "\n  -D"));
    ck_assert_ptr_nonnull(strstr(r.out, "\nSpeed-up over the default: "));
    ck_assert_ptr_nonnull(strstr(r.out, "\nFailed: 2 compile, "));
    ck_assert_ptr_nonnull(strstr(r.out, "\nFailed: 2 correctness, "));
    ck_assert_ptr_nonnull(strstr(r.out, "; more: --details\nNext: hone best "));
    ck_assert_ptr_null(strstr(r.out, "\033"));
    ck_assert_ptr_null(strchr(r.err, '\r'));
    ck_assert_ptr_null(strstr(r.err, " left"));
    ran_release(&r);
    r = program_run("tune", SPEC, "--iterations", "6", "--color", "always");
    ck_assert_ptr_nonnull(strstr(r.out, "\n\033[1m\033[32mBest\033[0m of 7 correct"));
    ck_assert_ptr_null(strstr(r.err, " left"));
    ran_release(&r);
    r = program_run("tune", SPEC, "--color", "sometimes");
    ck_assert_int_eq(r.status, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "--color: 'sometimes' is none of auto, always and never"));
    ran_release(&r);
}
END_TEST

START_TEST(tune_details)
{
    struct ran r = program_run("tune", SPEC, "--iterations", "6", "--verbose", "--details");
    ck_assert_int_eq(r.status, 0);
    ck_assert(str_starts(r.out, "Device: "));
    ck_assert_ptr_nonnull(
        strstr(r.out, ": 11 of 24 configurations are valid; verified against add"));
    ck_assert_ptr_nonnull(strstr(r.out, "block=32, work=1, flavor=2: compile: "));
    ck_assert_ptr_nonnull(strstr(r.out, "7 correct configurations (verified against add"));
    ck_assert_ptr_nonnull(strstr(r.out, "= also flavor=1"));
    ck_assert_ptr_nonnull(strstr(r.out, "2 compile ("));
    ck_assert_ptr_nonnull(strstr(r.out, "2 correctness ("));
    ck_assert_ptr_nonnull(strstr(r.out, "speed-up over the default, block=32, work=1, flavor=0: "));
    ck_assert_ptr_nonnull(strstr(r.out, "hone best "));
    ran_release(&r);
}
END_TEST

// One run that is in the store answers in every format: a row, or a test case, for each record.
START_TEST(formats)
{
    struct ran r = program_run("tune", SPEC, "--build-only", "--format", "csv");
    const char *line = r.out;
    int rows = -1;
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert(str_starts(r.out, "type,configuration.block,configuration.work,configuration.flavor,"
                                "status,"));
    for (; *line; line = strchr(line, '\n') + 1)
        rows++;
    ck_assert_int_eq(rows, 11);
    ck_assert_ptr_nonnull(strstr(r.out, ",compile,false,"));
    ran_release(&r);
    r = program_run("tune", SPEC, "--build-only", "--format", "junit");
    ck_assert_ptr_nonnull(strstr(r.out, "<testsuite name=\"tune\" tests=\"11\" failures=\"2\" "
                                        "errors=\"0\" skipped=\"0\">\n"));
    ck_assert_ptr_nonnull(strstr(r.out, "    <failure type=\"compile\" message=\""));
    ran_release(&r);
    r = program_run("space", SPEC, "--format", "junit");
    ck_assert_ptr_nonnull(strstr(r.out, "<testsuite name=\"space\" "));
    ran_release(&r);
    r = program_run("space", SPEC, "--format", "markdown");
    ck_assert_ptr_nonnull(strstr(r.out, "\n\n| parameter | type | default | values |\n| :--- |"));
    ran_release(&r);
    r = program_run("devices", "--format", "xml");
    ck_assert_int_eq(r.status, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "--format: 'xml' is none of text, json, markdown, csv "));
    ran_release(&r);
    r = program_run("tune", SPEC, "--json", "--format", "csv");
    ck_assert_int_eq(r.status, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "exclude each other"));
    ran_release(&r);
    r = program_run_to("/dev/full", (const char *const[]){"devices", "--format", "csv", NULL});
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(strstr(r.err, "cannot write the output"));
    ran_release(&r);
}
END_TEST

START_TEST(nothing_correct)
{
    struct ran r = program_run("tune", SPEC, "--config", "flavor=2", "--no-store");
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(strstr(r.out, "No configuration gave a correct result"));
    ck_assert_ptr_nonnull(strstr(r.out, "flavor 2 does not exist"));
    ran_release(&r);
    r = program_run("tune", SPEC, "--set", "N=4096", "--where", "block > 64");
    ck_assert_int_eq(r.status, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "no configuration is valid"));
    ran_release(&r);
    r = program_run("tune", SPEC, "--device", "no such device");
    ck_assert_int_eq(r.status, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "no device fits 'no such device'"));
    ran_release(&r);
}
END_TEST

START_TEST(run_one)
{
    char path[256];
    struct stat st;
    snprintf(path, sizeof path, "%s/c.npy", program_folder());
    struct ran r = program_run("run", SPEC, "--config", "block=64,work=2", "--output", path);
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_ptr_nonnull(strstr(r.out, "Configuration: block=64, work=2, flavor=0\n"));
    ck_assert_ptr_nonnull(strstr(r.out, "2048 work-items in work-groups of 64"));
    ck_assert_ptr_nonnull(strstr(r.out, "c: within the tolerance"));
    ck_assert_ptr_nonnull(strstr(r.out, "Samples (7, warm, ns): "));
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_size, 128 + 4 * 4096);
    ran_release(&r);
    r = program_run("run", SPEC, "--json", "--iterations", "3");
    json_t *j = parse(r.out, strlen(r.out));
    static const char *const more[] = {"launches", "deviations", "options",  "log",
                                       "batch",    "mean_ns",    "parts_ns", NULL};
    check_result(j, 3);
    has_keys(j, more);
    json_decref(j);
    ran_release(&r);
}
END_TEST

START_TEST(run_refuses_or_shows)
{
    struct ran r = program_run("run", SPEC, "--config", "block=64,work=4");
    ck_assert_int_eq(r.status, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "block * work <= 128"));
    ran_release(&r);
    r = program_run("run", SPEC, "--config", "flavor=2");
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(strstr(r.out, "Build log:"));
    ran_release(&r);
    r = program_run("run", SPEC, "--show", "source");
    ck_assert_int_eq(r.status, 0);
    ck_assert_ptr_nonnull(strstr(r.out, "//   -Dblock=32\n"));
    ck_assert_ptr_nonnull(strstr(r.out, "__kernel void vector_add("));
    ran_release(&r);
    r = program_run("run", SPEC, "--show", "binary");
    ck_assert_int_eq(r.status, 0);
    ck_assert(r.out[0] != '\0');
    ran_release(&r);
    r = program_run("run", SPEC, "--show", "ptx");
    ck_assert_int_eq(r.status, 1);
    ck_assert_str_eq(r.out, "");
    ck_assert_ptr_nonnull(strstr(r.err, "this driver compiles to no PTX; NVIDIA's do"));
    ran_release(&r);
    r = program_run("run", SPEC, "--show", "instructions");
    ck_assert_int_eq(r.status, 1); // the driver's fault, not the command line's
    ck_assert_ptr_nonnull(strstr(r.err, "is neither PTX nor a cubin"));
    ran_release(&r);
}
END_TEST

// What the store knows: exactly, by another kernel text, and not at all.
// What --where reads of a device is asked of one.
START_TEST(space_where_reads_the_device)
{
    struct ran r = program_run("space", SPEC, "--where", "device_compute_units >= 1", "--json");
    json_t *j = parse(r.out, strlen(r.out));
    ck_assert_int_eq(r.status, 0);
    ck_assert_int_gt(json_integer_value(json_object_get(j, "valid")), 0);
    json_decref(j);
    ran_release(&r);
}
END_TEST

// A size of its own: the store is shared with the other tests.
START_TEST(best)
{
    struct ran r = program_run("tune", SPEC, "--iterations", "6", "--set", "N=16384");
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
    r = program_run("best", SPEC, "--set", "N=16384");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_str_eq(r.err, "");
    ck_assert_ptr_nonnull(strstr(r.out, "Status: correct"));
    ran_release(&r);
    r = program_run("best", SPEC, "--options", "--config", "block=64,work=2", "--set", "N=16384");
    ck_assert_str_eq(r.out, "-DHONE=1 -DN=16384 -Dblock=64 -Dwork=2 -Dflavor=0\n");
    ran_release(&r);
    r = program_run("best", SPEC, "--json", "--set", "N=16384");
    json_t *j = parse(r.out, strlen(r.out));
    static const char *const more[] = {"date",      "device", "driver", "other_source",
                                       "constants", "hone",   NULL};
    check_result(j, 6);
    has_keys(j, more);
    ck_assert(json_is_false(json_object_get(j, "other_source")));
    const json_t *constants = json_object_get(j, "constants");
    ck_assert_int_eq(json_integer_value(json_object_get(constants, "N")), 16384);
    json_decref(j);
    ran_release(&r);
    r = program_run("best", SPEC, "--all");
    ck_assert_int_eq(r.status, 0);
    ck_assert_ptr_nonnull(strstr(r.out, "N=16384"));
    ran_release(&r);
    r = program_run("best", SPEC, "--set", "N=8192");
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(strstr(r.err, "nothing is known of vector_add (N=8192) on"));
    ck_assert_ptr_nonnull(strstr(r.err, "`hone tune " SPEC " --set N=8192`"));
    ran_release(&r);
    r = program_run("best", SPEC, "--device", "no such device");
    ck_assert_int_eq(r.status, 2);
    ran_release(&r);
}
END_TEST

// A size that nobody measured has the configuration of the nearest that somebody did, with its own options.
START_TEST(best_of_the_nearest_size)
{
    struct ran r = program_run("tune", SPEC, "--config", "block=64,work=2", "--set", "N=32768");
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
    r = program_run("best", SPEC, "--set", "N=32000");
    ck_assert_int_eq(r.status, 1);
    ck_assert_ptr_nonnull(strstr(r.err, "--nearest"));
    ran_release(&r);
    r = program_run("best", SPEC, "--set", "N=32000", "--nearest");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_str_eq(r.err, "");
    ck_assert_ptr_nonnull(strstr(r.out, "measured shapes: N=32768\n"));
    ck_assert_ptr_nonnull(strstr(r.out, " at N=32768\n"));
    ran_release(&r);
    r = program_run("best", SPEC, "--set", "N=32000", "--nearest", "--options");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_ptr_nonnull(strstr(r.out, "-Dblock=64 -Dwork=2"));
    ck_assert_ptr_nonnull(strstr(r.out, "-DN=32000"));
    ck_assert_ptr_nonnull(strstr(r.err, "nearest of"));
    ran_release(&r);
    r = program_run("best", SPEC, "--set", "N=32000", "--nearest", "--json");
    json_t *j = parse(r.out, strlen(r.out));
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(j, "measured"), "N")),
                     32768);
    ck_assert_int_eq(
        json_integer_value(json_object_get(json_object_get(j, "configuration"), "block")), 64);
    ck_assert(json_array_size(json_object_get(j, "launches")) == 1);
    json_decref(j);
    ran_release(&r);
    // A device that nobody knows has the default; one that is not there at this size no other answer than its own.
    r = program_run("best", SPEC, "--set", "N=32000", "--nearest", "--device", "Nobody");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_ptr_nonnull(strstr(r.out, "default: device Nobody not measured\n"));
    ran_release(&r);
    // What is known exactly is shown as ever.
    r = program_run("best", SPEC, "--set", "N=32768", "--nearest");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_ptr_nonnull(strstr(r.out, "Status: correct"));
    ran_release(&r);
    r = program_run("best", SPEC, "--set", "N=0", "--nearest");
    ck_assert_int_eq(r.status, 1);
    ck_assert_msg(strstr(r.err, " with N=0; sizes, of which the nearest is taken, are ") != NULL,
                  "%s", r.err);
    ran_release(&r);
    r = program_run("best", SPEC, "--nearest", "--all");
    ck_assert_int_eq(r.status, 2);
    ran_release(&r);
    r = program_run("best", SPEC, "--nearest", "--config", "block=32");
    ck_assert_int_eq(r.status, 2);
    ran_release(&r);
}
END_TEST

static void copy_data(const char *name, const char *more, char *path, size_t size)
{
    struct text text = TEXT_INIT, from = TEXT_INIT;
    struct error e = ERROR_INIT;
    text_addf(&from, "%s/%s", DATA, name);
    ck_assert_msg(file_read(text_cstr(&from), 0, &text, &e), "%s", e.text);
    snprintf(path, size, "%s/%s", program_folder(), name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "%s%s", text_cstr(&text), more);
    fclose(f);
    text_release(&from);
    text_release(&text);
}

// A size of which one value is known is a column all the same, where another is asked for.
START_TEST(nearest_in_each_size_that_is_asked_for)
{
    char path[600], store[600], command[1400];
    snprintf(store, sizeof store, "%s/nearest.sqlite", program_folder());
    copy_data("vector_add.cl", "", path, sizeof path);
    copy_data("vector_add_reference.cl", "", path, sizeof path);
    copy_data("vector_add.json", "", path, sizeof path);
    snprintf(command, sizeof command, "sed -i 's/\"N\": 4096/&, \"ROWS\": 8/' %s", path);
    ck_assert_int_eq(system(command), 0);
    static const char *const rows[] = {"ROWS=8", "ROWS=16"};
    for (int i = 0; i < 2; i++) {
        struct ran r = program_run("tune", path, "--config", "block=64,work=2", "--store", store,
                                   "--set", "N=2048", "--set", rows[i]);
        ck_assert_msg(r.status == 0, "%s", r.err);
        ran_release(&r);
    }
    struct ran r = program_run("best", path, "--nearest", "--store", store, "--set", "N=4096",
                               "--set", "ROWS=16");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_msg(strstr(r.out, "nearest of 2 measured shapes: N=2048,ROWS=16\n") != NULL, "%s",
                  r.out);
    ran_release(&r);
    // A number is one of `hone devices`, and no part of a name.
    r = program_run("best", path, "--nearest", "--store", store, "--set", "N=4096", "--device",
                    "77");
    ck_assert_msg(strstr(r.out, "default: device 77 not measured\n") || r.status != 0, "%s", r.out);
    ran_release(&r);
}
END_TEST

// What was measured with another text of the kernel is shown, but marked.
START_TEST(best_of_an_older_text)
{
    char spec[256], path[256];
    copy_data("vector_add_reference.cl", "", path, sizeof path);
    copy_data("vector_add.cl", "", path, sizeof path);
    copy_data("vector_add.json", "", spec, sizeof spec);
    struct ran r = program_run("tune", spec, "--where", "flavor == 0", "--set", "N=2048");
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
    r = program_run("best", spec, "--set", "N=2048");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_str_eq(r.err, "");
    ran_release(&r);
    copy_data("vector_add.cl", "// changed\n", path, sizeof path);
    r = program_run("best", spec, "--set", "N=2048");
    ck_assert_int_eq(r.status, 0);
    ck_assert_ptr_nonnull(strstr(r.err, "nothing is known for this kernel's present text"));
    ck_assert(str_starts(r.out, "OLDER RESULT: measured with another text of the kernel\n"));
    ran_release(&r);
}
END_TEST

// What came with the spec answers where the user's own store does not, or only with what is older:
// on this device, and by the name of one that is not here.
START_TEST(best_of_what_came_with_the_spec)
{
    char spec[256], path[256], own[256], older[256], known[256];
    copy_data("vector_add_reference.cl", "", path, sizeof path);
    copy_data("vector_add.cl", "// shipped\n", path, sizeof path);
    copy_data("vector_add.json", "", spec, sizeof spec);
    snprintf(own, sizeof own, "%s/own.sqlite", program_folder());
    snprintf(known, sizeof known, "%s/known.sqlite", program_folder());
    struct ran r = program_run("best", spec, "--set", "N=2048", "--store", own);
    ck_assert_int_eq(r.status, 1);
    ran_release(&r);
    r = program_run("tune", spec, "--where", "flavor == 0", "--set", "N=2048", "--store", own);
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
    r = program_run("import", "--best", "--store", known, own);
    ck_assert_msg(r.status == 0, "%s", r.err);
    ran_release(&r);
    static const char *const devices[] = {NULL, "portable computing"};
    for (size_t i = 0; i < 2; i++) {
        r = program_run("best", spec, "--set", "N=2048", devices[i] ? "--device" : NULL,
                        devices[i]);
        ck_assert_msg(r.status == 0, "%s", r.err);
        ck_assert_ptr_nonnull(strstr(r.err, "known from "));
        ck_assert_ptr_nonnull(strstr(r.err, "known.sqlite: measured 20"));
        ck_assert_ptr_nonnull(strstr(r.out, "\nFrom: "));
        ran_release(&r);
    }
    r = program_run("best", spec, "--set", "N=2048", "--store", own);
    ck_assert_str_eq(r.err, "");
    ran_release(&r);
    // The own one is of another text, and what came is not: also of several objectives.
    snprintf(older, sizeof older, "%s/older.sqlite", program_folder());
    copy_data("vector_add.cl", "// older\n", path, sizeof path);
    r = program_run("tune", spec, "--config", "block=32,work=1,flavor=0", "--set", "N=2048",
                    "--store", older);
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
    copy_data("vector_add.cl", "// shipped\n", path, sizeof path);
    r = program_run("best", spec, "--set", "N=2048", "--store", older, "--objective",
                    "time,max:GB/s");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_ptr_nonnull(strstr(r.err, "known from "));
    ck_assert_ptr_null(strstr(r.err, "OLDER"));
    ran_release(&r);
    // The own one is of another text now, and what came with the spec as well: the own one.
    copy_data("vector_add.cl", "// changed\n", path, sizeof path);
    r = program_run("best", spec, "--set", "N=2048", "--store", own);
    ck_assert_ptr_null(strstr(r.err, "known from"));
    ck_assert(str_starts(r.out, "OLDER RESULT"));
    ran_release(&r);
    r = program_run("best", spec, "--all", "--set", "N=2048", "--store", own);
    ck_assert_ptr_nonnull(strstr(r.out, "other text, known.sqlite"));
    ran_release(&r);
    FILE *f = fopen(known, "w");
    ck_assert(f && fputs("no store", f) >= 0 && fclose(f) == 0);
    r = program_run("best", spec, "--set", "N=2048", "--store", own);
    ck_assert_int_eq(r.status, 0);
    ck_assert_ptr_nonnull(strstr(r.err, "warning: "));
    ran_release(&r);
    remove(known);
}
END_TEST

// How it was searched is told in full, as it is typed.
START_TEST(tune_by_a_strategy)
{
    struct ran r = program_run("tune", SPEC, "--json", "--no-store", "--budget", "3", "--strategy",
                               "genetic:population=4", "--objective", "max:time");
    const char *at = r.out;
    ck_assert_msg(r.status == 0, "%s", r.err);
    json_t *run = line_of(&at), *options = json_object_get(run, "strategy_options");
    ck_assert_str_eq(text_at(run, "strategy"), "genetic");
    ck_assert(json_number_value(json_object_get(options, "population")) == 4);
    ck_assert_ptr_nonnull(json_object_get(options, "mutation")); // also what was not given
    ck_assert_str_eq(text_at(run, "objective"), "max:time");
    json_decref(run);
    json_t *result = line_of(&at);
    ck_assert_str_eq(text_at(result, "type"), "result");
    json_decref(result);
    ran_release(&r);
    r = program_run("help", "strategies");
    ck_assert_int_eq(r.status, 0);
    ck_assert_ptr_nonnull(strstr(r.out, "population=16"));
    ck_assert_ptr_nonnull(strstr(r.out, "(the default)"));
    ran_release(&r);
}
END_TEST

// Ctrl-C: the table of what is known, and 130.
START_TEST(interrupt)
{
    struct ran r =
        program_interrupt("correct", (const char *const[]){"tune", SPEC, "--fresh", "--json",
                                                           "--iterations", "500", NULL});
    ck_assert_int_eq(r.status, 130);
    ck_assert_ptr_nonnull(strstr(r.out, "{\"type\":\"summary\""));
    ck_assert_ptr_nonnull(strstr(r.out, "\"cancelled\":true"));
    ran_release(&r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, tune_json);
    tcase_add_test(tests, tune_text);
    tcase_add_test(tests, tune_details);
    tcase_add_test(tests, tune_builds_only);
    tcase_add_test(tests, formats);
    tcase_add_test(tests, nothing_correct);
    tcase_add_test(tests, run_one);
    tcase_add_test(tests, run_refuses_or_shows);
    tcase_add_test(tests, space_where_reads_the_device);
    tcase_add_test(tests, best);
    tcase_add_test(tests, best_of_the_nearest_size);
    tcase_add_test(tests, nearest_in_each_size_that_is_asked_for);
    tcase_add_test(tests, best_of_an_older_text);
    tcase_add_test(tests, best_of_what_came_with_the_spec);
    tcase_add_test(tests, tune_by_a_strategy);
    tcase_add_test(tests, interrupt);
}

int main(void)
{
    program_folder();
    if (!program_has_device()) {
        puts("skipped: there is no OpenCL device");
        program_folder_remove();
        return 77;
    }
    int status = suite_run("cli/program", add);
    program_folder_remove();
    return status;
}
