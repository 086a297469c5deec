// Expressions that parse but have no value: the fault, from the tree and from the compiled
// restriction alike; and the limits.
#include "../base/comma_locale.h"
#include "environment.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    enum expr_fault fault;
} faults[] = {
    {"1 / 0", EXPR_FAULT_ZERO},
    {"a / z", EXPR_FAULT_ZERO},
    {"a // z", EXPR_FAULT_ZERO},
    {"a % z", EXPR_FAULT_ZERO},
    {"a % z == 0", EXPR_FAULT_ZERO},
    {"a / z == 0", EXPR_FAULT_ZERO},
    {"a / 0.0", EXPR_FAULT_ZERO},
    {"x // z", EXPR_FAULT_ZERO},
    {"x % 0.0", EXPR_FAULT_ZERO},
    {"1 / (z / n)", EXPR_FAULT_ZERO},
    {"0 ** -1", EXPR_FAULT_ZERO},
    {"0.0 ** -1", EXPR_FAULT_ZERO},
    {"divmod(1, z)", EXPR_FAULT_ZERO},
    {"1 < 2 < 1 / z", EXPR_FAULT_ZERO},
    {"z or 1 / z", EXPR_FAULT_ZERO},
    {"a in (6, 1 / z)", EXPR_FAULT_ZERO},
    {"[1 / i for i in range(2)]", EXPR_FAULT_ZERO},
    {"any([1, 1 / z])", EXPR_FAULT_ZERO},
    {"log(8, 1)", EXPR_FAULT_ZERO},
    {"9223372036854775807 + 1", EXPR_FAULT_OVERFLOW},
    {"big + big", EXPR_FAULT_OVERFLOW},
    {"big + big > 0", EXPR_FAULT_OVERFLOW},
    {"-big - big - 1", EXPR_FAULT_OVERFLOW},
    {"big * 2", EXPR_FAULT_OVERFLOW},
    {"big * a <= 1024", EXPR_FAULT_OVERFLOW},
    {"2 ** 63", EXPR_FAULT_OVERFLOW},
    {"a ** 100", EXPR_FAULT_OVERFLOW},
    {"10.0 ** 400", EXPR_FAULT_OVERFLOW},
    {"1 << 63", EXPR_FAULT_OVERFLOW},
    {"a << 62", EXPR_FAULT_OVERFLOW},
    {"-(-9223372036854775808)", EXPR_FAULT_OVERFLOW},
    {"abs(-9223372036854775808)", EXPR_FAULT_OVERFLOW},
    {"18446744073709551615 + 1", EXPR_FAULT_OVERFLOW},
    {"-18446744073709551615", EXPR_FAULT_OVERFLOW},
    {"18446744073709551615 // 0", EXPR_FAULT_ZERO},
    {"-9223372036854775808 // -1", EXPR_FAULT_OVERFLOW},
    {"sum([big, big])", EXPR_FAULT_OVERFLOW},
    {"int(1e30)", EXPR_FAULT_OVERFLOW},
    {"ceil(1e19)", EXPR_FAULT_OVERFLOW},
    {"int(math.inf)", EXPR_FAULT_OVERFLOW},
    {"exp(1000)", EXPR_FAULT_OVERFLOW},
    {"lcm(big, big - 1)", EXPR_FAULT_OVERFLOW},
    {"round(9223372036854775807, -1)", EXPR_FAULT_OVERFLOW},
    {"1 + 'a'", EXPR_FAULT_TYPE},
    {"a + s", EXPR_FAULT_TYPE},
    {"s - s", EXPR_FAULT_TYPE},
    {"s < a", EXPR_FAULT_TYPE},
    {"none < 1", EXPR_FAULT_TYPE},
    {"none + 1", EXPR_FAULT_TYPE},
    {"l + 1", EXPR_FAULT_TYPE},
    {"l < 1", EXPR_FAULT_TYPE},
    {"l * 1.5", EXPR_FAULT_TYPE},
    {"-s", EXPR_FAULT_TYPE},
    {"~x", EXPR_FAULT_TYPE},
    {"x & 1", EXPR_FAULT_TYPE},
    {"(a / c) & 1", EXPR_FAULT_TYPE},
    {"(a / c) << 1 == 4", EXPR_FAULT_TYPE},
    {"1.0 << 2", EXPR_FAULT_TYPE},
    {"1 in 5", EXPR_FAULT_TYPE},
    {"1 in 'abc'", EXPR_FAULT_TYPE},
    {"a[0]", EXPR_FAULT_TYPE},
    {"l['a']", EXPR_FAULT_TYPE},
    {"l[1.0]", EXPR_FAULT_TYPE},
    {"l['a':]", EXPR_FAULT_TYPE},
    {"a[1:]", EXPR_FAULT_TYPE},
    {"len(3)", EXPR_FAULT_TYPE},
    {"sum(3)", EXPR_FAULT_TYPE},
    {"max(3)", EXPR_FAULT_TYPE},
    {"max(1, 'a')", EXPR_FAULT_TYPE},
    {"sorted([1, 'a'])", EXPR_FAULT_TYPE},
    {"range(1.5)", EXPR_FAULT_TYPE},
    {"list(range('a'))", EXPR_FAULT_TYPE},
    {"ceil('a')", EXPR_FAULT_TYPE},
    {"sqrt('a')", EXPR_FAULT_TYPE},
    {"abs(none)", EXPR_FAULT_TYPE},
    {"int([1])", EXPR_FAULT_TYPE},
    {"gcd(1.0, 2)", EXPR_FAULT_TYPE},
    {"[i for i, j in [1, 2]]", EXPR_FAULT_TYPE},
    {"[i for i in 3]", EXPR_FAULT_TYPE},
    {"sqrt(-1)", EXPR_FAULT_DOMAIN},
    {"log(0)", EXPR_FAULT_DOMAIN},
    {"log2(z)", EXPR_FAULT_DOMAIN},
    {"log2(n)", EXPR_FAULT_DOMAIN},
    {"log10(-1.0)", EXPR_FAULT_DOMAIN},
    {"(-8) ** 0.5", EXPR_FAULT_DOMAIN},
    {"1 << -1", EXPR_FAULT_DOMAIN},
    {"a >> n", EXPR_FAULT_DOMAIN},
    {"max([])", EXPR_FAULT_DOMAIN},
    {"min(i for i in l if i > 5)", EXPR_FAULT_DOMAIN},
    {"range(1, 5, 0)", EXPR_FAULT_DOMAIN},
    {"l[::0]", EXPR_FAULT_DOMAIN},
    {"int('x')", EXPR_FAULT_DOMAIN},
    {"int('')", EXPR_FAULT_DOMAIN},
    {"float('x')", EXPR_FAULT_DOMAIN},
    {"int(math.nan)", EXPR_FAULT_DOMAIN},
    {"l[3]", EXPR_FAULT_INDEX},
    {"l[-4]", EXPR_FAULT_INDEX},
    {"s[7]", EXPR_FAULT_INDEX},
    {"[][0]", EXPR_FAULT_INDEX},
    {"''[0]", EXPR_FAULT_INDEX},
    {"l[big]", EXPR_FAULT_INDEX},
    {"list(range(100000000))", EXPR_FAULT_LIMIT},
    {"[0] * 1000000000", EXPR_FAULT_LIMIT},
    {"[0] * big", EXPR_FAULT_LIMIT},
    {"'ab' * 1000000000", EXPR_FAULT_LIMIT},
    {"all(i >= 0 for i in range(1000000000000))", EXPR_FAULT_LIMIT},
    {"sum(1 for i in range(10000) for j in range(10000))", EXPR_FAULT_LIMIT},
    // a few items that stand for very many, and loops that search, compare, cut and print
    {"[1 for i in [[1] * 2000] for j in [[i] * 2000] for k in [[j] * 2000] if k == k]",
     EXPR_FAULT_LIMIT},
    {"len(str([k for i in [[1] * 2000] for j in [[i] * 2000] for k in [[j] * 2000]]))",
     EXPR_FAULT_LIMIT},
    {"sum(1 for i in range(100000) if ('b' if i else 'c') in 'a' * 10000)", EXPR_FAULT_LIMIT},
    {"sum(1 for k in [list(range(10000))] for i in range(10000) if i in k)", EXPR_FAULT_LIMIT},
    {"len({math.nan for i in range(100000)})", EXPR_FAULT_LIMIT},
    {"sum(1 for k in ['a' * 10000] for i in range(10000) if k[i] == 'b')", EXPR_FAULT_LIMIT},
};

