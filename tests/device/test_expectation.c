// What outputs should hold, by expressions over the index: types, gaps of 3-vectors, totals, values that a type does not
// hold, and the same whatever the number of threads.
#include "kit.h"

#include "device/expectation.h"
#include "device/fill.h"
#include "device/parallel.h"

#include <stdlib.h>
#include <string.h>

static struct job_buffer generated(const char *name, enum scalar scalar, uint32_t width,
                                   uint64_t count, const char *text)
{
    struct job_buffer b = {.name = name, .element = {scalar, width, 0}, .count = count};
    b.fill = (struct job_fill){.kind = text ? FILL_GENERATOR : FILL_NONE, .expression = text};
    return b;
}

static bool expect_in(struct job_buffer *target, struct job_buffer *others, uint32_t count,
                      struct job_expression *x, void *out, struct error *e)
{
    struct job_buffer all[8];
    struct job j = {.buffers = all, .buffer_count = count + 1};
    all[0] = *target;
    if (count > 0)
        memcpy(all + 1, others, count * sizeof *others);
    return expectation_make(&j, x, out, e);
}

START_TEST(every_type_is_read)
{
    static const enum scalar scalars[] = {SCALAR_BOOL,     SCALAR_I8,   SCALAR_U8,    SCALAR_I16,
                                          SCALAR_U16,      SCALAR_I32,  SCALAR_U32,   SCALAR_I64,
                                          SCALAR_U64,      SCALAR_HALF, SCALAR_FLOAT, SCALAR_DOUBLE,
                                          SCALAR_BFLOAT16, SCALAR_E4M3, SCALAR_E5M2};
    enum scalar s = scalars[_i];
    struct job_buffer target = generated("y", SCALAR_DOUBLE, 1, 300, NULL);
    struct job_buffer x = generated("x", s, 1, 300, s == SCALAR_BOOL ? "i % 2" : "(i * 7) % 100");
    struct job_expression text = {.text = "x[i] * 3 + 0.5"};
    double out[300];
    struct error e = ERROR_INIT;
    ck_assert_msg(expect_in(&target, &x, 1, &text, out, &e), "%s", e.text);
    for (int i = 0; i < 300; i++)
        ck_assert_double_eq(out[i], (s == SCALAR_BOOL ? i % 2 : i * 7 % 100) * 3 + 0.5);
}
END_TEST

START_TEST(every_integer_type_is_written)
{
    static const enum scalar scalars[] = {SCALAR_BOOL, SCALAR_I8,  SCALAR_U8,
                                          SCALAR_I16,  SCALAR_U16, SCALAR_I32,
                                          SCALAR_U32,  SCALAR_I64, SCALAR_U64};
    enum scalar s = scalars[_i];
    struct job_buffer target = generated("y", s, 1, 300, NULL);
    struct job_expression text = {.text = "i % 2"};
    uint8_t out[300 * 8];
    bool doubles;
    struct error e = ERROR_INIT;
    struct job j = {.buffers = &target, .buffer_count = 1};
    ck_assert_uint_eq(expectation_bytes(&j, &text, &doubles), 300 * scalar_bytes(s));
    ck_assert(!doubles);
    ck_assert_msg(expect_in(&target, NULL, 0, &text, out, &e), "%s", e.text);
    for (uint32_t i = 0; i < 300; i++) {
        uint64_t v = 0;
        memcpy(&v, out + i * scalar_bytes(s), scalar_bytes(s));
        ck_assert_uint_eq(v, i % 2);
    }
}
END_TEST

START_TEST(three_vectors_have_a_gap)
{
    struct job_buffer target = generated("y", SCALAR_I32, 3, 4, NULL),
                      x = generated("x", SCALAR_FLOAT, 3, 4, "i");
    struct job_expression text = {.text = "int(x[i]) * 10"};
    int32_t out[16];
    struct error e = ERROR_INIT;
    ck_assert_msg(expect_in(&target, &x, 1, &text, out, &e), "%s", e.text);
    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(out[i / 3 * 4 + i % 3], 10 * i);
    ck_assert_int_eq(out[3], 0);
}
END_TEST

