// hone init as a stranger uses it: kernels in many styles (data/init), each of which must get a spec
// that is right as it stands. Where there is a device, init itself checks a configuration.
#include "base/text.h"
#include "program.h"

#include "../base/suite.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA    HONE_SOURCE_DIR "/tests/cli/data/init"
#define KERNELS HONE_SOURCE_DIR "/tests/init/kernels"

// Of KERNELS, where what is inferred is held against a text: that it runs as well is seen here.
static const char *const inferred[] = {"eroded_strip.cl", "lanes_per_row.cl", "lettered_axes.cl"};

#define has(text, part) ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text)

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcmp(name + length - tail, end) == 0;
}

static void init_one(const char *folder, const char *name, const char *further)
{
    char source[512], spec[512];
    str_format(source, sizeof source, "%s/%s", folder, name);
    str_format(spec, sizeof spec, "%s/%s.json", program_folder(), name);
    struct ran r = program_run("init", source, "--output", spec, further);
    ck_assert_msg(r.status == 0, "%s: %d\n%s%s", name, r.status, r.out, r.err);
    ck_assert_msg(!strstr(r.out, "is a guess"), "%s:\n%s", name, r.out);
    if (!further)
        has(r.out, "1 in agreement"); // with the default configuration
    ran_release(&r);
    // The space, and jobs of it: the text's own argument list agrees.
    r = program_run("space", spec);
    ck_assert_msg(r.status == 0, "%s: %s%s", name, r.out, r.err);
    ck_assert_msg(!strstr(r.out, " 0 of "), "%s: %s", name, r.out);
    ran_release(&r);
    unlink(spec);
}

// Every file with this ending, those of an eighth of them.
static void init_all(const char *end, unsigned part, const char *further)
{
    struct dirent **list = NULL;
    int count = scandir(DATA, &list, NULL, alphasort);
    unsigned seen = 0;
    ck_assert_int_gt(count, 20);
    for (int i = 0; i < count; i++) {
        if (ends_with(list[i]->d_name, end) && seen++ % 8 == part)
            init_one(DATA, list[i]->d_name, further);
        free(list[i]);
    }
    free(list);
    for (size_t i = 0; i < sizeof inferred / sizeof *inferred; i++) {
        if (ends_with(inferred[i], end) && seen++ % 8 == part)
            init_one(KERNELS, inferred[i], further);
    }
}

START_TEST(opencl_kernels)
{
    init_all(".cl", (unsigned)_i, program_has_device() ? NULL : "--no-check");
}
END_TEST

START_TEST(cuda_kernels)
{
    init_all(".cu", (unsigned)_i, "--no-check");
}
END_TEST

START_TEST(c_kernels)
{
    init_all(".c", 0, NULL);
}
END_TEST

START_TEST(what_is_written)
{
    struct ran r = program_run("init", DATA "/saxpy.cl", "--output", "-");
    ck_assert_int_eq(r.status, 0);
    ck_assert_str_eq(r.out, "{\n"
                            "  \"kernel\": \"saxpy.cl\",\n"
                            "  \"constants\": {\"n\": 1048576},\n"
                            "  \"parameters\": {\n"
                            "    \"block_size_x\": [32, 64, 128, 256]\n"
                            "  },\n"
                            "  \"defaults\": {\"block_size_x\": 64},\n"
                            "  \"global\": [\"n\"],\n"
                            "  \"local\": [\"block_size_x\"],\n"
                            "  \"arguments\": {\n"
                            "    \"n\": \"n\",\n"
                            "    \"a\": 2.0,\n"
                            "    \"x\": {\"size\": \"n\", \"access\": \"read\", \"fill\": "
                            "{\"random\": [-1, 1]}},\n"
                            "    \"y\": {\"size\": \"n\", \"access\": \"readwrite\", \"fill\": "
                            "{\"random\": [-1, 1]}}\n"
                            "  }\n"
                            "}\n");
    ran_release(&r);
}
END_TEST

// The constant is an argument of the same name, and the command line sets it.
START_TEST(sizes_are_set)
{
    char spec[512];
    if (!program_has_device())
        return;
    str_format(spec, sizeof spec, "%s/set.json", program_folder());
    struct ran r = program_run("init", DATA "/saxpy.cl", "-o", spec, "--no-check");
    ck_assert_int_eq(r.status, 0);
    has(r.out, "1. the values of scalars: a = 2.0");
    has(r.out, "\"expect\"");
    ran_release(&r);
    r = program_run("check", spec, "--set", "n=4099");
    ck_assert_msg(r.status == 0, "%s%s", r.out, r.err);
    ran_release(&r);
    unlink(spec);
}
END_TEST

