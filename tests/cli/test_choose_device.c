// Which device is meant, on made-up lists.
#include "base/text.h"
#include "lib/choose_device.h"

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

// The host's C device: whatever is said, it stands behind all that fit it, too.
START_TEST(the_last_language)
{
    const struct device_info host[] = {
        {.language = LANGUAGE_C,
         .type = DEVICE_CPU,
         .name = "skylake",
         .platform = "C",
         .id = "c/skylake"},
        devices[0],
    };
    struct error e = ERROR_INIT;
    ck_assert_str_eq(choose_device(host, 2, NULL, &e)->id, "pocl/0");
    ck_assert_str_eq(choose_device(host, 2, "skylake", &e)->id, "pocl/0");
    ck_assert_str_eq(choose_device(host, 2, "c/skylake", &e)->id, "c/skylake");
    ck_assert_str_eq(choose_device(host, 1, NULL, &e)->id, "c/skylake");
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
    ck_assert_ptr_null(choose_device(devices, COUNT, "NVIDIA", &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert_uint_eq(count_fitting_devices(devices, COUNT, "h200"), 3);
}
END_TEST

// Equal cards are no several: the first is taken, and the others are told. One of another model is none of them.
START_TEST(equal_cards)
{
    const struct device_info *first = choose_device(devices, COUNT, "h200", NULL);
    ck_assert_ptr_eq(first, &devices[3]);
    ck_assert_ptr_eq(next_equal_device(devices, COUNT, "h200", first), &devices[4]);
    ck_assert_ptr_null(next_equal_device(devices, COUNT, "h200", &devices[4]));
    ck_assert_ptr_null(next_equal_device(devices, COUNT, "nvidia/a", &devices[4]));
    struct device_info other[] = {devices[3], devices[4]};
    struct error e = ERROR_INIT;
    other[1].driver = "another";
    ck_assert_ptr_null(choose_device(other, 2, "h200", &e));
    ck_assert_msg(strstr(e.text, "several devices fit") != NULL, "%s", e.text);
}
END_TEST

// An H200 and an A100, each in two languages, and a part of the second (MIG); the OpenCL ones do
// not say all of what CUDA says, and in another form.
static const struct device_info cards[] = {
    {.language = LANGUAGE_OPENCL,
     .type = DEVICE_GPU,
     .name = "NVIDIA H200",
     .platform = "NVIDIA CUDA",
     .pci = "0000:65:00.0",
     .uuid = "",
     .id = "opencl/h200"},
    {.language = LANGUAGE_OPENCL,
     .type = DEVICE_GPU,
     .name = "NVIDIA A100",
     .platform = "NVIDIA CUDA",
     .pci = "0000:17:00.0",
     .uuid = "4b2c0000-0000-0000-0000-00000000000a",
     .id = "opencl/a100"},
    {.language = LANGUAGE_OPENCL,
     .type = DEVICE_CPU,
     .name = "pthread",
     .platform = "Portable Computing Language",
     .pci = "",
     .uuid = "",
     .id = "opencl/pthread"},
    {.language = LANGUAGE_CUDA,
     .type = DEVICE_GPU,
     .name = "NVIDIA A100",
     .platform = "CUDA",
     .pci = "",
     .uuid = "GPU-4B2C0000-0000-0000-0000-00000000000A",
     .id = "cuda/a100"},
    {.language = LANGUAGE_CUDA,
     .type = DEVICE_GPU,
     .name = "NVIDIA H200",
     .platform = "CUDA",
     .pci = "00000000:65:00.0",
     .uuid = "GPU-0000",
     .id = "cuda/h200"},
    {.language = LANGUAGE_CUDA,
     .type = DEVICE_GPU,
     .name = "NVIDIA H200 MIG 1g",
     .platform = "CUDA",
     .pci = "00000000:65:00.0",
     .uuid = "MIG-1111",
     .id = "cuda/mig"},
};

static const char *card_of(size_t first, size_t count, const char *wanted)
{
    struct error e = ERROR_INIT;
    const struct device_info *d = choose_device(cards + first, count, wanted, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    return d->id;
}

START_TEST(two_views_of_a_card)
{
    ck_assert(device_same_card(&cards[0], &cards[4])); // by address
    ck_assert(device_same_card(&cards[1], &cards[3])); // by UUID
    ck_assert(!device_same_card(&cards[0], &cards[1]));
    ck_assert(!device_same_card(&cards[2], &cards[3]));
    ck_assert(!device_same_card(&cards[4], &cards[5]));     // parts of one card
    ck_assert(!device_same_card(&devices[3], &devices[4])); // nothing is known
    // The view that stands first in the list, by a name and without one.
    ck_assert_str_eq(card_of(0, 5, "h200"), "opencl/h200");
    ck_assert_str_eq(card_of(1, 4, "h200"), "cuda/h200");
    ck_assert_str_eq(card_of(0, 5, "NVIDIA A100"), "opencl/a100");
    ck_assert_str_eq(card_of(0, 5, NULL), "opencl/a100");
    ck_assert_str_eq(card_of(2, 3, NULL), "cuda/a100");
    // A name of one view alone is meant as it is said.
    ck_assert_str_eq(card_of(0, 5, "cuda/h200"), "cuda/h200");
}
END_TEST

START_TEST(several_cards)
{
    struct error e = ERROR_INIT;
    ck_assert_ptr_null(choose_device(cards, 5, "nvidia", &e));
    ck_assert(str_starts(e.text, "several devices fit 'nvidia'"));
    ck_assert_ptr_nonnull(strstr(e.text, "NVIDIA H200 (gpu, CUDA), id cuda/h200"));
    error_clear(&e);
    ck_assert_str_eq(card_of(0, 6, "h200 mig"), "cuda/mig");
    ck_assert_ptr_null(choose_device(cards + 4, 2, "h200", &e)); // a card and a part of it
    ck_assert(str_starts(e.text, "several devices fit 'h200'"));
}
END_TEST

// What `hone devices` prints of a card names it in both languages, whichever of them said it.
START_TEST(names_of_a_card)
{
    static const struct {
        const char *wanted, *opencl, *cuda;
    } names[] = {{"0", "opencl/h200", "cuda/h200"},
                 {"1", "opencl/a100", "cuda/a100"},
                 {"GPU-0000", "opencl/h200", "cuda/h200"},
                 {"0000:65:00.0", "opencl/h200", "cuda/h200"},
                 {"00000000:65:00.0", "opencl/h200", "cuda/h200"},
                 {"0000:17:00.0", "opencl/a100", "cuda/a100"},
                 {"4b2c0000-0000-0000-0000-00000000000a", "opencl/a100", "cuda/a100"},
                 {"gpu-4b2c0000-0000-0000-0000-00000000000a", "opencl/a100", "cuda/a100"},
                 {"4B2C", "opencl/a100", "cuda/a100"}};
    struct device_info numbered[5];
    struct error e = ERROR_INIT;
    struct arena a;
    arena_init(&a);
    memcpy(numbered, cards, sizeof numbered);
    ck_assert(device_number_cards(numbered, 5, &a));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct device_info *first = choose_device(numbered, 3, names[i].wanted, &e);
        ck_assert_msg(first != NULL, "%s: %s", names[i].wanted, e.text);
        ck_assert_str_eq(first->id, names[i].opencl);
        const struct device_info *second = choose_device(numbered + 3, 2, names[i].wanted, &e);
        ck_assert_msg(second != NULL, "%s: %s", names[i].wanted, e.text);
        ck_assert_str_eq(second->id, names[i].cuda);
    }
    ck_assert_ptr_null(choose_device(numbered, 5, "3", &e));
    error_clear(&e);
    ck_assert_ptr_null(choose_device(numbered, 5, "65", &e)); // no part of an address
    ck_assert_uint_eq(count_like_devices(numbered, 5, &numbered[0]), 2);
    ck_assert_uint_eq(count_like_devices(numbered, 5, &numbered[2]), 1);
    arena_release(&a);
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
    tcase_add_test(tests, the_last_language);
    tcase_add_test(tests, an_equal_name_wins);
    tcase_add_test(tests, several);
    tcase_add_test(tests, equal_cards);
    tcase_add_test(tests, two_views_of_a_card);
    tcase_add_test(tests, several_cards);
    tcase_add_test(tests, names_of_a_card);
    tcase_add_test(tests, none);
}

int main(void)
{
    return suite_run("cli/choose_device", add);
}
