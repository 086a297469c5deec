// Instructions by class, from stored texts (data/kernels.cu says how they were made; the counts
// were made by reading them) and from small ones written here.
#include "isa/code.h"

#include "base/text.h"

#include "../base/suite.h"

#include <string.h>

static struct text read_data(const char *name)
{
    struct text path = TEXT_INIT, out = TEXT_INIT;
    struct error e = ERROR_INIT;
    text_addf(&path, "%s/tests/isa/data/%s", HONE_SOURCE_DIR, name);
    ck_assert_msg(file_read(text_cstr(&path), 0, &out, &e), "%s", e.text);
    text_release(&path);
    return out;
}

// "7: load_global=1(64:1) fma_f32=2": the number of instructions, classes in order, widths behind.
static const char *counts_text(const struct code_counts *c)
{
    static struct text out;
    text_clear(&out);
    text_addf(&out, "%u:", c->instructions);
    for (int i = 0; i < CODE_CLASS_COUNT; i++) {
        if (!c->of[i])
            continue;
        text_addf(&out, " %s=%u", code_class_key((enum code_class)i), c->of[i]);
        for (unsigned w = 0; i < CODE_ACCESSES && w < CODE_WIDTHS; w++) {
            if (c->wide[i][w])
                text_addf(&out, "(%u:%u)", code_width_bits(w), c->wide[i][w]);
        }
    }
    return text_cstr(&out);
}

// ---- stored texts ------------------------------------------------------------------------------

static const struct stored {
    const char *kernel;
    enum code_kind kind;
    uint32_t loops, depth;
    double multiply_adds; // of a pass of the hottest loop
    const char *loop;     // without one: of the whole kernel
} stored[] = {
    {"tiny", CODE_PTX, 0, 0, 0,
     "12: load_global=1(32:1) store_global=1(32:1) load_constant=2(64:2) mul_f32=1 integer64=3 "
     "branch=1 move=2 special_register=1"},
    {"tiny", CODE_SASS, 0, 0, 0,
     "11: load_global=1(32:1) store_global=1(32:1) load_constant=4(32:1)(64:3) mul_f32=1 "
     "integer64=2 branch=1 special_register=1"},
    {"nested", CODE_PTX, 2, 2, 2,
     "7: load_global=1(128:1) fma_f32=2 integer=1 integer64=1 select=1 branch=1"},
    {"nested", CODE_SASS, 2, 2, 2,
     "10: load_global=1(64:1) fma_f32=2 integer=2 integer64=1 select=1 branch=1 move=2"},
    // The inner loops wait; that of SASS has been moved behind the end of the kernel.
    {"waits", CODE_PTX, 3, 1, 1,
     "18: load_global=1(64:1) load_local=1(64:1) store_local=1(64:1) fma_f64=1 integer=5 "
     "integer64=5 convert=2 select=1 branch=1"},
    {"waits", CODE_SASS, 3, 1, 1,
     "23: load_global=1(64:1) load_local=1(64:1) store_local=1(64:1) fma_f64=1 integer=11 "
     "integer64=1 select=1 branch=3 barrier=1 move=2"},
    {"tensor", CODE_PTX, 1, 1, 64 * 8 * 8 / 128 + 16 * 8 * 8 / 32,
     "15: async_copy=1(128:1) mma=1 wgmma=1 integer=2 integer64=2 select=1 branch=1 wait=5 move=1"},
    {"tensor", CODE_SASS, 1, 1, 64 * 8 * 8 / 128 + 16 * 8 * 8 / 32,
     "20: async_copy=1(128:1) mma=1 wgmma=1 integer=2 integer64=1 select=1 branch=1 wait=4 move=8"},
    {"slow", CODE_PTX, 1, 1, 0,
     "10: load_global=1(32:1) add_f32=1 function=2 integer=1 integer64=1 select=1 branch=1 "
     "move=2"},
    // What is called is no part of the loop, nor a loop by being called.
    {"slow", CODE_SASS, 1, 1, 7,
     "32: load_global=1(32:1) fma_f32=7 mul_f32=2 add_f32=1 function=3 integer=3 integer64=1 "
     "select=2 branch=6 move=6"},
};

