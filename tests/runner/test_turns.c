// Turns against a worker that notes what it is asked: their order, what each asks for, what is
// loaded for them and when, the lock between them, and what a job that fails does to the others.
#include "fixture.h"

#include "os/process.h"
#include "runner/cached.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct turn one = {.warmups = 1, .launches = 1, .batch = 1};

static void again(struct evaluator *ev, uint64_t ticket, const struct turn *turn)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(evaluator_again(ev, ticket, turn, &e), "%s", e.text);
}

// The next outcome is a correct turn of this job, with so many samples.
static void take_turn(struct evaluator *ev, uint64_t ticket, uint32_t samples)
{
    uint64_t got;
    struct result *r = take(ev, &got);
    ck_assert_uint_eq(got, ticket);
    ck_assert_msg(r->status == STATUS_CORRECT, "%s", r->message);
    ck_assert_int_eq(r->stop, STOP_RANKED);
    ck_assert_uint_eq(r->sample_count, samples);
    result_free(r);
}

// Screens jobs 0 .. count-1, which stay loaded.
static struct evaluator *screened(const struct live_options *o, const char *const *behaviours,
                                  unsigned count)
{
    struct evaluator *ev = make_live(o);
    for (unsigned i = 0; i < count; i++) {
        submit(ev, i, behaviours ? behaviours[i] : "good", 1000);
        take_correct(ev, i);
    }
    events();
    return ev;
}

START_TEST(test_order_and_policy)
{
    static const struct turn turns[] = {
        {.warmups = 1, .launches = 1, .batch = 1},
        {.warmups = 2, .launches = 3, .batch = 4},
        {.launches = 1, .compare = true},
        {.warmups = 1, .launches = 2, .batch = 1, .compare = true},
    };
    static const unsigned order[] = {2, 0, 1, 0};
    struct device_info d = device(_i);
    struct live_options o = options(&d);
    struct evaluator *ev = screened(&o, NULL, 3);
    uint64_t ticket;
    submit(ev, 9, "good", 1000); // asked for earlier, and still later than the turns
    for (int i = 0; i < 4; i++)
        again(ev, order[i], &turns[i]);
    for (int i = 0; i < 4; i++) {
        struct result *r = take(ev, &ticket);
        ck_assert_uint_eq(ticket, order[i]);
        ck_assert_int_eq(r->stop, STOP_RANKED);
        ck_assert_uint_eq(r->sample_count, turns[i].launches);
        ck_assert_uint_eq(r->warmups, turns[i].warmups);
        ck_assert_uint_eq(r->batch, turns[i].batch ? turns[i].batch : 1);
        result_free(r);
    }
    take_correct(ev, 9);
    ck_assert(evaluator_idle(ev));
    // Between turns there is nothing but one request each.
    ck_assert_str_eq(events(), "measure 2 1x1 after 1\n"
                               "measure 0 3x4 after 2\n"
                               "measure 1 1x1 after 0 compared\n"
                               "measure 0 2x1 after 1 compared\n"
                               "load 9\nverify 9\nmeasure 9 2x1 after 0\n");
    evaluator_free(ev);
}
END_TEST

// Shorter than the timer sees: 1000 ns of a timer of 50 ns are 20 times its resolution, of the 100
// that a sample shall have.
START_TEST(test_batches)
{
    struct device_info d = device(true);
    d.timer_ns = 50;
    struct live_options o = options(&d);
    struct evaluator *ev = make_live(&o);
    uint64_t ticket;
    submit(ev, 1, "good", 1000);
    struct result *r = take(ev, &ticket);
    ck_assert_uint_eq(r->batch, 5);
    ck_assert_uint_eq(r->sample_count, 2);
    result_free(r);
    again(ev, 1, &(struct turn){.warmups = 1, .launches = 1});
    r = take(ev, &ticket);
    ck_assert_uint_eq(r->batch, 5);
    result_free(r);
    ck_assert_str_eq(events(), "load 1\nverify 1\nmeasure 1 2x5 after 0\nmeasure 1 1x5 after 1\n");
    evaluator_free(ev);
}
END_TEST

// Long launches are asked for one by one; only the last one is compared.
START_TEST(test_pieces_compare_at_the_end)
{
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = make_live(&o);
    submit(ev, 1, "good", 400000000);
    take_correct(ev, 1);
    events();
    again(ev, 1, &(struct turn){.launches = 3, .batch = 1, .compare = true});
    take_turn(ev, 1, 3);
    ck_assert_str_eq(events(), "measure 1 1x1 after 0\nmeasure 1 1x1 after 0\n"
                               "measure 1 1x1 after 0 compared\n");
    evaluator_free(ev);
}
END_TEST

