// The short form: the same space, jobs and keys as the T1 form it stands for, mistakes told with the paths of the text,
// and no kernel opened before a job is made.
#include "fixture.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct device_info device = {.language = LANGUAGE_OPENCL,
                                          .type = DEVICE_CPU,
                                          .id = "made-up",
                                          .name = "Made-up CPU",
                                          .vendor = "",
                                          .platform = "",
                                          .platform_version = "",
                                          .driver = "1",
                                          .compiler = "1",
                                          .language_version = "OpenCL C 1.2",
                                          .extensions = "",
                                          .uuid = "",
                                          .pci = "",
                                          .surroundings = "",
                                          .compute_units = 2,
                                          .max_group_size = 1024,
                                          .max_item_sizes = {1024, 1024, 64},
                                          .local_bytes = 49152,
                                          .global_bytes = 1ull << 36,
                                          .max_alloc_bytes = 1ull << 34,
                                          .float64 = true};

static const char saxpy[] =
    "__kernel void saxpy(__global float *y, __global const float *x, float a, int n)\n"
    "{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; }\n";

static const char other[] =
    "kernel void first(global float *sums, global const float4 *in) { sums[0] = in[0].x; }\n"
    "kernel void last(global int *out, global float *sums, local float *room, uint count)\n"
    "{ room[0] = sums[count - 1]; out[0] = (int)room[0]; }\n"
    "__kernel void plain(__global int *out, __global float *sums) { out[0] = (int)sums[0]; }\n";

static const char real_type[] =
    "#ifdef DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
    "#define PASTE(a, b) a##b\n"
    "kernel void scale(global real *v, const real by) { v[0] *= by; }\n";

