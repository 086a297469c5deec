// Scores of strategies on spaces made for it: what is known exactly, what must not matter, and what
// is refused.
#include "workflows/score/score.h"

#include "../base/suite.h"
#include "made.h"

#include <math.h>
#include <string.h>

// ---- spaces ------------------------------------------------------------------------------------

// 3, 2, 1 in the order of the space.
static void falling(const uint32_t *choice, struct recorded_row *row)
{
    row->time_ns = 3 - (double)choice[0];
}

// The same, and what each cost: 2, 1 and 3, made of parts; searching does not count.
static void falling_with_costs(const uint32_t *choice, struct recorded_row *row)
{
    static const struct recorded_costs costs[] = {
        {1, 1, NAN, NAN, 100}, {NAN, 0.25, 0.25, 0.5, NAN}, {3, NAN, 0, NAN, 7}};
    falling(choice, row);
    row->costs = costs[choice[0]];
}

// The same costs; parts that cannot be are none.
static void falling_with_nonsense(const uint32_t *choice, struct recorded_row *row)
{
    static const struct recorded_costs costs[] = {
        {1, 1, -1, -1e300, 100}, {INFINITY, 0.25, 0.25, 0.5, NAN}, {3, 1e300, 0, -INFINITY, 7}};
    falling(choice, row);
    row->costs = costs[choice[0]];
}

// A rugged valley; one configuration in seven fails, some have no cost.
static void rugged_around(const uint32_t *choice, double deepest, struct recorded_row *row)
{
    double x = (double)choice[0] - deepest, y = (double)choice[1] - 3, z = choice[2];
    uint32_t mixed = (choice[0] * 31 + choice[1] * 17 + choice[2] * 7) % 13;
    row->time_ns = 100 + x * x + 3 * y * y + 11 * z + 5 * mixed;
    row->costs.compile_ns = mixed == 5 ? NAN : 1000 + 100 * mixed;
    if ((choice[0] + choice[1] + choice[2]) % 7 == 3) {
        row->status = STATUS_COMPILE;
        row->time_ns = NAN;
    }
}

static void rugged(const uint32_t *choice, struct recorded_row *row)
{
    rugged_around(choice, 7, row);
}

// The same with its bottom far from where searches begin.
static void rugged_aside(const uint32_t *choice, struct recorded_row *row)
{
    rugged_around(choice, 14, row);
}

static void flat(const uint32_t *choice, struct recorded_row *row)
{
    row->time_ns = 5;
    (void)choice;
}

static void failing(const uint32_t *choice, struct recorded_row *row)
{
    row->status = STATUS_RUNTIME;
    (void)choice;
}

static const uint32_t three[] = {3}, valley[] = {16, 8, 4};

// ---- running -----------------------------------------------------------------------------------

struct run {
    struct score *score;
    const struct score_record *records[8];
    uint32_t count;
};

static struct run run_of(const struct score_options *o)
{
    struct run r = {.count = 0};
    struct error e = ERROR_INIT;
    enum workflow_answer answer;
    const struct score_record *record;
    r.score = score_new(o, &e);
    ck_assert_msg(r.score != NULL, "%s", e.text);
    while ((answer = score_step(r.score, 1000, &record, &e)) != WORKFLOW_END) {
        ck_assert_msg(answer != WORKFLOW_BROKEN, "%s", e.text);
        if (answer == WORKFLOW_RECORD)
            r.records[r.count++] = record;
    }
    return r;
}

static struct score_options options_of(const struct recorded *const *file,
                                       const char *const *strategy)
{
    return (struct score_options){.files = file,
                                  .file_count = 1,
                                  .strategies = strategy,
                                  .strategy_count = 1,
                                  .repeats = 1,
                                  .jobs = 1};
}

static const char *const exhaustive[] = {"exhaustive"}, *const at_random[] = {"random"};