START_TEST(stored_kernels)
{
    const struct stored *s = &stored[_i];
    struct text text = read_data(s->kind == CODE_PTX ? "kernels.ptx" : "kernels.sass");
    struct error e = ERROR_INIT;
    struct code_profile p;
    ck_assert_msg(code_profile(text.data, text.length, s->kind, s->kernel, &p, &e), "%s", e.text);
    ck_assert_str_eq(p.kernel, s->kernel);
    ck_assert_str_eq(p.target, "sm_90a");
    ck_assert_uint_eq(p.loops, s->loops);
    ck_assert_uint_eq(p.loop_depth, s->depth);
    ck_assert_str_eq(counts_text(s->depth ? &p.loop : &p.whole), s->loop);
    if (s->depth)
        ck_assert_double_eq(p.loop.multiply_adds, s->multiply_adds);
    text_release(&text);
}
END_TEST

// The lines of a loop are those of the text.
START_TEST(lines)
{
    struct text text = read_data("kernels.ptx");
    struct error e = ERROR_INIT;
    struct code_profile p;
    ck_assert(code_profile(text.data, text.length, CODE_PTX, "nested", &p, &e));
    size_t line = 1;
    const char *at = text.data, *label = strstr(at, "$L__BB1_4:");
    for (; at < label; at++)
        line += *at == '\n';
    ck_assert_uint_eq(p.loop_first, line + 2); // behind a .pragma
    ck_assert_uint_eq(p.loop_last, line + 8);
    text_release(&text);
}
END_TEST

// cuobjdump prints encodings between the lines, and addresses instead of labels.
START_TEST(cuobjdump)
{
    struct text theirs = read_data("tiny.cuobjdump"), ours = read_data("kernels.sass");
    struct error e = ERROR_INIT;
    struct code_profile a, b;
    ck_assert_msg(code_profile(theirs.data, theirs.length, CODE_SASS, NULL, &a, &e), "%s", e.text);
    ck_assert(code_profile(ours.data, ours.length, CODE_SASS, "tiny", &b, &e));
    ck_assert_mem_eq(&a.whole, &b.whole, sizeof a.whole);
    ck_assert_str_eq(a.kernel, "tiny");
    ck_assert_str_eq(a.target, "sm_90a");
    text_release(&theirs);
    text_release(&ours);
}
END_TEST

START_TEST(cuobjdump_branches)
{
    static const char text[] = "Function : k\n"
                               "        /*0000*/  MOV R1, RZ ;  /* 0x00000a00ff017b82 */\n"
                               "                                /* 0x000fe20000000800 */\n"
                               "        /*0010*/  FFMA R1, R2, R3, R1 ;\n"
                               "        /*0020*/  @P0 BRA 0x10 ;\n"
                               "        /*0030*/  EXIT ;\n";
    struct error e = ERROR_INIT;
    struct code_profile p;
    ck_assert(code_profile(text, sizeof text - 1, CODE_SASS, "k", &p, &e));
    ck_assert_uint_eq(p.loops, 1);
    ck_assert_str_eq(counts_text(&p.loop), "2: fma_f32=1 branch=1");
}
END_TEST

// ---- small texts -------------------------------------------------------------------------------

#define HEAD ".version 9.0\n.target sm_90, debug\n.address_size 64\n"

static struct code_profile profile_of(const char *ptx)
{
    struct error e = ERROR_INIT;
    struct code_profile p;
    ck_assert_msg(code_profile(ptx, strlen(ptx), CODE_PTX, NULL, &p, &e), "%s", e.text);
    return p;
}