static const struct pair {
    const char *name, *file, *text, *short_form, *t1, *configuration;
    enum language language;
} pairs[] = {
    {"saxpy", "saxpy.cl", saxpy,
     "{\"kernel\": \"saxpy.cl\", // the file\n \"constants\": {\"n\": 4096},"
     "\"parameters\": {\"GROUP\": [32, 64], \"PER_ITEM\": \"[2**k for k in range(3)]\"},"
     "\"defaults\": {\"GROUP\": 64}, \"derived\": {\"BLOCK\": \"GROUP * PER_ITEM\"},"
     "\"restrictions\": [\"n % BLOCK == 0\", \"BLOCK < 200\"], \"global\": [\"n // PER_ITEM\"], "
     "\"local\": [\"GROUP\"],"
     "\"arguments\": {\"x\": {\"size\": \"n\"}, \"a\": 2.0, \"y\": {\"size\": \"n\", \"verify\": "
     "\"norm\"},},"
     "\"metrics\": {\"GB/s\": \"12 * n / time_ns\"}}",
     "{\"Constants\": {\"n\": 4096}, \"ConfigurationSpace\": {\"TuningParameters\": ["
     "{\"Name\": \"GROUP\", \"Values\": [32, 64], \"Default\": 64}, {\"Name\": \"PER_ITEM\", "
     "\"Values\": \"[1, 2, 4]\"}],"
     "\"Derived\": [{\"Name\": \"BLOCK\", \"Expression\": \"GROUP * PER_ITEM\"}],"
     "\"Conditions\": [\"n % BLOCK == 0\", \"BLOCK < 200\"]}, \"KernelSpecification\": "
     "{\"Language\": \"OpenCL\","
     "\"KernelName\": \"saxpy\", \"KernelFile\": \"saxpy.cl\", \"GlobalSize\": {\"X\": \"n // "
     "PER_ITEM\"},"
     "\"LocalSize\": {\"X\": \"GROUP\"}, \"Arguments\": ["
     "{\"Name\": \"y\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": "
     "\"ReadWrite\", \"Size\": \"n\","
     " \"FillType\": \"Random\", \"Verification\": {\"Method\": \"norm\"}},"
     "{\"Name\": \"x\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": "
     "\"ReadOnly\", \"Size\": \"n\","
     " \"FillType\": \"Random\"},"
     "{\"Name\": \"a\", \"Type\": \"float\", \"MemoryType\": \"Scalar\", \"FillValue\": 2.0},"
     "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillExpression\": "
     "\"n\"}]},"
     "\"Metrics\": [{\"Name\": \"GB/s\", \"Expression\": \"12 * n / time_ns\"}]}",
     "PER_ITEM=2", LANGUAGE_OPENCL},
    {"launches", "other.cl", other,
     "{\"kernel\": {\"opencl\": [\"other.cl\"]}, \"parameters\": {\"G\": [4, 8]}, \"options\": "
     "\"-cl-mad-enable -w\","
     "\"launches\": [{\"function\": \"first\", \"groups\": \"G\", \"local\": 4, \"name\": \"one\"},"
     " {\"function\": \"last\", \"global\": [64, \"G\"], \"local\": [8, 1], \"when\": \"G > 1\","
     "  \"arguments\": [\"result\", \"sums\", \"room\", \"count\"]}],"
     "\"arguments\": {\"sums\": {\"size\": \"G\", \"temporary\": true}, \"in\": {\"size\": 16, "
     "\"fill\": {\"random\": [0, 2], \"seed\": 9}},"
     " \"result\": {\"verify\": {\"method\": \"exact\", \"region\": [0, 1]}}, \"room\": {\"size\": "
     "\"G\"}, \"count\": 3},"
     "\"reference\": {\"kernel\": \"other.cl\", \"function\": \"plain\", \"global\": 1, \"local\": "
     "1, \"configuration\": {\"G\": 4},"
     " \"arguments\": [\"result\", \"sums\"]}, \"budget\": \"90s\", \"search\": \"random:a=1\"}",
     "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"G\", \"Values\": \"[4, 8]\"}]},"
     "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelFile\": \"other.cl\", "
     "\"CompilerOptions\": [\"-cl-mad-enable\", \"-w\"],"
     "\"Launches\": [{\"Name\": \"one\", \"KernelName\": \"first\", \"GlobalSizeType\": \"CUDA\", "
     "\"GlobalSize\": {\"X\": \"G\"},"
     " \"LocalSize\": {\"X\": 4}, \"Arguments\": [\"sums\", \"in\"]}, {\"KernelName\": \"last\", "
     "\"GlobalSize\": {\"X\": 64, \"Y\": \"G\"},"
     " \"LocalSize\": {\"X\": 8}, \"When\": \"G > 1\", \"Arguments\": [\"result\", \"sums\", "
     "\"room\", \"count\"]}],"
     "\"Arguments\": [{\"Name\": \"sums\", \"Type\": \"float\", \"MemoryType\": \"Vector\", "
     "\"Size\": \"G\", \"Temporary\": true},"
     "{\"Name\": \"in\", \"Type\": \"float4\", \"MemoryType\": \"Vector\", \"Size\": 16, "
     "\"FillType\": \"Random\", \"Range\": [0, 2],"
     " \"RandomSeed\": 9}, {\"Name\": \"result\", \"Type\": \"int32\", \"MemoryType\": \"Vector\", "
     "\"AccessType\": \"WriteOnly\","
     " \"Verification\": {\"Method\": \"exact\", \"Region\": [0, 1]}}, {\"Name\": \"room\", "
     "\"Type\": \"float\","
     " \"MemoryType\": \"Local\", \"Size\": \"G\"}, {\"Name\": \"count\", \"Type\": \"uint32\", "
     "\"MemoryType\": \"Scalar\", \"FillValue\": 3}],"
     "\"Reference\": {\"Kind\": \"kernel\", \"KernelName\": \"plain\", \"KernelFile\": "
     "\"other.cl\", \"GlobalSize\": {\"X\": 1},"
     " \"LocalSize\": {\"X\": 1}, \"Configuration\": \"G=4\", \"Arguments\": [\"result\", "
     "\"sums\"]}}}",
     "G=8", LANGUAGE_OPENCL},
    {"cuda", "saxpy.cu",
     "extern \"C\" __global__ void saxpy(float *y, const float *x, float a, int n)\n"
     "{ int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] += a * x[i]; }\n",
     "{\"kernel\": [\"saxpy.cl\", \"saxpy.cu\"], \"constants\": {\"n\": 512}, \"parameters\": "
     "{\"B\": {\"values\": [32, 64], \"type\": \"uint\"}},"
     "\"global\": \"n\", \"local\": \"B\", \"arguments\": {\"y\": {\"size\": \"n\"}, \"x\": "
     "{\"size\": \"n\", \"fill\": \"i % 7\"}, \"a\": 3},"
     "\"languages\": {\"CUDA\": {\"options\": [\"-use_fast_math\"], \"when\": \"device_capability "
     ">= 80\", \"restrictions\": \"B > 32\"}}}",
     "{\"Constants\": {\"n\": 512}, \"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": "
     "\"B\", \"Type\": \"uint\", \"Values\": [32, 64]}]},"
     "\"KernelSpecification\": {\"KernelName\": \"saxpy\", \"KernelFile\": {\"OpenCL\": "
     "\"saxpy.cl\", \"CUDA\": \"saxpy.cu\"},"
     "\"GlobalSize\": {\"X\": \"n\"}, \"LocalSize\": {\"X\": \"B\"}, \"Languages\": {\"CUDA\": "
     "{\"CompilerOptions\": [\"-use_fast_math\"],"
     " \"When\": \"device_capability >= 80\", \"Conditions\": [\"B > 32\"]}}, \"Arguments\": ["
     "{\"Name\": \"y\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": "
     "\"ReadWrite\", \"Size\": \"n\", \"FillType\": \"Random\"},"
     "{\"Name\": \"x\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": "
     "\"ReadOnly\", \"Size\": \"n\","
     " \"FillType\": \"Generator\", \"DataSource\": \"i % 7\"}, {\"Name\": \"a\", \"Type\": "
     "\"float\", \"MemoryType\": \"Scalar\", \"FillValue\": 3},"
     "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillExpression\": "
     "\"n\"}]}}",
     "B=64", LANGUAGE_CUDA},
    {"types by constants", "scale.cl", real_type,
     "{\"kernel\": \"scale.cl\", \"constants\": {\"DOUBLE\": 1}, \"parameters\": {\"B\": [8]}, "
     "\"global\": 64, \"local\": \"B\","
     "\"arguments\": {\"v\": {\"size\": 64, \"fill\": 0.5, \"restore\": false}, \"by\": \"1 / "
     "B\"}}",
     "{\"Constants\": {\"DOUBLE\": 1}, \"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": "
     "\"B\", \"Values\": [8]}]},"
     "\"KernelSpecification\": {\"KernelName\": \"scale\", \"KernelFile\": \"scale.cl\", "
     "\"GlobalSize\": {\"X\": 64}, \"LocalSize\": {\"X\": \"B\"},"
     "\"Arguments\": [{\"Name\": \"v\", \"Type\": \"double\", \"MemoryType\": \"Vector\", "
     "\"AccessType\": \"ReadWrite\", \"Size\": 64, \"FillValue\": 0.5,"
     " \"Restore\": false}, {\"Name\": \"by\", \"Type\": \"double\", \"MemoryType\": \"Scalar\", "
     "\"FillExpression\": \"1 / B\"}]}}",
     "", LANGUAGE_OPENCL},
};

