// The parts of a dispatch table and the lookup in it, on one that is made by hand.
#include "by_hand.h"
#include "extras/deploy/formats.h"
#include "lookup_by_spec.h"
#include "known/known_core.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct by_hand hand;

static void set_up(void)
{
    by_hand_init(&hand);
}

static void tear_down(void)
{
    by_hand_release(&hand);
}

START_TEST(the_logarithm_is_that_of_the_reals)
{
    ck_assert_int_eq(hone_core_log2(-5), 0);
    ck_assert_int_eq(hone_core_log2(1), 0);
    ck_assert_int_eq(hone_core_log2(INT64_MAX), 63 * 65536 - 1);
    for (int64_t x = 1; x < (int64_t)1 << 62; x += x / 7 + 1) {
        double exact = log2((double)x) * 65536;
        ck_assert_msg(fabs((double)hone_core_log2(x) - exact) <= 1.1, "%lld", (long long)x);
        ck_assert_int_le(hone_core_log2(x), hone_core_log2(x + 1));
    }
    for (int i = 0; i < 63; i++)
        ck_assert_int_eq(hone_core_log2((int64_t)1 << i), (int64_t)i * 65536);
}
END_TEST

START_TEST(a_configuration_has_its_texts)
{
    const struct deploy_configuration *c = &hand.table.configurations[2];
    ck_assert_str_eq(hand.table.name, "two_sizes");
    ck_assert_str_eq(c->text, "block=32, unroll=2");
    ck_assert_str_eq(c->options, "-DHONE=1 -DSCALE=2 -DRATE=0.5 -Dblock=32 -Dunroll=2");
    ck_assert_int_eq(c->values[0].i, 32);
}
END_TEST

static const struct {
    const char *column, *error;
} columns[] = {
    {"m", "two.json: there is no constant 'm'; did you mean 'M'; there are: M, N, SCALE, RATE"},
    {"block", "two.json: there is no constant 'block'; there are: M, N, SCALE, RATE"},
    {"RATE", "two.json: 'RATE' is a float; shapes consist of constants that are whole numbers"},
};

START_TEST(an_unknown_column_is_refused)
{
    struct error e = ERROR_INIT;
    struct deploy_table t;
    ck_assert(!deploy_table_init(&t, hand.spec, &columns[_i].column, 1, &hand.arena, &e));
    ck_assert_str_eq(e.text, columns[_i].error);
}
END_TEST

START_TEST(what_is_not_whole_is_refused)
{
    struct error e = ERROR_INIT;
    hand.table.devices[0].points[1].configuration = 3;
    ck_assert(!deploy_table_check(&hand.table, &e));
    ck_assert_str_eq(e.text, "Card A, point 1: no such configuration");
}
END_TEST

// ---- the lookup --------------------------------------------------------------------------------

static const struct device_info unknown_facts = {.name = "Card X", .max_group_size = 16};

#define A_NAME                                                                                     \
    {                                                                                              \
        .name = "Card A"                                                                           \
    }
static const struct {
    struct deploy_asker who;
    int64_t shape[2];
    uint32_t configuration;
    const char *why;
} lookups[] = {
    {A_NAME, {64, 64}, 0, "measured here"},
    {A_NAME, {4096, 256}, 2, "measured here"},
    {A_NAME, {8192, 256}, 2, "nearest of 3 measured shapes: M=4096,N=256"},
    // 2 is not valid at a multiple of 16 that is none of 32, 1 is.
    {A_NAME, {4096 + 16, 256}, 1, "nearest of 3 measured shapes: M=256,N=256"},
    {A_NAME, {4096 + 8, 256}, 0, "nearest of 3 measured shapes: M=64,N=64"},
    {A_NAME, {7, 7}, DEPLOY_NONE, "no configuration is valid: M % block == 0"},
    // Half of the way is 128: 256 is the more like it of the two, since 128 divides it.
    {A_NAME, {128, 128}, 1, "nearest of 3 measured shapes: M=256,N=256"},
    {A_NAME, {96, 96}, 0, "nearest of 3 measured shapes: M=64,N=64"},
    {A_NAME, {144, 144}, 1, "nearest of 3 measured shapes: M=256,N=256"},
    {{.name = "other", .identity = "GPU-b"}, {64, 64}, 1, "measured here"},
    {{.name = "Card B"}, {64 + 8, 64}, 0, "default: no measured configuration is valid here"},
    {{.name = "X", .architecture = "arch_1", .vendor = "Vendor", .compute_units = 20},
     {64, 64},
     0,
     "device X not measured; took Card A (same architecture); measured here"},
    {{.name = "X", .architecture = "arch_3", .vendor = "Vendor", .compute_units = 18},
     {64, 64},
     1,
     "device X not measured; took Card B (same vendor); measured here"},
    {{.name = "X", .vendor = "Vendor", .compute_units = 15},
     {64, 64},
     0,
     "device X not measured; took Card A (same vendor); measured here"},
    // The facts are those of who asks: 2 needs 64 work-items.
    {{.name = "X", .vendor = "Vendor", .facts = &unknown_facts},
     {4096, 256},
     1,
     "device X not measured; took Card A (same vendor); nearest of 3 measured shapes: M=256,N=256"},
    {{.name = "X", .vendor = "Else", .facts = &unknown_facts},
     {64, 64},
     0,
     "default: device X not measured"},
    {{.vendor = "", .facts = &unknown_facts},
     {64, 64},
     0,
     "default: device (unnamed) not measured"},
    {{.name = "X"},
     {64, 64},
     DEPLOY_NONE,
     "no configuration is valid: block * unroll <= device_max_work_group_size"},
};

START_TEST(the_nearest_valid_one_answers)
{
    struct deploy_answer answer;
    struct text why = TEXT_INIT;
    struct arena scratch;
    arena_init(&scratch);
    deploy_find(&hand.table, &lookups[_i].who, lookups[_i].shape, &scratch, &answer);
    deploy_why(&hand.table, &lookups[_i].who, &answer, &why);
    ck_assert_str_eq(text_cstr(&why), lookups[_i].why);
    ck_assert_uint_eq(answer.configuration, lookups[_i].configuration);
    text_release(&why);
    arena_release(&scratch);
}
END_TEST

// ---- formats -----------------------------------------------------------------------------------

START_TEST(json_has_all_options)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    const struct deploy_format *f = deploy_format_find("json");
    ck_assert(f && !deploy_format_find("xml"));
    hand.table.devices[1].name = "Card \"B\", large";
    ck_assert(f->write(&hand.table, &(struct deploy_writing){0}, &out, &e));
    const char *text = text_cstr(&out);
    ck_assert_ptr_nonnull(strstr(text, "\"-DHONE=1 -DSCALE=2 -DRATE=0.5 -Dblock=16 -Dunroll=1\""));
    ck_assert_ptr_nonnull(strstr(text, "\"Card \\\"B\\\", large\""));
    text_release(&out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("deploy_dispatch");
    TCase *t = tcase_create("table");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, the_logarithm_is_that_of_the_reals);
    tcase_add_test(t, a_configuration_has_its_texts);
    tcase_add_loop_test(t, an_unknown_column_is_refused, 0, sizeof columns / sizeof *columns);
    tcase_add_test(t, what_is_not_whole_is_refused);
    tcase_add_loop_test(t, the_nearest_valid_one_answers, 0, sizeof lookups / sizeof *lookups);
    tcase_add_test(t, json_has_all_options);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
