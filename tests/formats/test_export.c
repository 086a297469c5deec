// What hone writes is what it says, and comes back as the same.
#include "../base/suite.h"
#include "extras/formats/export.h"
#include "make.h"
#include "stored.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static struct spec *spec;
static struct store *store;

static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/hone-export-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    spec = spec_of(stored_spec);
    store = stored_open("s.sqlite");
    stored_fill(store, spec, &stored_device);
}

static void tear_down(void)
{
    store_close(store);
    spec_free(spec);
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove(folder);
}

static void write_as(enum export_format format, struct text *out)
{
    struct error e = ERROR_INIT;
    struct arena arena;
    struct stored_space *spaces;
    size_t count;
    uint64_t results;
    arena_init(&arena);
    ck_assert(stored_spaces(store, NULL, NULL, STORED_NEWEST, &arena, &spaces, &count, &e));
    ck_assert_uint_eq(count, 1);
    const struct export_options o = {
        .spec = spec, .store = store, .space = &spaces[0], .format = format};
    ck_assert_msg(export_space(&o, out, &results, &e), "%s", e.text);
    ck_assert_uint_eq(results, 5);
    arena_release(&arena);
}

// ---- there and back ----------------------------------------------------------------------------

static const struct recorded_row *row_of(const struct recorded *r, const uint32_t *choice)
{
    for (uint64_t i = 0; i < r->count; i++) {
        if (memcmp(r->rows[i].choice, choice, 4 * sizeof *choice) == 0)
            return &r->rows[i];
    }
    ck_abort_msg("a configuration is missing");
    return NULL;
}

static void check_recorded(const struct recorded *r)
{
    ck_assert_uint_eq(r->count, 5);
    ck_assert_uint_eq(r->correct, 3);
    ck_assert_uint_eq(r->duplicates, 0);
    ck_assert_str_eq(r->statistic, "median");
    ck_assert_str_eq(r->device, "Test Processor 9000");
    ck_assert_str_eq(r->constants, "WIDTH=256");
    const struct recorded_row *fast = row_of(r, (uint32_t[]){0, 0, 0, 0});
    ck_assert_double_eq_tol(fast->time_ns, 110, 1e-9); // the newer of the two
    ck_assert_double_eq_tol(fast->costs.compile_ns, 2e6, 1e-6);
    ck_assert_double_eq_tol(fast->costs.run_ns, 3e6, 1e-6);
    ck_assert_double_eq_tol(fast->costs.verify_ns, 4e5, 1e-6);
    ck_assert_double_eq_tol(fast->costs.framework_ns, 5e4, 1e-6);
    ck_assert_double_eq_tol(row_of(r, (uint32_t[]){0, 1, 1, 0})->time_ns, 4500, 1e-9);
    const struct recorded_row *late = row_of(r, (uint32_t[]){1, 0, 0, 0});
    ck_assert_int_eq(late->status, STATUS_TIMEOUT);
    ck_assert(isnan(late->time_ns));
    ck_assert_int_eq(row_of(r, (uint32_t[]){1, 1, 0, 0})->status, STATUS_COMPILE);
}

static void check_metric(const struct recorded *r, const char *name)
{
    for (uint32_t i = 0; i < r->measurement_count; i++) {
        if (!str_equal(r->measurements[i], name))
            continue;
        const struct recorded_row *fast = row_of(r, (uint32_t[]){0, 0, 0, 0});
        ck_assert_double_eq_tol(fast->measurements[i], 256.0 / 110, 1e-12);
        return;
    }
    ck_abort_msg("no measurement %s", name);
}

