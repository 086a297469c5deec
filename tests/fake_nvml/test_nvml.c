// What is known of a card, on a management library and a driver without one: looks and what they
// cost, why it is slow, spinning it up, energy. Nothing that the library does or lacks fails a
// measurement.
#include "../device/kit.h"
#include "../support/patience.h"

#include "os/process.h"
#include "base/text.h"
#include "device/nvml.h"
#include "device/backends/opencl/opencl_api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define N 256

static void order(const char *variable, const char *value)
{
    ck_assert_int_eq(value ? setenv(variable, value, 1) : unsetenv(variable), 0);
}

static struct device_info card(void)
{
    return (struct device_info){
        .type = DEVICE_GPU, .language = LANGUAGE_OPENCL, .pci = "0000:65:00.0", .uuid = ""};
}

// ---- the card -----------------------------------------------------------------------------------

START_TEST(a_card_is_found_by_address_or_uuid)
{
    struct device_info d = card();
    struct nvml *n = nvml_open(&d);
    ck_assert_ptr_nonnull(n);
    ck_assert_uint_eq(nvml_most_mhz(n), 1980);
    nvml_close(n);
    d.pci = "0000:17:00.0"; // somebody else's
    ck_assert_ptr_null(nvml_open(&d));
    d.uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f";
    n = nvml_open(&d);
    ck_assert_ptr_nonnull(n);
    nvml_close(n);
    d.pci = d.uuid = "";
    ck_assert_ptr_null(nvml_open(&d));
    d = card();
    d.type = DEVICE_CPU;
    ck_assert_ptr_null(nvml_open(&d));
    order("FAKE_NVML_FAIL", "nvmlInit_v2");
    d = card();
    ck_assert_ptr_null(nvml_open(&d));
}
END_TEST

#define S(name) (1u << SLOWDOWN_##name)

START_TEST(reasons_are_told_apart)
{
    static const struct {
        const char *reasons, *mhz;
        uint32_t slowed;
    } cases[] = {
        {"0", "1980", 0},
        {"0x4", "1410", S(POWER)},
        {"0x4", "1980", 0}, // a limit that is not reached
        {"0x2", "1005", S(SETTING)},
        {"0x2", "1980", 0}, // the setting is the highest clock
        {"0x10", "1500", S(SETTING)},
        {"0x100", "1500", S(SETTING)},
        {"0x20", "1500", S(HEAT)},
        {"0x48", "1500", S(HEAT)},
        {"0x88", "1500", S(BRAKE)},
        {"0x8", "1500", S(BRAKE)},
        {"0xc8", "1980", S(HEAT) | S(BRAKE)},
        {"0x24", "1500", S(HEAT) | S(POWER)},
        {"0x1", "345", 0}, // idle
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device_info d = card();
        struct nvml_snapshot snapshot;
        order("FAKE_NVML_REASONS", cases[i].reasons);
        order("FAKE_NVML_MHZ", cases[i].mhz);
        struct nvml *n = nvml_open(&d);
        ck_assert(nvml_snapshot(n, true, &snapshot));
        ck_assert_msg(snapshot.slowed == cases[i].slowed, "%s at %s MHz: %x", cases[i].reasons,
                      cases[i].mhz, snapshot.slowed);
        ck_assert_uint_eq(snapshot.mhz, strtoul(cases[i].mhz, NULL, 10));
        ck_assert_uint_eq(snapshot.milliwatts, 400000);
        ck_assert_uint_eq(snapshot.celsius, 61);
        ck_assert_uint_eq(snapshot.memory_mhz, 3201);
        nvml_close(n);
    }
}
END_TEST

