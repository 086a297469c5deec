// Jobs on a real CUDA device: what CUDA alone has, and what becomes of a kernel that faults. What
// is the same on every backend is in test_opencl.c, which runs on CUDA as well. Skipped without a
// device.
#include "kit.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 1024

static struct kit kit;

static void set_up(void)
{
    kit_open(&kit, NULL);
}

static void tear_down(void)
{
    kit_close(&kit);
}

// A job whose one buffer shall hold `value` everywhere after a launch of `kernel`.
static struct job *filling(const char *source, const char *kernel, float value)
{
    struct job *j = kit_job(source);
    float expected[N];
    for (int i = 0; i < N; i++)
        expected[i] = value;
    kit_buffer(j, "out", N, ACCESS_WRITE);
    kit_launch(j, kernel, N, 64);
    kit_expect(j, 0, expected);
    return j;
}

static void expect(struct job *j, enum status status, const char *says)
{
    struct result *r = kit_verify(&kit, j);
    ck_status(r, status);
    if (says)
        ck_says(r, says);
    result_free(r);
    job_free(j);
}

// ---- the device

// Both views of a card say the same of where and who it is: the lock and the list go by that.
START_TEST(the_same_card_as_opencls)
{
    const struct device_info *d = device_describe(kit.device);
    struct arena a;
    struct device_report list;
    struct error e = ERROR_INIT;
    unsigned twins = 0, views = 0;
    arena_init(&a);
    ck_assert(device_list(&a, NULL, &list, &e));
    printf("  %s: pci %s, uuid %s, driver %s, %s, %s, timer %llu ns\n", d->id, d->pci, d->uuid,
           d->driver, d->platform_version, d->compiler, (unsigned long long)d->timer_ns);
    for (uint32_t i = 0; i < list.device_count; i++) {
        const struct device_info *o = &list.devices[i];
        if (o->language != LANGUAGE_OPENCL || !str_contains_nocase(o->vendor, "NVIDIA"))
            continue;
        views++;
        printf("  %s: pci %s, uuid %s, driver %s\n", o->id, o->pci, o->uuid, o->driver);
        if (!str_equal(o->pci, d->pci))
            continue;
        twins++;
        ck_assert_str_eq(o->uuid, d->uuid);
        ck_assert_str_eq(o->driver, d->driver);
        ck_assert_str_eq(o->name, d->name);
        ck_assert_uint_eq(o->capability, d->capability);
        ck_assert_uint_eq(o->compute_units, d->compute_units);
    }
    ck_assert_msg(views == 0 || twins == 1, "%u of %u OpenCL devices are this card", twins, views);
    arena_release(&a);
}
END_TEST

START_TEST(a_card_is_described)
{
    const struct device_info *d = device_describe(kit.device);
    ck_assert_int_eq(d->language, LANGUAGE_CUDA);
    ck_assert_uint_ge(d->capability, 50);
    ck_assert_uint_gt(d->compute_units, 0);
    ck_assert_uint_gt(d->clock_mhz, 100);
    ck_assert_uint_gt(d->global_bytes, 1 << 20);
    ck_assert_uint_ge(d->local_bytes, 48 << 10);
    ck_assert_uint_eq(d->constant_bytes, 65536);
    ck_assert_uint_eq(d->max_group_size, 1024);
    ck_assert_uint_eq(d->max_item_sizes[2], 64);
    ck_assert_uint_eq(d->subgroup_size, 32);
    ck_assert_msg(d->timer_ns >= 1 && d->timer_ns <= 2000, "%llu ns",
                  (unsigned long long)d->timer_ns);
}
END_TEST

// ---- images

