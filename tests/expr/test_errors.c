// What is refused when it is parsed: the column, what is wrong, and what would be right.
#include "environment.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    unsigned column;
    const char *part; // of the message
} refusals[] = {
    // what C has and Python has not
    {"a && b", 3, "write 'and'"},
    {"a || b", 3, "write 'or'"},
    {"!a", 1, "write 'not'"},
    {"a ? b : c", 3, "write 'a if condition else b'"},
    {"a = 3", 3, "compare with '=='"},
    {"a += 3", 3, "compare with '=='"},
    {"a === 3", 3, "compare with '=='"},
    {"a <> 3", 3, "compare with '!='"},
    {"a->b", 2, "no members"},
    {"10u", 3, "remove 'u'"},
    {"1.5f * a", 4, "remove 'f'"},
    {"077", 1, "octal is 0o17"},
    {"true", 1, "did you mean 'True'?"},
    {"a; b", 2, "single expression"},
    // what Python has and the language has not
    {"lambda v: v", 1, "write the expression alone"},
    {"a.real", 1, "'a.real' is an attribute"},
    {"l[0].real", 5, "values have no attributes"},
    {"np.ceil(a)", 1, "ceil(x) or math.ceil(x)"},
    {"f'{a}'", 1, "join parts with '+' and str()"},
    {"b'a'", 1, "takes no prefix 'b'"},
    {"import os", 1, "'import' is not part of the language"},
    {"[i for i in l if lambda: 1]", 18, "'lambda'"},
    {"(a := 3)", 4, "compare with '=='"},
    {"{}", 1, "an empty list is []"},
    {"{1: 2}", 1, "dictionaries"},
    {"max(a, key=b)", 11, "compare with '=='"},
    {"max(*l)", 5, "pass the list itself"},
    {"[*l, 1]", 2, "join lists with '+'"},
    {"'''a'''", 1, "quoted by one"},
    {"1j", 2, "an operator is missing"},
    {"a @ b", 3, "multiply with '*'"},
    {"a # b", 3, "no comments"},
    {"__import__('os')", 1, "unknown function '__import__'"},
    {"open('x')", 1, "unknown function 'open'"},
    {"eval('1')", 1, "unknown function 'eval'"},
    {"print(1)", 1, "unknown function 'print'"},
    {"(a)(b)", 4, "only a function's name can be called"},
    {"l[0, 1]", 4, "expected ']'"},
    {"sum(i for i in l, 1)", 7, "brackets around the comprehension"},
    {"max(1, i for i in l)", 10, "brackets around the comprehension"},
    // names
    {"block_size_y", 1, "did you mean 'block_size_x'?"},
    {"32 <= blocksize_x * 2", 7, "unknown name 'blocksize_x'; did you mean 'block_size_x'?"},
    {"1 + unrelated", 5, "the names are a, b, c"},
    {"[i for j in l]", 2, "unknown name 'i'"},
    {"[i for i in i]", 13, "unknown name 'i'"},
    {"[i for i in l] + [i]", 19, "unknown name 'i'"},
    {"ciel(a)", 1, "did you mean 'ceil'?"},
    {"min < a", 1, "'min' is a function; call it: min(a, b, ...)"},
    {"a(3)", 1, "'a' is a value, not a function"},
    {"math.foo", 1, "'math.foo' is not a constant"},
    {"math.foo(1)", 1, "unknown function 'math.foo'"},
    {"math.abs(1)", 1, "unknown function 'math.abs'"},
    // form
    {"", 1, "the expression is empty"},
    {"   ", 1, "the expression is empty"},
    {"a +", 4, "the expression ends here"},
    {"(a", 3, "expected ')'"},
    {"[a", 3, "closing bracket"},
    {"a)", 2, "expected an operator or the end, found ')'"},
    {"a b", 3, "expected an operator or the end, found 'b'"},
    {"a 3", 3, "found '3'"},
    {"* a", 1, "expected a value, found '*'"},
    {"a == == b", 6, "expected a value, found '=='"},
    {"a not b", 7, "expected 'in' behind 'not'"},
    {"a + not b", 5, "put 'not ...' in brackets"},
    {"a if b", 7, "'else'"},
    {"if a", 1, "expected a value, found 'if'"},
    {"[for i in l]", 2, "expected a value, found 'for'"},
    {"[i for 3 in l]", 8, "a loop variable"},
    {"[i for i l]", 10, "'in' behind the loop variable"},
    {"max()", 1, "at least 1 argument, not 0"},
    {"ceil(1, 2)", 1, "ceil takes 1 argument, not 2: ceil(x)"},
    {"range(1, 2, 3, 4)", 1, "at most 3 arguments, not 4"},
    {"l[]", 3, "an index"},
    {"[,]", 2, "expected a value"},
    {"(,)", 2, "expected a value"},
    // literals
    {"18446744073709551616", 1, "outside the 64-bit range"},
    {"1 + 99999999999999999999", 5, "outside the 64-bit range"},
    {"a - 18446744073709551616", 5, "outside the 64-bit range"},
    {"1e999", 1, "outside the range of a float"},
    {"1__0", 1, "underscore"},
    {"1_", 1, "underscore"},
    {"0x", 1, "no digits"},
    {"0xg", 1, "no digits"},
    {"0b12", 4, "operator is missing"},
    {"3x", 2, "'x' cannot follow a number"},
    {"'abc", 1, "no closing '"},
    {"1 + \"abc", 5, "no closing \""},
    {"'a\\q'", 3, "unknown escape"},
    {"'a\\x00'", 3, "names no character"},
    {"'\\ud800'", 2, "names no character"},
    {"'\xc3\xa4' + q", 7, "unknown name 'q'"}, // columns count characters
    {"\xc3\xa4 + 1", 1, "names are ASCII"},
    {"a \x01 b", 3, "byte 0x01"},
    {"a $ b", 3, "names bare"},
};

