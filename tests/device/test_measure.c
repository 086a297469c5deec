// Measuring on a real OpenCL device: what surrounds a timed launch, and what is looked at after the
// last one.
#include "kit.h"

#include "os/process.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1024

static struct kit kit;

struct announced {
    uint32_t launching, launches; // how often, and the last number
};

static struct announced announced;

static void on_phase(void *context, enum phase_kind phase, uint32_t launches, bool compiles)
{
    struct announced *a = context;
    (void)compiles;
    if (phase != PHASE_LAUNCHING)
        return;
    a->launching++;
    a->launches = launches;
}

static void set_up(void)
{
    struct device_options o = {.phase = on_phase, .context = &announced};
    kit_open_as(&kit, &o);
}

static void tear_down(void)
{
    kit_close(&kit);
}

// ---- jobs

// Adds one to every element of a buffer of fives.
static struct job *counting(bool keep)
{
    struct job *j = kit_job("__kernel void k(__global float *b) { b[get_global_id(0)] += 1; }\n");
    float expected[N];
    for (int i = 0; i < N; i++)
        expected[i] = 6;
    kit_buffer(j, "b", N, ACCESS_BOTH);
    kit_constant(j, 0, 5);
    kit_launch(j, "k", N, 64);
    kit_expect(j, 0, expected);
    j->buffers[0].keep = keep;
    return j;
}

// Right in a launch that finds its second output poisoned, wrong in one that finds its own there.
static struct job *right_at_first(void)
{
    struct job *j = kit_job("__kernel void k(__global float *b, __global float *c) {\n"
                            "    size_t i = get_global_id(0);\n"
                            "    b[i] = c[i] == 7 ? 4 : 3;\n"
                            "    c[i] = 7;\n"
                            "}\n");
    float expected[N];
    for (int i = 0; i < N; i++)
        expected[i] = 3;
    kit_buffer(j, "b", N, ACCESS_WRITE);
    kit_buffer(j, "c", N, ACCESS_WRITE);
    kit_launch(j, "k", N, 64);
    kit_expect(j, 0, expected);
    return j;
}

// Right in so many launches (the verified one, one before batches that times them, and untimed
// ones among them), which it counts in memory of its own, and then wrong in each `every`th.
static struct job *right_until(unsigned launches, unsigned every)
{
    char source[512];
    const float expected[] = {3};
    str_format(source, sizeof source,
               "#ifdef __CUDACC__\n__device__ unsigned seen;\n"
               "#else\n__global unsigned seen = 0;\n#endif\n"
               "__kernel void k(__global float *b) {\n"
               "    b[0] = seen >= %u && seen %% %u == 0 ? 4 : 3;\n"
               "    seen++;\n"
               "}\n",
               launches, every);
    struct job *j = kit_job(source);
    kit_buffer(j, "b", 1, ACCESS_WRITE);
    kit_launch(j, "k", 1, 1);
    kit_expect(j, 0, expected);
    if (!kit_on_cuda())
        kit_option(j, "-cl-std=CL2.0");
    return j;
}

static struct result *measure_loaded(struct loaded *l, const struct policy *p)
{
    struct result *r = result_new();
    device_measure(kit.device, l, p, r);
    return r;
}

static struct loaded *load(const struct job *j)
{
    struct result *r = result_new();
    struct policy policy = {.launches = 1, .batch = 1};
    struct loaded *l = device_load(kit.device, j, NULL, r);
    ck_assert_msg(l && device_verify(kit.device, l, &policy, r), "%s: %s", r->message,
                  r->log ? r->log : "");
    result_free(r);
    return l;
}

// ---- warm-ups

