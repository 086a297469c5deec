// What others recorded, in every dialect that is found, and what is wrong with some of it.
#include "../base/suite.h"
#include "make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define T4_HEAD        "{\"metadata\": {\"timeunit\": \"miliseconds\"}, \"results\": ["
#define T4_TAIL        "], \"schema_version\": \"1.0.0\"}"
#define T4(a, b, more) "{\"configuration\": {\"a\": " a ", \"b\": " b "}, \"times\": {}" more "}"
#define TIME(value)                                                                                \
    ", \"measurements\": [{\"name\": \"time\", \"value\": " value ", \"unit\": \"\"}]"
#define CORRECT ", \"invalidity\": \"correct\", \"correctness\": 1"

#define CACHE_HEAD                                                                                 \
    "{\n\"device_name\": \"A100\",\n\"kernel_name\": \"conv\",\n\"problem_size\": [4096, 4096],\n" \
    "\"tune_params_keys\": [\"x\", \"y\"],\n\"tune_params\": {\"x\": [32, 16], \"y\": [1, 2]},\n"  \
    "\"objective\": \"time\",\n\"cache\": {"
#define ENTRY_1                                                                                    \
    "\n\"32,1\": {\"x\": 32, \"y\": 1, \"time\": 2.0, \"times\": [1.0, 3.0], \"compile_time\": "   \
    "100.0, \"verification_time\": 1, \"benchmark_time\": 8.5, \"GFLOP/s\": 4.5, "                 \
    "\"strategy_time\": 0.5, \"framework_time\": 0.25, \"timestamp\": \"2023\"}"
#define ENTRY_2                                                                                    \
    "\n\"16,2\": {\"x\": 16, \"y\": 2, \"time\": \"RuntimeFailedConfig\", \"compile_time\": 50.0}"

// ---- T4 ----------------------------------------------------------------------------------------

START_TEST(test_t4_of_the_hub)
{
    struct recorded *r = parse(
        T4_HEAD "{\"timestamp\": \"2023-12-22\", \"configuration\": {\"a\": 32, \"b\": 1},"
                " \"times\": {\"compilation\": 2, \"framework\": 3, \"search_algorithm\": 0,"
                " \"validation\": 4, \"runtimes\": [1, 2, 6]},"
                " \"invalidity\": \"correct\", \"correctness\": 1, \"objectives\": [\"time\"],"
                " \"measurements\": [{\"name\": \"time\", \"value\": 3, \"unit\": \"\"},"
                " {\"name\": \"GFLOP/s\", \"value\": 12.5, \"unit\": \"\"}]},\n"
                "{\"configuration\": {\"a\": 16, \"b\": 1}, \"times\": {\"compilation\": 7},"
                " \"invalidity\": \"runtime\", \"correctness\": 0,"
                " \"measurements\": [{\"name\": \"time\", \"value\": \"RuntimeFailedConfig\","
                " \"unit\": \"\"}]}" T4_TAIL,
        NULL);
    ck_assert_int_eq(r->format, RECORDED_T4);
    ck_assert_uint_eq(r->count, 2);
    ck_assert_uint_eq(r->correct, 1);
    ck_assert_str_eq(r->statistic, "mean");
    ck_assert_double_eq(r->rows[0].time_ns, 3e6);
    ck_assert_double_eq(r->rows[0].costs.compile_ns, 2e6);
    ck_assert_double_eq_tol(r->rows[0].costs.run_ns, 9e6, 1e-6);
    ck_assert_double_eq(r->rows[0].costs.verify_ns, 4e6);
    ck_assert_double_eq(r->rows[0].costs.framework_ns, 3e6);
    ck_assert_double_eq(r->rows[0].costs.search_ns, 0);
    ck_assert_uint_eq(r->measurement_count, 1);
    ck_assert_str_eq(r->measurements[0], "GFLOP/s");
    ck_assert_double_eq(r->rows[0].measurements[0], 12.5);
    ck_assert_int_eq(r->rows[1].status, STATUS_RUNTIME);
    ck_assert_str_eq(r->rows[1].message, "RuntimeFailedConfig");
    ck_assert(isnan(r->rows[1].time_ns) && isnan(r->rows[1].measurements[0]));
    ck_assert(isnan(r->rows[1].costs.run_ns));
    // Ascending, whatever comes first in the file.
    ck_assert_uint_eq(r->parameters[0].count, 2);
    ck_assert_int_eq(r->parameters[0].values[0].i, 16);
    ck_assert_str_eq(value_of(r, 0, "a"), "32");
    ck_assert_str_eq(value_of(r, 1, "a"), "16");
    ck_assert_int_eq(r->parameters[0].type, PARAMETER_INT);
    recorded_free(r);
}
END_TEST