// Single instructions: PTX, then SASS.
static const struct {
    enum code_kind kind;
    const char *instruction, *counts;
    double multiply_adds;
} singles[] = {
    {CODE_PTX, "ld.global.nc.v2.f64 {%fd1, %fd2}, [%rd1]", "load_global=1(128:1)", 0},
    {CODE_PTX, "ld.volatile.shared.u8 %r1, [%r2]", "load_shared=1(8:1)", 0},
    {CODE_PTX, "st.shared::cluster.v4.b16 [%r1], {%r2, %r3, %r4, %r5}", "store_shared=1(64:1)", 0},
    {CODE_PTX, "st.b16 [%rd1], %rs1", "store_generic=1(16:1)", 0},
    {CODE_PTX, "ld.const.u64 %rd1, [table]", "load_constant=1(64:1)", 0},
    {CODE_PTX, "st.param.b32 [param0], %r1", "other=1(32:1)", 0},
    {CODE_PTX, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r5]",
     "load_shared=1(128:1)", 0},
    {CODE_PTX,
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], "
     "%r2, [%r3]",
     "async_copy=1", 0},
    {CODE_PTX, "cp.async.ca.shared.global [%r1], [%rd1], 4", "async_copy=1(32:1)", 0},
    {CODE_PTX, "cp.async.wait_all", "wait=1", 0},
    {CODE_PTX, "fma.rn.f16x2 %r1, %r2, %r3, %r4", "fma_f16=1", 2},
    {CODE_PTX, "mad.lo.s32 %r1, %r2, %r3, %r4", "integer=1", 0},
    {CODE_PTX, "mad.wide.u32 %rd1, %r2, %r3, %rd4", "integer64=1", 0},
    {CODE_PTX, "mul.wide.u16 %r1, %rs2, %rs3", "integer=1", 0},
    {CODE_PTX, "sub.ftz.f32 %f1, %f2, %f3", "add_f32=1", 0},
    {CODE_PTX, "max.f32 %f1, %f2, %f3", "other_float=1", 0},
    {CODE_PTX, "and.pred %p1, %p2, %p3", "select=1", 0},
    {CODE_PTX, "cvt.rn.f32.s32 %f1, %r2", "convert=1", 0},
    {CODE_PTX, "div.approx.f32 %f1, %f2, %f3", "function=1", 0},
    {CODE_PTX, "rem.u32 %r1, %r2, %r3", "integer=1", 0},
    {CODE_PTX, "mov.u32 %r1, %envreg3", "special_register=1", 0},
    {CODE_PTX, "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1", "warp=1", 0},
    {CODE_PTX, "atom.global.add.f32 %f1, [%rd1], %f2", "atomic=1", 0},
    {CODE_PTX, "fence.proxy.async", "barrier=1", 0},
    {CODE_PTX, "setmaxnreg.dec.sync.aligned.u32 40", "other=1", 0},
    {CODE_SASS, "LDG.E.128.CONSTANT R4, desc[UR6][R2.64]", "load_global=1(128:1)", 0},
    {CODE_SASS, "LDG.E.U8 R4, desc[UR6][R2.64]", "load_global=1(8:1)", 0},
    {CODE_SASS, "LDGSTS.E.BYPASS.LTC128B.128 [R1], desc[UR6][R2.64]", "async_copy=1(128:1)", 0},
    {CODE_SASS, "UBLKCP [UR4], [UR6], UR8", "async_copy=1", 0},
    {CODE_SASS, "LDSM.16.M88.4 R4, [R1]", "load_shared=1(128:1)", 0},
    {CODE_SASS, "STS.64 [R1], R2", "store_shared=1(64:1)", 0},
    {CODE_SASS, "ST.E desc[UR6][R2.64], R4", "store_generic=1(32:1)", 0},
    {CODE_SASS, "HMMA.16816.F32 R4, R8, R10, R4", "mma=1", 64},
    {CODE_SASS, "IMMA.8816.S8.S8 R4, R8, R10, R4", "mma=1", 32},
    {CODE_SASS, "DMMA.884 R4, R8, R10, R4", "mma=1", 8},
    {CODE_SASS, "HGMMA.64x256x16.F32 R24, gdesc[UR8], R24", "wgmma=1", 2048},
    {CODE_SASS, "HFMA2.MMA R6, -RZ, RZ, 0, 0", "move=1", 0},
    {CODE_SASS, "HFMA2 R6, R1, R2, R3", "fma_f16=1", 2},
    {CODE_SASS, "FFMA2 R6, R8, R2, R6", "fma_f32=1", 2},
    {CODE_SASS, "IMAD.U32 R6, RZ, RZ, UR8", "move=1", 0},
    {CODE_SASS, "IMAD.X R4, RZ, RZ, R4, P1", "integer64=1", 0},
    {CODE_SASS, "LEA.HI.X R3, R6, R3, R8, 0x2, P0", "integer64=1", 0},
    {CODE_SASS, "UIMAD.WIDE.U32 UR10, UR4, UR6, URZ", "integer64=1", 0},
    {CODE_SASS, "UISETP.GE.AND UP0, UPT, UR4, UR5, UPT", "select=1", 0},
    {CODE_SASS, "CS2R R8, SRZ", "move=1", 0},
    {CODE_SASS, "CS2R R8, SR_CLOCKLO", "special_register=1", 0},
    {CODE_SASS, "ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, R1, [R2], R3", "atomic=1", 0},
    {CODE_SASS, "SYNCS.ARRIVE.TRANS64 RZ, [UR4], R0", "barrier=1", 0},
    {CODE_SASS, "USETMAXREG.DEALLOC.CTAPOOL 0x28", "other=1", 0},
};

