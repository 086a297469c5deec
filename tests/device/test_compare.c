// Comparison of outputs with references: known answers for every kind, and every way of being
// wrong.
#include "kit.h"

#include "device/compare_output.h"
#include "device/fill.h"
#include "device/gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct job_buffer floats(uint64_t count, struct job_compare compare)
{
    struct job_buffer b = {.name = "C", .element = {SCALAR_FLOAT, 1, 0}, .count = count};
    b.compare = compare;
    return b;
}

static struct deviation compare_doubles(const struct job_buffer *b, const void *got,
                                        const double *expected)
{
    struct expected x = {.data = expected, .doubles = true};
    struct deviation d;
    compare_output(b, got, &x, &d);
    return d;
}

static struct deviation compare_raw(const struct job_buffer *b, const void *got,
                                    const void *expected)
{
    struct expected x = {.data = expected};
    struct deviation d;
    compare_output(b, got, &x, &d);
    return d;
}

START_TEST(norm_and_largest_deviation_are_known)
{
    // ||(0, 0.5, 0, 1.2)|| = 1.3 against ||(3, 4, 0, 12)|| = 13.
    static const double expected[] = {3, 4, 0, 12};
    static const float got[] = {3, 4.5F, 0, 10.8F};
    struct job_buffer b = floats(4, (struct job_compare){COMPARE_NORM, .rtol = 0.2});
    struct deviation d = compare_doubles(&b, got, expected);
    ck_assert(d.ok);
    ck_assert_double_eq_tol(d.norm, 0.1, 1e-7);
    ck_assert_double_eq_tol(d.largest, 1.2, 1e-6);
    ck_assert_uint_eq(d.index, 3);
    ck_assert_double_eq_tol(d.got, 10.8, 1e-6);
    ck_assert(d.expected == 12);
    b.compare.rtol = 0.09;
    d = compare_doubles(&b, got, expected);
    ck_assert(!d.ok);
}
END_TEST

// Kind, tolerances, whether (1, 2, 100.5) passes for (1, 2, 100), how many are wrong.
static const struct {
    struct job_compare compare;
    bool ok;
    uint64_t wrong;
} kinds[] = {
    {{COMPARE_EXACT, .atol = 0}, false, 1},
    {{COMPARE_ABSOLUTE, .atol = 0.5}, true, 0},
    {{COMPARE_ABSOLUTE, .atol = 0.49}, false, 1},
    {{COMPARE_ABSOLUTE, .atol = 0.1, .rtol = 1}, false, 1},
    {{COMPARE_CLOSE, .atol = 0, .rtol = 0.005}, true, 0},
    {{COMPARE_CLOSE, .atol = 0, .rtol = 0.0049}, false, 1},
    {{COMPARE_CLOSE, .atol = 0.02, .rtol = 0.0049}, true, 0},
    {{COMPARE_NORM, .rtol = 0.006}, true, 0},
    {{COMPARE_NORM, .rtol = 0.004}, false, 0},
    {{COMPARE_SUM, .atol = 0.5}, true, 0},
    {{COMPARE_SUM, .atol = 0.4}, false, 0},
    {{COMPARE_EXACT, .first = 0, .count = 2}, true, 0},
    {{COMPARE_EXACT, .first = 2, .count = 1}, false, 1},
};

START_TEST(each_kind_has_its_tolerance)
{
    static const float got[] = {1, 2, 100.5F};
    static const double expected[] = {1, 2, 100};
    struct job_buffer b = floats(3, kinds[_i].compare);
    struct deviation d = compare_doubles(&b, got, expected);
    ck_assert_int_eq(d.ok, kinds[_i].ok);
    ck_assert_uint_eq(d.wrong, kinds[_i].wrong);
}
END_TEST

// NaN fails, also where the reference has it, unless that is allowed; an infinity must be the
// reference's.
START_TEST(nan_and_infinity_pass_only_where_the_reference_has_them)
{
    static const double expected[] = {1, INFINITY, -INFINITY, NAN, 2, 1e300};
    const float same[] = {1, INFINITY, -INFINITY, NAN, 2, INFINITY}; // 1e300 is no float
    const float other[] = {NAN, -INFINITY, 1, 1, 2, INFINITY};
    struct job_buffer b =
        floats(6, (struct job_compare){.kind = (enum compare_kind)_i, .rtol = 1e-5});
    if (_i == COMPARE_SUM || _i == COMPARE_SET)
        return; // below
    struct deviation d = compare_doubles(&b, same, expected);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.nans, 1);
    ck_assert_uint_eq(d.output_nans, 1);
    ck_assert_uint_eq(d.reference_nans, 1);
    ck_assert_uint_eq(d.index, 3);
    b.compare.allow_nan = true;
    d = compare_doubles(&b, same, expected);
    ck_assert(d.ok);
    ck_assert_uint_eq(d.nans, 0);
    d = compare_doubles(&b, other, expected);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.nans, 2);
    ck_assert_uint_eq(d.wrong, 4);
    ck_assert_uint_eq(d.index, 0);
}
END_TEST

