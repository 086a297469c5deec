// Which stored result answers: a row of the table for each line of the one at store_find(), and
// each of its exceptions.

#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define SECOND 1000000000ull

// How a question is asked, or a result was measured.
struct terms {
    bool untimed;   // a check
    uint32_t fixed; // samples of a fixed count; 0: a search's
    bool cold, alone;
    uint32_t retry;             // mask of statuses
    uint64_t launch_s, build_s; // limits; 0: the usual ones
    bool unlimited;             // no limit for a launch
};

struct row {
    const char *what;
    enum status status;
    enum fault fault;
    enum stop_reason stop;
    uint32_t samples;
    struct terms measured, asked;
    bool answers;
    uint64_t limit_s; // that a timeout met
};

#define FAILURE(s) .status = STATUS_##s, .fault = FAULT_CONFIGURATION
#define ONLY(s)    (1u << STATUS_##s)

static const struct row table[] = {
    {"settled, for a search", .stop = STOP_SETTLED, .samples = 3, .answers = true},
    {"settled, alone", .stop = STOP_SETTLED, .samples = 3, .asked = {.alone = true},
     .answers = true},
    {"settled, for a fixed count that it has", .stop = STOP_SETTLED, .samples = 7,
     .asked = {.fixed = 7}},
    {"ranked, for a search", .stop = STOP_RANKED, .samples = 7, .answers = true},
    {"ranked, alone", .stop = STOP_RANKED, .samples = 7, .asked = {.alone = true}, .answers = true},
    {"ranked, for a fixed count that it has", .stop = STOP_RANKED, .samples = 7,
     .asked = {.fixed = 7}},
    {"hopeless, for a search", .stop = STOP_HOPELESS, .samples = 1, .answers = true},
    {"hopeless before any sample, for a search", .stop = STOP_HOPELESS, .answers = true},
    {"hopeless, alone", .stop = STOP_HOPELESS, .samples = 2, .asked = {.alone = true}},
    {"hopeless, for a fixed count", .stop = STOP_HOPELESS, .samples = 7, .asked = {.fixed = 7}},
    {"its time was up, for a search", .stop = STOP_LIMIT, .samples = 2, .answers = true},
    {"its time was up, alone", .stop = STOP_LIMIT, .samples = 2, .asked = {.alone = true}},
    {"its time was up, for a fixed count", .stop = STOP_LIMIT, .samples = 7, .asked = {.fixed = 7}},
    {"fixed, for as many", .stop = STOP_FIXED, .samples = 7, .measured = {.fixed = 7},
     .asked = {.fixed = 7}, .answers = true},
    {"fixed, for fewer", .stop = STOP_FIXED, .samples = 7, .measured = {.fixed = 7},
     .asked = {.fixed = 3}, .answers = true},
    {"fixed, for more", .stop = STOP_FIXED, .samples = 6, .measured = {.fixed = 6},
     .asked = {.fixed = 7}},
    {"fixed, for a search", .stop = STOP_FIXED, .samples = 2, .measured = {.fixed = 2},
     .answers = true},
    {"fixed with too few, for a search", .stop = STOP_FIXED, .samples = 1,
     .measured = {.fixed = 1}},
    {"fixed, alone", .stop = STOP_FIXED, .samples = 2, .measured = {.fixed = 2},
     .asked = {.alone = true}, .answers = true},
    {"fixed but ended by its time, for as many as it has", .stop = STOP_LIMIT, .samples = 4,
     .measured = {.fixed = 7}, .asked = {.fixed = 4}, .answers = true},
    {"nothing was timed", .stop = STOP_NONE},
    {"nothing was timed, alone", .stop = STOP_NONE, .asked = {.alone = true}},
    {"warm, for cold", .stop = STOP_SETTLED, .samples = 7, .asked = {.cold = true}},
    {"cold, for warm", .stop = STOP_SETTLED, .samples = 7, .measured = {.cold = true}},
    {"cold, for cold", .stop = STOP_SETTLED, .samples = 7, .measured = {.cold = true},
     .asked = {.cold = true}, .answers = true},
    {"warm and fixed, for cold and fixed", .stop = STOP_FIXED, .samples = 7,
     .measured = {.fixed = 7}, .asked = {.fixed = 7, .cold = true}},
    {"nothing was timed, for a check", .stop = STOP_NONE, .measured = {.untimed = true},
     .asked = {.untimed = true}, .answers = true},
    {"checked, for a search", .stop = STOP_NONE, .measured = {.untimed = true}},
    {"checked, alone", .stop = STOP_NONE, .measured = {.untimed = true}, .asked = {.alone = true}},
    {"checked, for a fixed count", .stop = STOP_NONE, .measured = {.untimed = true},
     .asked = {.fixed = 1}},
    {"settled, for a check", .stop = STOP_SETTLED, .samples = 7, .asked = {.untimed = true},
     .answers = true},
    {"hopeless, for a check", .stop = STOP_HOPELESS, .samples = 1, .asked = {.untimed = true},
     .answers = true},
    {"fixed, for a check", .stop = STOP_FIXED, .samples = 2, .measured = {.fixed = 2},
     .asked = {.untimed = true}, .answers = true},
    {"cold, for a check", .stop = STOP_SETTLED, .samples = 7, .measured = {.cold = true},
     .asked = {.untimed = true}, .answers = true},
    {"compile, for a check", FAILURE(COMPILE), .asked = {.untimed = true}, .answers = true},
    {"a check's compile, for a search", FAILURE(COMPILE), .measured = {.untimed = true},
     .answers = true},
    {"correct, all failures to be retried", .stop = STOP_SETTLED, .samples = 7,
     .asked = {.retry = STORE_RETRY_ALL}, .answers = true},

    {"compile", FAILURE(COMPILE), .answers = true},
    {"compile, alone", FAILURE(COMPILE), .asked = {.alone = true}, .answers = true},
    {"compile, for a fixed count", FAILURE(COMPILE), .asked = {.fixed = 100}, .answers = true},
    {"compile, cold", FAILURE(COMPILE), .asked = {.cold = true}, .answers = true},
    {"compile, to be retried", FAILURE(COMPILE), .asked = {.retry = ONLY(COMPILE)}},
    {"compile, others to be retried", FAILURE(COMPILE),
     .asked = {.retry = ONLY(RUNTIME) | ONLY(TIMEOUT)}, .answers = true},
    {"compile, all to be retried", FAILURE(COMPILE), .asked = {.retry = STORE_RETRY_ALL}},
    {"correctness", FAILURE(CORRECTNESS), .answers = true},
    {"correctness, to be retried", FAILURE(CORRECTNESS), .asked = {.retry = ONLY(CORRECTNESS)}},
    {"constraints", FAILURE(CONSTRAINTS), .answers = true},
    {"constraints, to be retried", FAILURE(CONSTRAINTS), .asked = {.retry = ONLY(CONSTRAINTS)}},
    {"runtime", FAILURE(RUNTIME), .answers = true},
    {"runtime, to be retried", FAILURE(RUNTIME), .asked = {.retry = ONLY(RUNTIME)}},

    {"a launch's limit, the same", FAILURE(TIMEOUT), .limit_s = 2, .measured = {.launch_s = 2},
     .asked = {.launch_s = 2}, .answers = true},
    {"a launch's limit, for a shorter", FAILURE(TIMEOUT), .limit_s = 2, .measured = {.launch_s = 2},
     .asked = {.launch_s = 1}, .answers = true},
    {"a launch's limit, for a longer", FAILURE(TIMEOUT), .limit_s = 2, .measured = {.launch_s = 2},
     .asked = {.launch_s = 3}},
    {"a launch's limit, for none", FAILURE(TIMEOUT), .limit_s = 2, .measured = {.launch_s = 2},
     .asked = {.unlimited = true}},
    {"a launch's limit, a build may take longer", FAILURE(TIMEOUT), .limit_s = 2,
     .measured = {.launch_s = 2}, .asked = {.launch_s = 2, .build_s = 100}, .answers = true},
    {"a launch's limit, to be retried", FAILURE(TIMEOUT), .limit_s = 2, .measured = {.launch_s = 2},
     .asked = {.launch_s = 2, .retry = ONLY(TIMEOUT)}},
    {"a build's limit, the same", FAILURE(TIMEOUT), .limit_s = 5, .measured = {.build_s = 5},
     .asked = {.build_s = 5}, .answers = true},
    {"a build's limit, for a longer", FAILURE(TIMEOUT), .limit_s = 5, .measured = {.build_s = 5},
     .asked = {.build_s = 6}},
    {"a build's limit, a launch may take longer", FAILURE(TIMEOUT), .limit_s = 5,
     .measured = {.build_s = 5}, .asked = {.build_s = 5, .launch_s = 300}, .answers = true},
    {"either's limit, the same", FAILURE(TIMEOUT), .limit_s = 5,
     .measured = {.build_s = 5, .launch_s = 5}, .asked = {.build_s = 5, .launch_s = 5},
     .answers = true},
    {"either's limit, a launch may take longer", FAILURE(TIMEOUT), .limit_s = 5,
     .measured = {.build_s = 5, .launch_s = 5}, .asked = {.build_s = 5, .launch_s = 6}},

    {"the device was lost, for a search", .status = STATUS_RUNTIME, .fault = FAULT_LOST,
     .answers = true},
    {"the device was lost, for a fixed count of a search", .status = STATUS_RUNTIME,
     .fault = FAULT_LOST, .asked = {.fixed = 3}, .answers = true},
    {"the device was lost, alone", .status = STATUS_RUNTIME, .fault = FAULT_LOST,
     .asked = {.alone = true}},
    {"the device was lost, to be retried", .status = STATUS_RUNTIME, .fault = FAULT_LOST,
     .asked = {.retry = STORE_RETRY_ALL}},
    {"no fault is told", .status = STATUS_RUNTIME, .fault = FAULT_NONE},
    {"the spec's fault", .status = STATUS_COMPILE, .fault = FAULT_SPEC},
    {"the reference's fault", .status = STATUS_RUNTIME, .fault = FAULT_REFERENCE},
    {"the device's fault", .status = STATUS_RUNTIME, .fault = FAULT_DEVICE},
    {"the worker's fault", .status = STATUS_RUNTIME, .fault = FAULT_WORKER},
};
#define ROWS ((int)(sizeof table / sizeof *table))

