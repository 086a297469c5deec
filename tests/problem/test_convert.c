// One form of a spec becomes the other one and means the same: the space, the jobs and their keys. All specs that lie
// here are converted, those that others wrote (in a folder of HONE_TEST_DATA), and some made of random parts.
#include "base/random.h"
#include "fixture.h"
#include "space/space.h"

#include "../base/suite.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIGURATIONS = 6, FILES_MOST = 2000, RANDOM_SPECS = SUITE_SANITIZED ? 100 : 500 };

static struct device_info device_of(enum language l)
{
    return (struct device_info){.language = l,
                                .type = DEVICE_GPU,
                                .id = "made-up",
                                .name = "Made-up GPU",
                                .vendor = "NVIDIA Corporation",
                                .platform = "",
                                .platform_version = "",
                                .driver = "1",
                                .compiler = "1",
                                .language_version = "OpenCL C 1.2",
                                .extensions = "cl_khr_fp64 cl_khr_fp16",
                                .uuid = "",
                                .pci = "",
                                .surroundings = "",
                                .compute_units = 132,
                                .max_group_size = 1024,
                                .max_item_sizes = {1024, 1024, 64},
                                .local_bytes = 232448,
                                .global_bytes = 1ull << 36,
                                .max_alloc_bytes = 1ull << 34,
                                .subgroup_size = 32,
                                .capability = 90,
                                .float64 = true};
}

// ---- the space ---------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_values(const struct parameter *a, const struct parameter *b)
{
    bool same = same_text(a->name, b->name) && a->type == b->type && a->count == b->count &&
                a->initial == b->initial && a->has_default == b->has_default;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = a->values[i].kind == b->values[i].kind && value_equal(&a->values[i], &b->values[i]);
    return same;
}

static bool same_formulas(const struct formula *a, uint32_t count, const struct formula *b,
                          uint32_t other)
{
    bool same = count == other;
    for (uint32_t i = 0; same && i < count; i++)
        same = same_text(a[i].name, b[i].name) && same_text(a[i].text, b[i].text);
    return same;
}

static uint64_t count_of(const struct spec *s)
{
    struct error e = ERROR_INIT;
    const struct device_info d = device_of(LANGUAGE_FIRST);
    const struct space_options options = {.device = &d};
    struct space *space = s->unbound ? NULL : space_new(s, &options, &e);
    uint64_t count = space ? space_count(space) : UINT64_MAX;
    space_free(space);
    return count;
}

// What differs; NULL: nothing.
static const char *other_space(const struct spec *a, const struct spec *b)
{
    if (a->parameter_count != b->parameter_count || a->constant_count != b->constant_count)
        return "count of names";
    for (uint32_t i = 0; i < a->parameter_count; i++) {
        if (!same_values(&a->parameters[i], &b->parameters[i]))
            return a->parameters[i].name;
    }
    for (uint32_t i = 0; i < a->constant_count; i++) {
        const struct constant *x = &a->constants[i], *y = &b->constants[i];
        if (!same_text(x->name, y->name) || x->value.kind != y->value.kind ||
            !value_equal(&x->value, &y->value))
            return x->name;
    }
    if (!same_formulas(a->derived, a->derived_count, b->derived, b->derived_count))
        return "derived";
    if (!same_formulas(a->restrictions, a->restriction_count, b->restrictions,
                       b->restriction_count))
        return "restrictions";
    if (!same_formulas(a->metrics, a->metric_count, b->metrics, b->metric_count))
        return "metrics";
    return count_of(a) == count_of(b) ? NULL : "count of configurations";
}