static const enum scalar float_types[] = {SCALAR_HALF, SCALAR_FLOAT, SCALAR_DOUBLE};

// The same bytes on both sides, as of a kernel whose default configuration has NaN too.
START_TEST(nan_of_the_reference_is_refused_in_every_type)
{
    static const uint16_t halves[] = {0x3c00, 0x7e00, 0x7c00, 0x4000};
    const float singles[] = {1, NAN, INFINITY, 2};
    const double doubles[] = {1, NAN, INFINITY, 2};
    const void *const data[] = {halves, singles, doubles};
    char text[300];
    struct job_buffer b = floats(2, (struct job_compare){.kind = (enum compare_kind)(_i / 3)});
    b.element = (struct element){float_types[_i % 3], 2, 0, false};
    struct deviation d = compare_raw(&b, data[_i % 3], data[_i % 3]);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.output_nans, 1);
    ck_assert_uint_eq(d.reference_nans, 1);
    compare_message(&b, &d, text, sizeof text);
    ck_assert_msg(strstr(text, "1 NaN in the output, 1 in the reference (NaN is refused unless the "
                               "argument says \"AllowNaN\": true)"),
                  "%s", text);
    b.compare.allow_nan = true;
    d = compare_raw(&b, data[_i % 3], data[_i % 3]);
    ck_assert_msg(d.ok, "kind %d", _i / 3);
}
END_TEST

START_TEST(poison_is_unwritten_unless_the_reference_says_so)
{
    enum { COUNT = 1000 };
    float got[COUNT];
    double expected[COUNT];
    struct job_buffer b = floats(COUNT, (struct job_compare){COMPARE_NORM, .rtol = 1e-5});
    for (int i = 0; i < COUNT; i++)
        expected[i] = got[i] = (float)i;
    memset(&got[300], POISON_BYTE, 5 * sizeof *got);
    struct deviation d = compare_doubles(&b, got, expected);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.unwritten, 5);
    ck_assert_uint_eq(d.index, 300);
    for (int i = 300; i < 305; i++)
        expected[i] = got[i];
    d = compare_doubles(&b, got, expected);
    ck_assert(d.ok);
    ck_assert_uint_eq(d.unwritten, 0);
}
END_TEST

// In narrow types the poison is a value like any other.
START_TEST(poison_as_a_legitimate_value_is_no_failure)
{
    uint8_t got[300], expected[300];
    struct job_buffer b = {.name = "n", .element = {SCALAR_U8, 1, 0}, .count = 300};
    for (int i = 0; i < 300; i++)
        got[i] = expected[i] = (uint8_t)i;
    b.compare.kind = COMPARE_EXACT;
    struct deviation d = compare_raw(&b, got, expected);
    ck_assert(d.ok);
    got[7] = POISON_BYTE;
    d = compare_raw(&b, got, expected);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.unwritten, 1);
    ck_assert_uint_eq(d.index, 7);
}
END_TEST

START_TEST(wide_integers_are_compared_exactly)
{
    static const int64_t got[] = {INT64_C(9007199254740993), INT64_MIN, 5};
    static const int64_t expected[] = {INT64_C(9007199254740992), INT64_MIN, 5};
    struct job_buffer b = {.name = "n", .element = {SCALAR_I64, 1, 0}, .count = 3};
    b.compare.kind = COMPARE_EXACT;
    struct deviation d = compare_raw(&b, got, expected);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.wrong, 1);
    ck_assert(d.largest == 1);
    d = compare_raw(&b, expected, expected);
    ck_assert(d.ok);
}
END_TEST