START_TEST(single)
{
    struct text text = TEXT_INIT, expected = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct code_profile p;
    enum code_kind kind = singles[_i].kind;
    if (kind == CODE_PTX)
        text_addf(&text, HEAD ".entry k() { %s; }", singles[_i].instruction);
    else
        text_addf(&text, ".section .text.k\n/*0000*/ @P0 %s ;\n", singles[_i].instruction);
    ck_assert_msg(code_profile(text.data, text.length, kind, "k", &p, &e), "%s", e.text);
    // "other" has no widths, whatever the instruction was
    const char *counts = singles[_i].counts;
    text_addf(&expected, "1: %.*s",
              str_starts(counts, "other") ? (int)strcspn(counts, "(") : (int)strlen(counts),
              counts);
    ck_assert_str_eq(counts_text(&p.whole), text_cstr(&expected));
    ck_assert_double_eq(p.whole.multiply_adds, singles[_i].multiply_adds);
    text_release(&text);
    text_release(&expected);
}
END_TEST

START_TEST(jump_table)
{
    struct code_profile p = profile_of(HEAD ".entry k(.param .u32 n) .maxntid 32 {\n"
                                            ".reg .b32 %r<9>;\n"
                                            "top:\n"
                                            "table: .branchtargets one, two;\n"
                                            "brx.idx %r1, table;\n"
                                            "one: fma.rn.f32 %f1, %f1, %f1, %f1; bra.uni next;\n"
                                            "two: fma.rn.f32 %f1, %f1, %f1, %f1;\n"
                                            "next: setp.eq.s32 %p1, %r1, 0; @!%p1 bra top;\n"
                                            "ret; }\n");
    ck_assert_uint_eq(p.loops, 1);
    ck_assert_str_eq(counts_text(&p.loop), "5: fma_f32=2 select=1 branch=2");
}
END_TEST

// Comments, strings, lines of debugging, initialisers and functions beside the kernel.
START_TEST(what_is_no_code)
{
    struct code_profile p = profile_of(
        HEAD ".file 1 \"a;{b.cu\"\n"
             ".const .align 4 .b8 values[4] = {1, 2, 3, 4};\n"
             ".func (.param .b32 r) twice(.param .b32 a) { add.s32 %r1, %r1, %r1; ret; }\n"
             "/* .entry other() { */\n"
             ".visible .entry k(\n .param .u64 a // { ;\n)\n{\n"
             "  .loc 1 3 0\n"
             "  // mul.f32 %f1, %f1, %f1;\n"
             "  { .reg .b32 temp; .param .b32 p;\n"
             "  call.uni (retval0),\n twice,\n (p);\n }\n"
             "  .pragma \"nounroll;\";\n"
             "  @%p1 ret;\n"
             "  exit;\n"
             "  add.s32 %r1, %r1, 1; // cannot be reached\n"
             "}\n");
    ck_assert_str_eq(counts_text(&p.whole), "3: branch=3");
    ck_assert_str_eq(p.target, "sm_90");
    ck_assert_str_eq(p.kernel, "k");
}
END_TEST

