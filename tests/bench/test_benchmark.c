// Whole benches with a worker whose times are known: how many passes there are, what is judged, what fails, more
// configurations than one comparison has sides.
#include "../base/suite.h"
#include "../tune/fixture.h"

#include "workflows/benchmark/benchmark.h"

#include "stats/rules.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZES  HONE_SOURCE_DIR "/tests/sweep/data/sizes.json"
#define PASSES 4
#define MOST   10

// At N=100 and N=106 ID=2 is the fastest: it takes N * 100 us.
struct session {
    struct spec *specs[MOST];
    struct benchmark_point points[MOST];
    struct benchmark_options options;
    struct benchmark *bench;
    const struct benchmark_record *records;
    uint32_t count;
    struct error e;
    enum workflow_answer last;
};

static void add(struct session *s, const char *const *set, uint32_t set_count,
                const struct baseline_row *before)
{
    const struct spec_options so = {.set = set, .set_count = set_count};
    uint32_t i = s->options.point_count++;
    s->specs[i] = spec_load(SIZES, &so, &s->e);
    ck_assert_msg(s->specs[i] != NULL, "%s", s->e.text);
    s->points[i] = (struct benchmark_point){
        .spec = s->specs[i], .label = set[0], .configuration = "ID=2", .before = before};
}

#define ADD(s, before, ...)                                                                        \
    do {                                                                                           \
        const char *const set[] = {__VA_ARGS__};                                                   \
        add(s, set, sizeof set / sizeof *set, before);                                             \
    } while (0)

static void begin(struct session *s, bool compares)
{
    memset(s, 0, sizeof *s);
    s->options = (struct benchmark_options){.points = s->points,
                                            .setup.at.device = &report.devices[0],
                                            .setup.at.worker = worker,
                                            .setup.at.environment = environment,
                                            .setup.lock_folder = folder,
                                            .passes = PASSES,
                                            .rounds = 3,
                                            .compares = compares,
                                            .loss = 0.03,
                                            .setup.at.jobs = 2,
                                            .setup.terms = {.rules = measure_rules_default(),
                                                            .build_limit_ns = 60ull * 1000000000,
                                                            .launch_limit_ns = 30ull * 1000000000}};
}

static void run_until(struct session *s, uint64_t done)
{
    const struct benchmark_record *record;
    struct benchmark_progress p;
    s->bench = benchmark_new(&s->options, &s->e);
    ck_assert_msg(s->bench != NULL, "%s", s->e.text);
    do {
        s->last = benchmark_step(s->bench, 1000, &record, &s->e);
        benchmark_progress(s->bench, &p);
        if (done > 0 && p.common.done >= done)
            benchmark_cancel(s->bench);
        if (s->last == WORKFLOW_RECORD)
            ck_assert_uint_eq(record->point, s->count++);
    } while (s->last == WORKFLOW_RECORD || s->last == WORKFLOW_NOTHING);
    uint32_t all;
    s->records = benchmark_records(s->bench, &all);
    ck_assert_uint_eq(all, s->count);
}

static void run(struct session *s)
{
    run_until(s, 0);
    ck_assert_msg(s->last == WORKFLOW_END, "%s", s->e.text);
    ck_assert_uint_eq(s->count, s->options.point_count);
}

static void end(struct session *s)
{
    benchmark_free(s->bench);
    for (uint32_t i = 0; i < s->options.point_count; i++)
        spec_free(s->specs[i]);
}

// A row of as many passes as a baseline has, all of one time, of two moments.
static struct baseline_row row_of(uint64_t ns)
{
    static uint64_t samples[4];
    static struct baseline_pass passes[4][2 * PASSES];
    static unsigned next;
    unsigned at = next++ % 4;
    samples[at] = ns;
    for (int i = 0; i < 2 * PASSES; i++)
        passes[at][i] = (struct baseline_pass){
            .samples_ns = &samples[at], .count = 1, .moment = i < PASSES ? "one" : "two"};
    return (struct baseline_row){
        .constants = "", .configuration = "ID=2", .passes = passes[at], .pass_count = 2 * PASSES};
}

START_TEST(a_baseline_has_twice_as_many_passes)
{
    struct session s;
    begin(&s, false);
    ADD(&s, NULL, "N=100");
    run(&s);
    const struct benchmark_record *n = &s.records[0];
    ck_assert_uint_eq(n->pass_count, 2 * PASSES);
    ck_assert(!n->judged && !n->failure);
    ck_assert_double_eq_tol(n->stats.median, 1e7, 1e5);
    for (uint32_t i = 0; i < n->pass_count; i++)
        ck_assert_uint_eq(n->passes[i].count, 3);
    end(&s);
}
END_TEST

