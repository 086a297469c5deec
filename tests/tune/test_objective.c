// Objectives: reading them, which of them is the time under another name, and who is better.
#include "../problem/fixture.h"
#include "search/objective.h"

#include <check.h>
#include <math.h>
#include <string.h>

static const char spec_text[] =
    "{\"Constants\": {\"N\": 64},"
    " \"Metrics\": [{\"Name\": \"GFLOP/s\", \"Expression\": \"2 * N**3 / time_ns\"},"
    "               {\"Name\": \"ms\", \"Expression\": \"time_ms\"},"
    "               {\"Name\": \"padded\", \"Expression\": \"(N + bx) / time_ns\"},"
    "               {\"Name\": \"twice\", \"Expression\": \"both / time_ns\"},"
    "               {\"Name\": \"capped\", \"Expression\": \"min(N / time_ns, 1)\"},"
    "               {\"Name\": \"energy\", \"Expression\": \"joule\"},"
    "               {\"Name\": \"gone\", \"Expression\": \"1 / (bx - bx)\"},"
    "               {\"Name\": \"a,b\", \"Expression\": \"bx\"},"
    "               {\"Name\": \"Rate\", \"Expression\": \"1 / time_s\"},"
    "               {\"Name\": \"rate\", \"Expression\": \"1 / time_ms\"}],"
    " \"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"bx\", \"Type\": \"int\","
    "    \"Values\": \"[1, 2, 4]\"}], \"Derived\": [{\"Name\": \"both\", \"Expression\": "
    "\"2*bx\"}]},"
    " \"KernelSpecification\": {\"KernelName\": \"k\", \"KernelFile\": \"k.cl\","
    "    \"GlobalSize\": {\"X\": \"64\"}}}";

static struct fixture f;

static void setup(void)
{
    fixture_start(&f);
    fixture_load(&f, spec_text);
}

static void teardown(void)
{
    fixture_end(&f);
}

static struct objectives goal_of(const char *text)
{
    struct objectives g;
    struct error e = ERROR_INIT;
    ck_assert_msg(objective_parse(text, f.spec, &g, &e), "%s: %s", text, e.text);
    return g;
}

// ---- reading -----------------------------------------------------------------------------------

START_TEST(reads_what_it_writes)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {NULL, "time"},
        {"time", "time"},
        {"min:time", "time"},
        {" MAX : time ", "max:time"},
        {"max:gflop/s", "max:GFLOP/s"},
        {"max:GFLOP/s,time", "max:GFLOP/s, time"},
        {"min:a,b", "min:a,b"},
        {"min:a,b,time", "min:a,b, time"},
        {"time, min:energy , max:rate", "time, min:energy, max:rate"},
        {"max:Rate,max:rate", "max:Rate, max:rate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct objectives g = goal_of(cases[i].text), again;
        struct text out = TEXT_INIT;
        struct error e = ERROR_INIT;
        objective_text(&g, &out);
        ck_assert_str_eq(text_cstr(&out), cases[i].shown);
        ck_assert(objective_parse(text_cstr(&out), f.spec, &again, &e));
        ck_assert(again.count == g.count &&
                  again.terms[g.count - 1].metric == g.terms[g.count - 1].metric);
        text_release(&out);
    }
}
END_TEST

START_TEST(refuses)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "an objective is time, min:NAME or max:NAME of a metric"},
        {"time,", "an objective is time, min:NAME or max:NAME of a metric"},
        {"max:", "an objective is time, min:NAME or max:NAME of a metric"},
        {"GFLOP/s", "'GFLOP/s': is more of it better, or less? Give max:GFLOP/s or min:GFLOP/s"},
        {"max:GFLOPS", "no metric 'GFLOPS'; did you mean 'GFLOP/s'?"},
        {"tine", "no metric 'tine'; did you mean 'time'?"},
        {"min:registers", "no metric 'registers'; there are: time, GFLOP/s, ms, padded, twice, "
                          "capped, energy, gone, a,b, Rate, rate"},
        {"least:energy", "no metric 'least:energy'; there are: time, GFLOP/s, ms, padded, twice, "
                         "capped, energy, gone, a,b, Rate, rate"},
        {"time,max:time", "'time' is an objective twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct objectives g = {.count = 7};
        struct error e = ERROR_INIT;
        ck_assert_msg(!objective_parse(cases[i].text, f.spec, &g, &e), "%s", cases[i].text);
        ck_assert_str_eq(e.text, cases[i].why);
        ck_assert_int_eq(e.code, ERROR_USAGE);
        ck_assert_uint_eq(g.count, 7);
    }
}
END_TEST