START_TEST(faults_as_expected)
{
    struct arena arena;
    struct error e = ERROR_INIT;
    struct value v;
    bool truth;
    const char *text = faults[_i].text;
    arena_init(&arena);
    struct expr *x = expr_parse(&arena, text, &environment, &e);
    ck_assert_msg(x != NULL, "%s: %s", text, e.text);
    enum expr_fault fault = expr_eval(x, environment_slots, &arena, &v);
    ck_assert_msg(fault == faults[_i].fault, "%s: %s", text, expr_fault_text(fault));
    fault = expr_test(x, environment_slots, &arena, &truth);
    ck_assert_msg(fault == faults[_i].fault, "%s tested: %s", text, expr_fault_text(fault));
    arena_release(&arena);
}
END_TEST

// What is small to make and vast to copy has a truth, but is not handed out.
START_TEST(vast_values_are_kept)
{
    static const char vast[] =
        "[k for i in [[a] * 2000] for j in [[i] * 2000] for k in [[j] * 2000]]";
    struct arena arena;
    struct value v;
    bool truth = false;
    arena_init(&arena);
    struct expr *x = expr_parse(&arena, vast, &environment, NULL);
    ck_assert_int_eq(expr_eval(x, environment_slots, &arena, &v), EXPR_FAULT_LIMIT);
    ck_assert_int_eq(expr_test(x, environment_slots, &arena, &truth), EXPR_FAULT_NONE);
    ck_assert(truth);
    arena_release(&arena);
}
END_TEST

