#include "model/job.h"

#include "../base/suite.h"

struct known {
    const char *text;
    enum scalar scalar;
    uint32_t width;
    uint32_t bytes;
    const char *name; // as element_name() writes it
};

static const struct known known[] = {
    // T1's names mean what T1 says, also where OpenCL says otherwise.
    {"bool", SCALAR_BOOL, 1, 1, "bool"},
    {"int8", SCALAR_I8, 1, 1, "int8"},
    {"uint8", SCALAR_U8, 1, 1, "uint8"},
    {"int16", SCALAR_I16, 1, 2, "int16"},
    {"uint16", SCALAR_U16, 1, 2, "uint16"},
    {"int32", SCALAR_I32, 1, 4, "int32"},
    {"uint32", SCALAR_U32, 1, 4, "uint32"},
    {"int64", SCALAR_I64, 1, 8, "int64"},
    {"uint64", SCALAR_U64, 1, 8, "uint64"},
    {"half", SCALAR_HALF, 1, 2, "half"},
    {"half2", SCALAR_HALF, 2, 4, "half2"},
    {"half4", SCALAR_HALF, 4, 8, "half4"},
    {"half8", SCALAR_HALF, 8, 16, "half8"},
    {"half16", SCALAR_HALF, 16, 32, "half16"},
    {"float", SCALAR_FLOAT, 1, 4, "float"},
    {"float2", SCALAR_FLOAT, 2, 8, "float2"},
    {"float4", SCALAR_FLOAT, 4, 16, "float4"},
    {"float8", SCALAR_FLOAT, 8, 32, "float8"},
    {"float16", SCALAR_FLOAT, 16, 64, "float16"},
    {"double", SCALAR_DOUBLE, 1, 8, "double"},
    {"double2", SCALAR_DOUBLE, 2, 16, "double2"},
    {"double4", SCALAR_DOUBLE, 4, 32, "double4"},
    {"double8", SCALAR_DOUBLE, 8, 64, "double8"},
    {"double16", SCALAR_DOUBLE, 16, 128, "double16"},
    {"custom", SCALAR_CUSTOM, 1, 0, "custom"},
    // OpenCL, CUDA, C and numpy.
    {"char", SCALAR_I8, 1, 1, "int8"},
    {"signed char", SCALAR_I8, 1, 1, "int8"},
    {"uchar", SCALAR_U8, 1, 1, "uint8"},
    {"unsigned char", SCALAR_U8, 1, 1, "uint8"},
    {"short", SCALAR_I16, 1, 2, "int16"},
    {"ushort", SCALAR_U16, 1, 2, "uint16"},
    {"unsigned short", SCALAR_U16, 1, 2, "uint16"},
    {"int", SCALAR_I32, 1, 4, "int32"},
    {"uint", SCALAR_U32, 1, 4, "uint32"},
    {"unsigned int", SCALAR_U32, 1, 4, "uint32"},
    {"unsigned", SCALAR_U32, 1, 4, "uint32"},
    {"long", SCALAR_I64, 1, 8, "int64"},
    {"long long", SCALAR_I64, 1, 8, "int64"},
    {"ulong", SCALAR_U64, 1, 8, "uint64"},
    {"unsigned long", SCALAR_U64, 1, 8, "uint64"},
    {"unsigned long long", SCALAR_U64, 1, 8, "uint64"},
    {"size_t", SCALAR_U64, 1, 8, "uint64"},
    {"int32_t", SCALAR_I32, 1, 4, "int32"},
    {"uint8_t", SCALAR_U8, 1, 1, "uint8"},
    {"float32", SCALAR_FLOAT, 1, 4, "float"},
    {"float64", SCALAR_DOUBLE, 1, 8, "double"},
    // Vectors; three take the place of four.
    {"char2", SCALAR_I8, 2, 2, "char2"},
    {"char16", SCALAR_I8, 16, 16, "char16"},
    {"uchar4", SCALAR_U8, 4, 4, "uchar4"},
    {"short8", SCALAR_I16, 8, 16, "short8"},
    {"ushort3", SCALAR_U16, 3, 8, "ushort3"},
    {"int2", SCALAR_I32, 2, 8, "int2"},
    {"int3", SCALAR_I32, 3, 16, "int3"},
    {"int4", SCALAR_I32, 4, 16, "int4"},
    {"uint4", SCALAR_U32, 4, 16, "uint4"},
    {"long2", SCALAR_I64, 2, 16, "long2"},
    {"ulong16", SCALAR_U64, 16, 128, "ulong16"},
    {"longlong2", SCALAR_I64, 2, 16, "long2"},
    {"float3", SCALAR_FLOAT, 3, 16, "float3"},
    {"half3", SCALAR_HALF, 3, 8, "half3"},
    {"bfloat16", SCALAR_BFLOAT16, 1, 2, "bfloat16"},
    {"__nv_bfloat16", SCALAR_BFLOAT16, 1, 2, "bfloat16"},
    {"bfloat16x2", SCALAR_BFLOAT16, 2, 4, "bfloat16x2"},
    {"float8_e4m3", SCALAR_E4M3, 1, 1, "float8_e4m3"},
    {"float8_e4m3fn", SCALAR_E4M3, 1, 1, "float8_e4m3"},
    {"__nv_fp8_e5m2", SCALAR_E5M2, 1, 1, "float8_e5m2"},
    {"float8_e5m2x4", SCALAR_E5M2, 4, 4, "float8_e5m2x4"},
    {"float8", SCALAR_FLOAT, 8, 32, "float8"},
    // "int8" and "int16" are taken: a wide vector of int is written with a cross.
    {"int32x8", SCALAR_I32, 8, 32, "int32x8"},
    {"uint32x16", SCALAR_U32, 16, 64, "uint32x16"},
    {"int8x4", SCALAR_I8, 4, 4, "char4"},
};

