// What `hone init` reads from a source.
#include "cli/kernel_source.h"

#include "base/text.h"

#include "../base/suite.h"

#include <string.h>

static struct arena arena;
static struct kernel_source source;

static void read_odd(void)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    ck_assert(file_read(HONE_SOURCE_DIR "/tests/cli/data/odd.cl", 0, &text, &e));
    ck_assert(kernel_source_read(text_cstr(&text), text.length, &arena, &source, &e));
    text_release(&text);
}

static void release(void)
{
    arena_release(&arena);
}

static const struct found_name *open_name(const char *name)
{
    for (uint32_t i = 0; i < source.name_count; i++) {
        if (strcmp(source.names[i].name, name) == 0)
            return &source.names[i];
    }
    return NULL;
}

START_TEST(open_names)
{
    static const char *const expected[] = {"TILE",  "side",   "REAL", "LIMIT",    "USE_FAST",
                                           "OTHER", "UNROLL", "MODE", "PRAGMATIC"};
    ck_assert_uint_eq(source.name_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_str_eq(source.names[i].name, expected[i]);
    ck_assert_str_eq(open_name("TILE")->value, "16");
    ck_assert_ptr_null(open_name("LIMIT")->value);
    ck_assert(open_name("REAL")->is_type);
    ck_assert(!open_name("LIMIT")->is_type);
    ck_assert_uint_eq(source.dimensions, 2);
}
END_TEST

START_TEST(arguments)
{
    static const struct found_argument expected[] = {
        {"out", "REAL", PLACE_GLOBAL, false, false},
        {"in", "float4", PLACE_GLOBAL, true, false},
        {"p", "point", PLACE_CONSTANT, false, false},
        {"scratch", "float", PLACE_LOCAL, false, false},
        {"n", "unsigned int", PLACE_VALUE, true, false},
        {"alpha", "float", PLACE_VALUE, false, false},
    };
    ck_assert_uint_eq(source.kernel_count, 2);
    const struct found_kernel *k = &source.kernels[0];
    ck_assert_str_eq(k->name, "first");
    ck_assert_uint_eq(k->argument_count, 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_str_eq(k->arguments[i].name, expected[i].name);
        ck_assert_str_eq(k->arguments[i].type, expected[i].type);
        ck_assert_int_eq(k->arguments[i].place, expected[i].place);
        ck_assert_int_eq(k->arguments[i].is_const, expected[i].is_const);
        ck_assert_int_eq(k->arguments[i].is_written_only, expected[i].is_written_only);
    }
}
END_TEST

START_TEST(what_is_only_written)
{
    const struct found_kernel *k = &source.kernels[1];
    ck_assert_str_eq(k->name, "second");
    ck_assert(k->arguments[0].is_written_only);
    ck_assert(!k->arguments[1].is_written_only);
}
END_TEST

// reqd_work_group_size, before or after the word `kernel`, names or numbers.
START_TEST(required_group_size)
{
    static const char text[] =
        "__attribute__((reqd_work_group_size(BX, 8, 1)))\nkernel void a(int n) { }\n"
        "__kernel __attribute__((reqd_work_group_size(2 * BX, BY, 1))) void b(int n) { }\n"
        "__kernel void c(int n) { }\n";
    struct error e = ERROR_INIT;
    struct arena a;
    struct kernel_source s;
    arena_init(&a);
    ck_assert(kernel_source_read(text, sizeof text - 1, &a, &s, &e));
    ck_assert_uint_eq(s.kernel_count, 3);
    ck_assert_str_eq(s.kernels[0].group_size[0], "BX");
    ck_assert_str_eq(s.kernels[0].group_size[1], "8");
    ck_assert_str_eq(s.kernels[0].group_size[2], "1");
    ck_assert_ptr_null(s.kernels[1].group_size[0]);
    ck_assert_ptr_null(s.kernels[2].group_size[0]);
    arena_release(&a);
}
END_TEST

// Whatever stands in a file, reading it ends.
START_TEST(cut_anywhere)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    ck_assert(file_read(HONE_SOURCE_DIR "/tests/cli/data/odd.cl", 0, &text, &e));
    for (size_t length = 0; length < text.length; length++) {
        struct arena a;
        struct kernel_source cut;
        char *copy = malloc(length + 1); // so that a sanitizer sees what is read behind the end
        memcpy(copy, text.data, length);
        arena_init(&a);
        ck_assert(kernel_source_read(copy, length, &a, &cut, &e));
        arena_release(&a);
        free(copy);
    }
    text_release(&text);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, read_odd, release);
    tcase_add_test(tests, open_names);
    tcase_add_test(tests, arguments);
    tcase_add_test(tests, what_is_only_written);
    tcase_add_test(tests, required_group_size);
    tcase_add_test(tests, cut_anywhere);
}

int main(void)
{
    return suite_run("cli/kernel_source", add);
}