static void key_of(const struct pair *p, const char *spec, struct digest *key, char *warnings,
                   size_t size)
{
    struct fixture f;
    struct device_info d = device;
    d.language = p->language;
    d.capability = 90;
    fixture_start(&f);
    fixture_file(&f, "saxpy.cl", saxpy);
    fixture_file(&f, p->file, p->text);
    fixture_load(&f, spec);
    fixture_sources(&f, p->language);
    struct job *job = fixture_job(&f, p->configuration, &d);
    job_key(job, &d, key);
    snprintf(warnings, size, "%s", text_cstr(&f.warnings));
    job_free(job);
    fixture_end(&f);
}

START_TEST(test_same_jobs)
{
    const struct pair *p = &pairs[_i];
    struct digest a, b;
    char warnings[2][1000];
    key_of(p, p->short_form, &a, warnings[0], sizeof warnings[0]);
    key_of(p, p->t1, &b, warnings[1], sizeof warnings[1]);
    ck_assert_str_eq(warnings[0], "");
    ck_assert_str_eq(warnings[1], "");
    ck_assert_msg(digest_equal(&a, &b), "%s: another key", p->name);
}
END_TEST

// ---- mistakes ----------------------------------------------------------------------------------

#define WITH(arguments)                                                                            \
    "{\"kernel\": \"saxpy.cl\", \"constants\": {\"n\": 64}, \"parameters\": {\"G\": [8]}, "        \
    "\"global\": \"n\", \"local\": \"G\", \"arguments\": {" arguments "}}"