// A look that took 5 ms is not due again for a quarter of a second; meanwhile it answers again.
START_TEST(looks_cost_little)
{
    struct device_info d = card();
    struct nvml_snapshot snapshot;
    struct nvml *n = nvml_open(&d);
    ck_assert(nvml_due(n));
    order("FAKE_NVML_SLEEP_US", "1000");
    ck_assert(nvml_snapshot(n, nvml_due(n), &snapshot));
    ck_assert(!nvml_due(n));
    order("FAKE_NVML_MHZ", "1410");
    ck_assert(nvml_snapshot(n, nvml_due(n), &snapshot));
    ck_assert_uint_eq(snapshot.mhz, 1980);
    ck_assert(nvml_snapshot(n, true, &snapshot));
    ck_assert_uint_eq(snapshot.mhz, 1410);
    nvml_close(n);
    ck_assert(!nvml_due(NULL) && !nvml_snapshot(NULL, true, &snapshot));
}
END_TEST

// ---- measuring ----------------------------------------------------------------------------------

struct bench {
    struct kit kit;
    struct job *job;
    struct loaded *loaded;
    unsigned (*count)(const char *call);
};

// c = a + b; with `both` also in place, so that there is something to restore.
static struct job *adding(bool both)
{
    struct job *j = kit_job("__kernel void add(__global const float *a, __global float *b,\n"
                            "                  __global float *c, int n) { /* fake:add */ }\n");
    int32_t *n = arena_alloc(&j->arena, sizeof *n);
    kit_buffer(j, "a", N, ACCESS_READ);
    kit_buffer(j, "b", N, both ? ACCESS_BOTH : ACCESS_READ);
    kit_buffer(j, "c", N, ACCESS_WRITE);
    kit_constant(j, 0, 1.5);
    kit_constant(j, 1, 2);
    struct job_launch *l = kit_launch(j, "add", N, 64);
    *n = N;
    struct job_argument scalar = {.kind = ARGUMENT_SCALAR, .name = "n", .value = n, .length = 4};
    scalar.element = (struct element){SCALAR_I32, 1, 0, false};
    struct job_argument *all = arena_array(&j->arena, l->argument_count + 1, sizeof *all);
    memcpy(all, l->arguments, l->argument_count * sizeof *all);
    all[l->argument_count++] = scalar;
    l->arguments = all;
    return j;
}

static void set_up(struct bench *b, bool both)
{
    struct result *r = result_new();
    void *driver = dlopen(OPENCL_LIBRARY, RTLD_NOW);
    void *symbol = driver ? dlsym(driver, "fake_count") : NULL;
    ck_assert_msg(symbol != NULL, "LD_LIBRARY_PATH does not name the fake driver");
    memcpy(&b->count, &symbol, sizeof b->count);
    order("FAKE_CL_KIND", "card");
    kit_open(&b->kit, NULL);
    b->job = adding(both);
    b->loaded = device_load(b->kit.device, b->job, NULL, r);
    ck_assert_ptr_nonnull(b->loaded);
    result_free(r);
}

static void tear_down(struct bench *b)
{
    device_unload(b->kit.device, b->loaded);
    job_free(b->job);
    kit_close(&b->kit);
}

static struct result *measure(struct bench *b, const struct policy *p)
{
    struct result *r = result_new();
    device_measure(b->kit.device, b->loaded, p, r);
    ck_status(r, STATUS_CORRECT);
    ck_assert_uint_eq(r->sample_count, p->launches);
    return r;
}

START_TEST(clocks_are_in_the_result)
{
    struct policy policy = {.launches = 3, .batch = 1, .warmups = 1};
    struct bench b;
    order("FAKE_NVML_MHZ", "1410");
    order("FAKE_NVML_REASONS", "0x4");
    set_up(&b, true);
    struct result *r = measure(&b, &policy);
    ck_assert(r->gpu.known);
    ck_assert_uint_eq(r->gpu.mhz_before, 1410);
    ck_assert_uint_eq(r->gpu.mhz_after, 1410);
    ck_assert_uint_eq(r->gpu.slowed, S(POWER));
    ck_assert_uint_eq(r->gpu.milliwatts, 400000);
    ck_assert_uint_eq(r->machine.mhz, 1410);
    ck_assert(r->energy.microjoules == 0 && r->energy.refused[0] == '\0');
    result_free(r);
    tear_down(&b);
}
END_TEST

