// The specs in kernels_cl: valid T1 even with hone's extensions, without a warning, with spaces of
// the size that their README states, and a valid default configuration to compare with. Each names
// its kernel in both languages, and both do the same work with the same words.
#include "space/space.h"
#include "problem/spec.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct shipped {
    const char *file;
    const char *set; // NULL: the default size
    const char *cartesian;
    uint64_t valid;
    uint32_t capability; // of the device, 0: of none
};

static const struct shipped specs[] = {
    {"matmul_naive", NULL, "24", 24, 0},
    {"matmul_shared", NULL, "16", 4, 0},
    {"matmul_tiled", NULL, "288", 41, 0},
    {"matmul_tiled", "WIDTH=128", "288", 34, 0},
    {"matmul_tiled", "WIDTH=4096", "288", 44, 0},
    {"matmul_tiled", "WIDTH=1000", "288", 0, 0},
    {"matmul_bounded", NULL, "24", 24, 0},
    {"matmul_blocked", NULL, "4", 4, 0},
    {"matmul_register", NULL, "864", 588, 0},
    {"matmul_register", "M=1", "864", 588, 0},
    {"matmul_tensor", NULL, "151200", 645, 0},
    {"matmul_tensor", NULL, "151200", 720, 80},
    {"matmul_tensor", NULL, "151200", 5765, 90},
    {"matmul_tensor", "N=65", "151200", 5490, 90}, // no rows of whole 16 bytes: not mapped
    {"matmul_tensor", "CORRECTED=1", "151200", 75, 0},
    {"matmul_tensor", "CORRECTED=1", "151200", 6120, 90},
    {"matmul_half", NULL, "1814400", 20, 0},
    {"matmul_half", NULL, "1814400", 28, 80},
    {"matmul_half", NULL, "1814400", 9977, 90},
    {"matmul_half", "N=65", "1814400", 20, 90}, // no rows of whole 16 bytes: no maps
    {"matmul_fp8", NULL, "752640", 20, 0},
    {"matmul_fp8", NULL, "752640", 5680, 90},
    {"matmul_fp8", "FAST=0", "752640", 4310, 90},
    {"matmul_double", NULL, "48000", 45, 0},
    {"matmul_double", NULL, "48000", 2605, 90},
    {"matmul_double", "K=65", "48000", 45, 90},
    {"matmul_rows", NULL, "300", 228, 0},
    {"matmul_simt", NULL, "62985600", 643560, 0},
    {"matmul_simt", NULL, "62985600", 7649280, 90},
    {"matmul_simt", "M=268435456", "62985600", 7516800, 90}, // more steps than stream_k can count
};

#define SPEC_COUNT (sizeof specs / sizeof specs[0])

// In OpenCL alone.
static const struct shipped for_cpus = {"matmul_vector", NULL, "38880", 25920, 0};

static void refuse_warning(void *context, enum log_level level, const char *message)
{
    (void)context;
    ck_assert_msg(level != LOG_WARNING, "warning: %s", message);
}

static const struct log no_warnings = {.sink = refuse_warning};

static struct spec *load(const struct shipped *w)
{
    struct error e = ERROR_INIT;
    const struct spec_options options = {
        .set = &w->set, .set_count = w->set != NULL, .log = &no_warnings};
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/kernels_cl/%s.json", HONE_SOURCE_DIR, w->file);
    struct spec *spec = spec_load(text_cstr(&path), &options, &e);
    ck_assert_msg(spec, "%s", e.text);
    text_release(&path);
    return spec;
}

// A device of which nothing is known but these, and what every GPU has.
static struct device_info device_of(enum language l, uint32_t capability)
{
    return (struct device_info){.language = l,
                                .capability = capability,
                                .type = DEVICE_GPU,
                                .compute_units = 132,
                                .local_bytes = 48 << 10,
                                .id = "",
                                .name = "",
                                .vendor = "",
                                .platform = "",
                                .platform_version = "",
                                .driver = "",
                                .compiler = "",
                                .language_version = "",
                                .extensions = "",
                                .uuid = "",
                                .pci = "",
                                .surroundings = ""};
}

