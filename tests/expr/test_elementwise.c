// Expressions over arrays: the same values as the tree's, faults that name the index, what is refused, and the time that a
// million elements take.
#include "elementwise_tree.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const agreeing[] = {
    "i",
    "3",
    "a * x[i % 24] + n[i % 12]",
    "x[(i % 4) * 6 + i // 4 % 6]",
    "i // 7 * 3 - i % 7 + (i >> 1) - (i << 2) + (i & 12) + (i | 3) + (i ^ 5)",
    "-i // 7 + -i % 7 + i // -3 + i % -3",
    "(i - 150) / 7",
    "(i - 150.5) // 7 + (i - 150.5) % 7",
    "i ** 2 + 2 ** (i % 10) + x[2] ** 2 + (i + 0.5) ** 1.5 + 2 ** -1",
    "x[i - 1] if 0 < i < 24 else -1",
    "x[i % 24] if i < 24 and x[i] > 0 or i == 30 else 5",
    "i > 3 and i < 9 or i == 20",
    "not i % 3",
    "1 if i % 5 in (0, 2, 3) else 0",
    "1 if i % 5 not in [1, 4] else 0",
    "min(i, 100, 7 * N) + max(x[i % 24], 0.5) + abs(i - 50) + abs(x[i % 24])",
    "int(x[i % 24]) + floor(i / 7) + ceil(i / 7) + round(i / 7) + trunc(i / 7)",
    "sqrt(i) + exp(-i) + log(i + 1) + log2(i + 1) + log10(i + 1) + pow(i, 2) + math.pow(2, 0.5)",
    "sin(i) + math.cos(i) * tan(i) + atan2(i, 3) + atan(i) + tanh(i) + erf(i / 9) + fabs(-i)",
    "acos(1 / (i + 1)) - asin(1 / (i + 1)) * math.pi",
    "(i + 0.25) ** 0.5 + sqrt(x[i % 24] ** 2) + (x[i % 24] ** 2) ** 1.5 + (i / 3) ** 0.5",
    "gcd(i, 12) + float(i) + bool(i)",
    "sum(x[k] for k in range(24))",
    "sum(x)",
    "sum(x) / len(x) + max(x) - min(n)",
    "sum(x[k] for k in range(i % 24 + 1))",
    "sum(x[k] for k in range(min(i, 23), -1, -1))",
    "sum(x[k] for k in range(i % 24, 24))",
    "sum(x[i % N * K + k] * x[k * N + i % K] for k in range(K))",
    "sum(x[k] * n[k] for k in range(24) if x[k] > 0 if n[k] < 9)",
    "sum(1 for k in range(24) if n[k] == i)",
    "sum(x[min(max(i + d, 0), 23)] * [1, 2, 1][d + 1] for d in (-1, 0, 1))",
    "sum(x[r * 6 + c] for r in range(4) for c in range(6) if c != i % 6)",
    "sum(v * v for v in x if v > i)",
    "sum(sum(x[j] for j in range(k)) for k in range(24))",
    "sum(sum(x[j] * i for j in range(k)) for k in range(i % 20))",
    "sum((k * i for k in range(10)), 5) if i % 2 else sum([1, 2, 3])",
    "max(x[k] - i for k in range(24) if k % 2 == 0)",
    "min(min(x[r * 6 + c] for c in range(6)) for r in range(4))",
    "prod(k + 1 for k in range(i % 15))",
    "prod(x[k] + 0.25 for k in range(4))",
    "any(n[k] == i for k in range(24))",
    "all(x[k] < i for k in range(24))",
    "any(True for k in range(0)) + all(False for k in range(0))",
    "sum(x[k] for k in range(0)) + sum(1 / k for k in range(0))",
    "(x[24] if size == 0 else 1) + (1 // 0 if i < 0 else 2)",
    "sum((1 // k if k else 0) for k in range(5))",
    "sum((10 // (k - i) if k != i else 0) for k in range(30))",
    "i * (N // K) + size",
    "n[n[i % 8]] if 0 <= n[i % 8] < 24 else 0",
    "~i + (+i) - (-i)",
    "1 < i % 7 <= 4 != 3",
    "(0.5 if i else 2) + (i or 7) + (i and 3)",
    "sum(sum(sum(k * j + i for k in range(j)) for j in range(m)) for m in range(6))",
};

