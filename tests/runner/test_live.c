// The live evaluator against a worker that behaves as it is told: every way in which a job can hurt
// its worker becomes the right result of the right job, and the others do not notice.
#include "../support/patience.h"

#include "fixture.h"

#include "os/process.h"
#include "base/text.h"

#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct expectation {
    const char *behaviour;
    enum status status;
    const char *message; // part of it
};

static const struct expectation expectations[] = {
    {"good", STATUS_CORRECT, ""},
    {"compile_error", STATUS_COMPILE, "what is this"},
    {"die_building", STATUS_COMPILE, "the compiler died, twice"},
    {"die_building_once", STATUS_CORRECT, ""},
    {"hang_building", STATUS_TIMEOUT, "building took longer than the limit of 1.000 s"},
    {"die_priming", STATUS_CORRECT, ""},
    {"hang_priming", STATUS_CORRECT, ""},
    {"die_loading", STATUS_COMPILE, "died while loading"},
    {"die_running", STATUS_RUNTIME, "last words"},
    {"die_running_once", STATUS_CORRECT, ""},
    {"hang_running", STATUS_TIMEOUT, "still running after 300.0 ms"},
    {"exit_running", STATUS_RUNTIME, "exited with status 0"},
    {"wrong", STATUS_CORRECTNESS, "relative norm"},
    {"out_of_bounds", STATUS_RUNTIME, "past the end of C"},
    {"garbage", STATUS_RUNTIME, "died while running"},
    {"answer_twice", STATUS_RUNTIME,
     "broke the protocol and was ended: it answered what it was not"},
    {"refuse_running", STATUS_RUNTIME, "broke the protocol and was ended: waiting for a frame"},
    {"malformed_running", STATUS_RUNTIME, "broke the protocol and was ended"},
    {"malformed_building", STATUS_COMPILE, "it sent a malformed 'reply image'"},
    {"hours", STATUS_RUNTIME, " h by the worker's clock, in a request that took "},
    {"no_time", STATUS_RUNTIME, "took 0 ns by a clock with steps of "},
    {"good", STATUS_CORRECT, ""},
};
enum { EXPECTED = sizeof expectations / sizeof *expectations };

static void each_fault(bool shares_host)
{
    struct error e = ERROR_INIT;
    struct device_info d = device(shares_host);
    struct live_options o = options(&d);
    struct evaluator *ev = live_new(&o, &e);
    ck_assert_msg(ev != NULL, "%s", e.text);
    for (unsigned i = 0; i < EXPECTED; i++) {
        struct job *j = make_job(expectations[i].behaviour, 1000, i);
        ck_assert_msg(evaluator_submit(ev, i, j, &e), "%s", e.text);
    }
    bool seen[EXPECTED] = {false};
    for (unsigned i = 0; i < EXPECTED; i++) {
        uint64_t ticket;
        struct result *r = take(ev, &ticket);
        const struct expectation *x = &expectations[ticket];
        ck_assert(!seen[ticket]);
        seen[ticket] = true;
        ck_assert_msg(r->status == x->status, "%s: %s (%s)", x->behaviour, status_text(r->status),
                      r->message);
        ck_assert_msg(strstr(r->message, x->message) != NULL, "%s: %s", x->behaviour, r->message);
        if (r->status == STATUS_CORRECT)
            ck_assert_uint_eq(r->sample_count, o.terms.rules.first);
        else
            ck_assert_uint_eq(r->sample_count, 0);
        evaluator_drop(ev, ticket);
        result_free(r);
    }
    ck_assert(evaluator_idle(ev));
    evaluator_free(ev);
}

// The most build workers that opened the device at once, of six that had work.
static int most_openings(struct device_info d)
{
    static char variable[128];
    char path[96];
    struct error e = ERROR_INIT;
    struct text notes = TEXT_INIT;
    int now = 0, most = 0;
    snprintf(path, sizeof path, "%s/openings", folder);
    snprintf(variable, sizeof variable, "FAKE_OPENINGS=%s", path);
    add_environment(variable);
    struct live_options o = options(&d);
    o.at.jobs = 6;
    struct evaluator *ev = make_live(&o);
    for (unsigned i = 0; i < 6; i++)
        submit(ev, i, "good", 1000);
    for (unsigned i = 0; i < 6; i++) {
        uint64_t ticket;
        struct result *r = take(ev, &ticket);
        ck_assert_int_eq(r->status, STATUS_CORRECT);
        result_free(r);
    }
    evaluator_free(ev);
    ck_assert_msg(file_read(path, 0, &notes, &e), "%s", e.text);
    for (const char *at = text_cstr(&notes); *at; at++) {
        now += *at == '+' ? 1 : -1;
        most = now > most ? now : most;
    }
    text_release(&notes);
    return most;
}

