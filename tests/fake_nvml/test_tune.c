// A tune and a run of one configuration on a card that is slowed: the energy that a metric wants is
// counted for those in the ranking alone, and every result says at which clock it was measured.
#include "base/text.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC HONE_SOURCE_DIR "/tests/fake_nvml/data/energy.json"

enum { CONFIGURATIONS = 8, LINE_MOST = 65536 };

static char folder[] = "/tmp/hone-test-energy-XXXXXX";

static void order(const char *variable, const char *value)
{
    ck_assert_int_eq(setenv(variable, value, 1), 0);
}

static void setup(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    order("XDG_CACHE_HOME", folder);
    order("FAKE_CL_KIND", "card");
    order("FAKE_NVML_MHZ", "1410");
    order("FAKE_NVML_REASONS", "0x4");
}

static void teardown(void)
{
    folder_remove(folder);
}

static FILE *start(const char *words)
{
    char command[512];
    snprintf(command, sizeof command, "'%s/hone' %s '%s' --no-store --json 2>/dev/null",
             HONE_BINARY_DIR, words, SPEC);
    FILE *out = popen(command, "r"); // NOLINT(cert-env33-c): the command is the test's own
    ck_assert_ptr_nonnull(out);
    return out;
}

static json_t *next(FILE *out)
{
    static char line[LINE_MOST];
    return fgets(line, sizeof line, out) ? json_loads(line, 0, NULL) : NULL;
}

static void check_slowed(const json_t *result)
{
    const json_t *gpu = json_object_get(result, "gpu");
    ck_assert_str_eq(json_string_value(json_object_get(gpu, "note")),
                     "measured at 1410 MHz: power limit");
}

static bool has_energy(const json_t *result)
{
    double joule = json_number_value(json_object_get(json_object_get(result, "energy"), "joule"));
    double metric = json_number_value(json_object_get(json_object_get(result, "metrics"), "1/J"));
    ck_assert((joule > 0) == (metric > 0));
    ck_assert(joule == 0 || (metric * joule > 0.999 && metric * joule < 1.001));
    return joule > 0;
}

START_TEST(finalists_have_energy)
{
    FILE *out = start("tune --rule contenders=2");
    unsigned results = 0, ranked = 0;
    for (json_t *line; (line = next(out)); json_decref(line)) {
        const char *type = json_string_value(json_object_get(line, "type"));
        bool is_ranked = str_equal(type, "ranked"), is_result = str_equal(type, "result");
        if (is_ranked || is_result)
            check_slowed(line);
        if (is_ranked || is_result)
            ck_assert(has_energy(line) == is_ranked);
        results += is_result;
        ranked += is_ranked;
    }
    ck_assert_int_eq(pclose(out), 0);
    ck_assert_uint_eq(results, CONFIGURATIONS);
    ck_assert_uint_eq(ranked, 2);
}
END_TEST

START_TEST(one_configuration_has_energy)
{
    FILE *out = start("run");
    json_t *result = next(out);
    ck_assert_ptr_nonnull(result);
    check_slowed(result);
    ck_assert(has_energy(result));
    ck_assert_uint_eq(json_array_size(json_object_get(result, "samples_ns")), 7);
    json_decref(result);
    ck_assert_int_eq(pclose(out), 0);
}
END_TEST

START_TEST(without_the_library_there_is_a_reason)
{
    order("FAKE_NVML_FAIL", "nvmlInit_v2");
    FILE *out = start("run");
    json_t *result = next(out);
    ck_assert_ptr_nonnull(result);
    ck_assert(!has_energy(result));
    ck_assert(json_is_null(json_object_get(result, "gpu")));
    const json_t *energy = json_object_get(result, "energy");
    ck_assert_ptr_nonnull(
        strstr(json_string_value(json_object_get(energy, "refused")), "libnvidia-ml.so.1"));
    json_decref(result);
    ck_assert_int_eq(pclose(out), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("energy");
    TCase *cases = tcase_create("energy");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, finalists_have_energy);
    tcase_add_test(cases, one_configuration_has_energy);
    tcase_add_test(cases, without_the_library_there_is_a_reason);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