START_TEST(numbers_have_names)
{
    struct job_number numbers[] = {{.name = "a", .is_float = true, .number = 2.5},
                                   {.name = "N", .integer = 7}};
    struct job_expression text = {.text = "a * (i + N)", .numbers = numbers, .number_count = 2};
    struct job_buffer target = generated("y", SCALAR_FLOAT, 1, 8, NULL);
    double out[8];
    struct error e = ERROR_INIT;
    ck_assert_msg(expect_in(&target, NULL, 0, &text, out, &e), "%s", e.text);
    ck_assert_double_eq(out[5], 30);
}
END_TEST

START_TEST(a_total_is_one_number)
{
    struct job_buffer target = generated("partial", SCALAR_I32, 1, 64, NULL),
                      x = generated("x", SCALAR_I32, 1, 1000, "i");
    struct job_expression text = {.text = "sum(x)", .total = true};
    struct job j = {.buffers = &target, .buffer_count = 1};
    double out = 0;
    bool doubles;
    struct error e = ERROR_INIT;
    ck_assert_uint_eq(expectation_bytes(&j, &text, &doubles), sizeof out);
    ck_assert(doubles);
    ck_assert_msg(expect_in(&target, &x, 1, &text, &out, &e), "%s", e.text);
    ck_assert_double_eq(out, 499500);
}
END_TEST

static const struct wide_total {
    enum scalar scalar;
    const char *text;
    int64_t value;
    const char *fault; // NULL: it has that value
} wide_totals[] = {
    {SCALAR_I64, "2 ** 53 + 3", (INT64_C(1) << 53) + 3, NULL},
    {SCALAR_U64, "2 ** 53 + 3", (INT64_C(1) << 53) + 3, NULL},
    {SCALAR_I64, "sum(x) / 2", 249750, NULL},
    {SCALAR_U64, "big[0]", -1, NULL}, // 2^64 - 1
    {SCALAR_I64, "big[0]", 0, "18446744073709551615 is not a sum of type int64"},
    {SCALAR_U64, "0 - 7", 0, "-7 is not a sum of type uint64"},
    {SCALAR_I64, "0.5 + sum(x)", 0, "499500.5 is no sum of integers"},
};

START_TEST(a_wide_total_is_an_integer)
{
    const struct wide_total *c = &wide_totals[_i];
    struct job_buffer target = generated("partial", c->scalar, 1, 64, NULL);
    struct job_buffer others[] = {generated("x", SCALAR_I32, 1, 1000, "i"),
                                  generated("big", SCALAR_U64, 1, 300, NULL)};
    struct job_expression text = {.text = c->text, .total = true};
    struct job j = {.buffers = &target, .buffer_count = 1};
    int64_t out = 0;
    bool doubles;
    struct error e = ERROR_INIT;
    others[1].fill = (struct job_fill){.kind = FILL_CONSTANT, .integer = -1};
    ck_assert_uint_eq(expectation_bytes(&j, &text, &doubles), sizeof out);
    ck_assert(!doubles);
    bool ok = expect_in(&target, others, 2, &text, &out, &e);
    ck_assert_msg(ok == !c->fault, "%s", e.text);
    ck_assert_int_eq(out, c->value);
    ck_assert_msg(ok || strstr(e.text, c->fault), "%s", e.text);
}
END_TEST

static const struct {
    enum scalar scalar;
    const char *text, *part;
} wrong[] = {
    {SCALAR_I8, "i * 2", "y: 'i * 2': at i = 64: 128 is not a value of type int8"},
    {SCALAR_I32, "i - 5 - 2 ** 31", "at i = 0: -2147483653 is not a value of type int32"},
    {SCALAR_BOOL, "i", "at i = 2: 2 is not a value of type bool"},
    {SCALAR_I64, "big[i]", "at i = 0: 18446744073709551615 is not a value of type int64"},
    {SCALAR_I32, "x[i]", "it gives floats, and y holds integers"},
    {SCALAR_FLOAT, "x[i + 1]", "at i = 299: x[300] is outside: x has 300 elements"},
    {SCALAR_FLOAT, "y[i]", "unknown name 'y'"}, // what is not filled has no contents
    {SCALAR_FLOAT, "x[i] +", "column 7"},
    {SCALAR_FLOAT, "big[i] + i", "at i = 1: integer overflow"},
};