// A GPU's OpenCL opens one context after the other: a few workers wait for theirs, not all. Who
// needs none starts at once.
START_TEST(test_workers_open_in_turn)
{
    struct device_info d = device(false);
    d.type = DEVICE_GPU;
    ck_assert_int_le(most_openings(d), BUILD_POOL_OPENING_MOST);
}
END_TEST

// Those that started the driver while the devices were listed build, and the one that listed them is the bench: nobody else
// is started, unless they opened another device.
START_TEST(test_builders_start_beside_the_list)
{
    static char variable[128];
    char path[96];
    struct error e = ERROR_INIT;
    struct arena a;
    struct device_report report = {0};
    struct spare *spare = NULL;
    struct text frames = TEXT_INIT;
    struct device_info d = device(false), other = device(false);
    snprintf(path, sizeof path, "%s/frames", folder);
    snprintf(variable, sizeof variable, "FAKE_FRAMES=%s", path);
    add_environment(variable);
    d.type = other.type = DEVICE_GPU;
    other.id = "fake/1";
    arena_init(&a);
    ck_assert_msg(live_devices(&(struct place){.worker = worker, .environment = environment},
                               1u << LANGUAGE_OPENCL, &a, &report, &spare, 2, &e),
                  "%s", e.text);
    spare_open(spare, _i ? &other : &d);
    struct live_options o = options(&d);
    o.at.jobs = 2;
    o.at.spare = spare;
    struct evaluator *ev = make_live(&o);
    for (unsigned i = 0; i < 6; i++)
        submit(ev, i, "good", 1000);
    for (unsigned i = 0; i < 6; i++) {
        uint64_t ticket;
        struct result *r = take(ev, &ticket);
        ck_assert_int_eq(r->status, STATUS_CORRECT);
        result_free(r);
    }
    evaluator_free(ev);
    spare_free(spare);
    ck_assert_msg(file_read(path, 0, &frames, &e), "%s", e.text);
    ck_assert_uint_eq(count_events(text_cstr(&frames), "devices"), 1);
    if (_i == 0)
        ck_assert_uint_eq(count_events(text_cstr(&frames), "wake"), 2);
    // Those of another device may be gone before they are asked to.
    unsigned opened = count_events(text_cstr(&frames), "open");
    ck_assert_uint_ge(opened, 3);
    ck_assert_uint_le(opened, _i ? 6 : 3);
    text_release(&frames);
    arena_release(&a);
}
END_TEST

START_TEST(test_workers_start_at_once)
{
    struct device_info d = device(_i == 0);
    d.language = _i == 0 ? LANGUAGE_OPENCL : LANGUAGE_CUDA;
    ck_assert_int_gt(most_openings(d), BUILD_POOL_OPENING_MOST);
}
END_TEST

// As many as there are cores for, unless their contexts took too much of the device.
START_TEST(test_how_many_workers)
{
    struct device_info d = device(false);
    d.type = DEVICE_GPU;
    uint32_t many = live_default_jobs(NULL, &d); // nothing is known of its memory
    ck_assert_uint_ge(many, 1);
    d.global_bytes = 100ull << 30;
    ck_assert_uint_eq(live_default_jobs(NULL, &d), many < 46 ? many : 46);
    d.global_bytes = 1ull << 30;
    ck_assert_uint_eq(live_default_jobs(NULL, &d), 1);
    d.language = LANGUAGE_CUDA; // compiles without the device
    ck_assert_uint_eq(live_default_jobs(NULL, &d), many);
}
END_TEST

START_TEST(test_faults_on_a_gpu)
{
    each_fault(false);
}
END_TEST

START_TEST(test_faults_on_a_cpu)
{
    each_fault(true);
}
END_TEST

struct both_are_built {
    struct evaluator *ev;
    bool were;
};

