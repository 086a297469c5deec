// The store and the lock around the live evaluator, against a worker that behaves as it is told:
// what is measured is stored once, what is known is not measured again, of a fixed count only what
// is missing is; turns are neither answered nor stored.
#include "worker/device_lock.h"
#include "runner/cached.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const worker[] = {FAKE_WORKER, NULL};
static char folder[64];
static char folder_variable[96];
static char store_file[96];
static const char *environment[] = {folder_variable, NULL};

static const struct device_info device = {.type = DEVICE_CPU,
                                          .id = "fake/0",
                                          .name = "fake",
                                          .vendor = "",
                                          .platform = "",
                                          .platform_version = "",
                                          .driver = "",
                                          .compiler = "",
                                          .language_version = "",
                                          .extensions = "",
                                          .uuid = "",
                                          .pci = "",
                                          .surroundings = "",
                                          .timer_ns = 1};

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hone-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(folder_variable, sizeof folder_variable, "FAKE_FOLDER=%s", folder);
    snprintf(store_file, sizeof store_file, "%s/s.sqlite", folder);
}

static void teardown(void)
{
    folder_remove(folder);
}

static struct job *make_job(const char *behaviour, unsigned id)
{
    struct job *j = job_new();
    struct arena *a = &j->arena;
    j->programs = arena_alloc(a, sizeof *j->programs);
    j->program_count = 1;
    j->programs[0].name = "fake.cl";
    j->programs[0].source = "kernel";
    j->programs[0].length = 6;
    const char **options = arena_array(a, 5, sizeof(*options));
    options[0] = arena_printf(a, "-DFAKE=%s", behaviour);
    options[1] = "-DNS=1000";
    options[2] = arena_printf(a, "-DONCE=%u", id);
    options[3] = arena_printf(a, "-DID=%u", id);
    options[4] = "-DSPREAD=1";
    j->programs[0].options = options;
    j->programs[0].option_count = 5;
    j->launches = arena_alloc(a, sizeof *j->launches);
    j->launch_count = 1;
    j->launches[0] = (struct job_launch){
        .name = "k", .kernel = "k", .dimensions = 1, .global = {1, 1, 1}, .local = {1, 1, 1}};
    j->configuration = arena_printf(a, "id=%u", id);
    j->configuration_json = arena_printf(a, "{\"id\": %u}", id);
    return j;
}

// How one run of hone measures.
struct run {
    uint32_t fixed;
    bool cold, alone, fresh, locks;
    uint32_t retry;
};

static struct store *store;
static struct evaluator *ev;

static void run_begin(const struct run *run)
{
    struct error e = ERROR_INIT;
    struct store_session session = {.command = "test", .device = &device};
    struct live_options live = {
        .at = {.worker = worker, .environment = environment, .device = &device, .jobs = 1},
        .terms = {.rules = measure_rules_default(),
                  .build_limit_ns = 1000000000,
                  .launch_limit_ns = 300000000,
                  .cold = run->cold}};
    live.terms.rules.fixed = run->fixed;
    store = store_open(store_file, STORE_WRITE, &e);
    ck_assert_msg(store != NULL, "%s", e.text);
    ck_assert_msg(store_begin(store, &session, &e), "%s", e.text);
    struct cached_options o = {.store = store,
                               .fresh = run->fresh,
                               .alone = run->alone,
                               .retry = run->retry,
                               .lock_folder = run->locks ? folder : NULL,
                               .as = {.spec_name = "fake.json", .constants = ""}};
    ev = cached_new(&o, &live, &e);
    ck_assert_msg(ev != NULL, "%s", e.text);
}

static void run_end(void)
{
    evaluator_free(ev);
    store_close(store);
}

static void submit(uint64_t ticket, const char *behaviour)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(evaluator_submit(ev, ticket, make_job(behaviour, (unsigned)ticket), &e), "%s",
                  e.text);
}

static struct result *take(uint64_t ticket)
{
    struct error e = ERROR_INIT;
    struct outcome out = {0};
    int got = evaluator_take(ev, 20000, &out, &e);
    ck_assert_msg(got == 1, "no outcome: %s", e.text);
    ck_assert_uint_eq(out.ticket, ticket);
    return out.result;
}

// One job under one run of its own; the result is the caller's.
static struct result *measure(const struct run *run, uint64_t ticket, const char *behaviour)
{
    run_begin(run);
    submit(ticket, behaviour);
    struct result *r = take(ticket);
    run_end();
    return r;
}

static uint64_t stored(void)
{
    struct error e = ERROR_INIT;
    struct store_counts counts;
    struct store *s = store_open(store_file, STORE_READ, &e);
    ck_assert_msg(s && store_count(s, &counts, &e), "%s", e.text);
    store_close(s);
    return counts.results;
}

