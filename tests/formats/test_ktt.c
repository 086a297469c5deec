// Results of KTT, in each of the forms that it writes, and what is wrong with some of them.
#include "../base/suite.h"
#include "make.h"

#include <math.h>
#include <string.h>

#define JSON_HEAD(unit)                                                                            \
    "{\"Metadata\": {\"ComputeApi\": \"CUDA\", \"Device\": \"RTX 2080\", \"TimeUnit\": \"" unit    \
    "\"}, \"Results\": ["
#define PAIR(name, value) "{\"Name\": \"" name "\", \"Value\": " value ", \"ValueType\": \"Int\"}"
#define COUNTERS(value)                                                                            \
    "\"ProfilingData\": {\"Counters\": [{\"Name\": \"dram.sum\", \"Type\": \"Double\", "           \
    "\"Value\": " value "}], \"RemainingProfilingRuns\": 0}"
#define JSON(block, text, status, more)                                                                         \
    "{\"ComputationResults\": [{\"Duration\": 2.5, \"GlobalSize\": {\"X\": 8}, " COUNTERS(                      \
        "7.5") ", \"PowerUsage\": 40}, {\"Duration\": 1.25, " COUNTERS("9") "}], "                              \
                                                                            "\"Configuration\": "               \
                                                                            "[" PAIR("BLOCK", block) ", " PAIR( \
                                                                                "KIND",                         \
                                                                                text) "], "                     \
                                                                                      "\"KernelNa"              \
                                                                                      "me\": "                  \
                                                                                      "\"sum\", "               \
                                                                                      "\"Status\""              \
                                                                                      ": "                      \
                                                                                      "\"" status               \
                                                                                      "\", "                    \
                                                                                      "\"Compilat"              \
                                                                                      "ionOverhea"              \
                                                                                      "d\": 100, "              \
                                                                                      "\"DataMove"              \
                                                                                      "mentOverhe"              \
                                                                                      "ad\": 3, "               \
                                                                                      "\"Profilin"              \
                                                                                      "gOverhead"               \
                                                                                      "\": 4, "                 \
                                                                                      "\"Validati"              \
                                                                                      "onOverhead"              \
                                                                                      "\": 5, "                 \
                                                                                      "\"Searcher"              \
                                                                                      "Overhead\""              \
                                                                                      ": 6" more                \
                                                                                      "}"

static void expect_first_row(const struct recorded *r, double time_ns)
{
    ck_assert_int_eq(r->format, RECORDED_KTT);
    ck_assert_str_eq(r->name, "sum");
    ck_assert_str_eq(value_of(r, 0, "BLOCK"), "32");
    ck_assert_str_eq(value_of(r, 0, "KIND"), "'a<b'");
    ck_assert_int_eq(r->rows[0].status, STATUS_CORRECT);
    ck_assert_double_eq_tol(r->rows[0].time_ns, time_ns, 1e-9);
    ck_assert_uint_eq(r->measurement_count, 2);
    for (uint32_t i = 0; i < r->measurement_count; i++) // those of the first kernel
        ck_assert_double_eq(r->rows[0].measurements[i],
                            strcmp(r->measurements[i], "dram.sum") == 0 ? 7.5 : 40);
}

START_TEST(test_ktt_json)
{
    struct recorded *r =
        parse(JSON_HEAD("Microseconds")
                  JSON("32", "\"a<b\"", "Ok", ", \"TotalDuration\": 4.25") ",\n" JSON(
                      "64", "\"c\"", "CompilationFailed", "") "]}",
              NULL);
    const struct recorded_costs *c = &r->rows[0].costs;
    expect_first_row(r, 4250);
    ck_assert_str_eq(r->device, "RTX 2080");
    ck_assert_double_eq(c->compile_ns, 100e3);
    ck_assert_double_eq(c->framework_ns, 7e3);
    ck_assert_double_eq(c->verify_ns, 5e3);
    ck_assert_double_eq(c->search_ns, 6e3);
    ck_assert_double_eq(c->run_ns, 4250);
    ck_assert_int_eq(r->rows[1].status, STATUS_COMPILE);
    ck_assert_str_eq(r->rows[1].message, "CompilationFailed");
    recorded_free(r);
    // Without the total: that of the kernels and of the host's code.
    r = parse(JSON_HEAD("Nanoseconds") JSON("32", "1", "Ok", ", \"ExtraDuration\": 0.5") "]}",
              NULL);
    ck_assert_double_eq(r->rows[0].time_ns, 4.25);
    recorded_free(r);
}
END_TEST

