// Scores on whole spaces of the gallery's kernels, recorded on PoCL (tests/replay/data): small ones, whose budgets of 34 to
// 78 questions leave a model little to learn from. Bounds are well below what 60 seeds give.
#include "workflows/score/score.h"

#include "../base/suite.h"

#define DATA HONE_SOURCE_DIR "/tests/replay/data/"

static const struct known {
    const char *file;
    uint64_t count, correct, draws;
    double least;
} known[] = {
    {DATA "stencil_1024_pocl_T4.json.gz", 324, 324, 65, 0.6},
    {DATA "stencil_512_pocl_T4.json.gz", 306, 306, 78, 0.6},
    {DATA "reduction_262144_pocl_T4.json.gz", 420, 420, 34, 0.3},
    {DATA "reduction_1048576_pocl_T4.json.gz", 420, 420, 68, 0.2},
};

#define FILES (sizeof known / sizeof *known)

START_TEST(surrogate_on_small_spaces)
{
    static const char *const strategies[] = {"surrogate"};
    struct error e = ERROR_INIT;
    struct recorded *files[FILES];
    const struct score_record *r;
    size_t records = 0;
    double one = 0, many = 0;
    for (size_t i = 0; i < FILES; i++) {
        files[i] = recorded_read(known[i].file, NULL, &e);
        ck_assert_msg(files[i] != NULL, "%s", e.text);
    }
    struct score_options o = {.files = (const struct recorded *const *)files,
                              .file_count = FILES,
                              .strategies = strategies,
                              .strategy_count = 1,
                              .repeats = 12,
                              .many = 16};
    struct score *s = score_new(&o, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    while (records < FILES) {
        enum workflow_answer answer = score_step(s, 1000, &r, &e);
        ck_assert_msg(answer == WORKFLOW_RECORD || answer == WORKFLOW_NOTHING, "%s", e.text);
        if (answer == WORKFLOW_NOTHING)
            continue;
        const struct known *k = &known[records++];
        ck_assert_uint_eq(r->count, k->count);
        ck_assert_uint_eq(r->correct, k->correct);
        ck_assert_uint_eq(r->draws, k->draws);
        ck_assert(r->axes[SCORE_TIME].known);
        double score = r->axes[SCORE_EVALUATIONS].score.mean;
        ck_assert_msg(score > k->least, "%s: %g", k->file, score);
        one += score / FILES;
        many += r->axes[SCORE_MANY].score.mean / FILES;
    }
    ck_assert_msg(one > 0.6 && many > 0.4, "%g, %g", one, many);
    score_free(s);
    for (size_t i = 0; i < FILES; i++)
        recorded_free(files[i]);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, surrogate_on_small_spaces);
}

int main(void)
{
    return suite_run("gallery", add);
}
