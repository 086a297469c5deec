// Budgets as the command line writes them.
#include "search/search.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    struct budget expected;
} good[] = {
    {"60s", {0, 60000000000, 0, false}},
    {"60s+", {0, 60000000000, 0, true}},
    {"1.5m", {0, 90000000000, 0, false}},
    {"200ms", {0, 200000000, 0, false}},
    {"2h", {0, 7200000000000, 0, false}},
    {"200", {200, 0, 0, false}},
    {"10%", {0, 0, 0.1, false}},
    {"100%", {0, 0, 1, false}},
    {"0.5%", {0, 0, 0.005, false}},
    {"60s,200", {200, 60000000000, 0, false}},
    {"10%, 60s , 7", {7, 60000000000, 0.1, false}},
};

START_TEST(good_budgets)
{
    struct budget b;
    struct error e = ERROR_INIT;
    ck_assert_msg(budget_parse(good[_i].text, &b, &e), "%s", e.text);
    ck_assert_uint_eq(b.configurations, good[_i].expected.configurations);
    ck_assert_uint_eq(b.nanoseconds, good[_i].expected.nanoseconds);
    ck_assert_int_eq(b.ranks_on_top, good[_i].expected.ranks_on_top);
    ck_assert_double_eq_tol(b.fraction, good[_i].expected.fraction, 1e-15);
}
END_TEST

static const char *const bad[] = {
    "",
    "0",
    "-5",
    "1.5",
    "0%",
    "101%",
    "-1%",
    "ten%",
    "%",
    "60x",
    "fast",
    "0s",
    "60s,",
    ",60",
    "60s,2m",
    "200+",
    "+",
    "5,6",
    "1%,2%",
    "nan%",
    "inf",
    "1e300s",
    "99999999999999999999",
};

START_TEST(bad_budgets)
{
    struct budget b = {1, 2, 3, false};
    struct error e = ERROR_INIT;
    ck_assert_msg(!budget_parse(bad[_i], &b, &e), "'%s' is not a budget", bad[_i]);
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert_msg(
        strstr(e.text, "give a time (60s, 1.5m, 2h; 60s+ without the ranking), a number") != NULL,
        "%s", e.text);
    ck_assert_msg(strstr(e.text, "10%)") != NULL, "%s", e.text);
    ck_assert_uint_eq(b.configurations, 1);
}
END_TEST

START_TEST(configurations_allowed)
{
    static const struct {
        struct budget budget;
        uint64_t valid, expected;
    } cases[] = {
        {{0, 0, 0, false}, 44, 44},     {{10, 0, 0, false}, 44, 10},  {{100, 0, 0, false}, 44, 44},
        {{0, 0, 0.1, false}, 44, 5},    {{0, 0, 0.1, false}, 50, 5},  {{0, 0, 1, false}, 44, 44},
        {{3, 0, 0.1, false}, 44, 3},    {{30, 0, 0.1, false}, 44, 5}, {{0, 1000, 0, false}, 44, 44},
        {{0, 0, 0.0001, false}, 44, 1}, {{0, 0, 0.5, false}, 0, 1},   {{0, 0, 0.3, false}, 10, 3},
        {{0, 0, 0.07, false}, 100, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(budget_configurations(&cases[i].budget, cases[i].valid),
                          cases[i].expected);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("budget");
    TCase *tests = tcase_create("budget");
    tcase_add_loop_test(tests, good_budgets, 0, sizeof good / sizeof *good);
    tcase_add_loop_test(tests, bad_budgets, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tests, configurations_allowed);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