// The schema's own names; the unit behind the results; keys of a result in another order.
START_TEST(test_t4_of_the_schema)
{
    struct recorded *r =
        parse("{\"results\": [{\"measurements\": [{\"unit\": \"us\", \"value\": 5, \"name\": "
              "\"time\"}], \"invalidity\": \"correct\", \"correctness\": 1.0, \"times\": "
              "{\"compilation_time\": 0.5, \"benchmark\": 0.25, \"runtimes\": []}, "
              "\"configuration\": {\"a\": \"x,y\", \"b\": true, \"c\": 0.5}}], "
              "\"metadata\": {\"timeunit\": \"seconds\", \"device\": \"H200\", \"name\": \"k\", "
              "\"statistic\": \"median\", \"more\": [1, {\"a\": null}]}}",
              NULL);
    ck_assert_double_eq(r->rows[0].time_ns, 5e3);
    ck_assert_double_eq(r->rows[0].costs.compile_ns, 5e8);
    ck_assert_double_eq(r->rows[0].costs.run_ns, 2.5e8);
    ck_assert_str_eq(r->device, "H200");
    ck_assert_str_eq(r->name, "k");
    ck_assert_str_eq(r->statistic, "median");
    ck_assert_int_eq(r->parameters[0].type, PARAMETER_STRING);
    ck_assert_int_eq(r->parameters[1].type, PARAMETER_BOOL);
    ck_assert_int_eq(r->parameters[2].type, PARAMETER_FLOAT);
    recorded_free(r);
}
END_TEST

START_TEST(test_units)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"miliseconds", 1e6},  {"milliseconds", 1e6},
                 {"Milliseconds", 1e6}, {"ms", 1e6},
                 {"seconds", 1e9},      {"s", 1e9},
                 {"microseconds", 1e3}, {"us", 1e3},
                 {"nanoseconds", 1},    {"ns", 1},
                 {"minutes", 60e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"metadata\": {\"timeunit\": \"%s\"}, \"results\": [%s]}",
                 units[i].unit, T4("1", "2", CORRECT TIME("2")));
        struct recorded *r = parse(text, NULL);
        ck_assert_double_eq(r->rows[0].time_ns, 2 * units[i].ns);
        recorded_free(r);
    }
    ck_assert_ptr_nonnull(strstr(refusal("{\"metadata\": {\"timeunit\": \"fortnights\"}}", NULL),
                                 "metadata.timeunit: 'fortnights' is not a unit"));
}
END_TEST

// A time under another name stands in where the file has none called so, and has a unit of time.
START_TEST(test_time_of_another_name)
{
    static const struct {
        const char *keys;
        double ns; // 0: none
    } files[] = {
        {"\"measurements\": [{\"name\": \"GFLOP/s\", \"value\": 9, \"unit\": \"GFLOP/s\"}, "
         "{\"name\": "
         "\"kernel_time\", \"unit\": \"us\", \"value\": 7}, {\"name\": \"all\", \"unit\": \"ms\", "
         "\"value\": 8}]",
         7e3},
        {"\"measurements\": [{\"name\": \"kernel_time\", \"unit\": \"us\", \"value\": 7}, "
         "{\"name\": \"time\", "
         "\"unit\": \"us\", \"value\": 5}]",
         5e3},
        {"\"times\": {\"runtimes\": [3]}, \"measurements\": [{\"name\": \"kernel_time\", \"unit\": "
         "\"us\", "
         "\"value\": 7}]",
         3e6},
        {"\"measurements\": [{\"name\": \"kernel_time\", \"value\": 7}]", 0},
        {"\"measurements\": [{\"name\": \"energy\", \"unit\": \"J\", \"value\": 7}]", 0},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "{\"results\": [{\"configuration\": {\"a\": 1}, \"invalidity\": \"correct\", %s}]}",
            files[i].keys);
        struct recorded *r = parse(text, NULL);
        ck_assert_int_eq(r->rows[0].status, STATUS_CORRECT);
        ck_assert(r->is_untimed == (files[i].ns == 0));
        if (files[i].ns > 0)
            ck_assert_double_eq(r->rows[0].time_ns, files[i].ns);
        recorded_free(r);
    }
}
END_TEST

