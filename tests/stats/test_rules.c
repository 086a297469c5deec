// The constants of the procedure by name, and what each does to screening.
#include "stats/rules.h"

#include "../base/comma_locale.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// ---- reading NAME=VALUE
// --------------------------------------------------------------------------

START_TEST(defaults_are_in_their_limits)
{
    struct measure_rules rules = measure_rules_default();
    size_t count = 0;
    for (const struct measure_rule *r = measure_rule_table; r->name; r++, count++) {
        double value;
        memcpy(&value, (const char *)&rules + r->offset, sizeof value);
        ck_assert_double_eq(value, r->value);
        ck_assert_msg(r->least <= value && value <= r->most, "%s", r->name);
        ck_assert_msg(!measure_rule_is_whole(r) || value == (double)(long)value, "%s", r->name);
        ck_assert_msg(strlen(r->text) > 10, "%s", r->name);
    }
    ck_assert_uint_eq(count, 20);
    ck_assert_uint_eq(rules.fixed, 0);
    ck_assert(!rules.unranked);
}
END_TEST

START_TEST(each_rule_is_set_by_its_name)
{
    for (const struct measure_rule *r = measure_rule_table; r->name; r++) {
        struct measure_rules rules = measure_rules_default(), before = rules;
        struct error e = ERROR_INIT;
        char text[64];
        snprintf(text, sizeof text, "%s=%g", r->name, r->most);
        ck_assert_msg(measure_rules_set(&rules, text, &e), "%s", e.text);
        double value;
        memcpy(&value, (const char *)&rules + r->offset, sizeof value);
        ck_assert_double_eq(value, r->most);
        memcpy((char *)&rules + r->offset, (const char *)&before + r->offset, sizeof value);
        ck_assert_mem_eq(&rules, &before, sizeof rules); // and nothing else
    }
}
END_TEST

START_TEST(no_rounds_are_no_ranking)
{
    struct measure_rules rules = measure_rules_default();
    ck_assert(measure_rules_set(&rules, "rounds=0", NULL) && rules.unranked);
    ck_assert_double_eq(rules.rounds, 32);
    ck_assert(measure_rules_set(&rules, "rounds=5", NULL) && !rules.unranked);
}
END_TEST

static const struct {
    const char *text, *error;
} refusals[] = {
    {"rounds", "'rounds' is not NAME=VALUE, such as rounds=40"},
    {"", "'' is not NAME=VALUE, such as rounds=40"},
    {"round=40", "there is no rule 'round'; did you mean 'rounds'?"},
    {"setled=0.1", "there is no rule 'setled'; did you mean 'settled'?"},
    {"warmth=3", "there is no rule 'warmth': 'hone help rules' lists them"},
    {"=3", "there is no rule '': 'hone help rules' lists them"},
    {"rounds=", "rounds is a whole number from 0 to 10000, not ''"},
    {"rounds=2.5", "rounds is a whole number from 0 to 10000, not '2.5'"},
    {"rounds=-1", "rounds is a whole number from 0 to 10000, not '-1'"},
    {"rounds=40x", "rounds is a whole number from 0 to 10000, not '40x'"},
    {"rounds=nan", "rounds is a whole number from 0 to 10000, not 'nan'"},
    {"contenders=1", "contenders is a whole number from 2 to 10000, not '1'"},
    {"near=0.9", "near is a number from 1 to 1e+06, not '0.9'"},
    {"near=inf", "near is a number from 1 to 1e+06, not 'inf'"},
    {"level=1", "level is a number from 0.5 to 0.9999, not '1'"},
};