static void check_space(const struct shipped *w, unsigned languages)
{
    struct spec *spec = load(w);
    for (unsigned l = 0; l < languages; l++) {
        struct error e = ERROR_INIT;
        const struct device_info device = device_of((enum language)l, w->capability);
        const struct space_options options = {.device = &device};
        struct space *space = space_new(spec, &options, &e);
        uint64_t index;
        ck_assert_msg(space, "%s", e.text);
        ck_assert_str_eq(space_cartesian_text(space), w->cartesian);
        ck_assert_uint_eq(space_count(space), w->valid);
        ck_assert(space_default(space, &index) == (w->valid > 0));
        space_free(space);
    }
    spec_free(spec);
}

START_TEST(the_space_is_as_stated)
{
    check_space(&specs[_i], LANGUAGE_CUDA + 1);
}
END_TEST

// Work-groups that share k wait for each other: parts of a tile that were tasks of the same one would never be all there.
START_TEST(a_tile_has_no_more_parts_than_work_groups_run)
{
    static const struct shipped shared[] = {{"matmul_half", "K=4096", NULL, 0, 90},
                                            {"matmul_fp8", "K=4096", NULL, 0, 90}};
    static const char *const wgmma[] = {"instruction == 'wgmma'"};
    static const uint32_t units[] = {0, 1, 16, 23, 132};
    static const int64_t most[] = {1, 1, 16, 16, 32};
    struct spec *spec = load(&shared[_i]);
    uint32_t choice[32], splits = 0;
    while (strcmp(spec->parameters[splits].name, "splits") != 0)
        splits++;
    for (size_t d = 0; d < sizeof units / sizeof *units; d++) {
        struct error e = ERROR_INIT;
        struct device_info device = device_of(LANGUAGE_CUDA, 90);
        device.compute_units = units[d];
        const struct space_options options = {.device = &device, .where = wgmma, .where_count = 1};
        struct space *space = space_new(spec, &options, &e);
        int64_t found = 0;
        ck_assert_msg(space, "%s", e.text);
        for (uint64_t i = 0; i < space_count(space); i++) {
            space_get(space, i, choice);
            const int64_t parts = spec->parameters[splits].values[choice[splits]].i;
            found = parts > found ? parts : found;
        }
        ck_assert_msg(found == most[d], "%u units: %d splits", units[d], (int)found);
        space_free(space);
    }
    spec_free(spec);
}
END_TEST

// The packing launches are there where a configuration packs, and their time is part of it.
START_TEST(the_cpu_kernel_packs_when_asked_to)
{
    struct error e = ERROR_INIT;
    uint32_t choice[32];
    check_space(&for_cpus, 1);
    struct spec *spec = load(&for_cpus);
    const struct device_info device = device_of(LANGUAGE_OPENCL, 0);
    struct spec_sources *sources = spec_sources_read(spec, LANGUAGE_OPENCL, NULL, &no_warnings, &e);
    ck_assert_msg(sources, "%s", e.text);
    for (uint32_t packed = 0; packed < 4; packed++) {
        struct job *job;
        spec_default(spec, choice);
        choice[4] = packed & 1;
        choice[5] = packed >> 1;
        ck_assert_msg(spec_job(spec, sources, &device, choice, &job, &e), "%s", e.text);
        ck_assert_uint_eq(job->launch_count, 1 + choice[4] + choice[5]);
        ck_assert_str_eq(job->launches[job->launch_count - 1].kernel, "matmul_vector");
        ck_assert_uint_eq(job->buffers[3].count, choice[4] ? 256 * 256 : 1);
        ck_assert_uint_eq(job->buffers[4].count, choice[5] ? 256 * 256 : 1);
        job_free(job);
    }
    spec_sources_free(sources);
    spec_free(spec);
}
END_TEST

// ---- both languages ----------------------------------------------------------------------------

// Of the default configuration in both languages; what they were made from is freed by release().
struct pair {
    struct spec *spec;
    struct spec_sources *sources[LANGUAGE_COUNT];
    struct job *jobs[LANGUAGE_COUNT];
};

// A parameter that the source defines itself, or that nothing uses, would be refused or warned of.
static void make_both(struct pair *p, const struct shipped *w)
{
    uint32_t choice[32];
    p->spec = load(w);
    spec_default(p->spec, choice);
    for (unsigned l = 0; l <= LANGUAGE_CUDA; l++) {
        struct error e = ERROR_INIT;
        const struct device_info device = device_of((enum language)l, w->capability);
        ck_assert(spec_has_language(p->spec, (enum language)l));
        p->sources[l] = spec_sources_read(p->spec, (enum language)l, NULL, &no_warnings, &e);
        ck_assert_msg(p->sources[l], "%s", e.text);
        ck_assert_msg(spec_job(p->spec, p->sources[l], &device, choice, &p->jobs[l], &e), "%s",
                      e.text);
    }
}

