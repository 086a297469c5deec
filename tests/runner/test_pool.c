// The build pool and the bench, each alone with the worker that behaves as it is told: their tables
// of states and events, and what comes of builds and requests.
#include "../support/patience.h"

#include "fixture.h"

#include "runner/bench.h"
#include "runner/build_pool.h"

#include <check.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct worker_limits limits = {
    .terms = {.build_limit_ns = 300000000, .launch_limit_ns = 300000000}};
static struct endings endings;

static struct worker_setup setup_of_workers(void)
{
    return (struct worker_setup){.at = {.worker = worker, .environment = environment},
                                 .device = "fake/0",
                                 .limits = &limits};
}

// ---- the build pool ----------------------------------------------------------------------------

// Possible events of each state and where they lead: all others are errors.
START_TEST(test_every_transition_of_a_builder)
{
    static const struct {
        enum builder_state from;
        enum builder_event event;
        enum builder_state to;
    } possible[] = {{BUILDER_NONE, BUILDER_STARTED, BUILDER_OPENING},
                    {BUILDER_OPENING, BUILDER_GIVEN, BUILDER_AWAITED},
                    {BUILDER_OPENING, BUILDER_OPENED, BUILDER_IDLE},
                    {BUILDER_AWAITED, BUILDER_OPENED, BUILDER_BUILDING},
                    {BUILDER_AWAITED, BUILDER_FORSAKEN, BUILDER_DISOWNED},
                    {BUILDER_IDLE, BUILDER_GIVEN, BUILDER_BUILDING},
                    {BUILDER_BUILDING, BUILDER_SAYS_PRIMING, BUILDER_PRIMING},
                    {BUILDER_BUILDING, BUILDER_FORSAKEN, BUILDER_DISOWNED},
                    {BUILDER_PRIMING, BUILDER_SAYS_RUNNING, BUILDER_RUNNING},
                    {BUILDER_PRIMING, BUILDER_FORSAKEN, BUILDER_DISOWNED},
                    {BUILDER_RUNNING, BUILDER_ANSWERED, BUILDER_IDLE},
                    {BUILDER_RUNNING, BUILDER_FORSAKEN, BUILDER_DISOWNED},
                    {BUILDER_DISOWNED, BUILDER_ANSWERED, BUILDER_IDLE}};
    static const bool is_impossible[BUILDER_STATES][BUILDER_EVENTS] = {
        [BUILDER_NONE] = {[BUILDER_GIVEN] = true, [BUILDER_OPENED] = true, [BUILDER_DIED] = true},
        [BUILDER_OPENING] =
            {[BUILDER_STARTED] = true, [BUILDER_ANSWERED] = true, [BUILDER_SAYS_BUILDING] = true},
        [BUILDER_AWAITED] = {[BUILDER_GIVEN] = true, [BUILDER_ANSWERED] = true},
        [BUILDER_IDLE] = {[BUILDER_ANSWERED] = true,
                          [BUILDER_SAYS_BUILDING] = true,
                          [BUILDER_OPENED] = true,
                          [BUILDER_OVERDUE] = true},
        [BUILDER_BUILDING] = {[BUILDER_GIVEN] = true, [BUILDER_OPENED] = true},
        [BUILDER_DISOWNED] = {[BUILDER_GIVEN] = true, [BUILDER_FORSAKEN] = true}};
    enum builder_state to;
    for (size_t i = 0; i < sizeof possible / sizeof *possible; i++) {
        ck_assert(builder_transition(possible[i].from, possible[i].event, &to));
        ck_assert_int_eq(to, possible[i].to);
    }
    for (unsigned state = 0; state < BUILDER_STATES; state++) {
        for (unsigned event = 0; event < BUILDER_EVENTS; event++)
            ck_assert(!is_impossible[state][event] || !builder_transition(state, event, &to));
        ck_assert(state == BUILDER_NONE ||
                  (builder_transition(state, BUILDER_ENDED, &to) && to == BUILDER_NONE));
        ck_assert(state == BUILDER_NONE ||
                  (builder_transition(state, BUILDER_DIED, &to) && to == BUILDER_NONE));
        ck_assert(state == BUILDER_NONE ||
                  (builder_transition(state, BUILDER_LOST, &to) && to == BUILDER_NONE));
    }
}
END_TEST