START_TEST(values)
{
    struct arena a;
    struct error e = ERROR_INIT;
    const char *text = agreeing[_i];
    arena_init(&a);
    struct elementwise *p = tree_compile(&a, text, &e);
    struct expr *x = tree_parse(&a, text);
    ck_assert_msg(p && x, "%s: %s", text, e.text);
    struct elementwise_run *r = elementwise_begin(p);
    ck_assert_ptr_nonnull(r);
    for (uint64_t i = 0, at; i < TREE_SIZE; i += ELEMENTWISE_BLOCK) {
        size_t count = TREE_SIZE - i < ELEMENTWISE_BLOCK ? TREE_SIZE - i : ELEMENTWISE_BLOCK;
        const union elementwise_value *found = elementwise_values(r, i, count, &at, &e);
        ck_assert_msg(found != NULL, "%s: %s", text, e.text);
        for (size_t l = 0; l < count; l++) {
            struct value v;
            ck_assert_int_eq(tree_value(x, i + l, &a, &v), EXPR_FAULT_NONE);
            ck_assert_msg(tree_agrees(&v, &found[l], elementwise_is_float(p)), "%s at i = %zu",
                          text, (size_t)i + l);
        }
    }
    elementwise_end(r);
    arena_release(&a);
}
END_TEST

static const struct {
    const char *text, *part;
    uint64_t at;
} faults[] = {
    {"x[i]", "at i = 24: x[24] is outside: x has 24 elements", 24},
    {"x[i - 1]", "at i = 0: x[-1] is outside", 0},
    {"x[i] if i < 30 else 0", "at i = 24: x[24] is outside", 24},
    {"1 // (i - 17)", "at i = 17: division by zero", 17},
    {"1 / (i - 290)", "at i = 290: division by zero", 290},
    {"1.5 % (i - 3)", "at i = 3: division by zero", 3},
    {"i * 2 ** 60", "at i = 8: integer overflow", 8},
    {"sqrt(5 - i)", "at i = 6: argument outside", 6},
    {"sum(x[k] for k in range(i))", "at i = 25: x[24] is outside", 25},
    {"sum(x[k + i] for k in range(20))", "is outside", 5},
    {"max(x[k] for k in range(3 - i))", "at i = 3: ", 3},
    {"sum(k for k in range(0, 5, i - 2))", "at i = 2: ", 2},
    {"[1, 2, 3][i]", "at i = 3: the list[3] is outside", 3},
    {"i << 62", "at i = 2: integer overflow", 2},
    {"sum(2 ** 62 for k in range(i))", "at i = 2: integer overflow", 2},
};

START_TEST(faults_name_the_index)
{
    struct arena a;
    struct error e = ERROR_INIT;
    uint64_t at = UINT64_MAX;
    arena_init(&a);
    struct elementwise *p = tree_compile(&a, faults[_i].text, &e);
    ck_assert_msg(p != NULL, "%s: %s", faults[_i].text, e.text);
    struct elementwise_run *r = elementwise_begin(p);
    bool all = true;
    for (uint64_t i = 0; all && i < TREE_SIZE; i += ELEMENTWISE_BLOCK) {
        size_t count = TREE_SIZE - i < ELEMENTWISE_BLOCK ? TREE_SIZE - i : ELEMENTWISE_BLOCK;
        all = elementwise_values(r, i, count, &at, &e) != NULL;
    }
    ck_assert_msg(!all && strstr(e.text, faults[_i].part), "%s: %s", faults[_i].text, e.text);
    ck_assert_uint_eq(at, faults[_i].at);
    elementwise_end(r);
    arena_release(&a);
}
END_TEST