START_TEST(unused_places_of_three_vectors_do_not_matter)
{
    static const float got[] = {1, 2, 3, 99, 4, 5, 6, 98};
    static const float expected[] = {1, 2, 3, 0, 4, 5, 6.5F, 0};
    static const double doubles[] = {1, 2, 3, 4, 5, 6};
    struct job_buffer b = floats(2, (struct job_compare){COMPARE_ABSOLUTE, .atol = 0.1});
    b.element.width = 3;
    struct deviation d = compare_raw(&b, got, expected);
    ck_assert_uint_eq(d.wrong, 1);
    ck_assert_uint_eq(d.index, 5);
    d = compare_doubles(&b, got, doubles);
    ck_assert(d.ok);
}
END_TEST

START_TEST(extreme_numbers_do_not_overflow)
{
    static const double huge[] = {3e200, 4e200}, tiny[] = {3e-200, 4e-200};
    static const double huge_got[] = {3e200, 4.5e200}, tiny_got[] = {3e-200, 4.5e-200};
    struct job_buffer b = floats(2, (struct job_compare){COMPARE_NORM, .rtol = 0.2});
    b.element.scalar = SCALAR_DOUBLE;
    struct deviation d = compare_doubles(&b, huge_got, huge);
    ck_assert_double_eq_tol(d.norm, 0.1, 1e-12);
    d = compare_doubles(&b, tiny_got, tiny);
    ck_assert_double_eq_tol(d.norm, 0.1, 1e-12);
}
END_TEST

START_TEST(a_zero_reference_wants_zeros)
{
    static const double zeros[4];
    static const float got[4], other[] = {0, 0, 1e-30F, 0};
    struct job_buffer b = floats(4, (struct job_compare){COMPARE_NORM, .rtol = 1e-5});
    struct deviation d = compare_doubles(&b, got, zeros);
    ck_assert(d.ok);
    ck_assert(d.norm == 0);
    d = compare_doubles(&b, other, zeros);
    ck_assert(!d.ok);
    ck_assert(isinf(d.norm));
}
END_TEST

// More than one thread's worth, with a length that is no multiple of anything.
START_TEST(large_outputs_are_compared_whole)
{
    enum { COUNT = 300007 };
    float *got = malloc(COUNT * sizeof *got);
    double *expected = malloc(COUNT * sizeof *expected);
    struct job_buffer b = floats(COUNT, (struct job_compare){COMPARE_ABSOLUTE, .atol = 0});
    for (int i = 0; i < COUNT; i++)
        expected[i] = got[i] = (float)(i % 1000);
    struct deviation d = compare_doubles(&b, got, expected);
    ck_assert(d.ok);
    got[COUNT - 1] += 1;
    got[5] += 0.5F;
    d = compare_doubles(&b, got, expected);
    ck_assert_uint_eq(d.wrong, 2);
    ck_assert_uint_eq(d.index, COUNT - 1);
    got[7] = NAN;
    d = compare_doubles(&b, got, expected);
    ck_assert_uint_eq(d.index, 7);
    ck_assert_uint_eq(d.nans, 1);
    free(got);
    free(expected);
}
END_TEST

// What a kernel reads and writes is not poisoned: the value is one like any other there.
START_TEST(what_is_not_poisoned_is_wrong_and_not_unwritten)
{
    float got[4], expected[4] = {1, 2, 3, 4};
    struct job_buffer b = floats(4, (struct job_compare){.kind = COMPARE_EXACT});
    b.access = ACCESS_BOTH;
    memset(got, POISON_BYTE, sizeof got);
    struct deviation d = compare_raw(&b, got, expected);
    ck_assert_uint_eq(d.unwritten, 0);
    ck_assert_uint_eq(d.wrong, 4);
    ck_assert(d.written == WRITTEN_UNKNOWN);
}
END_TEST

START_TEST(the_share_that_was_written_is_told)
{
    enum { COUNT = 1000 };
    float got[COUNT], expected[COUNT];
    uint8_t left[COUNT] = {0};
    struct job_buffer b = floats(COUNT, (struct job_compare){.kind = COMPARE_EXACT});
    struct expected x = {.data = expected, .left = left};
    struct deviation d;
    for (int i = 0; i < COUNT; i++)
        got[i] = expected[i] = (float)i;
    ck_assert_uint_eq(compare_raw(&b, got, expected).written, COUNT);
    memset(&expected[900], POISON_BYTE, 100 * sizeof *expected);
    memset(&got[910], POISON_BYTE, 90 * sizeof *got);
    memset(&left[900], 1, 100);
    ck_assert(compare_output(&b, got, &x, &d)); // ten more than the reference wrote: not compared
    ck_assert_uint_eq(d.left, 100);
    ck_assert_uint_eq(d.written, 910);
    ck_assert_uint_eq(d.components, COUNT);
    memset(&got[3], POISON_BYTE, 2 * sizeof *got);
    ck_assert(!compare_output(&b, got, &x, &d));
    ck_assert_uint_eq(d.written, 908);
    ck_assert_uint_eq(d.unwritten, 2);
    b.compare = (struct job_compare){.kind = COMPARE_EXACT, .first = 900, .count = 50};
    ck_assert(compare_output(&b, got, &x, &d));
    ck_assert_uint_eq(d.components, 50);
    ck_assert_uint_eq(d.written, 10);
}
END_TEST