// A job that was never here (its result came from a store): nothing of it is screened.
START_TEST(test_built_on_demand)
{
    struct device_info d = device(_i);
    struct live_options o = options(&d);
    struct evaluator *ev = screened(&o, NULL, 1);
    evaluator_hold(ev, true);
    submit(ev, 7, "good", 1000);
    again(ev, 0, &one);
    again(ev, 7, &one);
    again(ev, 0, &one);
    again(ev, 7, &one);
    take_turn(ev, 0, 1);
    take_turn(ev, 7, 1);
    take_turn(ev, 0, 1);
    take_turn(ev, 7, 1);
    evaluator_hold(ev, false);
    ck_assert_str_eq(events(), "measure 0 1x1 after 1\n"
                               "load 7\nverify 7\nmeasure 7 1x1 after 1\n"
                               "measure 0 1x1 after 1\n"
                               "measure 7 1x1 after 1\n");
    evaluator_free(ev);
}
END_TEST

// One that does not build, and one that is wrong, fail in all their turns; the others do not
// notice.
START_TEST(test_fails_on_demand)
{
    static const struct {
        const char *behaviour;
        enum status status;
    } failures[] = {{"compile_error", STATUS_COMPILE}, {"wrong", STATUS_CORRECTNESS}};
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = screened(&o, NULL, 1);
    unsigned failed = 0;
    uint64_t ticket;
    submit(ev, 7, failures[_i].behaviour, 1000);
    again(ev, 7, &one);
    again(ev, 0, &one);
    again(ev, 7, &one);
    for (int i = 0; i < 3; i++) {
        struct result *r = take(ev, &ticket);
        ck_assert_int_eq(r->status, ticket == 7 ? failures[_i].status : STATUS_CORRECT);
        failed += ticket == 7;
        result_free(r);
    }
    ck_assert_uint_eq(failed, 2);
    ck_assert(evaluator_idle(ev));
    evaluator_free(ev);
}
END_TEST

// Only made ready: no sample.
START_TEST(test_made_ready)
{
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = make_live(&o);
    uint64_t ticket;
    submit(ev, 3, "good", 1000);
    again(ev, 3, &(struct turn){.warmups = 1});
    struct result *r = take(ev, &ticket);
    ck_assert_int_eq(r->status, STATUS_CORRECT);
    ck_assert_uint_eq(r->sample_count, 0);
    ck_assert_int_eq(r->stop, STOP_NONE);
    result_free(r);
    again(ev, 3, &one);
    take_turn(ev, 3, 1);
    ck_assert_str_eq(events(), "load 3\nverify 3\nmeasure 3 1x1 after 1\n");
    evaluator_free(ev);
}
END_TEST

// A worker dies in a round. A job that is known to work shows that the device lives, the turn is
// tried once more, and the others are loaded anew as their turns come.
START_TEST(test_death_in_a_round)
{
    static const char *const behaviours[] = {"good", "die_in_turn_once", "good"};
    struct device_info d = device(_i);
    struct live_options o = options(&d);
    struct evaluator *ev = screened(&o, behaviours, 3);
    evaluator_hold(ev, true);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 3; i++)
            again(ev, i, &one);
    }
    for (unsigned i = 0; i < 6; i++)
        take_turn(ev, i % 3, 1);
    evaluator_hold(ev, false);
    ck_assert_str_eq(events(), "measure 0 1x1 after 1\n"
                               "measure 1 1x1 after 1\n" // dies
                               "load probe\nverify probe\n"
                               "load 1\nverify 1\nmeasure 1 1x1 after 1\n"
                               "load 2\nverify 2\nmeasure 2 1x1 after 1\n"
                               "load 0\nverify 0\nmeasure 0 1x1 after 1\n"
                               "measure 1 1x1 after 1\n"
                               "measure 2 1x1 after 1\n");
    evaluator_free(ev);
}
END_TEST