START_TEST(lists_need_scratch_and_scalars_none)
{
    static const char *const scalar[] = {"a * b == 24",
                                         "a in (b, 6)",
                                         "any(a % i == 0 for i in l)",
                                         "sum(i for i in range(5)) == 10",
                                         "max(a, b) == 6",
                                         "a in range(10)",
                                         "s == 'shuffle'",
                                         "a in [1, 2, 6]"};
    struct arena arena;
    struct value v;
    bool truth;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof scalar / sizeof *scalar; i++) {
        struct expr *x = expr_parse(&arena, scalar[i], &environment, NULL);
        ck_assert_int_eq(expr_test(x, environment_slots, NULL, &truth), EXPR_FAULT_NONE);
        ck_assert_msg(truth, "%s", scalar[i]);
    }
    struct expr *list = expr_parse(&arena, "[a, b]", &environment, NULL);
    ck_assert_int_eq(expr_eval(list, environment_slots, NULL, &v), EXPR_FAULT_MEMORY);
    struct expr *text = expr_parse(&arena, "s + 'x'", &environment, NULL);
    ck_assert_int_eq(expr_eval(text, environment_slots, NULL, &v), EXPR_FAULT_MEMORY);
    arena_release(&arena);
}
END_TEST

// A compiled restriction must notice slots that hold something else than it was compiled for.
START_TEST(slots_may_change_their_kind)
{
    static const struct expr_symbol names[] = {{.name = "p"}, {.name = "q"}};
    const struct expr_symbols symbols = {names, 2};
    struct arena arena;
    bool truth;
    arena_init(&arena);
    struct expr *x = expr_parse(&arena, "p * q <= 6", &symbols, NULL);
    struct value slots[] = {value_int(2), value_int(3)};
    ck_assert_int_eq(expr_test(x, slots, NULL, &truth), EXPR_FAULT_NONE);
    ck_assert(truth);
    slots[1] = value_float(3.5);
    ck_assert_int_eq(expr_test(x, slots, NULL, &truth), EXPR_FAULT_NONE);
    ck_assert(!truth);
    slots[1] = value_bool(true);
    ck_assert_int_eq(expr_test(x, slots, NULL, &truth), EXPR_FAULT_NONE);
    ck_assert(truth);
    slots[1] = value_string("a");
    ck_assert_int_eq(expr_test(x, slots, &arena, &truth), EXPR_FAULT_TYPE);
    slots[0] = value_string("a");
    ck_assert_int_eq(expr_test(x, slots, &arena, &truth), EXPR_FAULT_TYPE);
    arena_release(&arena);
}
END_TEST

