// The smallest size that a configuration allows: known answers.
#include "workflows/check/sizes.h"

#include "base/text.h"

#include "../base/suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// A spec in a file of its own: `constants` and `conditions` as JSON, sizes as expressions.
struct made {
    char path[64];
    struct spec *spec;
    struct spec_sources *sources;
    struct space *space;
    struct check_options options;
    struct sizes *sizes;
};

static const struct device_info device = {
    .language = LANGUAGE_OPENCL, .id = "none", .name = "none"};

static void write_spec(struct made *m, const char *constants, const char *conditions,
                       const char *size)
{
    strcpy(m->path, "/tmp/hone_sizes_XXXXXX");
    int fd = mkstemp(m->path);
    FILE *f = fdopen(fd, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f,
            "{\"General\": {\"BenchmarkName\": \"s\", \"FormatVersion\": 1}, \"Constants\": {%s},"
            "\"ConfigurationSpace\": {\"TuningParameters\": ["
            "{\"Name\": \"block\", \"Type\": \"int\", \"Values\": \"[1, 4, 6, 8]\"},"
            "{\"Name\": \"work\", \"Type\": \"int\", \"Values\": \"[1, 3, 4]\"}],"
            "\"Conditions\": [%s]},"
            "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"k\","
            "\"KernelSource\": \"kernel void k(global int *a) {}\","
            "\"ProblemSize\": [\"N\"], \"GlobalSizeFrom\": \"GlobalSize\", \"GlobalSize\": {\"X\": "
            "\"%s\"}, \"LocalSize\": {\"X\": "
            "\"block\"},"
            "\"Arguments\": [{\"Name\": \"a\", \"Type\": \"int32\", \"MemoryType\": \"Vector\","
            "\"AccessType\": \"WriteOnly\", \"Size\": \"4\", \"Output\": true}]}}",
            constants, conditions, size);
    ck_assert_int_eq(fclose(f), 0);
}

static void make(struct made *m, const struct check_smallest *smallest, uint32_t count)
{
    struct error e = ERROR_INIT;
    struct space_options so = {.device = &device};
    m->spec = spec_load(m->path, &m->options.spec_options, &e);
    ck_assert_msg(m->spec != NULL, "%s", e.text);
    m->sources = spec_sources_read(m->spec, LANGUAGE_OPENCL, NULL, NULL, &e);
    ck_assert_msg(m->sources != NULL, "%s", e.text);
    m->space = space_new(m->spec, &so, &e);
    ck_assert_msg(m->space != NULL, "%s", e.text);
    m->options.setup.spec = m->spec;
    m->options.setup.at.device = &device;
    m->options.smallest = smallest;
    m->options.smallest_count = count;
    m->sizes = sizes_new(&m->options, m->sources, &e);
    ck_assert_msg(m->sizes != NULL, "%s", e.text);
}

static void unmake(struct made *m)
{
    sizes_free(m->sizes);
    space_free(m->space);
    spec_sources_free(m->sources);
    spec_free(m->spec);
    unlink(m->path);
}

static void expect(struct made *m, const char *configuration, const char *sizes)
{
    struct error e = ERROR_INIT;
    uint32_t choice[4] = {0};
    ck_assert(spec_parse_configuration(m->spec, configuration, choice, &e));
    const struct sized *v = sizes_choose(m->sizes, choice, &e);
    ck_assert_msg(v != NULL, "%s", e.text);
    ck_assert_msg(str_equal(v->text, sizes), "%s at %s, not %s", configuration, v->text, sizes);
}

#define ONE(name, from)                                                                            \
    (const struct check_smallest[])                                                                \
    {                                                                                              \
        {                                                                                          \
            (const char *const[]){name}, 1, from                                                   \
        }                                                                                          \
    }

START_TEST(least_common_multiple)
{
    struct made m = {.spec = NULL};
    write_spec(&m, "\"N\": 1440",
               "{\"Expression\": \"N % block == 0\"}, {\"Expression\": \"N % (4 * work) == 0\"}",
               "N");
    make(&m, ONE("N", 1), 1);
    expect(&m, "block=1,work=1", "N=4");
    expect(&m, "block=6,work=1", "N=12");
    expect(&m, "block=6,work=4", "N=48");
    expect(&m, "block=8,work=3", "N=24");
    expect(&m, "block=1,work=1", "N=4");
    unmake(&m);
}
END_TEST

START_TEST(from_a_least_value)
{
    struct made m = {.spec = NULL};
    write_spec(&m, "\"N\": 1440", "{\"Expression\": \"N % (block * work) == 0\"}", "N");
    make(&m, ONE("N", 20), 1);
    expect(&m, "block=1,work=1", "N=20");
    expect(&m, "block=6,work=1", "N=24");
    unmake(&m);
    write_spec(&m, "\"N\": 48", "{\"Expression\": \"N % (block * work) == 0\"}", "N");
    make(&m, ONE("N", 100), 1); // beyond the spec's own
    expect(&m, "block=1,work=1", "N=48");
    unmake(&m);
}
END_TEST