#define Y "\"y\": {\"size\": \"n\"}, "

static const struct mistake {
    const char *spec, *error;
} mistakes[] = {
    {WITH(Y "\"x\": {\"size\": \"m\"}, \"a\": 1"), "arguments.x.size: column 1: unknown name 'm'"},
    {WITH(Y "\"x\": {\"size\": 8, \"fill\": \"j\"}, \"a\": 1"),
     "arguments.x.fill: column 1: unknown name 'j'"},
    {WITH(Y "\"x\": {\"size\": \"n - 64\"}, \"a\": 1"), "arguments.x.size: "},
    {WITH(Y "\"x\": {\"size\": \"n\", \"access\": \"reads\"}, \"a\": 1"),
     "arguments.x.access: 'reads' is not known here; use read, write or readwrite"},
    {WITH(Y "\"xs\": {\"size\": \"n\"}, \"a\": 1"),
     "arguments.xs: kernel 'saxpy' (saxpy.cl, line 1) has no parameter of this name (it takes"},
    {WITH(Y "\"x\": {\"size\": \"n\"}"), "arguments.a: is missing: kernel 'saxpy' (saxpy.cl, line "
                                         "1) takes 'float a'; say \"a\": VALUE"},
    {WITH(Y "\"x\": 1, \"a\": 1"),
     "arguments.x: kernel 'saxpy' (saxpy.cl, line 1) takes '__global const float *x' there: "
     "a buffer is \"x\": {\"size\": ELEMENTS}"},
    {WITH(Y "\"x\": {\"size\": 8}, \"a\": {\"size\": 2}"),
     "arguments.a: kernel 'saxpy' (saxpy.cl, line 1) takes 'float a' there: a value is \"a\": "
     "EXPRESSION"},
    {WITH(Y "\"x\": {\"size\": 8, \"fill\": {\"random\": [0, 1], \"constant\": 2}}, \"a\": 1"),
     "only one of constant, expression, file, random and normal"},
    {WITH(Y "\"x\": {\"size\": 8, \"Size\": 4}, \"a\": 1"),
     "arguments.x.Size: 'size' beside it says the same"},
    {WITH(Y "\"x\": {\"size\": [8]}, \"a\": 1"), "arguments.x.size: must be"},
    {WITH(Y "\"x\": {\"size\": 8, \"verify\": {\"rtol\": \"q\"}}, \"a\": 1"), ""},
    {"{\"kernel\": \"saxpy.cl\", \"parameters\": {\"G\": []}}", "parameters.G: 'G' has no values"},
    {"{\"kernel\": \"saxpy.cl\", \"parameters\": {\"G\": [8]}, \"defaults\": {\"H\": 9}}",
     "defaults.H: there is no parameter 'H'"},
    {"{\"kernel\": \"saxpy.cl\", \"parameters\": {\"G\": [8]}, \"restrictions\": [\"G > 1\", \"G "
     "<\"]}",
     "restrictions[1]: column 4"},
    {"{\"kernel\": \"saxpy.cl\", \"parameters\": {\"G\": [8]}}",
     "problem: is missing, and so is global, the number of work-items"},
    {"{\"kernel\": \"saxpy.cl\", \"parameters\": {\"G\": [8]}, \"global\": [1, 2, 3, 4]}",
     "global: must have one to three axes"},
    {"{\"kernel\": \"saxpy.cl\", \"global\": [1], \"groups\": 1}",
     "groups: the launch's size is given by 'global' already"},
    {"{\"kernel\": {\"HIP\": \"a.hip\"}, \"global\": 1}",
     "kernel.HIP: 'HIP' is not a language hone runs"},
    {"{\"kernel\": \"two.cl\", \"global\": 1}",
     "function: is missing: two.cl has several kernels, one, two; say which"},
    {"{\"kernel\": \"two.cl\", \"global\": 1, \"arguments\": {\"a\": {\"size\": 8}, \"b\": 1}}",
     "spec.json: function: is missing: two.cl has several kernels, one, two; say which"},
    {"{\"kernel\": \"saxpy.cl\", \"parameters\": {\"G\": [8]}, \"restrictions\": [\"G > 1,\"]}",
     "restrictions[0]: 'G > 1,' is a list or tuple, which is not a condition: remove the comma"},
    {"{\"kernel\": \"saxpy.cl\", \"parameters\": {\"G\": [8]}, \"restrictions\": [\"[G > 1]\"]}",
     "restrictions[0]: '[G > 1]' is a list or tuple, which is not a condition"},
    {"{\"kernel\": \"saxpy.cl\", \"global\": 1, \"options\": [\"-DG=8\"], \"parameters\": {\"G\": "
     "[1, "
     "2]}, \"arguments\": {" Y "\"x\": {\"size\": 8}, \"a\": 1}, \"constants\": {\"n\": 8}}",
     "the options define G (-DG=8), which is a parameter of the spec"},
    {"{\"kernel\": \"size.cl\", \"global\": 1, \"arguments\": {\"y\": {\"size\": 8}, \"n\": 8}}",
     "allows no size_t as an argument: make it uint or ulong"},
    {"{\"kernel\": \"none.cl\", \"global\": 1}",
     "function: is missing: no kernel is found in none.cl"},
    {"{\"kernel\": \"saxpy.cl\", \"global\": 1, \"metrics\": {\"m\": \"time_n\"}}",
     "metrics.m: column 1"},
    {"{\"kernel\": \"saxpy.cl\", \"global\": 1, \"budget\": \"soon\"}",
     "budget: 'soon' is not a time"},
    {"{\"kernel\": \"saxpy.cl\", \"global\": 1, \"Budget\": [{\"Type\": \"Never\", "
     "\"BudgetValue\": 1}]}",
     "Budget[0].Type: 'Never'"},
    {"{\"kernel\": \"saxpy.cl\", \"global\": 1, \"reference\": \"some\"}",
     "reference: 'some' is not known here"},
    {"{\"kernel\": \"saxpy.cl\", \"global\": 1, \"arguments\": {\"y\": {}, \"x\": {}, \"a\": 1, "
     "\"n\": 1}, "
     "\"reference\": {\"M\": 1, \"N\": 1, \"K\": 1, \"C\": \"y\", \"A\": \"x\", \"B\": \"z\"}}",
     "reference.B: there is no argument 'z'"},
    {"{\"kernel\": \"missing.cl\", \"global\": 1}", "missing.cl"},
    {WITH(Y "\"x\": {\"size\": \"n\"}, \"a\": {}"), "arguments.a.value: is missing: a scalar is"},
    {"{\"kernel\": [[]], \"global\": 1}", "kernel[0]: must be a text, but is a list"},
    {"{\"kernel\": [null], \"global\": 1}", "kernel"},
    {"{\"General\": {}, \"kernel\": \"saxpy.cl\", \"global\": 1}",
     "General: is a part of the T1 form, and 'kernel' beside it a key of the short form"},
    {"{\"kernel\": \"saxpy.cl\", \"global\": 1, \"name\": \"a\", \"name\": \"b\"}",
     "spec.json:1:55: not valid JSON: duplicate object key near '\"name\"'"},
};

