// NVIDIA's tools where they are; and tools of our own that fail.
#include "isa/code.h"
#include "isa/tools.h"

#include "../base/suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p)\n"
                          "{ .reg .b64 %rd<3>; .reg .f32 %f<3>;\n"
                          "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;\n"
                          "ld.global.f32 %f1, [%rd2]; fma.rn.f32 %f2, %f1, %f1, %f1;\n"
                          "st.global.f32 [%rd2], %f2; ret; }\n";

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/hone-test-tools-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void drop_folder(void)
{
    folder_remove(folder);
}

// A tool of that name in `folder`.
static void put_tool(const char *name, const char *script)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "#!/bin/sh\n%s\n", script);
    fclose(f);
    ck_assert_int_eq(chmod(path, 0755), 0);
}

static bool is_missing(const struct error *e)
{
    return strstr(e->text, " is neither in PATH nor in ") != NULL;
}

static struct code_tools own_tools(int limit_ms)
{
    ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
    return (struct code_tools){.scratch = "/tmp", .folder = folder, .limit_ms = limit_ms};
}

START_TEST(absent)
{
    struct code_tools tools = own_tools(0);
    struct text out = TEXT_INIT;
    struct error a = ERROR_INIT, b = ERROR_INIT;
    char expected[128];
    ck_assert(!code_assemble(&tools, ptx, sizeof ptx - 1, "sm_90", &out, &a));
    snprintf(expected, sizeof expected, "ptxas is neither in PATH nor in %s", folder);
    ck_assert_str_eq(a.text, expected);
    ck_assert(!code_disassemble(&tools, "x", 1, &out, &b));
    snprintf(expected, sizeof expected, "nvdisasm is neither in PATH nor in %s", folder);
    ck_assert_str_eq(b.text, expected);
}
END_TEST

START_TEST(arguments)
{
    struct code_tools tools = own_tools(0);
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    put_tool("ptxas", "[ $# = 4 ] && { echo \"$1 $2\"; /bin/cat \"$4\"; } > \"$3\"");
    put_tool("nvdisasm", "echo $1; read -r line < $2; echo $line");
    ck_assert_msg(code_assemble(&tools, "in\n", 3, "sm_90a", &out, &e), "%s", e.text);
    ck_assert_str_eq(text_cstr(&out), "-arch=sm_90a -o\nin\n");
    ck_assert_msg(code_disassemble(&tools, "cubin\n", 6, &out, &e), "%s", e.text);
    ck_assert_str_eq(text_cstr(&out), "-c\ncubin\n");
    text_release(&out);
}
END_TEST

START_TEST(failing)
{
    struct code_tools tools = own_tools(0);
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    put_tool("ptxas", "echo 'ptxas in.ptx, line 3; error: wrong' >&2; exit 2");
    ck_assert(!code_assemble(&tools, ptx, sizeof ptx - 1, "sm_90", &out, &e));
    ck_assert_str_eq(e.text, "ptxas exited with status 2: ptxas in.ptx, line 3; error: wrong");
}
END_TEST

START_TEST(endless)
{
    struct code_tools tools = own_tools(300);
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    put_tool("ptxas", "exec /bin/sleep 60");
    ck_assert(!code_assemble(&tools, ptx, sizeof ptx - 1, "sm_90", &out, &e));
    ck_assert_str_eq(e.text, "ptxas did not end within 300 ms");
}
END_TEST

// cuobjdump stands in for nvdisasm.
START_TEST(stand_in)
{
    struct code_tools tools = own_tools(0);
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    put_tool("cuobjdump", "echo $1");
    ck_assert_msg(code_disassemble(&tools, "x", 1, &out, &e), "%s", e.text);
    ck_assert_str_eq(text_cstr(&out), "-sass\n");
    ck_assert_int_eq(e.code, ERROR_NONE);
    text_release(&out);
}
END_TEST

static struct code_tools nvidia = {.scratch = "/tmp"};

START_TEST(real)
{
    struct text cubin = TEXT_INIT, sass = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct code_profile p;
    ck_assert_msg(code_assemble(&nvidia, ptx, sizeof ptx - 1, "sm_90a", &cubin, &e), "%s", e.text);
    ck_assert(code_is_cubin(cubin.data, cubin.length));
    ck_assert_msg(code_disassemble(&nvidia, cubin.data, cubin.length, &sass, &e), "%s", e.text);
    ck_assert_msg(code_profile(sass.data, sass.length, CODE_SASS, "k", &p, &e), "%s", e.text);
    ck_assert_str_eq(p.target, "sm_90a");
    ck_assert_uint_eq(p.whole.of[CODE_FMA32], 1);
    ck_assert_uint_eq(p.whole.of[CODE_LOAD_GLOBAL], 1);
    ck_assert_uint_eq(p.whole.of[CODE_STORE_GLOBAL], 1);
    text_release(&cubin);
    text_release(&sass);
}
END_TEST

// Which of NVIDIA's tools is not here, or NULL.
static const char *missing_tool(void)
{
    struct text out = TEXT_INIT;
    struct error a = ERROR_INIT, b = ERROR_INIT;
    code_assemble(&nvidia, ptx, sizeof ptx - 1, "sm_90", &out, &a);
    code_disassemble(&nvidia, "x", 1, &out, &b);
    text_release(&out);
    return is_missing(&a) ? "ptxas" : is_missing(&b) ? "nvdisasm" : NULL;
}

static bool without_real;

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, make_folder, drop_folder);
    tcase_add_test(tests, absent);
    tcase_add_test(tests, arguments);
    tcase_add_test(tests, failing);
    tcase_add_test(tests, endless);
    tcase_add_test(tests, stand_in);
    if (!without_real)
        tcase_add_test(tests, real);
}

int main(void)
{
    const char *missing = missing_tool();
    without_real = missing != NULL;
    int failed = suite_run("code_tools", add);
    if (failed || !missing)
        return failed;
    printf("skipped: %s is not here; only the tests with tools of their own ran\n", missing);
    return 77;
}
