// The jobs of `hone peak`: well-formed for every kind of device, and as large as they shall be.
#include "workflows/peak/peak_kernels.h"

#include "../base/suite.h"

#include <string.h>

#define GIB (1ull << 30)

static const struct device_info cpu = {.type = DEVICE_CPU,
                                       .compute_units = 2,
                                       .global_bytes = 16 * GIB,
                                       .max_alloc_bytes = 8 * GIB,
                                       .cache_bytes = 32u << 20,
                                       .max_group_size = 4096};
// Eight caches, of which the driver reports one.
static const struct device_info chiplets = {.type = DEVICE_CPU,
                                            .compute_units = 64,
                                            .global_bytes = 256 * GIB,
                                            .max_alloc_bytes = 64 * GIB,
                                            .cache_bytes = 16u << 20,
                                            .all_cache_bytes = 128u << 20,
                                            .max_group_size = 4096};
static const struct device_info h200 = {.type = DEVICE_GPU,
                                        .compute_units = 132,
                                        .capability = 90,
                                        .global_bytes = 140 * GIB,
                                        .max_alloc_bytes = 35 * GIB,
                                        .max_group_size = 1024};
static const struct device_info h200_cuda = {.language = LANGUAGE_CUDA,
                                             .type = DEVICE_GPU,
                                             .compute_units = 132,
                                             .capability = 90,
                                             .global_bytes = 140 * GIB,
                                             .max_alloc_bytes = 140 * GIB,
                                             .max_group_size = 1024};
static const struct device_info small = {.type = DEVICE_INTEGRATED,
                                         .compute_units = 3,
                                         .global_bytes = 3 * GIB,
                                         .max_alloc_bytes = GIB / 4,
                                         .max_group_size = 100};
static const struct device_info silent = {.type = DEVICE_ACCELERATOR};
static const struct device_info silent_cpu = {.type = DEVICE_CPU, .compute_units = 3};

static const struct device_info *const devices[] = {&cpu,   &chiplets, &h200,      &h200_cuda,
                                                    &small, &silent,   &silent_cpu};

static struct job *make(const struct peak_shape *s, const struct device_info *d, uint32_t rounds,
                        uint64_t *work)
{
    struct job *j = peak_job(s, d, rounds, work);
    ck_assert_ptr_nonnull(j);
    ck_assert_msg(!job_wrong(j), "%s", job_wrong(j));
    return j;
}

START_TEST(jobs_are_whole)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct peak_shape shapes[PEAK_SHAPES_MOST];
        unsigned of_limit[PEAK_COUNT] = {0};
        uint32_t count = peak_shapes(devices[i], shapes, PEAK_SHAPES_MOST);
        ck_assert_uint_lt(count, PEAK_SHAPES_MOST); // none was cut off
        for (uint32_t k = 0; k < count; k++) {
            uint64_t work;
            struct job *j = make(&shapes[k], devices[i], 3, &work);
            const struct job_launch *l = &j->launches[0];
            of_limit[shapes[k].limit]++;
            ck_assert_uint_gt(work, 0);
            ck_assert_uint_gt(l->local[0], 0);
            ck_assert_uint_eq(l->global[0] % l->local[0], 0);
            ck_assert_uint_gt(j->reference.kind, REFERENCE_NONE);
            ck_assert(j->configuration[0] && j->configuration_json[0] == '{');
            job_free(j);
        }
        for (unsigned k = 0; k < PEAK_COUNT; k++)
            ck_assert_uint_ge(of_limit[k], 3);
    }
}
END_TEST

// CUDA has no vectors beyond four words, and a GPU of NVIDIA's gains nothing by those of floats.
START_TEST(widths)
{
    struct peak_shape shapes[PEAK_SHAPES_MOST];
    uint32_t count = peak_shapes(&h200_cuda, shapes, PEAK_SHAPES_MOST);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_le(shapes[i].width, 4);
        ck_assert(shapes[i].limit != PEAK_FP32 || shapes[i].width == 1);
        ck_assert(shapes[i].limit != PEAK_FP32 || shapes[i].fused);
    }
}
END_TEST

