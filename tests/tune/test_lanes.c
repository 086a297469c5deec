// A ranking on several equal devices of which one is not as the others are, with an evaluator
// without a device: what fails on one alone costs the device and no finalist, what fails on two is
// the finalist, and a clock that is found wrong on one restarts the rounds.
#include "campaign/final_ranking.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINALISTS = 4, LANES = 4, TURNS = 256 };

struct simulated {
    struct evaluator base;
    struct {
        uint64_t ticket;
        struct turn turn;
    } queue[TURNS];
    size_t first, count;
    unsigned readied;           // turns without a launch
    unsigned turns[LANES];      // of each device that were answered
    unsigned asked[LANES];      // likewise, with launches
    unsigned shared[LANES];     // of these, before any is made ready for the second time
    unsigned checks[FINALISTS]; // of each finalist
    // What goes wrong: on a device, from its turn `from` on, finalist `who` (FINALISTS: all).
    struct {
        bool on;
        unsigned from;
        uint64_t who;
        enum fault fault;
        bool in_checks;
    } fails[LANES];
    unsigned by_host_from[LANES]; // its turns with launches from this one on, from 1; 0: none
    unsigned wrong_until[LANES];  // those before it take a tenth by its own clock
    unsigned lost_from[LANES];
    double slower[LANES];
    double outlier;
    bool shares; // the first round; finalist i was screened by device i modulo their number
    double load; // of the cores, by others
    uint64_t recounted_ns; // from then on another worker counts what they used; 0: never
    uint64_t now_ns;
};

static bool again(struct evaluator *ev, uint64_t ticket, const struct turn *turn, struct error *e)
{
    struct simulated *s = (struct simulated *)ev;
    (void)e;
    ck_assert_uint_lt(s->count, TURNS);
    s->queue[(s->first + s->count) % TURNS].ticket = ticket;
    s->queue[(s->first + s->count++) % TURNS].turn = *turn;
    return true;
}

static void add_samples(struct simulated *s, uint64_t ticket, const struct turn *turn,
                        struct result *r)
{
    uint32_t lane = turn->place;
    unsigned nth = ++s->asked[lane];
    double slower = s->slower[lane] > 0 ? s->slower[lane] : 1;
    r->samples_ns = arena_array(&r->arena, turn->launches, sizeof *r->samples_ns);
    ck_assert_ptr_nonnull(r->samples_ns);
    for (uint32_t i = 0; i < turn->launches; i++) {
        double noise = 1 + 1e-4 * (double)((nth * 7 + i * 3 + ticket * 5) % 11);
        r->samples_ns[i] = (uint64_t)(1e6 * (1 + 0.05 * (double)ticket) * slower * noise);
        if (nth < s->wrong_until[lane])
            r->samples_ns[i] /= 10;
    }
    r->sample_count = turn->launches;
    r->batch = turn->batch;
    if (s->by_host_from[lane] && nth >= s->by_host_from[lane])
        r->timer_fault = "its events say nothing";
    s->now_ns += 20000000;
    r->machine = (struct machine_snapshot){.cores = 4, .at_ns = s->now_ns};
    r->machine.other_cpu_ns = (uint64_t)(s->load * 4 * (double)s->now_ns);
    if (s->recounted_ns && s->now_ns >= s->recounted_ns)
        r->machine.other_cpu_ns -= 3000000000;
}