static struct ran answered(const char *answers, const char *spec)
{
    char path[512];
    str_format(path, sizeof path, "%s/answers", program_folder());
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(answers, f);
    fclose(f);
    int saved = dup(0), in = open(path, O_RDONLY);
    ck_assert(saved >= 0 && in >= 0 && dup2(in, 0) == 0);
    struct ran r = program_run("init", DATA "/gemm_naive.cl", "-o", spec, "-i", "--no-check");
    dup2(saved, 0);
    close(saved);
    close(in);
    return r;
}

// An empty line keeps what was found; what is no number is asked for again; the end keeps the rest.
START_TEST(questions)
{
    char spec[512];
    str_format(spec, sizeof spec, "%s/asked.json", program_folder());
    struct ran r = answered("\nmany\n96\n\nabc\n8, 16\n", spec);
    ck_assert_msg(r.status == 0, "%s", r.err);
    has(r.err, "Value of M [256]: ");
    has(r.err, "'many' is no integer");
    has(r.out, "M=256, N=96, K=256");
    has(r.err, "'abc' gives no integers; '16, 32' and 'range(1, 9)' do");
    has(r.out, "block_size_x in [8, 16]");
    has(r.out, "the values of scalars"); // nobody was asked for them
    ran_release(&r);
    unlink(spec);
    // An expression stands as a text.
    r = answered("\n\n\n\n[8, \"8\"]\n[2**i for i in range(3, 5)]\n[8, 16,]\n", spec);
    ck_assert_msg(r.status == 0, "%s", r.err);
    has(r.err, "has a quotation mark or a backslash");
    ran_release(&r);
    r = program_run("space", spec);
    ck_assert_msg(r.status == 0, "%s", r.err);
    ran_release(&r);
    unlink(spec);
    r = answered("\n\n\n\n\n\n\n\n\n\n\n3.0\n\n\n\n\n\n", spec);
    ck_assert_msg(r.status == 0, "%s", r.err);
    has(r.err, "Value of argument alpha [");
    ck_assert_msg(!strstr(r.out, "the values of scalars"), "%s", r.out);
    ran_release(&r);
    unlink(spec);
}
END_TEST

// What a kernel includes from elsewhere: -I finds it, for the spec as well; without, its absence is told.
START_TEST(folders_of_includes)
{
    char source[512], folder[512], header[600], spec[512];
    str_format(source, sizeof source, "%s/apart.cl", program_folder());
    str_format(folder, sizeof folder, "%s/headers", program_folder());
    str_format(header, sizeof header, "%s/real.h", folder);
    str_format(spec, sizeof spec, "%s/apart.json", program_folder());
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    write_text(header, "typedef double real;\n#ifndef GROUP\n#define GROUP 64\n#endif\n");
    write_text(source, "#include \"real.h\"\n__kernel void twice(__global real *x, int n)\n{\n"
                       "    int i = get_group_id(0) * GROUP + get_local_id(0);\n"
                       "    if (i < n)\n        x[i] = 2 * x[i];\n}\n");
    struct ran r = program_run("init", source, "--output", "-", "--no-check");
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
    r = program_run("init", source, "--output", spec, "--no-check");
    has(r.out,
        "what real.h says, which is not beside the kernel: hone init -I DIR looks for it there");
    ran_release(&r);
    unlink(spec);
    r = program_run("init", source, "-I", folder, "--output", spec,
                    program_has_device() ? NULL : "--no-check");
    ck_assert_msg(r.status == 0, "%s%s", r.out, r.err);
    has(r.out, "GROUP in [32, 64, 128, 256]");
    ck_assert(!strstr(r.out, "real.h"));
    ran_release(&r);
    r = program_run("init", source, "-I", source, "--output", "-");
    ck_assert_int_eq(r.status, 2);
    has(r.err, "apart.cl is no folder");
    ran_release(&r);
    unlink(spec);
    unlink(header);
    unlink(source);
    rmdir(folder);
}
END_TEST