static void find_error(struct fixture *f, const char *spec)
{
    char path[512];
    uint32_t choice[8];
    struct job *job = NULL;
    fixture_file(f, "spec.json", spec);
    snprintf(path, sizeof path, "%s/spec.json", f->folder);
    f->spec = spec_load(path, NULL, &f->error);
    if (f->spec)
        f->sources = spec_sources_read(f->spec, LANGUAGE_OPENCL, NULL, NULL, &f->error);
    if (!f->sources)
        return;
    spec_default(f->spec, choice);
    spec_job(f->spec, f->sources, &device, choice, &job, &f->error);
    job_free(job);
}

START_TEST(test_mistakes)
{
    const struct mistake *m = &mistakes[_i];
    struct fixture f;
    fixture_start(&f);
    fixture_file(&f, "saxpy.cl", saxpy);
    fixture_file(&f, "two.cl",
                 "kernel void one(global int *a) {}\nkernel void two(global int *a) {}\nvoid "
                 "help(void) {}\n");
    fixture_file(&f, "size.cl", "kernel void k(global int *y, const size_t n) { y[0] = n; }\n");
    fixture_file(&f, "none.cl", "void help(int a) {}\n");
    find_error(&f, m->spec);
    ck_assert_msg(f.error.code != ERROR_NONE, "no error: %s", m->spec);
    ck_assert_msg(strstr(f.error.text, m->error), "%s\nnot: %s", m->error, f.error.text);
    ck_assert_msg(!strstr(f.error.text, "KernelSpecification"), "%s", f.error.text);
    fixture_end(&f);
}
END_TEST

