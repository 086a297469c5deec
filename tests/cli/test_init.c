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

// The constant is an argument of the same name, and the command line sets it.
START_TEST(sizes_are_set)
{
    char spec[512];
    if (!program_has_device())
        return;
    str_format(spec, sizeof spec, "%s/set.json", program_folder());
    struct ran r = program_run("init", DATA "/saxpy.cl", "-o", spec, "--no-check");
    ck_assert_int_eq(r.status, 0);
    ran_release(&r);
    r = program_run("check", spec, "--set", "n=4099");
    ck_assert_msg(r.status == 0, "%s%s", r.out, r.err);
    ran_release(&r);
    unlink(spec);
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

static void write_array(const char *name, const float *values, size_t count)
{
    char path[512], header[118];
    str_format(path, sizeof path, "%s/%s", program_folder(), name);
    memset(header, ' ', sizeof header);
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu,), }", count);
    header[length] = ' ';
    header[sizeof header - 1] = '\n';
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite("\x93NUMPY\1\0\x76\0", 10, 1, f) == 1 &&
              fwrite(header, sizeof header, 1, f) == 1 &&
              fwrite(values, sizeof *values, count, f) == count && fclose(f) == 0);
}

// Arrays by argument: they fill it, give sizes, and say what is right; a wrong one is found.
START_TEST(arrays_are_taken)
{
    enum { COUNT = 1000 };
    float x[COUNT], y[COUNT], right[COUNT];
    char spec[512];
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i;
        y[i] = 1;
        right[i] = 2.5f * x[i] + y[i];
    }
    write_array("x.npy", x, COUNT);
    write_array("y.npy", y, COUNT);
    write_array("y.expect.npy", right, COUNT);
    str_format(spec, sizeof spec, "%s/arrays.json", program_folder());
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        struct ran r =
            program_run("init", DATA "/saxpy.cl", "-o", spec, "--inputs", program_folder(), "--set",
                        is_wrong ? "a=2" : "a=2.5", program_has_device() ? NULL : "--no-check");
        ck_assert_msg(r.status == (is_wrong && program_has_device()), "%s%s", r.out, r.err);
        has(r.out, "n=1000");
        ck_assert_ptr_null(strstr(r.out, "Still to be decided"));
        ran_release(&r);
        if (!is_wrong) {
            r = program_run("spec", spec, "--to", "t1");
            has(r.out, "\"Constants\": {\"n\": 1000}");
            has(r.out, "\"Size\": 1000");
            ran_release(&r);
        }
        unlink(spec);
    }
}
END_TEST

START_TEST(values_are_set)
{
    char spec[512];
    str_format(spec, sizeof spec, "%s/values.json", program_folder());
    struct ran r = program_run("init", DATA "/saxpy.cl", "-o", spec, "--no-check", "--set",
                               "n=4096", "--set", "y = a*x[i] + y[i]");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ran_release(&r);
    r = program_run("spec", spec, "--to", "t1");
    has(r.out, "\"Constants\": {\"n\": 4096}");
    has(r.out, "\"Expect\": \"a*x[i] + y[i]\"");
    ran_release(&r);
    unlink(spec);
}
END_TEST

// A part of a program, whose types stand in the file that includes it, is read from there.
START_TEST(parts_are_read_where_they_are_included)
{
    char part[512], whole[512], spec[512];
    str_format(part, sizeof part, "%s/part.cu", program_folder());
    str_format(whole, sizeof whole, "%s/whole.cu", program_folder());
    str_format(spec, sizeof spec, "%s/part.json", program_folder());
    write_text(part,
               "__global__ void k(node *all, int n)\n"
               "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) all[i].at = i; }\n");
    write_text(whole, "struct node { int at, count; };\n#include \"part.cu\"\nint main() {}\n");
    struct ran r = program_run("init", part, "-o", spec, "--no-check");
    ck_assert_msg(r.status == 0, "%s", r.err);
    has(r.out, "whole.cu, which includes");
    ran_release(&r);
    unlink(spec);
    unlink(whole);
    // Nothing includes it: the type stays open.
    r = program_run("init", part, "-o", spec, "--no-check");
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_ptr_null(strstr(r.out, "which includes"));
    ran_release(&r);
    unlink(spec);
    unlink(part);
}
END_TEST