static const struct {
    const char *text, *part;
} refused[] = {
    {"y[i]", "column 1: unknown name 'y'"},
    {"x + 1", "column 1: 'x' is an array; give an index, as in x[i]"},
    {"x[i / 2]", "an index must be an integer"},
    {"x[0.5]", "an index must be an integer"},
    {"i[3]", "only an array or a list of constants takes an index"},
    {"x[1:3]", "a list is no number"},
    {"[i, 2]", "a list is no number"},
    {"'text'", "a number is expected here"},
    {"1.5 & 2", "'&' is for integers"},
    {"~x[0]", "'~' is for integers"},
    {"sum(k for k in i)", "a loop takes range(), an array, or a list of constants"},
    {"sum(k for k in range(2.5))", "range() takes integers"},
    {"sum(k + i for k, j in [[1, 2]])", "a loop here has one variable"},
    {"max(i for k in range(2) for j in range(3))", "one 'for'"},
    {"str(i)", "str() gives no number"},
    {"sorted(x)", "sorted() gives no number"},
    {"gcd(x[0], 2)", "gcd() takes integers"},
    {"i in x", "'in' takes a list of at most 64 constants"},
    {"i is 3", "compare numbers with == and !="},
    {"", "the expression is empty"},
};

START_TEST(refusals)
{
    struct arena a;
    struct error e = ERROR_INIT;
    arena_init(&a);
    ck_assert_ptr_null(tree_compile(&a, refused[_i].text, &e));
    ck_assert_msg(strstr(e.text, refused[_i].part) != NULL, "%s: %s", refused[_i].text, e.text);
    arena_release(&a);
}
END_TEST

START_TEST(deep_loops_are_refused)
{
    struct arena a;
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    arena_init(&a);
    for (int i = 0; i < 31; i++)
        text_add(&text, "sum(");
    text_add(&text, "i");
    for (int i = 0; i < 31; i++)
        text_addf(&text, " for k%d in range(i))", i);
    ck_assert_ptr_null(tree_compile(&a, text_cstr(&text), &e));
    ck_assert_ptr_nonnull(strstr(e.text, "loops stand within each other"));
    text_release(&text);
    arena_release(&a);
}
END_TEST

START_TEST(what_is_known_of_an_expression)
{
    struct arena a;
    arena_init(&a);
    struct elementwise *one = tree_compile(&a, "sum(x)", NULL),
                       *each = tree_compile(&a, "x[i]", NULL),
                       *whole = tree_compile(&a, "n[i] // 2", NULL),
                       *dear = tree_compile(&a, "sum(x[k] * i for k in range(1000))", NULL);
    ck_assert(!elementwise_uses_index(one) && elementwise_uses_index(each));
    ck_assert(elementwise_is_float(each) && !elementwise_is_float(whole));
    ck_assert_uint_gt(elementwise_cost(dear), 1000);
    ck_assert_uint_lt(elementwise_cost(each), 20);
    arena_release(&a);
}
END_TEST

// Kernels call their arguments so.
START_TEST(a_keyword_may_be_a_name)
{
    static const char *const texts[] = {"in[i]", "2 * in[i] if i not in (1, 2) else in[0]",
                                        "sum(v for v in in)"};
    const struct elementwise_array arrays[] = {
        {"in", TREE_ITEMS, true, 0, 0, tree_floats, tree_read}};
    const struct elementwise_question q = {texts[_i], 4, NULL, 0, arrays, 1};
    struct arena a;
    struct error e = ERROR_INIT;
    uint64_t at;
    arena_init(&a);
    struct elementwise *p = elementwise_compile(&a, &q, &e);
    ck_assert_msg(p != NULL, "%s: %s", texts[_i], e.text);
    struct elementwise_run *r = elementwise_begin(p);
    const union elementwise_value *v = elementwise_values(r, 0, 4, &at, &e);
    ck_assert_ptr_nonnull(v);
    double sum = 0;
    for (int k = 0; k < TREE_ITEMS; k++)
        sum += tree_floats[k];
    ck_assert_double_eq(v[0].f, _i == 0 ? 0.5 : _i == 1 ? 1 : sum);
    elementwise_end(r);
    arena_release(&a);
}
END_TEST