static unsigned launches_of(struct bench *b, const struct policy *p, struct gpu_snapshot *gpu)
{
    unsigned before = b->count("clEnqueueNDRangeKernel");
    struct result *r = measure(b, p);
    *gpu = r->gpu;
    result_free(r);
    return b->count("clEnqueueNDRangeKernel") - before;
}

// A card that was idle is launched on, untimed, until its clock is up.
START_TEST(an_idle_card_is_spun_up)
{
    struct policy policy = {.launches = 1, .batch = 1};
    struct gpu_snapshot gpu;
    struct bench b;
    set_up(&b, true);
    unsigned usual = launches_of(&b, &policy, &gpu);
    tear_down(&b);
    order("FAKE_NVML_RISE", "1000");
    set_up(&b, true);
    order("FAKE_NVML_RISE", "10");
    unsigned spun = launches_of(&b, &policy, &gpu);
    if (gpu.mhz_before != 1980) // the time for it was up: others had the cores
        spun += launches_of(&b, &policy, &gpu);
    ck_assert_uint_gt(spun, usual);
    ck_assert_uint_le(spun, 2 * usual + 10);
    ck_assert_uint_eq(gpu.mhz_before, 1980);
    tear_down(&b);
}
END_TEST

// One whose clock stays low is not spun for ever, and not again: somebody holds it there.
START_TEST(a_locked_card_is_spun_once)
{
    struct policy policy = {.launches = 1, .batch = 1};
    struct gpu_snapshot gpu;
    struct bench b;
    order("FAKE_NVML_MHZ", "1005");
    set_up(&b, true);
    uint64_t start = clock_ns();
    unsigned first = launches_of(&b, &policy, &gpu);
    ck_assert_uint_gt(first, 3);
    ck_assert_uint_ge(clock_ns() - start, UINT64_C(50) * 1000000);
    ck_assert_uint_lt(clock_ns() - start, patience() * 5000 * 1000000);
    unsigned second = launches_of(&b, &policy, &gpu);
    ck_assert_uint_lt(second, first);
    ck_assert_uint_eq(launches_of(&b, &policy, &gpu), second); // no more than what checks take
    tear_down(&b);
}
END_TEST

// Another of the library's calls fails in each turn: less is known, and nothing else.
START_TEST(a_failing_library_fails_nothing)
{
    static const char *const calls[] = {"nvmlInit_v2",
                                        "nvmlDeviceGetHandleByPciBusId_v2",
                                        "nvmlDeviceGetClockInfo",
                                        "nvmlDeviceGetMaxClockInfo",
                                        "nvmlDeviceGetPowerUsage",
                                        "nvmlDeviceGetTemperature",
                                        "nvmlDeviceGetCurrentClocksEventReasons",
                                        "nvmlDeviceGetTotalEnergyConsumption",
                                        "nvmlDeviceGetMigMode",
                                        "nvmlDeviceGetProcessUtilization",
                                        "nvmlShutdown",
                                        "all"};
    struct policy policy = {.launches = 2, .batch = 1};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct bench b;
        order("FAKE_NVML_FAIL", calls[i]);
        set_up(&b, true);
        policy.energy = i == 7 || i + 1 == sizeof calls / sizeof *calls;
        struct result *r = measure(&b, &policy);
        ck_assert_msg(r->gpu.known == (i > 1 && i + 1 < sizeof calls / sizeof *calls), "%s",
                      calls[i]);
        ck_assert_msg(!policy.energy || r->energy.refused[0], "%s", calls[i]);
        result_free(r);
        tear_down(&b);
    }
}
END_TEST

// ---- energy -------------------------------------------------------------------------------------