// The kept buffer counts every launch since it was set up: three samples of two launches, each
// after two that are not timed.
START_TEST(each_sample_follows_its_untimed_launches)
{
    struct job *j = counting(true);
    struct policy policy = {.launches = 3, .batch = 2, .warmups = 2, .fixed = true};
    struct loaded *l = load(j);
    struct text out = TEXT_INIT;
    float first = 0;
    announced = (struct announced){0};
    struct result *r = measure_loaded(l, &policy);
    ck_status(r, STATUS_CORRECT);
    ck_assert_uint_eq(r->sample_count, 3);
    ck_assert_uint_eq(r->warmups, 2);
    ck_assert_uint_eq(announced.launching, 1);
    ck_assert_uint_eq(announced.launches, 3 * (2 + 2));
    ck_assert(device_output(kit.device, l, 0, &out, NULL));
    memcpy(&first, out.data, sizeof first);
    ck_assert_double_eq(first, 5 + 3 * (2 + 2));
    text_release(&out);
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(untimed_launches_start_from_restored_contents)
{
    struct job *j = counting(false);
    struct policy policy = {.launches = 2, .batch = 3, .warmups = 2, .check = POLICY_CHECK_EACH};
    struct loaded *l = load(j);
    struct result *r = measure_loaded(l, &policy);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    ck_assert_uint_eq(r->deviation_count, 1);
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

// ---- the comparison of timed launches

START_TEST(each_launch_finds_poison)
{
    static const struct policy policies[] = {
        {.launches = 2, .batch = 1, .check = POLICY_CHECK_EACH},
        {.launches = 2, .batch = 3, .check = POLICY_CHECK_EACH},   // each on a copy of its own
        {.launches = 1, .batch = 200, .check = POLICY_CHECK_EACH}, // more than there are copies
        {.launches = 2, .batch = 2, .warmups = 1, .check = POLICY_CHECK_EACH},
        {.launches = 3, .batch = 2, .check = POLICY_CHECK_ONE, .chosen = 4},
    };
    struct job *j = right_at_first();
    struct loaded *l = load(j);
    struct result *r = measure_loaded(l, &policies[_i]);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(the_launch_that_differs_is_named)
{
    static const struct {
        struct policy policy;
        unsigned right, every;
        const char *says; // NULL: it is not found
    } cases[] = {
        // Not asked for: a time of a kernel that is wrong by then.
        {{.launches = 3, .batch = 1}, 1, 1, NULL},
        {{.launches = 3, .batch = 1, .check = POLICY_CHECK_EACH}, 2, 1, "timed launch 2 differs"},
        {{.launches = 1, .batch = 3, .check = POLICY_CHECK_EACH}, 4, 1, "timed launch 3 differs"},
        {{.launches = 2, .batch = 4, .check = POLICY_CHECK_EACH}, 8, 1, "timed launch 7 differs"},
        {{.launches = 4, .batch = 1, .check = POLICY_CHECK_EACH}, 3, 2, "timed launch 4 differs"},
        {{.launches = 2, .batch = 1, .warmups = 1, .check = POLICY_CHECK_EACH},
         3,
         1,
         "timed launch 2 differs"},
        {{.launches = 4, .batch = 2, .check = POLICY_CHECK_ONE, .chosen = 5},
         7,
         1,
         "launch 6 differs"},
        {{.launches = 4, .batch = 2, .check = POLICY_CHECK_ONE, .chosen = 8 + 3}, 4, 4, NULL},
    };
    struct job *j = right_until(cases[_i].right, cases[_i].every);
    struct loaded *l = load(j);
    struct policy policy = cases[_i].policy;
    struct result *r = measure_loaded(l, &policy);
    ck_status(r, cases[_i].says ? STATUS_CORRECTNESS : STATUS_CORRECT);
    if (cases[_i].says) {
        ck_says(r, cases[_i].says);
        ck_assert_uint_eq(r->deviations[0].wrong, 1);
        ck_assert_double_eq(r->deviations[0].got, 4);
    }
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

// ---- other inputs

// b = 2 a of random numbers, by a reference that follows them; with `keeps` of those of the first launch.
static struct job *doubling(bool keeps)
{
    char source[512];
    struct job *j;
    str_format(source, sizeof source,
               "#ifdef __CUDACC__\n__device__ float kept[%d];\n"
               "#else\n__global float kept[%d];\n#endif\n"
               "__kernel void k(__global const float *a, __global float *b) {\n"
               "    size_t i = get_global_id(0);\n"
               "    if (!%d || kept[i] == 0) kept[i] = 2 * a[i];\n"
               "    b[i] = kept[i];\n"
               "}\n",
               N, N, keeps);
    j = kit_job(source);
    kit_buffer(j, "a", N, ACCESS_READ);
    kit_buffer(j, "b", N, ACCESS_WRITE);
    kit_random(j, 0, 1);
    kit_launch(j, "k", N, 64);
    j->buffers[1].output = true;
    j->buffers[1].compare.kind = COMPARE_EXACT;
    j->reference.kind = REFERENCE_EXPRESSION;
    j->reference.expressions = arena_array(&j->arena, 1, sizeof *j->reference.expressions);
    j->reference.expressions[0] = (struct job_expression){.buffer = 1, .text = "2 * a[i]"};
    j->reference.expression_count = 1;
    if (!kit_on_cuda())
        kit_option(j, "-cl-std=CL2.0");
    return j;
}

START_TEST(other_inputs_show_what_is_kept)
{
    struct job *j = doubling(_i);
    const struct policy own = {.launches = 2, .batch = 2, .check = POLICY_CHECK_EACH};
    const struct policy other = {
        .launches = 1, .batch = 1, .check = POLICY_CHECK_EACH, .inputs = POLICY_OTHER_INPUTS};
    const struct policy *const policies[] = {&own, &other, &own};
    struct loaded *l = load(j);
    ck_assert_ptr_null(job_inputs_stay(j));
    for (int i = 0; i < 3; i++) {
        struct result *r = measure_loaded(l, policies[i]);
        ck_status(r, _i && i == 1 ? STATUS_CORRECTNESS : STATUS_CORRECT);
        if (_i && i == 1)
            ck_says(r, "on other inputs the output of timed launch 5 differs: b: ");
        result_free(r);
    }
    device_unload(kit.device, l);
    job_free(j);
}
END_TEST

// What one launch should make of it is not what several made of it.
START_TEST(kept_contents_are_not_compared)
{
    struct job *j = counting(true);
    struct policy policy = {.launches = 2, .batch = 1, .check = POLICY_CHECK_EACH};
    struct loaded *l = load(j);
    struct result *r = measure_loaded(l, &policy);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_NONE);
    ck_assert_uint_eq(r->deviation_count, 0);
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

// ---- cold caches

#define ROUNDS 8

// Reads 1 MiB: all of it from the second-level cache, or all of it from memory.
static struct job *reading(void)
{
    struct job *j = kit_job("__kernel void k(__global const float16 *a, __global float *b) {\n"
                            "    float16 s = 0;\n"
                            "    for (int i = 0; i < 16384; i++) s += a[i];\n"
                            "    b[get_global_id(0)] = s.s0 + s.s7;\n"
                            "}\n");
    kit_buffer(j, "a", 16384 * 16, ACCESS_READ);
    kit_buffer(j, "b", 1, ACCESS_WRITE);
    kit_random(j, 0, 1);
    kit_launch(j, "k", 1, 1);
    return j;
}

static uint64_t fastest(struct loaded *l, bool cold)
{
    struct policy policy = {.launches = 3, .batch = 1, .warmups = 1, .fixed = true, .cold = cold};
    struct result *r = measure_loaded(l, &policy);
    uint64_t least = UINT64_MAX;
    ck_status(r, STATUS_CORRECT);
    ck_assert(r->warm == !cold);
    for (uint32_t i = 0; i < r->sample_count; i++)
        least = r->samples_ns[i] < least ? r->samples_ns[i] : least;
    result_free(r);
    return least;
}

// Times of a machine that others use as well: the claim must come true once in a few rounds.
START_TEST(cold_launches_are_slower)
{
    struct job *j = reading();
    struct loaded *l = load(j);
    uint64_t warm = 0, cold = 0;
    bool slower = false;
    for (int i = 0; !slower && i < ROUNDS; i++) {
        warm = fastest(l, false);
        cold = fastest(l, true);
        slower = cold > warm + warm / 4;
        printf("  warm %llu ns, cold %llu ns\n", (unsigned long long)warm,
               (unsigned long long)cold);
    }
    ck_assert_msg(slower, "warm %llu ns, cold %llu ns", (unsigned long long)warm,
                  (unsigned long long)cold);
    device_unload(kit.device, l);
    job_free(j);
}
END_TEST

// ---- the look

START_TEST(a_result_says_what_else_the_machine_did)
{
    struct job *j = counting(false);
    struct policy policy = {.launches = 2, .batch = 1};
    struct loaded *l = load(j);
    uint64_t start = clock_ns();
    struct result *r = measure_loaded(l, &policy);
    ck_assert_uint_ge(r->machine.at_ns, start);
    ck_assert_uint_le(r->machine.at_ns, clock_ns());
    ck_assert_uint_le(r->machine.cores, 1024);
    if (r->machine.cores == 0)
        puts("skipped: /proc/stat does not tell of this machine's cores");
    device_unload(kit.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

static void add(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, each_sample_follows_its_untimed_launches);
    tcase_add_test(t, untimed_launches_start_from_restored_contents);
    tcase_add_loop_test(t, each_launch_finds_poison, 0, 5);
    tcase_add_loop_test(t, the_launch_that_differs_is_named, 0, 8);
    tcase_add_loop_test(t, other_inputs_show_what_is_kept, 0, 2);
    tcase_add_test(t, kept_contents_are_not_compared);
    if (!kit_on_cuda()) // which has no float16; test_cuda.c has a kernel for it
        tcase_add_test(t, cold_launches_are_slower);
    tcase_add_test(t, a_result_says_what_else_the_machine_did);
}

int main(void)
{
    if (!kit_has_device())
        return KIT_SKIPPED;
    return kit_run("measure", add);
}