// ---- wrong types -------------------------------------------------------------------------------

// The name of a member that stands for any.
static const char *name_for_any(const char *parent)
{
    static const char *const names[][2] = {
        {"constants", "n"}, {"parameters", "G"},    {"defaults", "G"},
        {"derived", "D"},   {"arguments", "y"},     {"metrics", "m"},
        {"files", "y"},     {"configuration", "G"}, {"kernel", "OpenCL"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], parent) == 0)
            return names[i][1];
    }
    return "OpenCL";
}

// Sets what is at "arguments.*.size" in a document, where objects and lists on the way are made; `path` is where that is
// then, such as "arguments.y.size".
static void set_at(json_t *root, const char *pattern, json_t *value, char *path, size_t room)
{
    char part[64], parent[64] = "";
    json_t *at = root;
    path[0] = '\0';
    while (true) {
        size_t length = strcspn(pattern, ".");
        bool is_last = pattern[length] == '\0';
        snprintf(part, sizeof part, "%.*s", (int)length, pattern);
        char *list = strstr(part, "[]");
        if (list)
            *list = '\0';
        const char *name = strcmp(part, "*") == 0 ? name_for_any(parent) : part;
        snprintf(path + strlen(path), room - strlen(path), "%s%s%s", path[0] ? "." : "", name,
                 list ? "[0]" : "");
        if (is_last) {
            json_object_set_new(at, name, value);
            return;
        }
        json_t *next = json_object_get(at, name);
        if (list) {
            next = json_is_array(next) ? json_array_get(next, 0) : NULL;
            if (!next)
                json_object_set_new(at, name, json_pack("[o]", next = json_object()));
        } else if (!json_is_object(next)) {
            json_object_set_new(at, name, next = json_object());
        }
        at = next;
        snprintf(parent, sizeof parent, "%s", part);
        pattern += length + 1;
    }
}

static void check_wrong_type(const struct spec_key *key, json_t *wrong)
{
    char path[200], told[220];
    struct error e = ERROR_INIT;
    json_t *root =
        json_pack("{s: s, s: {s: i}, s: {s: [i]}, s: s, s: s, s: {s: {s: s}, s: {s: s}, s: f}}",
                  "kernel", "saxpy.cl", "constants", "n", 64, "parameters", "G", 8, "global", "n",
                  "local", "G", "arguments", "y", "size", "n", "x", "size", "n", "a", 2.0);
    set_at(root, key->path, wrong, path, sizeof path);
    char *text = json_dumps(root, 0);
    struct spec *s = spec_parse(text, strlen(text), NULL, NULL, NULL, &e);
    ck_assert_msg(!s, "accepted: %s", text);
    snprintf(told, sizeof told, "%s: must be ", path);
    ck_assert_msg(strstr(e.text, told) != NULL, "no '%s' in: %s\n%s", told, e.text, text);
    ck_assert_msg(!strstr(e.text, "KernelSpecification"), "%s", e.text);
    free(text);
    json_decref(root);
}

START_TEST(test_wrong_types)
{
    size_t count;
    const struct spec_key *key = &spec_short_keys(&count)[_i];
    ck_assert_msg(strlen(key->meaning) > 5, "%s is explained", key->path);
    if (!(key->accepts & KEY_STRING))
        check_wrong_type(key, json_string("text"));
    if (!(key->accepts & KEY_INTEGER))
        check_wrong_type(key, json_integer(3));
    if (!(key->accepts & KEY_REAL))
        check_wrong_type(key, json_real(2.5));
    if (!(key->accepts & KEY_BOOL))
        check_wrong_type(key, json_true());
    if (!(key->accepts & KEY_ARRAY))
        check_wrong_type(key, json_array());
    if (!(key->accepts & KEY_OBJECT))
        check_wrong_type(key, json_object());
}
END_TEST

