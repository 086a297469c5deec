// Two builds side by side: sentences, tables and JSON of counts given here, and builds taken apart
// where there are no tools.
#include "report/why.h"

#include "../base/suite.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct text out;

// OpenCL's loop: 12 64-bit additions and narrow loads; CUDA's: 2 and wide ones.
static struct view_why example(void)
{
    struct view_why v = {.count = 2};
    struct why_part *part = &v.parts[CODE_SASS];
    part->is_there = true;
    for (int i = 0; i < 2; i++) {
        struct code_profile *p = &part->sides[i].profile;
        struct code_counts *c = &p->loop;
        part->sides[i].label = i ? "CUDA" : "OpenCL";
        *p = (struct code_profile){.kind = CODE_SASS,
                                   .kernel = "matmul",
                                   .target = "sm_90a",
                                   .loops = 2,
                                   .loop_depth = 2,
                                   .loop_first = 10,
                                   .loop_last = 90 - 20 * (size_t)i};
        c->of[CODE_FMA32] = 64;
        c->multiply_adds = 64;
        c->of[CODE_INTEGER64] = i ? 2 : 12;
        c->of[CODE_LOAD_SHARED] = i ? 4 : 16;
        c->wide[CODE_LOAD_SHARED][i ? 4 : 2] = i ? 4 : 16;
        c->of[CODE_BRANCH] = 1;
        c->instructions = c->of[CODE_INTEGER64] + c->of[CODE_LOAD_SHARED] + 65;
        p->whole = *c;
        p->whole.of[CODE_STORE_LOCAL] = i ? 0 : 3;
        p->whole.wide[CODE_STORE_LOCAL][2] = i ? 0 : 3;
        p->whole.instructions += i ? 0 : 3;
    }
    str_format(v.parts[CODE_PTX].missing, 64, "CUDA: a cubin only");
    return v;
}

START_TEST(sentences)
{
    struct view_why v = example();
    text_clear(&out);
    report_why_sentences(&v, &out);
    ck_assert_str_eq(
        text_cstr(&out),
        "For the 64 multiply-adds of a pass of the hottest loop OpenCL has 93 instructions, CUDA "
        "71.\n"
        "OpenCL does 16 loads from shared memory (of 32 bits) per loop pass, CUDA 4 (of 128 "
        "bits).\n"
        "OpenCL does 12 64-bit integer operations per loop pass, CUDA 2.\n"
        "In the whole kernel OpenCL has 3 loads and stores of spilled registers or private arrays, "
        "CUDA 0.\n");
}
END_TEST

// A loop that does twice the work in a pass is compared by work.
START_TEST(unrolled)
{
    struct view_why v = example();
    struct code_counts *c = &v.parts[CODE_SASS].sides[1].profile.loop;
    text_clear(&out);
    c->multiply_adds = c->of[CODE_FMA32] = 128;
    c->of[CODE_BRANCH] = 2;
    c->instructions = 136;
    v.parts[CODE_SASS].sides[0].profile.whole.of[CODE_STORE_LOCAL] = 0;
    report_why_sentences(&v, &out);
    ck_assert_str_eq(
        text_cstr(&out),
        "For each multiply-add a pass of the hottest loop of OpenCL has 1.453 instructions (64 "
        "multiply-adds), that of CUDA 1.062 (128).\n"
        "OpenCL does 25 loads from shared memory (of 32 bits) per 100 multiply-adds, CUDA 3.12 (of "
        "128 bits).\n"
        "OpenCL does 18.8 64-bit integer operations per 100 multiply-adds, CUDA 1.56.\n");
}
END_TEST

START_TEST(alike)
{
    struct view_why v = example();
    text_clear(&out);
    v.parts[CODE_SASS].sides[1].profile = v.parts[CODE_SASS].sides[0].profile;
    report_why_sentences(&v, &out);
    ck_assert_str_eq(text_cstr(&out),
                     "For the 64 multiply-adds of a pass of the hottest loop OpenCL has 93 "
                     "instructions, CUDA 93.\n"
                     "By classes of instructions the two loops are the same to 1 %.\n");
    text_clear(&out);
    v.parts[CODE_SASS].sides[1].profile.loop_depth = 0;
    v.parts[CODE_SASS].sides[1].profile.loops = 0;
    report_why_sentences(&v, &out);
    ck_assert_str_eq(text_cstr(&out),
                     "CUDA has no loop; the whole kernels are compared.\n"
                     "For the 64 multiply-adds of the kernel OpenCL has 96 instructions, CUDA 96.\n"
                     "By classes of instructions the two kernels are the same to 1 %.\n");
}
END_TEST