// Partial sums of other counts, and in other places.
START_TEST(wholes_may_have_another_size)
{
    static const float got[] = {9, 1, 2, 3, 4}, expected[] = {3, 7, 99}, off[] = {3, 7.5F, 99};
    char text[300];
    struct job_buffer b =
        floats(5, (struct job_compare){.kind = COMPARE_SUM, .rtol = 1e-6, .first = 1, .count = 4});
    struct expected x = {.data = expected, .region = {0, 2}};
    struct deviation d;
    ck_assert(compare_output(&b, got, &x, &d));
    ck_assert(d.got == 10 && d.expected == 10 && d.norm == 0);
    ck_assert_uint_eq(d.written, 4);
    x.data = off;
    ck_assert(!compare_output(&b, got, &x, &d));
    compare_message(&b, &d, text, sizeof text);
    ck_assert_str_eq(text, "C: the sum is 10, expected 10.5 (may be off by 1.05e-05)");
    float half_written[] = {9, 10, 0, 0, 4};
    memset(&half_written[2], POISON_BYTE, 8);
    ck_assert(!compare_output(&b, half_written, &x, &d));
    compare_message(&b, &d, text, sizeof text);
    ck_assert_str_eq(text, "C: 2 elements unwritten");
}
END_TEST

// Above 2^53 neighbours are one double; in a place of their own, and beside each other.
START_TEST(sums_of_integers_are_exact)
{
    static const int64_t got[] = {INT64_C(1) << 53, 1, 1, 1}, off[] = {INT64_C(1) << 53, 1, 1, 0};
    static const int64_t total[] = {(INT64_C(1) << 53) + 3};
    static const uint64_t large[] = {UINT64_MAX, 2, UINT64_MAX, 1};
    static const uint64_t turned[] = {1, UINT64_MAX, UINT64_MAX, 2};
    static const uint64_t less[] = {1, UINT64_MAX, UINT64_MAX, 1};
    char text[300];
    struct job_buffer b = floats(4, (struct job_compare){.kind = COMPARE_SUM});
    b.element = (struct element){SCALAR_I64, 1, 0, false};
    struct expected x = {.data = total, .region = {0, 1}};
    struct deviation d;
    ck_assert(compare_output(&b, got, &x, &d));
    ck_assert(!compare_output(&b, off, &x, &d));
    ck_assert(d.largest == 1);
    compare_message(&b, &d, text, sizeof text);
    ck_assert_str_eq(text,
                     "C: the sum is 9007199254740994, expected 9007199254740995 (may be off by 0)");
    ck_assert(!compare_raw(&b, off, got).ok);
    b.element.scalar = SCALAR_U64;
    ck_assert(compare_raw(&b, large, turned).ok);
    d = compare_raw(&b, less, turned);
    ck_assert(!d.ok);
    compare_message(&b, &d, text, sizeof text);
    ck_assert_str_eq(text, "C: the sum is 36893488147419103232, expected 36893488147419103233 (may "
                           "be off by 0)");
    static const int16_t small[] = {-3, 5, -32768, 7}, other[] = {-32768, 0, 0, 9};
    b.element.scalar = SCALAR_I16;
    ck_assert(compare_raw(&b, small, other).ok);
    ck_assert(compare_raw(&b, small, other).got == -32759);
}
END_TEST