// A worker that only builds has no context; what it built runs in another that has no compiler's
// work left.
START_TEST(what_a_build_worker_built_runs)
{
    struct device_options o = {.scratch = kit.scratch, .build_only = true};
    struct error e = ERROR_INIT;
    struct image image;
    struct arena a;
    struct policy policy = {.launches = 1, .batch = 1};
    struct result *r = result_new();
    arena_init(&a);
    o.toolkit = getenv("CUDA_HOME");
    struct job *j = filling("template <int n> __global__ void k(float *out)\n"
                            "{ out[blockIdx.x * blockDim.x + threadIdx.x] = n; }\n",
                            "k<7>", 7);
    struct device *builder = device_open(device_describe(kit.device)->id, &o, &e);
    ck_assert_msg(builder != NULL, "%s", e.text);
    ck_assert_msg(device_build(builder, j, &a, &image, r), "%s", r->message);
    ck_assert_int_gt(r->resources[0].registers, 0);
    int64_t groups = r->resources[0].groups_per_unit;
    device_close(builder);
    result_free(r);
    r = result_new();
    struct loaded *l = device_load(kit.device, j, &image, r);
    ck_assert_msg(l && device_verify(kit.device, l, &policy, r), "%s", r->message);
    ck_assert_int_gt(r->resources[0].registers, 0);
    ck_assert_int_eq(r->resources[0].spill_bytes, 0);
    ck_assert_int_eq(r->resources[0].groups_per_unit, groups); // the table's and the driver's
    printf("  loading an image took %.3f ms\n", (double)r->load_ns / 1e6);
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
    arena_release(&a);
}
END_TEST

START_TEST(damaged_images_are_built_again)
{
    struct image image = {.bytes = "\1\0\0\0\5\0\0\0\0\0\0\0wrong", .length = 17};
    struct policy policy = {.launches = 1, .batch = 1};
    struct result *r = result_new();
    struct job *j = filling("__kernel void k(float *out) { out[get_global_id(0)] = 2; }", "k", 2);
    struct loaded *l = device_load(kit.device, j, &image, r);
    ck_assert_msg(l && device_verify(kit.device, l, &policy, r), "%s", r->message);
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

// ---- __constant__ symbols

static struct job *with_constants(const char *source, float value)
{
    struct job *j = filling(source, "k", 3 * value);
    struct job_launch *l = &j->launches[0];
    uint32_t c = kit_buffer(j, "weights", 3, ACCESS_READ);
    j->buffers[c].constant = true;
    kit_constant(j, c, value);
    ck_assert_uint_eq(l->argument_count, 1); // it is none
    return j;
}

static const char weighing[] =
    "__constant__ float weights[4];\n"
    "__kernel void k(float *out)\n"
    "{ out[get_global_id(0)] = weights[0] + weights[1] + weights[2]; }\n";

START_TEST(constants_are_copied_before_each_launch)
{
    struct policy policy = {.launches = 3, .batch = 2, .check = POLICY_CHECK_EACH};
    struct result *r = result_new();
    struct job *a = with_constants(weighing, 1.5F), *b = with_constants(weighing, 4);
    struct loaded *la = device_load(kit.device, a, NULL, r);
    struct loaded *lb = device_load(kit.device, b, NULL, r);
    ck_assert_msg(la && lb, "%s", r->message);
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(device_verify(kit.device, la, &policy, r), "%s", r->message);
        ck_assert_msg(device_measure(kit.device, lb, &policy, r), "%s", r->message);
    }
    device_unload(kit.device, la);
    device_unload(kit.device, lb);
    result_free(r);
    job_free(a);
    job_free(b);
}
END_TEST

START_TEST(constants_that_do_not_fit_are_named)
{
    expect(with_constants("__constant__ float weights[2];\n"
                          "__kernel void k(float *out) { out[get_global_id(0)] = weights[1]; }\n",
                          1),
           STATUS_COMPILE, "the symbol 'weights' of test.cl has 8 bytes, the spec gives it 12");
    expect(with_constants("__kernel void k(float *out) { out[get_global_id(0)] = 1; }\n", 1),
           STATUS_COMPILE, "has no __constant__ symbol 'weights'");
}
END_TEST