static enum admission_answer enter_once_both_are_built(void *context, uint64_t ticket,
                                                       struct admission_known *known,
                                                       struct result **out, struct error *e)
{
    struct evaluator_status status = {.ready = 0};
    struct both_are_built *both = context;
    (void)ticket, (void)known, (void)out, (void)e;
    evaluator_status(both->ev, &status);
    both->were = both->were || status.ready == 2;
    return both->were ? ADMISSION_OPEN : ADMISSION_BUSY;
}

static bool leave_with_any(void *context, uint64_t ticket, const struct result *r, struct error *e)
{
    (void)context, (void)ticket, (void)r, (void)e;
    return true;
}

// A job that is built before the one ahead of it is launched is loaded beside that one, and launched before anybody takes
// the other's outcome. On a CPU it would be launched beside whatever the outcome is taken for.
START_TEST(test_a_gpu_does_not_wait_for_its_caller)
{
    struct device_info d = device(_i == 0);
    struct both_are_built both = {NULL, false};
    struct live_options o = options(&d);
    uint64_t ticket;
    d.type = _i == 0 ? DEVICE_CPU : DEVICE_GPU;
    o.terms.launch_limit_ns = 10000000000;
    o.admission = (struct admission){
        .enter = enter_once_both_are_built, .leave = leave_with_any, .context = &both};
    struct evaluator *ev = both.ev = make_live(&o);
    submit(ev, 1, "good", 1000);
    submit(ev, 2, "good", 1000);
    result_free(take(ev, &ticket));
    unsigned verified = 0;
    for (int i = 0; i < (_i == 0 ? 10 : 3000) && verified < 2; i++) {
        poll(NULL, 0, 10);
        verified += count_events(events(), "verify");
    }
    ck_assert_uint_eq(verified, _i == 0 ? 1 : 2);
    result_free(take(ev, &ticket));
    evaluator_free(ev);
}
END_TEST

START_TEST(test_hopeless_stops_early)
{
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = live_new(&o, &e);
    uint64_t ticket;
    evaluator_best(ev, 1000, 0);
    ck_assert(evaluator_submit(ev, 1, make_job("good", 2500, 1), &e));
    struct result *r = take(ev, &ticket);
    ck_assert_int_eq(r->stop, STOP_HOPELESS);
    ck_assert_uint_eq(r->sample_count, 1); // the verified launch said so too
    result_free(r);
    // Beyond `certain` times the best that launch alone is enough, and is the sample.
    ck_assert(evaluator_submit(ev, 2, make_job("good", 4500, 2), &e));
    r = take(ev, &ticket);
    ck_assert_int_eq(r->status, STATUS_CORRECT);
    ck_assert_int_eq(r->stop, STOP_HOPELESS);
    ck_assert_uint_eq(r->sample_count, 1);
    ck_assert_uint_eq(r->samples_ns[0], 4500);
    ck_assert_uint_eq(r->batch, 1);
    ck_assert_uint_eq(r->measure_ns, 0); // not asked to measure
    result_free(r);
    // A first launch is held against the best's own first launch: not hopeless by that one alone.
    evaluator_best(ev, 1000, 3000);
    ck_assert(evaluator_submit(ev, 3, make_job("good", 4500, 3), &e));
    r = take(ev, &ticket);
    ck_assert_int_eq(r->stop, STOP_HOPELESS);
    ck_assert_uint_eq(r->sample_count, 1); // not near, then hopeless
    result_free(r);
    evaluator_free(ev);
}
END_TEST

// Noise is met with more samples, unless the configuration is wholly behind the best.
static atomic_bool spins;

static void *spin(void *unused)
{
    while (atomic_load(&spins))
        continue;
    return unused;
}

// On cores that others use, too, what was slow is launched more often before it is thrown away.
START_TEST(test_slow_on_a_busy_machine)
{
    struct device_info d = device(_i);
    struct live_options o = options(&d);
    uint64_t ticket;
    const long count = sysconf(_SC_NPROCESSORS_ONLN) + 2; // some are taken for the worker's own
    pthread_t threads[1024];
    ck_assert_int_le(count, 1024);
    o.terms.rules.load = 0;
    atomic_store(&spins, true);
    for (long i = 0; i < count; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, spin, NULL), 0);
    struct evaluator *ev = make_live(&o);
    evaluator_best(ev, 1000, 1000);
    submit(ev, 1, "slow_first", 1000);
    submit(ev, 2, "good", 9000);
    submit(ev, 3, "good", 1000);
    for (unsigned i = 0; i < 3; i++) {
        struct result *r = take(ev, &ticket);
        bool is_out = ticket == 2 || (ticket == 1 && !_i);
        ck_assert_int_eq(r->status, STATUS_CORRECT);
        ck_assert_msg((r->stop == STOP_HOPELESS) == is_out, "%u", (unsigned)ticket);
        ck_assert_uint_eq(r->sample_count, ticket == 3 ? 2 : !_i ? 1 : ticket == 2 ? 24 : 5);
        result_free(r);
    }
    atomic_store(&spins, false);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    evaluator_free(ev);
}
END_TEST