static int take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    struct simulated *s = (struct simulated *)ev;
    (void)timeout_ms;
    (void)e;
    ck_assert_uint_gt(s->count, 0);
    const struct turn turn = s->queue[s->first].turn;
    uint64_t ticket = s->queue[s->first].ticket;
    uint32_t lane = turn.place;
    s->first = (s->first + 1) % TURNS;
    s->count--;
    *out = (struct outcome){.ticket = ticket, .place = lane};
    unsigned nth = ++s->turns[lane];
    out->lost = s->lost_from[lane] && nth >= s->lost_from[lane];
    if (out->lost)
        return 1;
    out->result = result_new();
    ck_assert_ptr_nonnull(out->result);
    s->checks[ticket] += turn.compare;
    if (s->fails[lane].on && nth >= s->fails[lane].from &&
        (s->fails[lane].who == FINALISTS || s->fails[lane].who == ticket) &&
        (!s->fails[lane].in_checks || turn.compare))
        result_fail(out->result, STATUS_RUNTIME, s->fails[lane].fault, "sick on %u", lane);
    else if (turn.launches > 0)
        add_samples(s, ticket, &turn, out->result);
    s->shared[lane] += turn.launches > 0 && s->readied <= FINALISTS + 1;
    s->readied += turn.launches == 0;
    return 1;
}

static const struct evaluator_operations operations = {.take = take, .again = again};

static struct simulated sim;
static struct measure_rules rules;
static struct finalist finalists[FINALISTS];
static struct ranked_place places[LANES];
static struct final_ranking_status status;
static struct device_info device;

static void begin(void)
{
    sim = (struct simulated){.base.ops = &operations};
    rules = measure_rules_default();
    rules.precision = 0;
    rules.rounds = 24;
    rules.early = 1000; // nobody leaves before a look
    rules.looks = 1;
    device = (struct device_info){.type = DEVICE_GPU, .timer_ns = 1};
    memset(finalists, 0, sizeof finalists);
    memset(places, 0, sizeof places);
}

static void end(void)
{
    finalists_release(finalists, FINALISTS);
}

static void rank(uint32_t lanes, bool has_late)
{
    struct error e = ERROR_INIT;
    enum workflow_answer answer;
    for (size_t i = 0; i < FINALISTS; i++) {
        finalists[i].ticket = i;
        finalists[i].estimate_ns = (uint64_t)(1e6 * (1 + 0.05 * (double)i));
        finalists[i].first_ns = sim.shares ? finalists[i].estimate_ns : 0;
        finalists[i].place = (uint32_t)i % lanes;
    }
    for (uint32_t i = 0; i < lanes; i++)
        places[i].place = i;
    struct final_ranking_options o = {.evaluator = &sim.base,
                                      .rules = &rules,
                                      .device = &device,
                                      .seeds = {.order = 1, .decision = 2},
                                      .finalists = finalists,
                                      .count = FINALISTS - has_late,
                                      .has_late = has_late,
                                      .places = places,
                                      .place_count = lanes,
                                      .shares_first = sim.shares,
                                      .outlier = sim.outlier};
    struct final_ranking *r = final_ranking_new(&o, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    while ((answer = final_ranking_step(r, 1000, &e)) == WORKFLOW_NOTHING)
        ;
    ck_assert_msg(answer == WORKFLOW_END, "%s", e.text);
    final_ranking_status(r, &status);
    final_ranking_free(r);
}

static void check_all_placed(void)
{
    ck_assert(status.decided);
    ck_assert_uint_eq(status.winner, 0);
    for (size_t i = 0; i < FINALISTS; i++) {
        ck_assert_msg(!finalists[i].failure && finalists[i].placed, "%zu", i);
        ck_assert_uint_eq(finalists[i].entry.place, i);
    }
}

static void check_left_out(uint32_t lanes, uint32_t out)
{
    for (uint32_t i = 0; i < lanes; i++) {
        ck_assert_msg(places[i].lost == (i == out), "%u", i);
        ck_assert_msg((places[i].why[0] != 0) == (i == out), "%u: %s", i, places[i].why);
    }
}

static void make_sick(uint32_t lane, unsigned from, uint64_t who, enum fault fault)
{
    sim.fails[lane].on = true;
    sim.fails[lane].from = from;
    sim.fails[lane].who = who;
    sim.fails[lane].fault = fault;
}

// From the first turn on, or in a later round; all finalists, or one.
START_TEST(a_sick_device_costs_no_finalist)
{
    static const unsigned from[] = {1, 2, FINALISTS + 1, 30};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        for (uint64_t who = 1; who <= FINALISTS; who += FINALISTS - 1) {
            end();
            begin();
            make_sick(1, from[i], who, FAULT_CONFIGURATION);
            rank(3, false);
            check_all_placed();
            check_left_out(3, 1);
            ck_assert_str_eq(places[1].why, "what is correct elsewhere fails there: sick on 1");
        }
    }
}
END_TEST