// ---- shared memory

static const char sharing[] = "extern __shared__ float t[];\n"
                              "__kernel void k(float *out)\n"
                              "{\n"
                              "    int last = WORDS - 1 - threadIdx.x;\n"
                              "    t[last] = 5;\n"
                              "    __syncthreads();\n"
                              "    out[get_global_id(0)] = t[WORDS - 64 + threadIdx.x];\n"
                              "}\n";

static struct job *sharing_bytes(uint64_t bytes)
{
    struct job *j = filling(sharing, "k", 5);
    const char *option = arena_printf(&j->arena, "-DWORDS=%llu", (unsigned long long)bytes / 4);
    kit_option(j, option);
    j->launches[0].dynamic_local_bytes = bytes;
    return j;
}

START_TEST(dynamic_shared_memory_beyond_48_kib)
{
    uint64_t most = device_describe(kit.device)->local_bytes;
    const uint64_t sizes[] = {256, 48 << 10, 49 << 10, most / 2, most};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct job *j = sharing_bytes(sizes[i]);
        struct result *r = kit_verify(&kit, j);
        ck_status(r, STATUS_CORRECT);
        ck_assert_int_eq(r->resources[0].local_bytes, (int64_t)sizes[i]);
        ck_assert_int_ge(r->resources[0].groups_per_unit, 1);
        result_free(r);
        job_free(j);
    }
    expect(sharing_bytes(most + 1024), STATUS_CONSTRAINTS, "bytes of local memory exceed");
}
END_TEST

// Two launches of one kernel: the smaller wish must not undo the larger one.
START_TEST(launches_of_one_kernel_may_wish_differently)
{
    struct job *j = sharing_bytes(64 << 10);
    struct job_launch *second = kit_launch(j, "k", N, 64);
    second->dynamic_local_bytes = 80 << 10;
    second = kit_launch(j, "k", N, 64);
    second->dynamic_local_bytes = 64 << 10;
    expect(j, STATUS_CORRECT, NULL);
}
END_TEST

// ---- what does not fit

START_TEST(too_many_registers_for_the_block_are_refused)
{
    struct job *j =
        filling("__kernel void k(float *out)\n"
                "{\n"
                "    float a[120];\n"
                "    #pragma unroll\n"
                "    for (int i = 0; i < 120; i++) a[i] = out[i + threadIdx.x];\n"
                "    float s = 0;\n"
                "    for (int n = 0; n < 4; n++) {\n"
                "        #pragma unroll\n"
                "        for (int i = 0; i < 120; i++) a[i] = a[i] * a[(i + 7) % 120];\n"
                "    }\n"
                "    #pragma unroll\n"
                "    for (int i = 0; i < 120; i++) s += a[i];\n"
                "    out[get_global_id(0)] = s;\n"
                "}\n",
                "k", 0);
    j->launches[0].local[0] = 1024;
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_assert(r->device_limit);
    printf("  %s\n", r->message);
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(more_memory_than_the_card_has_is_refused)
{
    struct job *j = kit_job("__kernel void k(float *a, float *b) { }");
    uint64_t global = device_describe(kit.device)->global_bytes;
    for (int i = 0; i < 2; i++)
        kit_buffer(j, i ? "b" : "a", global / 8 - (1 << 18), ACCESS_WRITE); // a half each
    kit_launch(j, "k", N, 64);
    struct result *r = kit_verify(&kit, j);
    ck_status(r, STATUS_CONSTRAINTS);
    printf("  %s\n", r->message);
    result_free(r);
    // The context is as good as before.
    struct job *small =
        filling("__kernel void k(float *out) { out[get_global_id(0)] = 2; }", "k", 2);
    expect(small, STATUS_CORRECT, NULL);
    job_free(j);
}
END_TEST

// ---- times

static struct result *measure(struct job *j, const struct policy *p)
{
    struct result *r = result_new();
    struct loaded *l = device_load(kit.device, j, NULL, r);
    ck_assert_msg(l && device_verify(kit.device, l, p, r), "%s", r->message);
    ck_assert_msg(device_measure(kit.device, l, p, r), "%s", r->message);
    device_unload(kit.device, l);
    return r;
}

static uint64_t least_of(const struct result *r)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < r->sample_count; i++)
        least = r->samples_ns[i] < least ? r->samples_ns[i] : least;
    return least;
}