START_TEST(sets_have_no_order)
{
    static const float got[] = {5, 3, 1, 3}, expected[] = {0, 3, 1, 3.0001F, 5},
                       twice[] = {5, 5, 1, 3};
    static const float infinite[] = {1, INFINITY, 3, 3};
    char text[300];
    struct job_buffer b = floats(4, (struct job_compare){.kind = COMPARE_SET, .rtol = 1e-3});
    struct expected x = {.data = expected, .region = {1, 4}};
    struct deviation d;
    ck_assert(compare_output(&b, got, &x, &d));
    ck_assert(!compare_output(&b, twice, &x, &d));
    ck_assert_uint_eq(d.wrong, 1);
    compare_message(&b, &d, text, sizeof text);
    ck_assert_msg(strstr(text, "1 component wrong") && strstr(text, "in ascending order"), "%s",
                  text);
    ck_assert(!compare_output(&b, infinite, &x, &d));
    x.region.count = 3;
    ck_assert(!compare_output(&b, got, &x, &d));
    compare_message(&b, &d, text, sizeof text);
    ck_assert_str_eq(text, "C: 4 components written, 3 in the reference (must be the same set)");
}
END_TEST

// Vectors whose first numbers are within the tolerance of each other's stand in any order.
START_TEST(sets_of_vectors_are_paired)
{
    enum { SIDE = 16, COUNT = SIDE * SIDE };
    static float got[2 * COUNT], expected[2 * COUNT];
    struct job_buffer b =
        floats(COUNT, (struct job_compare){.kind = COMPARE_SET, .atol = 1e-6, .rtol = 1e-6});
    b.element.width = 2;
    for (int i = 0; i < COUNT; i++) {
        int at = (i * 77 + 5) % COUNT; // each once
        expected[2 * i] = (float)(i / SIDE);
        expected[2 * i + 1] = (float)(i % SIDE);
        got[2 * at] = (float)(i / SIDE) + (float)(i % 3) * 2e-7F;
        got[2 * at + 1] = (float)(i % SIDE) - (float)(i % 5) * 1e-7F;
    }
    ck_assert(compare_raw(&b, got, expected).ok);
    // Of two that fit one only one fits the other.
    static const float two[] = {1.3F, 5.4F, 1.4F, 4.9F}, some[] = {1, 5, 1.1F, 5.8F};
    b.count = 2;
    b.compare = (struct job_compare){.kind = COMPARE_SET, .atol = 0.5};
    ck_assert(compare_raw(&b, two, some).ok);
    b.count = COUNT;
    got[2 * 40 + 1] += 1;
    struct deviation d = compare_raw(&b, got, expected);
    ck_assert(!d.ok && d.wrong > 0);
}
END_TEST

// What lies between the members of a struct is nobody's; all that lies in them counts.
START_TEST(padding_is_not_compared)
{
    static const uint8_t expected[16] = {1, 9, 9, 9, 2, 2, 2, 2, 3, 9, 9, 9, 4, 4, 4, 4};
    uint8_t got[16] = {1, 7,           7,           7,           2, 2, 2, 2,
                       3, POISON_BYTE, POISON_BYTE, POISON_BYTE, 4, 4, 4, 4};
    char text[300];
    struct job_buffer b = floats(2, (struct job_compare){.kind = COMPARE_EXACT});
    b.element = (struct element){SCALAR_CUSTOM, 1, 8, false};
    struct deviation d = compare_raw(&b, got, expected);
    ck_assert(!d.ok);
    compare_message(&b, &d, text, sizeof text);
    ck_assert_msg(strstr(text, "unless its type is"), "%s", text);
    b.padding = "x---xxxx";
    ck_assert(compare_raw(&b, got, expected).ok);
    ck_assert_uint_eq(compare_poisoned(&b, got), 0);
    got[12] = POISON_BYTE;
    d = compare_raw(&b, got, expected);
    ck_assert(!d.ok && d.unwritten == 1 && d.index == 12);
    got[12] = 5;
    ck_assert(!compare_raw(&b, got, expected).ok);
}
END_TEST

// Neighbours that are one double, and pairs, which stay together.
START_TEST(sets_of_wide_integers_and_of_vectors)
{
    static const int64_t got[] = {INT64_C(9007199254740993), -5},
                         expected[] = {-5, INT64_C(9007199254740992)};
    static const int32_t pairs[] = {1, 2, 1, 1}, same[] = {1, 1, 1, 2}, other[] = {1, 1, 2, 1};
    struct job_buffer b = {.name = "n", .element = {SCALAR_I64, 1, 0, false}, .count = 2};
    b.compare.kind = COMPARE_SET;
    ck_assert_uint_eq(compare_raw(&b, got, expected).wrong, 1);
    ck_assert(compare_raw(&b, got, got).ok);
    b.element = (struct element){SCALAR_I32, 2, 0, false};
    ck_assert(compare_raw(&b, pairs, same).ok);
    ck_assert(!compare_raw(&b, pairs, other).ok);
}
END_TEST

