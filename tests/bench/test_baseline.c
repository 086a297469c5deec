// Baselines of `hone bench`: written and read back, what is refused, where times may be compared.
#include "workflows/benchmark/baseline.h"

#include "base/text.h"

#include "../base/suite.h"

#include <string.h>

static struct arena arena;
static struct error e;

static void setup(void)
{
    arena_init(&arena);
    error_clear(&e);
}

static void teardown(void)
{
    arena_release(&arena);
}

static const uint64_t samples[] = {1000, 1200, 1100};
static const char *const set[] = {"N=256", "NAME=a\"b"};
static const struct baseline_pass passes[] = {
    {.samples_ns = samples, .count = 3, .mhz = 1980, .celsius = 45, .milliwatts = 398000},
    {.samples_ns = samples, .count = 2}};
static const struct baseline_row rows[] = {{.set = set,
                                            .set_count = 2,
                                            .constants = "N=256, NAME='a\"b'",
                                            .configuration = "block=16, x=2",
                                            .source = "abc",
                                            .passes = passes,
                                            .pass_count = 2},
                                           {.set = set,
                                            .set_count = 0,
                                            .constants = "",
                                            .configuration = "block=32",
                                            .source = "",
                                            .passes = passes,
                                            .pass_count = 1}};
static const struct device_info device = {.language = LANGUAGE_CUDA,
                                          .name = "NVIDIA H200",
                                          .platform = "CUDA",
                                          .driver = "580.1",
                                          .compiler = "NVRTC 13",
                                          .surroundings = ""};
static const struct baseline whole = {.hone_version = "0.2.0",
                                      .date = "2026-11-23T12:00:00Z",
                                      .spec = "matmul",
                                      .device = {.language = LANGUAGE_CUDA,
                                                 .name = "NVIDIA H200",
                                                 .platform = "CUDA",
                                                 .driver = "580.1",
                                                 .compiler = "NVRTC 13",
                                                 .surroundings = ""},
                                      .rows = rows,
                                      .row_count = 2};

static bool parse(const char *text, struct baseline *out)
{
    error_clear(&e);
    return baseline_parse("b.json", text, strlen(text), &arena, out, &e);
}

START_TEST(read_as_it_was_written)
{
    struct text text = TEXT_INIT, again = TEXT_INIT;
    struct baseline b;
    baseline_write(&whole, &text);
    ck_assert_msg(parse(text_cstr(&text), &b), "%s", e.text);
    ck_assert_uint_eq(b.row_count, 2);
    ck_assert_str_eq(b.rows[0].set[1], "NAME=a\"b");
    ck_assert_str_eq(b.rows[0].configuration, "block=16, x=2");
    ck_assert_uint_eq(b.rows[0].passes[0].mhz, 1980);
    ck_assert_uint_eq(b.rows[0].passes[1].count, 2);
    baseline_write(&b, &again);
    ck_assert_str_eq(text_cstr(&text), text_cstr(&again));
    text_release(&text);
    text_release(&again);
}
END_TEST

// `old` replaced by `new` in a good file is refused with these words.
static void refuse(const char *old, const char *new, const char *words)
{
    struct text text = TEXT_INIT, wrong = TEXT_INIT;
    struct baseline b;
    baseline_write(&whole, &text);
    const char *at = strstr(text_cstr(&text), old);
    ck_assert_msg(at != NULL, "no %s", old);
    text_addn(&wrong, text_cstr(&text), (size_t)(at - text_cstr(&text)));
    text_add(&wrong, new);
    text_add(&wrong, at + strlen(old));
    ck_assert_msg(!parse(text_cstr(&wrong), &b), "%s is taken", new);
    ck_assert_int_eq(e.code, ERROR_INPUT);
    ck_assert_msg(strstr(e.text, words) != NULL, "no '%s' in: %s", words, e.text);
    ck_assert_msg(str_starts(e.text, "b.json: "), "%s", e.text);
    text_release(&text);
    text_release(&wrong);
}