// A kernel that does next to nothing takes a few microseconds; with the host's share it would take
// ten and more, and one launch would take longer than the mean of many.
START_TEST(short_kernels_are_timed_without_the_host)
{
    const struct policy one = {.launches = 20, .batch = 1, .fixed = true, .warmups = 1};
    const struct policy many = {.launches = 20, .batch = 20, .fixed = true, .warmups = 1};
    struct job *j = filling("__kernel void k(float *out) { out[get_global_id(0)] = 2; }", "k", 2);
    struct result *single = measure(j, &one), *batch = measure(j, &many);
    printf("  a short kernel: %llu ns alone, %llu ns in a batch of 20\n",
           (unsigned long long)least_of(single), (unsigned long long)least_of(batch));
    ck_assert_uint_gt(least_of(batch), 0);
    ck_assert_uint_lt(least_of(single), 10000);
    ck_assert_uint_lt(least_of(single), 3 * least_of(batch) + 3000);
    result_free(single);
    result_free(batch);
    job_free(j);
}
END_TEST

// Waits for a known time by the card's own clock.
START_TEST(times_are_the_cards)
{
    const struct policy policy = {.launches = 5, .batch = 2, .fixed = true};
    struct job *j = filling("__device__ unsigned long long now()\n"
                            "{\n"
                            "    unsigned long long t;\n"
                            "    asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));\n"
                            "    return t;\n"
                            "}\n"
                            "__kernel void k(float *out)\n"
                            "{\n"
                            "    unsigned long long start = now();\n"
                            "    while (now() - start < 2000000) ;\n"
                            "    out[get_global_id(0)] = 2;\n"
                            "}\n"
                            "__kernel void short_one(float *out) { out[get_global_id(0)] = 2; }\n",
                            "k", 2);
    kit_launch(j, "short_one", N, 64);
    struct result *r = measure(j, &policy);
    for (uint32_t i = 0; i < r->sample_count; i++) {
        printf("  2 ms: %llu ns in all, %llu and %llu ns\n", (unsigned long long)r->samples_ns[i],
               (unsigned long long)r->parts_ns[2 * i], (unsigned long long)r->parts_ns[2 * i + 1]);
        ck_assert_uint_gt(r->parts_ns[2 * i], 1990000);
        ck_assert_uint_lt(r->parts_ns[2 * i], 2100000);
        ck_assert_uint_lt(r->parts_ns[2 * i + 1], 50000);
        ck_assert_uint_ge(r->samples_ns[i] + 2, r->parts_ns[2 * i] + r->parts_ns[2 * i + 1]);
    }
    result_free(r);
    job_free(j);
}
END_TEST

// 16 MiB lie in the second-level cache of any card of today, or in memory.
START_TEST(cold_launches_are_slower)
{
    const struct policy warm = {.launches = 5, .batch = 1, .fixed = true, .warmups = 1};
    const struct policy cold = {
        .launches = 5, .batch = 1, .fixed = true, .warmups = 1, .cold = true};
    struct job *j =
        kit_job("__kernel void k(const float *a, float *b)\n"
                "{\n"
                "    float s = 0;\n"
                "    for (int i = get_global_id(0); i < 4194304; i += 65536) s += a[i];\n"
                "    b[get_global_id(0)] = s;\n"
                "}\n");
    kit_buffer(j, "a", 4194304, ACCESS_READ);
    kit_buffer(j, "b", 65536, ACCESS_WRITE);
    kit_random(j, 0, 1);
    kit_launch(j, "k", 65536, 256);
    struct result *w = measure(j, &warm), *c = measure(j, &cold);
    printf("  16 MiB: %llu ns warm, %llu ns cold\n", (unsigned long long)least_of(w),
           (unsigned long long)least_of(c));
    ck_assert_uint_gt(least_of(c), least_of(w));
    result_free(w);
    result_free(c);
    job_free(j);
}
END_TEST