START_TEST(refusals)
{
    struct ran r = program_run("init", DATA "/no_such.cl");
    ck_assert_int_eq(r.status, 2);
    ran_release(&r);
    r = program_run("init", HONE_SOURCE_DIR "/README.md");
    ck_assert_int_eq(r.status, 2);
    ran_release(&r);
}
END_TEST

// Arguments that are called as words of the expression language are, or as numbers that JSON does not have.
START_TEST(arguments_of_any_name)
{
    char spec[512], kernel[512];
    static const char *const sizes[] = {"n",    "in",   "is",      "and", "lambda", "True", "min",
                                        "None", "HONE", "defined", "pi",  "inf",    "nan",  "i"};
    str_format(spec, sizeof spec, "%s/words.json", program_folder());
    str_format(kernel, sizeof kernel, "%s/words.cl", program_folder());
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char text[512];
        const char *size = sizes[i], *read = strcmp(size, "in") == 0 ? "or" : "in";
        str_format(text, sizeof text,
                   "__kernel void scale(__global const float *%s, __global float *out, float not, "
                   "int %s)\n"
                   "{ int k = get_global_id(0); if (k < %s) out[k] = not * %s[k]; }\n",
                   read, size, size, read);
        write_text(kernel, text);
        bool is_checked = program_has_device() && i < 2;
        struct ran r = program_run("init", kernel, "-o", spec, is_checked ? NULL : "--no-check");
        ck_assert_msg(r.status == 0, "%s: %s%s", size, r.out, r.err);
        if (is_checked)
            has(r.out, "AGREEMENT: 1 configuration");
        ran_release(&r);
        r = program_run("space", spec);
        ck_assert_msg(r.status == 0, "%s: %s", size, r.err);
        has(r.out, "4 of 4 configurations");
        ran_release(&r);
        unlink(spec);
    }
    unlink(kernel);
}
END_TEST

// A file for nvcc: the host's part is named, with its line; and the spec can be read all the same, though a header that
// nobody finds could be what makes a struct's name a macro.
START_TEST(host_code)
{
    static const char body[] =
        "typedef struct { float x, y; } point;\n"
        "__global__ void move(point *p, float by, int n)\n"
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].x += by; }\n";
    static const char host[] = "int main(void) { move<<<1, 64>>>(0, 1, 2); }\n";
    char source[512], header[512], spec[512];
    struct text text = TEXT_INIT;
    str_format(source, sizeof source, "%s/a host.cu", program_folder());
    str_format(header, sizeof header, "%s/host.h", program_folder());
    str_format(spec, sizeof spec, "%s/a host.json", program_folder());
    write_text(header, body);
    text_addf(&text, "#include <cstdio>\n#include \"host.h\"\n// <<< no launch\n%s", host);
    write_text(source, text_cstr(&text));
    struct ran r = program_run("init", source, "--no-check");
    has(r.out, "  1. the host's code (line 4), which cannot be compiled for a device alone: put it "
               "between "
               "#ifndef __CUDACC_RTC__ and #endif\n");
    has(r.out, "/a host.json'\n"); // what to type next, as a shell reads it
    ran_release(&r);
    r = program_run("spec", spec, "--to", "t1");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ran_release(&r);
    unlink(spec);
    text_clear(&text);
    text_addf(&text, "#include <cstdio>\n%s#ifndef __CUDACC_RTC__\n%s#endif\n", body, host);
    write_text(source, text_cstr(&text));
    r = program_run("init", source, "--no-check");
    ck_assert_msg(!strstr(r.out, "host's code"), "%s", r.out);
    ran_release(&r);
    text_release(&text);
    unlink(spec);
    unlink(header);
    unlink(source);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 600);
    tcase_add_unchecked_fixture(tests, NULL, program_folder_remove);
    tcase_add_loop_test(tests, opencl_kernels, suite_rest() ? 2 : 0, suite_rest() ? 8 : 2);
    if (suite_rest())
        return;
    tcase_add_loop_test(tests, cuda_kernels, 0, SUITE_SANITIZED ? 4 : 8);
    tcase_add_test(tests, c_kernels);
    tcase_add_test(tests, what_is_written);
    tcase_add_test(tests, sizes_are_set);
    tcase_add_test(tests, questions);
    tcase_add_test(tests, arguments_of_any_name);
    tcase_add_test(tests, host_code);
    tcase_add_test(tests, folders_of_includes);
    tcase_add_test(tests, refusals);
}

int main(void)
{
    return suite_run("init", add);
}
