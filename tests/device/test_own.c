// Kernels of hone's own on a real device: what they compute is what the host computes.
#include "../base/suite.h"
#include "kit.h"

#include "device/checksum.h"
#include "device/fill.h"
#include "device/gemm.h"
#include "device/open_device.h"
#include "device/own_kernel.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct kit kit;

static void set_up(void)
{
    kit_open(&kit, NULL);
}

static void tear_down(void)
{
    kit_close(&kit);
}

static void *random_bytes(uint64_t count)
{
    uint8_t *bytes = malloc(count + 1);
    uint32_t x = 12345;
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    return bytes;
}

// ---- checksum

static const uint64_t lengths[] = {1, 7, 8, 9, 2047, 2048, 2056, 100003, 3000000};

static void check_checksum(uint64_t length)
{
    void *bytes = random_bytes(length);
    struct memory m = kit_memory(&kit, bytes, length);
    struct error e = ERROR_INIT;
    struct region regions[] = {{&m, 0, length, 0}, {&m, 0, 0, 0}, {&m, length / 3, length / 2, 0}};
    ck_assert_msg(checksums_on_device(kit.device, regions, 3, &e), "%s", e.text);
    ck_assert_uint_eq(regions[0].sum, checksum_of(bytes, length));
    ck_assert_uint_eq(regions[1].sum, 0);
    ck_assert_uint_eq(regions[2].sum, checksum_of((uint8_t *)bytes + length / 3, length / 2));
    memory_free(kit.device, &m);
    free(bytes);
}

START_TEST(checksum_is_the_hosts)
{
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_checksum(lengths[i]);
}
END_TEST

// ---- inputs

// Made there they are the host's bit for bit; what cannot be made there is left to the host.
static const struct {
    double low, high;
    uint32_t width;
    bool made;
} fills[] = {{-0.5, 0.5, 1, true}, {0, 3, 4, true}, {-1, 0.1, 1, false}, {0, 1, 3, false}};

START_TEST(inputs_are_the_hosts)
{
    struct job_buffer b = {.element = {.scalar = SCALAR_FLOAT, .width = fills[_i].width},
                           .count = 100003,
                           .fill = {.kind = FILL_UNIFORM,
                                    .seed = UINT64_C(0x123456789abcdef),
                                    .low = fills[_i].low,
                                    .high = fills[_i].high}};
    uint64_t bytes = fill_bytes(&b);
    uint8_t *by_host = random_bytes(bytes), *there = random_bytes(bytes);
    struct memory m = kit_memory(&kit, there, bytes);
    struct error e = ERROR_INIT;
    ck_assert(fill_make(&b, by_host, &e));
    own_kernels_collect(kit.device);
    ck_assert(!fill_offered(kit.device, &b));
    own_kernels_start(kit.device);
    while (fills[_i].made && !fill_offered(kit.device, &b))
        usleep(1000);
    ck_assert_int_eq(fill_on_device(kit.device, &b, &m), fills[_i].made);
    ck_assert(memory_read(kit.device, &m, 0, there, bytes, &e));
    ck_assert_int_eq(memcmp(there, by_host, bytes) == 0, fills[_i].made);
    memory_free(kit.device, &m);
    free(by_host);
    free(there);
}
END_TEST

// ---- gemm

// Kinds: transposed A, transposed B, doubles, beta, three matrices with a bias and one of three activations.
static struct job *product(int kinds, const uint64_t sizes[3])
{
    struct job *j = kit_job("");
    uint64_t m = sizes[0], n = sizes[1], k = sizes[2];
    uint64_t matrices = kinds & 16 ? 3 : 1;
    kit_buffer(j, "a", matrices * m * k, ACCESS_READ);
    kit_buffer(j, "b", matrices * k * n, ACCESS_READ);
    kit_buffer(j, "c", matrices * m * n, ACCESS_BOTH);
    kit_buffer(j, "bias", n, ACCESS_READ);
    for (uint32_t i = 0; i < 4; i++) {
        kit_random(j, i, i + 1);
        j->buffers[i].element.scalar = kinds & 4 ? SCALAR_DOUBLE : SCALAR_FLOAT;
    }
    j->reference.kind = REFERENCE_GEMM;
    j->reference.gemm = (struct job_gemm){.m = m,
                                          .n = n,
                                          .k = k,
                                          .a = 0,
                                          .b = 1,
                                          .c = 2,
                                          .transpose_a = kinds & 1,
                                          .transpose_b = kinds & 2,
                                          .alpha = 1};
    if (kinds & 16) {
        j->reference.gemm.others = 2, j->reference.gemm.gamma = 1.5, j->reference.gemm.bias = 3;
        j->reference.gemm.activation = (enum activation)(1 + kinds % 3);
    }
    if (kinds & 8)
        j->reference.gemm.alpha = 2, j->reference.gemm.beta = -0.5;
    return j;
}