START_TEST(refusals_say_what_is_right)
{
    struct measure_rules rules = measure_rules_default(), before = rules;
    struct error e = ERROR_INIT;
    ck_assert(!measure_rules_set(&rules, refusals[_i].text, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert_str_eq(e.text, refusals[_i].error);
    ck_assert_mem_eq(&rules, &before, sizeof rules);
}
END_TEST

START_TEST(a_fraction_is_fine_where_no_count_is_meant)
{
    struct measure_rules rules = measure_rules_default();
    struct error e = ERROR_INIT;
    ck_assert(measure_rules_set(&rules, "near=1.5", &e));
    ck_assert(measure_rules_set(&rules, "rounds=4e1", &e));
    ck_assert_double_eq(rules.near, 1.5);
    ck_assert_double_eq(rules.rounds, 40);
}
END_TEST

START_TEST(numbers_do_not_follow_the_locale)
{
    struct measure_rules rules = measure_rules_default();
    struct error e = ERROR_INIT;
    if (!use_comma_locale())
        return;
    ck_assert_msg(measure_rules_set(&rules, "near=1.5", &e), "%s", e.text);
    ck_assert_double_eq(rules.near, 1.5);
    ck_assert(!measure_rules_set(&rules, "near=1,5", &e));
    ck_assert(!measure_rules_set(&rules, "near=0x1p1", &e));
}
END_TEST

// ---- screening
// -----------------------------------------------------------------------------------

// The rules of these cases, so that they do not change with the defaults.
static struct measure_rules some_rules(void)
{
    struct measure_rules r = measure_rules_default();
    r.first = 2;
    r.most = 5;
    r.settled = 0.1;
    r.hopeless = 2;
    r.certain = 4;
    r.near = 1.3;
    r.budget = 1;
    return r;
}

// Times relative to a best of 1000 whose first launch took 1200.
static const struct step {
    const char *what;
    uint64_t verify, samples[6];
    enum measure_verdict verdict;
    uint32_t more;
} steps[] = {
    {"near: `first` samples", 1300, {0}, MEASURE_MORE, 2},
    {"first launch unknown", 0, {0}, MEASURE_MORE, 2},
    {"first launch not near: one more says whether", 1600, {0}, MEASURE_MORE, 1},
    {"first launch hopeless: one more says whether", 2500, {0}, MEASURE_MORE, 1},
    {"exactly `certain`", 4800, {0}, MEASURE_MORE, 1},
    {"first launch beyond `certain`", 4801, {0}, MEASURE_HOPELESS, 0},
    {"two launches beyond `hopeless`", 2401, {2001}, MEASURE_HOPELESS, 0},
    {"the second says otherwise", 2401, {1100}, MEASURE_MORE, 1},
    {"one slow sample alone", 1200, {2001}, MEASURE_MORE, 1},
    {"two slow samples", 1200, {2001, 2001}, MEASURE_HOPELESS, 0},
    {"slow, then as ever", 1200, {2001, 1000}, MEASURE_MORE, 1},
    {"two launches not near", 1600, {1301}, MEASURE_SETTLED, 0},
    {"not near, then hopeless", 1600, {2001}, MEASURE_HOPELESS, 0},
    {"exactly `near`", 1600, {1300}, MEASURE_MORE, 1},
    {"two samples not near", 1200, {1301, 1310}, MEASURE_SETTLED, 0},
    {"samples agree", 1200, {1000, 1200}, MEASURE_SETTLED, 0},
    {"samples disagree", 1200, {1000, 1250}, MEASURE_MORE, 1},
    {"still at `most`", 1200, {1000, 1250, 1000, 1250, 1000}, MEASURE_SETTLED, 0},
};

static enum measure_verdict next(const struct measure_rules *r, const struct step *s,
                                 uint64_t best_ns, uint32_t *more)
{
    struct screening now = {.verify_ns = s->verify,
                            .samples = s->samples,
                            .resolution_ns = 1,
                            .best_ns = best_ns,
                            .best_verify_ns = best_ns ? 1200 : 0};
    while (s->samples[now.count])
        now.count++;
    return measure_next(r, &now, more);
}

START_TEST(steps_of_screening)
{
    const struct step *s = &steps[_i];
    struct measure_rules r = some_rules();
    uint32_t more = 77;
    ck_assert_msg(next(&r, s, 1000, &more) == s->verdict, "%s", s->what);
    ck_assert_msg(more == s->more, "%s: %u", s->what, more);
}
END_TEST

START_TEST(without_a_best_nothing_is_slow)
{
    struct measure_rules r = some_rules();
    uint32_t more;
    ck_assert_int_eq(next(&r, &(struct step){.verify = 300000}, 0, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 2);
    struct step slow = {.verify = 300000, .samples = {200000, 200000}};
    ck_assert_int_eq(next(&r, &slow, 0, &more), MEASURE_SETTLED);
}
END_TEST

START_TEST(one_sample_of_a_finalist_is_enough)
{
    struct measure_rules r = some_rules();
    r.first = 1;
    uint32_t more;
    struct step near = {.verify = 1200, .samples = {1290}},
                slow = {.verify = 1200, .samples = {1310}};
    ck_assert_int_eq(next(&r, &near, 1000, &more), MEASURE_SETTLED);
    ck_assert_int_eq(next(&r, &near, 0, &more), MEASURE_SETTLED);
    ck_assert_int_eq(next(&r, &slow, 1000, &more), MEASURE_MORE); // the launches disagree
    ck_assert_uint_eq(more, 1);
}
END_TEST

START_TEST(the_timer_limits_what_settles)
{
    struct measure_rules r = some_rules();
    uint64_t same[] = {1000, 1000};
    struct screening s = {.samples = same, .count = 2, .resolution_ns = 200};
    uint32_t more;
    ck_assert_int_eq(measure_next(&r, &s, &more), MEASURE_SETTLED); // 100 is a tenth
    s.resolution_ns = 202;
    ck_assert_int_eq(measure_next(&r, &s, &more), MEASURE_MORE);
}
END_TEST

START_TEST(time_budget)
{
    struct measure_rules r = some_rules();
    uint64_t samples[] = {300000000, 600000000, 300000000};
    struct screening s = {.samples = samples, .count = 0, .verify_ns = 700000000};
    uint32_t more;
    r.first = 4;
    ck_assert_int_eq(measure_next(&r, &s, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 1); // a second one would not fit
    s.count = 1;
    ck_assert_int_eq(measure_next(&r, &s, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 2); // 0.7 s are left, at 0.3 s each
    s.count = 3;
    ck_assert_int_eq(measure_next(&r, &s, &more), MEASURE_LIMIT);
    r.budget = 0; // none
    ck_assert_int_eq(measure_next(&r, &s, &more), MEASURE_MORE);
}
END_TEST

START_TEST(fixed_count)
{
    struct measure_rules r = some_rules();
    uint64_t samples[9] = {9000000000, 1, 9000000000, 9000000000, 9000000000, 1, 1, 1, 1};
    struct screening s = {.samples = samples, .verify_ns = 9000000000, .best_ns = 1};
    uint32_t more;
    r.fixed = 9; // neither hopeless nor settled nor out of time matters
    ck_assert_int_eq(measure_next(&r, &s, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 9);
    s.count = 8;
    ck_assert_int_eq(measure_next(&r, &s, &more), MEASURE_MORE);
    ck_assert_uint_eq(more, 1);
    s.count = 9;
    ck_assert_int_eq(measure_next(&r, &s, &more), MEASURE_FIXED);
    ck_assert_uint_eq(more, 0);
}
END_TEST

// Samples of any times under any rules: something is always asked for, and it ends.
START_TEST(screening_always_ends)
{
    struct measure_rules odd[] = {some_rules(), some_rules(), some_rules()};
    odd[1].first = 7; // more than most
    odd[2].settled = 0;
    uint64_t samples[64];
    for (size_t i = 0; i < COUNT(samples); i++)
        samples[i] = i * 7919 % 13 * 100;
    for (size_t i = 0; i < COUNT(odd); i++) {
        struct screening s = {.samples = samples, .best_ns = 600};
        uint32_t more;
        while (measure_next(&odd[i], &s, &more) == MEASURE_MORE) {
            ck_assert_uint_gt(more, 0);
            s.count += more;
            ck_assert_uint_lt(s.count, COUNT(samples));
        }
    }
}
END_TEST

// By hand: the least whole number of launches that takes 100 times the resolution.
static const struct {
    uint64_t launch, resolution;
    uint32_t batch;
} batches[] = {
    {0, 1000, 1},     {100000, 1000, 1},     {99999, 1000, 2}, {1000, 1000, 100},
    {999, 1000, 101}, {1, 1000000, 1000000}, {50, 0, 1},       {UINT64_MAX, 1000, 1},
};

START_TEST(batches_of_short_launches)
{
    struct measure_rules r = some_rules();
    r.resolution = 100;
    ck_assert_uint_eq(measure_batch(&r, batches[_i].launch, batches[_i].resolution),
                      batches[_i].batch);
    r.resolution = 1;
    ck_assert_uint_eq(measure_batch(&r, 1000, 1000), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rules");
    TCase *tests = tcase_create("rules");
    tcase_add_test(tests, defaults_are_in_their_limits);
    tcase_add_test(tests, each_rule_is_set_by_its_name);
    tcase_add_test(tests, no_rounds_are_no_ranking);
    tcase_add_loop_test(tests, refusals_say_what_is_right, 0, COUNT(refusals));
    tcase_add_test(tests, a_fraction_is_fine_where_no_count_is_meant);
    tcase_add_test(tests, numbers_do_not_follow_the_locale);
    tcase_add_loop_test(tests, steps_of_screening, 0, COUNT(steps));
    tcase_add_test(tests, without_a_best_nothing_is_slow);
    tcase_add_test(tests, one_sample_of_a_finalist_is_enough);
    tcase_add_test(tests, the_timer_limits_what_settles);
    tcase_add_test(tests, time_budget);
    tcase_add_test(tests, fixed_count);
    tcase_add_test(tests, screening_always_ends);
    tcase_add_loop_test(tests, batches_of_short_launches, 0, COUNT(batches));
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
