// Preprocessor conditions with three values: A is 1, B is 0, F is defined without a plain value,
// all else is unknown.
#include "kernel_text/condition.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct macro_fact look_up(void *context, const char *name, size_t length)
{
    (void)context;
    if (length == 1 && *name == 'A')
        return (struct macro_fact){.defined = true, .has_value = true, .value = 1};
    if (length == 1 && *name == 'B')
        return (struct macro_fact){.defined = true, .has_value = true, .value = 0};
    if (length == 1 && *name == 'F')
        return (struct macro_fact){.defined = true};
    return (struct macro_fact){.defined = false};
}

static const struct {
    const char *text;
    enum truth truth;
} known[] = {
    {"1", TRUTH_YES},
    {"0", TRUTH_NO},
    {"A", TRUTH_YES},
    {"B", TRUTH_NO},
    {"U", TRUTH_UNKNOWN},
    {"F", TRUTH_UNKNOWN},
    {"defined(A)", TRUTH_YES},
    {"defined F", TRUTH_YES},
    {"!defined ( B )", TRUTH_NO},
    {"defined(U)", TRUTH_UNKNOWN},
    {"!U", TRUTH_UNKNOWN},
    // one operand may decide
    {"B && U", TRUTH_NO},
    {"U && B", TRUTH_NO},
    {"A || U", TRUTH_YES},
    {"U || A", TRUTH_YES},
    {"A && U", TRUTH_UNKNOWN},
    {"B || U", TRUTH_UNKNOWN},
    // precedence and associativity
    {"2 + 3 * 4 == 14", TRUTH_YES},
    {"10 - 3 - 2 == 5", TRUTH_YES},
    {"1 << 2 + 1 == 8", TRUTH_YES},
    {"1 | 2 ^ 3 & 2", TRUTH_YES},
    {"0 == 1 > 2", TRUTH_YES},
    {"0 || 1 && 0", TRUTH_NO},
    {"A ? 3 > 2 : U", TRUTH_YES},
    {"U ? 1 : 1", TRUTH_YES},
    {"U ? 1 : 0", TRUTH_UNKNOWN},
    {"-7 / 2 == -3", TRUTH_YES},
    {"-7 % 2 == -1", TRUTH_YES},
    {"~0 == -1", TRUTH_YES},
    {"0x10 == 16 && 010 == 8 && 5L == 5", TRUTH_YES},
    // not decided
    {"1 / 0", TRUTH_UNKNOWN},
    {"1u", TRUTH_UNKNOWN},
    {"-1 < 0u", TRUTH_UNKNOWN},
    {"9223372036854775807 + 1", TRUTH_UNKNOWN},
    {"99999999999999999999", TRUTH_UNKNOWN},
    {"A(3)", TRUTH_UNKNOWN},
    {"1 2", TRUTH_UNKNOWN},
    {"(1", TRUTH_UNKNOWN},
    {"", TRUTH_UNKNOWN},
    {"'a' == 97", TRUTH_UNKNOWN},
    {"1.5 > 1", TRUTH_UNKNOWN},
    {"1 ? 2", TRUTH_UNKNOWN},
    {"A = 1", TRUTH_UNKNOWN},
};

START_TEST(test_known)
{
    enum truth got = condition_test(known[_i].text, look_up, NULL);
    ck_assert_msg(got == known[_i].truth, "'%s' is %d, not %d", known[_i].text, got,
                  known[_i].truth);
}
END_TEST

// Text that would recurse without end is refused.
START_TEST(test_depth)
{
    char text[100001];
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(condition_test(text, look_up, NULL), TRUTH_UNKNOWN);
    memset(text, '!', sizeof text - 1);
    ck_assert_int_eq(condition_test(text, look_up, NULL), TRUTH_UNKNOWN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("text_condition");
    TCase *cases = tcase_create("conditions");
    tcase_add_loop_test(cases, test_known, 0, sizeof known / sizeof known[0]);
    tcase_add_test(cases, test_depth);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
