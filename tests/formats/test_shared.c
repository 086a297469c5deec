// Recordings of Kernel Tuner and of the benchmark hub: what is known of them.
#include "../base/suite.h"
#include "make.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

static struct recorded *read_shared(const char *name)
{
    char path[512];
    struct error e = ERROR_INIT;
    snprintf(path, sizeof path, "%s/recorded/%s", HONE_TEST_DATA, name);
    struct recorded *r = recorded_read(path, NULL, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    return r;
}

static double fastest(const struct recorded *r)
{
    double least = INFINITY;
    for (uint64_t i = 0; i < r->count; i++)
        least = r->rows[i].status == STATUS_CORRECT ? fmin(least, r->rows[i].time_ns) : least;
    return least;
}

// The same results, recorded twice.
START_TEST(test_shared_t4_and_cache_agree)
{
    struct recorded *a = read_shared("convolution_milo_A100_T4.json.gz");
    struct recorded *b = read_shared("convolution_milo_A100_cachefile.json.gz");
    ck_assert_uint_eq(a->count, 4362);
    ck_assert_uint_eq(b->count, 4362);
    ck_assert_uint_eq(a->correct, b->correct);
    ck_assert_str_eq(b->device, "NVIDIA A100-PCIE-40GB");
    for (uint64_t i = 0; i < a->count; i++) {
        ck_assert_int_eq(a->rows[i].status, b->rows[i].status);
        if (a->rows[i].status == STATUS_CORRECT)
            ck_assert_double_eq(a->rows[i].time_ns, b->rows[i].time_ns);
        ck_assert_double_eq(a->rows[i].costs.compile_ns, b->rows[i].costs.compile_ns);
        for (uint32_t p = 0; p < a->parameter_count; p++)
            ck_assert(value_equal(&a->parameters[p].values[a->rows[i].choice[p]],
                                  &b->parameters[p].values[b->rows[i].choice[p]]));
    }
    recorded_free(a);
    recorded_free(b);
}
END_TEST

START_TEST(test_shared_files)
{
    static const struct {
        const char *name;
        uint64_t count;
        double fastest;
    } files[] = {{"dedispersion_milo_A6000_T4.json.gz", 11130, 84218076.5},
                 {"dedispersion_milo_W7800_T4.json.gz", 11130, 50360814.2},
                 {"gemm_cltune_RTX_3090_T4.json.gz", 17956, 5657844.0},
                 {"kernel_tuner_1.4.0_live_opencl_T4.json", 1, 4685.4}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct recorded *r = read_shared(files[i].name);
        ck_assert_uint_eq(r->count, files[i].count);
        ck_assert_uint_eq(r->correct, files[i].count);
        ck_assert_str_eq(r->statistic, "mean");
        ck_assert_double_eq_tol(fastest(r), files[i].fastest, 0.06);
        recorded_free(r);
    }
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, test_shared_t4_and_cache_agree);
    tcase_add_test(tests, test_shared_files);
}

int main(void)
{
    struct stat st;
    if (stat(HONE_TEST_DATA "/recorded", &st) != 0) {
        printf("skipped: no recorded/ in HONE_TEST_DATA ('" HONE_TEST_DATA "')\n");
        return 77;
    }
    return suite_run("recorded_shared", add);
}
