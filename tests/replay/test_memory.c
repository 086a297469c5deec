// Every allocation of a replayed tune fails once: the error says memory, and nothing is left.
#include "workflows/tune/tune.h"

#include "../base/suite.h"
#include "../support/failing.h"

#include <string.h>

#define DATA HONE_SOURCE_DIR "/tests/replay/data/"

static struct spec *spec;
static struct recorded *recorded;

// The whole of it; true when it came to its end.
static bool replay_once(struct error *e)
{
    const struct tune_record *record;
    const char *const where[] = {"padding == 0"};
    const struct replay_options ro = {
        .recorded = recorded, .spec = spec, .space.where = where, .space.where_count = 1};
    struct replay replay;
    struct tune *t = NULL;
    enum workflow_answer answer = WORKFLOW_BROKEN;
    if (replay_init(&replay, &ro, e)) {
        struct tune_options to = {.setup.spec = spec, .replay = &replay, .strategy = "random"};
        t = tune_new(&to, e);
    }
    while (t && (answer = tune_step(t, 0, &record, e)) != WORKFLOW_END && answer != WORKFLOW_BROKEN)
        ;
    tune_free(t);
    replay_release(&replay);
    return answer == WORKFLOW_END;
}

START_TEST(every_allocation)
{
    struct error e = ERROR_INIT;
    struct spec_options so = {.set = NULL};
    bool failed = true, done = false;
    spec = spec_load(DATA "valley.json", &so, &e);
    struct recorded_options ro = {.spec = spec};
    recorded = spec ? recorded_read(DATA "valley_T4.json", &ro, &e) : NULL;
    ck_assert_msg(recorded != NULL, "%s", e.text);
    for (long n = 0; failed; n++) {
        error_clear(&e);
        failing_start(n);
        done = replay_once(&e);
        failed = failing_end();
        ck_assert_msg(failing_left() == 0, "%ld blocks left after %ld", failing_left(), n);
        ck_assert_msg(done || e.code == ERROR_MEMORY, "after %ld: %d %s", n, (int)e.code, e.text);
        ck_assert_msg(n < 100000, "no end");
    }
    ck_assert(done);
    recorded_free(recorded);
    spec_free(spec);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, every_allocation);
}

int main(void)
{
    return suite_run("replay_memory", add);
}