START_TEST(test_part_of_a_space)
{
    struct error e = ERROR_INIT;
    struct arena arena;
    struct stored_space *spaces;
    size_t count;
    uint64_t results;
    struct text out = TEXT_INIT;
    const char *where = "a == 32 and flag";
    arena_init(&arena);
    ck_assert(stored_spaces(store, NULL, NULL, STORED_NEWEST, &arena, &spaces, &count, &e));
    struct space *only =
        space_new(spec, &(struct space_options){.where = &where, .where_count = 1}, &e);
    ck_assert_msg(only != NULL, "%s", e.text);
    const struct export_options o = {
        .spec = spec, .store = store, .space = &spaces[0], .format = EXPORT_CSV, .only = only};
    ck_assert_msg(export_space(&o, &out, &results, &e), "%s", e.text);
    ck_assert_uint_eq(results, 2);
    struct recorded *r = parse(text_cstr(&out), NULL);
    ck_assert_uint_eq(r->count, 2);
    ck_assert_uint_eq(r->correct, 0);
    recorded_free(r);
    space_free(only);
    text_release(&out);
    arena_release(&arena);
}
END_TEST

// The stored spec with other values of the parameter that has one.
static struct spec *changed(const char *values)
{
    char text[2048];
    const char *at = strstr(stored_spec, "[0.5]");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - stored_spec), stored_spec, values, at + 5);
    return spec_of(text);
}

// A parameter that had one value keeps it, whatever the spec's first is now.
START_TEST(test_spec_has_changed)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    struct arena arena;
    struct stored_space *spaces;
    size_t count;
    uint64_t results;
    struct spec *mine = spec;
    spec = changed("[0.25, 0.5]");
    write_as((enum export_format)_i, &text);
    struct recorded *r = parse(text_cstr(&text), &(struct recorded_options){.spec = spec});
    for (uint64_t i = 0; i < r->count; i++)
        ck_assert_str_eq(value_of(r, i, "real"), "0.5");
    recorded_free(r);
    spec_free(spec);
    spec = mine;
    struct spec *other = changed("[0.25]");
    arena_init(&arena);
    ck_assert(stored_spaces(store, NULL, NULL, STORED_NEWEST, &arena, &spaces, &count, &e));
    const struct export_options o = {
        .spec = other, .store = store, .space = &spaces[0], .format = (enum export_format)_i};
    ck_assert(!export_space(&o, &text, &results, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "none of the stored results has a configuration that"));
    spec_free(other);
    arena_release(&arena);
    text_release(&text);
}
END_TEST

START_TEST(test_there_and_back)
{
    struct text text = TEXT_INIT;
    const struct recorded_options o = {.spec = spec};
    write_as((enum export_format)_i, &text);
    struct recorded *r = parse(text_cstr(&text), &o);
    check_recorded(r);
    check_metric(r, "GFLOP/s");
    if (_i != EXPORT_CACHE)
        ck_assert_str_eq(row_of(r, (uint32_t[]){1, 0, 0, 0})->message,
                         "ran longer than 1 s, \"quoted\"");
    recorded_free(r);
    // Without the spec the values are those that occur.
    r = parse(text_cstr(&text), NULL);
    ck_assert_uint_eq(r->count, 5);
    ck_assert_str_eq(value_of(r, 0, "text"), "'x'");
    ck_assert_str_eq(value_of(r, 1, "flag"), "False");
    ck_assert_str_eq(value_of(r, 1, "real"), "0.5");
    ck_assert_str_eq(r->name, _i == EXPORT_CACHE ? "scale" : spec->name);
    recorded_free(r);
    text_release(&text);
}
END_TEST