START_TEST(test_noise_takes_samples)
{
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = live_new(&o, &e);
    uint64_t ticket;
    ck_assert(evaluator_submit(ev, 1, make_noisy_job("good", 1000, 200, 1), &e));
    struct result *noisy = take(ev, &ticket);
    ck_assert_uint_eq(noisy->sample_count, o.terms.rules.most);
    ck_assert_int_eq(noisy->stop, STOP_SETTLED);
    ck_assert(evaluator_submit(ev, 2, make_noisy_job("good", 1000, 1, 2), &e));
    struct result *quiet = take(ev, &ticket);
    ck_assert_uint_eq(quiet->sample_count, o.terms.rules.first);
    evaluator_best(ev, 700, 0);
    ck_assert(evaluator_submit(ev, 3, make_noisy_job("good", 1000, 200, 3), &e));
    struct result *behind = take(ev, &ticket);
    ck_assert_uint_eq(behind->sample_count, 1); // the verified launch said so too
    result_free(noisy);
    result_free(quiet);
    result_free(behind);
    evaluator_free(ev);
}
END_TEST

START_TEST(test_listing_survives_a_kill)
{
    const char *const with[] = {folder_variable, "FAKE_DIE_LISTING=1", NULL};
    struct device_report report = {0};
    struct error e = ERROR_INIT;
    struct arena a;
    arena_init(&a);
    ck_assert_msg(live_devices(&(struct place){.worker = worker, .environment = with},
                               LANGUAGES_ALL, &a, &report, NULL, 0, &e),
                  "%s", e.text);
    ck_assert_uint_eq(report.device_count, 1);
    arena_release(&a);
}
END_TEST

// Slow launches are asked for one by one, so that a cancelled search need not wait for all of them.
// The fake's samples grow by 1 ns within a request.
START_TEST(test_fixed_count)
{
    uint64_t ns = _i ? 400000000 : 2500;
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    o.terms.rules.fixed = 9;
    struct evaluator *ev = live_new(&o, &e);
    uint64_t ticket;
    evaluator_best(ev, 1000, 0);
    ck_assert(evaluator_submit(ev, 1, make_job("good", ns, 1), &e));
    struct result *r = take(ev, &ticket);
    ck_assert_int_eq(r->stop, STOP_FIXED);
    ck_assert_uint_eq(r->sample_count, 9);
    ck_assert_uint_eq(r->samples_ns[0], ns);
    ck_assert_uint_eq(r->samples_ns[1], _i ? ns : ns + 1);
    result_free(r);
    evaluator_free(ev);
}
END_TEST

START_TEST(test_again)
{
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = live_new(&o, &e);
    uint64_t ticket;
    ck_assert(evaluator_submit(ev, 7, make_job("good", 2500, 1), &e));
    result_free(take(ev, &ticket));
    ck_assert(evaluator_again(ev, 7, &(struct turn){.launches = 4}, &e));
    struct result *r = take(ev, &ticket);
    ck_assert_uint_eq(ticket, 7);
    ck_assert_uint_eq(r->sample_count, 4);
    result_free(r);
    evaluator_drop(ev, 7);
    ck_assert(!evaluator_again(ev, 7, &(struct turn){.launches = 4}, &e));
    evaluator_free(ev);
}
END_TEST

START_TEST(test_broken_reference_ends_everything)
{
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = live_new(&o, &e);
    struct outcome out;
    ck_assert(evaluator_submit(ev, 1, make_job("reference_fault", 1000, 1), &e));
    ck_assert_int_eq(evaluator_take(ev, 20000, &out, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "the reference kernel does not build"));
    evaluator_free(ev);
}
END_TEST

