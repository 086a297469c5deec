// Whole sweeps with a worker whose times are known: what each point finds, what fails, what the
// store answers, further lines in turn.
#include "../tune/fixture.h"

#include "workflows/sweep/sweep.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZES HONE_SOURCE_DIR "/tests/sweep/data/sizes.json"
#define SLOW  HONE_SOURCE_DIR "/tests/sweep/data/slow.json"

// A sweep to its end, or until it was cancelled.
struct session {
    struct arena arena;
    struct spec *spec; // as in its file
    struct sweep_plan plan;
    struct sweep_line lines[2];
    struct sweep_options options;
    struct sweep *sweep;
    const struct sweep_record *records;
    uint32_t count;
    struct error e;
    enum workflow_answer last;
};

static void begin(struct session *s, uint32_t lines, const char *const *set, uint32_t set_count)
{
    static const char *const paths[] = {SIZES, SLOW};
    memset(s, 0, sizeof *s);
    arena_init(&s->arena);
    s->spec = spec_load(SIZES, NULL, &s->e);
    ck_assert_msg(s->spec != NULL, "%s", s->e.text);
    ck_assert_msg(sweep_plan_make(s->spec, set, set_count, false, &s->arena, &s->plan, &s->e), "%s",
                  s->e.text);
    for (uint32_t i = 0; i < lines; i++) {
        struct tune_options tune = {.setup.at.device = &report.devices[0],
                                    .setup.at.worker = worker,
                                    .setup.at.environment = environment,
                                    .setup.lock_folder = folder,
                                    .setup.at.jobs = 2,
                                    .setup.terms = {.rules = measure_rules_default(),
                                                    .build_limit_ns = 60ull * 1000000000,
                                                    .launch_limit_ns = 30ull * 1000000000}};
        tune.setup.store = store_open(store_file, STORE_WRITE, &s->e);
        ck_assert_msg(tune.setup.store != NULL, "%s", s->e.text);
        ck_assert(objective_parse(NULL, s->spec, &tune.objectives, &s->e));
        s->lines[i] = (struct sweep_line){.side = {.label = i ? "slow" : "sizes",
                                                   .device = tune.setup.at.device,
                                                   .store = tune.setup.store},
                                          .path = paths[i],
                                          .tune = tune};
    }
    s->options = (struct sweep_options){.lines = s->lines, .line_count = lines, .plan = &s->plan};
}

// Cancels after so many records; 0: not at all.
static void run_until(struct session *s, uint32_t records)
{
    const struct sweep_record *record;
    s->sweep = sweep_new(&s->options, &s->e);
    ck_assert_msg(s->sweep != NULL, "%s", s->e.text);
    do {
        s->last = sweep_step(s->sweep, 1000, &record, &s->e);
        if (s->last == WORKFLOW_RECORD && ++s->count == records)
            sweep_cancel(s->sweep);
    } while (s->last == WORKFLOW_RECORD || s->last == WORKFLOW_NOTHING);
    uint32_t all;
    s->records = sweep_records(s->sweep, &all);
    ck_assert_uint_eq(all, s->count);
}

static void run(struct session *s)
{
    run_until(s, 0);
    ck_assert_msg(s->last == WORKFLOW_END, "%s", s->e.text);
    ck_assert_uint_eq(s->count, s->plan.point_count);
}

static void end(struct session *s)
{
    sweep_free(s->sweep);
    for (uint32_t i = 0; i < s->options.line_count; i++)
        store_close(s->lines[i].tune.setup.store);
    spec_free(s->spec);
    arena_release(&s->arena);
}

#define BEGIN(s, lines, ...)                                                                       \
    do {                                                                                           \
        const char *const set[] = {__VA_ARGS__};                                                   \
        begin(s, lines, set, sizeof set / sizeof *set);                                            \
    } while (0)

static uint64_t launches_of(const struct session *s)
{
    struct sweep_progress p;
    sweep_progress(s->sweep, &p);
    return p.launches;
}

// At N the fastest ID is the one with (ID + N) % 6 == 0, in N * 100 us.
static void check_point(const struct session *s, uint32_t point, int64_t n, bool known)
{
    const struct sweep_entry *entry = &s->records[point].entries[0];
    char configuration[16];
    ck_assert_uint_eq(s->records[point].point, point);
    snprintf(configuration, sizeof configuration, "ID=%d", (int)((12 - n) % 6));
    ck_assert_msg(entry->timed, "%s", entry->why ? entry->why : "");
    ck_assert_str_eq(entry->configuration, configuration);
    ck_assert_double_eq_tol(entry->stats.median, 1e5 * (double)n, 1e3 * (double)n);
    ck_assert(entry->known == known);
    ck_assert_ptr_null(entry->why);
}