// A file beside the source that has a type which it lacks stands in front of it: not one with kernels of its own.
START_TEST(types_are_read_from_beside)
{
    char source[512], kernels[512], types[512], spec[512];
    str_format(source, sizeof source, "%s/beside.cl", program_folder());
    str_format(kernels, sizeof kernels, "%s/beside_a.cl", program_folder());
    str_format(types, sizeof types, "%s/beside_b.hpp", program_folder());
    str_format(spec, sizeof spec, "%s/beside.json", program_folder());
    write_text(source, "kernel void k(global int *x, const grid_shape s) { int i = "
                       "get_global_id(0); if (i < s.dims[0]) x[i] = s.dims[0] + i; }\n");
    write_text(kernels, "typedef struct { float dims[2]; } grid_shape;\n"
                        "kernel void other(global float *x) { x[0] = 1; }\n");
    write_text(types, "typedef struct { grid_t dims[2]; } grid_shape;\n");
    struct ran r = program_run("init", source, "-o", spec, "--no-check");
    ck_assert_msg(r.status == 0, "%s", r.err);
    has(r.out, "beside_b.hpp, which has types that it lacks");
    ran_release(&r);
    r = program_run("spec", spec, "--to", "t1");
    has(r.out, "beside_b.hpp");
    has(r.out, "\"grid_t\"");
    ran_release(&r);
    unlink(spec);
    unlink(types);
    r = program_run("init", source, "-o", spec, "--no-check");
    ck_assert_ptr_null(strstr(r.out, "behind:"));
    ran_release(&r);
    unlink(spec);
    unlink(source);
    unlink(kernels);
}
END_TEST

// len() of a file that is not there; of what no file fills it is Python's.
START_TEST(lengths_need_their_file)
{
    char spec[512];
    str_format(spec, sizeof spec, "%s/length.json", program_folder());
    write_text(spec, "{\"source\": \"kernel void k(global float *v) { v[get_global_id(0)] = 1; }\","
                     "\"parameters\": {}, \"global\": [\"len(v)\"], \"local\": [1],"
                     "\"arguments\": {\"v\": {\"fill\": \"nowhere.npy\"}}}");
    struct ran r = program_run("space", spec);
    ck_assert_int_ne(r.status, 0);
    has(r.err, "len(v): arguments.v.fill: cannot read");
    ran_release(&r);
    write_text(spec,
               "{\"source\": \"kernel void k(global float *v) { v[get_global_id(0)] = 1; }\","
               "\"parameters\": {\"A\": \"[len([1, 2, 3])]\"}, \"global\": [1], \"local\": [1],"
               "\"arguments\": {\"v\": {\"fill\": \"nowhere.npy\"}}}");
    r = program_run("space", spec);
    ck_assert_msg(r.status == 0, "%s", r.err);
    ran_release(&r);
    unlink(spec);
}
END_TEST

// What the text does not tell and a check shows: a parameter that changes the result; a kernel with nothing
// to tune.
START_TEST(checks_mend_a_spec)
{
    static const char *const cases[][2] = {
        {"#ifndef TILE\n#define TILE 16\n#endif\n"
         "kernel void fill(global float *x, int n)\n"
         "{ int i = get_global_id(0); if (i < n) x[i] = TILE + i % TILE; }\n",
         "TILE is 16 and not tuned"},
        {"kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
         "void twice(global float *x, int n) { int i = get_global_id(0); if (i < n) x[i] *= 2; }\n",
         "FAST_MATH in [0, 1]"},
    };
    char kernel[512], spec[512];
    str_format(kernel, sizeof kernel, "%s/mend.cl", program_folder());
    str_format(spec, sizeof spec, "%s/mend.json", program_folder());
    for (size_t i = 0; program_has_device() && i < sizeof cases / sizeof *cases; i++) {
        write_text(kernel, cases[i][0]);
        struct ran r = program_run("init", kernel, "-o", spec);
        ck_assert_msg(r.status == 0, "%s%s", r.out, r.err);
        has(r.err, "the spec is written again");
        has(r.out, cases[i][1]);
        ran_release(&r);
        r = program_run("check", spec, "--no-store");
        ck_assert_msg(r.status == 0, "%s%s", r.out, r.err);
        ran_release(&r);
        unlink(spec);
    }
    unlink(kernel);
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
    tcase_add_test(tests, sizes_are_set);
    tcase_add_test(tests, arguments_of_any_name);
    tcase_add_test(tests, arrays_are_taken);
    tcase_add_test(tests, values_are_set);
    tcase_add_test(tests, parts_are_read_where_they_are_included);
    tcase_add_test(tests, types_are_read_from_beside);
    tcase_add_test(tests, lengths_need_their_file);
    tcase_add_test(tests, checks_mend_a_spec);
}

int main(void)
{
    return suite_run("init", add);
}
