// Tunes that are answered from recorded files: what may be asked for, what comes back, when it
// ends.
#include "workflows/tune/tune.h"

#include "../base/suite.h"
#include "workflows/score/score.h"

#include <math.h>
#include <string.h>

#define DATA HONE_SOURCE_DIR "/tests/replay/data/"

// ---- opening -----------------------------------------------------------------------------------

struct opened {
    struct spec *spec;
    struct recorded *recorded;
    struct replay replay;
};

static void open_with(struct opened *o, const char *spec, const char *file,
                      const struct replay_options *more)
{
    struct error e = ERROR_INIT;
    struct spec_options so = {.set = NULL};
    memset(o, 0, sizeof *o);
    if (spec) {
        o->spec = spec_load(spec, &so, &e);
        ck_assert_msg(o->spec != NULL, "%s", e.text);
    }
    struct recorded_options ro = {.spec = o->spec};
    o->recorded = recorded_read(file, &ro, &e);
    ck_assert_msg(o->recorded != NULL, "%s", e.text);
    if (!spec)
        o->spec = replay_spec(o->recorded, &e);
    struct replay_options options = more ? *more : (struct replay_options){.recorded = NULL};
    options.recorded = o->recorded;
    options.spec = o->spec;
    ck_assert_msg(replay_init(&o->replay, &options, &e), "%s", e.text);
}

static void open_valley(struct opened *o)
{
    open_with(o, NULL, DATA "valley_T4.json", NULL);
}

static void opened_release(struct opened *o)
{
    replay_release(&o->replay);
    recorded_free(o->recorded);
    spec_free(o->spec);
}

// The index of a configuration that is there.
static uint64_t index_of(const struct opened *o, const char *text)
{
    uint32_t choice[8];
    uint64_t index;
    struct error e = ERROR_INIT;
    ck_assert_msg(spec_parse_configuration(o->spec, text, choice, &e), "%s", e.text);
    ck_assert_msg(space_find(o->replay.space, choice, &index), "%s", text);
    return index;
}

// ---- what may be asked for ---------------------------------------------------------------------

START_TEST(recorded_parameters_alone)
{
    struct opened o;
    open_valley(&o);
    ck_assert_str_eq(o.spec->name, "valley_T4");
    ck_assert_uint_eq(space_count(o.replay.space), 24);
    ck_assert_uint_eq(o.replay.correct, 22);
    ck_assert_uint_eq(o.replay.excluded, 0);
    ck_assert_uint_eq(o.replay.unrecorded, 0);
    uint64_t best = index_of(&o, "block_size_x=64,tile_size_y=2,padding=0");
    ck_assert_double_eq_tol(replay_row(&o.replay, best)->time_ns, 1e6, 1e-6);
    // Compiling, four runs of 1 ms, verifying and the framework; not the other tuner's search.
    ck_assert_double_eq_tol(replay_cost_ns(&o.replay, best), (564 + 4 + 2 + 10) * 1e6, 1);
    opened_release(&o);
}
END_TEST

// By the spec 128 x 4 is not valid, and 256 x 1, which is, was not recorded.
START_TEST(recorded_and_valid)
{
    struct opened o;
    open_with(&o, DATA "valley.json", DATA "valley_T4.json", NULL);
    ck_assert_uint_eq(space_count(o.replay.space), 22);
    ck_assert_uint_eq(o.replay.excluded, 2);
    ck_assert_uint_eq(o.replay.unrecorded, 2);
    ck_assert_uint_eq(o.replay.correct, 21);
    uint64_t index;
    ck_assert(space_default(o.replay.space, &index));
    ck_assert_uint_eq(index, index_of(&o, "block_size_x=32,tile_size_y=1,padding=0"));
    opened_release(&o);
}
END_TEST

START_TEST(narrowed_by_the_command_line)
{
    struct opened o;
    const char *const where[] = {"padding == 0", "block_size_x > 16"};
    const struct replay_options more = {.space.where = where, .space.where_count = 2};
    open_with(&o, NULL, DATA "valley_T4.json", &more);
    ck_assert_uint_eq(space_count(o.replay.space), 9);
    ck_assert_uint_eq(o.replay.excluded, 15);
    ck_assert_uint_eq(o.replay.unrecorded, 0);
    opened_release(&o);
}
END_TEST