START_TEST(test_statuses)
{
    static const struct {
        const char *more;
        enum status status;
    } cases[] = {
        {CORRECT TIME("1"), STATUS_CORRECT},
        {", \"invalidity\": \"timeout\", \"correctness\": 0", STATUS_TIMEOUT},
        {", \"invalidity\": \"correctness\", \"correctness\": 0" TIME("1"), STATUS_CORRECTNESS},
        {", \"invalidity\": \"constraints\", \"correctness\": 1", STATUS_CONSTRAINTS},
        {", \"invalidity\": \"correct\", \"correctness\": 0" TIME("1"), STATUS_CORRECTNESS},
        {", \"correctness\": 0, \"invalidity\": \"compile\"" TIME("1"), STATUS_COMPILE},
        {CORRECT TIME("\"CompilationFailedConfig\""), STATUS_COMPILE},
        {CORRECT TIME("\"InvalidConfig\""), STATUS_CONSTRAINTS},
        // A time that is missing is no time.
        {CORRECT TIME("NaN"), STATUS_RUNTIME},
        {CORRECT TIME("Infinity"), STATUS_RUNTIME},
        {CORRECT TIME("-Infinity"), STATUS_RUNTIME},
        {CORRECT TIME("null"), STATUS_RUNTIME},
        {CORRECT TIME("0"), STATUS_RUNTIME},
        {CORRECT TIME("-1"), STATUS_RUNTIME},
        {CORRECT TIME("1e999"), STATUS_RUNTIME},
        // More nanoseconds than a result has room for.
        {CORRECT TIME("1e20"), STATUS_RUNTIME},
        {CORRECT TIME("1e13"), STATUS_RUNTIME},
        {CORRECT TIME("1e12"), STATUS_CORRECT},
        {CORRECT, STATUS_RUNTIME},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 T4_HEAD "{\"configuration\": {\"a\": 1}, \"times\": {}%s}" T4_TAIL, cases[i].more);
        struct recorded *r = parse(text, NULL);
        ck_assert_msg(r->rows[0].status == cases[i].status, "%s: %s", cases[i].more,
                      status_text(r->rows[0].status));
        ck_assert(isnan(r->rows[0].time_ns) == (cases[i].status != STATUS_CORRECT));
        ck_assert((r->rows[0].message[0] == 0) == (cases[i].status == STATUS_CORRECT));
        recorded_free(r);
    }
}
END_TEST

