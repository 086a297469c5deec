// What a deploy says of its gain over the default: from rounds with an interval, ties by name, and what was only screened as
// that.
#include "extras/deploy/deploy_report.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t shapes[][1] = {{64}, {96}, {128}, {256}};
static const char *const columns[] = {"N"};
static struct deploy_point points[4];
static struct deploy_device device = {.name = "Card", .points = points};
static struct deploy_configuration configurations[] = {{.text = "a=1"}, {.text = "a=2"}};
static struct deploy_table table = {.configurations = configurations,
                                    .configuration_count = 2,
                                    .devices = &device,
                                    .device_count = 1};
static uint32_t rows[] = {0, 1, 2, 3};
static const int64_t *const row_shapes[] = {shapes[0], shapes[1], shapes[2], shapes[3]};
static const double weights[] = {1, 1, 1, 1};
static struct deploy_chosen chosen = {.rows = rows};
static const struct deploy_matrix matrix = {.shapes = row_shapes, .weights = weights};

static const struct deploy_gain in_turn = {2, true, 1.9, 2.1, true, false},
                                tied = {1.02, true, 0.98, 1.06, true, false},
                                itself = {1, true, 1, 1, true, true},
                                few_rounds = {8, true, 7, 9, false, false},
                                screened = {5, false, NAN, NAN, false, false},
                                unknown = {NAN, false, NAN, NAN, false, false};

static struct deploy_view report_of(const struct deploy_gain *const *gains, uint32_t count)
{
    device.point_count = chosen.point_count = count;
    for (uint32_t i = 0; i < count; i++)
        points[i] = (struct deploy_point){.shape = shapes[i],
                                          .configuration = 1,
                                          .weight = 1,
                                          .median_ns = 1000,
                                          .gain = *gains[i]};
    return (struct deploy_view){.found = {.table = &table,
                                          .chosen = &chosen,
                                          .matrices = &matrix,
                                          .columns = columns,
                                          .column_count = 1}};
}

static void end_says(const struct deploy_gain *const *gains, uint32_t count, const char *wanted)
{
    struct deploy_view v = report_of(gains, count);
    struct text out = TEXT_INIT;
    report_deploy_end(&v, &out);
    ck_assert_msg(strstr(text_cstr(&out), wanted) != NULL, "no '%s' in: %s", wanted,
                  text_cstr(&out));
    text_release(&out);
}

static const struct {
    const struct deploy_gain *gain;
    bool is_known;
    const char *says;
} lines[] = {
    {&in_turn, false,
     "64: best of 3 is 1.000 us, 2.00 times as fast as the default [1.90 .. 2.10]\n"},
    {&in_turn, true,
     "64: best of 3 is 1.000 us, 2.00 times as fast as the default [1.90 .. 2.10] (known)\n"},
    {&tied, false,
     "64: best of 3 is 1.000 us, 1.02 times as fast as the default [0.98 .. 1.06], tied\n"},
    {&itself, false, "64: best of 3 is 1.000 us, the default\n"},
    {&few_rounds, false,
     "64: best of 3 is 1.000 us, 8.00 times as fast as the default (7.00 .. 9.00)\n"},
    {&screened, false,
     "64: best of 3 is 1.000 us, 5.00 times as fast as the default (screened: timed one after the "
     "other)\n"},
    {&unknown, false, "64: best of 3 is 1.000 us\n"},
};

START_TEST(a_line_says_what_its_gain_is)
{
    struct deploy_view v = {.found = {.columns = columns, .column_count = 1}};
    const struct deploy_record r = {.shape = shapes[0],
                                    .timed = 3,
                                    .best_ns = 900,
                                    .median_ns = 1000,
                                    .gain = *lines[_i].gain,
                                    .is_known = lines[_i].is_known};
    struct text out = TEXT_INIT;
    report_deploy_row(&v, &r, &out);
    ck_assert_str_eq(text_cstr(&out), lines[_i].says);
    text_release(&out);
}
END_TEST

START_TEST(the_mean_is_of_rounds_alone)
{
    const struct deploy_gain *const all[] = {&in_turn, &tied, &screened, &unknown};
    // sqrt(2 * 1.02), and half of the root of the sum of the squares of log(2 / 1.9), log(1.02 / 0.98)
    end_says(all, 4,
             "1.43 times as fast as the default [1.38 .. 1.47] (geometric mean of 2, in "
             "interleaved rounds), least 1.02 [0.98 .. 1.06] at 96; tied with the default at 1\n");
    end_says(all, 4,
             "At 1 size the default was only screened, one after the other: about 5.00 times "
             "as fast\n");
    end_says(all, 4, "At 1 size no time of the default is known that compares\n");
    const struct deploy_gain *const few[] = {&few_rounds, &itself};
    end_says(few, 2,
             "(geometric mean of 2, in interleaved rounds), least 1.00 at 96; the default is best "
             "at 1\n");
    end_says(few, 1, "8.00 times as fast as the default (7.00 .. 9.00), in interleaved rounds\n");
    end_says(few + 1, 1, "It is the default everywhere\n");
    const struct deploy_gain *const apart[] = {&itself, &screened};
    end_says(apart, 2, "It is the default at 1\nAt 1 size the default was only screened");
}
END_TEST

START_TEST(the_table_has_the_interval_and_the_tie)
{
    const struct deploy_gain *const all[] = {&in_turn, &tied, &screened, &itself};
    struct deploy_view v = report_of(all, 4);
    struct text out = TEXT_INIT;
    report_deploy_table(&v, &out);
    const char *text = text_cstr(&out);
    ck_assert_msg(strstr(text, "2.00  [1.90 .. 2.10]\n") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "1.02  [0.98 .. 1.06]  tied\n") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "screened\n") && strstr(text, "the default\n"), "%s", text);
    text_release(&out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report_deploy");
    TCase *t = tcase_create("gain");
    tcase_add_loop_test(t, a_line_says_what_its_gain_is, 0, sizeof lines / sizeof *lines);
    tcase_add_test(t, the_mean_is_of_rounds_alone);
    tcase_add_test(t, the_table_has_the_interval_and_the_tie);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