START_TEST(tables)
{
    struct view_why v = example();
    text_clear(&out);
    report_why(&v, &out);
    const char *table = strstr(text_cstr(&out), "\n\n");
    ck_assert_ptr_nonnull(table);
    static const char expected[] =
        "SASS, a pass of the hottest loop (OpenCL: lines 10 to 90, depth 2; CUDA: lines 10 to 70, "
        "depth 2)\n"
        "                                OpenCL  CUDA  difference  OpenCL / fma  CUDA / fma\n"
        "  instructions                      93    71         +22         1.453       1.109\n"
        "  loads from shared memory          16     4         +12         0.250       0.062\n"
        "    of 32 bits                      16     0         +16         0.250       0.000\n"
        "    of 128 bits                      0     4          -4         0.000       0.062\n"
        "  float fmas                        64    64          +0         1.000       1.000\n"
        "  64-bit integer operations         12     2         +10         0.188       0.031\n"
        "  branches                           1     1          +0         0.016       0.016\n"
        "  multiply-adds of a work-item      64    64          +0         1.000       1.000\n"
        "\n"
        "SASS, the whole kernel (OpenCL: matmul for sm_90a, 2 loops; CUDA: matmul for sm_90a, 2 "
        "loops)\n"
        "                                                          OpenCL  CUDA  difference\n"
        "  instructions                                                96    71         +25\n"
        "  loads from shared memory                                    16     4         +12\n"
        "    of 32 bits                                                16     0         +16\n"
        "    of 128 bits                                                0     4          -4\n"
        "  stores of spilled registers or private arrays, 32 bits       3     0          +3\n"
        "  float fmas                                                  64    64          +0\n"
        "  64-bit integer operations                                   12     2         +10\n"
        "  branches                                                     1     1          +0\n"
        "  multiply-adds of a work-item                                64    64          +0\n"
        "\n"
        "No PTX: CUDA: a cubin only\n";
    if (strcmp(table + 2, expected) != 0)
        fputs(table + 2, stderr); // too long for a message of the library
    ck_assert(strcmp(table + 2, expected) == 0);
}
END_TEST

START_TEST(markdown)
{
    struct view_why v = example();
    text_clear(&out);
    report_why_markdown(&v, &out);
    ck_assert(str_starts(text_cstr(&out), "- For the 64 multiply-adds of a pass"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out),
                                 "\n|  | OpenCL | CUDA | difference | OpenCL / fma | CUDA / fma |\n"
                                 "|---|---:|---:|---:|---:|---:|\n"
                                 "| instructions | 93 | 71 | +22 | 1.453 | 1.109 |\n"
                                 "| loads from shared memory | 16 | 4 | +12 | 0.250 | 0.062 |\n"
                                 "| &nbsp;&nbsp;of 32 bits | 16 | 0 | +16 | 0.250 | 0.000 |\n"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "\n|  | OpenCL | CUDA | difference |\n"
                                                  "|---|---:|---:|---:|\n"
                                                  "| instructions | 96 | 71 | +25 |\n"));
}
END_TEST

START_TEST(json)
{
    struct view_why v = example();
    struct emit j;
    const char *missing;
    text_clear(&out);
    emit_start(&j, &out);
    v.parts[CODE_SASS].sides[1].profile.loop_depth = 0;
    emit_record(&j, &report_why_fields, &v, &v);
    json_t *read = json_loads(text_cstr(&out), JSON_REJECT_DUPLICATES, NULL), *loop, *none;
    int bits, last;
    ck_assert_ptr_nonnull(read);
    ck_assert_int_eq(json_unpack(read, "{s:{s:s, s:[]}, s:{s:n, s:[{s:o}, {s:o}]}}", "ptx",
                                 "missing", &missing, "sides", "sass", "missing", "sides", "loop",
                                 &loop, "loop", &none),
                     0);
    ck_assert_str_eq(missing, "CUDA: a cubin only");
    ck_assert(json_is_null(none));
    ck_assert_int_eq(json_unpack(loop, "{s:{s:{s:i}}, s:[i,i]}", "widths", "load_shared", "32",
                                 &bits, "lines", &last, &last),
                     0);
    ck_assert_int_eq(bits, 16);
    ck_assert_int_eq(last, 90);
    ck_assert_uint_eq(json_array_size(json_object_get(read, "sentences")), 5);
    json_decref(read);
}
END_TEST

// ---- builds ------------------------------------------------------------------------------------