static struct policy policy_of(const struct terms *t)
{
    struct policy p = test_policy;
    p.launches = t->untimed ? 0 : t->fixed ? t->fixed : 2;
    p.fixed = t->fixed > 0;
    p.cold = t->cold;
    if (t->launch_s || t->unlimited)
        p.launch_limit_ns = t->launch_s * SECOND;
    if (t->build_s)
        p.build_limit_ns = t->build_s * SECOND;
    return p;
}

static struct store_question question_of(const struct terms *t)
{
    struct store_question q = {.policy = policy_of(t), .retry = t->retry, .alone = t->alone};
    key_of(1, &q.key);
    return q;
}

static struct result *result_of(const struct row *row)
{
    struct result *r = result_make(1);
    if (row->status != STATUS_CORRECT) {
        r->stop = STOP_NONE;
        r->sample_count = 0;
        result_fail(r, row->status, row->fault, "it failed");
    } else {
        r->stop = row->stop;
        r->sample_count = row->samples;
        r->warm = !row->measured.cold;
    }
    r->limit_ns = row->limit_s * SECOND;
    return r;
}

START_TEST(test_row)
{
    struct error e = ERROR_INIT;
    const struct row *row = &table[_i];
    struct policy measured = policy_of(&row->measured);
    struct store_question q = question_of(&row->asked);
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put_result(s, 1, &measured, result_of(row));
    struct result *found = store_find(s, &q, NULL, &e);
    ck_assert_msg(e.code == ERROR_NONE, "%s: %s", row->what, e.text);
    ck_assert_msg((found != NULL) == row->answers, "%s: %s", row->what,
                  found ? "answers" : "does not answer");
    ck_assert(!found || found->reused);
    result_free(found);
    store_close(s);
}
END_TEST