START_TEST(test_ktt_statuses)
{
    static const struct {
        const char *file;
        enum status status;
    } cases[] = {
        {JSON_HEAD("ms") JSON("1", "1", "ComputationFailed", "") "]}", STATUS_RUNTIME},
        {JSON_HEAD("ms") JSON("1", "1", "DeviceLimitsExceeded", "") "]}", STATUS_CONSTRAINTS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recorded *r = parse(cases[i].file, NULL);
        ck_assert_int_eq(r->rows[0].status, cases[i].status);
        recorded_free(r);
    }
}
END_TEST

#define CSV_HEAD "Kernel name,Computation duration (us),Global size,Local size,BLOCK,UNROLL,"

START_TEST(test_ktt_csv)
{
    static const char file[] = CSV_HEAD "dram.sum,Maximum work-group size,Registers count\n"
                                        "sum,96.5,1024,32,32,1,7.5,1024,12\n"
                                        "sum,48.25,1024,64,64,1,8.5,1024,16\n";
    struct recorded *r = parse(file, NULL);
    ck_assert_int_eq(r->format, RECORDED_KTT);
    ck_assert_uint_eq(r->parameter_count, 2);
    ck_assert_str_eq(value_of(r, 1, "BLOCK"), "64");
    ck_assert_double_eq(r->rows[1].time_ns, 48250);
    ck_assert_uint_eq(r->measurement_count, 3);
    recorded_free(r);
    // Counters of old cards are called like macros: the spec says which are parameters.
    struct spec *s = spec_of("{\"ConfigurationSpace\": {\"TuningParameters\": ["
                             "{\"Name\": \"BLOCK\", \"Type\": \"int\", \"Values\": \"[32, 64]\"},"
                             "{\"Name\": \"UNROLL\", \"Type\": \"int\", \"Values\": \"[1, 2]\"}]},"
                             "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": "
                             "\"sum\", \"KernelFile\": \"sum.cl\", \"ProblemSize\": [64]}}");
    const struct recorded_options o = {.spec = s};
    r = parse(CSV_HEAD "inst_executed\nsum,96.5,1024,32,32,1,7.5\n", &o);
    ck_assert_uint_eq(r->parameter_count, 2);
    ck_assert_uint_eq(r->measurement_count, 1);
    recorded_free(r);
    spec_free(s);
}
END_TEST

// KTT 1 prints failures behind the others if it is told to, and its first releases had another name for the time.
START_TEST(test_ktt_csv_of_old)
{
    static const char file[] =
        "Kernel name,Kernel duration (ms),Global size,Local size,BLOCK,UNROLL\n"
        "sum,96.5,1024,32,32,1\n"
        "\n"
        "Kernel name,Error message,Global size,Local size,BLOCK,UNROLL\n"
        "sum,Internal OpenCL error: CL_OUT_OF_RESOURCES,1024,64,64,1\n"
        "sum,,1024,64,64,2\n";
    struct recorded *r = parse(file, NULL);
    ck_assert_uint_eq(r->count, 3);
    ck_assert_uint_eq(r->correct, 1);
    ck_assert_double_eq(r->rows[0].time_ns, 96.5e6);
    ck_assert_int_eq(r->rows[1].status, STATUS_RUNTIME);
    ck_assert_str_eq(r->rows[1].message, "Internal OpenCL error: CL_OUT_OF_RESOURCES");
    ck_assert_str_eq(r->rows[2].message, "runtime");
    ck_assert_str_eq(value_of(r, 2, "UNROLL"), "2");
    recorded_free(r);
}
END_TEST

START_TEST(test_ktt_refusals)
{
    static const struct {
        const char *file, *message;
    } cases[] = {
        {JSON_HEAD("Fortnights") "]}", "TimeUnit: 'Fortnights' is not a unit of time"},
        {JSON_HEAD("ms") JSON("1", "1", "Fine", "") "]}", "Status: 'Fine' is none of Ok"},
        {JSON_HEAD("ms") "{\"Status\": \"Ok\"}]}", "it has no 'Configuration'"},
        {JSON_HEAD("ms") "{\"Configuration\": [{\"Name\": \"A\"}]}]}", "'A' has no Value"},
        {JSON_HEAD("ms") JSON("1", "1", "Ok", ""), "cut off"},
        {"<TuningData></TuningData>", "no recorded results"},
        {"Kernel name,Kernel duration (us),Global size,Local size,A\nsum,Error message,1,1,2\n",
         "'Error message' is not a number"},
        {"Kernel name,Computation duration (fortnights),Global size,Local size,A\n",
         "Computation duration (us)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = refusal(cases[i].file, NULL);
        ck_assert_msg(strstr(why, cases[i].message) != NULL, "%zu: %s", i, why);
    }
}
END_TEST

// Files of KTT's own converter: a unit at the measurement alone is the unit of the single runs, too.
START_TEST(test_ktt_converted)
{
    struct recorded *r = parse("{\"schema_version\": \"1.0.0\", \"results\": [{\"configuration\": "
                               "{\"A\": 1}, \"times\": {\"compilation_time\": 10, \"runtimes\": "
                               "[3.5]}, \"invalidity\": \"correct\", \"measurements\": [{\"name\": "
                               "\"TotalDuration\", \"value\": 3.5, \"unit\": \"Microseconds\"}]}]}",
                               NULL);
    ck_assert_double_eq(r->rows[0].time_ns, 3500);
    ck_assert_double_eq(r->rows[0].costs.compile_ns, 10e3);
    recorded_free(r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, test_ktt_json);
    tcase_add_test(tests, test_ktt_statuses);
    tcase_add_test(tests, test_ktt_csv);
    tcase_add_test(tests, test_ktt_csv_of_old);
    tcase_add_test(tests, test_ktt_refusals);
    tcase_add_test(tests, test_ktt_converted);
}

int main(void)
{
    return suite_run("ktt", add);
}
