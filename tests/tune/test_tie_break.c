// Which of several that are tied is the answer, by resources that are known.
#include "workflows/tie_break.h"

#include <check.h>
#include <string.h>

enum { MOST = 4 };

static struct result results[MOST];
static struct resources resources[MOST][2];
static uint32_t choices[MOST][2];
static struct tie_candidate c[MOST];
static char why[TIE_BREAK_WHY];

// All alike, in the order of the space.
static void setup(void)
{
    for (uint32_t i = 0; i < MOST; i++) {
        for (int launch = 0; launch < 2; launch++)
            resources[i][launch] = (struct resources)RESOURCES_UNKNOWN;
        results[i] = (struct result){.resources = resources[i], .resource_count = 1};
        choices[i][0] = 0;
        choices[i][1] = i;
        c[i] = (struct tie_candidate){
            .result = &results[i], .group_size = 64, .choice = choices[i], .ratio = 1};
    }
}

START_TEST(alone_needs_no_reason)
{
    ck_assert_uint_eq(tie_break(c, 1, 1.005, 2, why), 0);
    ck_assert_str_eq(why, "");
}
END_TEST

START_TEST(order_of_the_space_is_last)
{
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 0);
    ck_assert_str_eq(why, "the first in the space");
    choices[0][0] = 1; // the first parameter decides before the second
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 1);
    c[1].choice = NULL; // not known where: it is not preferred
    ck_assert_uint_eq(tie_break(c + 1, 1, 1.005, 2, why), 0);
}
END_TEST

START_TEST(each_resource_in_its_turn)
{
    // Each decides over all that follow, which would say otherwise.
    c[0].group_size = 32;
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 0);
    ck_assert_str_eq(why, "the smallest work-group");
    for (int i = 0; i < MOST; i++)
        resources[i][0].private_bytes = i == 1 ? 0 : 16;
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 1);
    ck_assert_str_eq(why, "the least private memory");
    for (int i = 0; i < MOST; i++)
        resources[i][0].local_bytes = i == 2 ? 0 : 16;
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 2);
    for (int i = 0; i < MOST; i++)
        resources[i][0].registers = i == 3 ? 8 : 16;
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 3);
    for (int i = 0; i < MOST; i++)
        resources[i][0].spill_bytes = i == 0 ? 0 : 4;
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 0);
    ck_assert_ptr_nonnull(strstr(why, "the least spilled memory"));
}
END_TEST

START_TEST(then_what_is_left_by_the_next)
{
    static const int64_t registers[MOST] = {16, 8, 8, 8};
    for (int i = 0; i < MOST; i++)
        resources[i][0].registers = registers[i];
    c[0].group_size = 1; // beaten before
    c[2].group_size = c[3].group_size = 32;
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 2);
    ck_assert_str_eq(why,
                     "the fewest registers, then the smallest work-group, then the first in the "
                     "space");
}
END_TEST

START_TEST(what_one_does_not_tell_decides_nothing)
{
    for (int i = 1; i < MOST; i++)
        resources[i][0].registers = 8 - i;
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why),
                      0); // registers of the first are not known
    ck_assert_str_eq(why, "the first in the space");
    resources[0][0].registers = 8;
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 3);
}
END_TEST

// After few rounds 3 % may not be told apart: that is no reason to give them away.
START_TEST(resources_decide_among_those_as_fast)
{
    static const double ratios[MOST] = {1.03, 1.004, 1, 1.002};
    for (int i = 0; i < MOST; i++) {
        c[i].ratio = ratios[i];
        resources[i][0].registers = 8 + i;
    }
    ck_assert_uint_eq(tie_break(c, MOST, 1.05, 2, why), 0);
    ck_assert_str_eq(why, "the fewest registers");
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 1);
    ck_assert_str_eq(why, "of 3 within 0.5 % of the fastest the fewest registers");
    ck_assert_uint_eq(tie_break(c, MOST, 1, 2, why), 2);
    ck_assert_str_eq(why, "the fastest");
}
END_TEST

// A job of several launches needs what its largest needs.
START_TEST(the_largest_launch_counts)
{
    for (int i = 0; i < MOST; i++) {
        results[i].resource_count = 2;
        resources[i][0].registers = 4;
        resources[i][1].registers = i == 2 ? 5 : 40 + i;
    }
    resources[2][0].registers = 39;
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 2);
    ck_assert_str_eq(why, "the fewest registers");
    resources[2][1].registers = -1; // of one launch it is not known
    ck_assert_uint_eq(tie_break(c, MOST, 1.005, 2, why), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tie_break");
    TCase *cases = tcase_create("tie_break");
    tcase_add_checked_fixture(cases, setup, NULL);
    tcase_add_test(cases, alone_needs_no_reason);
    tcase_add_test(cases, order_of_the_space_is_last);
    tcase_add_test(cases, each_resource_in_its_turn);
    tcase_add_test(cases, then_what_is_left_by_the_next);
    tcase_add_test(cases, what_one_does_not_tell_decides_nothing);
    tcase_add_test(cases, resources_decide_among_those_as_fast);
    tcase_add_test(cases, the_largest_launch_counts);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