static struct result *stopped(enum stop_reason stop, uint32_t samples)
{
    struct result *r = result_make(1);
    ck_assert_uint_le(samples, 7);
    r->stop = stop;
    r->sample_count = samples;
    return r;
}

static struct result *failed(enum status status, enum fault fault)
{
    struct result *r = result_new();
    result_fail(r, status, fault, "it failed");
    return r;
}

static const struct terms search = {.fixed = 0};

// A damaged cache may have been why the compiler died: its death answers in its own run alone, and
// what was found before it does not answer either.
START_TEST(test_dead_compiler)
{
    static const char *const messages[] = {
        "the compiler died, twice: the worker was killed by SIGABRT (aborted)",
        "the worker died while loading, twice and with this configuration alone: it exited"};
    struct error e = ERROR_INIT;
    struct store_question q = question_of(&search);
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put_result(s, 1, &test_policy, failed(STATUS_COMPILE, FAULT_CONFIGURATION));
    struct result *r = result_new();
    result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s", messages[_i]);
    put_result(s, 1, &test_policy, r);
    r = store_find(s, &q, NULL, &e);
    ck_assert(r && result_compiler_died(r));
    result_free(r);
    store_close(s);
    s = store_make("s.db");
    begin(s, "scale.json");
    ck_assert_ptr_null(store_find(s, &q, NULL, &e));
    ck_assert_int_eq(e.code, ERROR_NONE);
    put(s, 1);
    r = store_find(s, &q, NULL, &e);
    ck_assert(r && r->status == STATUS_CORRECT);
    result_free(r);
    store_close(s);
}
END_TEST

