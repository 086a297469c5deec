// PTX rewritten for another target: stored text (data/retarget), markers that are wrong, and, where
// NVIDIA's assembler is, that it takes what comes out.
#include "device/retarget.h"

#include "isa/code.h"
#include "isa/tools.h"

#include "../base/suite.h"

#include <stdio.h>
#include <string.h>

static struct text out;

static const char *rewritten(const char *ptx, const char *target)
{
    struct error e = ERROR_INIT;
    text_clear(&out);
    ck_assert_msg(ptx_retarget(ptx, strlen(ptx), target, &out, &e), "%s", e.text);
    return text_cstr(&out);
}

static struct text stored(void)
{
    struct text text = TEXT_INIT;
    struct error e = ERROR_INIT;
    ck_assert_msg(
        file_read(HONE_SOURCE_DIR "/tests/device/data/retarget/kernels.ptx", 0, &text, &e), "%s",
        e.text);
    return text;
}

static unsigned count(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

// ---- stored text -------------------------------------------------------------------------------

START_TEST(markers_of_several_kernels)
{
    struct text ptx = stored();
    const char *text = rewritten(text_cstr(&ptx), "sm_90a");
    ck_assert_uint_eq(count(text, "hone-"), 0);
    ck_assert_uint_eq(count(text, ".target sm_90a\n"), 1);
    ck_assert_uint_eq(count(text, "sm_90\n"), 0);
    // operands as the compiler put them in, lines in order
    ck_assert_ptr_nonnull(strstr(text, "\twgmma.fence.sync.aligned;\n"
                                       "\twgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32\n"
                                       "\t{%f36, %f37, %f38, %f39},\n"
                                       "\t{%r5, %r5, %r5, %r5}, %rd6, 1, 1, 1;\n"
                                       "\twgmma.commit_group.sync.aligned;\n"
                                       "\twgmma.wait_group.sync.aligned 0;\n"));
    // directives in front of their own kernel's body, once
    ck_assert_ptr_nonnull(strstr(text, ".param .u64 plain_param_0\n)\n{\n"));
    ck_assert_ptr_nonnull(strstr(text, "wgmma_param_3\n)\n.maxnreg 64\n{\n"));
    ck_assert_ptr_nonnull(strstr(text, "twice_param_0\n)\n.maxnreg 32\n{\n"));
    ck_assert_uint_eq(count(text, ".maxnreg"), 2);
    ck_assert_uint_eq(count(text, "setmaxnreg."), 3);
    text_release(&ptx);
}
END_TEST

// Everything else stays as it is, byte for byte.
START_TEST(without_markers)
{
    struct text ptx = stored(), expected = TEXT_INIT;
    char *end = strstr(ptx.data, "\t// .globl\twgmma"), *target = strstr(ptx.data, "sm_90");
    *end = '\0';
    text_addf(&expected, "%.*ssm_100f%s", (int)(target - ptx.data), ptx.data, target + 5);
    ck_assert_str_eq(rewritten(ptx.data, "sm_100f"), text_cstr(&expected));
    text_release(&ptx);
    text_release(&expected);
}
END_TEST

// ---- small texts -------------------------------------------------------------------------------

#define HEAD ".version 9.0\n.target sm_90\n"

START_TEST(targets)
{
    ck_assert_str_eq(rewritten(".version 9.0\r\n  .target\tsm_90, debug // sm_90\r\n", "sm_90a"),
                     ".version 9.0\r\n  .target\tsm_90a, debug // sm_90\r\n");
    ck_assert_str_eq(rewritten(".target sm_80", "sm_80"), ".target sm_80");
    // the highest that a text names is what it needs, so both
    ck_assert_str_eq(rewritten(".target sm_90\n.targets x\n.target sm_52\n", "sm_90a"),
                     ".target sm_90a\n.targets x\n.target sm_90a\n");
}
END_TEST

START_TEST(forms_of_markers)
{
    ck_assert_str_eq(rewritten(HEAD "//hone-splice:a;\n  //  hone-splice:  b.c\t%r1,\n"
                                    "// hone-splice: %f2; \r\n// hone-splicing\n",
                               "sm_90a"),
                     ".version 9.0\n.target sm_90a\n\ta;\n\tb.c\t%r1,\n\t%f2;\n// hone-splicing\n");
}
END_TEST

// An instruction of many operands, each line a marker: wgmma with n = 256 has 128.
START_TEST(long_instruction)
{
    struct text ptx = TEXT_INIT, expected = TEXT_INIT;
    text_add(&ptx, HEAD "// hone-splice: wgmma {\n");
    text_add(&expected, ".version 9.0\n.target sm_90a\n\twgmma {\n");
    for (int i = 0; i < 128; i++) {
        text_addf(&ptx, "// hone-splice: %%f%d%s\n", i, i < 127 ? "," : "}, %rd1;");
        text_addf(&expected, "\t%%f%d%s\n", i, i < 127 ? "," : "}, %rd1;");
    }
    ck_assert_str_eq(rewritten(text_cstr(&ptx), "sm_90a"), text_cstr(&expected));
    text_release(&ptx);
    text_release(&expected);
}
END_TEST

// Where kernels begin and end: braces in comments, of blocks, of functions.
START_TEST(places_of_directives)
{
    ck_assert_str_eq(rewritten(HEAD ".entry a(.param .u64 x) .reqntid 8 { // {{{\n"
                                    "{ ret; }\n"
                                    "// hone-entry: .maxnreg 64\n"
                                    "// hone-entry: .minnctapersm 2\n"
                                    "}\n"
                                    ".const .b8 c[2] = {1, 2};\n"
                                    ".entry b() .maxnreg 64\n"
                                    "{\n"
                                    "// hone-entry: .maxnreg 64\n"
                                    "}\n",
                               "sm_90a"),
                     ".version 9.0\n.target sm_90a\n"
                     ".entry a(.param .u64 x) .reqntid 8 .maxnreg 64\n.minnctapersm 2\n{ // {{{\n"
                     "{ ret; }\n"
                     "\n\n"
                     "}\n"
                     ".const .b8 c[2] = {1, 2};\n"
                     ".entry b() .maxnreg 64\n"
                     "{\n"
                     "\n"
                     "}\n");
}
END_TEST

static const struct {
    const char *ptx, *error;
} refused[] = {
    {"", "the driver's binary is not PTX text"},
    {".version 9.0\n", "the driver's binary is not PTX text: it has no .target"},
    {".target texmode_unified, sm_90\n",
     "line 1 of its PTX: the target is not first in its line: .target texmode_unified, sm_90"},
    {HEAD "  // hone-splice\n",
     "line 3 of its PTX: a marker is written '// hone-splice: INSTRUCTION;' or '// hone-entry: "
     "DIRECTIVE': // hone-splice"},
    {HEAD "// hone-splice : a;\n",
     "line 3 of its PTX: a marker is written '// hone-splice: INSTRUCTION;' or '// hone-entry: "
     "DIRECTIVE': // hone-splice : a;"},
    {HEAD "\n// hone-splice: \n",
     "line 4 of its PTX: a marker without an instruction: // hone-splice:"},
    {HEAD "// hone-splice: wgmma.fence.sync.aligned\n// end inline asm\n",
     "line 3 of its PTX: the spliced instruction does not end with ';': // hone-splice: "
     "wgmma.fence.sync.aligned"},
    {HEAD "// hone-splice: wgmma",
     "line 3 of its PTX: the spliced instruction does not end with ';': // hone-splice: wgmma"},
    {HEAD "// hone-splice: mov.u32 %0, %1;\n",
     "line 3 of its PTX: the compiler has put no operand in; does the asm statement list it?: // "
     "hone-splice: mov.u32 %0, %1;"},
    {HEAD "mov.u32 %r1, 0; // hone-splice: a;\n",
     "line 3 of its PTX: a marker must be a line of its own, behind '//': mov.u32 %r1, 0; // "
     "hone-splice: a;"},
    {HEAD "/* hone-splice: a; */\n",
     "line 3 of its PTX: a marker must be a line of its own, behind '//': /* hone-splice: a; */"},
    {HEAD "// hone-entry: .maxnreg 64\n",
     "line 3 of its PTX: the marker stands in no kernel: // hone-entry: .maxnreg 64"},
    {HEAD ".func f() {\n// hone-entry: .maxnreg 64\n}\n",
     "line 4 of its PTX: the marker stands in no kernel: // hone-entry: .maxnreg 64"},
    {HEAD ".entry f() {\n// hone-entry: maxnreg 64\n}\n",
     "line 4 of its PTX: a directive of a kernel starts with a point, such as .maxnreg 64: // "
     "hone-entry: maxnreg 64"},
};

START_TEST(refusals)
{
    struct error e = ERROR_INIT;
    text_clear(&out);
    ck_assert(!ptx_retarget(refused[_i].ptx, strlen(refused[_i].ptx), "sm_90a", &out, &e));
    ck_assert_str_eq(e.text, refused[_i].error);
}
END_TEST

// NVIDIA's driver counts the byte behind the text, and is given it back.
START_TEST(ended_text)
{
    static const char ptx[] = ".version 9.0\n.target sm_90\n";
    struct error e = ERROR_INIT;
    text_clear(&out);
    ck_assert_msg(ptx_retarget(ptx, sizeof ptx, "sm_90a", &out, &e), "%s", e.text);
    ck_assert_uint_eq(out.length, sizeof ptx + 1);
    ck_assert_str_eq(text_cstr(&out), ".version 9.0\n.target sm_90a\n");
}
END_TEST

START_TEST(binaries)
{
    struct error e = ERROR_INIT;
    ck_assert(!ptx_retarget("\177ELF\0.target sm_90\n", 19, "sm_90a", &out, &e));
    ck_assert_str_eq(e.text, "the driver's binary is not PTX text");
}
END_TEST

// ---- the assembler -----------------------------------------------------------------------------

static const struct code_tools tools = {.scratch = "/tmp"};

START_TEST(assembled)
{
    struct text ptx = stored(), cubin = TEXT_INIT, sass = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct code_profile p;
    rewritten(text_cstr(&ptx), "sm_90a");
    ck_assert_msg(code_assemble(&tools, out.data, out.length, "sm_90a", &cubin, &e), "%s", e.text);
    ck_assert(code_is_cubin(cubin.data, cubin.length));
    if (code_disassemble(&tools, cubin.data, cubin.length, &sass, &e)) {
        ck_assert(code_profile(sass.data, sass.length, CODE_SASS, "wgmma", &p, &e));
        ck_assert_uint_eq(p.loop.of[CODE_WGMMA], 1);
        ck_assert_uint_eq(count(text_cstr(&sass), "USETMAXREG"), 3);
    }
    text_release(&ptx);
    text_release(&cubin);
    text_release(&sass);
}
END_TEST

// Without the target the same text is refused: it is what makes the difference.
START_TEST(not_assembled)
{
    struct text ptx = stored(), cubin = TEXT_INIT;
    struct error e = ERROR_INIT;
    rewritten(text_cstr(&ptx), "sm_90");
    ck_assert(!code_assemble(&tools, out.data, out.length, "sm_90", &cubin, &e));
    text_release(&ptx);
    text_release(&cubin);
}
END_TEST

static bool has_assembler;

static void add(TCase *tests)
{
    tcase_add_test(tests, markers_of_several_kernels);
    tcase_add_test(tests, without_markers);
    tcase_add_test(tests, targets);
    tcase_add_test(tests, forms_of_markers);
    tcase_add_test(tests, long_instruction);
    tcase_add_test(tests, places_of_directives);
    tcase_add_loop_test(tests, refusals, 0, (int)(sizeof refused / sizeof *refused));
    tcase_add_test(tests, ended_text);
    tcase_add_test(tests, binaries);
    if (has_assembler) {
        tcase_add_test(tests, assembled);
        tcase_add_test(tests, not_assembled);
    }
}

int main(void)
{
    static const char nothing[] = ".version 7.8\n.target sm_90\n.address_size 64\n";
    struct text cubin = TEXT_INIT;
    struct error e = ERROR_INIT;
    has_assembler = code_assemble(&tools, nothing, sizeof nothing - 1, "sm_90", &cubin, &e);
    text_release(&cubin);
    int failed = suite_run("device_retarget", add);
    if (failed || has_assembler)
        return failed;
    printf("skipped: %s; only the tests without the assembler ran\n", e.text);
    return 77;
}