// A time that is none says what it is and where, of every format; one that is not there says that.
START_TEST(test_unusable_times)
{
#define T4_ONE(more)                                                                               \
    T4_HEAD T4("1", "2", CORRECT TIME("3")) ",\n" T4("1", "4", CORRECT more) T4_TAIL
#define UNUSABLE(text) "the recorded time is not a usable time: " text
    static const struct {
        const char *file, *message, *warning; // of the second row
    } cases[] = {
        {"a,status,time_ns\n1,correct,3\n2,correct,-5\n", UNUSABLE("-5"), "line 3: -5"},
        {"a,status,time_ns\n1,correct,3\n2,correct,0\n", UNUSABLE("0"), "line 3: 0"},
        {"a,status,time_ns\n1,correct,3\n2,correct,nan\n", UNUSABLE("nan"), "line 3: nan"},
        {"a,status,time_ns\n1,correct,3\n2,correct,inf\n", UNUSABLE("inf"), "line 3: inf"},
        {"a,status,time_ns\n1,correct,3\n2,correct,1e300\n", UNUSABLE("1e300"), "line 3: 1e300"},
        {"a,status,time_ns\n1,correct,3\n2,correct,\n", "recorded without a time", NULL},
        {T4_ONE(TIME("-1")), UNUSABLE("-1"), "line 2: results[1]: -1"},
        {T4_ONE(TIME("NaN")), UNUSABLE("NaN"), "line 2: results[1]: NaN"},
        {T4_ONE(TIME("-Infinity")), UNUSABLE("-Infinity"), "results[1]: -Infinity"},
        {T4_ONE(TIME("1e999")), UNUSABLE("1e999"), "results[1]: 1e999"},
        // More nanoseconds than a result has room for.
        {T4_ONE(TIME("1e13")), UNUSABLE("1e13"), "results[1]: 1e13"},
        {T4_ONE(TIME("null")), "recorded without a time", NULL},
        {T4_ONE(""), "recorded without a time", NULL},
        {T4_ONE(", \"times\": {\"runtimes\": [-2, 0]}"), UNUSABLE("-2"), "results[1]: -2"},
        {CACHE_HEAD ENTRY_1 ",\n\"16,1\": {\"x\": 16, \"y\": 1, \"time\": 1e20}}}",
         UNUSABLE("1e20"), "line 10: cache[\"16,1\"]: 1e20"},
        {CACHE_HEAD ENTRY_1 ",\n\"16,1\": {\"x\": 16, \"y\": 1, \"time\": NaN}}}", UNUSABLE("NaN"),
         "cache[\"16,1\"]: NaN"},
        {CACHE_HEAD ENTRY_1 ",\n\"16,1\": {\"x\": 16, \"y\": 1}}}", "recorded without a time",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct notes notes;
        struct log log = notes_log(&notes);
        const struct recorded_options o = {.log = &log};
        struct recorded *r = parse(cases[i].file, &o);
        ck_assert_uint_eq(r->correct, 1);
        ck_assert_int_eq(r->rows[1].status, STATUS_RUNTIME);
        ck_assert_str_eq(r->rows[1].message, cases[i].message);
        bool is_told = strstr(notes.text, "1 recorded time is unusable and counts") != NULL;
        ck_assert_msg(is_told == (cases[i].warning != NULL), "%s", notes.text);
        ck_assert_msg(!is_told || strstr(notes.text, cases[i].warning), "%s", notes.text);
        recorded_free(r);
    }
}
END_TEST

// A search for something else need not time anything: any measurement makes a result correct then, unless others of the
// file were timed.
START_TEST(test_without_any_time)
{
    struct notes notes;
    struct log log = notes_log(&notes);
    const struct recorded_options o = {.log = &log};
    struct recorded *r =
        parse(CACHE_HEAD "\n\"32,1\": {\"x\": 32, \"y\": 1, \"score\": 2.5},\n"
                         "\"32,2\": {\"x\": 32, \"y\": 2, \"score\": \"InvalidConfig\"},\n"
                         "\"16,2\": {\"x\": 16, \"y\": 2}}}",
              &o);
    ck_assert(r->is_untimed);
    ck_assert_uint_eq(r->correct, 1);
    ck_assert(isnan(r->rows[0].time_ns));
    ck_assert_double_eq(r->rows[0].measurements[0], 2.5);
    ck_assert_int_eq(r->rows[1].status, STATUS_CONSTRAINTS);
    ck_assert_int_eq(r->rows[2].status, STATUS_RUNTIME);
    ck_assert_ptr_nonnull(strstr(notes.text, "no times are recorded"));
    ck_assert_ptr_nonnull(strstr(notes.text, "score"));
    recorded_free(r);
    r = parse(CACHE_HEAD ENTRY_1 ",\n\"32,2\": {\"x\": 32, \"y\": 2, \"GFLOP/s\": 2.5}}}", NULL);
    ck_assert(!r->is_untimed);
    ck_assert_uint_eq(r->correct, 1);
    recorded_free(r);
}
END_TEST

// Costs that are none are not known.
START_TEST(test_costs)
{
    struct recorded *r = parse(T4_HEAD "{\"configuration\": {\"a\": 1}, \"times\": "
                                       "{\"compilation\": -1, \"benchmark\": 1e305, "
                                       "\"validation\": 0, \"framework\": 1e13, "
                                       "\"search_algorithm\": 1e999}" CORRECT TIME("1") "}" T4_TAIL,
                               NULL);
    const struct recorded_costs *c = &r->rows[0].costs;
    ck_assert(isnan(c->compile_ns) && isnan(c->run_ns) && isnan(c->framework_ns));
    ck_assert(isnan(c->search_ns));
    ck_assert_double_eq(c->verify_ns, 0);
    recorded_free(r);
}
END_TEST

// What the time is: said, or told by the single runs.
START_TEST(test_statistics)
{
    static const struct {
        const char *time, *statistic;
    } cases[] = {{"3", "mean"}, {"2", "median"}, {"1", "minimum"}, {"2.5", "mean"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 T4_HEAD "{\"configuration\": {\"a\": 1}, \"times\": {\"runtimes\": [6, 1, 2]}, "
                         "\"measurements\": [{\"name\": \"time\", \"value\": %s}]}" T4_TAIL,
                 cases[i].time);
        struct recorded *r = parse(text, NULL);
        ck_assert_str_eq(r->statistic, cases[i].statistic);
        recorded_free(r);
    }
    // What another measurement is says nothing of the time.
    struct recorded *r = parse(T4_HEAD "{\"configuration\": {\"a\": 1}, \"measurements\": "
                                       "[{\"name\": \"energy\", \"value\": 1, \"statistic\": "
                                       "\"minimum\"}, {\"name\": \"time\", \"value\": 1, "
                                       "\"statistic\": \"median\"}]}" T4_TAIL,
                               NULL);
    ck_assert_str_eq(r->statistic, "median");
    recorded_free(r);
    // Without a time the runs are all there is.
    r = parse(T4_HEAD "{\"configuration\": {\"a\": 1}, \"times\": {\"runtimes\": "
                      "[6, 1, NaN, 2]}}" T4_TAIL,
              NULL);
    ck_assert_str_eq(r->statistic, "median");
    ck_assert_double_eq(r->rows[0].time_ns, 2e6);
    recorded_free(r);
}
END_TEST

START_TEST(test_duplicates)
{
    struct notes notes;
    struct log log = notes_log(&notes);
    const struct recorded_options o = {.log = &log};
    struct recorded *r =
        parse(T4_HEAD T4("1", "2", CORRECT TIME("5")) "," T4("1", "3", CORRECT TIME("6")) "," T4(
                  "1.0", "2", CORRECT TIME("7")) T4_TAIL,
              &o);
    ck_assert_uint_eq(r->count, 2);
    ck_assert_uint_eq(r->duplicates, 1);
    ck_assert_double_eq(r->rows[0].time_ns, 7e6);
    ck_assert_double_eq(r->rows[1].time_ns, 6e6);
    ck_assert_ptr_nonnull(strstr(notes.text, "t.json: 1 result repeats a configuration that came "
                                             "before, at line 1: results[2]; the last result of a "
                                             "configuration counts"));
    recorded_free(r);
}
END_TEST

// Whatever the rows say: what was measured again counts, better or worse, with all that it has.
START_TEST(test_the_last_result_counts)
{
    struct notes notes;
    struct log log = notes_log(&notes);
    const struct recorded_options o = {.log = &log};
    struct recorded *r = parse("a,status,time_ns,message,energy\n1,correct,7,,2\n2,runtime,,lost,\n"
                               "1,correct,5,,\n2,correct,9,,4\n3,correct,1,,\n3,timeout,,slow,\n",
                               &o);
    ck_assert_uint_eq(r->count, 3);
    ck_assert_uint_eq(r->correct, 2);
    ck_assert_uint_eq(r->duplicates, 3);
    ck_assert_str_eq(value_of(r, 0, "a"), "1");
    ck_assert_double_eq(r->rows[0].time_ns, 5);
    ck_assert(isnan(r->rows[0].measurements[0]));
    ck_assert_str_eq(value_of(r, 1, "a"), "2");
    ck_assert_double_eq(r->rows[1].time_ns, 9);
    ck_assert_double_eq(r->rows[1].measurements[0], 4);
    ck_assert_int_eq(r->rows[2].status, STATUS_TIMEOUT);
    ck_assert_str_eq(r->rows[2].message, "slow");
    ck_assert_ptr_nonnull(strstr(notes.text,
                                 "3 results repeat a configuration that came before, the "
                                 "first at line 4; the last result of a"));
    recorded_free(r);
}
END_TEST

// ---- cache files -------------------------------------------------------------------------------

static void check_cache(const char *ending, uint64_t count, uint64_t torn)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", CACHE_HEAD ENTRY_1, ending);
    struct recorded *r = parse(text, NULL);
    ck_assert_int_eq(r->format, RECORDED_CACHE);
    ck_assert_msg(r->count == count && r->torn == torn, "%s: %d, %d torn", ending, (int)r->count,
                  (int)r->torn);
    ck_assert_str_eq(r->device, "A100");
    ck_assert_str_eq(r->name, "conv");
    ck_assert_double_eq(r->rows[0].time_ns, 2e6);
    recorded_free(r);
}

