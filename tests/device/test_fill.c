// Initial contents: known answers, computed by an independent implementation of Philox and of the
// conversions; and the checksum of inputs.
#include "kit.h"

#include "device/checksum.h"
#include "device/fill.h"

#include "device/parallel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct job_buffer buffer(enum scalar scalar, uint32_t width, uint64_t count,
                                struct job_fill fill)
{
    struct job_buffer b = {.name = "x", .element = {scalar, width, 0}, .count = count};
    b.fill = fill;
    return b;
}

static void make(const struct job_buffer *b, void *out)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(fill_make(b, out, &e), "%s", e.text);
}

START_TEST(uniform_floats_are_known)
{
    static const float known[] = {-0x1.a019p-4F, 0x1.4b96p-6F,  -0x1.410e3p-4F,
                                  0x1.88ef4p-3F, 0x1.fcc1ep-5F, 0x1.88b2bp-2F};
    struct job_fill fill = {.kind = FILL_UNIFORM, .low = -0.5, .high = 0.5, .seed = 42};
    struct job_buffer b = buffer(SCALAR_FLOAT, 1, 6, fill);
    float out[6];
    make(&b, out);
    for (int i = 0; i < 6; i++)
        ck_assert_msg(out[i] == known[i], "%d: %a", i, (double)out[i]);
}
END_TEST

START_TEST(uniform_doubles_and_halves_are_known)
{
    static const double known[] = {0x1.0a5cb0cccbfcep-1, 0x1.623bd16ad7de3p-1, 0x1.c45959171fcc1p-1,
                                   0x1.5447551b870f8p-1};
    static const uint16_t half[] = {0x365e, 0x3829, 0x36be, 0x3988, 0x387f, 0x3b11};
    struct job_fill fill = {.kind = FILL_UNIFORM, .low = 0, .high = 1, .seed = 42};
    struct job_buffer b = buffer(SCALAR_DOUBLE, 1, 4, fill);
    double out[4];
    uint16_t halves[6];
    make(&b, out);
    ck_assert_mem_eq(out, known, sizeof known);
    b = buffer(SCALAR_HALF, 2, 3, fill);
    make(&b, halves);
    ck_assert_mem_eq(halves, half, sizeof half);
    b = buffer(SCALAR_BFLOAT16, 2, 3, fill); // of the same numbers the first eight bits
    make(&b, halves);
    for (int i = 0; i < 6; i++) {
        double v = floor(half_to_f64(half[i]) * 256) / 256;
        ck_assert(float_load(SCALAR_BFLOAT16, &halves[i]) == v);
    }
    uint8_t eights[6];
    b = buffer(SCALAR_E4M3, 2, 3, fill); // and the first four
    make(&b, eights);
    for (int i = 0; i < 6; i++)
        ck_assert(float_load(SCALAR_E4M3, &eights[i]) == floor(half_to_f64(half[i]) * 16) / 16);
}
END_TEST

// A view reaches as far as the data, beyond 2^32 components, too; by its first component, or by its stride.
START_TEST(views_reach_beyond_32_bits)
{
    const uint64_t stride = INT32_MAX;
    const enum fill_kind kind = _i ? FILL_NORMAL : FILL_UNIFORM;
    struct job_fill fill = {.kind = kind, .low = 0, .high = 1, .seed = 42};
    struct job_buffer b = buffer(SCALAR_FLOAT, 1, 8, fill);
    float strided[8], there[8], near[8];
    fill_view(&b.fill, 0, stride);
    make(&b, strided);
    for (uint64_t i = 3; i < 8; i++) {
        fill_view(&b.fill, i * stride, 1);
        make(&b, there);
        ck_assert_msg(there[0] == strided[i], "%u", (unsigned)i);
        fill_view(&b.fill, i * stride % (UINT64_C(1) << 32), 1);
        make(&b, near);
        ck_assert(near[0] != there[0]);
    }
}
END_TEST