// Where whole floats leave the range that doubles hold exactly, the answer is a double's.
START_TEST(whole_floats_round_as_doubles)
{
    static const struct expr_symbol names[] = {{.name = "p"}, {.name = "q"}};
    static const struct {
        const char *text;
        bool truth;
    } cases[] = {
        {"p / 1 + 1 == 9007199254740992", true}, // 2^53 + 1 rounds to 2^53
        {"p + 1 == 9007199254740992", false},
        {"p / 1 * 3 == 27021597764222976", true},
        {"(q / 1) * (p / 1) == q * p", true},
        {"(p + 1) / 1 == p + 1", false},
        {"(p + 1) / 1 == p", true},
        {"p + 2.0 == p + 2", true},
        {"(p + 1) % 2.0 == 0", true},
        {"(p + 1) % 2 == 1", true},
        {"7 / q == 3.5", true},
        {"7 / q * q == 7", true},
        {"7 / q // 1 == 3", true},
        {"7 / q % 1 == 0.5", true},
        {"-(0 / q) == 0", true},
        {"not 0 / q", true},
    };
    const struct expr_symbols symbols = {names, 2};
    const struct value slots[] = {value_int(INT64_C(1) << 53), value_int(2)};
    struct arena arena;
    struct error e = ERROR_INIT;
    bool truth;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct expr *x = expr_parse(&arena, cases[i].text, &symbols, &e);
        ck_assert_msg(x != NULL, "%s", e.text);
        ck_assert_int_eq(expr_test(x, slots, NULL, &truth), EXPR_FAULT_NONE);
        ck_assert_msg(truth == cases[i].truth, "%s: %s", cases[i].text, truth ? "true" : "false");
    }
    arena_release(&arena);
}
END_TEST

START_TEST(domains_and_slots)
{
    static const struct value sizes[] = {
        {.kind = VALUE_INT, .i = 16}, {.kind = VALUE_INT, .i = 3}, {.kind = VALUE_INT, .i = 17}};
    const struct value domain = value_list(sizes, 3);
    const struct expr_symbol names[] = {
        {.name = "w", .domain = &domain}, {.name = "h"}, {.name = "u"}};
    const struct expr_symbols symbols = {names, 3};
    const struct value slots[] = {value_int(3), value_int(5), value_int(0)};
    struct arena arena;
    struct value v;
    const uint32_t *used;
    arena_init(&arena);
    struct expr *x = expr_parse(&arena, "(h + max(w) - 1) * min(w)", &symbols, NULL);
    ck_assert_int_eq(expr_eval(x, slots, NULL, &v), EXPR_FAULT_NONE);
    ck_assert_int_eq(v.i, 63);
    ck_assert_uint_eq(expr_slots(x, &used), 1);
    ck_assert_uint_eq(used[0], 1);
    ck_assert(!expr_uses(x, 0) && expr_uses(x, 1) && !expr_uses(x, 2));
    x = expr_parse(&arena, "max(w, h)", &symbols, NULL); // two values: no domain is meant
    ck_assert_int_eq(expr_eval(x, slots, NULL, &v), EXPR_FAULT_NONE);
    ck_assert_int_eq(v.i, 5);
    ck_assert_uint_eq(expr_slots(x, &used), 2);
    x = expr_parse(&arena, "[max(w) for w in [[1, 2]]][0]", &symbols, NULL); // shadowed
    ck_assert_int_eq(expr_eval(x, slots, &arena, &v), EXPR_FAULT_NONE);
    ck_assert_int_eq(v.i, 2);
    ck_assert_uint_eq(expr_slots(x, &used), 0);
    x = expr_parse(&arena, "max(w) * 2", &symbols, NULL);
    ck_assert_uint_eq(expr_slots(x, &used), 0);
    ck_assert_str_eq(expr_text(x), "max(w) * 2");
    arena_release(&arena);
}
END_TEST

