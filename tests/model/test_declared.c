// The rules by which a spec's types agree with those that a kernel declares.
#include "model/declared.h"

#include "../base/suite.h"

static const struct {
    const char *kernel, *given;
    bool fits;
} pointers[] = {
    {"float", "float", true},         {"int", "uint32", true},        {"float", "int32", false},
    {"float", "double", false},       {"half", "half", true},         {"float", "half", false},
    {"ushort", "half", true},         {"ushort", "bfloat16", true}, // their bits
    {"short", "bfloat16", false},     {"half", "bfloat16", false},    {"uint", "bfloat16", false},
    {"half", "uint16", false},        {"uchar", "float8_e4m3", true}, // bytes are anything
    {"ushort", "float8_e5m2", false},
};

START_TEST(types_of_buffers)
{
    struct declared d = {.kind = DECLARED_POINTER, .space = SPACE_GLOBAL, .has_element = true};
    struct passed p = {.kind = ARGUMENT_BUFFER, .generated = true};
    ck_assert(declared_parse(pointers[_i].kernel, LANGUAGE_OPENCL, &d.element));
    ck_assert(element_parse(pointers[_i].given, &p.element));
    ck_assert_msg((declared_check(&d, &p, LANGUAGE_OPENCL) == DECLARED_FITS) == pointers[_i].fits,
                  "%s to %s", pointers[_i].given, pointers[_i].kernel);
}
END_TEST

START_TEST(cuda_has_a_name_for_bfloat16)
{
    struct element el;
    ck_assert(declared_parse("__nv_bfloat16", LANGUAGE_CUDA, &el));
    ck_assert_int_eq(el.scalar, SCALAR_BFLOAT16);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, types_of_buffers, 0, sizeof pointers / sizeof *pointers);
    tcase_add_test(tests, cuda_has_a_name_for_bfloat16);
}

int main(void)
{
    return suite_run("declared", add);
}