static struct build_pool *make_pool(uint32_t workers)
{
    const struct build_site site = {.setup = setup_of_workers(), .workers = workers, .stops = true};
    struct build_pool_options o = {.sites = &site,
                                   .site_count = 1,
                                   .build_limit_ns = limits.terms.build_limit_ns,
                                   .endings = &endings};
    return build_pool_new(&o);
}

// What the evaluator's loop does for one worker.
static bool serve_builder(struct build_pool *p, uint32_t i, struct error *e)
{
    struct remote *r = build_pool_worker(p, i);
    struct text how = TEXT_INIT;
    struct frame f;
    enum news news;
    bool ok = true, was_opening;
    if (!r->running)
        return true;
    ok = r->dying_ns || remote_listen(r, e);
    while (ok && (news = remote_next(r, &f, e)) != NEWS_NONE)
        ok = news != NEWS_BROKEN && news != NEWS_REFUSED && build_pool_news(p, i, news, &f, e);
    if (ok && r->running && r->dying_ns && remote_autopsy(r, &how))
        ok = build_pool_died(p, i, text_cstr(&how), &was_opening, e);
    if (ok && remote_overdue(r, clock_ns()))
        ok = build_pool_overdue(p, i, e);
    text_release(&how);
    return ok;
}

// Goes on until a build has come to its end, or NULL with *e.
static struct build *next_build(struct build_pool *p, uint32_t workers, struct error *e)
{
    uint64_t until = clock_ns() + patience() * 20000000000u;
    struct build *b = NULL;
    while (!(b = build_pool_take(p)) && clock_ns() < until) {
        if (!build_pool_start(p, 0, e))
            return NULL;
        for (uint32_t i = 0; i < workers; i++) {
            if (!serve_builder(p, i, e))
                return NULL;
        }
        endings_reap(&endings);
        poll(NULL, 0, 1);
    }
    return b;
}

static const struct {
    const char *behaviour;
    enum status status; // STATUS_COUNT: it is for the bench to tell
    const char *message;
    uint32_t deaths;
} builds[] = {
    {"good", STATUS_CORRECT, "", 0},
    {"compile_error", STATUS_COMPILE, "what is this", 0},
    {"die_building", STATUS_COMPILE, "the compiler died, twice: the worker ", 2},
    {"die_building_once", STATUS_CORRECT, "", 1},
    {"hang_building", STATUS_TIMEOUT, "building took longer than the limit of 300.0 ms", 0},
    {"die_priming", STATUS_COUNT, "", 0},
    {"hang_priming", STATUS_COUNT, "", 0},
};

START_TEST(test_what_comes_of_a_build)
{
    struct error e = ERROR_INIT;
    struct build_pool *p = make_pool(1);
    struct job *job = make_job(builds[_i].behaviour, 1000, 3);
    struct build b = {.job = job};
    build_pool_add(p, &b);
    ck_assert_msg(next_build(p, 1, &e) == &b, "%s", e.text);
    ck_assert(!b.result == (builds[_i].status == STATUS_COUNT));
    ck_assert(!b.result || b.result->status == builds[_i].status);
    ck_assert(!b.result || strstr(b.result->message, builds[_i].message) != NULL);
    ck_assert_uint_eq(b.deaths, builds[_i].deaths);
    build_pool_free(p);
    build_release(&b);
    job_free(job);
    endings_release(&endings, UINT64_C(5000000000));
}
END_TEST

static void build_with(struct build_pool *p, const char *behaviour, enum status status,
                       const char *message)
{
    struct error e = ERROR_INIT;
    struct job *job = make_job(behaviour, 1000, 3);
    struct build b = {.job = job};
    build_pool_add(p, &b);
    ck_assert_msg(next_build(p, 1, &e) == &b, "%s", e.text);
    ck_assert_msg(b.result && b.result->status == status, "%s: %s", behaviour,
                  b.result ? b.result->message : "");
    ck_assert_msg(strstr(b.result->message, message) != NULL, "%s", b.result->message);
    build_release(&b);
    job_free(job);
}