static const char *other_settings(const struct spec *a, const struct spec *b)
{
    if (!same_text(a->name, b->name))
        return "name";
    if (a->iterations != b->iterations)
        return "iterations";
    if (a->budget_count != b->budget_count || a->budget_seconds != b->budget_seconds ||
        a->budget_fraction != b->budget_fraction)
        return "budget";
    bool same = same_text(a->strategy, b->strategy) &&
                a->strategy_attribute_count == b->strategy_attribute_count;
    for (uint32_t i = 0; same && i < a->strategy_attribute_count; i++)
        same = same_text(a->strategy_attributes[i], b->strategy_attributes[i]);
    if (!same)
        return "strategy";
    same = a->start_count == b->start_count;
    for (uint32_t i = 0; same && i < a->start_count; i++)
        same = same_text(a->start_with[i], b->start_with[i]);
    if (!same)
        return "start_with";
    same = a->objective_count == b->objective_count;
    for (uint32_t i = 0; same && i < a->objective_count; i++)
        same = same_text(a->objectives[i].name, b->objectives[i].name) &&
               a->objectives[i].maximise == b->objectives[i].maximise;
    return same ? NULL : "objective";
}

// ---- the jobs ----------------------------------------------------------------------------------

static void choose(const struct spec *s, uint32_t which, uint32_t *choice)
{
    spec_default(s, choice);
    for (uint32_t i = 0; which > 0 && i < s->parameter_count; i++)
        choice[i] = (uint32_t)((which * (i + 1ull) + which / 2) % s->parameters[i].count);
}

static bool key_of(const struct spec *s, const struct spec_sources *src, enum language l,
                   const uint32_t *choice, struct digest *key, struct digest *reference,
                   bool *partial, struct error *e)
{
    const struct device_info d = device_of(l);
    struct job *job = NULL;
    *reference = (struct digest){.bytes = {0}};
    bool ok = spec_job(s, src, &d, choice, &job, e);
    if (ok) {
        job_key(job, &d, key);
        if (!job_is_unseen(job)) // else it is of this reading alone
            job_reference_digest(job, reference);
        *partial = job->partial;
    }
    job_free(job);
    return ok;
}

static const char *other_jobs_of(const struct spec *a, const struct spec *b, enum language l,
                                 uint32_t *jobs)
{
    struct error e[2] = {ERROR_INIT, ERROR_INIT};
    const char *wrong = NULL;
    struct spec_sources *x = spec_sources_read(a, l, NULL, NULL, &e[0]);
    struct spec_sources *y = spec_sources_read(b, l, NULL, NULL, &e[1]);
    uint32_t *choice = calloc(a->parameter_count + (size_t)1, sizeof *choice);
    ck_assert_ptr_nonnull(choice);
    if (!x != !y)
        wrong = x ? e[1].text : e[0].text;
    for (uint32_t i = 0; x && y && !wrong && i < CONFIGURATIONS; i++) {
        struct digest keys[2], references[2];
        bool partial[2];
        error_clear(&e[0]);
        error_clear(&e[1]);
        choose(a, i, choice);
        bool first = key_of(a, x, l, choice, &keys[0], &references[0], &partial[0], &e[0]);
        bool second = key_of(b, y, l, choice, &keys[1], &references[1], &partial[1], &e[1]);
        if (first != second)
            wrong = first ? e[1].text : e[0].text;
        else if (first && !digest_equal(&keys[0], &keys[1]))
            wrong = "key";
        else if (first && !digest_equal(&references[0], &references[1]))
            wrong = "reference";
        else if (first && partial[0] != partial[1])
            wrong = "meaning of what is left unwritten";
        *jobs += first && second;
    }
    static char text[sizeof e[0].text];
    snprintf(text, sizeof text, "%s", wrong ? wrong : "");
    free(choice);
    spec_sources_free(x);
    spec_sources_free(y);
    return wrong ? text : NULL;
}

static const char *other_jobs(const struct spec *a, const struct spec *b, uint32_t *jobs)
{
    struct error e = ERROR_INIT;
    struct spec_languages x, y;
    const char *wrong = NULL;
    bool is_known = spec_languages(a, &x, &e);
    if (is_known != spec_languages(b, &y, &e) || (is_known && x.count != y.count))
        return "languages";
    for (unsigned l = 0; is_known && l < x.count && !wrong; l++)
        wrong = x.list[l] == y.list[l] ? other_jobs_of(a, b, x.list[l], jobs) : "languages";
    return wrong;
}

// ---- converting --------------------------------------------------------------------------------

struct conversions {
    uint32_t specs, jobs, failed;
};

