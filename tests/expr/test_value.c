// Values: equality, truth, conversion, one printed form, literals of the command line, copies.
#include "expr/expr.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(equality_is_pythons)
{
    struct value one = value_int(1), real = value_float(1.0), yes = value_bool(true);
    struct value two = value_int(2), text = value_string("1"), none = {.kind = VALUE_NONE};
    ck_assert(value_equal(&one, &real));
    ck_assert(value_equal(&one, &yes));
    ck_assert(value_equal(&yes, &real));
    ck_assert(!value_equal(&one, &two));
    ck_assert(!value_equal(&one, &text));
    ck_assert(!value_equal(&none, &one));
    ck_assert(value_equal(&none, &none));
    struct value ints[] = {one, two}, floats[] = {real, value_float(2.0)};
    struct value a = value_list(ints, 2), b = value_list(floats, 2), c = value_list(ints, 1);
    ck_assert(value_equal(&a, &b));
    ck_assert(!value_equal(&a, &c));
}
END_TEST

START_TEST(equality_is_exact_beyond_doubles)
{
    struct value odd = value_int((INT64_C(1) << 53) + 1), near = value_float(0x1p53);
    struct value most = value_int(INT64_MAX), above = value_float(0x1p63);
    struct value least = value_int(INT64_MIN), below = value_float(-0x1p63);
    struct value nan = value_float(NAN);
    ck_assert(!value_equal(&odd, &near));
    ck_assert(!value_equal(&most, &above));
    ck_assert(value_equal(&least, &below));
    ck_assert(!value_equal(&nan, &nan));
}
END_TEST

START_TEST(truth_is_pythons)
{
    struct value falsehoods[] = {value_int(0),     value_float(-0.0),   value_bool(false),
                                 value_string(""), value_list(NULL, 0), {.kind = VALUE_NONE}};
    struct value truths[] = {value_int(-1), value_float(NAN), value_bool(true), value_string("0"),
                             value_list(falsehoods, 1)};
    for (size_t i = 0; i < sizeof falsehoods / sizeof *falsehoods; i++)
        ck_assert(!value_truth(&falsehoods[i]));
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        ck_assert(value_truth(&truths[i]));
}
END_TEST

START_TEST(numbers_convert)
{
    double f;
    int64_t i;
    struct value half = value_float(2.5), whole = value_float(-3.0), huge = value_float(0x1p63);
    struct value least = value_float(-0x1p63), yes = value_bool(true), text = value_string("3");
    ck_assert(value_to_i64(&whole, &i) && i == -3);
    ck_assert(value_to_i64(&least, &i) && i == INT64_MIN);
    ck_assert(value_to_i64(&yes, &i) && i == 1);
    ck_assert(!value_to_i64(&half, &i));
    ck_assert(!value_to_i64(&huge, &i));
    ck_assert(!value_to_i64(&text, &i));
    ck_assert(value_to_f64(&half, &f) && f == 2.5);
    ck_assert(value_to_f64(&yes, &f) && f == 1.0);
    ck_assert(!value_to_f64(&text, &f));
}
END_TEST

static void check_printed(struct value v, const char *expected)
{
    struct text printed = TEXT_INIT;
    value_print(&v, &printed);
    ck_assert_str_eq(text_cstr(&printed), expected);
    text_release(&printed);
}

START_TEST(prints_as_repr)
{
    struct value items[] = {value_int(1), value_string("a")};
    check_printed((struct value){.kind = VALUE_NONE}, "None");
    check_printed(value_bool(true), "True");
    check_printed(value_bool(false), "False");
    check_printed(value_int(INT64_MIN), "-9223372036854775808");
    check_printed(value_float(1), "1.0");
    check_printed(value_float(0.1), "0.1");
    check_printed(value_float(1e16), "1e+16");
    check_printed(value_float(-INFINITY), "-inf");
    check_printed(value_string("it's"), "\"it's\"");
    check_printed(value_string("it's \"so\""), "'it\\'s \"so\"'");
    check_printed(value_string("a\n\x01\\"), "'a\\n\\x01\\\\'");
    check_printed(value_list(items, 2), "[1, 'a']");
    check_printed(value_list(NULL, 0), "[]");
}
END_TEST

START_TEST(literals_of_the_command_line)
{
    static const struct {
        const char *text;
        const char *printed;
    } literals[] = {
        {"64", "64"},
        {"-3", "-3"},
        {"0x10", "16"},
        {"0.5", "0.5"},
        {"-1e3", "-1000.0"},
        {"True", "True"},
        {"true", "True"},
        {"False", "False"},
        {"false", "False"},
        {"None", "None"},
        {"'quoted'", "'quoted'"},
        {"\"a b\"", "'a b'"},
        {"float", "'float'"},
        {"", "''"},
        {"unsigned int", "'unsigned int'"},
        {"3x", "'3x'"},
        {"1 2", "'1 2'"},
        {"-", "'-'"},
        {"--3", "'--3'"},
        {" 3", "' 3'"},
        {"'open", "\"'open\""},
        {"-'a'", "\"-'a'\""},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},
        {"18446744073709551616", "'18446744073709551616'"},
    };
    struct arena arena;
    struct value v;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        ck_assert(value_parse_literal(literals[i].text, &arena, &v));
        check_printed(v, literals[i].printed);
    }
    arena_release(&arena);
}
END_TEST

START_TEST(copies_are_deep)
{
    char name[] = "abc";
    struct value inner[] = {value_string(name)};
    struct value items[] = {value_list(inner, 1), value_int(2)};
    struct value from = value_list(items, 2), to;
    struct arena arena;
    arena_init(&arena);
    ck_assert(value_copy(&arena, &from, &to));
    name[0] = 'x';
    items[1] = value_int(9);
    check_printed(to, "[['abc'], 2]");
    arena_release(&arena);
}
END_TEST

START_TEST(kinds_have_names)
{
    ck_assert_str_eq(value_kind_name(VALUE_NONE), "None");
    ck_assert_str_eq(value_kind_name(VALUE_BOOL), "bool");
    ck_assert_str_eq(value_kind_name(VALUE_INT), "int");
    ck_assert_str_eq(value_kind_name(VALUE_FLOAT), "float");
    ck_assert_str_eq(value_kind_name(VALUE_STRING), "string");
    ck_assert_str_eq(value_kind_name(VALUE_LIST), "list");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("value");
    TCase *tc = tcase_create("values");
    tcase_add_test(tc, equality_is_pythons);
    tcase_add_test(tc, equality_is_exact_beyond_doubles);
    tcase_add_test(tc, truth_is_pythons);
    tcase_add_test(tc, numbers_convert);
    tcase_add_test(tc, prints_as_repr);
    tcase_add_test(tc, literals_of_the_command_line);
    tcase_add_test(tc, copies_are_deep);
    tcase_add_test(tc, kinds_have_names);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