START_TEST(refused_with_column_and_remedy)
{
    struct arena arena;
    struct error e = ERROR_INIT;
    unsigned column = 0;
    const char *text = refusals[_i].text;
    arena_init(&arena);
    ck_assert_msg(expr_parse(&arena, text, &environment, &e) == NULL, "%s was accepted", text);
    ck_assert_int_eq(e.code, ERROR_INPUT);
    ck_assert_msg(sscanf(e.text, "column %u: ", &column) == 1, "%s", e.text);
    ck_assert_msg(column == refusals[_i].column, "%s: %s", text, e.text);
    ck_assert_msg(strstr(e.text, refusals[_i].part) != NULL, "%s: %s", text, e.text);
    arena_release(&arena);
}
END_TEST

// The record keeps an older cause; parsing without a record is possible.
START_TEST(the_first_cause_is_kept)
{
    struct arena arena;
    struct error e = ERROR_INIT;
    arena_init(&arena);
    error_set(&e, ERROR_IO, "an older cause");
    ck_assert(expr_parse(&arena, "a +", &environment, &e) == NULL);
    ck_assert_str_eq(e.text, "an older cause");
    ck_assert(expr_parse(&arena, "a + b", &environment, &e) != NULL);
    ck_assert(expr_parse(&arena, "a +", &environment, NULL) == NULL);
    ck_assert(expr_parse(&arena, "1 + 2", NULL, NULL) != NULL);
    arena_release(&arena);
}
END_TEST

// Whatever bytes come, the parser ends, and says a column when it refuses.
START_TEST(any_prefix_is_handled)
{
    static const char text[] = "[x for i, x in enumerate(l[1:-1]) if not 1 <= i < 0x1F or 'q\\n' "
                               "in {s, 'b'}] + [(a if b else c) ** -2.5e-3, ~z << 1, math.pi]";
    struct arena arena;
    for (size_t length = 0; length < sizeof text; length++) {
        for (int c = 1; c < 256; c += 7) {
            struct error e = ERROR_INIT;
            char cut[sizeof text + 1];
            memcpy(cut, text, length);
            cut[length] = (char)c;
            cut[length + 1] = 0;
            arena_init(&arena);
            if (!expr_parse(&arena, cut, &environment, &e))
                ck_assert_msg(strncmp(e.text, "column ", 7) == 0, "%s: %s", cut, e.text);
            arena_release(&arena);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("errors");
    TCase *tc = tcase_create("errors");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, refused_with_column_and_remedy, 0, sizeof refusals / sizeof *refusals);
    tcase_add_test(tc, the_first_cause_is_kept);
    tcase_add_test(tc, any_prefix_is_handled);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