START_TEST(nothing_left)
{
    struct opened o;
    struct replay r;
    struct error e = ERROR_INIT;
    open_valley(&o);
    const char *const where[] = {"block_size_x > 1000"}, *const config[] = {"padding=1"};
    struct replay_options options = {
        .recorded = o.recorded, .spec = o.spec, .space.where = where, .space.where_count = 1};
    ck_assert(!replay_init(&r, &options, &e));
    ck_assert_msg(strstr(e.text, "block_size_x > 1000") != NULL, "%s", e.text);
    replay_release(&r);
    opened_release(&o);

    error_clear(&e);
    open_with(&o, NULL, DATA "one.csv", NULL);
    options = (struct replay_options){.recorded = o.recorded,
                                      .spec = o.spec,
                                      .space.configurations = config,
                                      .space.configuration_count = 1};
    ck_assert(!replay_init(&r, &options, &e));
    ck_assert_msg(strstr(e.text, "padding") != NULL, "%s", e.text);
    replay_release(&r);
    opened_release(&o);
}
END_TEST

// ---- tunes -------------------------------------------------------------------------------------

struct told {
    uint64_t order[64];
    size_t count;
    struct tune *tune;
    struct tune_progress end;
};

static struct told tune_through(const struct opened *o, const struct tune_options *more)
{
    struct told t = {.count = 0};
    struct error e = ERROR_INIT;
    struct tune_options options = *more;
    const struct tune_record *record;
    enum workflow_answer answer;
    options.setup.spec = o->spec;
    options.replay = &o->replay;
    t.tune = tune_new(&options, &e);
    ck_assert_msg(t.tune != NULL, "%s", e.text);
    while ((answer = tune_step(t.tune, 0, &record, &e)) != WORKFLOW_END) {
        ck_assert_msg(answer != WORKFLOW_BROKEN, "%s", e.text);
        if (answer == WORKFLOW_RECORD)
            t.order[t.count++] = record->index;
    }
    tune_progress(t.tune, &t.end);
    return t;
}

// Every configuration once, with what was recorded.
START_TEST(all_of_it)
{
    struct opened o;
    size_t count;
    open_valley(&o);
    struct tune_options options = {.strategy = "exhaustive"};
    struct told t = tune_through(&o, &options);
    const struct tune_record *const *records = tune_records(t.tune, &count);
    ck_assert_uint_eq(count, 24);
    for (size_t i = 0; i < count; i++) {
        const struct recorded_row *row = replay_row(&o.replay, records[i]->index);
        const struct result *r = records[i]->result;
        ck_assert_uint_eq(t.order[i], i);
        ck_assert_int_eq(r->status, row->status);
        ck_assert_int_eq(records[i]->timed, row->status == STATUS_CORRECT);
        ck_assert_str_eq(r->origin, o.recorded->path);
        if (records[i]->timed)
            ck_assert_double_eq(records[i]->stats.median, row->time_ns);
        else
            ck_assert_str_eq(r->message, row->message);
        ck_assert_int_eq(r->stop, records[i]->timed ? STOP_REPLAYED : STOP_NONE);
    }
    ck_assert_uint_eq(t.end.by_status[STATUS_CORRECT], 22);
    ck_assert_uint_eq(t.end.by_status[STATUS_COMPILE], 1);
    ck_assert_uint_eq(t.end.by_status[STATUS_RUNTIME], 1);
    ck_assert_uint_eq(t.end.best->index, index_of(&o, "block_size_x=64,tile_size_y=2,padding=0"));
    ck_assert(!t.end.ranked.decided && !t.end.out_of_time && t.end.replayed);
    ck_assert_uint_eq(t.end.launches, 0); // none of ours
    ck_assert_double_eq_tol(t.end.replayed_ns, 24 * o.replay.mean_cost_ns, 1);
    tune_free(t.tune);
    opened_release(&o);
}
END_TEST

START_TEST(budgets)
{
    struct opened o;
    open_valley(&o);
    struct tune_options options = {.strategy = "exhaustive", .budget = {.configurations = 7}};
    struct told t = tune_through(&o, &options);
    ck_assert_uint_eq(t.count, 7);
    tune_free(t.tune);
    options.budget = (struct budget){.fraction = 0.5};
    t = tune_through(&o, &options);
    ck_assert_uint_eq(t.count, 12);
    tune_free(t.tune);
    opened_release(&o);
}
END_TEST

// The clock is that of the recording: what has begun within the budget is finished.
START_TEST(budget_of_time)
{
    struct opened o;
    open_valley(&o);
    double spent = 0;
    for (uint64_t i = 0; i < 5; i++)
        spent += replay_cost_ns(&o.replay, i);
    struct tune_options options = {.strategy = "exhaustive",
                                   .budget = {.nanoseconds = (uint64_t)(spent - 1e6)}};
    struct told t = tune_through(&o, &options);
    ck_assert_uint_eq(t.count, 5);
    ck_assert(t.end.out_of_time);
    ck_assert_double_eq_tol(t.end.replayed_ns, spent, 1);
    tune_free(t.tune);
    options.budget.nanoseconds = (uint64_t)(spent + 1e6);
    t = tune_through(&o, &options);
    ck_assert_uint_eq(t.count, 6);
    tune_free(t.tune);
    opened_release(&o);
}
END_TEST