// 8 and 16 hold, 12 does not: no binary search would do.
START_TEST(not_monotone)
{
    struct made m = {.spec = NULL};
    write_spec(&m, "\"N\": 16", "{\"Expression\": \"N in [7, 8, 16] and N % block == 0\"}", "N");
    make(&m, ONE("N", 1), 1);
    expect(&m, "block=8,work=1", "N=8");
    expect(&m, "block=4,work=1", "N=8");
    unmake(&m);
}
END_TEST

// No restriction, but the global size must come out whole and above 0.
START_TEST(sizes_decide)
{
    struct made m = {.spec = NULL};
    write_spec(&m, "\"N\": 96", "", "N / work");
    make(&m, ONE("N", 1), 1);
    expect(&m, "block=1,work=1", "N=1");
    expect(&m, "block=8,work=3", "N=3");
    unmake(&m);
    write_spec(&m, "\"N\": 96", "", "N // (16 * work)");
    make(&m, ONE("N", 1), 1);
    expect(&m, "block=1,work=4", "N=64");
    unmake(&m);
}
END_TEST

// The problem size follows the constant when the spec is read again.
START_TEST(problem_size)
{
    struct made m = {.spec = NULL};
    write_spec(&m, "\"N\": 96", "{\"Expression\": \"ProblemSize[0] % (4 * block) == 0\"}", "N");
    make(&m, ONE("N", 1), 1);
    expect(&m, "block=6,work=1", "N=24");
    unmake(&m);
}
END_TEST

START_TEST(several_names)
{
    struct made m = {.spec = NULL};
    static const char *const names[] = {"M", "N"};
    const char *constants = "\"M\": 64, \"N\": 96", *coupled = "{\"Expression\": \"M == N or M + N "
                                                               "== 160\"}, {\"Expression\": \"M % "
                                                               "block == 0\"}";
    struct check_smallest one_by_one[] = {{&names[0], 1, 1}, {&names[1], 1, 1}};
    struct check_smallest tied[] = {{names, 2, 1}};
    write_spec(&m, constants, coupled, "N");
    make(&m, one_by_one, 2);
    // M below 64 breaks M + N == 160 while N is 96; then N may become M.
    expect(&m, "block=8,work=1", "M=64, N=64");
    unmake(&m);
    write_spec(&m, constants, coupled, "N");
    make(&m, tied, 1);
    expect(&m, "block=8,work=1", "M=8, N=8");
    unmake(&m);
    write_spec(&m, constants, "{\"Expression\": \"M % block == 0 and N % work == 0\"}", "N");
    make(&m, one_by_one, 2);
    expect(&m, "block=8,work=3", "M=8, N=3");
    expect(&m, "block=6,work=4", "M=6, N=4");
    unmake(&m);
}
END_TEST

// Beyond what is tried one by one, divisors of the spec's own value.
START_TEST(large)
{
    struct made m = {.spec = NULL};
    write_spec(&m, "\"N\": 300000000", "{\"Expression\": \"N % (100000 * block) == 0\"}", "N");
    make(&m, ONE("N", 1), 1);
    expect(&m, "block=1,work=1", "N=100000");
    expect(&m, "block=6,work=1", "N=600000");
    unmake(&m);
}
END_TEST

START_TEST(names_refused)
{
    static const char *const names[] = {"N", "F", "Q"};
    struct check_smallest wrong[][2] = {{{&names[2], 1, 1}, {NULL, 0, 1}},
                                        {{&names[1], 1, 1}, {NULL, 0, 1}},
                                        {{&names[0], 1, 1}, {&names[0], 1, 1}}};
    struct made m = {.spec = NULL};
    write_spec(&m, "\"N\": 96, \"F\": 1.5", "", "N");
    make(&m, NULL, 0);
    expect(&m, "block=8,work=1", "");
    for (int i = 0; i < 3; i++) {
        struct error e = ERROR_INIT;
        m.options.smallest = wrong[i];
        m.options.smallest_count = 2;
        ck_assert_ptr_null(sizes_new(&m.options, m.sources, &e));
        ck_assert_int_eq(e.code, ERROR_USAGE);
        ck_assert_ptr_nonnull(strstr(e.text, "--smallest"));
    }
    unmake(&m);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, least_common_multiple);
    tcase_add_test(tests, from_a_least_value);
    tcase_add_test(tests, not_monotone);
    tcase_add_test(tests, sizes_decide);
    tcase_add_test(tests, problem_size);
    tcase_add_test(tests, several_names);
    tcase_add_test(tests, large);
    tcase_add_test(tests, names_refused);
}

int main(void)
{
    return suite_run("sizes", add);
}
