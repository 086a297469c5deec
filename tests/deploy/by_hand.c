#include "by_hand.h"

#include <check.h>
#include <math.h>
#include <string.h>

static const char spec_text[] =
    "{\"General\": {\"BenchmarkName\": \"two-sizes\", \"FormatVersion\": 1},"
    " \"Constants\": {\"M\": 64, \"N\": 64, \"SCALE\": 2, \"RATE\": 0.5},"
    " \"ConfigurationSpace\": {\"TuningParameters\": ["
    "  {\"Name\": \"block\", \"Type\": \"int\", \"Values\": \"[8, 16, 32]\", \"Default\": 8},"
    "  {\"Name\": \"unroll\", \"Type\": \"int\", \"Values\": \"[1, 2]\", \"Default\": 1}],"
    "  \"Conditions\": [{\"Expression\": \"M % block == 0\", \"Parameters\": [\"block\"]},"
    "   {\"Expression\": \"block * unroll <= device_max_work_group_size\","
    "    \"Parameters\": [\"block\", \"unroll\"]}]},"
    " \"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"copy\","
    "  \"KernelSource\": \"__kernel void copy(__global float *to) { to[get_global_id(0)] = SCALE; "
    "}\","
    "  \"GlobalSize\": {\"X\": \"M\", \"Y\": \"N\"}, \"LocalSize\": {\"X\": \"block\"},"
    "  \"Arguments\": [{\"Name\": \"to\", \"Type\": \"float\", \"MemoryType\": \"Vector\","
    "   \"AccessType\": \"WriteOnly\", \"Size\": \"M * N\", \"Output\": true}]}}";

static const struct device_info facts_a = {.name = "Card A", .max_group_size = 1024},
                                facts_b = {.name = "Card B", .max_group_size = 32};

static struct deploy_point point(struct arena *a, int64_t m, int64_t n, uint32_t configuration)
{
    const int64_t shape[] = {m, n};
    return (struct deploy_point){.shape = arena_copy(a, shape, sizeof shape),
                                 .configuration = configuration,
                                 .weight = 1,
                                 .median_ns = 1000.0 * (double)m,
                                 .above_best = 0.01,
                                 .above_default = configuration ? -0.25 : 0,
                                 .gain = {1 / 0.75, true, 1.25, 1.5, true, false}};
}

void by_hand_init(struct by_hand *h)
{
    struct error e = ERROR_INIT;
    static const char *const columns[] = {"M", "N"};
    static const uint32_t choices[][2] = {{0, 0}, {1, 0}, {2, 1}};
    struct deploy_table *t = &h->table;
    struct arena *a = &h->arena;
    arena_init(a);
    h->spec = spec_parse(spec_text, strlen(spec_text), NULL, "two.json", NULL, &e);
    ck_assert_msg(h->spec != NULL, "%s", e.text);
    ck_assert_msg(deploy_table_init(t, h->spec, columns, 2, a, &e), "%s", e.text);
    t->source_digest = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    t->within = 0.02;
    t->configurations = arena_array(a, 3, sizeof *t->configurations);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert(deploy_configuration_make(t, choices[i], a, &t->configurations[i]));
    t->configuration_count = 3;
    t->devices = arena_array(a, 2, sizeof *t->devices);
    t->device_count = 2;
    struct deploy_device *d = t->devices;
    d[0] = (struct deploy_device){"Card A", "OpenCL", "GPU-a",
                                  "Vendor", "arch_1", "1.0",
                                  10,       &facts_a, arena_array(a, 3, sizeof *d[0].points),
                                  3,        0,        NULL};
    d[0].points[0] = point(a, 64, 64, 0);
    d[0].points[1] = point(a, 256, 256, 1);
    d[0].points[2] = point(a, 4096, 256, 2);
    d[1] = (struct deploy_device){"Card B", "OpenCL", "GPU-b",
                                  "Vendor", "arch_2", "1.0",
                                  20,       &facts_b, arena_array(a, 1, sizeof *d[1].points),
                                  1,        0,        NULL};
    d[1].points[0] = point(a, 64, 64, 1);
    ck_assert_msg(deploy_table_check(t, &e), "%s", e.text);
}

void by_hand_release(struct by_hand *h)
{
    spec_free(h->spec);
    arena_release(&h->arena);
}