START_TEST(buffers)
{
    static const struct {
        const struct device_info *device;
        uint64_t bytes;
    } wanted[] = {{&cpu, 128u << 20},      // four times the cache
                  {&chiplets, 512u << 20}, // four times all of them
                  {&h200, GIB},
                  {&h200_cuda, GIB},
                  {&small, 128u << 20}, // a sixteenth of the memory, a power of two
                  {&silent, GIB}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct peak_shape shapes[PEAK_SHAPES_MOST];
        uint32_t count = peak_shapes(wanted[i].device, shapes, PEAK_SHAPES_MOST);
        for (uint32_t k = 0; k < count; k++) {
            uint64_t work;
            if (peak_has_rounds(shapes[k].limit))
                continue;
            struct job *j = make(&shapes[k], wanted[i].device, 0, &work);
            bool is_copy = shapes[k].limit == PEAK_COPY;
            ck_assert_uint_eq(j->buffers[0].count * 4, wanted[i].bytes);
            ck_assert_uint_eq(work, wanted[i].bytes * (is_copy ? 2 : 1));
            // All of it, once.
            ck_assert_uint_eq(j->launches[0].global[0] * shapes[k].width *
                                  (shapes[k].per_item ? shapes[k].per_item
                                                      : wanted[i].bytes / 4 / shapes[k].width /
                                                            j->launches[0].global[0]),
                              wanted[i].bytes / 4);
            job_free(j);
        }
    }
}
END_TEST

START_TEST(work_of_a_launch)
{
    const struct peak_shape fp32 = {PEAK_FP32, .width = 1, .depth = 8, .fused = true};
    const struct peak_shape local = {PEAK_LOCAL, .width = 4, .depth = 8};
    uint64_t flop, bytes;
    job_free(make(&fp32, &h200, 10, &flop));
    job_free(make(&local, &h200, 10, &bytes));
    // Work-items x chains x steps of a round x rounds x 2.
    ck_assert_uint_eq(flop, 132ull * 2048 * 8 * 16 * 10 * 2);
    ck_assert_uint_eq(bytes, 132ull * 2048 * 8 * 16 * 10);
}
END_TEST

// One chain of one round, by hand: 16 steps from 1 in float.
START_TEST(known_values)
{
    const struct peak_shape shape = {PEAK_FP32, .width = 1, .depth = 1};
    uint64_t work;
    struct job *j = make(&shape, &silent_cpu, 1, &work);
    const uint32_t *expected = j->reference.data[0].blob.data;
    for (unsigned item = 0; item < 32; item++) {
        float x = 1 + (float)(item % 16) / 16;
        uint32_t bits;
        for (int step = 0; step < 16; step++) {
            volatile float product = x * 0x1.000004p0f;
            x = product + 0x1p-24f;
        }
        memcpy(&bits, &x, sizeof bits);
        ck_assert_uint_eq(expected[item], bits);
    }
    job_free(j);
}
END_TEST

START_TEST(rounds)
{
    ck_assert_uint_eq(peak_rounds(&h200, PEAK_FP32, 300000), 2560);
    ck_assert_uint_eq(peak_rounds(&cpu, PEAK_FP32, 1024000), 20000);
    ck_assert_uint_eq(peak_rounds(&cpu, PEAK_LOCAL, 163840), 2000000);
    ck_assert_uint_eq(peak_rounds(&cpu, PEAK_LOCAL, 1e12), 1);
    ck_assert_uint_eq(peak_rounds(&cpu, PEAK_LOCAL, 0), 1u << 22); // no time at all
    ck_assert_uint_eq(peak_rounds(&cpu, PEAK_FP32, 0), 1u << 17);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, jobs_are_whole);
    tcase_add_test(tests, widths);
    tcase_add_test(tests, buffers);
    tcase_add_test(tests, work_of_a_launch);
    tcase_add_test(tests, known_values);
    tcase_add_test(tests, rounds);
}

int main(void)
{
    return suite_run("peak/kernels", add);
}