// The same count, elsewhere.
START_TEST(regions_may_lie_apart)
{
    static const int64_t got[] = {7, 1, 2}, expected[] = {1, 2, 8};
    struct job_buffer b = {.name = "n", .element = {SCALAR_I64, 1, 0, false}, .count = 3};
    struct expected x = {.data = expected, .region = {0, 2}};
    struct deviation d;
    b.compare = (struct job_compare){.kind = COMPARE_EXACT, .first = 1, .count = 2};
    ck_assert(compare_output(&b, got, &x, &d));
    x.region.first = 1;
    ck_assert(!compare_output(&b, got, &x, &d));
    ck_assert_uint_eq(d.wrong, 2);
    ck_assert(d.index == 2 && d.got == 2 && d.expected == 8);
}
END_TEST

START_TEST(messages_say_what_is_wrong)
{
    static const double expected[] = {3, 4, 0, 12};
    static const float got[] = {3, 4, 0, 10.7F};
    char text[300];
    struct job_buffer b = floats(4, (struct job_compare){COMPARE_NORM, .rtol = 1e-5});
    struct deviation d = compare_doubles(&b, got, expected);
    compare_message(&b, &d, text, sizeof text);
    ck_assert_str_eq(text,
                     "C: 1 component wrong, relative norm 0.1 (limit 1e-05; 0.00052 + 8e-05 of the "
                     "reference for a component), largest deviation 1.3 at component 3 (got 10.7, "
                     "expected 12)");
    float none[4];
    memset(none, POISON_BYTE, sizeof none);
    d = compare_doubles(&b, none, expected);
    compare_message(&b, &d, text, sizeof text);
    ck_assert_str_eq(text, "C: 4 elements unwritten, first at component 0 (expected 3)");
    static const double infinite[] = {3, 4, INFINITY, 12};
    d = compare_doubles(&b, none, infinite);
    compare_message(&b, &d, text, sizeof text);
    ck_assert_msg(strstr(text, "3 elements unwritten") && !strstr(text, "e+36"), "%s", text);
}
END_TEST

// Zeros, and what is within a ten-thousandth, beside references of any size; narrowed by `_i`.
START_TEST(a_scaled_tolerance_follows_the_reference)
{
    static const double sizes[] = {1e-30, 1e-6, 1, 1e20};
    static const struct job_compare scaled[] = {
        {.kind = COMPARE_CLOSE, .atol = 1e-4, .rtol = 1e-4, .scaled = true},
        {.kind = COMPARE_ABSOLUTE, .atol = 1e-4, .scaled = true},
        {.kind = COMPARE_SUM, .atol = 1e-4, .rtol = 1e-4, .scaled = true},
        {.kind = COMPARE_SET, .atol = 1e-4, .rtol = 1e-4, .scaled = true},
        {.kind = COMPARE_NORM, .rtol = 1e-4, .scaled = true},
    };
    const double size = sizes[_i / 5];
    const double expected[] = {size, -2 * size, 3 * size, 0.5 * size};
    double zeros[4] = {0}, near[4];
    struct job_buffer b = {.name = "C", .element = {SCALAR_DOUBLE, 1, 0, false}, .count = 4};
    b.compare = scaled[_i % 5];
    for (int i = 0; i < 4; i++)
        near[i] = expected[i] * (1 + 0.5e-4);
    ck_assert(!compare_doubles(&b, zeros, expected).ok);
    ck_assert(compare_doubles(&b, near, expected).ok);
    struct expected x = {.data = expected, .doubles = true, .scale = {.narrowed = 0.01}};
    struct deviation d;
    ck_assert(!compare_output(&b, near, &x, &d));
    ck_assert(compare_output(&b, expected, &x, &d));
}
END_TEST

// Of so many right values one is 0, which the norm does not see.
START_TEST(the_norm_bounds_each_component)
{
    enum { COUNT = 1 << 20 };
    double *expected = malloc(COUNT * sizeof *expected);
    float *got = malloc(COUNT * sizeof *got);
    for (int i = 0; i < COUNT; i++)
        got[i] = (float)(expected[i] = 1 + i % 7);
    struct job_buffer b = floats(COUNT, (struct job_compare){COMPARE_NORM, .rtol = 1e-3});
    ck_assert(compare_doubles(&b, got, expected).ok);
    got[COUNT - 1] = 0;
    struct deviation d = compare_doubles(&b, got, expected);
    ck_assert(!d.ok && d.wrong == 1 && d.norm < 1e-3);
    free(expected);
    free(got);
}
END_TEST