// Kills the bench worker or a build worker from outside, again and again, at random moments.
START_TEST(test_killed_from_outside)
{
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = live_new(&o, &e);
    struct live *v = (struct live *)ev;
    enum { JOBS = 300 };
    unsigned correct = 0, submitted = 0, done = 0, kills = 0;
    srand(7);
    while (done < JOBS) {
        for (; submitted < JOBS && evaluator_room(ev) > 0; submitted++)
            ck_assert(evaluator_submit(ev, submitted, make_job("good", 1000, submitted), &e));
        struct outcome out;
        int got = evaluator_take(ev, 5, &out, &e);
        ck_assert_msg(got >= 0, "%s", e.text);
        if (got == 1) {
            correct += out.result->status == STATUS_CORRECT;
            result_free(out.result);
            evaluator_drop(ev, out.ticket);
            done++;
        }
        if (done % 15 == 14 && kills < done / 15 + 1) {
            bool bench = rand() % 2;
            struct remote *victim =
                bench ? bench_worker(v->bench) : build_pool_worker(v->pool, rand() % 2);
            // Twice the same job's worker would be the job's doing.
            bool again = v->recovery.state != RECOVERY_NONE;
            for (const struct entry *n = v->entries.stages[STAGE_BUILDING].first; n; n = n->next)
                again = again || (!bench && n->build.deaths > 0);
            again = again ||
                    (bench && v->current && (v->current->alone || v->current->bench_deaths > 0));
            if (victim->running && victim->process.pid > 0 && !again)
                kill(victim->process.pid, SIGKILL);
            kills++;
        }
    }
    ck_assert_uint_ge(kills, 15);
    ck_assert_uint_eq(correct, JOBS);
    evaluator_free(ev);
}
END_TEST

// ---- what the surroundings may have caused -----------------------------------------------------

static void take_failure(struct evaluator *ev, uint64_t ticket, enum status status,
                         enum fault fault)
{
    uint64_t got;
    struct result *r = take(ev, &got);
    ck_assert_uint_eq(got, ticket);
    ck_assert_msg(r->status == status, "%s: %s", status_text(r->status), r->message);
    ck_assert_msg(r->fault == fault, "%s: %s", fault_text(r->fault), r->message);
    result_free(r);
}

static void expect_break(struct evaluator *ev, const char *text)
{
    struct error e = ERROR_INIT;
    struct outcome out = {0};
    ck_assert_int_eq(evaluator_take(ev, 20000, &out, &e), -1);
    ck_assert_int_eq(e.code, ERROR_DEVICE);
    ck_assert_msg(strstr(e.text, text) != NULL, "%s", e.text);
}

START_TEST(test_wordless_builds_are_doubted)
{
    struct device_info d = device(false);
    struct live_options o = options(&d);
    struct evaluator *ev = make_live(&o);
    submit(ev, 1, "silent_once", 1000);
    take_correct(ev, 1);
    submit(ev, 2, "silent", 1000);
    take_failure(ev, 2, STATUS_COMPILE, FAULT_CONFIGURATION);
    evaluator_free(ev);
}
END_TEST

// A compiler that finds no memory may say nothing.
START_TEST(test_wordless_builds_within_a_memory_limit)
{
    struct device_info d = device(false);
    struct live_options o = options(&d);
    struct evaluator *ev = make_live(&o);
    struct rlimit was, small;
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &was), 0);
    small = was;
    small.rlim_cur = (rlim_t)1 << 46; // more than a sanitizer takes
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &small), 0);
    submit(ev, 1, "silent", 1000);
    take_failure(ev, 1, STATUS_COMPILE, FAULT_SURROUNDINGS);
    submit(ev, 2, "compile_error", 1000);
    take_failure(ev, 2, STATUS_COMPILE, FAULT_CONFIGURATION);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &was), 0);
    evaluator_free(ev);
}
END_TEST

START_TEST(test_full_disk_ends_it)
{
    static const char *const behaviours[] = {"disk_full", "die_of_disk"};
    struct device_info d = device(false);
    struct live_options o = options(&d);
    add_environment("FAKE_FOLDERS=/tmp/hone-test-not-there/cache");
    for (size_t i = 0; i < 2; i++) {
        struct evaluator *ev = make_live(&o);
        submit(ev, 1, behaviours[i], 1000);
        expect_break(ev, "the disk is full");
        struct error e = ERROR_INIT;
        struct outcome out = {0};
        ck_assert_int_eq(evaluator_take(ev, 0, &out, &e), -1);
        ck_assert_ptr_nonnull(strstr(e.text, "'/tmp/hone-test-not-there/cache' ("));
        evaluator_free(ev);
    }
}
END_TEST

