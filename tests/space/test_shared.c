// Spaces of published kernels, whose counts other tuners agree on; and how long they take.
#include "os/process.h"
#include "../base/suite.h"
#include "make.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACES  HONE_TEST_DATA "/spaces"
#define REPEATS 5

static json_t *read_expected(void)
{
    return json_load_file(SPACES "/expected.json", 0, NULL);
}

static void path_of(const char *name, char *path, size_t size)
{
    snprintf(path, size, SPACES "/%s.json", name);
}

START_TEST(counts_match)
{
    const char *name;
    json_t *expected = read_expected(), *item;
    json_object_foreach(expected, name, item)
    {
        char path[512], cartesian[32];
        path_of(name, path, sizeof path);
        struct spec *s = load_spec(path, NULL);
        struct space *sp = make_space(s, NULL);
        snprintf(cartesian, sizeof cartesian, "%lld",
                 (long long)json_integer_value(json_object_get(item, "cartesian")));
        ck_assert_str_eq(space_cartesian_text(sp), cartesian);
        ck_assert_msg(space_count(sp) ==
                          (uint64_t)json_integer_value(json_object_get(item, "valid")),
                      "%s: %lu", name, (unsigned long)space_count(sp));
        space_free(sp);
        spec_free(s);
    }
    json_decref(expected);
}
END_TEST

// A thousand configurations spread over each space: valid, and found again under their index.
START_TEST(members_are_valid)
{
    const char *name;
    json_t *expected = read_expected(), *item;
    json_object_foreach(expected, name, item)
    {
        char path[512];
        uint32_t choice[64];
        path_of(name, path, sizeof path);
        struct spec *s = load_spec(path, NULL);
        struct space *sp = make_space(s, NULL);
        uint64_t step = space_count(sp) / 1000 + 1, index;
        for (uint64_t i = 0; i < space_count(sp); i += step) {
            space_get(sp, i, choice);
            ck_assert(is_valid(s, choice));
            ck_assert(space_find(sp, choice, &index));
            ck_assert_uint_eq(index, i);
        }
        space_free(sp);
        spec_free(s);
    }
    json_decref(expected);
}
END_TEST

// ---- times -------------------------------------------------------------------------------------

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Loading the spec alone, and with its space; 0 when that fails. (No assertions outside a test.)
static void measure(const char *path, double *load_ms, double *all_ms)
{
    uint64_t load[REPEATS], all[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        uint64_t start = clock_ns();
        struct spec *s = spec_load(path, NULL, NULL);
        load[i] = clock_ns() - start;
        struct space *sp = s ? space_new(s, NULL, NULL) : NULL;
        all[i] = sp && space_count(sp) > 0 ? clock_ns() - start : 0;
        space_free(sp);
        spec_free(s);
    }
    qsort(load, REPEATS, sizeof *load, compare_u64);
    qsort(all, REPEATS, sizeof *all, compare_u64);
    *load_ms = (double)load[REPEATS / 2] / 1e6;
    *all_ms = (double)all[REPEATS / 2] / 1e6;
}

// `test_space_shared times` prints a table.
static int print_times(void)
{
    const char *name;
    json_t *expected = read_expected(), *item;
    printf("%-28s %12s %10s %9s %9s %12s\n", "space", "cartesian", "valid", "load ms", "all ms",
           "times faster");
    json_object_foreach(expected, name, item)
    {
        char path[512];
        double load, all;
        path_of(name, path, sizeof path);
        measure(path, &load, &all);
        double others = json_real_value(json_object_get(item, "kernel_tuner_seconds_2core"));
        printf("%-28s %12lld %10lld %9.3f %9.3f %12.0f\n", name,
               (long long)json_integer_value(json_object_get(item, "cartesian")),
               (long long)json_integer_value(json_object_get(item, "valid")), load, all,
               others * 1000 / all);
    }
    json_decref(expected);
    return EXIT_SUCCESS;
}

static void add(TCase *tests)
{
    tcase_add_test(tests, counts_match);
    tcase_add_test(tests, members_are_valid);
}

int main(int argc, char **argv)
{
    json_t *expected = read_expected();
    if (!expected) {
        printf("skipped: no spaces/expected.json in HONE_TEST_DATA ('" HONE_TEST_DATA "')\n");
        return 77;
    }
    json_decref(expected);
    if (argc == 2 && strcmp(argv[1], "times") == 0)
        return print_times();
    return suite_run("space_shared", add);
}