START_TEST(what_is_wrong_is_named)
{
    struct baseline b;
    refuse("\"hone_baseline\":1", "\"hone_baseline\":2", "version 2");
    refuse("\"hone_baseline\":1,", "", "no baseline");
    refuse("\"driver\":\"580.1\"", "\"driver\":5", "device.driver");
    refuse("\"language\":\"cuda\"", "\"language\":\"metal\"", "metal");
    refuse("1200", "0", "rows[0].passes[0].samples_ns[1]");
    refuse("[1000,1200,1100]", "[]", "rows[0].passes[0].samples_ns");
    refuse("[1000,1200,1100]", "[1.5]", "rows[0].passes[0].samples_ns[0]");
    refuse("\"N=256\"", "\"N\"", "rows[0].set[0]");
    refuse("\"configuration\":\"block=32\"", "\"other\":\"block=32\"", "rows[1].configuration");
    refuse("\"set\":[]", "\"set\":{}", "rows[1].set");
    refuse("\"constants\":\"\",\"configuration\":\"block=32\"",
           "\"constants\":\"N=256, NAME='a\\\"b'\",\"configuration\":\"block=16, x=2\"",
           "rows[1]: the same as rows[0]");
    ck_assert(!parse("{", &b));
    ck_assert_msg(strstr(e.text, "b.json:1:1: not valid JSON") != NULL, "%s", e.text);
    ck_assert(!parse("[]", &b));
    ck_assert(!parse("", &b));
}
END_TEST

START_TEST(other_devices_and_drivers)
{
    struct text why = TEXT_INIT;
    struct device_info other = device;
    ck_assert_int_eq(baseline_fits(&whole, &device, &why), BASELINE_FITS);
    ck_assert_uint_eq(why.length, 0);
    other.driver = "590.0";
    ck_assert_int_eq(baseline_fits(&whole, &other, &why), BASELINE_OTHER_DRIVER);
    ck_assert_str_eq(text_cstr(&why), "driver 580.1, here 590.0");
    text_clear(&why);
    other = device;
    other.surroundings = "cores=2";
    ck_assert_int_eq(baseline_fits(&whole, &other, &why), BASELINE_OTHER_DRIVER);
    ck_assert_str_eq(text_cstr(&why), "surroundings (none), here cores=2");
    text_clear(&why);
    other = device;
    other.name = "NVIDIA A100";
    other.driver = "590.0";
    ck_assert_int_eq(baseline_fits(&whole, &other, &why), BASELINE_OTHER_DEVICE);
    ck_assert_str_eq(text_cstr(&why), "device NVIDIA H200, here NVIDIA A100");
    text_clear(&why);
    other = device;
    other.language = LANGUAGE_OPENCL;
    ck_assert_int_eq(baseline_fits(&whole, &other, &why), BASELINE_OTHER_DEVICE);
    text_release(&why);
}
END_TEST

START_TEST(lists_of_configurations)
{
    static const char best[] = "{\"type\": \"result\", \"configuration\": {\"block\": 16, "
                               "\"name\": \"x\", \"on\": true, \"f\": 0.5},"
                               " \"constants\": {\"N\": 256, \"S\": \"a b\"}}";
    static const char table[] =
        "{\"devices\": [{\"points\": [{\"constants\": {\"N\": 1}, \"configuration\": \"b=1\"},"
        " {\"constants\": {\"N\": 2}, \"configuration\": {\"b\": 2}}]}]}";
    static const char wrong[] = "{\"configuration\": {\"b\": [1]}, \"constants\": {}}";
    struct baseline b;
    ck_assert_msg(baseline_parse_list("l.json", best, strlen(best), "D", &arena, &b, &e), "%s",
                  e.text);
    ck_assert_uint_eq(b.row_count, 1);
    ck_assert_str_eq(b.rows[0].configuration, "block=16, name=x, on=true, f=0.5");
    ck_assert_uint_eq(b.rows[0].set_count, 2);
    ck_assert_str_eq(b.rows[0].set[0], "N=256");
    ck_assert_str_eq(b.rows[0].set[1], "S=a b");
    ck_assert_msg(baseline_parse_list("l.json", table, strlen(table), "D", &arena, &b, &e), "%s",
                  e.text);
    ck_assert_uint_eq(b.row_count, 2);
    ck_assert_str_eq(b.rows[1].set[0], "N=2");
    ck_assert_str_eq(b.rows[1].configuration, "b=2");
    ck_assert(!baseline_parse_list("l.json", wrong, strlen(wrong), "D", &arena, &b, &e));
    error_clear(&e);
    ck_assert(!baseline_parse_list("l.json", "{\"a\": 1}", 8, "D", &arena, &b, &e));
    ck_assert_msg(strstr(e.text, "constants and a configuration") != NULL, "%s", e.text);
}
END_TEST