START_TEST(test_cache)
{
    struct recorded *r = parse(CACHE_HEAD ENTRY_1 "," ENTRY_2 "}\n}", NULL);
    ck_assert_str_eq(r->statistic, "mean");
    ck_assert_int_eq(r->parameters[0].values[0].i, 32); // as the file lists them
    ck_assert_double_eq(r->rows[0].costs.compile_ns, 100e6);
    ck_assert_double_eq(r->rows[0].costs.verify_ns, 1e6);
    ck_assert_double_eq(r->rows[0].costs.run_ns, 8.5e6);
    ck_assert_double_eq(r->rows[0].costs.search_ns, 0.5e6);
    ck_assert_double_eq(r->rows[0].costs.framework_ns, 0.25e6);
    ck_assert_uint_eq(r->measurement_count, 1);
    ck_assert_double_eq(r->rows[0].measurements[0], 4.5);
    ck_assert_int_eq(r->rows[1].status, STATUS_RUNTIME);
    ck_assert_double_eq(r->rows[1].costs.compile_ns, 50e6);
    recorded_free(r);
}
END_TEST

// Written line by line: it may end anywhere.
START_TEST(test_cache_open_and_torn)
{
    check_cache("}\n}", 1, 0);
    check_cache("}\n", 1, 0);
    check_cache("", 1, 0);
    check_cache(",", 1, 0);
    check_cache(",\n", 1, 0);
    check_cache("," ENTRY_2 ",", 2, 0);
    check_cache(",\n\"16", 1, 1);
    check_cache(",\n\"16,2\"", 1, 1);
    check_cache(",\n\"16,2\": ", 1, 1);
    check_cache(",\n\"16,2\": {\"x\": 16, \"y\": 2, \"time\": 1.0", 1, 1);
    check_cache(",\n\"16,2\": {\"x\": 16, \"y\": 2, \"time\": \"Runtime", 1, 1);
    ck_assert_ptr_nonnull(strstr(refusal(CACHE_HEAD, NULL), "it has no results"));
    ck_assert_ptr_nonnull(strstr(refusal(CACHE_HEAD "\n\"16,2\": {\"x\"", NULL), "no results"));
}
END_TEST

// Wherever it is cut, it is read up to there or says that it is cut off.
START_TEST(test_cache_cut_everywhere)
{
    static const char whole[] = CACHE_HEAD ENTRY_1 "," ENTRY_2 "}\n}";
    for (size_t length = 1; length < sizeof whole; length++) {
        struct error e = ERROR_INIT;
        char *part = strndup(whole, length);
        struct recorded *r = recorded_parse("t.json", part, length, NULL, &e);
        ck_assert((r != NULL) == (e.code == ERROR_NONE));
        ck_assert(!r || r->count + r->torn >= 1);
        recorded_free(r);
        free(part);
    }
}
END_TEST