START_TEST(uniform_integers_are_known)
{
    static const int32_t known[] = {0, 3, 7, 3, -3, -9, 8, -8};
    static const uint8_t bytes[] = {133, 177, 226, 170, 91, 15, 240, 27};
    struct job_fill fill = {.kind = FILL_UNIFORM, .low = -10, .high = 10, .seed = 42};
    struct job_buffer b = buffer(SCALAR_I32, 4, 2, fill);
    int32_t out[8];
    uint8_t narrow[8];
    make(&b, out);
    ck_assert_mem_eq(out, known, sizeof known);
    b = buffer(SCALAR_U8, 1, 8, (struct job_fill){FILL_UNIFORM, .low = 0, .high = 256, .seed = 42});
    make(&b, narrow);
    ck_assert_mem_eq(narrow, bytes, sizeof bytes);
}
END_TEST

START_TEST(normal_numbers_are_known)
{
    static const double known[] = {-0x1.317b66e8p-2, -0x1.0e78ab57p+0, -0x1.5ec5ffbcp-1,
                                   0x1.40e47dd8p-3};
    static const float scaled[] = {0x1.2ce84ap+3F, 0x1.f8c3aap+2F, 0x1.142740p+3F};
    struct job_buffer b = buffer(SCALAR_DOUBLE, 1, 4,
                                 (struct job_fill){FILL_NORMAL, .low = 0, .high = 1, .seed = 42});
    double out[4];
    float floats[3];
    make(&b, out);
    ck_assert_mem_eq(out, known, sizeof known);
    b = buffer(SCALAR_FLOAT, 1, 3,
               (struct job_fill){FILL_NORMAL, .low = 10, .high = 2, .seed = 42});
    make(&b, floats);
    ck_assert_mem_eq(floats, scaled, sizeof scaled);
}
END_TEST

START_TEST(normal_numbers_have_mean_and_deviation)
{
    enum { COUNT = 100000 };
    struct job_buffer b = buffer(SCALAR_FLOAT, 1, COUNT,
                                 (struct job_fill){FILL_NORMAL, .low = 3, .high = 2, .seed = 1});
    float *x = malloc(COUNT * sizeof *x);
    double sum = 0, squares = 0;
    make(&b, x);
    for (int i = 0; i < COUNT; i++) {
        sum += x[i];
        squares += ((double)x[i] - 3) * ((double)x[i] - 3);
    }
    ck_assert_double_eq_tol(sum / COUNT, 3, 0.03); // 5 standard errors
    ck_assert_double_eq_tol(sqrt(squares / COUNT), 2, 0.03);
    free(x);
}
END_TEST

// The bounds of integer types are met exactly and never passed.
START_TEST(integers_are_clamped_to_their_type)
{
    uint8_t small[4];
    int64_t wide[4];
    struct job_buffer b =
        buffer(SCALAR_U8, 1, 4, (struct job_fill){FILL_NORMAL, .low = 1000, .high = 1, .seed = 1});
    make(&b, small);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(small[i], 255);
    b = buffer(SCALAR_I64, 1, 4, (struct job_fill){FILL_NORMAL, .low = -1e30, .high = 1});
    make(&b, wide);
    for (int i = 0; i < 4; i++)
        ck_assert(wide[i] == INT64_MIN);
    b = buffer(SCALAR_BOOL, 1, 4, (struct job_fill){FILL_CONSTANT, .integer = 7});
    make(&b, small);
    ck_assert_uint_eq(small[0], 1);
}
END_TEST

START_TEST(large_buffers_do_not_depend_on_threads)
{
    enum { COUNT = 300000 };
    struct job_fill fill = {.kind = FILL_UNIFORM, .low = -1, .high = 1, .seed = 9};
    struct job_buffer all = buffer(SCALAR_FLOAT, 1, COUNT, fill), few = all;
    float *x = malloc(COUNT * sizeof *x), y[100];
    few.count = 100;
    make(&all, x);
    make(&few, y);
    ck_assert_mem_eq(x, y, sizeof y);
    ck_assert_uint_ne(checksum_of(x, sizeof y), checksum_of(x + COUNT - 100, sizeof y));
    free(x);
}
END_TEST

