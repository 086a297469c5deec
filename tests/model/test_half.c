// Floats of 16 bits: IEEE 754 binary16 against answers worked out from the standard, bfloat16 as the
// upper half of a float.
#include "model/job.h"

#include "../base/suite.h"

#include <math.h>
#include <string.h>

static const struct {
    double value;
    uint16_t half;
} rounded[] = {
    {0.0, 0x0000},
    {-0.0, 0x8000},
    {1.0, 0x3c00},
    {-2.0, 0xc000},
    {1.0 / 3, 0x3555},
    {0.1, 0x2e66},
    {65504, 0x7bff}, // the largest
    // Ties go to the even neighbour; the least bit above a tie goes up, also where a float in
    // between would have lost it.
    {1 + 0x1p-11, 0x3c00},
    {1 + 0x3p-11, 0x3c02},
    {1 + 0x1p-11 + 0x1p-40, 0x3c01},
    {1 + 0x1p-11 + 0x1p-52, 0x3c01},
    {1 + 0x3p-11 - 0x1p-40, 0x3c01},
    {2049, 0x6800},
    {2051, 0x6802},
    // To infinity from the middle between the largest and the next power of two.
    {65519.99, 0x7bff},
    {0x1.ffdfffffffffep+15, 0x7bff},
    {65520, 0x7c00},
    {65536, 0x7c00},
    {-65520, 0xfc00},
    {1e300, 0x7c00},
    {-1e300, 0xfc00},
    {INFINITY, 0x7c00},
    {-INFINITY, 0xfc00},
    // Subnormals are multiples of 2^-24.
    {0x1p-14, 0x0400}, // the least normal
    {0x1p-15, 0x0200},
    {0x1p-24, 0x0001},
    {-0x1p-24, 0x8001},
    {0x3ffp-24, 0x03ff},
    {0x1p-25, 0x0000},               // tie with zero
    {0x1.0000000000001p-25, 0x0001}, // just above it
    {0x3p-25, 0x0002},               // tie between 1 and 2
    {0x5p-25, 0x0002},               // tie between 2 and 3
    {0x7ffp-25, 0x0400},             // tie that carries into the least normal
    {0x7fdp-25, 0x03fe},             // tie below it
    {0x1.fffffffffffffp-26, 0x0000}, // below half the least
    {0x1p-1074, 0x0000},             // a double's own subnormal
    {-0x1p-1074, 0x8000},
};

START_TEST(test_rounding)
{
    uint16_t half = half_from_f64(rounded[_i].value);
    ck_assert_msg(half == rounded[_i].half, "%a gives 0x%04x, not 0x%04x", rounded[_i].value, half,
                  rounded[_i].half);
}
END_TEST

static const struct {
    uint16_t half;
    double value;
} exact[] = {
    {0x0000, 0.0},       {0x0001, 0x1p-24},  {0x03ff, 0x3ffp-24},   {0x0400, 0x1p-14},
    {0x3555, 0x555p-12}, {0x3c00, 1.0},      {0x3c01, 1 + 0x1p-10}, {0x4248, 3.140625},
    {0x7bff, 65504},     {0x7c00, INFINITY}, {0xfc00, -INFINITY},   {0xc000, -2.0},
};

START_TEST(test_widening)
{
    ck_assert(half_to_f64(exact[_i].half) == exact[_i].value);
}
END_TEST

START_TEST(test_zeros_keep_their_sign)
{
    ck_assert(!signbit(half_to_f64(0x0000)));
    ck_assert(half_to_f64(0x8000) == 0 && signbit(half_to_f64(0x8000)));
}
END_TEST

START_TEST(test_nan_stays_nan)
{
    uint16_t half = half_from_f64(NAN);
    ck_assert((half & 0x7c00) == 0x7c00 && (half & 0x03ff) != 0);
    ck_assert(isnan(half_to_f64(0x7e00)) && isnan(half_to_f64(0x7c01)));
    ck_assert(isnan(half_to_f64(0xfe00)));
}
END_TEST

START_TEST(test_every_half_survives)
{
    for (uint32_t half = 0; half <= 0xffff; half++) {
        double value = half_to_f64((uint16_t)half);
        if (isnan(value))
            ck_assert((half & 0x7c00) == 0x7c00 && (half & 0x03ff) != 0);
        else
            ck_assert_uint_eq(half_from_f64(value), half);
    }
}
END_TEST

// ---- bfloat16

static uint16_t bfloat16(double v)
{
    return narrow_from_f64(scalar_narrow(SCALAR_BFLOAT16), v);
}

static float upper_half(uint32_t bits)
{
    float v;
    bits <<= 16;
    memcpy(&v, &bits, sizeof v);
    return v;
}

START_TEST(test_every_bfloat16_is_the_upper_half_of_a_float)
{
    for (uint32_t bits = 0; bits <= 0xffff; bits++) {
        double value = narrow_to_f64(scalar_narrow(SCALAR_BFLOAT16), (uint16_t)bits);
        float v = upper_half(bits);
        ck_assert(isnan(value) ? isnan(v) : value == (double)v && !signbit(value) == !signbit(v));
        if (!isnan(value))
            ck_assert_uint_eq(bfloat16(value), bits);
    }
}
END_TEST