// Values in the key alone; results before the parameters; older words for failures.
START_TEST(test_cache_dialects)
{
    struct recorded *r =
        parse("{\"cache\": {\"1,True,a,b\": {\"time\": 1.5}, \"2,False,c\": {\"time\": 1e+20}},"
              " \"device_name\": \"d\", \"kernel_name\": \"k\", \"tune_params\": {\"z\": [\"a,b\", "
              "\"c\"],"
              " \"x\": [1, 2], \"y\": [true, false]}, \"tune_params_keys\": [\"x\", \"y\", \"z\"]}",
              NULL);
    ck_assert_uint_eq(r->count, 2);
    ck_assert_str_eq(value_of(r, 0, "z"), "'a,b'");
    ck_assert_str_eq(value_of(r, 1, "y"), "False");
    ck_assert_int_eq(r->rows[1].status, STATUS_RUNTIME);
    recorded_free(r);
    r = parse(CACHE_HEAD "\"32,1\": {\"x\": 32, \"y\": 1, \"time\": NaN, \"__error__\": "
                         "\"InvalidConfig\"}}}",
              NULL);
    ck_assert_int_eq(r->rows[0].status, STATUS_CONSTRAINTS);
    recorded_free(r);
    ck_assert_ptr_nonnull(
        strstr(refusal("{\"cache\": {\"1\": {\"time\": 1}}}", NULL), "without 'tune_params'"));
}
END_TEST

// ---- CSV ---------------------------------------------------------------------------------------

START_TEST(test_csv)
{
    struct recorded *r =
        parse("a,text,status,time_ns,statistic,compile_ns,message,device,GFLOP/s\r\n"
              "16,\"x, \"\"y\"\"\",correct,1500.5,median,2e6,,H200,7\r\n"
              "8,z,compile,,median,1e6,\"no such\nfunction\",H200,\n",
              NULL);
    ck_assert_int_eq(r->format, RECORDED_CSV);
    ck_assert_uint_eq(r->count, 2);
    ck_assert_str_eq(r->statistic, "median");
    ck_assert_str_eq(r->device, "H200");
    ck_assert_double_eq(r->rows[0].time_ns, 1500.5);
    ck_assert_double_eq(r->rows[0].costs.compile_ns, 2e6);
    ck_assert_str_eq(value_of(r, 0, "text"), "'x, \"y\"'");
    ck_assert_int_eq(r->rows[1].status, STATUS_COMPILE);
    ck_assert_str_eq(r->rows[1].message, "no such\nfunction");
    ck_assert_double_eq(r->rows[0].measurements[0], 7);
    ck_assert(isnan(r->rows[1].measurements[0]));
    recorded_free(r);
}
END_TEST

// ---- against a spec ----------------------------------------------------------------------------

static const char spec_text[] =
    "{\"General\": {\"BenchmarkName\": \"s\"}, \"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"[3, 2]\"},"
    "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[1, 7]\"},"
    "{\"Name\": \"one\", \"Type\": \"int\", \"Values\": \"[5]\"}]},"
    "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"k\", \"KernelFile\": "
    "\"k.cl\", \"ProblemSize\": [16]}}";

START_TEST(test_spec_gives_the_indices)
{
    struct spec *s = spec_of(spec_text);
    const struct recorded_options o = {.spec = s};
    struct recorded *r = parse(T4_HEAD T4("7", "2", CORRECT TIME("5")) T4_TAIL, &o);
    ck_assert_ptr_eq(r->parameters, s->parameters);
    ck_assert_uint_eq(r->rows[0].choice[0], 1);
    ck_assert_uint_eq(r->rows[0].choice[1], 1);
    ck_assert_uint_eq(r->rows[0].choice[2], 0); // not said, but there is one value only
    recorded_free(r);

    ck_assert_ptr_nonnull(
        strstr(refusal(T4_HEAD T4("9", "2", CORRECT TIME("5")) T4_TAIL, &o),
               "results[0]: it is of another space: a = 9 is not among the values in"));
    ck_assert_ptr_nonnull(
        strstr(refusal(T4_HEAD "{\"configuration\": {\"a\": 1, \"c\": 1}}" T4_TAIL, &o),
               "has no parameter 'c'; it has b, a, one"));
    ck_assert_ptr_nonnull(strstr(refusal(T4_HEAD "{\"configuration\": {\"a\": 1}}" T4_TAIL, &o),
                                 "another space: parameter 'b' has no value"));
    ck_assert_ptr_nonnull(
        strstr(refusal("{\"tune_params_keys\": [\"a\"], \"tune_params\": {\"a\": [1, 2]}}", &o),
               "tune_params: it is of another space: a = 2 is not among"));
    spec_free(s);
}
END_TEST

// ---- refusals ----------------------------------------------------------------------------------