// ---- what opens the kernel ---------------------------------------------------------------------

START_TEST(test_reads_no_kernel)
{
    struct fixture f;
    struct spec_languages languages;
    fixture_start(&f);
    fixture_load(&f, WITH(Y "\"x\": {\"size\": \"n\"}, \"a\": 1")); // there is no saxpy.cl
    ck_assert(f.spec->is_short);
    ck_assert_uint_eq(f.spec->parameter_count, 1);
    ck_assert(spec_languages(f.spec, &languages, &f.error));
    ck_assert_uint_eq(languages.count, 1);
    ck_assert_str_eq(text_cstr(&f.warnings), "");
    fixture_end(&f);
}
END_TEST

// Some editors write a mark in front of UTF-8.
START_TEST(test_byte_order_mark)
{
    struct fixture f;
    fixture_start(&f);
    fixture_load(&f,
                 "\xef\xbb\xbf{\r\n\"kernel\": \"saxpy.cl\", \"global\": 1 // the end\r\n}\r\n");
    ck_assert(f.spec->is_short);
    ck_assert_str_eq(text_cstr(&f.warnings), "");
    fixture_end(&f);
}
END_TEST

// A warning is given once, though the spec is read again when its kernel is there.
START_TEST(test_warns_once)
{
    struct fixture f;
    fixture_start(&f);
    fixture_file(&f, "saxpy.cl", saxpy);
    fixture_load(&f, WITH(Y "\"x\": {\"size\": \"n\", \"sise\": 3}, \"a\": 1"));
    fixture_sources(&f, LANGUAGE_OPENCL);
    const char *first = strstr(text_cstr(&f.warnings),
                               "arguments.x.sise: unknown key, ignored; did you mean 'size'?");
    ck_assert_msg(first && !strstr(strchr(first, ';'), "sise"), "%s", text_cstr(&f.warnings));
    fixture_end(&f);
}
END_TEST

// A key of the T1 form beside the short form: the kernel's name, for all launches or one.
START_TEST(test_name_of_t1)
{
    static const char *const specs[] = {
        "{\"kernel\": \"two.cl\", \"KernelName\": \"two\", \"global\": 1, "
        "\"arguments\": {\"a\": {\"size\": 8}}}",
        "{\"kernel\": \"two.cl\", \"global\": 1, \"launches\": [{\"KernelName\": \"two\"}, "
        "{\"KernelName\": \"one\"}], \"arguments\": {\"a\": {\"size\": 8}}}"};
    struct fixture f;
    fixture_start(&f);
    fixture_file(&f, "two.cl",
                 "kernel void one(global int *a) { a[0] = 1; }\nkernel void two(global int *a) "
                 "{ a[0] = 1; }\n");
    fixture_load(&f, specs[_i]);
    fixture_sources(&f, LANGUAGE_OPENCL);
    struct job *job = fixture_job(&f, "", &device);
    ck_assert_uint_eq(job->launch_count, _i + 1);
    ck_assert_str_eq(job->launches[0].kernel, "two");
    job_free(job);
    fixture_end(&f);
}
END_TEST