// 400 W over half a second or more, whatever the counter's steps are.
START_TEST(energy_of_a_launch)
{
    static const char *const steps[] = {"20", "100"};
    struct policy policy = {.launches = 2, .batch = 1, .energy = true};
    struct bench b;
    order("FAKE_NVML_STEP_MS", steps[_i]);
    set_up(&b, false);
    struct result *r = measure(&b, &policy);
    ck_assert_str_eq(r->energy.refused, "");
    ck_assert_uint_gt(r->energy.microjoules, 0);
    ck_assert_uint_ge(r->energy.span_ns, UINT64_C(500) * 1000000);
    double joules = (double)r->energy.microjoules * r->energy.launches / 1e6;
    double watts = joules / ((double)r->energy.span_ns / 1e9);
    // Integer microjoules, and a machine whose cores may be busy with something else.
    ck_assert_msg(watts > 300 && watts < 500, "%g W over %u launches", watts, r->energy.launches);
    ck_assert_double_eq(result_joule(r), (double)r->energy.microjoules / 1e6);
    result_free(r);
    tear_down(&b);
}
END_TEST

// A request may be for the energy alone.
START_TEST(energy_without_samples)
{
    struct policy policy = {.batch = 1, .energy = true};
    struct bench b;
    set_up(&b, false);
    struct result *r = measure(&b, &policy);
    ck_assert_uint_gt(r->energy.microjoules, 0);
    ck_assert(!r->gpu.known);
    result_free(r);
    tear_down(&b);
}
END_TEST

static const struct {
    const char *variable, *value;
    bool both, cold;
    const char *why;
} refusals[] = {
    {"FAKE_NVML_FAIL", "nvmlInit_v2", false, false, "there is no libnvidia-ml.so.1"},
    {"FAKE_NVML_FAIL", "nvmlDeviceGetTotalEnergyConsumption", false, false, "does not count"},
    {"FAKE_NVML_MIG", "1", false, false, "divided"},
    {"FAKE_NVML_USERS", "2", false, false, "another process"},
    {"FAKE_NVML_STEP_MS", "0", false, false, "stood still"},
    {"FAKE_NVML_MIG", "0", true, false, "restored between launches"},
    {"FAKE_NVML_MIG", "0", false, true, "caches are cleared"},
};

START_TEST(energy_is_refused_with_a_reason)
{
    struct policy policy = {.launches = 1, .batch = 1, .cold = refusals[_i].cold, .energy = true};
    struct bench b;
    order(refusals[_i].variable, refusals[_i].value);
    set_up(&b, refusals[_i].both);
    struct result *r = measure(&b, &policy);
    ck_assert_uint_eq(r->energy.microjoules, 0);
    ck_assert_msg(strstr(r->energy.refused, refusals[_i].why) != NULL, "%s", r->energy.refused);
    result_free(r);
    tear_down(&b);
}
END_TEST

// ---- an older library ---------------------------------------------------------------------------

START_TEST(an_old_library_tells_what_it_can)
{
    struct policy policy = {.launches = 1, .batch = 1, .energy = true};
    struct bench b;
    order("FAKE_NVML_MHZ", "1410");
    order("FAKE_NVML_REASONS", "0x4");
    set_up(&b, false);
    struct result *r = measure(&b, &policy);
    ck_assert(r->gpu.known);
    ck_assert_uint_eq(r->gpu.slowed, S(POWER));
    ck_assert_ptr_nonnull(strstr(r->energy.refused, "does not count"));
    result_free(r);
    tear_down(&b);
}
END_TEST

static void add(TCase *t)
{
    void *library = dlopen(NVML_LIBRARY, RTLD_NOW);
    bool is_old = library && !dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
    tcase_add_test(t, a_card_is_found_by_address_or_uuid);
    tcase_add_test(t, reasons_are_told_apart);
    if (is_old) {
        tcase_add_test(t, an_old_library_tells_what_it_can);
        return;
    }
    tcase_add_test(t, looks_cost_little);
    tcase_add_test(t, clocks_are_in_the_result);
    tcase_add_test(t, an_idle_card_is_spun_up);
    tcase_add_test(t, a_locked_card_is_spun_once);
    tcase_add_test(t, a_failing_library_fails_nothing);
    tcase_add_loop_test(t, energy_of_a_launch, 0, 2);
    tcase_add_test(t, energy_without_samples);
    tcase_add_loop_test(t, energy_is_refused_with_a_reason, 0,
                        (int)(sizeof refusals / sizeof *refusals));
}

int main(void)
{
    return kit_run("what is known of a card", add);
}