static void release(struct pair *p)
{
    for (unsigned l = 0; l <= LANGUAGE_CUDA; l++) {
        job_free(p->jobs[l]);
        spec_sources_free(p->sources[l]);
    }
    spec_free(p->spec);
}

// All words but that of the sources' digest, in the same order.
static void check_same_words(const struct job_program *a, const struct job_program *b)
{
    static const char digest[] = "-DHONE_SOURCE=";
    ck_assert_uint_eq(a->option_count, b->option_count);
    for (uint32_t i = 0; i < a->option_count; i++) {
        if (strncmp(a->options[i], digest, sizeof digest - 1) != 0)
            ck_assert_str_eq(a->options[i], b->options[i]);
    }
}

static void check_same_launch(const struct job_launch *a, const struct job_launch *b)
{
    ck_assert_str_eq(a->kernel, b->kernel);
    ck_assert_uint_eq(a->dimensions, b->dimensions);
    ck_assert_mem_eq(a->global, b->global, sizeof a->global);
    ck_assert_mem_eq(a->local, b->local, sizeof a->local);
    ck_assert_uint_eq(a->argument_count, b->argument_count);
    for (uint32_t i = 0; i < a->argument_count; i++)
        ck_assert_uint_eq(a->arguments[i].buffer, b->arguments[i].buffer);
}

// In the kernel's file or in one that it includes.
static bool says(const struct job_program *p, const char *word)
{
    bool found = strstr(p->source, word) != NULL;
    for (uint32_t i = 0; i < p->file_count && !found; i++) {
        char *text = strndup(p->files[i].text, p->files[i].length);
        found = strstr(text, word) != NULL;
        free(text);
    }
    return found;
}

START_TEST(both_languages_do_the_same)
{
    struct pair p = {0};
    make_both(&p, &specs[_i]);
    struct spec_languages has;
    ck_assert(spec_languages(p.spec, &has, NULL));
    ck_assert(has.count == 2 && has.list[0] == LANGUAGE_OPENCL);
    const struct job *cl = p.jobs[LANGUAGE_OPENCL], *cu = p.jobs[LANGUAGE_CUDA];
    ck_assert_int_eq(cl->language, LANGUAGE_OPENCL);
    ck_assert_int_eq(cu->language, LANGUAGE_CUDA);
    ck_assert_uint_eq(cl->program_count, 1);
    ck_assert_uint_eq(cu->program_count, 1);
    check_same_words(&cl->programs[0], &cu->programs[0]);
    ck_assert(says(&cl->programs[0], "__kernel"));
    ck_assert(says(&cu->programs[0], "__global__"));
    ck_assert_uint_eq(cl->launch_count, cu->launch_count);
    for (uint32_t i = 0; i < cl->launch_count; i++)
        check_same_launch(&cl->launches[i], &cu->launches[i]);
    ck_assert_uint_eq(cl->buffer_count, cu->buffer_count);
    for (uint32_t i = 0; i < cl->buffer_count; i++)
        ck_assert_uint_eq(cl->buffers[i].count, cu->buffers[i].count);
    release(&p);
}
END_TEST

// 1 ms at the default size of 256: 2 * 256^3 / 1e6 GFLOP/s.
START_TEST(the_metric_is_the_rate_of_multiply_adds)
{
    struct spec *spec = load(&specs[0]);
    uint32_t choice[32];
    double rate = 0;
    spec_default(spec, choice);
    ck_assert_uint_eq(spec->metric_count, 1);
    ck_assert_str_eq(spec->metrics[0].name, "GFLOP/s");
    ck_assert(spec_metric(spec, 0, choice, NULL, &(struct spec_measured){1e6, NAN, NULL}, &rate));
    ck_assert_double_eq_tol(rate, 33.554432, 1e-9);
    spec_free(spec);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels_specs");
    TCase *tests = tcase_create("shipped");
    tcase_add_loop_test(tests, the_space_is_as_stated, 0, SPEC_COUNT);
    tcase_add_loop_test(tests, a_tile_has_no_more_parts_than_work_groups_run, 0, 2);
    tcase_add_test(tests, the_cpu_kernel_packs_when_asked_to);
    tcase_add_loop_test(tests, both_languages_do_the_same, 0, SPEC_COUNT);
    tcase_add_test(tests, the_metric_is_the_rate_of_multiply_adds);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
