// The list of devices: the views of one card belong together, in text and JSON.
#include "report/report.h"
#include "worker/protocol.h"

#include "../base/suite.h"

#include <string.h>

#define UUID "4b2c8a10-1111-2222-3333-444455556666"

// As two backends list them, one after the other. OpenCL does not say the CPU's address.
static const struct device_info devices[] = {
    {.language = LANGUAGE_OPENCL,
     .type = DEVICE_GPU,
     .id = "opencl/NVIDIA CUDA/NVIDIA H200/" UUID,
     .name = "NVIDIA H200",
     .vendor = "NVIDIA Corporation",
     .platform = "NVIDIA CUDA",
     .driver = "580.159.04",
     .uuid = UUID,
     .pci = "0000:65:00.0",
     .compute_units = 132,
     .clock_mhz = 1980,
     .global_bytes = 150323855360,
     .local_bytes = 49152,
     .max_group_size = 1024,
     .capability = 90,
     .float64 = true,
     .float16 = true},
    {.language = LANGUAGE_OPENCL,
     .type = DEVICE_CPU,
     .id = "opencl/Portable Computing Language/pthread-skylake-avx512-Intel(R) Xeon(R) Processor/0",
     .name = "pthread-skylake-avx512-Intel(R) Xeon(R) Processor",
     .platform = "Portable Computing Language",
     .driver = "3.1+debian",
     .uuid = "",
     .pci = "",
     .compute_units = 1,
     .clock_mhz = 2000,
     .global_bytes = 1073741824,
     .local_bytes = 524288,
     .max_group_size = 4096,
     .float64 = true},
    {.language = LANGUAGE_CUDA,
     .type = DEVICE_GPU,
     .id = "cuda/NVIDIA H200/GPU-" UUID,
     .name = "NVIDIA H200",
     .vendor = "NVIDIA Corporation",
     .platform = "CUDA",
     .driver = "580.159.04",
     .uuid = "GPU-" UUID,
     .pci = "00000000:65:00.0",
     .compute_units = 132,
     .clock_mhz = 1980,
     .global_bytes = 150323855360,
     .local_bytes = 232448,
     .max_group_size = 1024,
     .capability = 90,
     .float64 = true,
     .float16 = true},
};
#define COUNT (sizeof devices / sizeof *devices)

static void write_devices_as(enum report_format format, const struct device_info *list,
                             uint32_t count, struct text *out)
{
    struct arena a;
    arena_init(&a);
    struct device_info *numbered = arena_copy(&a, list, count * sizeof *list);
    ck_assert(numbered && device_number_cards(numbered, count, &a));
    struct device_report report = {.devices = numbered, .device_count = count};
    writer_end(&devices_writers[format], &report, out);
    arena_release(&a);
}

START_TEST(views_of_a_card)
{
    struct text out = TEXT_INIT;
    write_devices_as(REPORT_TEXT, devices, COUNT, &out);
    ck_assert_str_eq(
        text_cstr(&out),
        "0: NVIDIA H200: gpu, 132 compute units, 1980 MHz, 140 GiB\n"
        "  PCI 0000:65:00.0, UUID " UUID "\n"
        "  OpenCL, NVIDIA CUDA, driver 580.159.04: work-group 1024, local 48 KiB, fp32 fp64 fp16, "
        "sm_90\n"
        "      opencl/NVIDIA CUDA/NVIDIA H200/" UUID "\n"
        "  CUDA, driver 580.159.04: work-group 1024, local 227 KiB, fp32 fp64 fp16, sm_90\n"
        "      cuda/NVIDIA H200/GPU-" UUID "\n"
        "1: pthread-skylake-avx512-Intel(R) Xeon(R) Processor: cpu, 1 compute unit, 2000 MHz, 1 "
        "GiB\n"
        "  OpenCL, Portable Computing Language, driver 3.1+debian: work-group 4096, local 512 KiB, "
        "fp32 fp64\n"
        "      opencl/Portable Computing Language/pthread-skylake-avx512-Intel(R) Xeon(R) "
        "Processor/0\n");
    text_release(&out);
}
END_TEST

// A terminal has about a hundred columns.
START_TEST(no_wide_lines)
{
    struct text out = TEXT_INIT;
    struct device_info wide = devices[1];
    wide.driver = "3.1+debian with a long name of a version, 2023-05-11";
    write_devices_as(REPORT_TEXT, &wide, 1, &out);
    char *rest = NULL;
    for (char *line = strtok_r(out.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        ck_assert_msg(strlen(line) <= 100, "%s", line);
    text_release(&out);
}
END_TEST

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

START_TEST(card_in_json)
{
    struct text out = TEXT_INIT;
    write_devices_as(REPORT_JSON, devices, COUNT, &out);
    ck_assert_uint_eq(count_of(text_cstr(&out), "{\"card\":\"0000:65:00.0\",\"name\":"), 2);
    ck_assert_uint_eq(count_of(text_cstr(&out), "{\"card\":\"opencl/Portable Computing"), 1);
    ck_assert_uint_eq(count_of(text_cstr(&out), "\"language\":\"cuda\""), 1);
    text_release(&out);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, views_of_a_card);
    tcase_add_test(tests, no_wide_lines);
    tcase_add_test(tests, card_in_json);
}

int main(void)
{
    return suite_run("report/devices", add);
}
