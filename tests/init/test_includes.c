// What a kernel's file says together with the files beside it that it includes.
#include "extras/init/includes.h"
#include "extras/init/infer.h"

#include "../base/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/hone-includes-XXXXXX";

static const char *write_file(struct arena *a, const char *name, const char *text)
{
    const char *path = arena_printf(a, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    return path;
}

static void expect_read(const char *path, const char *expected)
{
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    ck_assert_msg(infer_read(path, NULL, &out, NULL, &e), "%s", e.text);
    ck_assert_str_eq(text_cstr(&out), expected);
    text_release(&out);
}

START_TEST(files_beside_it)
{
    struct arena a;
    arena_init(&a);
    write_file(&a, "one.h", "int one;\n#include \"two.h\"\n");
    write_file(&a, "two.h", "int two;\n#include \"one.h\"\n");
    // Each once; what is not there, and a compiler's own headers, stay.
    expect_read(
        write_file(&a, "k.cl",
                   "#include <one.h>\n# include \"one.h\" // why\n#include \"none.h\"\nint k;\n"
                   "#include \"two.h\"\n/*\n#include \"one.h\"\n*/"),
        "#include <one.h>\nint one;\nint two;\n\n#line 3\n\n#line 3\n\n#line 3\n"
        "#include \"none.h\"\nint k;\n\n#line 6\n/*\n#include \"one.h\"\n*/");
    expect_read(write_file(&a, "self.cl", "int a;\n#include \"self.cl\"\nint b;"),
                "int a;\nint a;\n\n#line 3\nint b;\n#line 3\nint b;");
    expect_read(write_file(&a, "empty.cl", ""), "");
    arena_release(&a);
}
END_TEST

// "FILE" beside the kernel first, then in the folders, in their order; <FILE> in the folders alone.
START_TEST(files_in_folders)
{
    struct arena a;
    arena_init(&a);
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct text missing = TEXT_INIT;
    const char *first = arena_printf(&a, "%s/first", folder);
    const char *second = arena_printf(&a, "%s/second", folder);
    ck_assert(mkdir(first, 0700) == 0 && mkdir(second, 0700) == 0);
    write_file(&a, "here.h", "int beside;\n");
    write_file(&a, "first/here.h", "int first_here;\n");
    write_file(&a, "first/there.h", "int first_there;\n#include \"own.h\"\n");
    write_file(&a, "first/own.h", "int own;\n");
    write_file(&a, "second/there.h", "int second_there;\n");
    const char *path = write_file(
        &a, "f.cl",
        "#include \"here.h\"\n#include <there.h>\n#include <here.h>\n#include <nowhere.h>\n"
        "#include \"lost.h\"\n#include \"cuda_fp16.h\"\n#include \"lost.h\"\n#include \"far.h\"\n");
    ck_assert(infer_read(path, (const char *[]){first, second, NULL}, &out, &missing, &e));
    ck_assert_str_eq(text_cstr(&out),
                     "int beside;\n\n#line 2\nint first_there;\nint own;\n\n#line 3\n\n#line 3\n"
                     "int first_here;\n\n#line 4\n#include <nowhere.h>\n"
                     "#include \"lost.h\"\n#include \"cuda_fp16.h\"\n#include \"lost.h\"\n"
                     "#include \"far.h\"\n");
    ck_assert_str_eq(text_cstr(&missing), "<nowhere.h, lost.h, cuda_fp16.h, far.h");
    text_release(&missing);
    text_release(&out);
    arena_release(&a);
}
END_TEST

// A struct by value is one wherever its type is defined; lines are those of the kernel's own file.
START_TEST(what_they_define)
{
    static const char kernel[] =
        "#include \"types.h\"\n#include \"types.h\"\n"
        "kernel void k(global float *y, struct pair p) { y[0] = p.a; } kernel void t(global number "
        "*y, int n) { int i = get_global_id(0); if (i < n) y[i] = 1; }\n"
        "kernel void j(global float *y, int n) {\n goto end; end: y[0] = TWO; }";
    struct arena a;
    struct text source = TEXT_INIT;
    struct inferred f;
    struct error e = ERROR_INIT;
    arena_init(&a);
    write_file(&a, "types.h",
               "#ifndef TYPES_H\n#define TYPES_H\n\nstruct pair { float a, *b; };\n#define TWO 2\n"
               "typedef float number;\n#endif");
    ck_assert(infer_read(write_file(&a, "types.cl", kernel), NULL, &source, NULL, &e));
    ck_assert(!infer_kernel(text_cstr(&source), source.length, LANGUAGE_OPENCL, "k", &a, &f, &e));
    ck_assert_msg(strstr(e.text, "struct by value (pair)") != NULL, "%s", e.text);
    ck_assert(infer_kernel(text_cstr(&source), source.length, LANGUAGE_OPENCL, "j", &a, &f, &e));
    ck_assert_msg(f.open_count && strstr(f.open[0], "line 5 "), "%s", f.open[0]);
    // Who reads a spec does not follow includes: the type is written there.
    struct inferred typed;
    error_clear(&e);
    ck_assert_msg(
        infer_kernel(text_cstr(&source), source.length, LANGUAGE_OPENCL, "t", &a, &typed, &e), "%s",
        e.text);
    ck_assert(typed.arguments[0].is_typed);
    ck_assert_str_eq(typed.arguments[0].type, "float");
    for (uint32_t i = 0; i < f.name_count; i++) // what guards a file is nobody's parameter
        ck_assert_str_ne(f.names[i].name, "TYPES_H");
    text_release(&source);
    arena_release(&a);
}
END_TEST

START_TEST(what_cannot_be_read)
{
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    ck_assert(!infer_read("/nowhere/k.cl", NULL, &out, NULL, &e));
    ck_assert_msg(strstr(e.text, "/nowhere/k.cl") != NULL, "%s", e.text);
    text_release(&out);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, files_beside_it);
    tcase_add_test(tests, files_in_folders);
    tcase_add_test(tests, what_they_define);
    tcase_add_test(tests, what_cannot_be_read);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    int status = suite_run("includes", add);
    folder_remove(folder);
    return status;
}