START_TEST(the_same_needs_the_first_passes_alone)
{
    struct session s;
    const struct baseline_row same = row_of(10000000), slower = row_of(12000000);
    begin(&s, true);
    ADD(&s, &same, "N=100");
    ADD(&s, &slower, "N=100", "SCALE=2.5");
    run(&s);
    ck_assert_int_eq(s.records[0].regression.verdict, REGRESSION_OK);
    ck_assert_int_eq(s.records[1].regression.verdict, REGRESSION_GAIN);
    ck_assert_uint_eq(s.records[0].pass_count, PASSES);
    ck_assert_uint_eq(s.records[1].pass_count, PASSES);
    end(&s);
}
END_TEST

START_TEST(a_loss_is_measured_again)
{
    struct session s;
    const struct baseline_row before = row_of(10000000), same = row_of(10000000);
    begin(&s, true);
    ADD(&s, &before, "N=106");
    ADD(&s, &same, "N=100");
    ADD(&s, NULL, "N=100", "SCALE=2.5"); // that the baseline does not know
    run(&s);
    ck_assert_int_eq(s.records[0].regression.verdict, REGRESSION_LOSS);
    ck_assert_double_eq_tol(s.records[0].regression.ratio.ratio, 1.06, 0.002);
    ck_assert_double_eq_tol(s.records[0].before_ns, 1e7, 1);
    ck_assert_uint_eq(s.records[0].pass_count, 2 * PASSES);
    ck_assert_int_eq(s.records[1].regression.verdict, REGRESSION_OK);
    ck_assert_uint_eq(s.records[1].pass_count, PASSES);
    ck_assert(!s.records[2].judged);
    ck_assert_uint_eq(s.records[2].pass_count, PASSES);
    struct benchmark_progress p;
    benchmark_progress(s.bench, &p);
    ck_assert(p.again);
    ck_assert_uint_eq(p.common.done, 4 * PASSES);
    ck_assert_uint_eq(p.common.planned, p.common.done);
    end(&s);
    // A greater threshold.
    begin(&s, true);
    s.options.loss = 0.1;
    ADD(&s, &before, "N=106");
    run(&s);
    ck_assert_int_eq(s.records[0].regression.verdict, REGRESSION_OK);
    end(&s);
}
END_TEST

// The code of a point as it is, with one option more.
static struct job_code code_of(const struct session *s, uint32_t point, const char *option,
                               struct arena *a)
{
    const struct spec *spec = s->specs[point];
    struct error e = ERROR_INIT;
    struct job_code code;
    struct job *job;
    uint32_t *choice = arena_array(a, spec->parameter_count + 1, sizeof *choice);
    struct spec_sources *sources =
        spec_sources_read(spec, report.devices[0].language, &report.devices[0], NULL, &e);
    spec_default(spec, choice);
    ck_assert_msg(sources && spec_parse_configuration(spec, "ID=2", choice, &e) &&
                      spec_job(spec, sources, &report.devices[0], choice, &job, &e),
                  "%s", e.text);
    ck_assert(job_code_of(job, a, &code) && code.count == 1);
    struct job_program *p = &code.programs[0];
    for (uint32_t i = 0; option && i < p->option_count; i++)
        if (strncmp(p->options[i], option, strcspn(option, "=") + 1) == 0)
            p->options[i] = option;
    job_free(job);
    spec_sources_free(sources);
    return code;
}