// Somebody kills the worker with the same job twice, as the system does for want of memory.
START_TEST(test_killed_by_others)
{
    struct device_info d = device(false);
    struct live_options o = options(&d);
    struct evaluator *ev = make_live(&o);
    submit(ev, 1, "killed_building", 1000);
    take_failure(ev, 1, STATUS_COMPILE, FAULT_SURROUNDINGS);
    submit(ev, 2, "killed_running", 1000);
    take_failure(ev, 2, STATUS_RUNTIME, FAULT_SURROUNDINGS);
    submit(ev, 3, "good", 1000);
    take_correct(ev, 3);
    for (unsigned i = 4; i < 6; i++) {
        submit(ev, i, "killed_building", 1000);
        take_failure(ev, i, STATUS_COMPILE, FAULT_SURROUNDINGS);
    }
    submit(ev, 6, "killed_building", 1000);
    expect_break(ev, "3 configurations in a row failed");
    evaluator_free(ev);
}
END_TEST

// While nothing has built, a kernel of hone's own must.
START_TEST(test_first_failed_build_is_proven)
{
    struct device_info d = device(_i);
    struct live_options o = options(&d);
    struct evaluator *ev = make_live(&o);
    submit(ev, 1, "compile_error", 1000);
    take_failure(ev, 1, STATUS_COMPILE, FAULT_CONFIGURATION);
    evaluator_free(ev);
    add_environment("FAKE_PROBE_FAILS=1");
    ev = make_live(&o);
    submit(ev, 1, "compile_error", 1000);
    take_failure(ev, 1, STATUS_COMPILE, FAULT_SURROUNDINGS);
    submit(ev, 2, "compile_error", 1000);
    take_failure(ev, 2, STATUS_COMPILE, FAULT_SURROUNDINGS);
    submit(ev, 3, "good", 1000);
    take_correct(ev, 3);
    submit(ev, 4, "compile_error", 1000);
    take_failure(ev, 4, STATUS_COMPILE, FAULT_CONFIGURATION);
    evaluator_free(ev);
    ev = make_live(&o);
    for (unsigned i = 1; i < 4; i++)
        submit(ev, i, "compile_error", 1000);
    take_failure(ev, 1, STATUS_COMPILE, FAULT_SURROUNDINGS);
    take_failure(ev, 2, STATUS_COMPILE, FAULT_SURROUNDINGS);
    expect_break(ev, "a kernel of hone's own does not build");
    evaluator_free(ev);
}
END_TEST

START_TEST(test_a_proof_may_be_given_up)
{
    struct device_info d = device(false);
    struct live_options o = options(&d);
    struct outcome out;
    for (unsigned i = 0; i < 6; i++) {
        struct evaluator *ev = make_live(&o);
        submit(ev, 1, "compile_error", 1000);
        ck_assert_int_eq(evaluator_take(ev, (int)(20 * i), &out, NULL) >= 0, 1);
        if (i % 2)
            evaluator_cancel(ev);
        evaluator_free(ev);
    }
}
END_TEST

// A file of the driver's that could not be read, whether or not others build; one of the job's own is its own.
START_TEST(test_a_drivers_file_is_lost)
{
    static struct job_file own = {.path = "cl/types.h", .text = "", .length = 0};
    struct error e = ERROR_INIT;
    struct device_info d = device(false);
    struct live_options o = options(&d);
    struct evaluator *ev = make_live(&o);
    submit(ev, 1, "good", 1000);
    take_correct(ev, 1);
    submit(ev, 2, "lost_header", 1000);
    take_failure(ev, 2, STATUS_COMPILE, FAULT_SURROUNDINGS);
    struct job *j = make_job("lost_header", 1000, 3);
    j->programs->files = &own;
    j->programs->file_count = 1;
    ck_assert(evaluator_submit(ev, 3, j, &e));
    take_failure(ev, 3, STATUS_COMPILE, FAULT_CONFIGURATION);
    evaluator_free(ev);
}
END_TEST

// Three builds in a row tell of too little memory, and others build: they are what fails.
START_TEST(test_the_third_hindered_build_is_proven)
{
    struct device_info d = device(false);
    struct live_options o = options(&d);
    if (_i)
        add_environment("FAKE_PROBE_FAILS=1");
    struct evaluator *ev = make_live(&o);
    submit(ev, 1, "good", 1000);
    take_correct(ev, 1);
    for (unsigned i = 2; i < 8; i++) {
        submit(ev, i, "no_memory", 1000);
        if (_i && i == 4)
            break;
        take_failure(ev, i, STATUS_COMPILE, FAULT_SURROUNDINGS);
    }
    if (_i)
        expect_break(ev, "3 configurations in a row failed");
    evaluator_free(ev);
}
END_TEST