static struct reference *reference_for(const struct job *j)
{
    struct result *r = result_new();
    struct error e = ERROR_INIT;
    ck_assert_msg(device_prepare(kit.device, j, r), "%s", r->message);
    struct digest recipe;
    reference_recipe(kit.device, j, &recipe);
    struct reference *f = reference_of(kit.device, j, &recipe, r);
    ck_assert(f && f->outputs[2].doubles);
    ck_assert_int_eq(f->outputs[2].memory.view != NULL,
                     device_describe(kit.device)->type == DEVICE_GPU);
    ck_assert_msg(reference_on_host(kit.device, f, &e), "%s", e.text);
    result_free(r);
    return f;
}

static const uint64_t products[][3] = {{65, 130, 33}, {7, 100, 257}};
// A sanitizer, under which a driver compiles slowly, has each of the five once with, and once without.
enum { KINDS = 32, KINDS_STEP = SUITE_SANITIZED ? 5 : 1 };

// Each kind on the host, then each on the device: both are opened once, because a driver takes its time to be loaded.
START_TEST(gemm_is_the_hosts)
{
    const uint64_t *sizes = products[_i];
    double *hosts[KINDS];
    for (int kinds = 0; kinds < KINDS; kinds += KINDS_STEP) {
        uint64_t count = sizes[0] * sizes[1] * (kinds & 16 ? 3 : 1);
        struct job *j = product(kinds, sizes);
        hosts[kinds] = malloc(count * sizeof **hosts);
        memcpy(hosts[kinds], reference_for(j)->outputs[2].data, count * sizeof **hosts);
        job_free(j);
    }
    kit_close(&kit);
    kit_open(&kit, NULL);
    kit_as_gpu(&kit);
    for (int kinds = 0; kinds < KINDS; kinds += KINDS_STEP) {
        uint64_t count = sizes[0] * sizes[1] * (kinds & 16 ? 3 : 1);
        struct job *j = product(kinds, sizes);
        const double *there = (const double *)(const void *)reference_for(j)->outputs[2].data;
        for (uint64_t i = 0; i < count; i++)
            ck_assert_msg(fabs(there[i] - hosts[kinds][i]) <= 1e-13,
                          "kinds %d, element %ju: %.17g there, %.17g here", kinds, (uintmax_t)i,
                          there[i], hosts[kinds][i]);
        free(hosts[kinds]);
        job_free(j);
    }
}
END_TEST

// A reference gives way to buffers that find no room, and comes back.
START_TEST(reference_leaves_the_device_and_returns)
{
    struct job *j = product(0, products[0]);
    kit_as_gpu(&kit);
    struct reference *f = reference_for(j);
    uint64_t bytes = f->outputs[2].length;
    void *before = malloc(bytes), *after = malloc(bytes);
    memcpy(before, f->outputs[2].data, bytes);
    references_leave_device(kit.device);
    ck_assert_ptr_null(f->outputs[2].memory.view);
    struct memory *m = reference_on_device(kit.device, f, 2);
    ck_assert(m && memory_read(kit.device, m, 0, after, bytes, NULL));
    ck_assert_mem_eq(before, after, bytes);
    free(before);
    free(after);
    job_free(j);
}
END_TEST

// ---- data

// Given values are on a GPU alone where all of them are worth it, until the host needs them; else on the host.
START_TEST(given_values_go_to_the_device)
{
    enum { COUNT = 1000 };
    const uint64_t bytes = COUNT * sizeof(float);
    float *values[] = {random_bytes(bytes), random_bytes(bytes)}, *there = random_bytes(bytes);
    struct job *j = kit_job("");
    struct result *r = result_new();
    struct error e = ERROR_INIT;
    struct digest recipe;
    for (uint32_t i = 0; i < 2; i++)
        kit_buffer(j, i ? "c" : "a", i && _i == 1 ? COUNT / 2 : COUNT, ACCESS_WRITE);
    kit_expect(j, 0, values[0]);
    struct job_data first = j->reference.data[0];
    kit_expect(j, 1, values[1]);
    struct job_data both[] = {first, j->reference.data[0]};
    j->reference.data = both;
    j->reference.data_count = 2;
    kit_as_gpu(&kit);
    kit.device->worth_bytes = bytes;
    job_reference_digest(j, &recipe);
    struct reference *f = reference_of(kit.device, j, &recipe, r);
    ck_assert_msg(f != NULL, "%s", r->message);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_int_eq(f->outputs[i].memory.view != NULL, _i == 0);
    ck_assert_int_eq(f->blob == NULL, _i == 0);
    struct memory *m = reference_on_device(kit.device, f, 0);
    ck_assert(m && memory_read(kit.device, m, 0, there, bytes, NULL));
    ck_assert_mem_eq(there, values[0], bytes);
    references_leave_device(kit.device);
    ck_assert_ptr_null(f->outputs[0].memory.view);
    ck_assert_msg(reference_on_host(kit.device, f, &e), "%s", e.text);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_mem_eq(f->outputs[i].data, values[i], f->outputs[i].length);
    for (uint32_t i = 0; i < 2; i++)
        free(values[i]);
    free(there);
    result_free(r);
    job_free(j);
}
END_TEST