START_TEST(test_blamed_in_a_round)
{
    static const char *const behaviours[] = {"good", "die_in_turn", "good"};
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = screened(&o, behaviours, 3);
    unsigned blamed = 0;
    uint64_t ticket;
    for (unsigned i = 0; i < 6; i++)
        again(ev, i % 3, &one);
    for (unsigned i = 0; i < 6; i++) {
        struct result *r = take(ev, &ticket);
        ck_assert_int_eq(r->status, ticket == 1 ? STATUS_RUNTIME : STATUS_CORRECT);
        ck_assert_uint_eq(r->sample_count, ticket != 1);
        blamed += ticket == 1;
        if (ticket == 1)
            ck_assert_ptr_nonnull(strstr(r->message, "twice and with this configuration alone"));
        result_free(r);
    }
    ck_assert_uint_eq(blamed, 2);
    ck_assert_uint_eq(count_events(events(), "measure 1"), 2); // not once more for its second turn
    ck_assert(evaluator_idle(ev));
    evaluator_free(ev);
}
END_TEST

// ---- the lock ----------------------------------------------------------------------------------

static struct evaluator *with_lock(struct live_options *o)
{
    struct error e = ERROR_INIT;
    struct cached_options r = {.lock_folder = folder};
    struct evaluator *ev = cached_new(&r, o, &e);
    ck_assert_msg(ev != NULL, "%s", e.text);
    return ev;
}

static bool comes_in(struct evaluator *ev, int timeout_ms)
{
    struct error e = ERROR_INIT;
    struct outcome out;
    int got = evaluator_take(ev, timeout_ms, &out, &e);
    ck_assert_msg(got >= 0, "%s", e.text);
    if (got == 1)
        result_free(out.result);
    return got == 1;
}

START_TEST(test_hold_keeps_the_lock)
{
    struct device_info d = device(true);
    struct live_options o = options(&d), other = options(&d);
    struct evaluator *ev = with_lock(&o), *second = with_lock(&other);
    struct evaluator_status status;
    submit(ev, 1, "good", 1000);
    take_correct(ev, 1);
    evaluator_hold(ev, true);
    again(ev, 1, &one);
    take_turn(ev, 1, 1);
    submit(second, 2, "good", 1000);
    ck_assert(!comes_in(second, 300));
    evaluator_status(second, &status);
    ck_assert_ptr_nonnull(status.waiting);
    // Neither another turn lets it in, nor a job that is measured meanwhile.
    again(ev, 1, &one);
    take_turn(ev, 1, 1);
    submit(ev, 3, "good", 1000);
    take_correct(ev, 3);
    ck_assert(!comes_in(second, 300));
    evaluator_hold(ev, false);
    ck_assert(comes_in(second, 10000));
    evaluator_free(ev);
    evaluator_free(second);
}
END_TEST

START_TEST(test_without_hold_others_come_in)
{
    struct device_info d = device(true);
    struct live_options o = options(&d), other = options(&d);
    struct evaluator *ev = with_lock(&o), *second = with_lock(&other);
    submit(ev, 1, "good", 1000);
    take_correct(ev, 1);
    again(ev, 1, &one);
    take_turn(ev, 1, 1);
    submit(second, 2, "good", 1000);
    ck_assert(comes_in(second, 10000));
    evaluator_free(ev);
    evaluator_free(second);
}
END_TEST

// An evaluator that ends in the middle of a round gives the lock back.
START_TEST(test_end_gives_the_lock_back)
{
    struct device_info d = device(true);
    struct live_options o = options(&d), other = options(&d);
    struct evaluator *ev = with_lock(&o), *second = with_lock(&other);
    submit(ev, 1, "good", 1000);
    take_correct(ev, 1);
    evaluator_hold(ev, true);
    again(ev, 1, &one);
    take_turn(ev, 1, 1);
    again(ev, 1, &one);
    evaluator_free(ev);
    submit(second, 2, "good", 1000);
    ck_assert(comes_in(second, 10000));
    evaluator_free(second);
}
END_TEST

// ---- the end of a search -----------------------------------------------------------------------

START_TEST(test_cancel_in_a_round)
{
    struct device_info d = device(true);
    struct live_options o = options(&d);
    unsigned more = 0;
    add_environment("FAKE_DELAY_US=20000");
    struct evaluator *ev = screened(&o, NULL, 2);
    evaluator_hold(ev, true);
    for (unsigned i = 0; i < 20; i++)
        again(ev, i % 2, &one);
    take_turn(ev, 0, 1);
    ck_assert(!comes_in(ev, 5)); // the second turn is at the bench
    evaluator_cancel(ev);
    while (!evaluator_idle(ev))
        more += comes_in(ev, 1000);
    ck_assert_uint_eq(more, 1);
    ck_assert_uint_eq(count_events(events(), "measure"), 2);
    // The time for the search was up; what it found may still be ranked.
    again(ev, 1, &one);
    take_turn(ev, 1, 1);
    submit(ev, 5, "good", 1000);
    again(ev, 5, &one);
    take_turn(ev, 5, 1);
    evaluator_free(ev);
}
END_TEST