// What failed is built again with empty caches, and what dies with those, too, is to blame: others
// have the caches that there are. Once a build is the better for empty ones all have them.
START_TEST(test_a_damaged_cache)
{
    struct worker_caches caches = {.exist = true, .empty = "HONE_WORKER_EMPTY_CACHES=a"};
    const struct build_site site = {.setup = setup_of_workers(), .workers = 1};
    struct build_pool_options o = {.sites = &site,
                                   .site_count = 1,
                                   .build_limit_ns = limits.terms.build_limit_ns,
                                   .endings = &endings,
                                   .caches = &caches};
    static const char *const damaged[] = {"cached_building", "cached_empty"};
    struct build_pool *p = build_pool_new(&o);
    build_with(p, "die_building", STATUS_COMPILE,
               "the compiler died, twice, the second time with empty caches: the worker ");
    ck_assert(!caches.are_left);
    build_with(p, "compile_error", STATUS_COMPILE, "what is this");
    build_with(p, "good", STATUS_CORRECT, "");
    ck_assert(!caches.are_left && !build_pool_worker(p, 0)->has_empty_caches);
    build_with(p, damaged[_i], STATUS_CORRECT, "");
    ck_assert(caches.are_left && build_pool_worker(p, 0)->has_empty_caches);
    build_with(p, "good", STATUS_CORRECT, "");
    ck_assert(build_pool_worker(p, 0)->has_empty_caches);
    build_pool_free(p);
    endings_release(&endings, UINT64_C(5000000000));
}
END_TEST

// Jobs that differ in inputs alone are built once, and each has the image; one that fails is built for each.
START_TEST(test_the_same_code)
{
    enum { BUILDS = 3 };
    const struct build_site site = {.setup = setup_of_workers(), .workers = 2, .stops = true};
    struct build_pool_options o = {.sites = &site,
                                   .site_count = 1,
                                   .build_limit_ns = limits.terms.build_limit_ns,
                                   .endings = &endings,
                                   .shares = true};
    struct error e = ERROR_INIT;
    struct build_pool *p = build_pool_new(&o);
    struct build b[BUILDS];
    struct job *jobs[BUILDS];
    uint32_t requests = 0;
    for (uint32_t i = 0; i < BUILDS; i++) {
        jobs[i] = make_job(_i ? "compile_error" : "good", 1000, 3);
        b[i] = (struct build){.job = jobs[i], .order = i};
        build_pool_add(p, &b[i]);
    }
    for (uint32_t i = 0; i < BUILDS; i++) {
        struct build *done = next_build(p, 2, &e);
        ck_assert_msg(done && done->result, "%s", e.text);
        ck_assert_int_eq(done->result->status, _i ? STATUS_COMPILE : STATUS_CORRECT);
        ck_assert_uint_eq(done->image.length, b[0].image.length);
        ck_assert(!done->image.length || done == &b[0] || done->image.bytes != b[0].image.bytes);
    }
    for (uint32_t i = 0; i < 2; i++) {
        const struct remote *r = build_pool_worker(p, i);
        requests += r->running ? r->sequence - 2 : 0; // beside those that greet and open
    }
    ck_assert_uint_eq(requests, _i ? BUILDS : 1);
    build_pool_free(p);
    for (uint32_t i = 0; i < BUILDS; i++) {
        build_release(&b[i]);
        job_free(jobs[i]);
    }
    endings_release(&endings, UINT64_C(5000000000));
}
END_TEST

