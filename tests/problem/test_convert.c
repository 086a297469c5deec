// A spec in the short form becomes T1 and means the same: the space, the jobs and their keys. All short ones that lie
// here are converted, and pairs.jsonl has specs of random parts in T1, each with the short form that means the same.
#include "fixture.h"
#include "space/space.h"

#include "../base/suite.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIGURATIONS = 6, FILES_MOST = 2000, PAIRS_MOST = SUITE_SANITIZED ? 15 : 1000 };

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

// What differs between two specs that should mean the same; NULL: nothing.
static const char *difference(const struct spec *s, const struct spec *other, struct conversions *c)
{
    const char *wrong = other_space(s, other);
    if (!wrong)
        wrong = other_settings(s, other);
    return wrong || makes_no_jobs(s) ? wrong : other_jobs(s, other, &c->jobs);
}

// To T1, and that to T1 again, which changes nothing.
static void convert_spec(struct spec *s, const char *path, struct conversions *c)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT, again = TEXT_INIT;
    const char *wrong = NULL;
    struct spec *other = NULL;
    if (!s->is_short)
        return;
    if (!spec_to_t1(s, NULL, &text, &e))
        wrong = s->is_short && makes_no_jobs(s) ? NULL : e.text;
    else if (!(other = read_again(s, &text, &e)) || !spec_to_t1(other, NULL, &again, &e))
        wrong = e.text;
    else if (other->is_short || strcmp(text_cstr(&text), text_cstr(&again)) != 0)
        wrong = "it is not T1, or another one when it is converted twice";
    if (other && !wrong)
        wrong = difference(s, other, c);
    if (wrong)
        printf("%s: %s\n%s\n", path, wrong, text_cstr(&text));
    c->failed += wrong != NULL;
    c->specs += other != NULL;
    spec_free(other);
    text_release(&text);
    text_release(&again);
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
    ck_assert_uint_ge(c.jobs, 17 * CONFIGURATIONS / 2);
    c = convert_folder(HONE_SOURCE_DIR "/tests");
    ck_assert_uint_eq(c.failed, 0);
    ck_assert_uint_ge(c.specs, 7);
    ck_assert_uint_ge(c.jobs, 7);
}
END_TEST

// ---- pairs -------------------------------------------------------------------------------------

static const char kernels[] =
    "#ifdef WIDE\n#define real double\n#else\n#define real float\n#endif\n"
    "kernel void k(global float *y, global const float *x, float a, int n)\n"
    "{ int i = get_global_id(0); global float *z = y;\n" // what is done with y is not sure
    "  if (i < n) z[i] = a * x[i] + z[i] * (P + Q); }\n";
static const char more[] =
    "kernel void other(global float *y, const global float *x, real a, int n) {}\n"
    "kernel void plain(global float *y, global float *x) {}\n";

static struct spec *read_pair_half(const struct fixture *f, const char *line, const char *name)
{
    struct error e = ERROR_INIT;
    struct spec *s = spec_parse(line, strlen(line), f->folder, name, NULL, &e);
    ck_assert_msg(s, "%s: %s", e.text, line);
    return s;
}

// A line in T1, and one in the short form.
START_TEST(test_pairs)
{
    struct conversions c = {.specs = 0};
    struct fixture f;
    char bytes[128 * sizeof(float) + 1], *line = NULL, *other = NULL;
    size_t room = 0, other_room = 0;
    FILE *file = fopen(HONE_SOURCE_DIR "/tests/problem/pairs.jsonl", "re");
    ck_assert_ptr_nonnull(file);
    memset(bytes, 'a', sizeof bytes);
    bytes[sizeof bytes - 1] = '\0';
    fixture_start(&f);
    fixture_file(&f, "k.cl", kernels);
    fixture_file(&f, "k.txt", kernels);
    fixture_file(&f, "more.cl", more);
    fixture_file(&f, "x.bin", bytes);
    fixture_file(&f, "k.cu", "__global__ void k(float *y, const float *x, float a, int n) {}\n");
    uint32_t pairs = 0;
    while (pairs < PAIRS_MOST && getline(&line, &room, file) > 0) {
        ck_assert_int_gt(getline(&other, &other_room, file), 0);
        struct spec *shorter = read_pair_half(&f, other, "pairs.jsonl");
        struct spec *t1 = read_pair_half(&f, line, shorter->name);
        ck_assert(!t1->is_short && shorter->is_short);
        const char *wrong = difference(t1, shorter, &c);
        ck_assert_msg(!wrong, "pair %u: %s", pairs, wrong);
        convert_spec(shorter, other, &c);
        pairs++;
        spec_free(t1);
        spec_free(shorter);
    }
    printf("%u pairs, %u jobs with equal keys\n", pairs, c.jobs);
    ck_assert_uint_eq(c.failed, 0);
    ck_assert_uint_ge(pairs, 15);
    ck_assert_uint_ge(c.jobs, 2 * pairs);
    free(line);
    free(other);
    fclose(file);
    fixture_end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spec_convert");
    TCase *all = tcase_create("files");
    tcase_set_timeout(all, 240);
    tcase_add_test(all, test_own_specs);
    tcase_add_test(all, test_pairs);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