// ---- gemm: small products by hand, larger ones against the definition

START_TEST(gemm_multiplies)
{
    static const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12};
    double c[] = {1, 1, 1, 1};
    struct gemm g = {2, 2, 3, false, false, 2, 10, a, b, c};
    struct error e = ERROR_INIT;
    ck_assert(gemm_host(&g, &e));
    ck_assert(c[0] == 126 && c[1] == 138 && c[2] == 288 && c[3] == 318);
}
END_TEST

static double at(const double *x, bool transposed, uint64_t rows, uint64_t columns, uint64_t i,
                 uint64_t j)
{
    return transposed ? x[j * rows + i] : x[i * columns + j];
}

START_TEST(gemm_is_the_definition_at_any_size)
{
    static const uint64_t sizes[][3] = {{1, 1, 1}, {5, 7, 3}, {130, 70, 300}, {67, 530, 257}};
    uint64_t m = sizes[_i / 4][0], n = sizes[_i / 4][1], k = sizes[_i / 4][2];
    bool ta = _i & 1, tb = _i & 2;
    double *a = malloc(m * k * 8), *b = malloc(k * n * 8), *c = calloc(m * n, 8);
    struct gemm g = {m, n, k, ta, tb, 1, 0, a, b, c};
    struct error e = ERROR_INIT;
    for (uint64_t i = 0; i < m * k; i++)
        a[i] = (double)(i % 17) - 8; // small integers: sums are exact in any order
    for (uint64_t i = 0; i < k * n; i++)
        b[i] = (double)(i % 13) - 6;
    ck_assert(gemm_host(&g, &e));
    for (uint64_t i = 0; i < m; i++) {
        for (uint64_t j = 0; j < n; j++) {
            double sum = 0;
            for (uint64_t p = 0; p < k; p++)
                sum += at(a, ta, m, k, i, p) * at(b, tb, k, n, p, j);
            ck_assert(c[i * n + j] == sum);
        }
    }
    free(a);
    free(b);
    free(c);
}
END_TEST

static void add(TCase *t)
{
    tcase_add_test(t, norm_and_largest_deviation_are_known);
    tcase_add_loop_test(t, each_kind_has_its_tolerance, 0, sizeof kinds / sizeof *kinds);
    tcase_add_loop_test(t, nan_and_infinity_pass_only_where_the_reference_has_them, 0,
                        COMPARE_COUNT);
    tcase_add_loop_test(t, nan_of_the_reference_is_refused_in_every_type, 0, 3 * COMPARE_COUNT);
    tcase_add_test(t, poison_is_unwritten_unless_the_reference_says_so);
    tcase_add_test(t, poison_as_a_legitimate_value_is_no_failure);
    tcase_add_test(t, wide_integers_are_compared_exactly);
    tcase_add_test(t, unused_places_of_three_vectors_do_not_matter);
    tcase_add_test(t, extreme_numbers_do_not_overflow);
    tcase_add_test(t, a_zero_reference_wants_zeros);
    tcase_add_test(t, large_outputs_are_compared_whole);
    tcase_add_test(t, what_is_not_poisoned_is_wrong_and_not_unwritten);
    tcase_add_test(t, the_share_that_was_written_is_told);
    tcase_add_test(t, wholes_may_have_another_size);
    tcase_add_test(t, sums_of_integers_are_exact);
    tcase_add_test(t, sets_have_no_order);
    tcase_add_test(t, padding_is_not_compared);
    tcase_add_test(t, sets_of_vectors_are_paired);
    tcase_add_test(t, sets_of_wide_integers_and_of_vectors);
    tcase_add_test(t, regions_may_lie_apart);
    tcase_add_test(t, messages_say_what_is_wrong);
    tcase_add_loop_test(t, a_scaled_tolerance_follows_the_reference, 0, 20);
    tcase_add_test(t, the_norm_bounds_each_component);
    tcase_add_test(t, gemm_multiplies);
    tcase_add_loop_test(t, gemm_is_the_definition_at_any_size, 0, 16);
}

int main(void)
{
    return kit_run("compare", add);
}