START_TEST(two_sick_devices_cost_no_finalist)
{
    make_sick(0, 1, FINALISTS, FAULT_CONFIGURATION);
    make_sick(2, 1, FINALISTS, FAULT_CONFIGURATION);
    rank(4, false);
    check_all_placed();
    ck_assert(places[0].lost && !places[1].lost && places[2].lost && !places[3].lost);
}
END_TEST

START_TEST(a_finalist_that_fails_on_two_is_dropped)
{
    for (int later = 0; later < 2; later++) {
        end();
        begin();
        make_sick(0, FINALISTS + 1, 2, FAULT_CONFIGURATION);
        make_sick(2, later ? 50 : FINALISTS + 1, 2, FAULT_CONFIGURATION);
        rank(3, false);
        ck_assert_ptr_nonnull(finalists[2].failure);
        ck_assert(status.decided && finalists[0].placed && finalists[1].placed);
        ck_assert_int_eq(places[0].lost, later); // by then it was left out
        ck_assert(!places[1].lost && !places[2].lost);
    }
}
END_TEST

START_TEST(a_device_lost_under_a_finalist_is_not_its_failure)
{
    make_sick(1, 23, 1, FAULT_LOST);
    sim.lost_from[1] = 30; // it answers once more before it is gone
    rank(2, false);
    check_all_placed();
    ck_assert(places[1].lost && !places[0].lost);
}
END_TEST

START_TEST(one_that_is_lost_with_two_devices_is_dropped)
{
    make_sick(0, 23, 1, FAULT_LOST);
    make_sick(1, 23, 1, FAULT_LOST);
    rank(3, false);
    ck_assert_ptr_nonnull(finalists[1].failure);
    ck_assert_int_eq(finalists[1].failure->fault, FAULT_LOST);
    ck_assert(status.decided && !places[2].lost);
}
END_TEST

// The last verification is shared out, the second finalist's on the second device: what fails there is verified on another one.
START_TEST(the_last_check_is_taken_again_elsewhere)
{
    for (int both = 0; both < 2; both++) {
        end();
        begin();
        for (uint32_t lane = 1 - (uint32_t)both; lane <= 1; lane++) {
            make_sick(lane, 1, 1, FAULT_CONFIGURATION);
            sim.fails[lane].in_checks = true;
        }
        rank(3, false);
        ck_assert_uint_eq(sim.checks[1], 2);
        ck_assert_uint_eq(sim.checks[0], 1);
        ck_assert_int_eq(finalists[1].failure != NULL, both);
        ck_assert_int_eq(finalists[1].checked != NULL, !both);
        ck_assert_int_eq(places[1].lost, !both);
        ck_assert(!places[0].lost);
    }
}
END_TEST

// Each of two devices launches two finalists and the reference around them, then one finalist is left. That one device is
// slower does not count.
START_TEST(the_first_round_is_shared_out)
{
    sim.shares = true;
    sim.slower[1] = 1.04;
    rules.early = 1;
    rank(2, false);
    check_all_placed();
    for (size_t i = 1; i < FINALISTS; i++) {
        double ratio = finalists[i].entry.ratio, is = 1 + 0.05 * (double)i;
        double first = (double)finalists[i].samples[0] / (double)finalists[0].samples[0];
        ck_assert_uint_le(finalists[i].count, 4); // in the third round at the latest
        ck_assert_msg(fabs(first / is - 1) < 2e-3, "%zu: %g", i, first);
        ck_assert_msg(fabs(ratio / is - 1) < 2e-3, "%zu: %g", i, ratio);
    }
    // Both devices ran their parts of it, and rounds of their own after it.
    ck_assert_uint_eq(sim.shared[0], 1 + FINALISTS / 2);
    ck_assert_uint_eq(sim.shared[1], 2 + FINALISTS / 2);
    ck_assert(places[0].rounds > 1 && places[1].rounds > 0);
    ck_assert(!places[0].lost && !places[1].lost);
    ck_assert(places[1].compared && fabs(places[1].ratio.ratio - 1.04) < 2e-3);
}
END_TEST