START_TEST(each_point_has_its_best)
{
    struct session s;
    BEGIN(&s, 1, "N=1..4", "M=N");
    run(&s);
    check_point(&s, 0, 1, false);
    check_point(&s, 1, 2, false);
    check_point(&s, 2, 4, false);
    ck_assert(!s.records[0].entries[0].in_turn && !s.records[0].entries[0].compared);
    ck_assert_uint_gt(launches_of(&s), 18);
    end(&s);
    // The store has all of it.
    BEGIN(&s, 1, "N=1..4", "M=N");
    run(&s);
    for (uint32_t i = 0; i < 3; i++)
        check_point(&s, i, 1 << i, true);
    ck_assert_uint_eq(launches_of(&s), 0);
    end(&s);
    // Asked for again it is tuned, and what is known answers.
    BEGIN(&s, 1, "N=1..4", "M=N");
    s.options.again = true;
    run(&s);
    check_point(&s, 2, 4, true);
    ck_assert_uint_eq(launches_of(&s), 0);
    end(&s);
    BEGIN(&s, 1, "N=1", "M=N");
    s.lines[0].tune.setup.fresh = true;
    run(&s);
    check_point(&s, 0, 1, false);
    ck_assert_uint_gt(launches_of(&s), 6);
    end(&s);
}
END_TEST

START_TEST(it_goes_on_where_it_was)
{
    struct session s;
    BEGIN(&s, 1, "N=1,2,3");
    run_until(&s, 1);
    ck_assert_int_eq(s.last, WORKFLOW_END);
    ck_assert_uint_eq(s.count, 1);
    check_point(&s, 0, 1, false);
    end(&s);
    BEGIN(&s, 1, "N=1,2,3");
    run(&s);
    check_point(&s, 0, 1, true);
    check_point(&s, 1, 2, false);
    check_point(&s, 2, 3, false);
    end(&s);
}
END_TEST

// A ranking of a part of the space does not answer for the whole, and what is known of the part is
// not measured again. At N=1 the fastest is ID=5, and ID=4 takes longest.
START_TEST(a_part_was_tuned)
{
    struct session s;
    static const char *const part[] = {"ID < 4"};
    BEGIN(&s, 1, "N=1");
    s.lines[0].tune.setup.space.where = part;
    s.lines[0].tune.setup.space.where_count = 1;
    run(&s);
    ck_assert_str_eq(s.records[0].entries[0].configuration, "ID=0");
    end(&s);
    BEGIN(&s, 1, "N=1"); // the same part again
    s.lines[0].tune.setup.space.where = part;
    s.lines[0].tune.setup.space.where_count = 1;
    run(&s);
    ck_assert(s.records[0].entries[0].known && !s.records[0].entries[0].subspace);
    ck_assert_uint_eq(launches_of(&s), 0);
    end(&s);
    BEGIN(&s, 1, "N=1"); // nothing is tuned: of a part, and called so
    s.lines[0].means = SWEEP_KNOWN;
    run(&s);
    ck_assert_str_eq(s.records[0].entries[0].configuration, "ID=0");
    ck_assert_pstr_eq(s.records[0].entries[0].subspace, "--where 'ID < 4'");
    end(&s);
    BEGIN(&s, 1, "N=1");
    run(&s);
    check_point(&s, 0, 1, false);
    ck_assert(!s.records[0].entries[0].subspace);
    end(&s);
    BEGIN(&s, 1, "N=1");
    run(&s);
    check_point(&s, 0, 1, true);
    ck_assert_uint_eq(launches_of(&s), 0);
    end(&s);
}
END_TEST

