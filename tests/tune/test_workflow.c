// What all workflows share: workflow.c with a toy.
#include "campaign/workflow.h"

#include <check.h>
#include <stdlib.h>

// ---- a toy -------------------------------------------------------------------------------------

struct toy {
    struct workflow w;
    int steps, *stopped, *released;
    bool breaks;
};

static enum workflow_answer step_toy(void *workflow, int timeout_ms, const void **record,
                                     struct error *e)
{
    struct toy *t = workflow;
    (void)timeout_ms;
    t->steps++;
    if (t->breaks)
        return error_set(e, ERROR_DEVICE, "gone"), WORKFLOW_BROKEN;
    *record = t;
    return WORKFLOW_RECORD;
}

static void stop_toy(void *workflow)
{
    ++*((struct toy *)workflow)->stopped;
}

static void release_toy(void *workflow)
{
    ++*((struct toy *)workflow)->released;
}

static const struct workflow_operations toy_operations = {step_toy, stop_toy, release_toy};

WORKFLOW_FUNCTIONS(toy, struct toy, struct toy);

static struct toy *toy_new(int *stopped, int *released)
{
    struct error e = ERROR_INIT;
    struct toy *t = workflow_new(sizeof *t, &toy_operations, &e);
    ck_assert(t != NULL);
    t->stopped = stopped;
    t->released = released;
    return t;
}

// It is not stepped any more, and says why in every later step.
START_TEST(broken_stays_broken)
{
    int stopped = 0, released = 0;
    struct toy *t = toy_new(&stopped, &released);
    const struct toy *record;
    struct error e = ERROR_INIT;
    ck_assert_int_eq(toy_step(t, 0, &record, &e), WORKFLOW_RECORD);
    ck_assert_ptr_eq(record, t);
    t->breaks = true;
    for (int i = 0; i < 3; i++) {
        e = (struct error)ERROR_INIT;
        ck_assert_int_eq(toy_step(t, 0, &record, &e), WORKFLOW_BROKEN);
        ck_assert_ptr_null(record);
        ck_assert_str_eq(e.text, "gone");
    }
    ck_assert_int_eq(toy_step(t, 0, &record, NULL), WORKFLOW_BROKEN);
    ck_assert_int_eq(t->steps, 2);
    toy_free(t);
    ck_assert_int_eq(released, 1);
    toy_free(NULL);
}
END_TEST

// A cancel, and the end, reach the workflow inside.
START_TEST(inner)
{
    int stopped[2] = {0}, released[2] = {0};
    struct toy *t = toy_new(&stopped[0], &released[0]), *in = toy_new(&stopped[1], &released[1]);
    t->w.inner = in;
    toy_cancel(t);
    ck_assert(t->w.cancelled && in->w.cancelled);
    ck_assert_int_eq(stopped[0], 1);
    ck_assert_int_eq(stopped[1], 1);
    workflow_end_inner(&t->w);
    ck_assert_ptr_null(t->w.inner);
    ck_assert_int_eq(released[1], 1);
    t->w.inner = toy_new(&stopped[1], &released[1]);
    toy_free(t);
    ck_assert_int_eq(released[0], 1);
    ck_assert_int_eq(released[1], 2);
}
END_TEST

START_TEST(progress)
{
    int stopped = 0, released = 0;
    struct workflow_progress p;
    struct toy *t = toy_new(&stopped, &released);
    t->w.started_ns -= 3000000000u;
    workflow_progress(&t->w, 5, 1, &p);
    ck_assert_uint_eq(p.left_ns, 0); // one tells nothing of the others
    workflow_progress(&t->w, 5, 3, &p);
    ck_assert_uint_eq(p.planned, 5);
    ck_assert_uint_ge(p.left_ns, 2000000000u);
    workflow_progress(&t->w, 5, 5, &p);
    ck_assert_uint_eq(p.left_ns, 0);
    toy_free(t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tune/workflow");
    TCase *t = tcase_create("workflow");
    tcase_add_test(t, broken_stays_broken);
    tcase_add_test(t, inner);
    tcase_add_test(t, progress);
    suite_add_tcase(s, t);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