// With its part of that round nothing is lost but the round.
START_TEST(a_device_fails_in_the_round_that_is_shared)
{
    for (int is_lost = 0; is_lost < 2; is_lost++) {
        end();
        begin();
        sim.shares = true;
        rules.early = 1;
        if (is_lost)
            sim.lost_from[1] = 5;
        else
            make_sick(1, 5, FINALISTS, FAULT_CONFIGURATION);
        rank(2, false);
        check_all_placed();
        ck_assert(places[1].lost && !places[0].lost);
    }
}
END_TEST

// What one device did between two launches of the reference that differ by ten times is not believed.
START_TEST(a_device_is_disturbed_in_the_round_that_is_shared)
{
    sim.shares = true;
    sim.wrong_until[1] = 2;
    rank(2, false);
    check_all_placed();
    for (size_t i = 1; i < FINALISTS; i++) {
        double first = (double)finalists[i].samples[0] / (double)finalists[0].samples[0];
        ck_assert_msg(fabs(first / (1 + 0.05 * (double)i) - 1) < 2e-3, "%zu: %g", i, first);
    }
}
END_TEST

START_TEST(what_fails_in_the_round_that_is_shared_fails_elsewhere)
{
    sim.shares = true;
    make_sick(0, 1, 1, FAULT_CONFIGURATION);
    make_sick(1, 4, 1, FAULT_CONFIGURATION);
    rank(2, false);
    ck_assert_ptr_nonnull(finalists[1].failure);
    ck_assert(status.decided && finalists[0].placed && finalists[3].placed);
    ck_assert(!places[0].lost && !places[1].lost);
}
END_TEST

START_TEST(alone_it_is_the_finalist)
{
    make_sick(0, FINALISTS + 1, 1, FAULT_CONFIGURATION);
    rank(1, false);
    ck_assert_ptr_nonnull(finalists[1].failure);
    ck_assert(!places[0].lost && finalists[0].placed);
}
END_TEST

// Each device has a clock of its own, which may be found wrong after another's was.
START_TEST(no_round_by_a_wrong_clock_is_kept)
{
    static const unsigned found[] = {3, 18, 33, 40};
    for (uint32_t lane = 0; lane < LANES; lane++)
        sim.by_host_from[lane] = sim.wrong_until[lane] = found[lane];
    rank(LANES, false);
    check_all_placed();
    ck_assert_uint_eq(status.rounds, 24);
    for (size_t i = 0; i < FINALISTS; i++) {
        ck_assert_uint_eq(finalists[i].count, 24);
        ck_assert_str_eq(finalists[i].timer_fault, "its events say nothing");
        for (uint32_t k = 0; k < finalists[i].count; k++)
            ck_assert_msg(finalists[i].samples[k] >= 1000000, "%zu: %u", i, k);
    }
}
END_TEST

// What failed before stays out when the rounds are begun anew.
START_TEST(begun_anew_without_those_that_failed)
{
    make_sick(0, 1, 2, FAULT_CONFIGURATION);
    sim.by_host_from[0] = sim.wrong_until[0] = 10;
    rank(1, false);
    ck_assert_ptr_nonnull(finalists[2].failure);
    ck_assert_uint_eq(finalists[2].count, 0);
    ck_assert(status.decided && finalists[0].placed && !finalists[2].placed);
    ck_assert_uint_eq(status.winner, 0);
}
END_TEST