// What a budget did not reach this time was found in a part earlier.
START_TEST(a_part_has_the_best)
{
    struct session s;
    static const char *const part[] = {"ID == 1 or ID == 5"}, *const rest[] = {"ID < 4"};
    BEGIN(&s, 1, "N=1");
    s.lines[0].tune.setup.space.where = part;
    s.lines[0].tune.setup.space.where_count = 1;
    run(&s);
    check_point(&s, 0, 1, false);
    end(&s);
    BEGIN(&s, 1, "N=1"); // a strategy that never asks for it: the default is ID=0
    s.lines[0].tune.budget.configurations = 2;
    s.lines[0].tune.strategy = "random";
    s.lines[0].tune.setup.seed = 1;
    run(&s);
    check_point(&s, 0, 1, false);
    end(&s);
    BEGIN(&s, 1, "N=1"); // asked for a part, the best of another is no answer
    s.lines[0].tune.setup.space.where = rest;
    s.lines[0].tune.setup.space.where_count = 1;
    run(&s);
    ck_assert_str_eq(s.records[0].entries[0].configuration, "ID=0");
    end(&s);
}
END_TEST

// No space at 7, nothing correct at 3, no such size at 1.5: rows, and the others are measured.
START_TEST(a_point_that_fails_is_a_row)
{
    struct session s;
    BEGIN(&s, 1, "N=7,3,2", "BAD=3", "HOW=wrong");
    run(&s);
    const struct sweep_entry *none = &s.records[0].entries[0], *bad = &s.records[1].entries[0];
    ck_assert(!none->timed && !bad->timed);
    ck_assert_ptr_nonnull(strstr(none->why, "no configuration is valid: "));
    ck_assert_msg(str_starts(bad->why, "no configuration gave a correct result (6 correctness, "
                                       "e.g. ID="),
                  "%s", bad->why);
    check_point(&s, 2, 2, false);
    end(&s);
    BEGIN(&s, 1, "N=3,4", "M=N/2");
    run(&s);
    ck_assert(!s.records[0].entries[0].timed);
    ck_assert_ptr_null(s.records[0].entries[0].spec);
    ck_assert_ptr_nonnull(strstr(s.records[0].entries[0].why, "M is of type int; '1.5' is not"));
    check_point(&s, 1, 4, false);
    end(&s);
}
END_TEST

START_TEST(nothing_is_tuned)
{
    struct session s;
    BEGIN(&s, 1, "N=2");
    run(&s);
    end(&s);
    BEGIN(&s, 1, "N=1,2");
    s.lines[0].means = SWEEP_KNOWN;
    run(&s);
    ck_assert(!s.records[0].entries[0].timed);
    ck_assert(str_starts(s.records[0].entries[0].why, "the store knows no configuration"));
    check_point(&s, 1, 2, true);
    ck_assert_uint_eq(launches_of(&s), 0);
    end(&s);
}
END_TEST

START_TEST(lines_are_launched_in_turn)
{
    struct session s;
    BEGIN(&s, 2, "N=1,2");
    s.options.rounds = 8;
    run(&s);
    for (uint32_t i = 0; i < 2; i++) {
        const struct sweep_entry *first = &s.records[i].entries[0], *other = first + 1;
        check_point(&s, i, i + 1, false);
        ck_assert(first->in_turn && other->in_turn && !first->compared && other->compared);
        ck_assert_str_eq(first->configuration, other->configuration);
        ck_assert_uint_eq(first->result->sample_count, 8);
        ck_assert_int_eq(first->result->stop, STOP_COMPARED);
        ck_assert_double_eq_tol(other->ratio.ratio, 2, 1e-2);
        ck_assert(other->ratio.interval && other->ratio.low <= 2.01 && other->ratio.high >= 1.99);
    }
    end(&s);
    // Nothing is launched twice.
    BEGIN(&s, 2, "N=1,2,3");
    s.options.rounds = 8;
    run(&s);
    for (uint32_t i = 0; i < 2; i++) {
        const struct sweep_entry *first = &s.records[i].entries[0], *other = first + 1;
        check_point(&s, i, i + 1, true);
        ck_assert(first->in_turn && other->in_turn && other->compared);
        ck_assert_double_eq_tol(other->ratio.ratio, 2, 1e-2);
    }
    ck_assert(s.records[2].entries[1].compared);
    end(&s);
    BEGIN(&s, 2, "N=1,2");
    s.options.rounds = 8;
    run(&s);
    ck_assert_uint_eq(launches_of(&s), 0);
    end(&s);
    BEGIN(&s, 2, "N=1"); // more rounds than there were
    s.options.rounds = 12;
    run(&s);
    ck_assert_uint_gt(launches_of(&s), 0);
    ck_assert_uint_eq(s.records[0].entries[1].result->sample_count, 12);
    end(&s);
}
END_TEST