// A long sum, a long conjunction, a long list: no stack is harmed.
static struct expr *parse_repeated(struct arena *arena, const char *first, const char *more,
                                   int times, const char *last, struct error *e)
{
    struct text text = TEXT_INIT;
    text_add(&text, first);
    for (int i = 0; i < times; i++)
        text_add(&text, more);
    text_add(&text, last);
    struct expr *x = expr_parse(arena, text_cstr(&text), &environment, e);
    text_release(&text);
    return x;
}

START_TEST(long_expressions)
{
    struct arena arena;
    struct error e = ERROR_INIT;
    struct value v;
    bool truth;
    arena_init(&arena);
    struct expr *x = parse_repeated(&arena, "a", " + a", 900, "", &e);
    ck_assert_msg(x != NULL, "%s", e.text);
    ck_assert_int_eq(expr_eval(x, environment_slots, NULL, &v), EXPR_FAULT_NONE);
    ck_assert_int_eq(v.i, 901 * 6);
    x = parse_repeated(&arena, "a == 6", " and a * b == 24", 20000, "", &e);
    ck_assert_msg(x != NULL, "%s", e.text);
    ck_assert_int_eq(expr_test(x, environment_slots, NULL, &truth), EXPR_FAULT_NONE);
    ck_assert(truth);
    x = parse_repeated(&arena, "[0", ", 1", 50000, "]", &e);
    ck_assert_msg(x != NULL, "%s", e.text);
    ck_assert_int_eq(expr_eval(x, environment_slots, &arena, &v), EXPR_FAULT_NONE);
    ck_assert_uint_eq(v.count, 50001);
    x = parse_repeated(&arena, "", "(", 150, "a", NULL);
    ck_assert(x == NULL);
    arena_release(&arena);
}
END_TEST

START_TEST(nesting_is_bounded)
{
    static const struct {
        const char *more, *last;
    } towers[] = {
        {"(", "1"},    {"[", "1"},     {"{", "1"},       {"-", "1"},
        {"not ", "1"}, {"2**", "1"},   {"abs(", "1"},    {"1 if 1 else ", "1"},
        {"l[", "1"},   {"1 + (", "1"}, {"max(1, ", "1"}, {"[i for i in ", "l"},
        {"a + ", "a"}, {"a - ", "a"},  {"~", "1"},       {"(a or ", "1"},
    };
    struct arena arena;
    for (size_t i = 0; i < sizeof towers / sizeof *towers; i++) {
        struct error e = ERROR_INIT;
        arena_init(&arena);
        struct expr *x = parse_repeated(&arena, "", towers[i].more, 100000, towers[i].last, &e);
        ck_assert_msg(x == NULL, "%s", towers[i].more);
        ck_assert_int_eq(e.code, ERROR_INPUT);
        ck_assert_msg(strstr(e.text, "column ") == e.text, "%s", e.text);
        arena_release(&arena);
    }
}
END_TEST

// What a sorted list has is what a walk through it finds: numbers of either kind, texts, tuples,
// and what equals nothing.
START_TEST(members_of_long_lists)
{
    static const char list[] = "3, 'b', 2.5, True, (1, 2), None, 7, (1, 'x'), math.nan, -4, 'a', "
                               "[], (1, 2.5), 8.0, 'abc', (math.nan, 1), 2 ** 60, 3, -0.0, ((6,),)";
    static const char *const items[] = {
        "a - 5", "1.0", "0",      "2.5",      "8",      "'b'",  "'ab'",     "s",
        "None",  "[]",  "(1, 2)", "(1.0, 2)", "(1, 3)", "(1,)", "math.nan", "(math.nan, 1)",
        "-4",    "-5",  "2**60",  "2**60+1",  "[[a]]",  "[a]",  "'abc'",    "1e300"};
    for (size_t i = 0; i < 2 * sizeof items / sizeof *items; i++) {
        struct arena arena;
        struct text text = TEXT_INIT;
        bool truth = false;
        arena_init(&arena);
        const char *item = items[i / 2], *in = i % 2 ? "not in" : "in";
        // a == 6: the second list is none of constants, and is walked through.
        text_addf(&text, "((%s) %s [%s]) == ((%s) %s [%s, a * 1000])", item, in, list, item, in,
                  list);
        struct expr *x = expr_parse(&arena, text_cstr(&text), &environment, NULL);
        ck_assert_ptr_nonnull(x);
        ck_assert_int_eq(expr_test(x, environment_slots, &arena, &truth), EXPR_FAULT_NONE);
        ck_assert_msg(truth, "%s", text_cstr(&text));
        text_release(&text);
        arena_release(&arena);
    }
}
END_TEST