static const char ptx[] = ".version 7.8\n.target sm_90\n.address_size 64\n.entry k() {\n"
                          "again: fma.rn.f32 %f1, %f1, %f1, %f1; @%p1 bra again; ret; }\n";
static const char cubin[64] = {0x7f, 'E', 'L', 'F', [18] = (char)190};

static struct code_tools no_tools(void)
{
    ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
    return (struct code_tools){.scratch = "/tmp", .folder = "/nowhere"};
}

START_TEST(without_tools)
{
    const struct why_build builds[] = {
        {.label = "OpenCL", .kernel = "k", .binary = ptx, .length = sizeof ptx - 1},
        {.label = "CUDA",
         .kernel = "k",
         .binary = cubin,
         .length = sizeof cubin,
         .ptx = ptx,
         .ptx_length = sizeof ptx - 1}};
    struct code_tools tools = no_tools();
    struct view_why v;
    struct error e = ERROR_INIT;
    ck_assert_msg(why_make(builds, 2, &tools, &v, &e), "%s", e.text);
    ck_assert(v.parts[CODE_PTX].is_there);
    ck_assert_uint_eq(v.parts[CODE_PTX].sides[1].profile.loop.of[CODE_FMA32], 1);
    ck_assert_str_eq(v.parts[CODE_SASS].missing,
                     "OpenCL: ptxas is neither in PATH nor in /nowhere");
    text_clear(&out);
    report_why(&v, &out);
    ck_assert_ptr_nonnull(
        strstr(text_cstr(&out), "\nNo SASS: OpenCL: ptxas is neither in PATH nor in /nowhere\n"));
    ck_assert(str_starts(text_cstr(&out), "For the 1 multiply-adds of a pass"));
}
END_TEST

START_TEST(nothing_to_read)
{
    const struct why_build builds[] = {{.label = "CUDA", .binary = cubin, .length = sizeof cubin},
                                       {.label = "PoCL", .binary = "poclbin", .length = 7}};
    struct code_tools tools = no_tools();
    struct view_why v;
    struct error a = ERROR_INIT, b = ERROR_INIT;
    ck_assert(!why_make(builds, 1, &tools, &v, &a));
    ck_assert_str_eq(a.text, "CUDA: nvdisasm is neither in PATH nor in /nowhere; CUDA: the driver "
                             "returned a cubin without its PTX");
    ck_assert(!why_make(builds + 1, 1, &tools, &v, &b));
    ck_assert_str_eq(
        b.text,
        "PoCL: the driver returned neither PTX nor a cubin: only NVIDIA's code can be analysed");
}
END_TEST

// What ptxas is told: the device's target, unless the text has one with an architecture's own
// instructions.
START_TEST(targets)
{
    static const struct {
        const char *in_text, *given, *expected;
    } cases[] = {
        {"sm_90", NULL, "sm_90"}, {"sm_90", "sm_90a", "sm_90a"}, {"sm_90a", "sm_100", "sm_90a"}};
    char folder[] = "/tmp/hone-test-why-XXXXXX", path[64], target[32];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ptxas", folder);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs("#!/bin/sh\necho \"got $1\" >&2\nexit 1\n", f);
    fclose(f);
    ck_assert_int_eq(chmod(path, 0755), 0);
    struct code_tools tools = no_tools();
    tools.folder = folder;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200], expected[100];
        struct view_why v;
        struct error e = ERROR_INIT;
        snprintf(text, sizeof text, ".version 7.8\n.target %s\n.entry k() { ret; }\n",
                 cases[i].in_text);
        const struct why_build b = {
            .label = "A", .binary = text, .length = strlen(text), .target = cases[i].given};
        ck_assert(why_make(&b, 1, &tools, &v, &e));
        snprintf(expected, sizeof expected, "A: ptxas exited with status 1: got -arch=%s",
                 cases[i].expected);
        ck_assert_str_eq(v.parts[CODE_SASS].missing, expected);
    }
    folder_remove(folder);
    why_target(90, target);
    ck_assert_str_eq(target, "sm_90a");
    why_target(86, target);
    ck_assert_str_eq(target, "sm_86");
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, sentences);
    tcase_add_test(tests, unrolled);
    tcase_add_test(tests, alike);
    tcase_add_test(tests, tables);
    tcase_add_test(tests, markdown);
    tcase_add_test(tests, json);
    tcase_add_test(tests, without_tools);
    tcase_add_test(tests, nothing_to_read);
    tcase_add_test(tests, targets);
}

int main(void)
{
    return suite_run("report_why", add);
}