// 3, 2, 1 against 2, 4/3, 1: -1 and -2; the third draw is not looked at.
START_TEST(exhaustive_by_hand)
{
    struct made m;
    made_init(&m, three, 1, falling);
    const struct recorded *const file = &m.recorded;
    struct score_options o = options_of(&file, exhaustive);
    struct run r = run_of(&o);
    ck_assert_uint_eq(r.count, 1);
    const struct score_record *n = r.records[0];
    ck_assert_str_eq(n->description, "exhaustive");
    ck_assert_uint_eq(n->count, 3);
    ck_assert_uint_eq(n->draws, 3);
    ck_assert_double_eq(n->optimum, 1);
    ck_assert_double_eq(n->median, 2);
    ck_assert_double_eq_tol(n->axes[SCORE_EVALUATIONS].score.mean, -1.5, 1e-12);
    ck_assert_double_eq(n->axes[SCORE_EVALUATIONS].fraction, 1);
    ck_assert(isnan(n->axes[SCORE_EVALUATIONS].score.low));
    // 5, 10 and 25 % are one draw; after all of them nothing is ahead of the baseline.
    static const double leads[] = {-1, -1, -1, -2};
    for (unsigned i = 0; i < 4; i++)
        ck_assert_double_eq_tol(n->axes[SCORE_EVALUATIONS].lead[i], leads[i], 1e-12);
    ck_assert(isnan(n->axes[SCORE_EVALUATIONS].lead[4]));
    ck_assert_double_eq(n->axes[SCORE_EVALUATIONS].near, 3);
    ck_assert_double_eq(n->axes[SCORE_EVALUATIONS].nears, 1);
    ck_assert(!n->axes[SCORE_MANY].known);
    ck_assert(!n->axes[SCORE_TIME].known);
    ck_assert(isnan(n->budget_ns));
    score_free(r.score);
    made_release(&m);
}
END_TEST

// Costs 2, 1, 3, in the mean 2: as draws of the baseline the values are there from 1, 1.5 and 3 on.
// 0 until 1, then (2 - 3) / 1 until 1.5, 0 until 2, and (4/3 - 2) / (1/3) until 3.
static void score_by_time(made_row *fill)
{
    struct made m;
    made_init(&m, three, 1, fill);
    const struct recorded *const file = &m.recorded;
    struct score_options o = options_of(&file, exhaustive);
    struct run r = run_of(&o);
    const struct score_result *time = &r.records[0]->axes[SCORE_TIME];
    ck_assert(time->known);
    ck_assert_double_eq_tol(r.records[0]->budget_ns, 6, 1e-12);
    ck_assert_double_eq_tol(time->score.mean, (0 - 0.5 + 0 - 2) / 3, 1e-12);
    // The last evaluation ends with the budget: too late.
    ck_assert_double_eq_tol(time->fraction, 0.5, 1e-12);
    // After 0.15, 0.3 and 0.75 draws nothing, as the baseline; after 1.5 the 2, which the baseline has then, too.
    for (unsigned i = 0; i < 4; i++)
        ck_assert_double_eq_tol(time->lead[i], 0, 1e-12);
    ck_assert(isinf(time->near));
    ck_assert_double_eq(time->nears, 0);
    score_free(r.score);
    made_release(&m);
}

START_TEST(time_by_hand)
{
    score_by_time(falling_with_costs);
}
END_TEST

START_TEST(costs_that_cannot_be)
{
    score_by_time(falling_with_nonsense);
}
END_TEST

// Within its interval, which is narrow; by time the baseline is one of whole draws at the mean
// cost, which random draws of different costs keep up with but for a little.
START_TEST(random_scores_nothing)
{
    struct made m;
    made_init(&m, valley, 3, rugged);
    const struct recorded *const file = &m.recorded;
    struct score_options o = options_of(&file, at_random);
    o.repeats = 4000;
    o.jobs = 2;
    struct run r = run_of(&o);
    const struct score_interval *by_evaluations = &r.records[0]->axes[SCORE_EVALUATIONS].score;
    const struct score_interval *by_time = &r.records[0]->axes[SCORE_TIME].score;
    double wide = by_evaluations->high - by_evaluations->low;
    ck_assert_msg(wide < 0.05, "%g", wide);
    ck_assert_msg(fabs(by_evaluations->mean) < wide, "%g within %g", by_evaluations->mean, wide);
    ck_assert_msg(fabs(by_time->mean) < 0.05, "%g", by_time->mean);
    score_free(r.score);
    made_release(&m);
}
END_TEST