START_TEST(knows_the_time_under_another_name)
{
    static const struct {
        const char *text;
        bool is_time;
    } cases[] = {{"time", true},         {"max:time", false},   {"max:GFLOP/s", true},
                 {"min:GFLOP/s", false}, {"min:ms", true},      {"max:padded", false},
                 {"max:twice", false},   {"max:capped", false}, {"min:energy", false},
                 {"min:gone", false},    {"min:a,b", false},    {"time,max:GFLOP/s", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct objectives g = goal_of(cases[i].text);
        ck_assert_msg(objective_is_time(&g, f.spec, NULL) == cases[i].is_time, "%s", cases[i].text);
    }
    struct objectives g = goal_of("time,min:energy");
    ck_assert(objective_uses_energy(&g, f.spec));
    g = goal_of("max:GFLOP/s");
    ck_assert(!objective_uses_energy(&g, f.spec));
}
END_TEST

// ---- values ------------------------------------------------------------------------------------

START_TEST(values_are_known_or_not)
{
    const uint32_t choice[] = {2}; // bx = 4
    struct spec_measured m = {100, NAN, NULL};
    double v[OBJECTIVES_MOST];
    struct objectives g = goal_of("time,max:padded");
    ck_assert(objective_values(&g, f.spec, choice, NULL, &m, v));
    ck_assert(v[0] == 100 && v[1] == 0.68);
    g = goal_of("min:energy");
    ck_assert(!objective_values(&g, f.spec, choice, NULL, &m, v));
    m.joule = 2;
    ck_assert(objective_values(&g, f.spec, choice, NULL, &m, v) && v[0] == 2);
    g = goal_of("time,min:gone");
    ck_assert(!objective_values(&g, f.spec, choice, NULL, &m, v));
}
END_TEST

START_TEST(one_objective_is_its_value)
{
    struct objectives g = goal_of("min:energy");
    ck_assert(objective_value(&g, (double[]){3}, NULL) == 3);
    g = goal_of("max:energy");
    ck_assert(objective_value(&g, (double[]){3}, NULL) == -3);
}
END_TEST

START_TEST(costs_are_multiples_of_the_reference)
{
    const struct objective less = {.maximise = false}, more = {.maximise = true};
    ck_assert(objective_cost(&less, 5, 10) == 0.5 && objective_cost(&less, 10, 10) == 1);
    ck_assert(objective_cost(&more, 20, 10) == 0.5 && objective_cost(&more, 5, 10) == 2);
    // Of any sign, and monotone throughout.
    static const double values[] = {-1e9, -3, -1, 0, 1e-9, 1e-6, 1e-5, 0.1, 1, 3, 1e9},
                        references[] = {-2, 0, 1, 1000};
    for (size_t r = 0; r < 4; r++) {
        for (size_t i = 1; i < sizeof values / sizeof *values; i++) {
            ck_assert(objective_cost(&less, values[i - 1], references[r]) <
                      objective_cost(&less, values[i], references[r]));
            ck_assert_msg(objective_cost(&more, values[i - 1], references[r]) >
                              objective_cost(&more, values[i], references[r]),
                          "%g before %g at %g", values[i - 1], values[i], references[r]);
        }
    }
}
END_TEST

// What is dominated is worse, under any weights; and between two that are not, weights decide.
START_TEST(several_become_one_number)
{
    struct objectives g = goal_of("time,max:GFLOP/s,min:energy");
    const double at[] = {10, 5, 2};
    const double a[] = {10, 5, 2}, b[] = {10, 5, 2.5}, c[] = {20, 5, 1};
    ck_assert(objective_dominates(&g, a, b) && !objective_dominates(&g, b, a));
    ck_assert(!objective_dominates(&g, a, c) && !objective_dominates(&g, c, a) &&
              !objective_dominates(&g, a, a));
    ck_assert(objective_value(&g, a, at) < objective_value(&g, b, at));
    const double weights[][3] = {{1, 0.1, 0.1}, {0.1, 0.1, 1}};
    for (int i = 0; i < 2; i++)
        ck_assert(objective_weighted(&g, a, at, weights[i]) <
                  objective_weighted(&g, b, at, weights[i]));
    ck_assert(objective_weighted(&g, a, at, weights[0]) <
              objective_weighted(&g, c, at, weights[0]));
    ck_assert(objective_weighted(&g, a, at, weights[1]) >
              objective_weighted(&g, c, at, weights[1]));
}
END_TEST

START_TEST(pareto_set)
{
    struct objectives g = goal_of("time,max:GFLOP/s");
    const double rows[] = {5,   5,                      /* dominated by the next but one */
                           1,   1,   4,  6, 9, 9, 9, 8, /* as slow, and less */
                           4,   6,                      /* equal ones stay */
                           0.5, 0.5, 10, 9};
    const bool expected[] = {false, true, true, true, false, true, true, false};
    bool member[8];
    objective_pareto(&g, rows, 8, member);
    for (int i = 0; i < 8; i++)
        ck_assert_msg(member[i] == expected[i], "row %d", i);
    objective_pareto(&g, rows, 0, member);
}
END_TEST

// Two objectives go another way than three: the third, which is equal everywhere, changes nothing.
START_TEST(two_are_as_three_of_which_one_is_equal)
{
    enum { MOST = 60 };
    struct objectives two = goal_of("time,max:GFLOP/s"), three = two;
    three.terms[three.count++] = two.terms[0];
    uint32_t state = 1;
    for (int round = 0; round < 500; round++) {
        double rows[2 * MOST], wide[3 * MOST];
        bool quick[MOST], plain[MOST];
        size_t count = (size_t)round % MOST;
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < 2; k++) {
                state = state * 1664525 + 1013904223;
                wide[3 * i + k] = rows[2 * i + k] = state >> 28; // ties often
            }
            wide[3 * i + 2] = 1;
        }
        objective_pareto(&two, rows, count, quick);
        objective_pareto(&three, wide, count, plain);
        for (size_t i = 0; i < count; i++)
            ck_assert_msg(quick[i] == plain[i], "round %d, row %zu", round, i);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("objective");
    TCase *t = tcase_create("objective");
    suite_add_tcase(suite, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, reads_what_it_writes);
    tcase_add_test(t, refuses);
    tcase_add_test(t, knows_the_time_under_another_name);
    tcase_add_test(t, values_are_known_or_not);
    tcase_add_test(t, one_objective_is_its_value);
    tcase_add_test(t, costs_are_multiples_of_the_reference);
    tcase_add_test(t, several_become_one_number);
    tcase_add_test(t, pareto_set);
    tcase_add_test(t, two_are_as_three_of_which_one_is_equal);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
