// What is left of files that are meant for a compiler of host and device.
#include "kernel_text/device_text.h"

#include "base/text.h"

#include "../base/suite.h"

#include <string.h>

// The device's text of `text`, which may include "own.h" of `header`; "" where nothing is left out.
static void expect_left(const char *text, const char *header, const char *expected)
{
    const struct scan_names names = {NULL, 0};
    const struct follow_macro none = {false, NULL};
    struct device_file files[] = {{.path = "k.cu", .text = text, .length = strlen(text)},
                                  {.path = "own.h", .text = header, .length = strlen(header)}};
    struct device_program p = {
        .files = files, .count = 2, .terms = {&names, &none, .language = LANGUAGE_CUDA}};
    struct arena arena;
    arena_init(&arena);
    ck_assert(device_text_make(&p, &arena));
    ck_assert_str_eq(files[0].device ? files[0].device : "", expected);
    arena_release(&arena);
}

START_TEST(host_code_is_left_out)
{
    expect_left("#include <cstdio>\n"
                "#define GROUP 128\n"
                "float *data;\n"
                "__global__ void add(float *c, int n)\n{\n    c[0] = n;\n}\n"
                "static void check(int s)\n{\n    if (s)\n        exit(1);\n}\n"
                "int main()\n{\n    add<<<1, GROUP>>>(data, 1);\n}\n",
                "",
                "#include <cstdio>\n#define GROUP 128\n\n__global__ void add(float *c, int n)\n{\n"
                "c[0] = n;\n}\n");
    // Without a kernel, or without host code, nothing changes.
    expect_left("int main() { return 0; }\n", "", "");
    expect_left("struct s { int a; };\n__device__ int f() { return 1; }\n"
                "__global__ void k(s v) { v.a = f(); }\n",
                "", "");
}
END_TEST

START_TEST(what_kernels_name_is_kept)
{
    expect_left(
        "typedef struct { float x; } point;\n"
        "typedef std::vector<int> list;\n"
        "const int n = 3, m = 4;\n"
        "struct host { FILE *f; };\n"
        "enum { ONE, TWO };\n"
        "#define LAST (n - 1)\n"
        "__constant__ float table[4];\n"
        "template <typename T> __device__ T twice(T a) { return a + a; }\n"
        "__device__ int unused() { return printf(\"\"); }\n"
        "template <typename T> void run(T a) { go(a); }\n"
        "namespace inner {\n"
        "__global__ void k(point *p) { p[LAST].x = twice(table[ONE]); }\n"
        "}\n"
        "RUN(k);\n",
        "",
        "typedef struct { float x; } point;\n\nconstexpr int n = 3, m = 4;\n\n"
        "enum { ONE, TWO };\n#define LAST (n - 1)\n__constant__ float table[4];\n"
        "template <typename T> __device__ T twice(T a) { return a + a; }\n\n\n"
        "namespace inner {\n__global__ void k(point *p) { p[LAST].x = twice(table[ONE]); }\n"
        "}\n");
}
END_TEST

START_TEST(macros_are_looked_into)
{
    expect_left("#include \"own.h\"\n"
                "KERNEL(k) { p[0] = square(2); }\n"
                "HD int square(int a) { return a * a; }\n"
                "int host(int a) { return a; }\n",
                "#define KERNEL(name) __global__ void name(int *p)\n"
                "#define HD __host__ __device__\n",
                "#include \"own.h\"\nKERNEL(k) { p[0] = square(2); }\n"
                "HD int square(int a) { return a * a; }\n");
}
END_TEST

// The asked kernel of several, and what it reaches.
START_TEST(asked_kernels_are_kept)
{
    static const char text[] = "texture<float> t;\n"
                               "__global__ void other(float *p) { p[0] = tex1Dfetch(t, 0); }\n"
                               "__device__ void child(float *p) { p[1] = 1; }\n"
                               "namespace a { __global__ void k(float *p) { child(p); } }\n";
    static const char *const kernels[] = {"a::k", "a::lost"};
    const struct scan_names names = {NULL, 0};
    const struct follow_macro none = {false, NULL};
    for (uint32_t count = 1; count <= 2; count++) {
        struct device_file file = {.path = "k.cu", .text = text, .length = sizeof text - 1};
        struct device_program p = {.files = &file,
                                   .count = 1,
                                   .terms = {&names, &none, .language = LANGUAGE_CUDA},
                                   .kernels = kernels,
                                   .kernel_count = count};
        struct arena arena;
        arena_init(&arena);
        ck_assert(device_text_make(&p, &arena));
        // A name that is nowhere: all of them.
        ck_assert_int_eq(strstr(file.device, "other") != NULL, count == 2);
        ck_assert_ptr_nonnull(strstr(file.device, "__device__ void child"));
        ck_assert_ptr_nonnull(strstr(file.device, "void k("));
        arena_release(&arena);
    }
}
END_TEST