// Lists of constants are made once, at any length; what is searched for costs next to nothing.
START_TEST(long_lists_are_made_once)
{
    static const char *const more[] = {", 'v'", ", 5", ", (1, 2)", ", 2.5"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        struct arena arena;
        bool truth = true;
        uint64_t steps = 1000;
        arena_init(&arena);
        struct expr *x = parse_repeated(&arena, "a in ['w'", more[i], 100000, "]", NULL);
        ck_assert_ptr_nonnull(x);
        ck_assert_uint_lt(expr_weight(x), 5);
        ck_assert_int_eq(expr_test_within(x, environment_slots, NULL, &steps, &truth),
                         EXPR_FAULT_NONE);
        ck_assert(!truth && steps > 0);
        ck_assert_uint_lt(arena.bytes, 64 << 20);
        arena_release(&arena);
    }
}
END_TEST

// Steps are taken by what repeats; where they run out nothing is left.
START_TEST(steps_are_bounded)
{
    static const char *const repeating[] = {"sum([i * a for i in range(20000)]) % 3 == 0",
                                            "any(i < 0 for i in range(a * 9999))",
                                            "len('x' * (a * 9999)) > 3",
                                            "sum(1 for i in range(100) if a in l) > 0",
                                            "len(sorted(range(a * 9999))) == 0",
                                            "[i for i in range(a * 999)][5] == 5"};
    for (size_t i = 0; i < sizeof repeating / sizeof *repeating; i++) {
        struct arena arena;
        bool truth;
        uint64_t few = 1000, many = UINT64_C(1) << 24;
        arena_init(&arena);
        struct expr *x = expr_parse(&arena, repeating[i], &environment, NULL);
        ck_assert_ptr_nonnull(x);
        expr_test_within(x, environment_slots, &arena, &few, &truth);
        ck_assert_msg(few == 0, "%s", repeating[i]);
        ck_assert_int_eq(expr_test_within(x, environment_slots, &arena, &many, &truth),
                         EXPR_FAULT_NONE);
        ck_assert_msg(many > 0 && many < (1 << 24) - 1000, "%s", repeating[i]);
        arena_release(&arena);
    }
}
END_TEST

START_TEST(numbers_do_not_follow_the_locale)
{
    struct arena arena;
    if (!use_comma_locale())
        return;
    arena_init(&arena);
    struct value v;
    struct expr *x = expr_parse(&arena, "round(2.26, 1) + float('0.5') + 1.25", &environment, NULL);
    ck_assert_ptr_nonnull(x);
    ck_assert_int_eq(expr_eval(x, environment_slots, &arena, &v), EXPR_FAULT_NONE);
    ck_assert_double_eq(v.f, 2.3 + 0.5 + 1.25);
    arena_release(&arena);
}
END_TEST

START_TEST(every_fault_has_a_text)
{
    ck_assert_str_eq(expr_fault_text(EXPR_FAULT_NONE), "no fault");
    ck_assert_str_eq(expr_fault_text(EXPR_FAULT_ZERO), "division by zero");
    ck_assert_str_eq(expr_fault_text(EXPR_FAULT_MEMORY), "out of memory");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faults");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, faults_as_expected, 0, sizeof faults / sizeof *faults);
    tcase_add_test(tc, vast_values_are_kept);
    tcase_add_test(tc, lists_need_scratch_and_scalars_none);
    tcase_add_test(tc, slots_may_change_their_kind);
    tcase_add_test(tc, whole_floats_round_as_doubles);
    tcase_add_test(tc, domains_and_slots);
    tcase_add_test(tc, long_expressions);
    tcase_add_test(tc, nesting_is_bounded);
    tcase_add_test(tc, members_of_long_lists);
    tcase_add_test(tc, long_lists_are_made_once);
    tcase_add_test(tc, steps_are_bounded);
    tcase_add_test(tc, numbers_do_not_follow_the_locale);
    tcase_add_test(tc, every_fault_has_a_text);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