// The old code takes N * 100 us by its own options; the times in the baseline, of another moment, say nothing any more.
START_TEST(the_baselines_code_is_launched_beside)
{
    static const struct {
        const char *option;
        enum regression_verdict verdict;
        double ratio;
    } cases[] = {{NULL, REGRESSION_OK, 1},
                 {"-DNS=9500000", REGRESSION_LOSS, 100 / 95.0},
                 {"-DNS=11000000", REGRESSION_GAIN, 100 / 110.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session s;
        struct arena own;
        struct baseline_row before = row_of(20000000);
        arena_init(&own);
        begin(&s, true);
        ADD(&s, &before, "N=100");
        before.code = code_of(&s, 0, cases[i].option, &own);
        run(&s);
        const struct benchmark_record *n = &s.records[0];
        ck_assert_ptr_nonnull(n->beside);
        ck_assert_ptr_null(n->why_sessions);
        ck_assert_int_eq(n->regression.verdict, cases[i].verdict);
        ck_assert_double_eq_tol(n->regression.ratio.ratio, cases[i].ratio, 2e-3);
        ck_assert_uint_eq(n->pass_count, 2 * PASSES); // four pairs have no interval
        end(&s);
        // Only where the kernel is what may have changed.
        begin(&s, true);
        s.options.times_alone = true;
        ADD(&s, &before, "N=100");
        run(&s);
        ck_assert_ptr_null(s.records[0].beside);
        ck_assert_int_eq(s.records[0].regression.verdict, REGRESSION_GAIN);
        end(&s);
        arena_release(&own);
    }
}
END_TEST

// Code that cannot be built or launched any more is named, and the times are compared.
START_TEST(old_code_that_fails)
{
    static const char *const options[] = {"-DFAKE=compile_error", "-DFAKE=refuse_loading", NULL};
    for (int i = 0; i < 3; i++) {
        struct session s;
        struct arena own;
        struct baseline_row before = row_of(10000000);
        arena_init(&own);
        begin(&s, true);
        ADD(&s, &before, "N=100");
        before.code = code_of(&s, 0, options[i], &own);
        if (!options[i])
            before.code.geometry = "17 / 1";
        run(&s);
        const struct benchmark_record *n = &s.records[0];
        ck_assert_ptr_null(n->beside);
        ck_assert_ptr_nonnull(n->why_sessions);
        ck_assert_ptr_null(n->failure);
        ck_assert_int_eq(n->regression.verdict, REGRESSION_OK);
        ck_assert_uint_eq(n->pass_count, PASSES);
        end(&s);
        arena_release(&own);
    }
}
END_TEST

START_TEST(what_fails_is_told_and_the_rest_measured)
{
    struct session s;
    const struct baseline_row before = row_of(10000000);
    begin(&s, true);
    ADD(&s, &before, "N=100", "BAD=100", "HOW=compile_error");
    ADD(&s, &before, "N=100");
    run(&s);
    ck_assert_ptr_nonnull(s.records[0].failure);
    ck_assert_int_eq(s.records[0].failure->status, STATUS_COMPILE);
    ck_assert_uint_eq(s.records[0].pass_count, 0);
    ck_assert(!s.records[0].judged);
    ck_assert_ptr_null(s.records[1].failure);
    ck_assert_int_eq(s.records[1].regression.verdict, REGRESSION_OK);
    end(&s);
}
END_TEST

START_TEST(more_than_a_comparison_has_sides)
{
    struct session s;
    char scale[MOST][32];
    begin(&s, false);
    s.options.rounds = 1;
    for (int i = 0; i < MOST; i++) {
        snprintf(scale[i], sizeof scale[i], "SCALE=%d.5", i);
        ADD(&s, NULL, "N=100", scale[i]);
    }
    run(&s);
    for (int i = 0; i < MOST; i++)
        ck_assert_uint_eq(s.records[i].pass_count, 2 * PASSES);
    end(&s);
}
END_TEST

// Of two points, after five passes of each: what they found is judged.
START_TEST(who_cancels_keeps_the_passes_that_ended)
{
    struct session s;
    const struct baseline_row before = row_of(10000000);
    begin(&s, true);
    ADD(&s, &before, "N=106");
    ADD(&s, NULL, "N=100", "SCALE=2.5");
    run_until(&s, 10);
    ck_assert_int_eq(s.last, WORKFLOW_END);
    ck_assert_uint_eq(s.count, 2);
    ck_assert_uint_ge(s.records[0].pass_count, 5);
    ck_assert_uint_lt(s.records[0].pass_count, 2 * PASSES);
    ck_assert_int_eq(s.records[0].regression.verdict, REGRESSION_LOSS);
    ck_assert_uint_ge(s.records[1].pass_count, PASSES);
    end(&s);
}
END_TEST

// They are there after each pass, not only at the end.
START_TEST(records_are_valid_at_every_moment)
{
    struct session s;
    const struct benchmark_record *record;
    const struct baseline_row before = row_of(10000000);
    struct benchmark_progress p;
    uint32_t count;
    begin(&s, true);
    ADD(&s, &before, "N=100");
    s.bench = benchmark_new(&s.options, &s.e);
    ck_assert_msg(s.bench != NULL, "%s", s.e.text);
    benchmark_records(s.bench, &count);
    ck_assert_uint_eq(count, 0);
    do {
        ck_assert_int_eq(benchmark_step(s.bench, 1000, &record, &s.e), WORKFLOW_NOTHING);
        benchmark_progress(s.bench, &p);
    } while (p.pass < 3);
    const struct benchmark_record *records = benchmark_records(s.bench, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(records[0].pass_count, 2);
    ck_assert(records[0].judged && !records[0].regression.ratio.interval);
    end(&s);
}
END_TEST

// ---- recorded drift ----------------------------------------------------------------------------

// Whole benches on a machine that drifts as one did (tests/stats/test_regression.c): each against the moments before it.
enum { RECORDED_PASSES = 12, MOMENTS = 3, BENCHES = SUITE_SANITIZED ? 10 : 60 };

static uint64_t recorded[MOMENTS + BENCHES][RECORDED_PASSES];
static struct baseline_pass recorded_passes[MOMENTS + BENCHES][RECORDED_PASSES];
static const char *const moments[] = {"a", "b", "c", "d"};

static void read_recorded(const char *path)
{
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < MOMENTS + BENCHES; i++) {
        for (int k = 0; k < RECORDED_PASSES; k++) {
            ck_assert_int_eq(fscanf(f, "%" SCNu64, &recorded[i][k]), 1);
            recorded_passes[i][k] = (struct baseline_pass){
                .samples_ns = &recorded[i][k], .count = 1, .moment = moments[i % 4]};
        }
    }
    fclose(f);
}

// The bench of one moment; the kernel takes `factor` times as long as before.
static enum regression_verdict bench_recorded(int at, double factor)
{
    char path[128], variable[160];
    const char *const drifting[] = {folder_variable, variable, NULL};
    struct session s;
    const struct baseline_row before = {.constants = "",
                                        .configuration = "ID=2",
                                        .passes = recorded_passes[at - MOMENTS],
                                        .pass_count = MOMENTS * RECORDED_PASSES};
    snprintf(path, sizeof path, "%s/drift", folder);
    snprintf(variable, sizeof variable, "FAKE_DRIFT=%s", path);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    for (int k = 0; k < RECORDED_PASSES; k++) // millionths of 10 ms, which N=100 takes
        fprintf(f, "%07.0f\n", (double)recorded[at][k] * factor / 10);
    ck_assert_int_eq(fclose(f), 0);
    begin(&s, true);
    s.options.setup.at.environment = drifting;
    s.options.passes = RECORDED_PASSES / 2;
    s.options.rounds = 1;
    ADD(&s, &before, "N=100");
    run(&s);
    ck_assert(s.records[0].judged);
    enum regression_verdict verdict = s.records[0].regression.verdict;
    end(&s);
    snprintf(path, sizeof path, "%s/drift.at", folder);
    ck_assert_int_eq(remove(path), 0);
    return verdict;
}

START_TEST(recorded_drift_calls_no_alarm)
{
    static const char *const files[] = {HONE_SOURCE_DIR "/tests/stats/data/drift_compute.txt",
                                        HONE_SOURCE_DIR "/tests/stats/data/drift_memory.txt"};
    int same[4] = {0}, slow[4] = {0};
    read_recorded(files[_i]);
    for (int at = MOMENTS; at < MOMENTS + BENCHES; at++) {
        same[bench_recorded(at, 1)]++;
        if (at % 5 == 0)
            slow[bench_recorded(at, 1.6)]++;
    }
    printf("%s: of %d the same %d gains, %d losses; of %d that are 1.6 times as slow %d losses\n",
           files[_i], BENCHES, same[REGRESSION_GAIN], same[REGRESSION_LOSS], BENCHES / 5,
           slow[REGRESSION_LOSS]);
    ck_assert_int_le(same[REGRESSION_GAIN], 3);
    ck_assert_int_le(same[REGRESSION_LOSS], 3);
    ck_assert_int_ge(slow[REGRESSION_LOSS], BENCHES / 5 * 8 / 10);
}
END_TEST

// A configuration that the spec does not have ends it, with the reason.
START_TEST(what_is_unknown_breaks_it)
{
    struct session s;
    begin(&s, false);
    ADD(&s, NULL, "N=100");
    s.points[0].configuration = "ID=17";
    run_until(&s, 0);
    ck_assert_int_eq(s.last, WORKFLOW_BROKEN);
    ck_assert_msg(strstr(s.e.text, "17") != NULL, "%s", s.e.text);
    const struct benchmark_record *record;
    ck_assert_int_eq(benchmark_step(s.bench, 0, &record, &s.e), WORKFLOW_BROKEN);
    end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("benchmark");
    TCase *c = tcase_create("benchmark");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_baseline_has_twice_as_many_passes);
    tcase_add_test(c, the_same_needs_the_first_passes_alone);
    tcase_add_test(c, a_loss_is_measured_again);
    tcase_add_test(c, the_baselines_code_is_launched_beside);
    tcase_add_test(c, old_code_that_fails);
    tcase_add_test(c, what_fails_is_told_and_the_rest_measured);
    tcase_add_test(c, more_than_a_comparison_has_sides);
    tcase_add_test(c, who_cancels_keeps_the_passes_that_ended);
    tcase_add_test(c, records_are_valid_at_every_moment);
    tcase_add_loop_test(c, recorded_drift_calls_no_alarm, 0, 2);
    tcase_add_test(c, what_is_unknown_breaks_it);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