// ---- faults: each test is a process of its own, and the next one finds the card usable

static const struct {
    const char *code, *says;
} faults[] = {
    {"((float *)0x10000000)[i] = 1;", "an address that is not its own"},
    {"out[(1ull << 40) + i] = 1;", "an address that is not its own"},
    {"*(float *)((char *)out + 4 * i + 2) = 1;", "not a multiple of the access's size"},
    {"__trap();", "kernel"},
    {"asm volatile(\"trap;\");", "kernel"},
    {"__shared__ float t[4]; ((volatile float *)t)[100000000 + i] = 1;", "kernel"},
    {"void (*f)(int) = (void (*)(int))(0x123450ull + (out[i] > 1e30f)); f(1);", "kernel"},
};

START_TEST(a_fault_says_what_it_was_and_ends_the_context)
{
    struct text source = TEXT_INIT;
    text_addf(&source,
              "__kernel void k(float *out)\n"
              "{\n"
              "    unsigned i = get_global_id(0);\n"
              "    out[i] = 2;\n"
              "    %s\n"
              "}\n",
              faults[_i].code);
    struct job *j = filling(text_cstr(&source), "k", 2);
    text_release(&source);
    struct result *r = kit_verify(&kit, j);
    printf("  %s\n    %s\n", faults[_i].code, r->message);
    ck_status(r, STATUS_RUNTIME);
    ck_assert_int_eq(r->fault, FAULT_CONFIGURATION);
    ck_says(r, faults[_i].says);
    result_free(r);
    r = kit_verify(&kit, j);
    ck_status(r, STATUS_RUNTIME);
    ck_says(r, "the device was lost");
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(the_card_is_usable_after_faults)
{
    struct job *j = filling("__kernel void k(float *out) { out[get_global_id(0)] = 2; }", "k", 2);
    expect(j, STATUS_CORRECT, NULL);
}
END_TEST

// ---- the suite

static void add_tests(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, the_same_card_as_opencls);
    tcase_add_test(t, a_card_is_described);
    tcase_add_test(t, what_a_build_worker_built_runs);
    tcase_add_test(t, damaged_images_are_built_again);
    tcase_add_test(t, constants_are_copied_before_each_launch);
    tcase_add_test(t, constants_that_do_not_fit_are_named);
    tcase_add_test(t, dynamic_shared_memory_beyond_48_kib);
    tcase_add_test(t, launches_of_one_kernel_may_wish_differently);
    tcase_add_test(t, too_many_registers_for_the_block_are_refused);
    tcase_add_test(t, more_memory_than_the_card_has_is_refused);
    tcase_add_test(t, short_kernels_are_timed_without_the_host);
    tcase_add_test(t, times_are_the_cards);
    tcase_add_test(t, cold_launches_are_slower);
    tcase_add_loop_test(t, a_fault_says_what_it_was_and_ends_the_context, 0,
                        (int)(sizeof faults / sizeof *faults));
    tcase_add_test(t, the_card_is_usable_after_faults);
}

int main(void)
{
    setenv("HONE_TEST_DEVICE", "cuda/", 0);
    if (!kit_on_cuda()) {
        puts("skipped: HONE_TEST_DEVICE names no CUDA device");
        return KIT_SKIPPED;
    }
    if (!kit_has_device())
        return KIT_SKIPPED;
    return kit_run("cuda", add_tests);
}