START_TEST(dispatch_tables)
{
    static const char table[] =
        "{\"columns\": [\"M\", \"N\"], \"configurations\": [{\"configuration\": \"b=1\"}, "
        "{\"configuration\": \"b=2\"}],"
        " \"devices\": [{\"name\": \"C\", \"points\": []}, {\"name\": \"D\", \"points\":"
        " [{\"shape\": [64, 32], \"configuration\": 1}, {\"shape\": [8, 8], \"configuration\": "
        "0}]}]}";
    struct baseline b;
    ck_assert_msg(baseline_parse_list("l.json", table, strlen(table), "D", &arena, &b, &e), "%s",
                  e.text);
    ck_assert_uint_eq(b.row_count, 2);
    ck_assert_str_eq(b.rows[0].set[0], "M=64");
    ck_assert_str_eq(b.rows[0].set[1], "N=32");
    ck_assert_str_eq(b.rows[0].configuration, "b=2");
    ck_assert_str_eq(b.rows[1].configuration, "b=1");
    ck_assert(!baseline_parse_list("l.json", table, strlen(table), "E", &arena, &b, &e));
    ck_assert_msg(strstr(e.text, "no points of E, but of: C, D") != NULL, "%s", e.text);
    error_clear(&e);
    struct text wrong = TEXT_INIT;
    text_add(&wrong, table);
    memcpy(strstr(wrong.data, "[8, 8]"), "[8   ]", 6);
    ck_assert(!baseline_parse_list("l.json", wrong.data, wrong.length, "D", &arena, &b, &e));
    ck_assert_msg(strstr(e.text, "points[1].shape") != NULL, "%s", e.text);
    text_release(&wrong);
}
END_TEST

// Passes without a moment are of one; a new one is added behind, and of too many the oldest leaves.
START_TEST(moments_and_state)
{
    size_t count;
    const struct regression_moment *moments = baseline_moments(&rows[0], &arena, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(moments[0].count, 2);
    ck_assert_uint_eq(moments[0].ns[0], 1000); // the least
    struct baseline_row row = rows[0];
    for (int i = 0; i < 2 * BASELINE_MOMENTS_MOST; i++) {
        char *name = arena_printf(&arena, "moment %d", i);
        struct baseline_pass now[2] = {passes[0], passes[1]};
        now[0].moment = now[1].moment = name;
        struct baseline_row more = {.passes = now, .pass_count = 2};
        ck_assert(baseline_add_moment(&row, &arena, &more));
        row = more;
        baseline_moments(&row, &arena, &count);
        ck_assert_uint_eq(count, i + 2 < BASELINE_MOMENTS_MOST ? i + 2 : BASELINE_MOMENTS_MOST);
        ck_assert_uint_eq(row.pass_count, 2 * count);
    }
    struct baseline_state state = baseline_state_of(passes, 2);
    ck_assert_uint_eq(state.mhz, 1980);
    ck_assert_uint_eq(state.celsius, 45);
    state = baseline_state_of(passes + 1, 1);
    ck_assert_uint_eq(state.mhz, 0);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, read_as_it_was_written);
    tcase_add_test(tests, what_is_wrong_is_named);
    tcase_add_test(tests, other_devices_and_drivers);
    tcase_add_test(tests, lists_of_configurations);
    tcase_add_test(tests, dispatch_tables);
    tcase_add_test(tests, moments_and_state);
}

int main(void)
{
    return suite_run("baseline", add);
}
