// Whole tunes for other things than the shortest time, for several at once, and by a budget that what
// the device refuses does not spend. With a worker that runs nothing.
#include "fixture.h"

#include "workflows/best.h"
#include "worker/protocol.h"
#include "workflows/tune/tune.h"

#include "os/process.h"
#include "base/text.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_file(const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

// Times fall with ID, energies rise but for the last; `fake` says what becomes of a configuration.
static struct spec *spec_of(const char *fake, const char *joules, const char *objective)
{
    struct error e = ERROR_INIT;
    struct spec_options so = {0};
    char text[4096], path[160];
    str_format(
        text, sizeof text,
        "{\"General\": {\"BenchmarkName\": \"goals\"}, %s"
        "\"Metrics\": [{\"Name\": \"rate\", \"Expression\": \"1e9 / time_ns\"},"
        " {\"Name\": \"size\", \"Expression\": \"ID // 2\"},"
        " {\"Name\": \"energy\", \"Expression\": \"joule\"}],"
        "\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"ID\", \"Type\": \"int\","
        " \"Values\": \"list(range(12))\", \"Default\": 0}], \"Conditions\": [], \"Derived\": ["
        "{\"Name\": \"NS\", \"Expression\": \"1000000 - 50000 * ID\"},"
        "{\"Name\": \"MICROJOULES\", \"Expression\": \"%s\"},"
        "{\"Name\": \"FAKE\", \"Expression\": \"%s\"}]},"
        "\"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"k\", "
        "\"KernelFile\": \"k.cl\", \"GlobalSize\": {\"X\": \"64\"}, \"LocalSize\": {\"X\": "
        "\"64\"}, "
        "\"Arguments\": [{\"Name\": \"y\", \"Type\": \"float\", \"MemoryType\": \"Vector\", "
        "\"AccessType\": \"WriteOnly\", \"Size\": 64, \"Output\": true}]}}",
        objective ? objective : "", joules, fake);
    write_file("k.cl", "__kernel void k(__global float *y) { y[0] = ID * NS + MICROJOULES; FAKE }");
    write_file("goals.json", text);
    snprintf(path, sizeof path, "%s/goals.json", folder);
    struct spec *spec = spec_load(path, &so, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    return spec;
}

static const char rising[] = "1000 + 100 * ID if ID < 11 else 500";

// A tune to its end.
struct run {
    struct spec *spec;
    struct store *store;
    struct tune *tune;
    struct tune_progress p;
    struct error e;
    bool broken;
};

static void run_open(struct run *r, struct spec *spec, const char *objective, const char *strategy,
                     const char *budget)
{
    const struct tune_record *record;
    enum workflow_answer answer;
    *r = (struct run){.spec = spec, .e = ERROR_INIT};
    struct tune_options o = {.setup.spec = spec,
                             .setup.at.device = &report.devices[0],
                             .setup.at.worker = worker,
                             .setup.at.environment = environment,
                             .setup.lock_folder = folder,
                             .strategy = strategy,
                             .setup.at.jobs = 2,
                             .setup.terms = {.rules = measure_rules_default(),
                                             .build_limit_ns = 60ull * 1000000000,
                                             .launch_limit_ns = 30ull * 1000000000}};
    ck_assert_msg(objective_parse(objective, spec, &o.objectives, &r->e), "%s", r->e.text);
    ck_assert(!budget || budget_parse(budget, &o.budget, &r->e));
    o.setup.store = r->store = store_open(store_file, STORE_WRITE, &r->e);
    ck_assert_msg(r->store != NULL, "%s", r->e.text);
    r->tune = tune_new(&o, &r->e);
    ck_assert_msg(r->tune != NULL, "%s", r->e.text);
    while ((answer = tune_step(r->tune, 1000, &record, &r->e)) != WORKFLOW_END &&
           answer != WORKFLOW_BROKEN)
        ;
    r->broken = answer == WORKFLOW_BROKEN;
    tune_progress(r->tune, &r->p);
}

static void run_close(struct run *r)
{
    tune_free(r->tune);
    store_close(r->store);
    spec_free(r->spec);
}

// The ids of tune_ranking(), those of the Pareto set alone where `pareto`.
static void check_order(const struct run *r, bool pareto, const char *expected)
{
    size_t count;
    struct text ids = TEXT_INIT;
    const struct tune_record **all = tune_ranking(r->tune, &count);
    for (size_t i = 0; i < count; i++) {
        if (!pareto || all[i]->pareto)
            text_addf(&ids, "%s%u", ids.length ? " " : "", all[i]->choice[0]);
    }
    ck_assert_str_eq(text_cstr(&ids), expected);
    text_release(&ids);
    free(all);
}

// ---- what is the best --------------------------------------------------------------------------

START_TEST(a_rate_is_ranked_as_the_time)
{
    struct run r;
    run_open(&r, spec_of("'good'", rising, NULL), "max:rate", NULL, NULL);
    ck_assert(!r.broken && r.p.ranked.decided);
    ck_assert_uint_eq(r.p.best->choice[0], 11);
    ck_assert(r.p.best->values[0] == 1e9 / r.p.best->stats.median);
    run_close(&r);
}
END_TEST

START_TEST(another_metric_decides)
{
    struct run r;
    run_open(&r, spec_of("'good'", rising, NULL), "min:energy", NULL, NULL);
    ck_assert(!r.broken && !r.p.ranked.decided);
    ck_assert_uint_eq(r.p.fixed, OBJECTIVE_LAUNCHES);
    ck_assert_uint_eq(r.p.best->result->sample_count, OBJECTIVE_LAUNCHES);
    ck_assert_uint_eq(r.p.best->choice[0], 11);
    check_order(&r, false, "11 0 1 2 3 4 5 6 7 8 9 10");
    run_close(&r);
    // What is known answers, its energy included.
    run_open(&r, spec_of("'good'", rising, NULL), "max:energy", NULL, NULL);
    ck_assert_uint_eq(r.p.reused, 12);
    ck_assert_uint_eq(r.p.best->choice[0], 10);
    run_close(&r);
    // Of equal ones the faster.
    run_open(&r, spec_of("'good'", rising, NULL), "min:size", NULL, NULL);
    ck_assert_uint_eq(r.p.best->choice[0], 1);
    check_order(&r, false, "1 0 3 2 5 4 7 6 9 8 11 10");
    run_close(&r);
}
END_TEST

START_TEST(the_spec_says_it)
{
    struct run r;
    run_open(&r, spec_of("'good'", rising, "\"Objective\": \"max:time\","), NULL, NULL, NULL);
    ck_assert(!r.p.ranked.decided);
    ck_assert_uint_eq(r.p.best->choice[0], 0);
    run_close(&r);
}
END_TEST

// Samples that were counted for another objective say nothing of the energy: they are taken again.
START_TEST(energy_is_counted_when_it_is_asked_for)
{
    struct run r;
    run_open(&r, spec_of("'good'", rising, NULL), "min:size", NULL, NULL);
    ck_assert(isnan(result_joule(r.p.best->result)));
    run_close(&r);
    run_open(&r, spec_of("'good'", rising, NULL), "min:energy", NULL, NULL);
    ck_assert_uint_eq(r.p.reused, 0);
    ck_assert_uint_eq(r.p.best->choice[0], 11);
    run_close(&r);
}
END_TEST

START_TEST(what_nobody_counts_ends_the_search)
{
    struct run r;
    run_open(&r, spec_of("'good'", "0", NULL), "time,min:energy", NULL, NULL);
    ck_assert(r.broken);
    ck_assert_str_eq(r.e.text, "objective time, min:energy: nothing counts it here");
    ck_assert_uint_lt(r.p.common.done, 12);
    run_close(&r);
    run_open(&r, spec_of("'good'", "0 if ID < 2 else 1000 + ID", NULL), "min:energy", NULL, NULL);
    ck_assert(!r.broken);
    ck_assert_uint_eq(r.p.best->choice[0], 2);
    check_order(&r, false, "2 3 4 5 6 7 8 9 10 11 1 0"); // what has no value is last
    run_close(&r);
}
END_TEST

// ---- several -----------------------------------------------------------------------------------

START_TEST(several_give_a_set)
{
    struct run r;
    run_open(
        &r, spec_of("'wrong' if ID == 9 else 'good'", "1000 + 100 * ID if ID != 6 else 5000", NULL),
        "time,min:energy", NULL, NULL);
    ck_assert(!r.broken && !r.p.ranked.decided && !r.p.best);
    ck_assert_uint_eq(r.p.pareto, 10); // but for the wrong one and the one that takes most
    check_order(&r, true, "11 10 8 7 5 4 3 2 1 0");
    run_close(&r);
    run_open(&r, spec_of("'good'", "1000 + 100 * ID if ID < 11 else 500", NULL), "min:energy,time",
             "genetic:population=4", "8");
    ck_assert(!r.broken);
    ck_assert_uint_eq(r.p.common.done, 8);
    ck_assert_uint_ge(r.p.pareto, 1);
    run_close(&r);
}
END_TEST

// What the tune found is what is looked up.
START_TEST(best_knows_the_goal)
{
    struct run r;
    struct error e = ERROR_INIT;
    struct best_answer answer, *set;
    size_t count;
    bool found;
    run_open(&r, spec_of("'good'", rising, NULL), "max:energy", NULL, NULL);
    struct spec_sources *sources = spec_sources_read(r.spec, LANGUAGE_OPENCL, NULL, NULL, &e);
    struct best_options o = {
        .spec = r.spec, .sources = sources, .store = r.store, .device = &report.devices[0]};
    ck_assert(objective_parse("max:energy", r.spec, &o.objectives, &e));
    ck_assert_msg(best_find(&o, &arena, &answer, &found, &e) && found, "%s", e.text);
    ck_assert_uint_eq(answer.choice[0], 10);
    ck_assert_uint_eq(answer.known, 12);
    result_free(answer.result);
    ck_assert(objective_parse("time,min:size", r.spec, &o.objectives, &e));
    ck_assert_msg(best_pareto(&o, &arena, &set, &count, &e), "%s", e.text);
    ck_assert_uint_eq(count, 6); // the faster one of each size
    ck_assert_uint_eq(set[0].choice[0], 11);
    ck_assert_uint_eq(set[5].choice[0], 1);
    best_release_all(set, count);
    ck_assert(objective_parse("time", r.spec, &o.objectives, &e));
    ck_assert(best_find(&o, &arena, &answer, &found, &e) && answer.choice[0] == 11);
    ck_assert_uint_eq(answer.known, 0);
    result_free(answer.result);
    spec_sources_free(sources);
    run_close(&r);
}
END_TEST

// ---- the budget --------------------------------------------------------------------------------

// Odd ones are more than the device offers: others are asked in their place, and not more.
START_TEST(what_is_refused_spends_no_budget)
{
    static const char *const strategies[] = {"exhaustive", "random", "genetic:population=4"};
    for (int i = 0; i < 3; i++) {
        struct run r;
        char store[160];
        run_open(&r, spec_of("'too_large' if ID % 2 else 'good'", rising, NULL), NULL,
                 strategies[i], "4");
        uint64_t refused = r.p.by_status[STATUS_CONSTRAINTS];
        ck_assert_uint_eq(r.p.by_status[STATUS_CORRECT], 4);
        ck_assert_uint_ge(refused, 1);
        ck_assert_uint_eq(r.p.common.done, 4 + refused);
        ck_assert_uint_eq(r.p.common.planned, 4 + refused);
        run_close(&r);
        snprintf(store, sizeof store, "%s", store_file);
        ck_assert_int_eq(unlink(store), 0);
    }
}
END_TEST

// Other failures do; and a space without enough that is offered ends.
START_TEST(what_fails_spends_it)
{
    struct run r;
    run_open(&r, spec_of("'wrong' if ID % 2 else 'good'", rising, NULL), NULL, "exhaustive", "4");
    ck_assert_uint_eq(r.p.common.done, 4);
    ck_assert_uint_eq(r.p.by_status[STATUS_CORRECTNESS], 2);
    run_close(&r);
    run_open(&r, spec_of("'too_large' if ID > 2 else 'good'", rising, NULL), NULL, "random", "5");
    ck_assert_uint_eq(r.p.by_status[STATUS_CORRECT], 3);
    ck_assert_uint_eq(r.p.common.done, 12);
    ck_assert_uint_eq(r.p.common.planned, 12);
    run_close(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("objectives");
    TCase *t = tcase_create("objectives");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 100);
    suite_add_tcase(suite, t);
    tcase_add_test(t, a_rate_is_ranked_as_the_time);
    tcase_add_test(t, another_metric_decides);
    tcase_add_test(t, the_spec_says_it);
    tcase_add_test(t, energy_is_counted_when_it_is_asked_for);
    tcase_add_test(t, what_nobody_counts_ends_the_search);
    tcase_add_test(t, several_give_a_set);
    tcase_add_test(t, best_knows_the_goal);
    tcase_add_test(t, what_is_refused_spends_no_budget);
    tcase_add_test(t, what_fails_spends_it);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
