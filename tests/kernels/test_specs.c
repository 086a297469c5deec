// The specs in kernels_cl: valid T1 even with hone's extensions, without a warning, with spaces of
// the size that their README states, and a valid default configuration to compare with.
#include "space/space.h"
#include "spec/spec.h"

#include <check.h>
#include <stdlib.h>

struct shipped {
    const char *file;
    const char *set; // NULL: the default size
    const char *cartesian;
    uint64_t valid;
};

static const struct shipped specs[] = {
    {"matmul_naive", NULL, "24", 24},          {"matmul_shared", NULL, "16", 4},
    {"matmul_tiled", NULL, "288", 41},         {"matmul_tiled", "WIDTH=128", "288", 34},
    {"matmul_tiled", "WIDTH=4096", "288", 44}, {"matmul_tiled", "WIDTH=1000", "288", 0},
    {"matmul_bounded", NULL, "24", 24},        {"matmul_blocked", NULL, "4", 4},
    {"matmul_register", NULL, "864", 588},     {"matmul_register", "M=1", "864", 588},
};

#define SPEC_COUNT (sizeof specs / sizeof specs[0])

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
        .set = &w->set, .set_count = w->set != NULL, .strict = true, .log = &no_warnings};
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/kernels_cl/%s.json", HONE_SOURCE_DIR, w->file);
    struct spec *spec = spec_load(text_cstr(&path), &options, &e);
    ck_assert_msg(spec, "%s", e.text);
    text_release(&path);
    return spec;
}

START_TEST(the_space_is_as_stated)
{
    const struct shipped *w = &specs[_i];
    const struct space_options everything = {0};
    struct error e = ERROR_INIT;
    struct spec *spec = load(w);
    struct space *space = space_new(spec, &everything, &e);
    uint64_t index;
    ck_assert_msg(space, "%s", e.text);
    ck_assert_str_eq(space_cartesian_text(space), w->cartesian);
    ck_assert_uint_eq(space_count(space), w->valid);
    ck_assert(space_default(space, &index) == (w->valid > 0));
    space_free(space);
    spec_free(spec);
}
END_TEST

// A parameter that the source defines itself, or that nothing uses, would be refused or warned of.
START_TEST(the_source_fits_the_spec)
{
    struct error e = ERROR_INIT;
    struct spec *spec = load(&specs[_i]);
    struct spec_sources *sources = spec_sources_read(spec, LANGUAGE_OPENCL, &no_warnings, &e);
    ck_assert_msg(sources, "%s", e.text);
    spec_sources_free(sources);
    spec_free(spec);
}
END_TEST

// 1 ms at the default size of 256: 2 * 256^3 / 1e6 GFLOP/s.
START_TEST(the_metric_is_the_rate_of_multiply_adds)
{
    struct spec *spec = load(&specs[0]);
    uint32_t choice[8];
    double rate = 0;
    spec_default(spec, choice);
    ck_assert_uint_eq(spec->metric_count, 1);
    ck_assert_str_eq(spec->metrics[0].name, "GFLOP/s");
    ck_assert(spec_metric(spec, 0, choice, NULL, 1e6, &rate));
    ck_assert_double_eq_tol(rate, 33.554432, 1e-9);
    spec_free(spec);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels_specs");
    TCase *tests = tcase_create("shipped");
    tcase_add_loop_test(tests, the_space_is_as_stated, 0, SPEC_COUNT);
    tcase_add_loop_test(tests, the_source_fits_the_spec, 0, SPEC_COUNT);
    tcase_add_test(tests, the_metric_is_the_rate_of_multiply_adds);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