static const struct {
    const char *text, *says;
} refusals[] = {
    {"", "t.json: the file is empty"},
    {" \n\n", "the file is empty"},
    {"{}", "none of 'results' (T4), 'cache'"},
    {"[1, 2]", "line 1: the document: expected an object with 'results'"},
    {"\x7f"
     "ELF",
     "no columns 'status' and 'time_ns'"},
    {"\x01\x02", "no recorded results: it is not a T4 file"},
    {"a,b\n1,2\n", "no columns 'status' and 'time_ns'"},
    {"a,status,time_ns\n", "it has no results"},
    {"a,status,time_ns\n1,correct\n", "line 2: 2 fields; the first line names 3"},
    {"a,status,time_ns\n1,fine,2\n", "line 2: status: 'fine' is none of"},
    {"a,status,time_ns\n1,correct,x\n", "line 2: time_ns: 'x' is not a number"},
    {"a,status,time_ns\n\"1,correct,x\n", "line 2: the file is cut off"},
    {"a,status,time_ns,device\n1,correct,1,x\n2,correct,1,y\n", "line 3: device: 'y', and 'x'"},
    {"a,status,time_ns,statistic\n1,correct,1,mean\n2,correct,1,median\n", "among times that"},
    {T4_HEAD, "the file is cut off"},
    {T4_HEAD T4("1", "2", CORRECT), "the file is cut off"},
    {T4_HEAD T4_TAIL, "it has no results"},
    {T4_HEAD T4("1", "2", "") " " T4_TAIL " x", "something follows the document"},
    {T4_HEAD "\n\n{\"times\": {}}" T4_TAIL, "line 3: results[0]: it has no 'configuration'"},
    {T4_HEAD "{\"configuration\": {}}" T4_TAIL, "results[0]: it names no parameters"},
    {T4_HEAD "{\"configuration\": {\"a\": NaN}}" T4_TAIL, "the value of 'a' is NaN"},
    {T4_HEAD "{\"configuration\": {\"a\": 1e999}}" T4_TAIL,
     "the value of 'a' is a number that is too large; a parameter has"},
    {T4_HEAD "{\"configuration\": {\"a\": [1]}}" T4_TAIL, "the value of 'a' is a list"},
    {T4_HEAD "{\"configuration\": {\"a\": 1, \"a\": 2}}" T4_TAIL, "'a' has two values"},
    {T4_HEAD "{\"configuration\": {\"a\": 1}, \"measurements\": [{\"name\": \"time\", "
             "\"value\": 1, \"unit\": \"cycles\"}]}" T4_TAIL,
     "results[0]: the unit of the time: 'cycles' is none that is known"},
    {T4_HEAD "{\"configuration\": [1]}" T4_TAIL, "expected the configuration as an object"},
    {T4_HEAD "7" T4_TAIL, "expected an object for each result, found a number"},
    {"{\"results\": 7}", "results: expected a list, found a number"},
    {T4_HEAD T4("1", "2", ", \"invalidity\": \"odd\"") T4_TAIL, "invalidity: 'odd' is none of"},
    {T4_HEAD T4("1", "2", "") ",{\"configuration\": {\"a\": 1}}" T4_TAIL,
     "results[1]: 'b' has no value"},
    {T4_HEAD T4("1", "2", "") ",{\"configuration\": {\"a\": 1, \"b\": 2, \"c\": 3}}" T4_TAIL,
     "results[1]: a parameter 'c' that was not there before; there are a, b"},
    {"{\"a\": 01}", "line 1: not JSON: unknown word '01'"},
    {"{\"a\": tru}", "unknown word 'tru'"},
    {"{\"a\": 1 \"b\": 2}", "a comma or the end"},
    {"{\"a\" 1}", "a ':' after a key"},
    {"{\"a\": 1]", "a ']' closes an object"},
    {"{a: 1}", "a key in quotes"},
    {"{\"a\": 1, }", "a key in quotes"},
    {"{\"a\": \"\\q\"}", "an unknown escape"},
    {"{\"a\": \"\\u12g4\"}", "\\u without four digits"},
    {"{\"a\": \"x\ny\"}", "a line break"},
    {CACHE_HEAD "\"1,1\": {\"x\": 1, \"y\": 1, \"time\": 1}}}",
     "cache[\"1,1\"]: x = 1 is not among the values that the file lists: [32, 16]"},
    {CACHE_HEAD "\"32,1\": {\"x\": 32, \"time\": 1}}}", "'y' has no value"},
    {CACHE_HEAD "\"32\": {\"time\": 1}}}", "is not among the values"},
    {CACHE_HEAD ENTRY_1 ", oops", "a key in quotes"},
};

START_TEST(test_refusals)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const char *said = refusal(refusals[i].text, NULL);
        ck_assert_msg(strstr(said, refusals[i].says), "for %s\nit says %s\nand not %s",
                      refusals[i].text, said, refusals[i].says);
        ck_assert_msg(strncmp(said, "t.json: ", 8) == 0, "%s", said);
    }
}
END_TEST

START_TEST(test_too_deep)
{
    char text[300] = "{\"a\": ";
    memset(text + strlen(text), '[', 100);
    ck_assert_ptr_nonnull(strstr(refusal(text, NULL), "more than 64 levels"));
}
END_TEST

START_TEST(test_texts)
{
    struct recorded *r = parse(
        "\xef\xbb\xbf{\"results\": [{\"configuration\": {\"\\u0061\": \"\\u00e9\\ud83d\\ude00\\n"
        "\\ud800x\\u0000\"}, \"times\": {\"runtimes\": [1]}}]}",
        NULL);
    ck_assert_str_eq(r->parameters[0].name, "a");
    ck_assert_str_eq(r->parameters[0].values[0].s,
                     "\xc3\xa9\xf0\x9f\x98\x80\n\xef\xbf\xbdx\xef\xbf\xbd");
    recorded_free(r);
}
END_TEST

