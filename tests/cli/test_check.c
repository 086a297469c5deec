// `hone check` from outside on a device.
#include "base/text.h"
#include "program.h"

#include "../base/suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DATA    HONE_SOURCE_DIR "/tests/cli/data"
#define SPEC    DATA "/vector_add.json"
#define ROUNDED DATA "/rounded.json"
#define RIGHT   "--where", "flavor < 2"
#define TILED   HONE_SOURCE_DIR "/kernels_cl/matmul_tiled.json"

#define has(text, part)     ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text)
#define has_not(text, part) ck_assert_msg(strstr(text, part) == NULL, "'%s' in:\n%s", part, text)

static void expect(struct ran r, int status, const char *part)
{
    ck_assert_msg(r.status == status, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, part);
    ran_release(&r);
}

// ---- data files

enum { COUNT = 40000 }; // elements: more bytes than small contents have

// Raw, or behind a header as NumPy writes it.
static void write_values(const char *name, bool npy, float factor)
{
    char path[256], head[160];
    snprintf(path, sizeof path, "%s/%s", program_folder(), name);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    snprintf(head, sizeof head, "%-117s\n",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (40000,), }");
    if (npy)
        ck_assert(fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f) == 10 && fwrite(head, 1, 118, f));
    for (int i = 0; i < COUNT; i++) {
        float value = factor * (float)(i % 1000);
        ck_assert_uint_eq(fwrite(&value, sizeof value, 1, f), 1);
    }
    ck_assert_int_eq(fclose(f), 0);
}