// Text on a refused line goes, but never the kernel that is asked for.
START_TEST(refused_lines_are_left_out)
{
    static const char text[] = "using lost::list;\n"
                               "struct s {\n    list all;\n};\n"
                               "__global__ void k(float *p) {\n    s v; list w; p[0] = 1;\n}\n";
    static const char *const kernels[] = {"k"};
    static const struct device_fault faults[] = {{0, 1}, {0, 3}, {0, 6}};
    const struct scan_names names = {NULL, 0};
    const struct follow_macro none = {false, NULL};
    struct device_file file = {.path = "k.cu", .text = text, .length = sizeof text - 1};
    struct device_program p = {.files = &file,
                               .count = 1,
                               .terms = {&names, &none, .language = LANGUAGE_CUDA},
                               .kernels = kernels,
                               .kernel_count = 1,
                               .faults = faults,
                               .fault_count = 3};
    struct arena arena;
    arena_init(&arena);
    ck_assert(device_text_make(&p, &arena));
    ck_assert_uint_eq(p.faulty, 2);
    ck_assert_str_eq(file.device,
                     "\n\n\n\n__global__ void k(float *p) {\ns v; list w; p[0] = 1;\n}\n");
    arena_release(&arena);
}
END_TEST

START_TEST(kernels_are_listed)
{
    static const char text[] = "__global__ void __launch_bounds__(64) a(int x);\n"
                               "// __global__ void no(int);\n"
                               "template <int N> __global__ void b(int y) {}";
    struct text out = TEXT_INIT;
    device_text_kernels(text, sizeof text - 1, LANGUAGE_CUDA, &out);
    ck_assert_str_eq(text_cstr(&out), "a, b");
    text_release(&out);
}
END_TEST

// A macro of the text's own is an attribute where the declared name stands behind it.
START_TEST(attributes_are_macros_too)
{
    expect_left("#define _ALIGN(x) __align__(x)\n"
                "__constant__ unsigned _ALIGN(16) seeds[4];\n"
                "unsigned _ALIGN(16) of_the_host[4];\n"
                "__global__ void k(unsigned *p) { p[0] = seeds[0]; }\n",
                "",
                "#define _ALIGN(x) __align__(x)\n__constant__ unsigned _ALIGN(16) seeds[4];\n\n"
                "__global__ void k(unsigned *p) { p[0] = seeds[0]; }\n");
}
END_TEST

// Lines within a function of the host that only the compiler may see go with it.
START_TEST(other_branches_are_left_out)
{
    expect_left("#include \"own.h\"\n"
                "__global__ void k(int *p) { p[0] = 1; }\n"
                "static void put(char *to, int a)\n{\n"
                "#if WIDE\n"
                "    *(int *)to = a;\n"
                "#else\n"
                "    to[0] = a >> 8;\n"
                "    to[1] = a;\n"
                "#endif\n"
                "}\n",
                "#define WIDE 1\n",
                "#include \"own.h\"\n__global__ void k(int *p) { p[0] = 1; }\n\n\n#if WIDE\n\n"
                "#else\n\n\n#endif\n\n");
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, attributes_are_macros_too);
    tcase_add_test(tests, other_branches_are_left_out);
    tcase_add_test(tests, host_code_is_left_out);
    tcase_add_test(tests, what_kernels_name_is_kept);
    tcase_add_test(tests, macros_are_looked_into);
    tcase_add_test(tests, asked_kernels_are_kept);
    tcase_add_test(tests, refused_lines_are_left_out);
    tcase_add_test(tests, kernels_are_listed);
}

int main(void)
{
    return suite_run("device_text", add);
}