static void turn_once(uint64_t ticket, uint32_t launches)
{
    struct error e = ERROR_INIT;
    struct turn turn = {.warmups = 1, .launches = launches};
    ck_assert_msg(evaluator_again(ev, ticket, &turn, &e), "%s", e.text);
}

// Reads rows until one has the wanted stop.
static bool has_stop(void *context, const struct store_row *row)
{
    enum stop_reason *wanted = context;
    bool is_it = row->result->stop == *wanted;
    if (is_it)
        *wanted = STOP_COUNT;
    return !is_it;
}

static bool is_stored_as(enum stop_reason stop)
{
    struct error e = ERROR_INIT;
    struct store_query all = {0};
    struct store *s = store_open(store_file, STORE_READ, &e);
    ck_assert_msg(s && store_each(s, &all, has_stop, &stop, &e), "%s", e.text);
    store_close(s);
    return stop == STOP_COUNT;
}

static void expect_reused(const struct run *run, const char *behaviour, bool reused)
{
    struct result *r = measure(run, 1, behaviour);
    ck_assert_msg(r->reused == reused, "%s: %s", behaviour,
                  reused ? "measured again" : "taken from the store");
    result_free(r);
}

START_TEST(test_what_is_known_is_not_measured_again)
{
    struct run search = {0}, fresh = {.fresh = true}, cold = {.cold = true};
    expect_reused(&search, "good", false);
    expect_reused(&search, "good", true);
    ck_assert_uint_eq(stored(), 1);
    expect_reused(&fresh, "good", false);
    ck_assert_uint_eq(stored(), 2);
    expect_reused(&cold, "good", false);
    expect_reused(&cold, "good", true);
    ck_assert_uint_eq(stored(), 3);
}
END_TEST

// A job with contents that are larger than what a key takes in.
static struct job *job_with_data(void)
{
    static const uint8_t contents[BLOB_SMALL + 1] = {1, 2, 3};
    struct job *j = make_job("good", 1);
    j->buffers = arena_alloc(&j->arena, sizeof *j->buffers);
    j->buffer_count = 1;
    *j->buffers = (struct job_buffer){
        .name = "in",
        .element = {.scalar = SCALAR_U8, .width = 1},
        .count = sizeof contents,
        .fill = {.kind = FILL_DATA, .blob = blob_of(contents, sizeof contents)}};
    return j;
}

static const char *measure_data(void)
{
    static char message[64];
    struct run search = {0};
    struct error e = ERROR_INIT;
    run_begin(&search);
    ck_assert_msg(evaluator_submit(ev, 1, job_with_data(), &e), "%s", e.text);
    struct result *r = take(1);
    snprintf(message, sizeof message, "%s", r->reused ? r->message : "measured");
    result_free(r);
    run_end();
    return message;
}

static void put_old(const char *message)
{
    struct error e = ERROR_INIT;
    struct job *j = job_with_data();
    struct store_session session = {.command = "test", .device = &device};
    struct store_job job = {.job = j, .as.constants = ""};
    struct policy policy = {.launches = 2, .batch = 1};
    struct result *r = result_new();
    ck_assert(job_key_by_contents(j, &device, &job.key));
    result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "%s", message);
    store = store_open(store_file, STORE_WRITE, &e);
    ck_assert_msg(store && store_begin(store, &session, &e), "%s", e.text);
    ck_assert_msg(store_put(store, &job, &policy, r, &e), "%s", e.text);
    store_close(store);
    result_free(r);
    job_free(j);
}

// Rows of an earlier hone have keys that hold the contents; they answer, those of today before
// them.
START_TEST(test_keys_by_contents_still_answer)
{
    put_old("long ago");
    ck_assert_str_eq(measure_data(), "long ago");
    ck_assert_uint_eq(stored(), 1);
    ck_assert_int_eq(remove(store_file), 0);
    ck_assert_str_eq(measure_data(), "measured");
    ck_assert_str_eq(measure_data(), "");
    put_old("long ago");
    ck_assert_str_eq(measure_data(), "");
}
END_TEST

START_TEST(test_failures_are_retried_by_status)
{
    struct run search = {0}, alone = {.alone = true};
    struct run runtime = {.retry = 1u << STATUS_RUNTIME},
               wrong = {.retry = 1u << STATUS_CORRECTNESS};
    expect_reused(&search, "wrong", false);
    expect_reused(&search, "wrong", true);
    expect_reused(&alone, "wrong", true);
    expect_reused(&runtime, "wrong", true);
    expect_reused(&wrong, "wrong", false);
    ck_assert_uint_eq(stored(), 2);
}
END_TEST