// ---- files -------------------------------------------------------------------------------------

static void put_file(const char *path, const void *data, size_t length)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, length, f), length);
    fclose(f);
}

static size_t pack(const char *text, unsigned char *out, size_t size)
{
    z_stream z = {0};
    ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (uInt)strlen(text);
    z.next_out = out;
    z.avail_out = (uInt)size;
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t length = size - z.avail_out;
    deflateEnd(&z);
    return length;
}

START_TEST(test_gzip)
{
    unsigned char packed[4096];
    char path[] = "/tmp/hone-exchange-XXXXXX";
    struct error e = ERROR_INIT;
    close(mkstemp(path));
    size_t length = pack(CACHE_HEAD ENTRY_1 ",", packed, sizeof packed);
    size_t whole = length + pack(ENTRY_2 "}}", packed + length, sizeof packed - length);
    put_file(path, packed, whole); // two members
    struct recorded *r = recorded_read(path, NULL, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    ck_assert_uint_eq(r->count, 2);
    recorded_free(r);
    for (size_t cut = 2; cut < whole; cut++) {
        error_clear(&e);
        r = recorded_parse("t.gz", packed, cut, NULL, &e);
        // Up to the end of the first member it is a cache file that was left open.
        ck_assert_msg((r != NULL) == (cut == length), "cut at %zu of %zu: %s", cut, whole, e.text);
        ck_assert(r || strstr(e.text, "t.gz: not a whole gzip file: it ends early"));
        recorded_free(r);
    }
    packed[length / 2] ^= 0x55;
    ck_assert_ptr_null(recorded_parse("t.gz", packed, length, NULL, &e));
    unlink(path);
}
END_TEST

// What has to be read twice is refused from a pipe, and says why.
START_TEST(test_pipe)
{
    static const char *const texts[] = {
        "{\"tune_params_keys\": [\"x\"], \"tune_params\": {\"x\": [1]}, \"cache\": "
        "{\"1\": {\"time\": 2}}}",
        "{\"cache\": {\"1\": {\"time\": 2}}, \"tune_params\": {\"x\": [1]}, "
        "\"tune_params_keys\": [\"x\"]}"};
    for (size_t i = 0; i < 2; i++) {
        char path[32];
        int ends[2];
        struct error e = ERROR_INIT;
        ck_assert_int_eq(pipe(ends), 0);
        ck_assert_int_eq(write(ends[1], texts[i], strlen(texts[i])), (ssize_t)strlen(texts[i]));
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        struct recorded *r = recorded_read(path, NULL, &e);
        ck_assert_msg((r != NULL) == (i == 0), "%s", e.text);
        ck_assert(r || strstr(e.text, "has to be read twice, which a pipe cannot"));
        recorded_free(r);
        close(ends[0]);
    }
}
END_TEST

START_TEST(test_no_file)
{
    struct error e = ERROR_INIT;
    ck_assert_ptr_null(recorded_read("/no/such/file.json", NULL, &e));
    ck_assert_int_eq(e.code, ERROR_IO);
    ck_assert_str_eq(e.text, "/no/such/file.json: No such file or directory");
    error_clear(&e);
    ck_assert_ptr_null(recorded_read("/tmp", NULL, &e));
    ck_assert_str_eq(e.text, "/tmp: is a folder");
    char folder[] = "/tmp/hone-fifo-XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/fifo", folder);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    error_clear(&e);
    ck_assert_ptr_null(recorded_read(path, NULL, &e));
    ck_assert_msg(strstr(e.text, "/fifo: a pipe without a writer"), "%s", e.text);
    unlink(path);
    rmdir(folder);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, test_t4_of_the_hub);
    tcase_add_test(tests, test_t4_of_the_schema);
    tcase_add_test(tests, test_units);
    tcase_add_test(tests, test_time_of_another_name);
    tcase_add_test(tests, test_statuses);
    tcase_add_test(tests, test_without_any_time);
    tcase_add_test(tests, test_costs);
    tcase_add_test(tests, test_statistics);
    tcase_add_test(tests, test_unusable_times);
    tcase_add_test(tests, test_duplicates);
    tcase_add_test(tests, test_the_last_result_counts);
    tcase_add_test(tests, test_cache);
    tcase_add_test(tests, test_cache_open_and_torn);
    tcase_add_test(tests, test_cache_cut_everywhere);
    tcase_add_test(tests, test_cache_dialects);
    tcase_add_test(tests, test_csv);
    tcase_add_test(tests, test_spec_gives_the_indices);
    tcase_add_test(tests, test_refusals);
    tcase_add_test(tests, test_too_deep);
    tcase_add_test(tests, test_texts);
    tcase_add_test(tests, test_gzip);
    tcase_add_test(tests, test_pipe);
    tcase_add_test(tests, test_no_file);
}

int main(void)
{
    return suite_run("recorded", add);
}