static struct store_question fixed_question(uint32_t samples)
{
    struct terms t = {.fixed = samples};
    return question_of(&t);
}

START_TEST(test_nothing_stored)
{
    struct error e = ERROR_INIT;
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put(s, 1);
    struct store_question q = question_of(&search);
    key_of(2, &q.key);
    ck_assert_ptr_null(store_find(s, &q, NULL, &e));
    ck_assert_int_eq(e.code, ERROR_NONE);
    store_close(s);
}
END_TEST

START_TEST(test_whole_result_returns)
{
    struct error e = ERROR_INIT;
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    struct result *r = result_make(1);
    r->log = "a warning";
    r->build_ns = 12345;
    put_result(s, 1, &test_policy, r);
    struct store_question q = question_of(&search);
    r = store_find(s, &q, NULL, &e);
    ck_assert_ptr_nonnull(r);
    ck_assert(r->reused);
    ck_assert_int_eq(r->status, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    ck_assert_uint_eq(r->sample_count, 7);
    ck_assert_uint_eq(r->samples_ns[0], 1006);
    ck_assert_uint_eq(r->samples_ns[6], 994);
    ck_assert_str_eq(r->log, "a warning");
    ck_assert_uint_eq(r->build_ns, 12345);
    result_free(r);
    store_close(s);
}
END_TEST

START_TEST(test_newest_that_answers_wins)
{
    struct error e = ERROR_INIT;
    struct store_question q = question_of(&search);
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    struct result *first = result_make(1), *second = result_make(1);
    first->build_ns = 1;
    second->build_ns = 2;
    put_result(s, 1, &test_policy, first);
    put_result(s, 1, &test_policy, second);
    // Newer, but these do not answer.
    put_result(s, 1, &test_policy, failed(STATUS_RUNTIME, FAULT_DEVICE));
    put_result(s, 1, &test_policy, stopped(STOP_FIXED, 1));
    struct result *r = store_find(s, &q, NULL, &e);
    ck_assert_ptr_nonnull(r);
    ck_assert_uint_eq(r->build_ns, 2);
    result_free(r);
    // A newer failure answers in its place; when it is to be retried, nothing does.
    put_result(s, 1, &test_policy, failed(STATUS_COMPILE, FAULT_CONFIGURATION));
    r = store_find(s, &q, NULL, &e);
    ck_assert_int_eq(r->status, STATUS_COMPILE);
    ck_assert_str_eq(r->message, "it failed");
    result_free(r);
    q.retry = STORE_RETRY_ALL;
    ck_assert_ptr_null(store_find(s, &q, NULL, &e));
    ck_assert_int_eq(e.code, ERROR_NONE);
    q.retry = ONLY(RUNTIME);
    r = store_find(s, &q, NULL, &e);
    ck_assert_int_eq(r->status, STATUS_COMPILE);
    result_free(r);
    store_close(s);
}
END_TEST

// Nor does a store behind take the place of a failure that is to be tried again, nor does its
// failure take back what the store in front found correct.
START_TEST(test_failures_and_stores_behind)
{
    struct error e = ERROR_INIT;
    struct store_question q = question_of(&search);
    struct store *good = store_make("good.db"), *bad = store_make("bad.db");
    struct store *early = store_make("early.db");
    begin(good, "scale.json");
    begin(bad, "scale.json");
    begin(early, "scale.json");
    put(good, 1);
    put_result(bad, 1, &test_policy, failed(STATUS_RUNTIME, FAULT_CONFIGURATION));
    put_result(early, 1, &test_policy, stopped(STOP_HOPELESS, 1));
    store_close(good);
    struct store *stack = store_stack(bad, store_open("good.db", STORE_READ, &e));
    struct result *r = store_find(stack, &q, NULL, &e);
    ck_assert_int_eq(r->status, STATUS_RUNTIME);
    result_free(r);
    q.retry = STORE_RETRY_ALL;
    ck_assert_ptr_null(store_find(stack, &q, NULL, &e));
    store_close(stack);
    q.retry = 0;
    q.alone = true;
    stack = store_stack(early, store_open("bad.db", STORE_READ, &e));
    ck_assert_ptr_null(store_find(stack, &q, NULL, &e));
    ck_assert_int_eq(e.code, ERROR_NONE);
    store_close(stack);
}
END_TEST

// What works by now is not answered by an earlier failure, though it does not answer itself.
START_TEST(test_failure_before_a_correct_one_does_not_answer)
{
    struct error e = ERROR_INIT;
    struct store_question q = fixed_question(7);
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put_result(s, 1, &test_policy, failed(STATUS_RUNTIME, FAULT_CONFIGURATION));
    put_result(s, 1, &test_policy, stopped(STOP_HOPELESS, 1));
    ck_assert_ptr_null(store_find(s, &q, NULL, &e));
    ck_assert_int_eq(e.code, ERROR_NONE);
    store_close(s);
}
END_TEST

static void put_fixed(struct store *s, uint32_t samples, uint32_t batch, uint32_t warmups,
                      bool cold, uint64_t first)
{
    struct policy p = test_policy;
    struct result *r = stopped(STOP_FIXED, samples);
    p.fixed = true;
    p.cold = cold;
    r->batch = batch;
    r->warmups = warmups;
    r->warm = !cold;
    for (uint32_t i = 0; i < samples; i++)
        r->samples_ns[i] = first + i;
    put_result(s, 1, &p, r);
}

// Asks for `samples` and holds what comes back against `first` ("1 2 10 11") and what is missing.
static void ask_fixed(struct store *s, uint32_t samples, const char *expected,
                      uint32_t expected_missing)
{
    struct error e = ERROR_INIT;
    struct text got = TEXT_INIT;
    uint32_t missing = 99;
    struct store_question q = fixed_question(samples);
    struct result *r = store_find(s, &q, &missing, &e);
    ck_assert_msg(e.code == ERROR_NONE, "%s", e.text);
    for (uint32_t i = 0; r && i < r->sample_count; i++)
        text_addf(&got, "%s%llu", i ? " " : "", (unsigned long long)r->samples_ns[i]);
    ck_assert_str_eq(text_cstr(&got), expected);
    ck_assert_uint_eq(missing, expected_missing);
    text_release(&got);
    result_free(r);
    struct result *whole = store_find(s, &q, NULL, &e);
    ck_assert((whole != NULL) == (*expected && expected_missing == 0));
    result_free(whole);
}

START_TEST(test_fixed_samples_are_put_together)
{
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    ask_fixed(s, 5, "", 0);
    put_fixed(s, 2, 1, 0, false, 1);
    ask_fixed(s, 2, "1 2", 0);
    ask_fixed(s, 5, "1 2", 3);
    put_fixed(s, 3, 1, 0, false, 10);
    ask_fixed(s, 5, "1 2 10 11 12", 0);
    ask_fixed(s, 9, "1 2 10 11 12", 4);
    // No more than are needed, the newest first.
    ask_fixed(s, 3, "10 11 12", 0);
    put_fixed(s, 1, 1, 0, false, 20);
    ask_fixed(s, 2, "10 11 12 20", 0);
    store_close(s);
}
END_TEST

START_TEST(test_only_samples_of_one_kind_are_put_together)
{
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put_fixed(s, 2, 1, 0, false, 1);
    put_fixed(s, 2, 8, 0, false, 10); // in batches
    put_fixed(s, 2, 1, 1, false, 20); // after warm-up launches
    put_fixed(s, 2, 1, 0, true, 30);  // cold
    put_result(s, 1, &test_policy, stopped(STOP_SETTLED, 3));
    put_fixed(s, 2, 1, 0, false, 40);
    ask_fixed(s, 4, "1 2 40 41", 0);
    ask_fixed(s, 7, "1 2 40 41", 3);
    store_close(s);
}
END_TEST

// Bytes of an earlier format: those of now without what was added at the end.
START_TEST(test_earlier_format_is_read)
{
    struct error e = ERROR_INIT;
    struct store_question q = question_of(&search);
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put(s, 1);
    store_close(s);
    // 1 byte came with format 11, 4 with format 9, 4 with format 8, nothing with format 7 where no output was compared; 4 with format
    // 6, 4 with format 5, 4 with format 4, 49 with format 3, 88 with format 2.
    ask("s.db", "UPDATE result SET format = 1, body = substr(body, 1, length(body) - 21 - 49 - 88) "
                "RETURNING 1");
    s = store_make("s.db");
    struct result *r = store_find(s, &q, NULL, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    ck_assert_uint_eq(r->sample_count, 7);
    ck_assert_uint_eq(r->warmups, 0);
    result_free(r);
    store_close(s);
    // One that only a newer hone can read is passed over.
    ask("s.db", "UPDATE result SET format = 12 RETURNING 1");
    s = store_make("s.db");
    ck_assert_ptr_null(store_find(s, &q, NULL, &e));
    ck_assert_int_eq(e.code, ERROR_NONE);
    store_close(s);
}
END_TEST

static void tests_add(TCase *t)
{
    tcase_add_loop_test(t, test_row, 0, ROWS);
    tcase_add_test(t, test_nothing_stored);
    tcase_add_loop_test(t, test_dead_compiler, 0, 2);
    tcase_add_test(t, test_whole_result_returns);
    tcase_add_test(t, test_newest_that_answers_wins);
    tcase_add_test(t, test_failures_and_stores_behind);
    tcase_add_test(t, test_failure_before_a_correct_one_does_not_answer);
    tcase_add_test(t, test_fixed_samples_are_put_together);
    tcase_add_test(t, test_only_samples_of_one_kind_are_put_together);
    tcase_add_test(t, test_earlier_format_is_read);
}

int main(void)
{
    return store_suite_run("store find", tests_add);
}