START_TEST(vectors_of_three_leave_their_fourth_place_zero)
{
    struct job_buffer b =
        buffer(SCALAR_FLOAT, 3, 2, (struct job_fill){FILL_GENERATOR, .expression = "i + 1"});
    float out[8];
    static const float known[] = {1, 2, 3, 0, 4, 5, 6, 0};
    ck_assert_uint_eq(fill_bytes(&b), sizeof out);
    make(&b, out);
    ck_assert_mem_eq(out, known, sizeof known);
}
END_TEST

START_TEST(packed_vectors_of_three_have_none)
{
    struct job_buffer b =
        buffer(SCALAR_FLOAT, 3, 2, (struct job_fill){FILL_GENERATOR, .expression = "i + 1"});
    float out[6];
    static const float known[] = {1, 2, 3, 4, 5, 6};
    b.element.packed = true;
    ck_assert_uint_eq(fill_bytes(&b), sizeof out);
    make(&b, out);
    ck_assert_mem_eq(out, known, sizeof known);
}
END_TEST

START_TEST(generators_see_index_and_size)
{
    struct job_buffer b =
        buffer(SCALAR_I32, 1, 5, (struct job_fill){FILL_GENERATOR, .expression = "size - i % 3"});
    static const int32_t known[] = {5, 4, 3, 5, 4};
    int32_t out[5];
    float floats[5];
    make(&b, out);
    ck_assert_mem_eq(out, known, sizeof known);
    b.element.scalar = SCALAR_FLOAT;
    b.fill.expression = "i / 4";
    make(&b, floats);
    ck_assert(floats[3] == 0.75F);
}
END_TEST

START_TEST(generators_that_fail_say_where)
{
    struct job_buffer b =
        buffer(SCALAR_I32, 1, 5, (struct job_fill){FILL_GENERATOR, .expression = "1 // (i - 3)"});
    struct error e = ERROR_INIT;
    int32_t out[5];
    ck_assert(!fill_make(&b, out, &e));
    ck_assert_msg(strstr(e.text, "i = 3") && strstr(e.text, "division by zero"), "%s", e.text);
    error_clear(&e);
    b.fill.expression = "j + 1";
    ck_assert(!fill_make(&b, out, &e));
    ck_assert_msg(strstr(e.text, "fill of x"), "%s", e.text);
}
END_TEST

START_TEST(data_must_have_the_buffers_size)
{
    static const float data[] = {1, 2, 3};
    struct job_fill fill = {.kind = FILL_DATA, .blob = blob_of(data, sizeof data)};
    struct job_buffer b = buffer(SCALAR_FLOAT, 1, 3, fill);
    struct error e = ERROR_INIT;
    float out[4];
    make(&b, out);
    ck_assert_mem_eq(out, data, sizeof data);
    b.count = 4;
    ck_assert(!fill_make(&b, out, &e));
    ck_assert_msg(strstr(e.text, "12 bytes") && strstr(e.text, "16"), "%s", e.text);
}
END_TEST

START_TEST(structs_take_bytes_only)
{
    struct job_buffer b = {.name = "s", .element = {SCALAR_CUSTOM, 1, 12}, .count = 2};
    struct error e = ERROR_INIT;
    uint8_t out[24];
    b.fill = (struct job_fill){.kind = FILL_CONSTANT, .integer = 0xab};
    make(&b, out);
    ck_assert_uint_eq(out[23], 0xab);
    b.fill = (struct job_fill){.kind = FILL_NORMAL, .high = 1};
    ck_assert(!fill_make(&b, out, &e));
}
END_TEST