START_TEST(test_bfloat16_is_rounded_once_to_even)
{
    ck_assert_uint_eq(bfloat16(1 + 0x1p-8), 0x3f80);           // a tie
    ck_assert_uint_eq(bfloat16(1 + 0x3p-8), 0x3f82);           // the other way
    ck_assert_uint_eq(bfloat16(1 + 0x1p-8 + 0x1p-52), 0x3f81); // a float would lose this bit
    ck_assert_uint_eq(bfloat16((double)upper_half(0x7f7f)), 0x7f7f);
    ck_assert_uint_eq(bfloat16(0x1.ffp+127), 0x7f80); // from the middle on it is infinity
    ck_assert_uint_eq(bfloat16(-1e300), 0xff80);
    ck_assert_uint_eq(bfloat16(0x1p-133), 1); // the least
    ck_assert_uint_eq(bfloat16(0x1p-134), 0);
    ck_assert(isnan((double)upper_half(bfloat16(NAN))));
}
END_TEST

// ---- floats of 8 bits: the values are those of OCP's specification

static const struct {
    enum scalar type;
    double value;
    uint8_t bits;
} eights[] = {
    {SCALAR_E4M3, 448, 0x7e},       {SCALAR_E4M3, 464, 0x7e}, // a tie goes to the even one
    {SCALAR_E4M3, 464.01, 0x7f},    {SCALAR_E4M3, -1e300, 0xff},
    {SCALAR_E4M3, INFINITY, 0x7f},  {SCALAR_E4M3, 0x1p-9, 1},
    {SCALAR_E4M3, 0x1p-10, 0},      {SCALAR_E4M3, 0x1.8p-10, 1},
    {SCALAR_E4M3, -0.875, 0xb6},    {SCALAR_E4M3, 1.0625, 0x38},
    {SCALAR_E4M3, 0x1p-6, 8},       {SCALAR_E5M2, 57344, 0x7b},
    {SCALAR_E5M2, 61439, 0x7b},     {SCALAR_E5M2, 61440, 0x7c}, // from the middle on an infinity
    {SCALAR_E5M2, -INFINITY, 0xfc}, {SCALAR_E5M2, 0x1p-16, 1},
    {SCALAR_E5M2, 0x1p-17, 0},      {SCALAR_E5M2, 1.125, 0x3c},
    {SCALAR_E5M2, 1.375, 0x3e},     {SCALAR_E5M2, 0x1p-14, 4},
};

START_TEST(test_rounding_to_eight_bits)
{
    uint8_t bits;
    float_store(eights[_i].type, eights[_i].value, &bits);
    ck_assert_msg(bits == eights[_i].bits, "%g is %x", eights[_i].value, bits);
}
END_TEST

START_TEST(test_every_eight_bits_survive)
{
    static const enum scalar types[] = {SCALAR_E4M3, SCALAR_E5M2};
    unsigned nans[2] = {0}, infinities[2] = {0};
    for (unsigned i = 0; i < 2 * 256; i++) {
        uint8_t bits = (uint8_t)i, again;
        double v = float_load(types[i / 256], &bits);
        float_store(types[i / 256], v, &again);
        nans[i / 256] += isnan(v) != 0;
        infinities[i / 256] += isinf(v) != 0;
        ck_assert(again == bits || (isnan(v) && isnan(float_load(types[i / 256], &again))));
    }
    ck_assert(nans[0] == 2 && infinities[0] == 0 && nans[1] == 6 && infinities[1] == 2);
}
END_TEST

START_TEST(test_floats_by_their_types)
{
    static const enum scalar types[] = {SCALAR_HALF,   SCALAR_BFLOAT16, SCALAR_FLOAT,
                                        SCALAR_DOUBLE, SCALAR_E4M3,     SCALAR_E5M2};
    static const int bits[] = {11, 8, 24, 53, 4, 3}; // of the significand
    for (int i = 0; i < 6; i++) {
        double unit = ldexp(1, -bits[i]);
        unsigned char at[9]; // not aligned
        float_store(types[i], -0.375, at + 1);
        ck_assert(float_load(types[i], at + 1) == -0.375);
        ck_assert(scalar_rounding(types[i]) == unit);
        ck_assert(float_rounded(types[i], 1 + 1.5 * unit) == 1 + 2 * unit);
    }
    ck_assert(float_rounded(SCALAR_I32, 0.1) == 0.1 && scalar_rounding(SCALAR_I32) == 0);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, test_rounding, 0, sizeof rounded / sizeof *rounded);
    tcase_add_loop_test(tests, test_widening, 0, sizeof exact / sizeof *exact);
    tcase_add_test(tests, test_zeros_keep_their_sign);
    tcase_add_test(tests, test_nan_stays_nan);
    tcase_add_test(tests, test_every_half_survives);
    tcase_add_test(tests, test_every_bfloat16_is_the_upper_half_of_a_float);
    tcase_add_test(tests, test_bfloat16_is_rounded_once_to_even);
    tcase_add_loop_test(tests, test_rounding_to_eight_bits, 0, sizeof eights / sizeof *eights);
    tcase_add_test(tests, test_every_eight_bits_survive);
    tcase_add_test(tests, test_floats_by_their_types);
}

int main(void)
{
    return suite_run("half", add);
}
