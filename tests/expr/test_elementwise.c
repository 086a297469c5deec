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

// Integers beyond 2^63, wrapped ones, and lines: `want` at i = `at`, modulo 2**wraps.
static const struct {
    const char *text;
    uint32_t wraps;
    uint64_t at, want;
} unsigned_cases[] = {
    {"u[i] % 1000", 0, 1, 615}, // 18446744073709551615
    {"u[i] // 2", 0, 1, INT64_MAX},
    {"u[i] >> 63", 0, 1, 1},
    {"1 if u[i] > 2**63 else 0", 0, 1, 1},
    {"1 if u[1] > i - 5 else 0", 0, 0, 1},
    {"min(u[1], i)", 0, 7, 7},
    {"max(u[1], i) - 18446744073709551610", 0, 7, 5},
    {"u[1] - u[2]", 0, 0, UINT64_C(18446744073709551615) - UINT64_C(9223372036854775809)},
    {"(u[1] * u[1]) >> 64", 64, 0, UINT64_C(18446744073709551614)},
    {"u[1] * u[1] % 1000000007", 0, 0, 114944269},
    {"u[1] * u[2] // u[1] - 2**63", 0, 0, 1},
    {"(u[i] ^ 255) * 1099511628211", 64, 3, UINT64_C(12638352127299873646)},
    {"(u[i] << 13 | u[i] >> 51) % 2**64", 64, 3,
     UINT64_C(0xcbf29ce484222325) << 13 | UINT64_C(0xcbf29ce484222325) >> 51},
    {"i * 2654435761", 32, 299, UINT64_C(3402310075)},
    {"i - 5", 32, 0, UINT32_MAX - 4},
    {"~i", 16, 1, 65534},
    {"-i & 0xffffffffffffffff", 64, 1, UINT64_MAX},
    {"-i & 2**64 - 1", 64, 1, UINT64_MAX},
    {"sum(u[k] for k in range(4))", 64, 0, UINT64_C(5472609002491880229)},
    {"sum(u[k] * u[k] for k in range(4)) % 2**32 + 1", 0, 0, UINT64_C(2191991644)},
    {"prod(u[3] for k in range(3))", 64, 0, UINT64_C(17377058345181988573)},
    {"(u[1] if i % 2 else -1) * 3 % 2**16", 0, 1, 65533},
    {"[18446744073709551615, 2][i % 2]", 64, 2, UINT64_MAX},
    {"int(abs(sin(1)) * 2**32)", 0, 0, 0xd76aa478},
    {"c = i\nc + 1", 0, 4, 5},
    {"a1, b1 = i, 7; a1, b1 = b1, a1; a1 * 1000 + b1", 0, 5, 7005},
    {"x1 = x[i] * 2; int(x1 / x1) if x1 else 3", 0, 3, 3},
    {"s = 0\nfor k in range(i): s = s + k\ns", 0, 9, 36},
    {"s = 0.5; for k in [3, 4]: s = s + k; t = s\nint(s * 2)", 0, 0, 15},
    {"p, q = 0, 1\nfor k in range(80):\n    p, q = q, (p + q) % 2**64\np", 64, 0,
     UINT64_C(23416728348467685)},
    {"s = 0\nfor k in range(3): t = sum(n[j] * s for j in range(k)); s = s + t + 1\ns", 0, 0, 26},
    {"s = -1\nfor k in range(40): s = s * 2\ns + 2**41", 0, 0, UINT64_C(1) << 40},
    // CRC-32 of "a"
    {"c = 97 ^ 0xffffffff\nfor k in range(8): c = c >> 1 ^ (0xedb88320 if c & 1 else 0)\n"
     "c ^ 0xffffff00 ^ 0xff",
     32, 0, UINT64_C(3904355907)},
    // Philox 4x32-10 of zeros: its first word, as published
    {"c0, c1, c2, c3, k0, k1 = 0, 0, 0, 0, 0, 0\n"
     "for r in range(10):\n"
     "    p, q = 0xd2511f53 * c0, 0xcd9e8d57 * c2\n"
     "    c0, c1, c2, c3 = q >> 32 ^ c1 ^ k0, q % 2**32, p >> 32 ^ c3 ^ k1, p % 2**32\n"
     "    k0, k1 = (k0 + 0x9e3779b9) % 2**32, (k1 + 0xbb67ae85) % 2**32\n"
     "c0",
     32, 0, 0x6627e8d5},
    // xxHash64 of nothing, seed i
    {"h = (i + 2870177450012600261) % 2**64\nh = (h ^ h >> 33) * 14029467366897019727 % 2**64\n"
     "h = (h ^ h >> 29) * 1609587929392839161 % 2**64\nh ^ h >> 32",
     64, 0, UINT64_C(0xef46db3751d8e999)},
    // MD5 of nothing: its first word
    {"a1, b1, c1, d1 = 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476\n"
     "for k in range(64):\n"
     "    f = (b1 & c1 | ~b1 & d1) if k < 16 else (d1 & b1 | ~d1 & c1) if k < 32 else "
     "b1 ^ c1 ^ d1 if k < 48 else c1 ^ (b1 | ~d1)\n"
     "    g = "
     "(k if k < 16 else 5 * k + 1 if k < 32 else 3 * k + 5 if k < 48 else 7 * k) % 16\n"
     "    s = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21][k // 16 * 4 + k % 4]\n"
     "    t = (a1 + f + int(abs(sin(k + 1)) * 2**32) + (128 if g == 0 else 0)) % 2**32\n"
     "    a1, b1, c1, d1 = d1, (b1 + (t << s | t >> 32 - s)) % 2**32, b1, c1\n"
     "a1 + 0x67452301",
     32, 0, 0xd98c1dd4},
};

