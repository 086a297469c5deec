// Advice on spaces whose times are made up, so that what decides them is known.
#include "report/advice.h"

#include "../base/suite.h"

#include <math.h>
#include <string.h>

#define ROWS 48

// GROUP in 32 .. 256, ITEMS in 1 .. 3, FLAG in 0, 1.
static struct value group[4], items[3], flag[2];
static struct parameter parameters[3];
static uint32_t choices[ROWS][3];
static const uint32_t *rows[ROWS];
static double values[ROWS];

static void make_space(double of_group, double of_items, double of_flag)
{
    size_t n = 0;
    for (int i = 0; i < 4; i++)
        group[i] = (struct value){.kind = VALUE_INT, .i = 32 << i};
    for (int i = 0; i < 3; i++)
        items[i] = (struct value){.kind = VALUE_INT, .i = 1 + i};
    for (int i = 0; i < 2; i++)
        flag[i] = (struct value){.kind = VALUE_INT, .i = i};
    parameters[0] = (struct parameter){.name = "GROUP", .values = group, .count = 4};
    parameters[1] = (struct parameter){.name = "ITEMS", .values = items, .count = 3};
    parameters[2] = (struct parameter){.name = "FLAG", .values = flag, .count = 2};
    for (uint32_t repeat = 0; repeat < 2; repeat++) {
        for (uint32_t g = 0; g < 4; g++) {
            for (uint32_t i = 0; i < 3; i++) {
                for (uint32_t f = 0; f < 2; f++, n++) {
                    memcpy(choices[n], (const uint32_t[]){g, i, f}, sizeof choices[n]);
                    rows[n] = choices[n];
                    values[n] = 10 - of_group * g - of_items * i - of_flag * f;
                }
            }
        }
    }
}

static void advise(const uint32_t best[3], const struct resources *r, struct arena *a,
                   struct advice *out)
{
    static const uint32_t sizes[] = {4, 3, 2};
    struct importance m;
    const struct importance_data data = {rows, values, ROWS, sizes, 3};
    ck_assert(importance_find(&data, 1, a, &m));
    const struct advised of = {parameters, 3, best, r, &m, NULL, NULL};
    ck_assert(advice_find(&of, a, out));
}

START_TEST(a_best_value_at_the_edge_names_the_next)
{
    struct arena a = {0};
    struct advice advice;
    make_space(1, 0.8, 0);
    advise((const uint32_t[]){3, 2, 0}, NULL, &a, &advice);
    ck_assert_uint_eq(advice.count, 3);
    ck_assert_str_eq(advice.lines[0], "GROUP=256 is the largest of its values: try 512");
    ck_assert_str_eq(advice.lines[1], "ITEMS=3 is the largest of its values: try 4");
    ck_assert_str_eq(advice.lines[2],
                     "FLAG decides less than 5 % of the time's variance: one value of it would do");
    arena_release(&a);
}
END_TEST

START_TEST(the_least_value_has_a_next_one_where_there_is_one)
{
    struct arena a = {0};
    struct advice advice;
    make_space(-1, -1, 0);
    advise((const uint32_t[]){0, 0, 0}, NULL, &a, &advice);
    ck_assert_uint_eq(advice.count, 2); // no ITEMS below 1
    ck_assert_str_eq(advice.lines[0], "GROUP=32 is the smallest of its values: try 16");
    arena_release(&a);
}
END_TEST

// A value in the middle, a switch and a parameter that does not matter are no edges.
START_TEST(what_is_no_edge_is_not_advised)
{
    struct arena a = {0};
    struct advice advice;
    make_space(0, 0, 1);
    advise((const uint32_t[]){3, 2, 1}, NULL, &a, &advice);
    ck_assert_uint_eq(advice.count, 1);
    ck_assert_str_eq(
        advice.lines[0],
        "GROUP, ITEMS decide less than 5 % of the time's variance: one value of each would do");
    make_space(1, 0.8, 0.9);
    advise((const uint32_t[]){1, 1, 1}, NULL, &a, &advice);
    ck_assert_uint_eq(advice.count, 0);
    arena_release(&a);
}
END_TEST

START_TEST(spilling_is_a_limit)
{
    struct arena a = {0};
    struct advice advice;
    struct resources r = RESOURCES_UNKNOWN;
    make_space(1, 0.8, 0.9);
    r.spill_bytes = 48;
    advise((const uint32_t[]){1, 1, 1}, &r, &a, &advice);
    ck_assert_uint_eq(advice.count, 1);
    ck_assert_ptr_nonnull(strstr(advice.lines[0], "spills 48 bytes"));
    arena_release(&a);
}
END_TEST

START_TEST(few_rows_advise_nothing)
{
    struct arena a = {0};
    struct advice advice;
    struct importance none = {0};
    make_space(1, 1, 1);
    const struct advised of = {parameters, 3, (const uint32_t[]){3, 2, 1}, NULL, &none, NULL, NULL};
    ck_assert(advice_find(&of, &a, &advice));
    ck_assert_uint_eq(advice.count, 0);
    arena_release(&a);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, a_best_value_at_the_edge_names_the_next);
    tcase_add_test(tests, the_least_value_has_a_next_one_where_there_is_one);
    tcase_add_test(tests, what_is_no_edge_is_not_advised);
    tcase_add_test(tests, spilling_is_a_limit);
    tcase_add_test(tests, few_rows_advise_nothing);
}

int main(void)
{
    return suite_run("report_advice", add);
}