// What each seed finds depends on nothing but the seed.
START_TEST(threads_and_seeds)
{
    struct made m;
    made_init(&m, valley, 3, rugged);
    const struct recorded *const file = &m.recorded;
    struct score_options o = options_of(&file, at_random);
    o.repeats = 20;
    o.seed = 5;
    o.many = 4;
    struct run one = run_of(&o);
    o.jobs = 4;
    o.seed = 8;
    struct run four = run_of(&o);
    for (unsigned axis = 0; axis <= SCORE_MANY; axis++) {
        const double *a = one.records[0]->axes[axis].scores;
        const double *b = four.records[0]->axes[axis].scores;
        ck_assert_mem_eq(a + 3, b, 17 * sizeof *a);
        ck_assert_double_ne(a[0], a[1]);
    }
    score_free(one.score);
    score_free(four.score);
    made_release(&m);
}
END_TEST

// However many are outstanding, no more are asked for than the budget allows, and all are answered.
START_TEST(several_in_flight)
{
    struct made m;
    made_init(&m, three, 1, falling);
    const struct recorded *const file = &m.recorded;
    struct score_options o = options_of(&file, exhaustive);
    for (uint32_t in_flight = 1; in_flight < 6; in_flight++) {
        o.in_flight = 1 + in_flight % 3;
        o.many = in_flight;
        struct run r = run_of(&o);
        ck_assert_double_eq_tol(r.records[0]->axes[SCORE_EVALUATIONS].score.mean, -1.5, 1e-12);
        ck_assert_double_eq_tol(r.records[0]->axes[SCORE_MANY].score.mean, -1.5, 1e-12);
        score_free(r.score);
    }
    made_release(&m);
}
END_TEST

// What happens along the budget depends on how many are in flight: a search of one learns from each answer, one of 64 begins
// with a quarter of the budget unanswered. Half of an even number of searches that come near are enough for a median.
START_TEST(along_the_budget)
{
    struct made m;
    made_init(&m, valley, 3, rugged_aside);
    const struct recorded *const file = &m.recorded;
    static const char *const surrogate[] = {"surrogate"};
    struct score_options o = options_of(&file, surrogate);
    o.repeats = 30;
    o.many = 64;
    struct run r = run_of(&o);
    const struct score_result *one = &r.records[0]->axes[SCORE_EVALUATIONS];
    const struct score_result *many = &r.records[0]->axes[SCORE_MANY];
    ck_assert(one->near <= (double)r.records[0]->draws);
    ck_assert(one->nears >= 0.5 && one->nears <= 1);
    ck_assert_msg(many->score.mean < one->score.mean, "%g, %g", many->score.mean, one->score.mean);
    ck_assert_msg(many->near >= one->near, "%g, %g", many->near, one->near);
    for (unsigned i = 0; i < CURVE_SHARES; i++)
        ck_assert(one->lead[i] <= 1 && many->lead[i] <= 1);
    // The score is the mean of the leads after each evaluation: between the least and the largest.
    ck_assert(one->score.mean > one->lead[0] && one->score.mean < one->lead[4]);
    uint32_t count;
    const struct score_mean *mean = score_means(r.score, &count);
    ck_assert_double_eq_tol(mean->lead[SCORE_MANY][2], many->lead[2], 1e-12);
    score_free(r.score);
    made_release(&m);
}
END_TEST

// Two files and two strategies: records in order, and the means over the files, in time over the
// one that has costs.
START_TEST(files_and_strategies)
{
    struct made a, b;
    made_init(&a, three, 1, falling);
    made_init(&b, valley, 3, rugged);
    const struct recorded *const files[] = {&a.recorded, &b.recorded};
    const char *const strategies[] = {"random", "exhaustive"};
    struct score_options o = {.files = files,
                              .file_count = 2,
                              .strategies = strategies,
                              .strategy_count = 2,
                              .repeats = 8};
    struct run r = run_of(&o);
    ck_assert_uint_eq(r.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(r.records[i]->file, i / 2);
        ck_assert_uint_eq(r.records[i]->strategy, i % 2);
    }
    uint32_t count;
    const struct score_mean *means = score_means(r.score, &count);
    ck_assert_uint_eq(count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct score_result *x = r.records[i]->axes, *y = r.records[2 + i]->axes;
        ck_assert_str_eq(means[i].description, strategies[i]);
        ck_assert_uint_eq(means[i].files[SCORE_EVALUATIONS], 2);
        ck_assert_uint_eq(means[i].files[SCORE_TIME], 1);
        ck_assert_double_eq_tol(means[i].score[SCORE_EVALUATIONS].mean,
                                (x[0].score.mean + y[0].score.mean) / 2, 1e-12);
        ck_assert_double_eq_tol(means[i].score[SCORE_TIME].mean, y[1].score.mean, 1e-12);
        ck_assert_double_eq_tol(means[i].fraction[SCORE_TIME], y[1].fraction, 1e-12);
    }
    // Every seed finds the same: no interval to speak of.
    ck_assert_double_eq_tol(means[1].score[0].low, means[1].score[0].high, 1e-12);
    score_free(r.score);
    made_release(&a);
    made_release(&b);
}
END_TEST

