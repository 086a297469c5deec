// Scores on spaces of the benchmark hub (HONE_TEST_DATA): their baselines, and what must hold for
// random draws there. The budgets were computed by another program, from the chance of each value
// to be the best.
#include "workflows/score/score.h"

#include "../base/suite.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define HUB HONE_TEST_DATA "/recorded/"

static const struct known {
    const char *file;
    uint64_t count, correct, draws;
} known[] = {
    {HUB "convolution_milo_A100_T4.json.gz", 4362, 4201, 926},
    {HUB "convolution_milo_A100_cachefile.json.gz", 4362, 4201, 926},
    {HUB "dedispersion_milo_A6000_T4.json.gz", 11130, 11130, 289},
    {HUB "dedispersion_milo_W7800_T4.json.gz", 11130, 11130, 700},
    {HUB "gemm_cltune_RTX_3090_T4.json.gz", 17956, 17956, 953},
};

#define FILES (sizeof known / sizeof *known)

START_TEST(random_on_the_hub)
{
    static const char *const strategies[] = {"random"};
    struct error e = ERROR_INIT;
    struct recorded *files[FILES];
    const struct score_record *r;
    size_t records = 0;
    for (size_t i = 0; i < FILES; i++) {
        files[i] = recorded_read(known[i].file, NULL, &e);
        ck_assert_msg(files[i] != NULL, "%s", e.text);
    }
    struct score_options o = {.files = (const struct recorded *const *)files,
                              .file_count = FILES,
                              .strategies = strategies,
                              .strategy_count = 1,
                              .repeats = 400,
                              .many = 16};
    struct score *s = score_new(&o, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    while (records < FILES) {
        enum workflow_answer answer = score_step(s, 1000, &r, &e);
        ck_assert_msg(answer == WORKFLOW_RECORD || answer == WORKFLOW_NOTHING, "%s", e.text);
        if (answer == WORKFLOW_NOTHING)
            continue;
        ck_assert_uint_eq(r->count, known[records].count);
        ck_assert_uint_eq(r->correct, known[records].correct);
        ck_assert_uint_eq(r->draws, known[records].draws);
        records++;
        for (unsigned axis = 0; axis < SCORE_MIRROR; axis++) {
            const struct score_interval *v = &r->axes[axis].score;
            ck_assert(r->axes[axis].known);
            // Four of its standard errors: once in 16,000 where nothing is wrong.
            ck_assert_msg(fabs(v->mean) < 1.02 * (v->high - v->low), "%s: %g", r->recorded->path,
                          v->mean);
        }
    }
    score_free(s);
    for (size_t i = 0; i < FILES; i++)
        recorded_free(files[i]);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, random_on_the_hub);
}

int main(void)
{
    if (access(known[0].file, R_OK) != 0) {
        puts("skipped: HONE_TEST_DATA has no recorded spaces");
        return 77;
    }
    return suite_run("hub", add);
}