// In the order of submission but for what is urgent; what is forgotten never comes back, and while
// the pool is paused nothing begins.
START_TEST(test_the_order_of_builds)
{
    enum { BUILDS = 4 };
    struct error e = ERROR_INIT;
    struct build_pool *p = make_pool(1);
    struct build_pool_status s;
    struct job *jobs[BUILDS];
    struct build all[BUILDS];
    for (unsigned i = 0; i < BUILDS; i++) {
        jobs[i] = make_job("good", 1000, i);
        all[i] = (struct build){.job = jobs[i], .order = BUILDS - i, .is_urgent = i == 0};
        build_pool_add(p, &all[i]);
    }
    build_pool_pause(p, true);
    ck_assert(build_pool_start(p, 0, &e));
    build_pool_status(p, &s);
    ck_assert(s.waiting == BUILDS && s.running == 0);
    build_pool_pause(p, false);
    build_pool_forget(p, &all[2]);
    ck_assert_ptr_eq(next_build(p, 1, &e), &all[0]);
    ck_assert_ptr_eq(next_build(p, 1, &e), &all[3]);
    ck_assert(build_pool_start(p, 0, &e)); // under way, and forgotten: nobody is told
    build_pool_forget(p, &all[1]);
    build_pool_add(p, &all[2]);
    ck_assert_ptr_eq(next_build(p, 1, &e), &all[2]);
    build_pool_status(p, &s);
    ck_assert(s.waiting == 0 && s.building == 0 && s.running == 1);
    build_pool_cancel(p);
    build_pool_status(p, &s);
    ck_assert_uint_eq(s.running, 0);
    build_pool_free(p);
    for (unsigned i = 0; i < BUILDS; i++) {
        build_release(&all[i]);
        job_free(jobs[i]);
    }
    endings_release(&endings, UINT64_C(5000000000));
}
END_TEST

// Two machines: the first is asked first, goes on while the second one is paused, and gives back what it was building when it
// is left, which is no death.
START_TEST(test_two_machines_build)
{
    static const struct worker_limits patient = {
        .terms = {.build_limit_ns = 60000000000, .launch_limit_ns = 300000000}};
    struct error e = ERROR_INIT;
    struct worker_setup setup = setup_of_workers();
    setup.limits = &patient;
    const struct build_site sites[] = {{.setup = setup, .workers = 1},
                                       {.setup = setup, .workers = 2, .stops = true}};
    struct build_pool_options o = {.sites = sites,
                                   .site_count = 2,
                                   .build_limit_ns = patient.terms.build_limit_ns,
                                   .endings = &endings};
    struct build_pool *p = build_pool_new(&o);
    struct job *jobs[] = {make_job("good", 1000, 1), make_job("hang_building", 1000, 2),
                          make_job("good", 1000, 3)};
    struct build all[] = {
        {.job = jobs[0], .order = 1}, {.job = jobs[1], .order = 2}, {.job = jobs[2], .order = 3}};
    ck_assert_uint_eq(build_pool_workers(p), 3);
    ck_assert(build_pool_site(p, 0) == 0 && build_pool_site(p, 1) == 1 &&
              build_pool_site(p, 2) == 1);
    build_pool_pause(p, true);
    build_pool_add(p, &all[0]);
    ck_assert_ptr_eq(next_build(p, 3, &e), &all[0]); // at the first machine alone
    ck_assert(build_pool_worker(p, 0)->running && !build_pool_worker(p, 1)->running);
    build_pool_add(p, &all[1]);
    build_pool_add(p, &all[2]);
    ck_assert(build_pool_start(p, 0, &e));
    ck_assert(!build_pool_worker(p, 1)->running && !build_pool_worker(p, 2)->running);
    build_pool_leave(p, 0);
    ck_assert(!build_pool_worker(p, 0)->running);
    build_pool_pause(p, false);
    ck_assert_ptr_eq(next_build(p, 3, &e), &all[2]); // the other one hangs on, elsewhere
    ck_assert_uint_eq(all[1].deaths, 0);
    struct build_pool_status s;
    build_pool_status(p, &s);
    ck_assert(s.waiting == 0 && s.building == 1);
    ck_assert(!build_pool_worker(p, 0)->running);
    build_pool_free(p);
    for (unsigned i = 0; i < 3; i++) {
        build_release(&all[i]);
        job_free(jobs[i]);
    }
    endings_release(&endings, UINT64_C(5000000000));
}
END_TEST

START_TEST(test_news_that_do_not_fit)
{
    struct error e = ERROR_INIT;
    struct build_pool *p = make_pool(1);
    ck_assert(!build_pool_news(p, 0, NEWS_OPENED, NULL, &e));
    ck_assert_str_eq(e.text, "a build worker: it says that it has opened the device while there is "
                             "none");
    build_pool_free(p);
}
END_TEST

// ---- the bench ---------------------------------------------------------------------------------