// Heads of kernels in C, in all that its grammar allows around them: the kernel is found and its types are read.
static const char *const heads_in_c[] = {
    "void fill(volatile float *y, int n)",
    "void fill(float volatile *y, const int n)",
    "void fill(float *restrict y, unsigned long long n)",
    "void fill(float *__restrict__ y, long n)",
    "void\nfill (float * y, int n)",
    "void /* a */ fill /* b */ (/* c */ float /* d */ * /* e */ y, // f\n int n /* g */) /* h */",
    "void fill(float y[], int n)",
    "void fill(float y[static restrict 4], int n)",
    "__attribute__((noinline)) void fill(float *y, int n)",
    "void __attribute__((noinline, optimize(3))) fill(float *y, int n)",
    "void fill(float *y, int n) __attribute__((noinline));\nvoid fill(float *y, int n)",
    "[[gnu::noinline]] void fill(float *y, int n)",
    "extern inline void fill(float *y, int n)",
    "typedef float *ptr; void fill(const ptr restrict y, int n)",
    "typedef float real; typedef volatile real *ptr; void fill(ptr y, int n)",
    "static inline void put(float *y, int i) { y[i] = i; }\nvoid fill(float *y, int n)",
    "struct s { void (*call)(int); };\nvoid *make(void) { return 0; }\nvoid fill(float *y, int n)",
    "int set(void *p) { return p != 0; }\nextern void other(void);\nvoid fill(float *y, int n)",
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid fill(float *y, int n)"};

START_TEST(test_heads_in_c)
{
    struct fixture f;
    struct device_info own = device;
    char text[512];
    own.language = LANGUAGE_C;
    snprintf(text, sizeof text,
             "%s\n{ static const float t[1] = {1}; for (int i = 0; i < n; i++) y[i] = t[0]; }\n",
             heads_in_c[_i]);
    fixture_start(&f);
    fixture_file(&f, "fill.c", text);
    fixture_load(&f,
                 "{\"kernel\": \"fill.c\", \"global\": 1, \"arguments\": {\"y\": {\"size\": 8}, "
                 "\"n\": 8}}");
    fixture_sources(&f, LANGUAGE_C);
    struct job *job = fixture_job(&f, "", &own);
    ck_assert_uint_eq(job->buffer_count, 1);
    ck_assert_uint_eq(job->buffers[0].element.scalar, SCALAR_FLOAT);
    job_free(job);
    fixture_end(&f);
}
END_TEST

// With other constants the same text is completed anew: its types may be others.
START_TEST(test_other_constants)
{
    struct fixture f;
    const char *set[] = {"DOUBLE=1", "K=4"};
    uint32_t choice[4];
    struct job *job = NULL;
    char path[512];
    fixture_start(&f);
    fixture_file(&f, "scale.cl",
                 "#if DOUBLE == 1\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
                 "kernel void scale(global real *v) { v[0] *= K; }\n");
    fixture_load(&f, "{\"kernel\": \"scale.cl\", \"constants\": {\"DOUBLE\": 0, \"K\": 2}, "
                     "\"parameters\": {}, \"global\": 4,"
                     "\"arguments\": {\"v\": {\"size\": \"K\"}}}");
    fixture_sources(&f, LANGUAGE_OPENCL);
    snprintf(path, sizeof path, "%s/spec.json", f.folder);
    struct spec *again =
        spec_load(path, &(struct spec_options){.set = set, .set_count = 2}, &f.error);
    struct spec_sources *shared = spec_sources_share(f.sources, again, &f.error);
    ck_assert_msg(shared != NULL, "%s", f.error.text);
    spec_default(again, choice);
    ck_assert_msg(spec_job(again, shared, &device, choice, &job, &f.error), "%s", f.error.text);
    ck_assert_uint_eq(job->buffers[0].element.scalar, SCALAR_DOUBLE);
    ck_assert_uint_eq(job->buffers[0].count, 4);
    job_free(job);
    spec_sources_free(shared);
    spec_free(again);
    job = fixture_job(&f, "", &device);
    ck_assert_uint_eq(job->buffers[0].element.scalar, SCALAR_FLOAT);
    ck_assert_uint_eq(job->buffers[0].count, 2);
    job_free(job);
    fixture_end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("short");
    TCase *tests = tcase_create("short");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, test_same_jobs, 0, (int)(sizeof pairs / sizeof *pairs));
    tcase_add_loop_test(tests, test_mistakes, 0, (int)(sizeof mistakes / sizeof *mistakes));
    size_t keys;
    spec_short_keys(&keys);
    tcase_add_loop_test(tests, test_wrong_types, 0, (int)keys);
    tcase_add_test(tests, test_reads_no_kernel);
    tcase_add_test(tests, test_byte_order_mark);
    tcase_add_test(tests, test_warns_once);
    tcase_add_loop_test(tests, test_name_of_t1, 0, 2);
    tcase_add_loop_test(tests, test_heads_in_c, 0, sizeof heads_in_c / sizeof *heads_in_c);
    tcase_add_test(tests, test_other_constants);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