// Two loops at one depth: the one with more multiply-adds. A loop around another one is taken only
// when it has ten times as many. Without multiply-adds accesses decide.
START_TEST(hottest)
{
#define F "fma.rn.f32 %f1, %f1, %f1, %f1;"
    struct code_profile p = profile_of(
        HEAD ".entry k() {\n"
             "a: " F " @%p1 bra a;\n"
             "b: " F F " @%p1 bra b;\n"
             "c: ld.global.f32 %f1, [%rd1]; ld.global.f32 %f1, [%rd1]; @%p1 bra c; ret; }\n");
    ck_assert_uint_eq(p.loops, 3);
    ck_assert_double_eq(p.loop.multiply_adds, 2);
    p = profile_of(HEAD ".entry k() {\n a: " F F F " b: " F " @%p1 bra b; @%p2 bra a; ret; }\n");
    ck_assert_uint_eq(p.loop_depth, 2);
    ck_assert_uint_eq(p.loops, 2);
    p = profile_of(HEAD ".entry k() {\n a: " F F F F F F F F F F F " b: " F
                        " @%p1 bra b; @%p2 bra a; ret; }\n");
    ck_assert_uint_eq(p.loop_depth, 1);
    ck_assert_double_eq(p.loop.multiply_adds, 11); // those of b do not count
    p = profile_of(HEAD ".entry k() {\n a: add.s32 %r1, %r1, 1; add.s32 %r1, %r1, 1; @%p1 bra a;\n"
                        "b: st.global.f32 [%rd1], %f1; @%p1 bra b; ret; }\n");
    ck_assert_str_eq(counts_text(&p.loop), "2: store_global=1(32:1) branch=1");
}
END_TEST

// ---- what is refused ---------------------------------------------------------------------------

static const struct {
    enum code_kind kind;
    const char *text, *kernel, *error;
} refused[] = {
    {CODE_PTX, "", NULL, "not PTX: it does not start with .version"},
    {CODE_PTX, "\177ELF", NULL, "not PTX: it does not start with .version"},
    {CODE_PTX, HEAD, NULL, "PTX: there is no kernel in it"},
    {CODE_PTX, HEAD ".entry a() {} .entry b() {}", NULL,
     "PTX: there are several kernels in it, one must be named: a, b"},
    {CODE_PTX, HEAD ".entry a() {} .entry b() {}", "c",
     "PTX: there is no kernel 'c' in it, but: a, b"},
    {CODE_PTX, HEAD ".entry _Z3foov() {} .entry _Z4foo2v() {}", "foo",
     "PTX: there is no kernel 'foo' in it, but: _Z3foov, _Z4foo2v"},
    {CODE_PTX, HEAD ".entry a() {\n ret;\n", "a", "PTX: the block of line 4 does not end"},
    {CODE_PTX, HEAD ".entry a() {\n ret\n}", "a", "PTX: line 5: a statement without a semicolon"},
    {CODE_SASS, "", "a", "SASS: there is no kernel in it"},
    {CODE_SASS, ".section .text.a\n", "a", "SASS: kernel 'a' has no instructions"},
};

START_TEST(refusals)
{
    struct error e = ERROR_INIT;
    struct code_profile p;
    ck_assert(!code_profile(refused[_i].text, strlen(refused[_i].text), refused[_i].kind,
                            refused[_i].kernel, &p, &e));
    ck_assert_str_eq(e.text, refused[_i].error);
}
END_TEST

// A template's kernel has a mangled name.
START_TEST(mangled)
{
    static const char text[] = HEAD ".entry _Z6matmulILi4EEvPf() { ret; } .entry other() { ret; }";
    struct error e = ERROR_INIT;
    struct code_profile p;
    ck_assert(code_profile(text, sizeof text - 1, CODE_PTX, "matmul<4>", &p, &e));
    ck_assert_str_eq(p.kernel, "_Z6matmulILi4EEvPf");
}
END_TEST

// Whatever is cut off or changed: an error or counts, no crash (sanitizers watch).
START_TEST(damaged)
{
    static const char *const names[] = {"kernels.ptx", "kernels.sass", "tiny.cuobjdump"};
    static const char *const kernels[] = {"waits", "table", "tiny"};
    struct text text = read_data(names[_i]);
    enum code_kind kind = _i == 0 ? CODE_PTX : CODE_SASS;
    for (size_t i = 0; i < text.length; i += 23) {
        struct error e = ERROR_INIT;
        struct code_profile p;
        char *copy = malloc(i + 1); // exactly as long as it is read
        memcpy(copy, text.data, i);
        bool ok = code_profile(copy, i, kind, kernels[_i], &p, &e);
        ck_assert(ok || e.text[0]);
        free(copy);
        char kept = text.data[i];
        text.data[i] = "{};:@/*\"\n"[i / 23 % 9];
        struct error other = ERROR_INIT;
        ok = code_profile(text.data, text.length, kind, kernels[_i], &p, &other);
        ck_assert(ok || other.text[0]);
        text.data[i] = kept;
    }
    text_release(&text);
}
END_TEST