static struct spec *read_again(const struct spec *s, const struct text *text, struct error *e)
{
    const struct spec_options options = {.device = s->device};
    return spec_parse(text_cstr(text), text->length, s->folder ? s->folder : s->directory,
                      "other.json", &options, e);
}

// A text that is not there, or does not say what a short form leaves to it, is told when jobs are made, too.
static bool makes_no_jobs(const struct spec *s)
{
    struct error e = ERROR_INIT;
    struct spec_languages languages;
    if (!spec_languages(s, &languages, &e))
        return true;
    struct spec_sources *src = spec_sources_read(s, languages.list[0], NULL, NULL, &e);
    spec_sources_free(src);
    return !src;
}

// From `s` to the other form; the spec that it became. NULL: its kernel is not there, or it is wrong.
static struct spec *convert_once(const struct spec *s, const char *path, struct conversions *c)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    const char *wrong = NULL;
    struct spec *other = NULL;
    enum spec_form to = s->is_short ? SPEC_T1 : SPEC_SHORT;
    if (!spec_convert(s, to, NULL, &text, &e))
        wrong = s->is_short && makes_no_jobs(s) ? NULL : e.text;
    else if (!(other = read_again(s, &text, &e)))
        wrong = e.text;
    else if (other->is_short != (to == SPEC_SHORT))
        wrong = "form";
    if (other && !wrong)
        wrong = other_space(s, other);
    if (other && !wrong)
        wrong = other_settings(s, other);
    if (other && !wrong && !(other->is_short && makes_no_jobs(s)))
        wrong = other_jobs(s, other, &c->jobs);
    if (wrong)
        printf("%s: %s\n%s\n", path, wrong, text_cstr(&text));
    c->failed += wrong != NULL;
    text_release(&text);
    return other;
}

// There and back, and there again: the second time is as the first.
static void convert_spec(struct spec *s, const char *path, struct conversions *c)
{
    struct spec *other = convert_once(s, path, c), *back = NULL, *again = NULL;
    c->specs += other != NULL;
    if (other)
        back = convert_once(other, path, c);
    if (back)
        again = convert_once(back, path, c);
    if (again && strcmp(other->text, again->text) != 0) {
        printf("%s: converted twice it differs:\n%s\n%s\n", path, other->text, again->text);
        c->failed++;
    }
    spec_free(again);
    spec_free(back);
    spec_free(other);
}

// ---- the files ---------------------------------------------------------------------------------

static char *files[FILES_MOST];
static size_t file_count;

static int note_file(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)at;
    const char *dot = strrchr(path, '.');
    if (kind == FTW_F && dot && strcmp(dot, ".json") == 0 && file_count < FILES_MOST)
        files[file_count++] = strdup(path);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct conversions convert_folder(const char *folder)
{
    struct conversions c = {.specs = 0};
    const struct device_info d = device_of(LANGUAGE_FIRST);
    const struct spec_options options = {.device = &d};
    file_count = 0;
    nftw(folder, note_file, 16, FTW_PHYS);
    qsort(files, file_count, sizeof *files, by_name);
    for (size_t i = 0; i < file_count; i++) {
        struct error e = ERROR_INIT;
        struct spec *s = spec_load(files[i], &options, &e);
        if (s)
            convert_spec(s, files[i], &c);
        spec_free(s);
        free(files[i]);
    }
    printf("%s: %zu files, %u specs, %u jobs with equal keys, %u failed\n", folder, file_count,
           c.specs, c.jobs, c.failed);
    return c;
}

START_TEST(test_own_specs)
{
    struct conversions c = convert_folder(HONE_SOURCE_DIR "/kernels_cl");
    ck_assert_uint_eq(c.failed, 0);
    ck_assert_uint_ge(c.specs, 17);
    ck_assert_uint_ge(c.jobs, 17 * 3 * CONFIGURATIONS / 2);
    c = convert_folder(HONE_SOURCE_DIR "/tests");
    ck_assert_uint_eq(c.failed, 0);
    ck_assert_uint_ge(c.specs, 30);
    ck_assert_uint_ge(c.jobs, 300);
}
END_TEST

