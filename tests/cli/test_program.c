// The program from outside on a device: tune, run and best on a spec with every kind of outcome.
#include "base/text.h"
#include "program.h"

#include "../base/suite.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

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
}
END_TEST

// What the driver compiles to.
START_TEST(run_shows_binaries)
{
    struct ran r = program_run("run", SPEC, "--show", "binary");
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
    ck_assert_ptr_nonnull(strstr(r.err, "neither PTX nor a cubin"));
    ran_release(&r);
}
END_TEST

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

static void copy_data(const char *name, char *path, size_t size)
{
    struct text text = TEXT_INIT, from = TEXT_INIT;
    struct error e = ERROR_INIT;
    text_addf(&from, "%s/%s", DATA, name);
    ck_assert_msg(file_read(text_cstr(&from), 0, &text, &e), "%s", e.text);
    snprintf(path, size, "%s/%s", program_folder(), name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text_cstr(&text), f);
    fclose(f);
    text_release(&from);
    text_release(&text);
}

// A size of which one value is known is a column all the same, where another is asked for.
START_TEST(nearest_in_each_size_that_is_asked_for)
{
    char path[600], store[600], command[1400];
    snprintf(store, sizeof store, "%s/nearest.sqlite", program_folder());
    copy_data("vector_add.cl", path, sizeof path);
    copy_data("vector_add_reference.cl", path, sizeof path);
    copy_data("vector_add.json", path, sizeof path);
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
    tcase_add_test(tests, tune_builds_only);
    tcase_add_test(tests, run_shows_binaries);
    tcase_add_test(tests, space_where_reads_the_device);
    tcase_add_test(tests, nearest_in_each_size_that_is_asked_for);
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