static void read_floats(const void *data, const int64_t *at, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++)
        ((double *)out)[i] = ((const float *)data)[at[i]];
}

static double seconds_of(const char *text, uint64_t size, const float *data, uint64_t count)
{
    const struct elementwise_constant constants[] = {{"a", {.kind = VALUE_FLOAT, .f = 2}},
                                                     {"n", {.kind = VALUE_INT, .i = 128}}};
    const struct elementwise_array arrays[] = {{"x", count, true, 0, 0, data, read_floats},
                                               {"y", count, true, 0, 0, data, read_floats}};
    const struct elementwise_question q = {text, size, constants, 2, arrays, 2};
    struct arena a;
    struct error e = ERROR_INIT;
    double sum = 0;
    arena_init(&a);
    clock_t start = clock(); // of this process: the machine may be busy
    struct elementwise *p = elementwise_compile(&a, &q, &e);
    ck_assert_msg(p != NULL, "%s", e.text);
    struct elementwise_run *r = elementwise_begin(p);
    for (uint64_t i = 0, at; i < size; i += ELEMENTWISE_BLOCK) {
        size_t lanes = size - i < ELEMENTWISE_BLOCK ? size - i : ELEMENTWISE_BLOCK;
        const union elementwise_value *v = elementwise_values(r, i, lanes, &at, &e);
        ck_assert_msg(v != NULL, "%s", e.text);
        sum += v[lanes - 1].f;
    }
    double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    ck_assert(isfinite(sum));
    elementwise_end(r);
    arena_release(&a);
    if (getenv("HONE_TEST_TIMES"))
        printf("%.4f s: %s for %llu\n", took, text, (unsigned long long)size);
    return took;
}

START_TEST(fast)
{
    const uint64_t million = 1 << 20;
    float *data = calloc(million, sizeof *data);
    ck_assert_ptr_nonnull(data);
    // Sanitizers and busy machines: ten times the time that is aimed at.
    ck_assert(seconds_of("a * x[i] + y[i]", million, data, million) < 1);
    ck_assert(seconds_of("x[(i % 1024) * 1024 + i // 1024]", million, data, million) < 1);
    ck_assert(seconds_of("sum(x[k] for k in range(i + 1))", million, data, million) < 1);
    ck_assert(seconds_of("sum(x)", 1, data, million) < 1);
    ck_assert(seconds_of("sum(x[i // n * n + k] * y[k * n + i % n] for k in range(n))", 128 * 128,
                         data, million) < 2);
    if (getenv("HONE_TEST_TIMES")) {
        seconds_of("sum(x[i // 512 * 512 + k] * y[k * 512 + i % 512] for k in range(512))",
                   512 * 512, data, million);
        seconds_of("sum(1 for k in range(len(x)) if x[k] == i)", 256, data, million);
        seconds_of("sum((x[k] - x[i]) / sqrt((x[k] - x[i]) ** 2 + 0.01) for k in range(4096))",
                   4096, data, million);
        seconds_of("y[i] if i % 1024 in (0, 1023) or i // 1024 in (0, 1023) else 0.25 * (x[i - 1] "
                   "+ x[i + 1] + x[i - 1024] + x[i + 1024])",
                   million, data, million);
    }
    free(data);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("elementwise");
    TCase *t = tcase_create("expressions over arrays");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, values, 0, sizeof agreeing / sizeof *agreeing);
    tcase_add_loop_test(t, faults_name_the_index, 0, sizeof faults / sizeof *faults);
    tcase_add_loop_test(t, refusals, 0, sizeof refused / sizeof *refused);
    tcase_add_loop_test(t, a_keyword_may_be_a_name, 0, 3);
    tcase_add_test(t, deep_loops_are_refused);
    tcase_add_test(t, what_is_known_of_an_expression);
    tcase_add_test(t, fast);
    suite_add_tcase(s, t);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