START_TEST(test_every_transition_of_the_bench)
{
    static const enum bench_state asked[BENCH_EVENTS] = {[BENCH_PREPARE] = BENCH_PREPARING,
                                                         [BENCH_LOAD] = BENCH_LOADING,
                                                         [BENCH_VERIFY] = BENCH_VERIFYING,
                                                         [BENCH_MEASURE] = BENCH_MEASURING,
                                                         [BENCH_HAND_OUT] = BENCH_HANDING};
    for (unsigned state = 0; state < BENCH_STATES; state++) {
        for (unsigned event = 0; event < BENCH_EVENTS; event++) {
            enum bench_state to = BENCH_STATES;
            bool may = bench_transition((enum bench_state)state, (enum bench_event)event, &to);
            switch (event) {
            case BENCH_STARTED:
                ck_assert(may == (state == BENCH_NONE) && (!may || to == BENCH_IDLE));
                break;
            case BENCH_ANSWERED:
                ck_assert(may == (state > BENCH_IDLE) && (!may || to == BENCH_IDLE));
                break;
            case BENCH_PREFETCHED:
            case BENCH_UNAWAITED:
                ck_assert(may == (state != BENCH_NONE) && (!may || to == state));
                break;
            case BENCH_ENDED:
                ck_assert(may && to == BENCH_NONE);
                break;
            default:
                ck_assert(may == (state == BENCH_IDLE) && (!may || to == asked[event]));
            }
        }
    }
}
END_TEST

// The answer to what was asked last, or NULL with *e or once the worker is gone.
static struct result *next_answer(struct bench *b, enum bench_state expected, struct error *e)
{
    struct remote *r = bench_worker(b);
    uint64_t until = clock_ns() + patience() * 20000000000u;
    struct result *answer = NULL;
    enum bench_state asked = BENCH_NONE;
    struct frame f;
    enum news news;
    while (!answer && !r->dying_ns && clock_ns() < until && remote_listen(r, e)) {
        while (!answer && (news = remote_next(r, &f, e)) != NEWS_NONE) {
            if (!bench_news(b, news, &f, &answer, &asked, e))
                return NULL;
        }
        poll(NULL, 0, 1);
    }
    ck_assert(!answer || asked == expected);
    return answer;
}

