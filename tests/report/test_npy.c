// .npy files, byte for byte as NumPy 1.0's format describes them.
#include "model/npy.h"

#include "../base/suite.h"

#include <string.h>

static struct text out;

// The header as text, checked for what all headers have: magic, version, length, alignment.
static const char *header(void)
{
    static char text[256];
    const unsigned char *bytes = (const unsigned char *)out.data;
    ck_assert_mem_eq(bytes, "\x93NUMPY\x01\x00", 8);
    size_t length = bytes[8] | (size_t)bytes[9] << 8;
    ck_assert_uint_eq((10 + length) % 64, 0);
    ck_assert_int_eq(bytes[10 + length - 1], '\n');
    memcpy(text, bytes + 10, length);
    text[length] = '\0';
    for (size_t i = length - 1; i > 0 && (text[i] == '\n' || text[i] == ' '); i--)
        text[i] = '\0';
    return text;
}

START_TEST(floats)
{
    const float values[] = {1, -2.5F, 3};
    const struct element el = {.scalar = SCALAR_FLOAT, .width = 1};
    struct error e = ERROR_INIT;
    text_clear(&out);
    ck_assert(npy_write(&el, 3, values, sizeof values, &out, &e));
    ck_assert_uint_eq(out.length, 128 + 12);
    ck_assert_str_eq(header(), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
    ck_assert_mem_eq(out.data + 128, values, sizeof values);
}
END_TEST

START_TEST(types)
{
    static const struct {
        const char *type, *expected;
    } cases[] = {
        {"bool", "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }"},
        {"int8", "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }"},
        {"uint16", "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }"},
        {"int64", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }"},
        {"half", "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }"},
        {"bfloat16", "{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }"},
        {"float8_e4m3", "{'descr': '<V1', 'fortran_order': False, 'shape': (2,), }"},
        {"float8_e5m2", "{'descr': '<f1', 'fortran_order': False, 'shape': (2,), }"},
        {"double", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"},
        {"float4", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }"},
        {"float3", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }"},
    };
    const char zeros[64] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct element el;
        struct error e = ERROR_INIT;
        ck_assert(element_parse(cases[i].type, &el));
        text_clear(&out);
        ck_assert(npy_write(&el, 2, zeros, 2 * element_bytes(&el), &out, &e));
        ck_assert_str_eq(header(), cases[i].expected);
    }
}
END_TEST

START_TEST(packed_vectors)
{
    const struct element el = {.scalar = SCALAR_FLOAT, .width = 3, .packed = true};
    const char zeros[24] = {0};
    struct error e = ERROR_INIT;
    text_clear(&out);
    ck_assert(npy_write(&el, 2, zeros, 24, &out, &e));
    ck_assert_str_eq(header(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
}
END_TEST

START_TEST(raw_structs)
{
    const struct element el = {.scalar = SCALAR_CUSTOM, .width = 1, .custom_bytes = 12};
    const char zeros[24] = {0};
    struct error e = ERROR_INIT;
    text_clear(&out);
    ck_assert(npy_write(&el, 2, zeros, 24, &out, &e));
    ck_assert_str_eq(header(), "{'descr': '|V12', 'fortran_order': False, 'shape': (2,), }");
}
END_TEST

START_TEST(wrong_length)
{
    const struct element el = {.scalar = SCALAR_FLOAT, .width = 1};
    struct error e = ERROR_INIT;
    text_clear(&out);
    ck_assert(!npy_write(&el, 3, "0123456789", 10, &out, &e));
    ck_assert_int_eq(e.code, ERROR_INTERNAL);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, floats);
    tcase_add_test(tests, types);
    tcase_add_test(tests, packed_vectors);
    tcase_add_test(tests, raw_structs);
    tcase_add_test(tests, wrong_length);
}

int main(void)
{
    return suite_run("model/npy", add);
}