// What the job's own text says is quoted.
START_TEST(test_a_quoted_text_is_its_own)
{
    struct error e = ERROR_INIT;
    struct device_info d = device(false);
    struct live_options o = options(&d);
    struct evaluator *ev = make_live(&o);
    for (unsigned i = 1; i < 3; i++) {
        struct job *j = make_job(i == 1 ? "no_memory" : "disk_full", 1000, i);
        j->programs->source = "#error Cannot allocate memory; No space left on device";
        j->programs->length = strlen(j->programs->source);
        ck_assert(evaluator_submit(ev, i, j, &e));
        take_failure(ev, i, STATUS_COMPILE, FAULT_CONFIGURATION);
    }
    evaluator_free(ev);
}
END_TEST

static void count_warnings(void *context, enum log_level level, const char *message)
{
    *(unsigned *)context += level == LOG_WARNING && strstr(message, "cache seems to be damaged");
}

// The bench's worker, too, has empty caches where it is tried again what ended one; a kernel that
// ends that, too, is to blame, and changes nothing for others.
START_TEST(test_a_damaged_cache)
{
    static const char *const damaged[] = {"cached_building", "cached_running"};
    unsigned warnings = 0;
    const struct log log = {count_warnings, &warnings};
    struct device_info d = device(_i >= 2);
    struct live_options o = options(&d);
    o.log = &log;
    struct evaluator *ev = make_live(&o);
    submit(ev, 1, "die_running", 1000);
    take_failure(ev, 1, STATUS_RUNTIME, FAULT_CONFIGURATION);
    submit(ev, 2, "good", 1000);
    take_correct(ev, 2);
    ck_assert_uint_eq(warnings, 0);
    ck_assert(!bench_worker(((struct live *)ev)->bench)->has_empty_caches);
    for (unsigned i = 3; i < 6; i++) {
        submit(ev, i, damaged[_i % 2], 1000);
        take_correct(ev, i);
        ck_assert_uint_eq(warnings, 1);
    }
    ck_assert(bench_worker(((struct live *)ev)->bench)->has_empty_caches);
    evaluator_free(ev);
}
END_TEST

START_TEST(test_cancel)
{
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = live_new(&o, &e);
    struct outcome out;
    for (unsigned i = 0; i < 8; i++)
        ck_assert(evaluator_submit(ev, i, make_job("good", 1000, i), &e));
    uint64_t ticket;
    result_free(take(ev, &ticket));
    evaluator_cancel(ev);
    ck_assert_uint_eq(evaluator_room(ev), 0);
    uint64_t start = clock_ns();
    while (!evaluator_idle(ev)) {
        int got = evaluator_take(ev, 100, &out, &e);
        ck_assert_int_ge(got, 0);
        if (got == 1)
            result_free(out.result);
        ck_assert(clock_ns() - start < patience() * 5000000000u);
    }
    evaluator_free(ev);
}
END_TEST

START_TEST(test_worker_missing)
{
    static const char *const nothing[] = {"/nonexistent/worker", NULL};
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct outcome out;
    o.at.worker = nothing;
    struct evaluator *ev = live_new(&o, &e);
    ck_assert(evaluator_submit(ev, 1, make_job("good", 1000, 1), &e));
    ck_assert_int_eq(evaluator_take(ev, 5000, &out, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "/nonexistent/worker"));
    evaluator_free(ev);
}
END_TEST

START_TEST(test_worker_that_cannot_start)
{
    static const char *const dying[] = {"/bin/false", NULL};
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct outcome out;
    o.at.worker = dying;
    struct evaluator *ev = live_new(&o, &e);
    ck_assert(evaluator_submit(ev, 1, make_job("good", 1000, 1), &e));
    ck_assert_int_eq(evaluator_take(ev, 5000, &out, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "while opening the device"));
    evaluator_free(ev);
}
END_TEST