static void check_answer(struct bench *b, enum bench_state expected)
{
    struct error e = ERROR_INIT;
    struct result *r = next_answer(b, expected, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    ck_assert_msg(r->status == STATUS_CORRECT, "%s", r->message);
    result_free(r);
    ck_assert_int_eq(bench_state(b), BENCH_IDLE);
}

static struct bench *make_bench(void)
{
    struct bench_options o = {.setup = setup_of_workers(), .renewed_after = 2, .endings = &endings};
    return bench_new(&o);
}

START_TEST(test_a_job_at_the_bench)
{
    struct error e = ERROR_INIT;
    struct bench *b = make_bench();
    struct policy policy = {.launches = 2, .batch = 1};
    struct image image = {.primed = true};
    struct job *jobs[2] = {make_job("good", 1000, 1), make_job("good", 1000, 2)};
    struct bench_job one = {.job = jobs[0], .image = &image, .handle = 1};
    struct bench_job next = {.job = jobs[1], .image = &image, .handle = 2};
    add_environment("FAKE_BESIDE_MS=1000");
    ck_assert(!bench_load(b, &one, &e)); // of nobody
    ck_assert_str_eq(e.text, "the bench worker: it was asked to load a job while there is none");
    bench_end(b);
    ck_assert(bench_ready(b, NULL) && bench_prepare(b, jobs[0], NULL));
    check_answer(b, BENCH_PREPARING);
    ck_assert(!bench_has(b, &one) && bench_load(b, &one, NULL));
    check_answer(b, BENCH_LOADING);
    ck_assert(bench_has(b, &one) && !bench_has_verified(b, &one));
    // The next is loaded while this one's launch runs.
    ck_assert(bench_verify(b, &one, &policy, &next, NULL) && bench_is_prefetching(b));
    check_answer(b, BENCH_VERIFYING);
    bench_note_verified(b, &one);
    ck_assert(bench_has_verified(b, &one) && bench_has(b, &next) && !bench_is_prefetching(b));
    struct result *prefetched = bench_take_prefetched(b, &next);
    ck_assert_ptr_nonnull(prefetched);
    result_free(prefetched);
    ck_assert_ptr_null(bench_take_prefetched(b, &next));
    // Nobody waits for the answer to an unloading.
    bench_unload(b, &next);
    ck_assert(!bench_has(b, &next) && bench_measure(b, &one, &policy, NULL));
    check_answer(b, BENCH_MEASURING);
    bench_note_served(b);
    ck_assert(!bench_is_worn(b));
    bench_note_served(b);
    ck_assert(bench_is_worn(b));
    bench_end(b);
    ck_assert(!bench_has(b, &one) && bench_state(b) == BENCH_NONE);
    ck_assert(bench_ready(b, NULL) && !bench_has(b, &one)); // it is in no later worker
    bench_free(b);
    job_free(jobs[0]);
    job_free(jobs[1]);
    endings_release(&endings, UINT64_C(5000000000));
}
END_TEST

START_TEST(test_a_bench_that_dies)
{
    struct error e = ERROR_INIT;
    struct bench *b = make_bench();
    struct text how = TEXT_INIT;
    struct policy policy = {.launches = 1, .batch = 1};
    struct image image = {.primed = true};
    struct job *job = make_job("die_running", 1000, 1);
    struct bench_job one = {.job = job, .image = &image, .handle = 1};
    ck_assert(bench_ready(b, NULL) && bench_load(b, &one, NULL));
    check_answer(b, BENCH_LOADING);
    ck_assert(bench_verify(b, &one, &policy, NULL, NULL));
    ck_assert_ptr_null(next_answer(b, BENCH_VERIFYING, &e));
    ck_assert_int_eq(e.code, ERROR_NONE);
    // It is still known what it was about, until it is ended.
    ck_assert_int_eq(bench_state(b), BENCH_VERIFYING);
    ck_assert_int_eq(bench_worker(b)->phase.kind, PHASE_LAUNCHING);
    while (!remote_autopsy(bench_worker(b), &how))
        poll(NULL, 0, 1);
    ck_assert_ptr_nonnull(strstr(text_cstr(&how), "last words"));
    text_release(&how);
    bench_free(b);
    job_free(job);
    endings_release(&endings, UINT64_C(5000000000));
}
END_TEST

// What a first launch still compiles has the limit of a build beside the usual one, and none beside one that was given. A cold
// one has time to fill the last-level cache.
START_TEST(test_limits_of_launches)
{
    static const struct {
        bool is_given, compiles, cold;
        enum worker_role role;
        uint64_t limit;
    } rows[] = {{false, false, false, ROLE_BENCH, 3 * 500},
                {false, true, false, ROLE_BENCH, 3 * 500 + 9000},
                {true, false, false, ROLE_BENCH, 3 * 500},
                {true, true, false, ROLE_BENCH, 3 * 500},
                {true, true, true, ROLE_BUILD, 3 * 500 + 9000},
                {false, false, true, ROLE_BENCH, 3 * (500 + UINT64_C(10000000000))}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct worker_limits l = {.terms = {.build_limit_ns = 9000,
                                                  .launch_limit_ns = 500,
                                                  .is_launch_given = rows[i].is_given,
                                                  .cold = rows[i].cold}};
        const struct phase p = {PHASE_LAUNCHING, .launches = 3, .compiles = rows[i].compiles};
        ck_assert_uint_eq(worker_limit(&l, rows[i].role, &p, true), rows[i].limit);
    }
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("pool", setup, 60);
    tcase_add_test(cases, test_every_transition_of_a_builder);
    tcase_add_loop_test(cases, test_what_comes_of_a_build, 0, sizeof builds / sizeof *builds);
    tcase_add_loop_test(cases, test_a_damaged_cache, 0, 2);
    tcase_add_loop_test(cases, test_the_same_code, 0, 2);
    tcase_add_test(cases, test_the_order_of_builds);
    tcase_add_test(cases, test_two_machines_build);
    tcase_add_test(cases, test_news_that_do_not_fit);
    tcase_add_test(cases, test_every_transition_of_the_bench);
    tcase_add_test(cases, test_a_job_at_the_bench);
    tcase_add_test(cases, test_a_bench_that_dies);
    tcase_add_test(cases, test_limits_of_launches);
    return run_cases(cases);
}