START_TEST(test_known_names)
{
    const struct known *k = &known[_i];
    struct element el = {.custom_bytes = 99};
    char name[24];
    ck_assert_msg(element_parse(k->text, &el), "%s", k->text);
    ck_assert_msg(el.scalar == k->scalar && el.width == k->width, "%s", k->text);
    ck_assert_uint_eq(el.custom_bytes, 0);
    ck_assert_msg(element_bytes(&el) == k->bytes, "%s: %u bytes", k->text, element_bytes(&el));
    element_name(&el, name);
    ck_assert_str_eq(name, k->name);
}
END_TEST

static const char *const unknown[] = {
    "",       "4",       "float5",    "float1",   "float0",   "float04",     "float32x",
    "int7",   "int128",  "custom2",   "bool2",    "Float",    "float 4",     " float",
    "float ", "float4 ", "floatx4",   "int8x",    "int8x5",   "float44",     "float4x4",
    "x4",     "unsign",  "const int", "float100", "float999", "float999999", "int32x8x2",
};

START_TEST(test_unknown_names)
{
    struct element el = {SCALAR_DOUBLE, 16, 7, false};
    ck_assert_msg(!element_parse(unknown[_i], &el), "'%s'", unknown[_i]);
    ck_assert_msg(el.scalar == SCALAR_DOUBLE && el.width == 16 && el.custom_bytes == 7,
                  "'%s' left a trace", unknown[_i]);
}
END_TEST

// The name of every type that there is reads back as that type, and fits.
START_TEST(test_every_name_reads_back)
{
    static const uint32_t widths[] = {1, 2, 3, 4, 8, 16};
    for (unsigned s = SCALAR_I8; s < SCALAR_CUSTOM; s++) {
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            struct element el = {(enum scalar)s, widths[i], 0, false}, again;
            char name[24];
            element_name(&el, name);
            ck_assert_msg(element_parse(name, &again), "%s", name);
            ck_assert_msg(again.scalar == el.scalar && again.width == el.width, "%s", name);
        }
    }
}
END_TEST

START_TEST(test_table_agrees_with_the_list){
#define X(constant, text, size)                                                                    \
    {                                                                                              \
        struct element el;                                                                         \
        ck_assert(element_parse(text, &el));                                                       \
        ck_assert_uint_eq(el.scalar, SCALAR_##constant);                                           \
        ck_assert_uint_eq(scalar_bytes(SCALAR_##constant), size);                                  \
    }
    SCALARS(X)
#undef X
} END_TEST

    START_TEST(test_kinds_of_scalars)
{
    static const enum scalar floats[] = {SCALAR_HALF,     SCALAR_FLOAT, SCALAR_DOUBLE,
                                         SCALAR_BFLOAT16, SCALAR_E4M3,  SCALAR_E5M2};
    static const enum scalar integers[] = {SCALAR_I8, SCALAR_I16, SCALAR_I32, SCALAR_I64};
    unsigned float_count = 0, signed_count = 0;
    for (unsigned s = 0; s < SCALAR_COUNT; s++) {
        float_count += scalar_is_float((enum scalar)s);
        signed_count += scalar_is_signed((enum scalar)s);
    }
    ck_assert_uint_eq(float_count, 6);
    ck_assert_uint_eq(signed_count, 4);
    for (int i = 0; i < 6; i++)
        ck_assert(scalar_is_float(floats[i]));
    for (int i = 0; i < 4; i++)
        ck_assert(scalar_is_signed(integers[i]));
}
END_TEST

START_TEST(test_custom_has_its_own_size)
{
    struct element el = {SCALAR_CUSTOM, 1, 20, false};
    ck_assert_uint_eq(element_bytes(&el), 20);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, test_known_names, 0, sizeof known / sizeof *known);
    tcase_add_loop_test(tests, test_unknown_names, 0, sizeof unknown / sizeof *unknown);
    tcase_add_test(tests, test_every_name_reads_back);
    tcase_add_test(tests, test_table_agrees_with_the_list);
    tcase_add_test(tests, test_kinds_of_scalars);
    tcase_add_test(tests, test_custom_has_its_own_size);
}

int main(void)
{
    return suite_run("element", add);
}