static const uint64_t large[] = {0, UINT64_MAX, UINT64_C(9223372036854775809),
                                 UINT64_C(0xcbf29ce484222325)};

START_TEST(whole_integers)
{
    struct elementwise_array arrays[3] = {tree_arrays[0], tree_arrays[1]};
    struct elementwise_question q = {unsigned_cases[_i].text, TREE_SIZE, NULL, 0, arrays, 3,
                                     unsigned_cases[_i].wraps};
    struct arena a;
    struct error e = ERROR_INIT;
    uint64_t at;
    arrays[2] = (struct elementwise_array){
        .name = "u", .count = 4, .data = large, .read = tree_read, .is_unsigned = true};
    arena_init(&a);
    struct elementwise *p = elementwise_compile(&a, &q, &e);
    ck_assert_msg(p != NULL, "%s: %s", q.text, e.text);
    struct elementwise_run *r = elementwise_begin(p);
    ck_assert_ptr_nonnull(r);
    // Alone, and as one lane of several.
    const union elementwise_value *v = elementwise_values(r, unsigned_cases[_i].at, 1, &at, &e);
    ck_assert_msg(v && (uint64_t)v->i == unsigned_cases[_i].want, "%s: %llu, %s", q.text,
                  v ? (unsigned long long)v->i : 0, e.text);
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
    {"i * 2 ** 60", "at i = 16: integer overflow", 16},
    {"sqrt(5 - i)", "at i = 6: argument outside", 6},
    {"sum(x[k] for k in range(i))", "at i = 25: x[24] is outside", 25},
    {"sum(x[k + i] for k in range(20))", "is outside", 5},
    {"max(x[k] for k in range(3 - i))", "at i = 3: ", 3},
    {"sum(k for k in range(0, 5, i - 2))", "at i = 2: ", 2},
    {"[1, 2, 3][i]", "at i = 3: the list[3] is outside", 3},
    {"i << 62", "at i = 4: integer overflow", 4},
    {"sum(2 ** 62 for k in range(i))", "at i = 4: integer overflow", 4},
    {"-sum(2 ** 62 for k in range(i))", "at i = 3: integer overflow", 3},
    {"i * 2 ** 62 * 4 // 8", "at i = 4: integer overflow", 4},
    {"c = x[i]\nc if i < 24 else 0", "at i = 24: x[24] is outside", 24},
    {"s = 1\nfor k in range(i): s = s * 2**20\ns", "at i = 4: integer overflow", 4},
    {"s = 0\nfor k in range(i): s = s + x[k]\ns", "at i = 25: x[24] is outside", 25},
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
    {"c = 3\nd", "line 2: column 1: unknown name 'd'"},
    {"c = 3\nc + x", "line 2: column 5: 'x' is an array"},
    {"c = i; c = 2", "the last line gives the value"},
    {"n = 2\nn", "line 1: 'n' stands for something else"},
    {"a1, b1 = 1, 2, 3\na1", ": 2 values are wanted, one for each name"},
    {"c = 1\nfor k in range(3): for j in range(3): c = 2\nc", "line 2: a loop stands in no other"},
    {"for k in range(3): c = k\n3", "line 1: column 10: the loop changes no name"},
    {"i + 1\nc = 2\nc", "line 1: the value stands in the last line"},
    {"c = 1\nfor k in range(3): t = c; c = t\nt", "line 3: column 1: unknown name 't'"},
    {"x[i / 2]", "an index must be an integer"},
    {"x[0.5]", "an index must be an integer"},
    {"i[3]", "only an array or a list of constants takes an index"},
    {"x[1:3]", "a list is not a number"},
    {"[i, 2]", "a list is not a number"},
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
        {"in", TREE_ITEMS, true, 0, 0, tree_floats, tree_read, false}};
    const struct elementwise_question q = {texts[_i], 4, NULL, 0, arrays, 1, 0};
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
    const struct elementwise_array arrays[] = {{"x", count, true, 0, 0, data, read_floats, false},
                                               {"y", count, true, 0, 0, data, read_floats, false}};
    const struct elementwise_question q = {text, size, constants, 2, arrays, 2, 0};
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
    tcase_add_loop_test(t, whole_integers, 0, sizeof unsigned_cases / sizeof *unsigned_cases);
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