START_TEST(kinds_of_bytes)
{
    static const unsigned char cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, [18] = 190};
    char target[32];
    ck_assert(code_is_ptx("// a\n\n\t.version 8.0\n", 19));
    ck_assert(!code_is_ptx("// a\n\n.target 8.0\n", 18));
    ck_assert(code_is_cubin(cubin, sizeof cubin));
    ck_assert(!code_is_cubin(cubin, sizeof cubin - 1));
    ck_assert(!code_is_ptx(cubin, sizeof cubin));
    ck_assert(code_ptx_target(HEAD, sizeof HEAD - 1, target));
    ck_assert_str_eq(target, "sm_90");
    ck_assert(!code_ptx_target(".version 9.0\n.targets sm_1\n", 27, target));
}
END_TEST

static const char *policies_text(const char *ptx, size_t *count)
{
    static struct text out;
    text_clear(&out);
    *count = code_cache_policies(ptx, strlen(ptx), &out);
    return text_cstr(&out);
}

START_TEST(cache_policies)
{
    size_t count;
    ck_assert_str_eq(
        policies_text(
            ".version 8.0\n.target sm_90\n.entry k(.param .u64 p) {\n"
            "L1: ld.param.u64 %rd1, [p];\n// ld.global.cv.f32\n@%p1 ld.global.cs.f32 %f1, [%rd1];\n"
            "ld.global.nc.f32 %f1, [%rd1]; ld.global.ca.f32 %f1,[%rd1];\n"
            "ld.global.cs.f32 %f2,[%rd1];st.global.f32 [%rd1], %f2;\n"
            "ld.global.L1::no_allocate.L2::evict_first.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];\n"
            "{ prefetch.global.L2 [%rd1]; discard.global.L2 [%rd1], 128;\n"
            "createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0; }\n"
            "cp.async.cg.shared.global [%r1], [%rd1], 16;\nmov.u32 %r1, %tid.x;\n}\n",
            &count),
        "2 ld.global.cs.f32, 1 ld.global.L1::no_allocate.L2::evict_first.v4.f32, "
        "1 prefetch.global.L2, 1 discard.global.L2, 1 createpolicy.fractional.L2::evict_last.b64");
    ck_assert_uint_eq(count, 6);
    ck_assert_str_eq(policies_text("not PTX: ld.global.cs.f32", &count), "");
    ck_assert_uint_eq(count, 0);
    ck_assert_str_eq(
        policies_text(
            ".version 8.0\n.func f(){ st.wt.b8; st.wt.b16; st.wt.b32; st.wt.b64; ld.cv.b8; "
            "ld.cv.b16; ld.lu.b8; ld.lu.b16; ld.lu.b32; ld.cg.b8; }",
            &count),
        "1 st.wt.b8, 1 st.wt.b16, 1 st.wt.b32, 1 st.wt.b64, 1 ld.cv.b8, 1 ld.cv.b16, "
        "1 ld.lu.b8, 1 ld.lu.b16 and 2 more");
    ck_assert_uint_eq(count, 10);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, stored_kernels, 0, (int)(sizeof stored / sizeof *stored));
    tcase_add_test(tests, lines);
    tcase_add_test(tests, cuobjdump);
    tcase_add_test(tests, cuobjdump_branches);
    tcase_add_loop_test(tests, single, 0, (int)(sizeof singles / sizeof *singles));
    tcase_add_test(tests, jump_table);
    tcase_add_test(tests, what_is_no_code);
    tcase_add_test(tests, hottest);
    tcase_add_loop_test(tests, refusals, 0, (int)(sizeof refused / sizeof *refused));
    tcase_add_test(tests, mangled);
    tcase_add_loop_test(tests, damaged, 0, 3);
    tcase_add_test(tests, kinds_of_bytes);
    tcase_add_test(tests, cache_policies);
}

int main(void)
{
    return suite_run("code_counts", add);
}
