#include "model/arch.h"

#include "base/text.h"

#include "../base/suite.h"

#include <string.h>

// ---- names

static const struct {
    const char *text, *written;
    uint32_t capability;
} names[] = {
    {"sm_90", "sm_90", 90}, {"90", "sm_90", 90},         {"sm_90a", "sm_90a", 90},
    {"90a", "sm_90a", 90},  {"compute_90", "sm_90", 90}, {"sm_100f", "sm_100f", 100},
    {"sm_50", "sm_50", 50}, {"121a", "sm_121a", 121},    {"compute_103f", "sm_103f", 103},
};

START_TEST(names_are_read_and_written)
{
    struct arch_name name;
    char text[16];
    ck_assert_msg(arch_parse(names[_i].text, &name), "%s", names[_i].text);
    ck_assert_uint_eq(name.capability, names[_i].capability);
    arch_text(&name, text);
    ck_assert_str_eq(text, names[_i].written);
}
END_TEST

static const char *const none[] = {
    "",         "sm_",     "sm_9",       "sm_91",         "sm_90b",
    "sm_90aa",  "9.0",     "sm90",       " sm_90",        "sm_90 ",
    "sm_sm_90", "SM_90",   "sm_090",     "-90",           "compute_",
    "a",        "sm_90f0", "4294967386", "sm_compute_90", "99999999999999999999"};

START_TEST(what_is_no_architecture_is_refused)
{
    struct arch_name name = {7, 'x'};
    ck_assert_msg(!arch_parse(none[_i], &name), "'%s'", none[_i]);
    ck_assert(name.capability == 7 && name.suffix == 'x');
}
END_TEST

START_TEST(ids_are_of_architectures_or_of_devices)
{
    static const char *const others[] = {"",
                                         "cuda/",
                                         "cuda/sm_",
                                         "cuda/sm_90x",
                                         "sm_90",
                                         "opencl/sm_90",
                                         "cuda/NVIDIA H200/GPU-1",
                                         "cuda/90"};
    struct arch_name name;
    ck_assert(arch_of_id("cuda/sm_90a", &name));
    ck_assert(name.capability == 90 && name.suffix == 'a');
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(!arch_of_id(others[i], &name), "%s", others[i]);
}
END_TEST

START_TEST(the_table_is_in_order_and_plausible)
{
    size_t count = 0;
    for (; arch_capability(count); count++) {
        const struct arch *a = arch_find(arch_capability(count));
        ck_assert_ptr_nonnull(a);
        ck_assert(count == 0 || a->capability > arch_capability(count - 1));
        ck_assert(a->group_shared + a->reserved <= a->shared);
        ck_assert(a->group_registers <= ARCH_REGISTERS && a->groups <= a->warps);
    }
    ck_assert_uint_eq(count, 19);
    ck_assert_ptr_null(arch_find(0));
    ck_assert_ptr_null(arch_find(91));
}
END_TEST

START_TEST(a_device_has_what_its_architecture_says)
{
    struct arena arena;
    struct arch_name name;
    struct device_info d;
    arena_init(&arena);
    ck_assert(arch_parse("sm_90a", &name) && arch_device(&name, &arena, &d));
    ck_assert_str_eq(d.id, "cuda/sm_90a");
    ck_assert_str_eq(d.name, "sm_90a");
    ck_assert(d.language == LANGUAGE_CUDA && d.type == DEVICE_GPU && !d.shares_host);
    ck_assert_uint_eq(d.capability, 90);
    ck_assert_uint_eq(d.local_bytes, 227 * 1024);
    ck_assert_uint_eq(d.max_group_size, 1024);
    ck_assert_uint_eq(d.max_item_sizes[2], 64);
    ck_assert_uint_eq(d.compute_units, 0); // differs from card to card
    arena_release(&arena);
}
END_TEST

// ---- occupancy

// As NVIDIA's occupancy calculator has them.
static const struct {
    uint32_t capability;
    struct arch_use use; // work-group, registers, bytes of shared memory
    uint32_t groups;
} known[] = {
    // warps, then work-groups
    {90, {256, 32, 0}, 8},
    {90, {1024, 32, 0}, 2},
    {90, {33, 16, 0}, 32},
    {90, {1, 1, 0}, 32},
    {75, {256, 32, 0}, 4},
    {86, {1024, 32, 0}, 1},
    {89, {64, 32, 0}, 24},
    {120, {64, 32, 0}, 24},
    // registers: 255 take 8,192 of a warp, two warps a partition
    {90, {256, 255, 0}, 1},
    {90, {128, 255, 0}, 2},
    {90, {128, 168, 0}, 3},
    {90, {128, 169, 0}, 2},
    {90, {512, 65, 0}, 1},
    {90, {512, 128, 0}, 1},
    {90, {512, 129, 0}, 0}, // more than a work-group may have
    {90, {1024, 64, 0}, 1},
    {90, {1024, 65, 0}, 0},
    {90, {96, 255, 0}, 2},
    {53, {512, 64, 0}, 2},
    {53, {512, 65, 0}, 0}, // half as many for a work-group
    {60, {288, 96, 0}, 2},
    {61, {288, 96, 0}, 2},
    // shared memory: 1 KiB of each work-group is the system's since Ampere
    {90, {128, 32, 48 << 10}, 4},
    {90, {128, 32, 56 << 10}, 4},
    {90, {128, 32, 57 << 10}, 3},
    {90, {128, 32, 227 << 10}, 1},
    {90, {128, 32, (227 << 10) + 1}, 0},
    {80, {128, 32, 40 << 10}, 4},
    {70, {128, 32, 48 << 10}, 2},
    {75, {128, 32, 32 << 10}, 2},
    {52, {128, 32, 24 << 10}, 4},
    {52, {128, 32, 49 << 10}, 0},
    // no work-group at all
    {90, {0, 32, 0}, 0},
    {90, {1025, 32, 0}, 0},
    {90, {32, 256, 0}, 0},
};

START_TEST(work_groups_are_those_of_the_calculator)
{
    uint32_t groups = arch_groups(arch_find(known[_i].capability), &known[_i].use);
    ck_assert_uint_eq(groups, known[_i].groups);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, names_are_read_and_written, 0, sizeof names / sizeof *names);
    tcase_add_loop_test(tests, what_is_no_architecture_is_refused, 0, sizeof none / sizeof *none);
    tcase_add_test(tests, ids_are_of_architectures_or_of_devices);
    tcase_add_test(tests, the_table_is_in_order_and_plausible);
    tcase_add_test(tests, a_device_has_what_its_architecture_says);
    tcase_add_loop_test(tests, work_groups_are_those_of_the_calculator, 0,
                        sizeof known / sizeof *known);
}

int main(void)
{
    return suite_run("architectures", add);
}
