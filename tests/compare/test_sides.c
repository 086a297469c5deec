// A comparison with a worker whose times are known: what is found, what fails on one side, what the
// store makes of it, two members on one card.
#include "workflows/best.h"
#include "workflows/compare/compare.h"
#include "workflows/tune/tune.h"

#include "os/process.h"
#include "worker/protocol.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CONFIGURATIONS = 6 };

static const char *const worker[] = {FAKE_WORKER, NULL};
static char folder[64], folder_variable[96], store_file[128];
static const char *environment[] = {folder_variable, NULL};
static struct arena arena;
static struct device_report report;
static struct device_info second; // another device of the same host

struct session {
    struct spec *specs[2];
    struct store *stores[2];
    struct compare_side sides[2];
    struct compare_options options;
    struct compare *compare;
    const struct compare_record *records[CONFIGURATIONS];
    size_t count;
    struct compare_progress summary;
};

static void setup(void)
{
    struct error e = ERROR_INIT;
    snprintf(folder, sizeof folder, "/tmp/hone-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(folder_variable, sizeof folder_variable, "FAKE_FOLDER=%s", folder);
    snprintf(store_file, sizeof store_file, "%s/store.sqlite", folder);
    arena_init(&arena);
    ck_assert_msg(live_devices(&(struct place){.worker = worker, .environment = environment},
                               LANGUAGES_ALL, &arena, &report, NULL, 0, &e),
                  "%s", e.text);
    second = report.devices[0];
    second.id = "fake/1";
}

static void teardown(void)
{
    arena_release(&arena);
    folder_remove(folder);
}

static struct spec *load(const char *set, const char *also)
{
    struct error e = ERROR_INIT;
    const char *const sets[] = {set, also};
    struct spec_options so = {.set = sets, .set_count = !set ? 0 : !also ? 1 : 2};
    struct spec *spec = spec_load(HONE_SOURCE_DIR "/tests/compare/data/pair.json", &so, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    return spec;
}

static struct store *open_store(void)
{
    struct error e = ERROR_INIT;
    struct store *store = store_open(store_file, STORE_WRITE, &e);
    ck_assert_msg(store != NULL, "%s", e.text);
    return store;
}

// The left side as the spec is, the right one with these constants.
static void begin(struct session *s, const char *set, const char *also)
{
    memset(s, 0, sizeof *s);
    s->specs[0] = load(NULL, NULL);
    s->specs[1] = load(set, also);
    for (int i = 0; i < 2; i++) {
        s->stores[i] = open_store();
        s->sides[i] = (struct compare_side){.label = i ? "right" : "left",
                                            .spec = s->specs[i],
                                            .device = &report.devices[0],
                                            .store = s->stores[i],
                                            .name = "pair"};
    }
    s->options = (struct compare_options){.sides = s->sides,
                                          .side_count = 2,
                                          .setup.at.worker = worker,
                                          .setup.at.environment = environment,
                                          .setup.lock_folder = folder,
                                          .setup.at.jobs = 2,
                                          .setup.terms = {.rules = measure_rules_default(),
                                                          .build_limit_ns = 60ull * 1000000000,
                                                          .launch_limit_ns = 30ull * 1000000000}};
}

static void start(struct session *s)
{
    struct error e = ERROR_INIT;
    s->compare = compare_new(&s->options, &e);
    ck_assert_msg(s->compare != NULL, "%s", e.text);
}

static void run(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct compare_record *record;
    enum workflow_answer answer;
    start(s);
    while ((answer = compare_step(s->compare, 1000, &record, &e)) != WORKFLOW_END) {
        ck_assert_msg(answer != WORKFLOW_BROKEN, "%s", e.text);
        if (answer != WORKFLOW_RECORD)
            continue;
        ck_assert_uint_lt(s->count, CONFIGURATIONS);
        s->records[s->count++] = record;
    }
    compare_progress(s->compare, &s->summary);
}

static void end(struct session *s)
{
    compare_free(s->compare);
    for (int i = 0; i < 2; i++) {
        store_close(s->stores[i]);
        spec_free(s->specs[i]);
    }
}

static bool is_about(double x, double y)
{
    return fabs(x - y) < 1e-3 * y;
}

static void check_twice(const struct session *s)
{
    ck_assert_uint_eq(s->count, CONFIGURATIONS);
    for (size_t i = 0; i < s->count; i++) {
        const struct compare_record *r = s->records[i];
        ck_assert(r->compared && r->in_turn && r->apart);
        ck_assert_uint_ge(r->rounds, COMPARE_LEAST);
        ck_assert_msg(is_about(r->ratio.ratio, 0.5), "%g", r->ratio.ratio);
        ck_assert(r->ratio.interval && r->ratio.low <= 0.5 + 1e-4 && r->ratio.high >= 0.5 - 1e-4);
        ck_assert_double_lt(r->ratio.high, 0.51);
        for (int side = 0; side < 2; side++) {
            ck_assert_uint_eq(r->entries[side].result->sample_count, r->rounds);
            ck_assert_int_eq(r->entries[side].result->stop, STOP_COMPARED);
        }
    }
    const struct compare_progress *m = &s->summary;
    ck_assert_uint_eq(m->compared, CONFIGURATIONS);
    ck_assert_uint_eq(m->apart, CONFIGURATIONS);
    ck_assert_uint_eq(m->first_faster, CONFIGURATIONS);
    ck_assert(is_about(m->mean, 0.5) && m->mean_interval);
    ck_assert_double_eq(m->correlation, 1);
    ck_assert(m->has_bests && is_about(m->ratio_of_bests.ratio, 0.5));
    ck_assert_ptr_eq(m->best[0], s->records[0]);
    ck_assert_ptr_eq(m->best[1], s->records[0]);
}

START_TEST(twice_as_slow)
{
    struct session s;
    begin(&s, "FACTOR=2", NULL);
    run(&s);
    check_twice(&s);
    end(&s);
}
END_TEST

START_TEST(two_members_of_one_host)
{
    struct session s;
    begin(&s, "FACTOR=2", NULL);
    s.sides[1].device = &second;
    run(&s);
    check_twice(&s);
    end(&s);
}
END_TEST

START_TEST(equal_ones)
{
    struct session s;
    begin(&s, "OTHER=1", NULL);
    run(&s);
    ck_assert_uint_eq(s.summary.compared, CONFIGURATIONS);
    ck_assert_uint_eq(s.summary.apart, 0);
    for (size_t i = 0; i < s.count; i++) {
        ck_assert(!s.records[i]->apart);
        ck_assert(is_about(s.records[i]->ratio.ratio, 1));
    }
    end(&s);
}
END_TEST

START_TEST(one_side_fails)
{
    struct session s;
    begin(&s, "BAD=0", "HOW=compile_error");
    run(&s);
    ck_assert_uint_eq(s.summary.compared, CONFIGURATIONS - 1);
    ck_assert_uint_eq(s.summary.failed, 1);
    const struct compare_record *r = s.records[0];
    ck_assert(!r->compared);
    ck_assert_int_eq(r->entries[0].result->status, STATUS_CORRECT);
    ck_assert_int_eq(r->entries[1].result->status, STATUS_COMPILE);
    ck_assert(!r->entries[0].timed); // a pair without its other half is not launched
    ck_assert_ptr_eq(s.summary.best[0], s.records[1]);
    end(&s);
}
END_TEST

START_TEST(one_side_dies_in_a_round)
{
    struct session s;
    begin(&s, "BAD=2", "HOW=die_in_turn");
    run(&s);
    ck_assert_uint_eq(s.summary.compared, CONFIGURATIONS - 1);
    ck_assert_int_eq(s.records[2]->entries[1].result->status, STATUS_RUNTIME);
    ck_assert(s.records[2]->entries[0].timed && !s.records[2]->compared);
    ck_assert(s.records[3]->compared);
    end(&s);
}
END_TEST

// The fastest of the right side is another one: both bests meet in a paired run of their own.
START_TEST(bests_meet)
{
    struct session s;
    begin(&s, "BAD=0", "HOW=compile_error");
    spec_free(s.specs[0]);
    s.sides[0].spec = s.specs[0] = load("FACTOR=3", NULL);
    s.options.setup.space.configurations = (const char *const[]){"ID=1", "ID=0"};
    s.options.setup.space.configuration_count = 2;
    run(&s);
    ck_assert_uint_eq(s.count, 2);
    ck_assert_uint_eq(s.summary.compared, 1);
    ck_assert(is_about(s.summary.ratio_of_bests.ratio, 3));
    end(&s);
}
END_TEST

START_TEST(what_one_side_has_alone)
{
    struct session s;
    begin(&s, "LEAST=2", NULL);
    run(&s);
    ck_assert_uint_eq(s.count, 4);
    ck_assert_uint_eq(s.summary.only[0].count, 2);
    ck_assert_str_eq(s.summary.only[0].examples[0], "ID=0");
    ck_assert_uint_eq(s.summary.only[1].count, 0);
    end(&s);
}
END_TEST

START_TEST(sample_and_picked)
{
    struct session s;
    begin(&s, "FACTOR=2", NULL);
    s.options.sample = 3;
    run(&s);
    ck_assert_uint_eq(s.count, 3);
    end(&s);
    begin(&s, "FACTOR=2", NULL);
    s.options.chosen = (const char *const[]){"ID=4", "ID=9"};
    s.options.chosen_count = 2;
    run(&s);
    ck_assert_uint_eq(s.count, 1);
    ck_assert_str_eq(s.records[0]->configuration, "ID=4");
    end(&s);
}
END_TEST

START_TEST(nothing_in_common)
{
    struct session s;
    struct error e = ERROR_INIT;
    begin(&s, "LEAST=5", NULL);
    s.options.setup.space.configurations = (const char *const[]){"ID=5", "ID=1"};
    s.options.setup.space.configuration_count = 1;
    spec_free(s.specs[0]);
    s.sides[0].spec = s.specs[0] = load("FACTOR=1", NULL);
    s.options.setup.space.where = (const char *const[]){"ID > 4 or LEAST == 0"};
    s.options.setup.space.where_count = 1;
    s.options.setup.space.configurations = NULL;
    s.options.setup.space.configuration_count = 0;
    s.options.chosen = (const char *const[]){"ID=1"};
    s.options.chosen_count = 1;
    ck_assert_ptr_null(compare_new(&s.options, &e));
    ck_assert_msg(strstr(e.text, "no configuration in common") != NULL, "%s", e.text);
    end(&s);
}
END_TEST

// ---- several sides, each its own configuration --------------------------------------------------

START_TEST(choices_are_ranked)
{
    struct session s;
    begin(&s, "FACTOR=3", NULL);
    s.options.choices = (const char *const[]){"ID=1", "ID=0"};
    run(&s);
    ck_assert_uint_eq(s.count, 1);
    const struct compare_entry *entries = s.records[0]->entries;
    ck_assert(entries[0].ranked && entries[1].ranked);
    ck_assert_uint_eq(entries[0].rank.place, 0);
    ck_assert_uint_eq(entries[1].rank.place, 1);
    ck_assert(!entries[1].rank.tied && is_about(entries[1].rank.ratio, 2.5));
    ck_assert(entries[1].rank.ratio_low > 2.4 && entries[1].rank.ratio_high < 2.6);
    end(&s);
}
END_TEST

// A spec whose reference is no gemm, and a worker whose device calls no routine.
START_TEST(routine_needs_a_gemm)
{
    struct session s;
    struct error e = ERROR_INIT;
    begin(&s, "FACTOR=3", NULL);
    s.sides[1].routine = ROUTINE_CBLAS;
    ck_assert_ptr_null(compare_new(&s.options, &e)); // nothing says which configuration
    ck_assert_msg(strstr(e.text, "no configurations") != NULL, "%s", e.text);
    error_clear(&e);
    s.options.choices = (const char *const[]){"ID=1", ""};
    ck_assert_ptr_null(compare_new(&s.options, &e));
    ck_assert_msg(strstr(e.text, "Kind gemm") != NULL, "%s", e.text);
    end(&s);
}
END_TEST

// ---- the store ---------------------------------------------------------------------------------

static void tune(void)
{
    struct error e = ERROR_INIT;
    struct spec *spec = load(NULL, NULL);
    struct store *store = open_store();
    struct tune_options o = {.setup.spec = spec,
                             .setup.at.device = &report.devices[0],
                             .setup.at.worker = worker,
                             .setup.at.environment = environment,
                             .setup.store = store,
                             .setup.lock_folder = folder,
                             .setup.at.jobs = 2,
                             .setup.terms = {.rules = measure_rules_default(),
                                             .build_limit_ns = 60ull * 1000000000,
                                             .launch_limit_ns = 30ull * 1000000000}};
    struct tune *t = tune_new(&o, &e);
    const struct tune_record *record;
    ck_assert_msg(t != NULL, "%s", e.text);
    while (tune_step(t, 1000, &record, &e) != WORKFLOW_END)
        ck_assert_msg(e.code == ERROR_NONE, "%s", e.text);
    struct tune_progress p;
    tune_progress(t, &p);
    ck_assert(p.ranked.decided);
    tune_free(t);
    store_close(store);
    spec_free(spec);
}

static bool count_rows(void *context, const struct store_row *row)
{
    uint64_t *counts = context;
    counts[0]++;
    counts[1] += row->result->stop == STOP_COMPARED;
    ck_assert_uint_eq(strlen(row->session), 32);
    return true;
}

// The samples are kept, and what a ranking found stays the answer of `hone best` and of a tune.
START_TEST(rankings_stay)
{
    struct session s;
    struct error e = ERROR_INIT;
    struct best_answer answer;
    struct store_query query = {.spec_name = "pair"};
    uint64_t counts[2] = {0, 0};
    bool found;
    tune();
    begin(&s, "FACTOR=2", NULL);
    run(&s);
    ck_assert(store_each(s.stores[0], &query, count_rows, counts, &e));
    ck_assert_uint_eq(counts[1], 2 * CONFIGURATIONS);
    struct spec_sources *sources = spec_sources_read(s.specs[0], LANGUAGE_OPENCL, NULL, NULL, &e);
    struct best_options o = {
        .spec = s.specs[0], .sources = sources, .store = s.stores[0], .device = &report.devices[0]};
    ck_assert(best_find(&o, &arena, &answer, &found, &e) && found);
    ck_assert(answer.place.ranked);
    ck_assert_str_eq(answer.configuration, "ID=0");
    ck_assert_int_eq(answer.result->stop, STOP_RANKED);
    result_free(answer.result);
    spec_sources_free(sources);
    end(&s);
    tune(); // known as a whole: no result is added
    struct store *store = open_store();
    uint64_t again[2] = {0, 0};
    ck_assert(store_each(store, &query, count_rows, again, &e));
    ck_assert_uint_eq(again[0], counts[0]);
    store_close(store);
}
END_TEST

// Compares a stored run of all, as side `side`, with what is measured at LEAST=2, of which only the
// configurations that `where` keeps are wanted.
static void compare_stored_with_fewer(uint32_t side, const char *where, uint64_t alone)
{
    struct session s;
    struct error e = ERROR_INIT;
    struct stored stored;
    begin(&s, NULL, NULL);
    struct spec *fewer = load("LEAST=2", NULL), *all = load(NULL, NULL);
    ck_assert_msg(stored_run(s.stores[0], "last", all, &arena, &stored, &e), "%s", e.text);
    s.sides[side].spec = all;
    s.sides[side].stored = &stored;
    s.sides[side].device = NULL;
    s.sides[side].store = NULL;
    s.sides[1 - side].spec = fewer;
    s.options.setup.space.where = &where;
    s.options.setup.space.where_count = where ? 1 : 0;
    run(&s);
    ck_assert_uint_eq(s.summary.only[side].count, alone);
    ck_assert_uint_eq(s.summary.only[1 - side].count, 0);
    end(&s);
    stored_release(&stored);
    spec_free(fewer);
    spec_free(all);
}

START_TEST(what_a_stored_run_has_alone)
{
    tune();
    compare_stored_with_fewer((uint32_t)_i, NULL, 2);
    compare_stored_with_fewer((uint32_t)_i, "ID > 3", 0);
}
END_TEST

START_TEST(a_stored_run)
{
    struct session s;
    struct error e = ERROR_INIT;
    struct stored stored;
    tune();
    begin(&s, "FACTOR=2", NULL);
    ck_assert_msg(stored_run(s.stores[0], "last", s.specs[0], &arena, &stored, &e), "%s", e.text);
    ck_assert_uint_eq(stored.count, CONFIGURATIONS);
    s.sides[0].stored = &stored;
    s.sides[0].device = NULL;
    s.sides[0].store = NULL;
    run(&s);
    ck_assert_uint_ge(s.summary.compared, 2);
    ck_assert(!s.summary.paired);
    for (size_t i = 0; i < s.count; i++)
        ck_assert(!s.records[i]->compared || is_about(s.records[i]->ratio.ratio, 0.5));
    end(&s);
    stored_release(&stored);
}
END_TEST

START_TEST(runs_that_are_not_there)
{
    struct error e = ERROR_INIT;
    struct stored stored;
    const char **fastest;
    size_t count;
    struct spec *spec = load(NULL, NULL);
    struct store *store = open_store();
    ck_assert(!stored_run(store, "last", spec, &arena, &stored, &e));
    ck_assert_msg(strstr(e.text, "no results of pair") != NULL, "%s", e.text);
    stored_release(&stored);
    tune();
    error_clear(&e);
    ck_assert(!stored_run(store, "zz", spec, &arena, &stored, &e));
    ck_assert_msg(strstr(e.text, "no run of pair begins with 'zz'; the newest are:\n") != NULL,
                  "%s", e.text);
    stored_release(&stored);
    error_clear(&e);
    ck_assert(
        stored_fastest(store, spec, &report.devices[0], false, 2, &arena, &fastest, &count, &e));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(fastest[0], "ID=0");
    ck_assert_str_eq(fastest[1], "ID=1");
    store_close(store);
    spec_free(spec);
}
END_TEST

// ---- the end before the end ---------------------------------------------------------------------

// The records are all there, and what they amount to; only the paired run of the bests is not.
START_TEST(cancelled_at_the_bests)
{
    struct session s;
    struct error e = ERROR_INIT;
    const struct compare_record *record;
    enum workflow_answer answer;
    unsigned records = 0;
    begin(&s, "SHIFT=3", NULL); // two are the fastest: they have a paired run of their own
    s.options.rounds = 8;
    start(&s);
    while ((answer = compare_step(s.compare, 1000, &record, &e)) != WORKFLOW_END) {
        ck_assert_msg(answer != WORKFLOW_BROKEN, "%s", e.text);
        compare_progress(s.compare, &s.summary);
        records += answer == WORKFLOW_RECORD;
        if (!s.summary.common.cancelled && records == s.summary.common.planned &&
            s.summary.level > 0)
            compare_cancel(s.compare);
    }
    compare_progress(s.compare, &s.summary);
    ck_assert(s.summary.common.cancelled);
    ck_assert(!s.summary.has_bests);
    ck_assert_uint_eq(s.summary.compared, records);
    ck_assert(is_about(s.summary.mean, 1));
    ck_assert(isfinite(s.summary.correlation));
    end(&s);
}
END_TEST

START_TEST(cancelled)
{
    struct session s;
    struct error e = ERROR_INIT;
    const struct compare_record *record;
    begin(&s, "FACTOR=2", NULL);
    start(&s);
    enum workflow_answer answer;
    unsigned records = 0;
    while ((answer = compare_step(s.compare, 1000, &record, &e)) != WORKFLOW_END) {
        ck_assert_msg(answer != WORKFLOW_BROKEN, "%s", e.text);
        if (answer == WORKFLOW_RECORD && ++records == 2)
            compare_cancel(s.compare);
    }
    compare_progress(s.compare, &s.summary);
    ck_assert(s.summary.common.cancelled);
    ck_assert_uint_eq(s.summary.compared, 2);
    ck_assert(is_about(s.summary.mean, 0.5));
    end(&s);
}
END_TEST

START_TEST(hopeless_spec)
{
    struct session s;
    struct error e = ERROR_INIT;
    const struct compare_record *record;
    begin(&s, "BAD=0", "HOW=spec_fault");
    start(&s);
    enum workflow_answer answer;
    do
        answer = compare_step(s.compare, 1000, &record, &e);
    while (answer == WORKFLOW_NOTHING);
    ck_assert_int_eq(answer, WORKFLOW_BROKEN);
    ck_assert_msg(strstr(e.text, "right: ") && strstr(e.text, "no kernel 'x'"), "%s", e.text);
    end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compare");
    TCase *t = tcase_create("sides");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, twice_as_slow);
    tcase_add_test(t, two_members_of_one_host);
    tcase_add_test(t, equal_ones);
    tcase_add_test(t, one_side_fails);
    tcase_add_test(t, one_side_dies_in_a_round);
    tcase_add_test(t, bests_meet);
    tcase_add_test(t, what_one_side_has_alone);
    tcase_add_test(t, sample_and_picked);
    tcase_add_test(t, nothing_in_common);
    tcase_add_test(t, choices_are_ranked);
    tcase_add_test(t, routine_needs_a_gemm);
    tcase_add_test(t, rankings_stay);
    tcase_add_test(t, a_stored_run);
    tcase_add_loop_test(t, what_a_stored_run_has_alone, 0, 2);
    tcase_add_test(t, runs_that_are_not_there);
    tcase_add_test(t, cancelled);
    tcase_add_test(t, cancelled_at_the_bests);
    tcase_add_test(t, hopeless_spec);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