// Many jobs with a worker that answers at once: nothing leaks, nothing slows down.
START_TEST(test_many)
{
    struct error e = ERROR_INIT;
    struct device_info d = device(true);
    struct live_options o = options(&d);
    struct evaluator *ev = live_new(&o, &e);
    enum { JOBS = 1500 }; // more than LIVE_RENEW_JOBS
    unsigned submitted = 0;
    uint64_t start = clock_ns();
    for (unsigned done = 0; done < JOBS; done++) {
        for (; submitted < JOBS && evaluator_room(ev) > 0; submitted++)
            ck_assert(evaluator_submit(ev, submitted, make_job("good", 1000, submitted), &e));
        uint64_t ticket;
        struct result *r = take(ev, &ticket);
        ck_assert_int_eq(r->status, STATUS_CORRECT);
        result_free(r);
        evaluator_drop(ev, ticket);
    }
    printf("%.0f us a job\n", (double)(clock_ns() - start) / 1e3 / JOBS);
    evaluator_free(ev);
}
END_TEST

// Whoever wants to reap them gets the workers that the end kills.
START_TEST(test_workers_are_left_to_another)
{
    struct endings later = {NULL};
    struct device_info d = device(false);
    struct live_options o = options(&d);
    o.endings = &later;
    struct evaluator *ev = make_live(&o);
    submit(ev, 0, "good", 1000);
    take_correct(ev, 0);
    evaluator_free(ev);
    ck_assert_ptr_nonnull(later.first);
    endings_release(&later, 60000000000ull);
    ck_assert_ptr_null(later.first);
}
END_TEST

// A worker that has ended is not waited for, though a child of it holds its channel.
START_TEST(a_worker_that_cannot_answer_is_not_waited_for)
{
    struct arena a;
    struct device_report report;
    struct error e = ERROR_INIT;
    const char *with[] = {"FAKE_EXIT_LISTING=1", NULL};
    uint64_t start = clock_ns();
    arena_init(&a);
    ck_assert(!live_devices(&(struct place){.worker = worker, .environment = with}, LANGUAGES_ALL,
                            &a, &report, NULL, 0, &e));
    ck_assert_msg(strstr(e.text, "listing devices: the worker exited with status 0"), "%s", e.text);
    ck_assert_uint_lt(clock_ns() - start, patience() * 5000000000u);
    arena_release(&a);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("live", setup, 60);
    tcase_add_test(cases, a_worker_that_cannot_answer_is_not_waited_for);
    tcase_add_test(cases, test_faults_on_a_gpu);
    tcase_add_test(cases, test_workers_open_in_turn);
    tcase_add_loop_test(cases, test_builders_start_beside_the_list, 0, 2);
    tcase_add_loop_test(cases, test_workers_start_at_once, 0, 2);
    tcase_add_test(cases, test_how_many_workers);
    tcase_add_test(cases, test_faults_on_a_cpu);
    tcase_add_loop_test(cases, test_a_gpu_does_not_wait_for_its_caller, 0, 2);
    tcase_add_test(cases, test_hopeless_stops_early);
    tcase_add_loop_test(cases, test_slow_on_a_busy_machine, 0, 2);
    tcase_add_test(cases, test_noise_takes_samples);
    tcase_add_test(cases, test_listing_survives_a_kill);
    tcase_add_loop_test(cases, test_fixed_count, 0, 2);
    tcase_add_test(cases, test_again);
    tcase_add_test(cases, test_broken_reference_ends_everything);
    tcase_add_test(cases, test_killed_from_outside);
    tcase_add_test(cases, test_wordless_builds_are_doubted);
    tcase_add_test(cases, test_wordless_builds_within_a_memory_limit);
    tcase_add_test(cases, test_full_disk_ends_it);
    tcase_add_test(cases, test_killed_by_others);
    tcase_add_loop_test(cases, test_first_failed_build_is_proven, 0, 2);
    tcase_add_test(cases, test_a_proof_may_be_given_up);
    tcase_add_test(cases, test_a_drivers_file_is_lost);
    tcase_add_loop_test(cases, test_the_third_hindered_build_is_proven, 0, 2);
    tcase_add_test(cases, test_a_quoted_text_is_its_own);
    tcase_add_loop_test(cases, test_a_damaged_cache, 0, 4);
    tcase_add_test(cases, test_cancel);
    tcase_add_test(cases, test_worker_missing);
    tcase_add_test(cases, test_worker_that_cannot_start);
    tcase_add_test(cases, test_many);
    tcase_add_test(cases, test_workers_are_left_to_another);
    return run_cases(cases);
}