// The default is the one for spaces that are not tried as a whole, also where the budget covers it.
START_TEST(default_strategy)
{
    struct made m;
    made_init(&m, three, 1, falling);
    const struct recorded *const file = &m.recorded;
    struct score_options o = {.files = &file, .file_count = 1, .repeats = 2};
    struct run r = run_of(&o);
    ck_assert_uint_eq(r.count, 1);
    ck_assert_ptr_null(strstr(r.records[0]->description, "exhaustive"));
    score_free(r.score);
    made_release(&m);
}
END_TEST

static void check_refused(made_row *fill, const char *strategy, const char *words)
{
    struct made m;
    struct error e = ERROR_INIT;
    made_init(&m, three, 1, fill);
    const struct recorded *const file = &m.recorded;
    struct score_options o = options_of(&file, &strategy);
    ck_assert_ptr_null(score_new(&o, &e));
    ck_assert_msg(strstr(e.text, words) != NULL, "%s", e.text);
    made_release(&m);
}

START_TEST(refused)
{
    check_refused(flat, "random", "made.json: all correct configurations are equally good");
    check_refused(failing, "random", "made.json: no configuration has a correct result");
    check_refused(falling, "randon", "did you mean 'random'");
}
END_TEST

// Without times only what was measured can be looked for.
START_TEST(refused_without_times)
{
    struct made m;
    struct error e = ERROR_INIT;
    static const char *const random[] = {"random"};
    made_init(&m, three, 1, falling);
    m.recorded.is_untimed = true;
    const struct recorded *const file = &m.recorded;
    struct score_options o = options_of(&file, random);
    ck_assert_ptr_null(score_new(&o, &e));
    ck_assert_msg(
        str_starts(e.text, "made.json: no times are recorded, so that the shortest cannot"), "%s",
        e.text);
    made_release(&m);
}
END_TEST

// Ends soon, whatever is left to do, and hands out no half record.
START_TEST(cancelled)
{
    struct made m;
    struct error e = ERROR_INIT;
    const struct score_record *record;
    enum workflow_answer answer = WORKFLOW_NOTHING;
    made_init(&m, valley, 3, rugged);
    const struct recorded *const file = &m.recorded;
    struct score_options o = options_of(&file, at_random);
    o.repeats = 1000000;
    struct score *s = score_new(&o, &e);
    ck_assert_ptr_nonnull(s);
    score_cancel(s);
    while (answer == WORKFLOW_NOTHING)
        answer = score_step(s, 1000, &record, &e);
    ck_assert_int_eq(answer, WORKFLOW_END);
    struct workflow_progress p;
    score_progress(s, &p);
    ck_assert_uint_eq(p.planned, 2000000);
    ck_assert_uint_lt(p.done, p.planned);
    score_free(s);
    made_release(&m);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, exhaustive_by_hand);
    tcase_add_test(tests, time_by_hand);
    tcase_add_test(tests, costs_that_cannot_be);
    if (!SUITE_SANITIZED)
        tcase_add_test(tests, random_scores_nothing);
    tcase_add_test(tests, threads_and_seeds);
    tcase_add_test(tests, several_in_flight);
    if (!SUITE_SANITIZED)
        tcase_add_test(tests, along_the_budget);
    tcase_add_test(tests, files_and_strategies);
    tcase_add_test(tests, default_strategy);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, refused_without_times);
    tcase_add_test(tests, cancelled);
}

int main(void)
{
    return suite_run("score", add);
}
