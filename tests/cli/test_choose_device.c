// Which device is meant, on made-up lists.
#include "cli/choose_device.h"

#include "../base/suite.h"

#include <string.h>

// As a platform that comes first might list them: the CPU before the GPUs.
static const struct device_info devices[] = {
    {.type = DEVICE_CPU,
     .name = "pthread-skylake",
     .platform = "Portable Computing Language",
     .id = "pocl/0"},
    {.type = DEVICE_INTEGRATED, .name = "UHD 630", .platform = "Intel OpenCL", .id = "intel/0"},
    {.type = DEVICE_GPU, .name = "H200 NVL", .platform = "NVIDIA CUDA", .id = "nvidia/b"},
    {.type = DEVICE_GPU, .name = "H200", .platform = "NVIDIA CUDA", .id = "nvidia/c"},
    {.type = DEVICE_GPU, .name = "H200", .platform = "NVIDIA CUDA", .id = "nvidia/a"},
};
#define COUNT (sizeof devices / sizeof *devices)

static const char *id_of(size_t count, const char *wanted)
{
    struct error e = ERROR_INIT;
    const struct device_info *d = choose_device(devices, count, wanted, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    return d->id;
}

static void refuses(size_t count, const char *wanted, const char *expected)
{
    struct error e = ERROR_INIT;
    ck_assert_ptr_null(choose_device(devices, count, wanted, &e));
    ck_assert_msg(strstr(e.text, expected) != NULL, "%s", e.text);
}

START_TEST(by_kind)
{
    ck_assert_str_eq(id_of(1, NULL), "pocl/0");
    ck_assert_str_eq(id_of(2, NULL), "intel/0");
    ck_assert_str_eq(id_of(3, NULL), "nvidia/b");
    ck_assert_str_eq(id_of(COUNT, NULL), "nvidia/a"); // "H200" before "H200 NVL", then by id
    ck_assert_str_eq(id_of(COUNT, ""), "nvidia/a");
}
END_TEST

START_TEST(by_a_part)
{
    ck_assert_str_eq(id_of(COUNT, "uhd"), "intel/0");
    ck_assert_str_eq(id_of(COUNT, "portable comp"), "pocl/0");
    ck_assert_str_eq(id_of(COUNT, "nvidia/c"), "nvidia/c");
    ck_assert_str_eq(id_of(COUNT, "nvl"), "nvidia/b");
}
END_TEST

START_TEST(an_equal_name_wins)
{
    ck_assert_str_eq(id_of(4, "h200"), "nvidia/c"); // also a part of "H200 NVL"
}
END_TEST

START_TEST(several)
{
    struct error e = ERROR_INIT;
    refuses(COUNT, "NVIDIA", "several devices fit 'NVIDIA'");
    refuses(COUNT, "h200", "id nvidia/a");
    ck_assert_ptr_null(choose_device(devices, COUNT, "h200", &e));
    ck_assert_msg(!strstr(e.text, "nvidia/b"), "%s", e.text); // its name is not equal
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert_uint_eq(count_fitting_devices(devices, COUNT, "h200"), 3);
}
END_TEST

START_TEST(none)
{
    refuses(COUNT, "MI300", "no device fits 'MI300'; there are:");
    refuses(COUNT, "MI300", "UHD 630 (integrated, Intel OpenCL), id intel/0");
    refuses(0, NULL, "there is no device");
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, by_kind);
    tcase_add_test(tests, by_a_part);
    tcase_add_test(tests, an_equal_name_wins);
    tcase_add_test(tests, several);
    tcase_add_test(tests, none);
}

int main(void)
{
    return suite_run("cli/choose_device", add);
}