// ---- building

static const char *const pieces[] = {"this is not a kernel\n", NULL};
static const struct own_text nonsense = {"hone_nonsense", "", pieces};

// However often it is asked for, and in either language, it says which kernel and why.
START_TEST(text_that_does_not_build_is_not_built_twice)
{
    struct error first = ERROR_INIT, second = ERROR_INIT;
    ck_assert_ptr_null(own_kernel_get(kit.device, &nonsense, &first));
    ck_assert_msg(str_starts(first.text, "hone's own kernel hone_nonsense: "), "%s", first.text);
    ck_assert(first.driver != 0);
    const struct own_kernel *built = kit.device->own_kernels;
    ck_assert_ptr_null(own_kernel_get(kit.device, &nonsense, &second));
    ck_assert_str_eq(second.text, first.text);
    ck_assert_ptr_eq(kit.device->own_kernels, built);
}
END_TEST

// What a product's tune needs is built beside the making of its inputs: nothing is left to build,
// and what it finds is what it finds without.
START_TEST(kernels_of_a_tune_are_built_ahead)
{
    struct job *j = product(0, products[0]);
    kit_as_gpu(&kit);
    struct reference *f = reference_for(j);
    const struct own_kernel *built = kit.device->own_kernels;
    ck_assert_ptr_nonnull(built);
    outputs_prepare(kit.device, j, f);
    ck_assert(checksum_offered(kit.device) && gemm_offered(kit.device, j));
    ck_assert_ptr_eq(kit.device->own_kernels, built);
    job_free(j);
}
END_TEST

START_TEST(kernels_that_do_not_build_ahead_are_told_when_asked_for)
{
    struct error e = ERROR_INIT;
    own_kernels_collect(kit.device);
    ck_assert_ptr_null(own_kernel_get(kit.device, &nonsense, &e));
    ck_assert(!e.code && checksum_offered(kit.device) == false);
    own_kernels_start(kit.device);
    ck_assert(checksum_offered(kit.device));
    ck_assert_ptr_null(own_kernel_get(kit.device, &nonsense, &e));
    ck_assert_msg(str_starts(e.text, "hone's own kernel hone_nonsense: "), "%s", e.text);
}
END_TEST

// What was asked for once and is not asked for again waits until somebody does.
START_TEST(a_new_collection_withdraws_the_old)
{
    struct error e = ERROR_INIT;
    own_kernels_collect(kit.device);
    own_kernel_get(kit.device, &nonsense, NULL);
    own_kernels_collect(kit.device);
    ck_assert(checksum_offered(kit.device) == false);
    own_kernels_start(kit.device);
    own_kernels_collect(kit.device);
    own_kernels_start(kit.device);
    ck_assert_ptr_null(own_kernel_get(kit.device, &nonsense, &e));
    ck_assert_msg(str_starts(e.text, "hone's own kernel hone_nonsense: "), "%s", e.text);
    ck_assert(checksum_offered(kit.device));
}
END_TEST

static void add(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, checksum_is_the_hosts);
    tcase_add_loop_test(t, inputs_are_the_hosts, 0, sizeof fills / sizeof *fills);
    tcase_add_loop_test(t, gemm_is_the_hosts, 0, sizeof products / sizeof *products);
    tcase_add_test(t, reference_leaves_the_device_and_returns);
    tcase_add_loop_test(t, given_values_go_to_the_device, 0, 2);
    tcase_add_test(t, text_that_does_not_build_is_not_built_twice);
    tcase_add_test(t, kernels_of_a_tune_are_built_ahead);
    tcase_add_test(t, kernels_that_do_not_build_ahead_are_told_when_asked_for);
    tcase_add_test(t, a_new_collection_withdraws_the_old);
}

int main(void)
{
    return kit_has_device() ? kit_run("own", add) : KIT_SKIPPED;
}