// The time was up before anything was measured: the results of all that are ranked came from a
// store.
START_TEST(test_built_after_a_cancel)
{
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = screened(&o, NULL, 1);
    submit(ev, 5, "good", 1000);
    evaluator_cancel(ev);
    while (!evaluator_idle(ev))
        ck_assert(!comes_in(ev, 1000)); // it is forgotten
    for (uint64_t ticket = 6; ticket <= 7; ticket++) {
        submit(ev, ticket, "good", 1000);
        again(ev, ticket, &one);
    }
    take_turn(ev, 6, 1);
    take_turn(ev, 7, 1);
    evaluator_free(ev);
}
END_TEST

// ---- a fixed count -----------------------------------------------------------------------------

static enum admission_answer knows_four(void *context, uint64_t ticket,
                                        struct admission_known *known, struct result **out,
                                        struct error *e)
{
    (void)context, (void)ticket, (void)out, (void)e;
    *known = (struct admission_known){.samples = 4, .batch = 3};
    return ADMISSION_OPEN;
}

static bool leave(void *context, uint64_t ticket, const struct result *r, struct error *e)
{
    (void)context, (void)ticket, (void)r, (void)e;
    return true;
}

START_TEST(test_known_samples_are_not_taken_again)
{
    struct device_info d = device(true);
    struct live_options o = options(&d);
    uint64_t ticket;
    o.terms.rules.fixed = 6;
    o.admission = (struct admission){.enter = knows_four, .leave = leave};
    struct evaluator *ev = make_live(&o);
    submit(ev, 1, "good", 1000);
    struct result *r = take(ev, &ticket);
    ck_assert_uint_eq(r->sample_count, 2);
    ck_assert_uint_eq(r->batch, 3);
    ck_assert_int_eq(r->stop, STOP_FIXED);
    result_free(r);
    ck_assert_str_eq(events(), "load 1\nverify 1\nmeasure 1 2x3 after 0\n");
    evaluator_free(ev);
}
END_TEST

// ---- thousands ---------------------------------------------------------------------------------

static double own_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What is kept costs those that come later nothing: the last jobs take what the first ones took.
START_TEST(test_thousands_kept)
{
    enum { JOBS = 5000, PART = 500 };
    struct device_info d = device(true);
    struct live_options o = options(&d);
    o.at.environment = NULL; // nothing is noted
    struct evaluator *ev = make_live(&o);
    double start = own_seconds(), first = 0, last = 0;
    unsigned submitted = 0;
    uint64_t ticket;
    for (unsigned done = 0; done < JOBS; done++) {
        for (; submitted < JOBS && evaluator_room(ev) > 0; submitted++)
            submit(ev, submitted, "good", 1000);
        struct result *r = take(ev, &ticket);
        ck_assert_int_eq(r->status, STATUS_CORRECT);
        result_free(r);
        if (done + 1 == PART)
            first = own_seconds() - start;
        if (done + 1 == JOBS - PART)
            start = own_seconds();
    }
    last = own_seconds() - start;
    for (unsigned i = 0; i < PART; i++)
        again(ev, JOBS - 1 - 10 * i, &one);
    for (unsigned i = 0; i < PART; i++)
        take_turn(ev, JOBS - 1 - 10 * i, 1);
    ck_assert_msg(last < 4 * first + 0.1, "the first %u took %.3f s, the last %.3f s", PART, first,
                  last);
    evaluator_free(ev);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("turns", setup, 60);
    tcase_add_loop_test(cases, test_order_and_policy, 0, 2);
    tcase_add_test(cases, test_batches);
    tcase_add_test(cases, test_pieces_compare_at_the_end);
    tcase_add_loop_test(cases, test_built_on_demand, 0, 2);
    tcase_add_loop_test(cases, test_fails_on_demand, 0, 2);
    tcase_add_test(cases, test_made_ready);
    tcase_add_loop_test(cases, test_death_in_a_round, 0, 2);
    tcase_add_test(cases, test_blamed_in_a_round);
    tcase_add_test(cases, test_hold_keeps_the_lock);
    tcase_add_test(cases, test_without_hold_others_come_in);
    tcase_add_test(cases, test_end_gives_the_lock_back);
    tcase_add_test(cases, test_cancel_in_a_round);
    tcase_add_test(cases, test_built_after_a_cancel);
    tcase_add_test(cases, test_known_samples_are_not_taken_again);
    tcase_add_test(cases, test_thousands_kept);
    return run_cases(cases);
}