START_TEST(no_costs_no_time)
{
    struct opened o;
    struct error e = ERROR_INIT;
    open_with(&o, NULL, DATA "no_costs.csv", NULL);
    ck_assert(isnan(o.replay.mean_cost_ns));
    struct tune_options options = {
        .setup.spec = o.spec, .replay = &o.replay, .budget = {.nanoseconds = 1000000000}};
    ck_assert_ptr_null(tune_new(&options, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert_msg(strstr(e.text, "no_costs.csv records no costs") != NULL, "%s", e.text);
    options.budget.nanoseconds = 0;
    struct told t = tune_through(&o, &options);
    ck_assert_uint_eq(t.count, 24);
    ck_assert(isnan(t.end.replayed_ns));
    tune_free(t.tune);
    opened_release(&o);
}
END_TEST

START_TEST(seeds)
{
    struct opened o;
    open_valley(&o);
    struct tune_options options = {
        .strategy = "random", .setup.seed = 3, .budget = {.configurations = 9}};
    struct told a = tune_through(&o, &options), b = tune_through(&o, &options);
    options.setup.seed = 4;
    struct told c = tune_through(&o, &options);
    ck_assert_mem_eq(a.order, b.order, sizeof a.order);
    ck_assert_mem_ne(a.order, c.order, sizeof a.order);
    tune_free(a.tune);
    tune_free(b.tune);
    tune_free(c.tune);
    opened_release(&o);
}
END_TEST

// Of equal ones the best is the one that is listed first, whichever was tried first.
START_TEST(one_best)
{
    struct opened o;
    open_with(&o, NULL, DATA "flat.csv", NULL);
    uint64_t first = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct tune_options options = {.strategy = "random", .setup.seed = seed};
        struct told t = tune_through(&o, &options);
        size_t count;
        const struct tune_record **ranking = tune_ranking(t.tune, &count);
        ck_assert_uint_eq(count, 2);
        ck_assert_ptr_eq(ranking[0], t.end.best);
        ck_assert_double_eq(ranking[0]->stats.median, ranking[1]->stats.median);
        first += t.order[0] == t.end.best->index;
        free(ranking);
        tune_free(t.tune);
    }
    ck_assert(first > 0 && first < 8);
    opened_release(&o);
}
END_TEST

// Several questions open at once are answered in the order in which they were asked.
START_TEST(in_flight)
{
    struct opened o;
    open_valley(&o);
    struct tune_options options = {.strategy = "exhaustive", .setup.at.jobs = 5};
    struct told t = tune_through(&o, &options);
    ck_assert_uint_eq(t.count, 24);
    for (size_t i = 0; i < t.count; i++)
        ck_assert_uint_eq(t.order[i], i);
    tune_free(t.tune);
    opened_release(&o);
}
END_TEST

START_TEST(one_configuration)
{
    struct opened o;
    open_with(&o, NULL, DATA "one.csv", NULL);
    struct tune_options options = {.budget = {.configurations = 10}};
    struct told t = tune_through(&o, &options);
    ck_assert_uint_eq(t.count, 1);
    ck_assert_uint_eq(t.end.best->index, 0);
    tune_free(t.tune);
    opened_release(&o);
}
END_TEST

START_TEST(nothing_correct)
{
    struct opened o;
    open_with(&o, NULL, DATA "failed.csv", NULL);
    struct tune_options options = {.strategy = "random"};
    struct told t = tune_through(&o, &options);
    ck_assert_uint_eq(t.count, 2);
    ck_assert_ptr_null(t.end.best);
    ck_assert_str_eq(t.end.examples[STATUS_COMPILE]->result->message, "syntax error");
    tune_free(t.tune);
    opened_release(&o);
}
END_TEST

// A metric of the spec, from the recorded time.
START_TEST(metric_as_objective)
{
    struct opened o;
    struct error e = ERROR_INIT;
    open_with(&o, DATA "valley.json", DATA "valley_T4.json", NULL);
    struct tune_options options = {.strategy = "exhaustive"};
    ck_assert(objective_parse("min:GB/s", o.spec, &options.objectives, &e));
    struct told t = tune_through(&o, &options);
    // 16 * 10^6 bytes in 5.25 ms: the least there is.
    ck_assert_uint_eq(t.end.best->index, index_of(&o, "block_size_x=16,tile_size_y=4,padding=1"));
    ck_assert_double_eq_tol(t.end.best->metrics[0], 16 / 5.25, 1e-9);
    tune_free(t.tune);
    opened_release(&o);
}
END_TEST

// What was measured beside the time, where there is no spec; a row may have nothing of it.
START_TEST(measurement_as_objective)
{
    struct opened o;
    struct error e = ERROR_INIT;
    open_with(&o, NULL, DATA "energy.csv", NULL);
    struct tune_options options = {.strategy = "exhaustive"};
    ck_assert(objective_parse("min:energy", o.spec, &options.objectives, &e));
    struct told t = tune_through(&o, &options);
    ck_assert_uint_eq(t.end.best->index, index_of(&o, "block=32"));
    ck_assert(t.end.best->values[0] == 1.5);
    tune_free(t.tune);
    ck_assert(objective_parse("time,min:energy", o.spec, &options.objectives, &e));
    t = tune_through(&o, &options);
    ck_assert_uint_eq(t.end.pareto, 2); // the fastest, and the one that takes least
    ck_assert_ptr_null(t.end.best);
    tune_free(t.tune);
    opened_release(&o);
}
END_TEST

// Without any times a recording has a best by what was measured, and none by the time.
START_TEST(measurement_without_times)
{
    struct opened o;
    struct error e = ERROR_INIT;
    open_with(&o, NULL, DATA "untimed.csv", NULL);
    struct tune_options options = {.strategy = "exhaustive"};
    ck_assert(objective_parse("max:score", o.spec, &options.objectives, &e));
    struct told t = tune_through(&o, &options);
    ck_assert_uint_eq(t.end.best->index, index_of(&o, "block=32"));
    ck_assert(t.end.best->values[0] == 4 && !t.end.best->timed);
    tune_free(t.tune);
    ck_assert(objective_parse("time", o.spec, &options.objectives, &e));
    options.replay = &o.replay;
    options.setup.spec = o.spec;
    ck_assert_ptr_null(tune_new(&options, &e));
    ck_assert_msg(strstr(e.text, "no times are recorded, so that the shortest cannot be found"),
                  "%s", e.text);
    error_clear(&e);
    opened_release(&o);
}
END_TEST

// `hone score` and a tune that is replayed ask the same questions and get the same answers.
START_TEST(as_it_is_scored)
{
    struct opened o;
    struct error e = ERROR_INIT;
    const struct score_record *record = NULL;
    open_valley(&o);
    const struct recorded *const file = o.recorded;
    static const char *const strategies[] = {"random"};
    struct score_options so = {.files = &file,
                               .file_count = 1,
                               .strategies = strategies,
                               .strategy_count = 1,
                               .repeats = 16,
                               .seed = 40};
    struct score *s = score_new(&so, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    enum workflow_answer answer;
    while ((answer = score_step(s, 1000, &record, &e)) == WORKFLOW_NOTHING)
        ;
    ck_assert_int_eq(answer, WORKFLOW_RECORD);
    double fraction = 0;
    for (uint64_t seed = 40; seed < 56; seed++) {
        struct tune_options options = {
            .strategy = "random", .setup.seed = seed, .budget = {.configurations = record->draws}};
        struct told t = tune_through(&o, &options);
        fraction += 1e6 / t.end.best->stats.median / 16;
        tune_free(t.tune);
    }
    ck_assert_double_eq_tol(record->axes[SCORE_EVALUATIONS].fraction, fraction, 1e-9);
    score_free(s);
    opened_release(&o);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, recorded_parameters_alone);
    tcase_add_test(tests, recorded_and_valid);
    tcase_add_test(tests, narrowed_by_the_command_line);
    tcase_add_test(tests, nothing_left);
    tcase_add_test(tests, all_of_it);
    tcase_add_test(tests, budgets);
    tcase_add_test(tests, budget_of_time);
    tcase_add_test(tests, no_costs_no_time);
    tcase_add_test(tests, seeds);
    tcase_add_test(tests, one_best);
    tcase_add_test(tests, in_flight);
    tcase_add_test(tests, one_configuration);
    tcase_add_test(tests, nothing_correct);
    tcase_add_test(tests, metric_as_objective);
    tcase_add_test(tests, measurement_as_objective);
    tcase_add_test(tests, measurement_without_times);
    tcase_add_test(tests, as_it_is_scored);
}

int main(void)
{
    return suite_run("replay", add);
}
