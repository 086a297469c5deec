// Strategies on spaces that others recorded: what they find, beside drawing at random. Needs
// HONE_TEST_DATA with recorded/*_T4.json.gz, and is skipped without. Those of transfer/pnpoly_*, which it may lack, have their best at
// the ends of the lists.
#include "recorded/recorded.h"
#include "workflows/score/score_curve.h"
#include "search/search.h"

#include <check.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 16 // spaces

struct recording {
    const char *path;
    struct recorded *recorded;
    struct spec *spec;
    struct space *space;
    double *times; // by index; NaN: failed
    struct baseline baseline;
};

static struct recording recordings[MOST];
static size_t recording_count; // without those with the best at the ends, which come behind
static size_t ended_count;

static void open_recording(struct recording *r)
{
    struct error e = ERROR_INIT;
    r->recorded = recorded_read(r->path, NULL, &e);
    ck_assert_msg(r->recorded != NULL, "%s", e.text);
    const struct recorded *f = r->recorded;
    r->spec = spec_bare("recorded", f->parameters, f->parameter_count, &e);
    ck_assert_msg(r->spec != NULL, "%s", e.text);
    uint32_t *choices = malloc(f->count * f->parameter_count * sizeof *choices);
    double *values = malloc(f->count * sizeof *values);
    r->times = malloc(f->count * sizeof *r->times);
    ck_assert(choices && values && r->times);
    for (uint64_t i = 0; i < f->count; i++) {
        for (uint32_t p = 0; p < f->parameter_count; p++)
            choices[i * f->parameter_count + p] = f->rows[i].choice[p];
    }
    r->space = space_listed(r->spec, choices, f->count, &e);
    ck_assert_msg(r->space != NULL, "%s", e.text);
    uint64_t correct = 0;
    for (uint64_t i = 0; i < f->count; i++) {
        uint64_t index;
        ck_assert(space_find(r->space, f->rows[i].choice, &index));
        r->times[index] = f->rows[i].time_ns;
        if (!isnan(f->rows[i].time_ns))
            values[correct++] = f->rows[i].time_ns;
    }
    ck_assert_msg(baseline_init(&r->baseline, values, correct, f->count, &e), "%s", e.text);
    free(choices);
    free(values);
}

static void close_recording(struct recording *r)
{
    baseline_release(&r->baseline);
    space_free(r->space);
    spec_free(r->spec);
    recorded_free(r->recorded);
    free(r->times);
}

// `flight` questions outstanding, answered in the order they were asked.
static double score_once(const struct recording *r, const char *strategy, uint64_t seed,
                         size_t flight)
{
    struct error e = ERROR_INIT;
    struct strategy_setup setup = {.space = r->space,
                                   .budget = r->baseline.draws,
                                   .seed = seed,
                                   .in_flight = (uint32_t)flight};
    struct strategy *s = strategy_new(strategy, &setup, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    struct curve curve;
    uint64_t out[64];
    size_t held = 0;
    curve_by_evaluations(&curve, &r->baseline);
    while (!curve_is_over(&curve)) {
        held += strategy_ask(s, out + held, flight - held);
        ck_assert_uint_gt(held, 0);
        double time = r->times[out[0]];
        strategy_tell(s, out[0], isnan(time) ? STATUS_RUNTIME : STATUS_CORRECT, time);
        held--;
        for (size_t i = 0; i < held; i++)
            out[i] = out[i + 1];
        curve_found(&curve, time);
        curve_pass(&curve, 1);
    }
    strategy_free(s);
    return curve_score(&curve);
}

// A few seeds each: bounds are well below what a hundred seeds give.
static const struct {
    const char *strategy;
    size_t flight, seeds;
    double mean, least;
} cases[] = {
    {"surrogate", 1, 3, 0.85, 0.7},
    {"surrogate", 16, 3, 0.8, 0.6},
    {"genetic", 1, 20, 0.69, 0.5},
    {"anneal", 1, 20, 0.63, 0.5},
};

START_TEST(scores)
{
    double sum = 0;
    for (size_t r = 0; r < recording_count; r++) {
        double score = 0;
        for (uint64_t seed = 0; seed < cases[_i].seeds; seed++)
            score += score_once(&recordings[r], cases[_i].strategy, seed, cases[_i].flight) /
                     (double)cases[_i].seeds;
        printf("%s, %zu in flight: %.3f on %s\n", cases[_i].strategy, cases[_i].flight, score,
               recordings[r].path);
        ck_assert_msg(score >= cases[_i].least, "%s: %g on %s", cases[_i].strategy, score,
                      recordings[r].path);
        sum += score;
    }
    sum /= (double)recording_count;
    ck_assert_msg(sum >= cases[_i].mean, "%s: %g in the mean", cases[_i].strategy, sum);
}
END_TEST

// Not worse than on others only because nobody would expect the best there: 0.13 by a search that begins in the middle and expects
// less of the ends, 0.71 by one that does not.
START_TEST(the_best_at_the_ends)
{
    enum { SEEDS = 10 };
    for (size_t r = recording_count; r < recording_count + ended_count; r++) {
        double score = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            score += score_once(&recordings[r], "surrogate", seed, 1) / SEEDS;
        printf("surrogate: %.3f on %s\n", score, recordings[r].path);
        ck_assert_msg(score >= 0.45, "%g on %s", score, recordings[r].path);
    }
}
END_TEST

static void open_all(void)
{
    for (size_t i = 0; i < recording_count + ended_count; i++)
        open_recording(&recordings[i]);
}

static void close_all(void)
{
    for (size_t i = 0; i < recording_count + ended_count; i++)
        close_recording(&recordings[i]);
}

int main(void)
{
    glob_t found = {.gl_pathc = 0};
    if (HONE_TEST_DATA[0] == '\0' ||
        glob(HONE_TEST_DATA "/recorded/*_T4.json.gz", 0, NULL, &found) != 0) {
        printf("skipped: HONE_TEST_DATA has no recorded/*_T4.json.gz\n");
        return 77;
    }
    for (; recording_count < found.gl_pathc && recording_count < MOST; recording_count++)
        recordings[recording_count].path = found.gl_pathv[recording_count];
    size_t next = recording_count;
    if (glob(HONE_TEST_DATA "/transfer/pnpoly_*.json.gz", GLOB_APPEND, NULL, &found) == 0) {
        for (size_t i = recording_count; i < found.gl_pathc && next < MOST; i++)
            recordings[next++].path = found.gl_pathv[i];
    }
    ended_count = next - recording_count;
    Suite *suite = suite_create("recorded");
    TCase *tests = tcase_create("recorded");
    tcase_set_timeout(tests, 200);
    tcase_add_unchecked_fixture(tests, open_all, close_all);
    tcase_add_loop_test(tests, scores, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tests, the_best_at_the_ends);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    globfree(&found);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