START_TEST(load_counts_for_the_one_that_is_left)
{
    device.type = DEVICE_CPU;
    sim.load = 0.6;
    rank(2, false);
    ck_assert_uint_eq(status.by_load, 0);
    end();
    begin();
    device.type = DEVICE_CPU;
    sim.load = 0.6;
    sim.lost_from[0] = 20;
    rank(2, false);
    check_all_placed();
    ck_assert_uint_gt(status.by_load, 0);
}
END_TEST

START_TEST(a_new_count_is_no_load)
{
    device.type = DEVICE_CPU;
    sim.load = 0.05;
    sim.recounted_ns = 500000000;
    rank(1, false);
    check_all_placed();
    ck_assert_uint_gt(sim.now_ns, 2 * sim.recounted_ns);
    ck_assert_uint_eq(status.by_load, 0);
}
END_TEST

// Nobody has compared them before: a device that is too slow runs no round.
START_TEST(one_that_is_too_slow_is_left_out)
{
    sim.slower[2] = 1.4;
    sim.outlier = 0.1;
    rank(3, false);
    check_all_placed();
    check_left_out(3, 2);
    ck_assert_msg(strncmp(places[2].why, "it is 40.", 9) == 0 ||
                      strncmp(places[2].why, "it is 39.", 9) == 0,
                  "%s", places[2].why);
    ck_assert_uint_eq(places[2].rounds, 0);
    ck_assert(places[2].compared && fabs(places[2].ratio.ratio - 1.4) < 0.01);
    ck_assert(places[0].rounds > 0 && places[1].rounds > 0);
}
END_TEST

START_TEST(a_slow_one_may_be_wanted)
{
    static const double outliers[] = {0, INFINITY, 0.5};
    for (size_t i = 0; i < sizeof outliers / sizeof *outliers; i++) {
        end();
        begin();
        sim.slower[2] = 1.4;
        sim.outlier = outliers[i];
        rank(3, false);
        check_all_placed();
        check_left_out(3, 3);
        ck_assert_uint_gt(places[2].rounds, 0);
    }
}
END_TEST

START_TEST(a_trial_of_one_that_fails_is_taken_with_another)
{
    sim.slower[2] = 1.4;
    sim.outlier = 0.1;
    for (uint32_t lane = 0; lane < 3; lane++)
        make_sick(lane, FINALISTS + 1, 0, FAULT_CONFIGURATION);
    rank(3, false);
    ck_assert_ptr_nonnull(finalists[0].failure);
    ck_assert_uint_eq(status.winner, 1);
    check_left_out(3, 2);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lanes");
    TCase *cases = tcase_create("lanes");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, begin, end);
    tcase_add_test(cases, a_sick_device_costs_no_finalist);
    tcase_add_test(cases, two_sick_devices_cost_no_finalist);
    tcase_add_test(cases, a_finalist_that_fails_on_two_is_dropped);
    tcase_add_test(cases, a_device_lost_under_a_finalist_is_not_its_failure);
    tcase_add_test(cases, one_that_is_lost_with_two_devices_is_dropped);
    tcase_add_test(cases, the_last_check_is_taken_again_elsewhere);
    tcase_add_test(cases, the_first_round_is_shared_out);
    tcase_add_test(cases, a_device_fails_in_the_round_that_is_shared);
    tcase_add_test(cases, a_device_is_disturbed_in_the_round_that_is_shared);
    tcase_add_test(cases, what_fails_in_the_round_that_is_shared_fails_elsewhere);
    tcase_add_test(cases, alone_it_is_the_finalist);
    tcase_add_test(cases, no_round_by_a_wrong_clock_is_kept);
    tcase_add_test(cases, begun_anew_without_those_that_failed);
    tcase_add_test(cases, load_counts_for_the_one_that_is_left);
    tcase_add_test(cases, a_new_count_is_no_load);
    tcase_add_test(cases, one_that_is_too_slow_is_left_out);
    tcase_add_test(cases, a_slow_one_may_be_wanted);
    tcase_add_test(cases, a_trial_of_one_that_fails_is_taken_with_another);
    suite_add_tcase(s, cases);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed > 0;
}