// The union in order of time; the rows keep what each run measured.
START_TEST(test_more_iterations_top_up_fewer)
{
    struct run three = {.fixed = 3}, five = {.fixed = 5}, cold = {.fixed = 5, .cold = true};
    struct result *first = measure(&three, 1, "good");
    ck_assert_uint_eq(first->sample_count, 3);
    struct result *both = measure(&five, 1, "good");
    ck_assert(!both->reused);
    ck_assert_uint_eq(both->sample_count, 5);
    ck_assert_uint_eq(both->earlier, 3);
    ck_assert_mem_eq(both->samples_ns, first->samples_ns, 3 * sizeof *first->samples_ns);
    ck_assert_uint_eq(stored(), 2);
    struct result *again = measure(&five, 1, "good");
    ck_assert(again->reused);
    ck_assert_uint_eq(again->sample_count, 5);
    ck_assert_mem_eq(again->samples_ns, both->samples_ns, 5 * sizeof *both->samples_ns);
    struct result *other = measure(&cold, 1, "good");
    ck_assert_uint_eq(other->sample_count, 5);
    ck_assert_uint_eq(other->earlier, 0);
    ck_assert_uint_eq(stored(), 3);
    result_free(first);
    result_free(both);
    result_free(again);
    result_free(other);
}
END_TEST

START_TEST(test_stopped_early_is_measured_to_its_end_alone)
{
    struct run search = {0}, alone = {.alone = true}, fixed = {.fixed = 4};
    run_begin(&search);
    evaluator_best(ev, 10, 0); // a hundredth of what the job takes
    submit(1, "good");
    struct result *r = take(1);
    run_end();
    ck_assert_str_eq(stop_text(r->stop), "hopeless");
    result_free(r);
    ck_assert(is_stored_as(STOP_HOPELESS));
    expect_reused(&search, "good", true);
    expect_reused(&alone, "good", false);
    r = measure(&fixed, 1, "good");
    ck_assert(!r->reused);
    ck_assert_uint_eq(r->sample_count, 4);
    result_free(r);
    expect_reused(&alone, "good", true);
}
END_TEST

START_TEST(test_turns_are_stored_by_keep_alone)
{
    struct error e = ERROR_INIT;
    struct run search = {0};
    run_begin(&search);
    submit(1, "good");
    result_free(take(1));
    turn_once(1, 3);
    struct result *r = take(1);
    ck_assert(!r->reused);
    ck_assert_uint_eq(r->sample_count, 3);
    ck_assert_uint_eq(stored(), 1);
    r->stop = STOP_RANKED;
    ck_assert_msg(evaluator_keep(ev, 1, r, &e), "%s", e.text);
    result_free(r);
    ck_assert_uint_eq(stored(), 2);
    ck_assert(!evaluator_keep(ev, 77, NULL, &e));
    run_end();
    ck_assert(is_stored_as(STOP_RANKED));
}
END_TEST

// A finalist whose result came from the store was not built in this run.
START_TEST(test_turn_of_a_stored_result)
{
    struct run search = {0};
    expect_reused(&search, "good", false);
    run_begin(&search);
    submit(1, "good");
    struct result *r = take(1);
    ck_assert(r->reused);
    result_free(r);
    for (int i = 0; i < 2; i++) {
        turn_once(1, 2);
        r = take(1);
        ck_assert(!r->reused);
        ck_assert_int_eq(r->status, STATUS_CORRECT);
        ck_assert_uint_eq(r->sample_count, 2);
        result_free(r);
    }
    evaluator_drop(ev, 1);
    run_end();
    ck_assert_uint_eq(stored(), 1);
}
END_TEST

static bool is_locked(void)
{
    struct error e = ERROR_INIT;
    struct device_lock lock;
    ck_assert_msg(device_lock_open(&lock, folder, &device, &e), "%s", e.text);
    bool got = device_lock_try(&lock, &e) == 1;
    device_lock_close(&lock);
    return !got;
}

START_TEST(test_hold_keeps_the_lock_between_turns)
{
    struct run locking = {.locks = true};
    run_begin(&locking);
    submit(1, "good");
    result_free(take(1));
    ck_assert(!is_locked());
    evaluator_hold(ev, true);
    turn_once(1, 1);
    result_free(take(1));
    ck_assert(is_locked());
    turn_once(1, 1);
    result_free(take(1));
    ck_assert(is_locked());
    evaluator_hold(ev, false);
    ck_assert(!is_locked());
    run_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("remember");
    TCase *t = tcase_create("remember");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, test_what_is_known_is_not_measured_again);
    tcase_add_test(t, test_keys_by_contents_still_answer);
    tcase_add_test(t, test_failures_are_retried_by_status);
    tcase_add_test(t, test_more_iterations_top_up_fewer);
    tcase_add_test(t, test_stopped_early_is_measured_to_its_end_alone);
    tcase_add_test(t, test_turns_are_stored_by_keep_alone);
    tcase_add_test(t, test_turn_of_a_stored_result);
    tcase_add_test(t, test_hold_keeps_the_lock_between_turns);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