START_TEST(zeros_are_those_whose_bits_are)
{
    const struct job_fill fills[] = {{FILL_CONSTANT, .value = 0},
                                     {FILL_CONSTANT, .value = -0.0},
                                     {FILL_CONSTANT, .value = 1e-300},
                                     {FILL_CONSTANT, .integer = 1},
                                     {FILL_UNIFORM, .low = 0}};
    const bool as_float[] = {true, false, false, true, false};
    const bool as_integer[] = {true, true, true, false, false};
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        struct job_buffer b = buffer(SCALAR_HALF, 2, 3, fills[i]);
        ck_assert(fill_is_zero(&b) == as_float[i]);
        b.element = (struct element){SCALAR_I32, .width = 1};
        ck_assert(fill_is_zero(&b) == as_integer[i]);
        b.element = (struct element){SCALAR_CUSTOM, .width = 1, .custom_bytes = 12};
        ck_assert(fill_is_zero(&b) == as_integer[i]);
    }
}
END_TEST

START_TEST(poison_is_a_large_finite_number)
{
    struct job_buffer b = buffer(SCALAR_FLOAT, 1, 2, (struct job_fill){FILL_NONE});
    float f[2];
    double d[2];
    make(&b, f);
    ck_assert(isfinite(f[0]) && f[0] > 1e36F);
    b.element.scalar = SCALAR_DOUBLE;
    make(&b, d);
    ck_assert(isfinite(d[1]) && d[1] > 1e280);
    ck_assert_double_eq_tol(half_to_f64(0x7b7b), 61280, 1e-9);
}
END_TEST

START_TEST(checksum_is_known)
{
    uint64_t zero = 0;
    ck_assert_uint_eq(checksum_of("", 0), 0);
    // One zero word: the first number of splitmix64 with seed 0.
    ck_assert_uint_eq(checksum_of(&zero, 8), UINT64_C(0xe220a8397b1dcdaf));
    ck_assert_uint_eq(checksum_of("the quick brown fox", 19), UINT64_C(0xcb66e0fe75813e08));
}
END_TEST

static unsigned asked_for_cores;

unsigned __wrap_process_cores(void);
unsigned __real_process_cores(void);

unsigned __wrap_process_cores(void)
{
    asked_for_cores++;
    return __real_process_cores();
}

// Which reads several files: not for each buffer that is filled or summed.
START_TEST(cores_are_counted_once)
{
    struct job_fill fill = {.kind = FILL_CONSTANT, .value = 1};
    struct job_buffer b = buffer(SCALAR_FLOAT, 1, 100000, fill);
    float *out = malloc(b.count * sizeof *out);
    ck_assert_ptr_nonnull(out);
    make(&b, out);
    asked_for_cores = 0;
    for (int i = 0; i < 20; i++) {
        make(&b, out);
        checksum_of(out, b.count * sizeof *out);
    }
    ck_assert_uint_eq(asked_for_cores, 0);
    parallel_count_cores(); // another device is opened
    make(&b, out);
    ck_assert_uint_eq(asked_for_cores, 1);
    free(out);
}
END_TEST

static void add(TCase *t)
{
    tcase_add_test(t, uniform_floats_are_known);
    tcase_add_test(t, uniform_doubles_and_halves_are_known);
    tcase_add_loop_test(t, views_reach_beyond_32_bits, 0, 2);
    tcase_add_test(t, uniform_integers_are_known);
    tcase_add_test(t, normal_numbers_are_known);
    tcase_add_test(t, normal_numbers_have_mean_and_deviation);
    tcase_add_test(t, integers_are_clamped_to_their_type);
    tcase_add_test(t, large_buffers_do_not_depend_on_threads);
    tcase_add_test(t, vectors_of_three_leave_their_fourth_place_zero);
    tcase_add_test(t, packed_vectors_of_three_have_none);
    tcase_add_test(t, generators_see_index_and_size);
    tcase_add_test(t, generators_that_fail_say_where);
    tcase_add_test(t, data_must_have_the_buffers_size);
    tcase_add_test(t, structs_take_bytes_only);
    tcase_add_test(t, zeros_are_those_whose_bits_are);
    tcase_add_test(t, poison_is_a_large_finite_number);
    tcase_add_test(t, checksum_is_known);
    tcase_add_test(t, cores_are_counted_once);
}

int main(void)
{
    return kit_run("fill", add);
}