START_TEST(test_others_specs)
{
    struct conversions c = convert_folder(HONE_TEST_DATA "/foreign");
    if (file_count == 0) {
        printf("skipped: HONE_TEST_DATA names no folder with specs that others wrote\n");
        return;
    }
    ck_assert_uint_eq(c.failed, 0);
    ck_assert_uint_ge(c.specs, 6);
    ck_assert_uint_ge(c.jobs, 4 * 3);
    c = convert_folder(HONE_TEST_DATA "/t1");
    ck_assert_uint_eq(c.failed, 0);
    c = convert_folder(HONE_TEST_DATA "/spaces");
    ck_assert_uint_eq(c.failed, 0);
}
END_TEST

// ---- random specs ------------------------------------------------------------------------------

static const char kernels[] =
    "#ifdef WIDE\n#define real double\n#else\n#define real float\n#endif\n"
    "kernel void k(global float *y, global const float *x, float a, int n)\n"
    "{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i] * (P + Q); }\n";
static const char more[] =
    "kernel void other(global float *y, const global float *x, real a, int n) {}\n"
    "kernel void plain(global float *y, global float *x) {}\n";

struct writer_of {
    struct rng rng;
    struct text out;
};

// One of the texts; "" leaves it out.
#define PICK(w, ...)                                                                               \
    add_one(w, (const char *const[]){__VA_ARGS__},                                                 \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
static void add_one(struct writer_of *w, const char *const *texts, size_t count)
{
    text_add(&w->out, texts[rng_below(&w->rng, count)]);
}

static void add_t1_space(struct writer_of *w)
{
    PICK(w, "", "\"Comment\": \"said\", ", "\"$schema\": \"a.json\", ");
    PICK(w, "\"Constants\": {\"N\": 64}, ",
         "\"Constants\": {\"N\": 128, \"S\": \"text\", \"F\": 0.5, \"B\": true}, ");
    PICK(w, "",
         "\"General\": {\"BenchmarkName\": \"b\", \"Objective\": \"fast\", \"Minimize\": 0}, ",
         "\"General\": {\"BenchmarkName\": \"c d\", \"FormatVersion\": 1}, ");
    text_add(&w->out,
             "\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"P\", \"Values\": ");
    PICK(w, "\"[1, 2, 4]\"", "[8, 16]", "\"[2**i for i in range(4)]\"", "[1.0, 2, 4.5]",
         "\"['1', '2']\"", "\"[1.0, 2.0]\"", "[true, false]", "[\"1\", \"x-y\"]", "[3, 3, 4]");
    PICK(w, "", ", \"Default\": 2", ", \"Default\": [2]", ", \"Default\": 8",
         ", \"Default\": \"1\"");
    PICK(w, "", "", ", \"Type\": \"int\"", ", \"Type\": \"uint\"", ", \"Type\": \"float\"",
         ", \"Type\": \"string\"", ", \"Type\": \"bool\"");
    PICK(w, "}, {", ", \"Comment\": \"P\"}, {");
    text_add(&w->out, "\"Name\": \"Q\", \"Values\": ");
    PICK(w, "[1, 2]", "\"list(range(1, N // 8))\"", "\"[32]\"");
    PICK(w, "}]", ", \"Type\": \"uint\"}]", ", \"Type\": \"int\", \"Default\": 1}]");
    PICK(w, "", ", \"Conditions\": []",
         ", \"Conditions\": [{\"Expression\": \"Q < 5\", \"Parameters\": [\"Q\"]}]",
         ", \"Conditions\": [\"Q != 2\", \"N % Q == 0\"]",
         ", \"Constraints\": [{\"Expression\": \"Q < 9\"}]");
    PICK(w, "", ", \"Derived\": [{\"Name\": \"D\", \"Expression\": \"Q * 2\"}]",
         ", \"Derived\": [{\"Name\": \"D\", \"Expression\": \"Q * 2\", \"Comment\": \"twice\"}, "
         "{\"Name\": \"E\", \"Expression\": \"D + 1\"}]");
    text_add(&w->out, "}, ");
}

static void add_t1_settings(struct writer_of *w)
{
    PICK(w, "", "\"Metrics\": [{\"Name\": \"fast\", \"Expression\": \"N / time_ns\"}], ",
         "\"Metrics\": [{\"Name\": \"fast\", \"Expression\": \"N / time_ns\", \"Unit\": \"fast\"}, "
         "{\"Name\": \"slow\", \"Expression\": \"time_ns * Q\", \"Unit\": \"ns\"}], ");
    PICK(w, "", "\"Objective\": \"time\", ", "\"Objective\": \"max:fast\", ",
         "\"Objective\": \"max:fast,time\", ");
    PICK(w, "", "\"Iterations\": 7, ");
    PICK(w, "", "\"Budget\": [{\"Type\": \"ConfigurationCount\", \"BudgetValue\": 50}], ",
         "\"Budget\": {\"Type\": \"TuningDuration\", \"BudgetValue\": 1.5}, ",
         "\"Budget\": [{\"Type\": \"TuningDuration\", \"BudgetValue\": 60}, "
         "{\"Type\": \"ConfigurationFraction\", \"BudgetValue\": 0.25}], ",
         "\"Budget\": [{\"Type\": \"TuningDuration\", \"BudgetValue\": 60}, "
         "{\"Type\": \"TuningDuration\", \"BudgetValue\": 30}], ");
    PICK(w, "", "\"Search\": {\"Name\": \"genetic\"}, ",
         "\"Search\": {\"Name\": \"genetic\", \"Attributes\": [{\"Name\": \"population\", "
         "\"Value\": 20}, "
         "{\"Name\": \"m\", \"Value\": \"a,b\"}]}, ",
         "\"Search\": {\"Name\": \"my:own\", \"Attributes\": [{\"Name\": \"population\", "
         "\"Value\": 0.1}]}, ");
}

static void add_t1_layer(struct writer_of *w)
{
    PICK(w, "", "\"CompilerOptions\": [\"-w\", \"\"], ", "\"CompilerOptions\": [], ",
         "\"CompilerOptions\": [\"-w -cl-mad-enable\"], ");
    PICK(
        w, "\"GlobalSize\": {\"X\": \"N\"}, ", "\"GlobalSize\": {\"X\": 64, \"Y\": \"Q\"}, ",
        "\"GlobalSize\": {\"X\": 64, \"Y\": 1, \"Z\": 2}, \"GlobalSizeType\": \"CUDA\", ",
        "\"GlobalSize\": {\"X\": 64}, \"GlobalSizeType\": \"opencl\", ",
        "\"ProblemSize\": [\"N\", 4], \"GridDivX\": [\"Q\"], ",
        "\"ProblemSize\": \"N\", \"GridDivX\": \"Q\", ",
        "\"ProblemSize\": [64, 8], \"GridDivY\": [\"Q\", 2], ",
        "\"GlobalSize\": {\"X\": 64}, \"ProblemSize\": [16], ",
        "\"GlobalSize\": {\"X\": 64}, \"ProblemSize\": [16], \"GridDivX\": [], ",
        "\"GlobalSize\": {\"X\": 64}, \"ProblemSize\": [16], \"GlobalSizeFrom\": \"GlobalSize\", ");
    PICK(w, "", "\"LocalSize\": {\"X\": 8}, ", "\"LocalSize\": {\"X\": \"Q\", \"Y\": 1}, ");
    PICK(w, "", "", "\"SharedMemory\": \"Q * 4\", ");
}

static void add_t1_fill(struct writer_of *w)
{
    PICK(w, "", ", \"FillType\": \"Random\"",
         ", \"FillType\": \"Random\", \"RandomSeed\": 9, \"Range\": [-2, 0.1]",
         ", \"FillType\": \"Random\", \"FillValue\": 3.0",
         ", \"FillType\": \"Constant\", \"FillValue\": 2",
         ", \"FillType\": \"Generator\", \"DataSource\": \"i % 7 + N\"", ", \"FillValue\": \"N\"",
         ", \"FillType\": \"Constant\", \"FillExpression\": \"N + 1\"",
         ", \"FillType\": \"Random\", \"Distribution\": \"Normal\", \"Range\": [0, 3]",
         ", \"FillType\": \"Random\", \"Distribution\": \"Normal\"",
         ", \"FillType\": \"Uninitialized\"",
         ", \"FillType\": \"BinaryRaw\", \"DataSource\": \"x.bin\"");
}

static void add_t1_arguments(struct writer_of *w)
{
    const char *y = rng_below(&w->rng, 8) ? "y" : "out", *x = rng_below(&w->rng, 8) ? "x" : "y2";
    text_addf(
        &w->out,
        "\"Arguments\": [{\"Name\": \"%s\", \"Type\": \"float\", \"MemoryType\": \"Vector\", ", y);
    PICK(w, "", "\"AccessType\": \"ReadWrite\", ", "\"AccessType\": \"WriteOnly\", ");
    PICK(w, "\"Size\": \"N\"", "\"Size\": 128");
    add_t1_fill(w);
    PICK(w, "", ", \"Output\": 1", ", \"Output\": true", ", \"Output\": true");
    PICK(w, "", ", \"Verification\": {\"Method\": \"norm\"}",
         ", \"Verification\": {\"AbsoluteTolerance\": 1e-3}",
         ", \"Verification\": {\"Method\": \"sum\", \"RelativeTolerance\": \"1e-4\"}, "
         "\"AllowNaN\": 1",
         ", \"Verification\": {\"Region\": [0, \"N // 2\"]}");
    PICK(w, "", ", \"Restore\": false", ", \"Comment\": \"the result\"");
    text_addf(&w->out, "}, {\"Name\": \"%s\", \"Type\": \"float%s\", \"MemoryType\": \"Vector\", ",
              x, rng_below(&w->rng, 5) ? "" : "4");
    PICK(w, "\"AccessType\": \"ReadOnly\", ",
         "\"AccessType\": \"ReadOnly\", \"MemType\": \"Constant\", ", "");
    PICK(w, "\"Size\": \"N\"", "\"Size\": 32", "\"Size\": \"N * Q\"");
    add_t1_fill(w);
    PICK(w, "}, ", "}, ", ", \"LinkedTo\": \"y\"}, ");
    PICK(w,
         "{\"Name\": \"a\", \"Type\": \"float\", \"MemoryType\": \"Scalar\", \"FillValue\": 0.5}, ",
         "{\"Name\": \"a\", \"Type\": \"float\", \"MemoryType\": \"Scalar\", \"FillType\": "
         "\"Constant\", \"ScalarValue\": 2}, ",
         "{\"Name\": \"alpha\", \"Type\": \"double\", \"MemoryType\": \"Scalar\", "
         "\"FillExpression\": \"Q / 2\"}, ");
    PICK(
        w,
        "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillExpression\": "
        "\"N\"}]",
        "{\"Name\": \"N\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": \"N\"}]",
        "{\"Name\": \"n\", \"Type\": \"uint32\", \"MemoryType\": \"Scalar\", \"FillValue\": 7}]");
}

static void add_t1_spec(struct writer_of *w)
{
    text_add(&w->out, "{");
    add_t1_space(w);
    add_t1_settings(w);
    text_add(&w->out, "\"KernelSpecification\": {");
    PICK(w, "", "\"Language\": \"OpenCL\", ", "\"Language\": \"opencl\", ");
    PICK(w, "\"KernelFile\": \"k.cl\", ", "\"KernelFile\": {\"OpenCL\": \"k.cl\"}, ",
         "\"KernelFile\": \"k.txt\", ",
         "\"KernelFile\": {\"OpenCL\": \"k.cl\", \"CUDA\": \"k.cu\"}, ",
         "\"Sources\": [\"k.cl\", \"more.cl\"], ",
         "\"KernelSource\": \"kernel void k(global float *y, global float *x, float a, int n) "
         "{y[0] = P + Q;}\", ",
         "\"KernelFile\": \"k.cl\", \"Languages\": {\"CUDA\": {\"KernelFile\": \"k.cu\", "
         "\"CompilerOptions\": [\"-lineinfo\"], "
         "\"Conditions\": [\"Q > 1\"], \"When\": \"N > 0\"}}, ");
    PICK(w, "\"KernelName\": \"k\", ", "\"KernelName\": \"k\", ",
         "\"KernelNameExpression\": \"'k' if Q else 'k'\", ",
         "\"KernelName\": \"k\", \"Partial\": true, ");
    add_t1_layer(w);
    PICK(w, "", "", "\"Launches\": [{\"Name\": \"one\"}, {\"When\": \"Q > 1\"}], ",
         "\"Launches\": [{\"GlobalSize\": {\"X\": \"Q\"}, \"LocalSize\": {\"X\": 1}, \"Repeat\": "
         "2}], ",
         "\"Repeat\": 3, \"Swap\": [[\"x\", \"y\"]], ");
    PICK(w, "", "", "\"Reference\": {\"Kind\": \"configuration\", \"Configuration\": \"Q=1\"}, ",
         "\"Reference\": {\"Kind\": \"kernel\", \"KernelFile\": \"k.cl\", \"KernelName\": \"k\", "
         "\"GlobalSize\": {\"X\": \"N\"}}, ",
         "\"Reference\": {\"Kind\": \"kernel\", \"Sources\": [\"k.cl\", \"more.cl\"], "
         "\"KernelName\": \"plain\", "
         "\"Arguments\": [\"y\", \"x\"], \"LocalSize\": {\"X\": 4}, \"GlobalSize\": {\"X\": "
         "\"N\"}, \"Configuration\": \"Q=1\"}, ",
         "\"Reference\": {\"Kind\": \"gemm\", \"M\": 8, \"N\": 8, \"K\": \"4 + 4\", \"A\": \"x\", "
         "\"B\": \"x\", \"C\": \"y\", \"TransposeA\": 1}, ",
         "\"Reference\": {\"Kind\": \"none\"}, ",
         "\"ReferenceArguments\": [{\"Name\": \"r\", \"TargetName\": \"y\", \"FillType\": "
         "\"Constant\", \"FillValue\": 1}], ",
         "\"Reference\": {\"Kind\": \"file\", \"Files\": {\"y\": \"x.bin\"}}, ");
    add_t1_arguments(w);
    text_add(&w->out, "}}");
}

START_TEST(test_random_specs)
{
    struct conversions c = {.specs = 0};
    struct fixture f;
    char bytes[128 * sizeof(float) + 1];
    memset(bytes, 'a', sizeof bytes);
    bytes[sizeof bytes - 1] = '\0';
    fixture_start(&f);
    fixture_file(&f, "k.cl", kernels);
    fixture_file(&f, "k.txt", kernels);
    fixture_file(&f, "more.cl", more);
    fixture_file(&f, "x.bin", bytes);
    fixture_file(&f, "k.cu", "__global__ void k(float *y, const float *x, float a, int n) {}\n");
    for (uint64_t i = 0; i < RANDOM_SPECS; i++) {
        struct writer_of w = {.out = TEXT_INIT};
        struct error e = ERROR_INIT;
        char name[64];
        rng_init(&w.rng, 16, i);
        add_t1_spec(&w);
        snprintf(name, sizeof name, "random %u", (unsigned)i);
        uint32_t failed = c.failed;
        struct spec *s = spec_parse(text_cstr(&w.out), w.out.length, f.folder, name, NULL, &e);
        if (s)
            convert_spec(s, name, &c);
        if (c.failed > failed)
            printf("was made of %s\n", text_cstr(&w.out));
        spec_free(s);
        text_release(&w.out);
    }
    printf("%d random specs: %u read, %u jobs with equal keys, %u failed\n", RANDOM_SPECS, c.specs,
           c.jobs, c.failed);
    ck_assert_uint_eq(c.failed, 0);
    ck_assert_uint_ge(c.specs, RANDOM_SPECS / 4);
    ck_assert_uint_ge(c.jobs, RANDOM_SPECS);
    fixture_end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spec_convert");
    TCase *all = tcase_create("files");
    tcase_set_timeout(all, 240);
    tcase_add_test(all, test_own_specs);
    tcase_add_test(all, test_others_specs);
    tcase_add_test(all, test_random_specs);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