START_TEST(what_has_no_value_is_told)
{
    struct job_buffer target = generated("y", wrong[_i].scalar, 1, 300, NULL);
    struct job_buffer others[] = {generated("x", SCALAR_FLOAT, 1, 300, "i"),
                                  generated("big", SCALAR_U64, 1, 300, NULL)};
    struct job_expression text = {.text = wrong[_i].text};
    double out[300];
    struct error e = ERROR_INIT;
    others[1].fill = (struct job_fill){.kind = FILL_CONSTANT, .integer = -1};
    ck_assert(!expect_in(&target, others, 2, &text, out, &e));
    ck_assert_msg(strstr(e.text, wrong[_i].part) != NULL, "%s", e.text);
}
END_TEST

START_TEST(unsigned_types_wrap)
{
    struct job_buffer target = generated("y", SCALAR_U8, 1, 300, NULL);
    struct job_buffer wide = generated("y", SCALAR_U64, 1, 2, NULL),
                      real = generated("y", SCALAR_FLOAT, 1, 2, NULL);
    struct job_buffer big = generated("big", SCALAR_U64, 1, 300, NULL);
    struct job_expression text = {.text = "i * 7 - 9"}, large = {.text = "big[i] - i"},
                          rounded = {.text = "big[0]"};
    uint8_t out[300];
    uint64_t bits[2];
    double numbers[2];
    struct error e = ERROR_INIT;
    big.fill = (struct job_fill){.kind = FILL_CONSTANT, .integer = -1};
    ck_assert_msg(expect_in(&target, &big, 1, &text, out, &e), "%s", e.text);
    for (int i = 0; i < 300; i++)
        ck_assert_uint_eq(out[i], (uint8_t)(i * 7 - 9));
    ck_assert_msg(expect_in(&wide, &big, 1, &large, bits, &e), "%s", e.text);
    ck_assert(bits[0] == UINT64_MAX && bits[1] == UINT64_MAX - 1);
    ck_assert_msg(expect_in(&real, &big, 1, &rounded, numbers, &e), "%s", e.text);
    ck_assert_double_eq(numbers[1], 0x1p64);
}
END_TEST

static unsigned cores;
unsigned __wrap_process_cores(void);
unsigned __wrap_process_cores(void)
{
    return cores;
}

// A prefix sum begins anew in each thread.
START_TEST(threads_agree)
{
    enum { COUNT = 1 << 20 };
    struct job_buffer target = generated("y", SCALAR_DOUBLE, 1, COUNT, NULL),
                      x = generated("x", SCALAR_FLOAT, 1, COUNT, NULL);
    struct job_expression text = {.text = "sum(x[k] for k in range(i + 1)) if i % 3 else x[i] / 3"};
    double *one = malloc(COUNT * sizeof *one), *many = malloc(COUNT * sizeof *many);
    struct error e = ERROR_INIT;
    ck_assert(one && many);
    x.fill = (struct job_fill){.kind = FILL_UNIFORM, .low = -1, .high = 1, .seed = 3};
    cores = 1;
    parallel_count_cores();
    ck_assert_msg(expect_in(&target, &x, 1, &text, one, &e), "%s", e.text);
    cores = 7;
    parallel_count_cores();
    ck_assert_msg(expect_in(&target, &x, 1, &text, many, &e), "%s", e.text);
    ck_assert_mem_eq(one, many, COUNT * sizeof *one);
    text.text = "x[i] if i != 999999 and i != 5000 else 1 // (i // 999999)";
    ck_assert(!expect_in(&target, &x, 1, &text, many, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "at i = 5000: division by zero"));
    free(one);
    free(many);
}
END_TEST

static void add_expectations(TCase *t)
{
    tcase_add_loop_test(t, every_type_is_read, 0, 13);
    tcase_add_loop_test(t, every_integer_type_is_written, 0, 9);
    tcase_add_test(t, three_vectors_have_a_gap);
    tcase_add_test(t, numbers_have_names);
    tcase_add_test(t, a_total_is_one_number);
    tcase_add_loop_test(t, a_wide_total_is_an_integer, 0, sizeof wide_totals / sizeof *wide_totals);
    tcase_add_loop_test(t, what_has_no_value_is_told, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(t, threads_agree);
    tcase_add_test(t, unsigned_types_wrap);
}

int main(void)
{
    return kit_run("expectation", add_expectations);
}