// Where one line fails the others have their times by themselves.
START_TEST(a_line_that_fails)
{
    struct session s;
    BEGIN(&s, 2, "N=1,2", "BAD=2", "HOW=compile_error");
    run(&s);
    ck_assert(s.records[0].entries[1].compared);
    ck_assert(!s.records[1].entries[0].timed && !s.records[1].entries[1].timed);
    ck_assert_ptr_nonnull(strstr(s.records[1].entries[1].why, "(6 compile, e.g. ID="));
    end(&s);
    // In turn it dies.
    BEGIN(&s, 2, "N=3", "BAD=3", "HOW=die_in_turn");
    s.lines[0].tune.setup.terms.rules.unranked = s.lines[1].tune.setup.terms.rules.unranked = true;
    run(&s);
    ck_assert(!s.records[0].entries[0].timed);
    ck_assert(str_starts(s.records[0].entries[0].why, "runtime: "));
    end(&s);
}
END_TEST

// What a vendor's routine cannot do here is a reason, not the end: the spec has no reference.
START_TEST(a_routine)
{
    struct session s;
    BEGIN(&s, 2, "N=1");
    s.lines[1].side.routine = ROUTINE_CBLAS;
    s.lines[1].path = SIZES;
    s.lines[1].side.name = "sizes (cblas)";
    run(&s);
    check_point(&s, 0, 1, false);
    ck_assert(!s.records[0].entries[1].timed);
    ck_assert_ptr_nonnull(strstr(s.records[0].entries[1].why, "routine"));
    end(&s);
    // Where nothing else works it is not launched, and that is said.
    BEGIN(&s, 2, "N=3", "BAD=3", "HOW=wrong");
    s.lines[1].side.routine = ROUTINE_CBLAS;
    s.lines[1].path = SIZES;
    s.lines[1].side.name = "sizes (cblas)";
    run(&s);
    ck_assert(!s.records[0].entries[0].timed && !s.records[0].entries[1].timed);
    ck_assert_ptr_nonnull(s.records[0].entries[1].why);
    ck_assert(str_starts(s.records[0].entries[1].why, "not launched: no other line"));
    end(&s);
}
END_TEST

// The worker cannot be started: that is no matter of a point.
START_TEST(it_breaks_off)
{
    struct session s;
    static const char *const nobody[] = {"/nowhere/worker", NULL};
    BEGIN(&s, 1, "N=1,2");
    s.lines[0].tune.setup.at.worker = nobody;
    run_until(&s, 0);
    ck_assert_int_eq(s.last, WORKFLOW_BROKEN);
    ck_assert_uint_eq(s.count, 0);
    ck_assert_str_ne(s.e.text, ""); // under valgrind a worker that is not there seems to start
    end(&s);
}
END_TEST

START_TEST(progress_is_told)
{
    struct session s;
    struct sweep_progress p;
    const struct sweep_record *record;
    bool tuning = false, comparing = false;
    enum workflow_answer answer;
    BEGIN(&s, 2, "N=1,2");
    s.sweep = sweep_new(&s.options, &s.e);
    ck_assert_ptr_nonnull(s.sweep);
    while ((answer = sweep_step(s.sweep, 10, &record, &s.e)) != WORKFLOW_END) {
        ck_assert_int_ne(answer, WORKFLOW_BROKEN);
        sweep_progress(s.sweep, &p);
        ck_assert_uint_eq(p.common.planned, 2);
        tuning = tuning || (p.phase == SWEEP_TUNING && p.tune.common.planned == 6);
        comparing = comparing || (p.phase == SWEEP_COMPARING && p.paired_run.common.planned == 1);
    }
    ck_assert(tuning && comparing);
    ck_assert_uint_eq(p.common.done, 2);
    end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sweep_points");
    TCase *tests = tcase_create("sweep_points");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, each_point_has_its_best);
    tcase_add_test(tests, it_goes_on_where_it_was);
    tcase_add_test(tests, a_part_was_tuned);
    tcase_add_test(tests, a_part_has_the_best);
    tcase_add_test(tests, a_point_that_fails_is_a_row);
    tcase_add_test(tests, nothing_is_tuned);
    tcase_add_test(tests, lines_are_launched_in_turn);
    tcase_add_test(tests, a_line_that_fails);
    tcase_add_test(tests, a_routine);
    tcase_add_test(tests, it_breaks_off);
    tcase_add_test(tests, progress_is_told);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
