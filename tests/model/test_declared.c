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

// An image is passed as one, a sampler as one, and neither as anything else.
START_TEST(images_and_samplers)
{
    static const struct {
        const char *type;
        enum declared_kind kind;
    } types[] = {{"image2d_t", DECLARED_IMAGE},
                 {"image3d_t", DECLARED_IMAGE},
                 {"cudaTextureObject_t", DECLARED_IMAGE},
                 {"cudaSurfaceObject_t", DECLARED_IMAGE},
                 {"sampler_t", DECLARED_SAMPLER},
                 {"image1d_t", DECLARED_UNKNOWN},
                 {"float", DECLARED_UNKNOWN}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        ck_assert_int_eq(declared_image_kind(types[i].type), types[i].kind);
    const struct declared image = {.kind = DECLARED_IMAGE}, sampler = {.kind = DECLARED_SAMPLER},
                          pointer = {.kind = DECLARED_POINTER, .space = SPACE_GLOBAL};
    const struct passed as_image = {.kind = ARGUMENT_BUFFER, .is_image = true},
                        as_buffer = {.kind = ARGUMENT_BUFFER},
                        as_sampler = {.kind = ARGUMENT_SAMPLER};
    ck_assert_int_eq(declared_check(&image, &as_image, LANGUAGE_OPENCL), DECLARED_FITS);
    ck_assert_int_eq(declared_check(&image, &as_buffer, LANGUAGE_OPENCL), DECLARED_OTHER_KIND);
    ck_assert_int_eq(declared_check(&pointer, &as_image, LANGUAGE_CUDA), DECLARED_OTHER_KIND);
    ck_assert_int_eq(declared_check(&sampler, &as_sampler, LANGUAGE_OPENCL), DECLARED_FITS);
    ck_assert_int_eq(declared_check(&sampler, &as_image, LANGUAGE_OPENCL), DECLARED_OTHER_KIND);
    ck_assert_int_eq(declared_check(&pointer, &as_sampler, LANGUAGE_OPENCL), DECLARED_OTHER_KIND);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, types_of_buffers, 0, sizeof pointers / sizeof *pointers);
    tcase_add_test(tests, images_and_samplers);
    tcase_add_test(tests, cuda_has_a_name_for_bfloat16);
}

int main(void)
{
    return suite_run("declared", add);
}