static void write_lines(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static const char data_spec[] =
    "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"G\", \"Type\": \"int\", "
    "\"Values\": \"[32, 64]\"}]}, \"KernelSpecification\": {\"Language\": \"OpenCL\", "
    "\"KernelName\": \"add\", \"KernelFile\": \"add.cl\", \"GlobalSize\": {\"X\": \"40000\"}, "
    "\"LocalSize\": {\"X\": \"G\"}, \"Arguments\": ["
    "{\"Name\": \"a\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Size\": 40000, "
    "\"AccessType\": \"ReadOnly\", \"FillType\": \"BinaryRaw\", \"DataSource\": \"a.bin\"},"
    "{\"Name\": \"b\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Size\": 40000, "
    "\"AccessType\": \"ReadWrite\", \"FillType\": \"BinaryRaw\", \"DataSource\": \"b.npy\"}],"
    "\"Reference\": {\"Kind\": \"file\", \"Files\": {\"b\": \"r.npy\"}}}}";

// Two inputs and the reference come from files; every launch begins with the contents of `b` anew.
START_TEST(of_files)
{
    char spec[256], kernel[256];
    snprintf(spec, sizeof spec, "%s/data.json", program_folder());
    snprintf(kernel, sizeof kernel, "%s/add.cl", program_folder());
    write_lines(spec, data_spec);
    write_lines(kernel, "__kernel void add(__global const float *a, __global float *b)\n"
                        "{\n    b[get_global_id(0)] += a[get_global_id(0)];\n}\n");
    write_values("a.bin", false, 1);
    write_values("b.npy", true, 2);
    write_values("r.npy", true, 3);
    expect(program_run("check", spec), 0, "OK: 2 configurations are correct");
    expect(program_run("tune", spec), 0, "2 of 2 configurations");
    write_values("r.npy", true, 4); // other data, other results
    struct ran r = program_run("check", spec);
    ck_assert_int_eq(r.status, 1);
    has(r.out, "2 correctness");
    has_not(r.out, "known from the store");
    ran_release(&r);
}
END_TEST

static bool has_stamp(bool remove_it)
{
    char path[256];
    snprintf(path, sizeof path, "%s/hone/trimmed", program_folder());
    return remove_it ? remove(path) == 0 : access(path, F_OK) == 0;
}

// What compiles keeps the caches within bounds, and notes when; what only looks does not.
START_TEST(caches_are_looked_at_after_compiling)
{
    has_stamp(true);
    expect(program_run("devices"), 0, "cpu");
    ck_assert(!has_stamp(false));
    expect(program_run("check", SPEC, RIGHT, "--no-store", "--sample", "1"), 0, "OK");
    ck_assert(has_stamp(false));
}
END_TEST

// ---- what others wrote

// Nothing in it would be obeyed by a terminal.
static void expect_shown(const char *text)
{
    uint32_t code;
    for (const char *s = text; *s; s += utf8_character(s, &code))
        ck_assert_msg(utf8_character(s, &code) && (*s == '\n' || !utf8_is_control(code)),
                      "U+%04x at byte %zu of:\n%s", (unsigned)code, (size_t)(s - text), text);
}

static void expect_all_shown(struct ran r, const char *part)
{
    expect_shown(r.out);
    expect_shown(r.err);
    ck_assert_msg(strstr(r.out, part) || strstr(r.err, part), "no '%s' in:\n%s%s", part, r.out,
                  r.err);
    ran_release(&r);
}

#define ESCAPE                                                                                     \
    "\x1b]0;owned\x07\x1b[2J\xc2\x9b"                                                              \
    "31m\xff\xe2\x80\xae"

// As the program is given it: names and expressions of a spec, a kernel's source in the compiler's
// log, a recording, and what a store has kept of all these.
START_TEST(hostile_texts)
{
    char spec[256], kernel[256], recording[256], text[4096];
    snprintf(spec, sizeof spec, "%s/hostile.json", program_folder());
    snprintf(kernel, sizeof kernel, "%s/hostile.cl", program_folder());
    snprintf(recording, sizeof recording, "%s/recorded.csv", program_folder());
    write_lines(kernel, "__kernel void k(__global float *b)\n{\n#if G == 64\n#error " ESCAPE
                        "\n#endif\n    b[get_global_id(0)] = G;\n}\n");
    snprintf(
        text, sizeof text,
        "{\"General\": {\"BenchmarkName\": \"%s\"}, \"ConfigurationSpace\": "
        "{\"TuningParameters\": [{\"Name\": \"G\", \"Type\": \"int\", \"Values\": "
        "\"[32, 64]\"}, {\"Name\": \"S\", \"Type\": \"string\", \"Values\": \"['%s', 'b']\"}]},"
        "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"k\", "
        "\"KernelFile\": \"hostile.cl\", \"GlobalSize\": {\"X\": \"64\"}, "
        "\"LocalSize\": {\"X\": \"G\"}, \"Arguments\": [{\"Name\": \"b\", \"Type\": \"float\", "
        "\"MemoryType\": \"Vector\", \"Size\": 64, \"AccessType\": \"WriteOnly\", "
        "\"Output\": 1}]}}",
        "n\\u001b[2J\\u009b\\u202e", "\\u001b[31m\\u202e");
    write_lines(spec, text);
    expect_all_shown(program_run("check", spec, "--verbose"), "\\x1b");
    expect_all_shown(program_run("check", spec, "--json"), "\\u001b");
    expect_all_shown(program_run("run", spec, "--config", "G=64,S=b"), "\\u202e");
    expect_all_shown(program_run("tune", spec, "--verbose"), "\\x1b[31m\\u202e");
    expect_all_shown(program_run("best", spec), "\\x1b[31m");
    expect_all_shown(program_run("store"), "\\x1b[2J");
    expect_all_shown(program_run("space", spec, "--verbose"), "\\x1b[31m");
    expect_all_shown(program_run("space", spec, "--why", "G=32,S=" ESCAPE), "\\x1b");
    write_lines(recording, "G," ESCAPE ",time\n32,1,2\n" ESCAPE ",1,3\n");
    expect_all_shown(program_run("score", recording), "no recorded results");
    expect_all_shown(program_run("tune", "/nowhere/" ESCAPE), "\\x1b");
    expect_all_shown(program_run(ESCAPE), "\\x1b");
    expect_all_shown(program_run("tune", spec, "--" ESCAPE), "\\x1b");
}
END_TEST

#ifndef __SANITIZE_ADDRESS__
static bool is_there(const char *program)
{
    struct text command = TEXT_INIT;
    text_addf(&command, "command -v %s >/dev/null", program);
    bool found = system(text_cstr(&command)) == 0;
    text_release(&command);
    return found;
}
#endif

// The sanitizer's runtime would have to come before the simulator's.
static bool simulator_runs(void)
{
#ifdef __SANITIZE_ADDRESS__
    return false;
#else
    return is_there("oclgrind");
#endif
}

// The kernel of README's page on CI.
START_TEST(somebodys_kernel)
{
    static const char *const spec = HONE_SOURCE_DIR "/tests/check/data/transpose.json";
    struct ran r = program_run("check", spec, "--smallest", "N", "--config", "TILE=8", "--config",
                               "TILE=16,ROWS=16", "--no-store");
    ck_assert_msg(r.status == 0, "%s%s", r.out, r.err);
    has(r.out, "Checked at N=8 (6), N=16 (2)\n");
    has(r.out, "OK: 8 configurations are correct\n");
    ran_release(&r);
}
END_TEST

// A reference that cannot be made at one size fails that size. One that the simulator made, where
// nobody watches over what it writes beside its buffers, answers for no device.
START_TEST(reference_at_a_size)
{
    static const char *const small[] = {"check",      ROUNDED,   "--smallest", "N",
                                        "--config",   "GROUP=8", "--config",   "GROUP=64",
                                        "--no-store", NULL};
    if (simulator_runs())
        expect(program_run("check", ROUNDED, "--smallest", "N", "--config", "GROUP=8", "--races"),
               0, "OK: 1 configuration is correct");
    struct ran r = program_run_to(NULL, small);
    ck_assert_msg(r.status == 1, "%s%s", r.out, r.err);
    has(r.out, "GROUP=8 at N=8\n    the reference 'plain in rounded.cl' cannot be made: ");
    has(r.out, "1 correct, 1 runtime\nFAILED: 1 of 2 configurations\n");
    ran_release(&r);
    // At one size nothing could be verified.
    r = program_run("check", ROUNDED, "--set", "N=8", "--config", "GROUP=8", "--no-store");
    ck_assert_int_eq(r.status, 2);
    has(r.err, "cannot be made: ");
    ran_release(&r);
}
END_TEST

// A write out of bounds is no crash, but the same command finds its line.
START_TEST(out_of_bounds)
{
    char path[256];
    snprintf(path, sizeof path, "%s/beyond.json", program_folder());
    FILE *f = fopen(path, "w");
    fputs(
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"P\", \"Type\": \"int\", "
        "\"Values\": \"[0, 8]\"}]}, \"KernelSpecification\": {\"Language\": \"OpenCL\", "
        "\"KernelName\": \"k\", \"KernelSource\": \"kernel void k(global float *b) { "
        "b[get_global_id(0) + P] = 1; }\", \"GlobalSize\": {\"X\": \"64\"}, \"LocalSize\": {\"X\": "
        "\"16\"}, \"Arguments\": [{\"Name\": \"b\", \"Type\": \"float\", \"MemoryType\": "
        "\"Vector\", "
        "\"AccessType\": \"WriteOnly\", \"Size\": 64, \"Output\": true}]}}",
        f);
    fclose(f);
    struct ran r = program_run("check", path, "--no-store", "--allow", "unverified");
    ck_assert_int_eq(r.status, 1);
    has(r.out, "wrote 32 bytes past the end of b");
    has(r.err, "P=8 wrote out of bounds; this finds the line:\n  hone check ");
    has(r.err, "/beyond.json --races --config P=8 --allow unverified\n");
    ran_release(&r);
}
END_TEST

START_TEST(interrupt)
{
    struct ran r = program_interrupt(
        "\"check\"", (const char *const[]){"check", TILED, "--fresh", "--json", NULL});
    ck_assert_int_eq(r.status, 130);
    has(r.out, "{\"type\":\"summary\",\"ok\":false");
    has(r.out, "\"cancelled\":true");
    ran_release(&r);
}
END_TEST

// ---- agreement, and what was written

static const char partial_kernel[] =
    "kernel void f(global uchar *narrow, global float *out)\n"
    "{\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    narrow[i] = 0x7b;\n" // as what was not written
    "#if KIND == 1\n"
    "    out[i] = i == 7 ? NAN : i;\n"
    "#else\n" // partial sums, in another order in each configuration
    "    if (i < n / B) { float s = 0; for (size_t k = 0; k < B; k++) s += 1 + (i * B + k) % 3;\n"
    "        out[i] = s; }\n"
    "#endif\n"
    "}\n";

// As others write T1, with `more` in the argument `out`.
static const char *partial_spec(int kind, const char *more)
{
    static char path[256], kernel[256], text[2048], source[1024];
    snprintf(path, sizeof path, "%s/partial.json", program_folder());
    snprintf(kernel, sizeof kernel, "%s/partial.cl", program_folder());
    snprintf(source, sizeof source, "#define KIND %d\n%s", kind, partial_kernel);
    snprintf(text, sizeof text,
             "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"B\", \"Type\": "
             "\"int\", \"Values\": \"[16, 32]\"}]}, \"KernelSpecification\": {\"Language\": "
             "\"OpenCL\", \"KernelName\": \"f\", \"KernelFile\": \"partial.cl\", "
             "\"GlobalSize\": {\"X\": \"1024\"}, \"LocalSize\": {\"X\": \"B\"}, "
             "\"Arguments\": [{\"Name\": \"narrow\", \"Type\": \"uint8\", \"MemoryType\": "
             "\"Vector\", \"AccessType\": \"WriteOnly\", \"Size\": 1024}, {\"Name\": \"out\", "
             "\"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": \"WriteOnly\", "
             "%s\"Size\": 1024}]}}",
             more);
    write_lines(kernel, source);
    write_lines(path, text);
    return path;
}

START_TEST(nan_agrees_with_nothing)
{
    struct ran r = program_run("check", partial_spec(1, ""), "--no-store");
    ck_assert_int_eq(r.status, 1);
    has(r.out,
        "out: 1 NaN in the output, 1 in the reference (NaN is refused unless the argument says "
        "\"AllowNaN\": true), first at component 7 (got NaN, expected NaN)");
    has(r.out, "FAILED: 2 of 2 configurations\n");
    ran_release(&r);
    expect(program_run("check", partial_spec(1, "\"AllowNaN\": true, "), "--no-store"), 0,
           "AGREEMENT: 2 configurations agree");
}
END_TEST

#define REGION "\"Region\": [0, \"1024 // B\"]}, "

START_TEST(regions_of_each_configuration)
{
    struct ran r = program_run(
        "check", partial_spec(2, "\"Verification\": {\"Method\": \"sum\", " REGION), "--no-store");
    ck_assert_msg(r.status == 0, "%s%s", r.out, r.err);
    has(r.out, "AGREEMENT: 2 configurations agree");
    has(r.out, "narrow whole, out whole");
    ran_release(&r);
    r = program_run("check", partial_spec(2, "\"Verification\": {\"Method\": \"set\", " REGION),
                    "--no-store");
    ck_assert_int_eq(r.status, 1); // 64 and 32 sums are not the same set
    has(r.out, "out: 32 components written, 64 in the reference (must be the same set)");
    ran_release(&r);
    r = program_run("check", partial_spec(2, "\"Verification\": {" REGION), "--no-store");
    ck_assert_int_ne(r.status, 0);
    has(r.out,
        "of 'out' 32 elements are compared, and configuration B=16, which it is compared with, "
        "has 64: compare it with a reference kernel, or with the Verification Method sum or "
        "set");
    ran_release(&r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, of_files);
    tcase_add_test(tests, hostile_texts);
    tcase_add_test(tests, caches_are_looked_at_after_compiling);
    tcase_add_test(tests, nan_agrees_with_nothing);
    tcase_add_test(tests, regions_of_each_configuration);
    tcase_add_test(tests, somebodys_kernel);
    tcase_add_test(tests, reference_at_a_size);
    tcase_add_test(tests, out_of_bounds);
    tcase_add_test(tests, interrupt);
}

int main(void)
{
    program_folder();
    if (!program_has_device()) {
        puts("skipped: there is no OpenCL device");
        program_folder_remove();
        return 77;
    }
    int status = suite_run("cli/check", add);
    program_folder_remove();
    return status;
}