START_TEST(test_store_as_source)
{
    struct error e = ERROR_INIT;
    const struct recorded_options o = {.spec = spec};
    struct recorded *r = recorded_read("s.sqlite", &o, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    ck_assert_int_eq(r->format, RECORDED_STORE);
    check_recorded(r);
    recorded_free(r);
    r = recorded_read("s.sqlite", NULL, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    ck_assert_uint_eq(r->count, 5);
    ck_assert_str_eq(r->name, "scale");
    recorded_free(r);
}
END_TEST

// Several are refused with what there is, and one of them can be named.
START_TEST(test_several_in_a_store)
{
    struct error e = ERROR_INIT;
    struct device_info other = stored_device;
    struct recorded_options o = {.spec = spec};
    other.name = "Other 1";
    other.uuid = "4b2c0000-0000-0000-0000-000000000001";
    other.pci = "0000:65:00.0";
    stored_fill(store, spec, &other);
    ck_assert_ptr_null(recorded_read("s.sqlite", &o, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(e.text, "the store has 2 recorded spaces"));
    ck_assert_ptr_nonnull(strstr(e.text, "scale (WIDTH=256) on Other 1, Portable Computing"));
    error_clear(&e);
    const char *const names[] = {"GPU-4b2c0000-0000-0000-0000-000000000001", "00000000:65:00.0",
                                 "other"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        o.device = names[i];
        struct recorded *r = recorded_read("s.sqlite", &o, &e);
        ck_assert_msg(r != NULL, "%s: %s", names[i], e.text);
        ck_assert_str_eq(r->device, "Other 1");
        recorded_free(r);
    }
    o.constants = "WIDTH=1";
    ck_assert_ptr_null(recorded_read("s.sqlite", &o, &e));
    ck_assert_str_eq(e.text, "s.sqlite: the store has no results of scale with WIDTH=1 on other");
}
END_TEST

// Under another driver, or with another text of the kernel, they are not of the space.
START_TEST(test_newest_driver_counts)
{
    struct error e = ERROR_INIT;
    struct device_info newer = stored_device;
    const uint64_t samples[] = {50};
    newer.driver = "3.2";
    stored_begin(store, spec, &newer);
    stored_put(store, spec, &newer, (uint32_t[]){0, 0, 1, 0}, stored_correct(samples, 1));
    struct recorded *r = recorded_read("s.sqlite", NULL, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    ck_assert_uint_eq(r->count, 1);
    ck_assert_double_eq(r->rows[0].time_ns, 50);
    recorded_free(r);
}
END_TEST

// ---- T4 by its schema --------------------------------------------------------------------------

static bool is_version(const char *s)
{
    int parts = 0;
    return s && sscanf(s, "%*d.%*d.%*d%n", &parts) == 0 && parts == (int)strlen(s);
}

static void check_times(json_t *times)
{
    static const char *const numbers[] = {"compilation_time", "framework", "search_algorithm",
                                          "validation"};
    ck_assert(json_is_object(times));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_t *number = json_object_get(times, numbers[i]);
        ck_assert(!number || json_is_number(number));
    }
    ck_assert(json_is_array(json_object_get(times, "runtimes")));
}

static void check_result(json_t *result, double least_ms)
{
    json_t *m;
    size_t i;
    enum status status;
    const char *invalidity = json_string_value(json_object_get(result, "invalidity"));
    ck_assert(json_is_string(json_object_get(result, "timestamp")));
    ck_assert(json_is_object(json_object_get(result, "configuration")));
    ck_assert(json_is_array(json_object_get(result, "objectives")));
    check_times(json_object_get(result, "times"));
    ck_assert(invalidity && status_parse(invalidity, &status));
    ck_assert_int_eq(json_integer_value(json_object_get(result, "correctness")),
                     status == STATUS_CORRECT);
    double median = NAN, mean = NAN, minimum = NAN;
    json_array_foreach(json_object_get(result, "measurements"), i, m)
    {
        const char *name = json_string_value(json_object_get(m, "name"));
        double value = json_number_value(json_object_get(m, "value"));
        ck_assert(name && json_is_number(json_object_get(m, "value")));
        ck_assert(json_is_string(json_object_get(m, "unit")));
        median = str_equal(name, "time") ? value : median;
        mean = str_equal(name, "time_mean") ? value : mean;
        minimum = str_equal(name, "time_minimum") ? value : minimum;
        if (str_equal(name, "time"))
            ck_assert_str_eq(json_string_value(json_object_get(m, "statistic")), "median");
    }
    ck_assert(isnan(median) == (status != STATUS_CORRECT));
    if (fabs(median - least_ms) < 1e-12) {
        ck_assert_double_eq_tol(mean, 170e-6, 1e-12);
        ck_assert_double_eq_tol(minimum, 100e-6, 1e-12);
    }
}

START_TEST(test_t4_by_its_schema)
{
    struct text text = TEXT_INIT;
    json_error_t why;
    json_t *item;
    size_t i;
    write_as(EXPORT_T4, &text);
    json_t *all = json_loads(text_cstr(&text), JSON_REJECT_DUPLICATES, &why);
    ck_assert_msg(all != NULL, "%s", why.text);
    ck_assert(is_version(json_string_value(json_object_get(all, "schema_version"))));
    json_t *metadata = json_object_get(all, "metadata");
    json_t *hardware = json_object_get(metadata, "hardware");
    json_t *environment = json_object_get(metadata, "environment");
    ck_assert(json_is_array(json_object_get(hardware, "hardware_description")));
    ck_assert(json_is_object(json_object_get(environment, "device_query")));
    ck_assert(json_is_array(json_object_get(environment, "requirements")));
    ck_assert_str_eq(json_string_value(json_object_get(metadata, "timeunit")), "milliseconds");
    json_t *results = json_object_get(all, "results");
    ck_assert_uint_eq(json_array_size(results), 5);
    json_array_foreach(results, i, item) check_result(item, 110e-6);
    json_decref(all);
    text_release(&text);
}
END_TEST

// ---- cache -------------------------------------------------------------------------------------

START_TEST(test_cache_as_kernel_tuner_has_it)
{
    struct text text = TEXT_INIT;
    write_as(EXPORT_CACHE, &text);
    const char *cache = text_cstr(&text);
    ck_assert_ptr_nonnull(strstr(cache, "\"kernel_name\":\"scale\",\"problem_size\":[1024,64]"));
    ck_assert_ptr_nonnull(strstr(cache, "\"tune_params_keys\":[\"a\",\"text\",\"flag\",\"real\"]"));
    ck_assert_ptr_nonnull(strstr(cache, "\n\"16,x,True,0.5\":{\"a\":16,\"text\":\"x\","
                                        "\"flag\":true,\"real\":0.5,\"time\":0.00011,"));
    ck_assert_ptr_nonnull(
        strstr(cache, "\"time\":\"RuntimeFailedConfig\",\"invalidity\":\"timeout\""));
    ck_assert_ptr_nonnull(strstr(cache, "\"time\":\"CompilationFailedConfig\""));
    ck_assert_str_eq(cache + text.length - 4, "}\n}\n");
    text_release(&text);
}
END_TEST

// ---- for others --------------------------------------------------------------------------------

// Left for by_others.py.
START_TEST(test_write_for_others)
{
    static const char *const names[] = {[EXPORT_T4] = "t4.json", [EXPORT_CACHE] = "cache.json"};
    struct text text = TEXT_INIT;
    text_clear(&text);
    write_as((enum export_format)_i, &text);
    char path[512];
    snprintf(path, sizeof path, EXPORTED_FOLDER "/%s", names[_i]);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text_cstr(&text), f), 0);
    ck_assert_int_eq(fclose(f), 0);
    text_release(&text);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, test_there_and_back, 0, EXPORT_FORMAT_COUNT);
    tcase_add_loop_test(tests, test_spec_has_changed, 0, EXPORT_FORMAT_COUNT);
    tcase_add_test(tests, test_part_of_a_space);
    tcase_add_test(tests, test_store_as_source);
    tcase_add_test(tests, test_several_in_a_store);
    tcase_add_test(tests, test_newest_driver_counts);
    tcase_add_test(tests, test_t4_by_its_schema);
    tcase_add_test(tests, test_cache_as_kernel_tuner_has_it);
    tcase_add_loop_test(tests, test_write_for_others, EXPORT_T4, EXPORT_CACHE + 1);
}

int main(void)
{
    return suite_run("export", add);
}
