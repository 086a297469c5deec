// The workflow of `hone peak` with a worker whose launches take as long as they are told to.
#include "workflows/peak/peak.h"
#include "workflows/peak/peak_kernels.h"

#include "../tune/fixture.h"

#include "../base/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS_MOST 100000

static struct text warnings;

static void note(void *context, enum log_level level, const char *message)
{
    (void)context;
    if (level == LOG_WARNING)
        text_addf(&warnings, "%s\n", message);
}

static const struct log notes = {.sink = note};

// Jobs that have the option `where` take the others along ("-DNS=500", "-DFAKE=wrong").
static void order(const char *where, const char *then)
{
    ck_assert_int_eq(setenv("FAKE_WHERE", where, 1), 0);
    ck_assert_int_eq(setenv("FAKE_THEN", then, 1), 0);
}

static struct peak_run *make(struct store *store)
{
    struct error e = ERROR_INIT;
    const struct peak_options options = {.setup.at.device = &report.devices[0],
                                         .setup.at.worker = worker,
                                         .setup.at.environment = environment,
                                         .setup.lock_folder = folder,
                                         .setup.store = store,
                                         .setup.terms = {.build_limit_ns = POLICY_BUILD_LIMIT_NS,
                                                         .launch_limit_ns = POLICY_LAUNCH_LIMIT_NS},
                                         .setup.at.jobs = 2,
                                         .setup.command = "hone peak",
                                         .setup.host = "here",
                                         .setup.log = &notes};
    struct peak_run *p = peak_new(&options, &e);
    ck_assert_msg(p != NULL, "%s", e.text);
    return p;
}

// Which limits were handed out, as bits.
static unsigned run(struct peak_run *p)
{
    struct error e = ERROR_INIT;
    enum workflow_answer answer = WORKFLOW_NOTHING;
    const struct peak_record *record;
    unsigned seen = 0;
    for (int i = 0; i < STEPS_MOST && answer != WORKFLOW_END && answer != WORKFLOW_BROKEN; i++) {
        answer = peak_step(p, 100, &record, &e);
        ck_assert((answer == WORKFLOW_RECORD) == (record != NULL));
        if (!record)
            continue;
        ck_assert_ptr_eq(record->rate, &peak_found(p)->rates[record->limit]);
        ck_assert(!(seen >> record->limit & 1));
        seen |= 1u << record->limit;
    }
    ck_assert_msg(answer == WORKFLOW_END, "%s", e.text);
    return seen;
}

static struct store *open_store(void)
{
    struct error e = ERROR_INIT;
    struct store *s = store_open(store_file, STORE_WRITE, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

static void find(struct store *s, const struct device_info *d, struct peak *out)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(peak_find(s, d, &arena, out, &e), "%s", e.text);
}

// The rate of a shape whose launches take 1000, 1001, 1002, 1000, ... ns.
static void check_rate(const struct peak_rate *r, const struct peak_shape *s, uint32_t rounds)
{
    uint64_t work;
    struct job *j = peak_job(s, &report.devices[0], rounds, &work);
    ck_assert_ptr_nonnull(j);
    ck_assert(r->known);
    ck_assert_uint_eq(r->rounds, 16);
    ck_assert_double_le(fabs(r->median / ((double)work * 1e9 / 1001) - 1), 0.002);
    ck_assert(r->interval && r->low <= r->median && r->median <= r->high);
    ck_assert_str_eq(r->configuration, j->configuration);
    job_free(j);
}

// All launches take the same time, so those that do the most are the fastest.
START_TEST(the_fastest_counts)
{
    const struct peak_shape fp32 = {PEAK_FP32, .width = 16, .depth = 12, .fused = true};
    const struct peak_shape local = {PEAK_LOCAL, .width = 16, .depth = 8};
    struct store *store = open_store();
    struct peak_run *p = make(store);
    struct peak stored;
    struct workflow_progress progress;
    ck_assert_uint_eq(run(p), (1u << PEAK_COUNT) - 1);
    peak_progress(p, &progress);
    ck_assert_uint_eq(progress.done, progress.planned);
    const struct peak *found = peak_found(p);
    check_rate(&found->rates[PEAK_FP32], &fp32, 1u << 17);
    check_rate(&found->rates[PEAK_LOCAL], &local, 1u << 22);
    ck_assert(found->rates[PEAK_READ].known && found->rates[PEAK_COPY].known);
    ck_assert_double_eq(found->rates[PEAK_COPY].median, 2 * found->rates[PEAK_READ].median);
    ck_assert_str_eq(text_cstr(&warnings), "");
    // What the store has is the same, with a date.
    find(store, &report.devices[0], &stored);
    for (unsigned i = 0; i < PEAK_COUNT; i++) {
        const struct peak_rate *a = &found->rates[i], *b = &stored.rates[i];
        ck_assert(b->known && b->interval == a->interval && b->rounds == a->rounds);
        ck_assert_double_eq(b->median, a->median);
        ck_assert_double_eq(b->low, a->low);
        ck_assert_double_eq(b->high, a->high);
        ck_assert_str_eq(b->configuration, a->configuration);
        ck_assert(!a->date && b->date && strlen(b->date) > 20);
    }
    peak_free(p);
    store_close(store);
}
END_TEST

static void measure(struct store *store, struct peak *kept)
{
    struct peak_run *p = make(store);
    run(p);
    peak_free(p);
    find(store, &report.devices[0], kept);
}

// The highest of the newest five counts: what was slower was measured beside something else, unless
// it is so time and again.
START_TEST(the_highest_of_the_newest_counts)
{
    struct store *store = open_store();
    struct peak first, slower, after;
    measure(store, &first);
    order("-DPAST_CACHE=0", "-DNS=2000");
    for (int i = 1; i < PEAK_RECENT; i++) {
        measure(store, &slower);
        ck_assert_double_eq(slower.rates[PEAK_READ].median, first.rates[PEAK_READ].median);
        ck_assert_str_eq(slower.rates[PEAK_READ].date, first.rates[PEAK_READ].date);
    }
    measure(store, &after);
    ck_assert_double_lt(after.rates[PEAK_READ].median, 0.6 * first.rates[PEAK_READ].median);
    ck_assert_double_eq(after.rates[PEAK_COPY].median, first.rates[PEAK_COPY].median);
    ck_assert_ptr_nonnull(strstr(after.rates[PEAK_COPY].configuration, "past_cache=1"));
    order("-DPAST_CACHE=0", "-DNS=500"); // what is higher counts at once
    measure(store, &after);
    ck_assert_double_gt(after.rates[PEAK_READ].median, 1.5 * first.rates[PEAK_READ].median);
    store_close(store);
}
END_TEST

START_TEST(of_this_device_alone)
{
    struct store *store = open_store();
    struct peak stored;
    struct peak_run *p = make(store);
    run(p);
    peak_free(p);
    const struct device_info *d = &report.devices[0];
    struct device_info others[] = {*d, *d, *d, *d};
    others[0].name = "another";
    others[1].driver = "2.0";
    others[2].language = LANGUAGE_CUDA;
    others[3].surroundings = "cores=1";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        find(store, &others[i], &stored);
        ck_assert(!peak_is_known(&stored));
    }
    find(store, d, &stored);
    ck_assert(peak_is_known(&stored));
    store_close(store);
}
END_TEST

START_TEST(what_fails_is_told)
{
    struct store *store = open_store();
    struct peak stored;
    order("-DWIDTH=16", "-DFAKE=compile_error");
    struct peak_run *p = make(store);
    run(p);
    const struct peak *found = peak_found(p);
    for (unsigned i = 0; i < PEAK_COUNT; i++) {
        ck_assert(found->rates[i].known);
        ck_assert_ptr_null(strstr(found->rates[i].configuration, "width=16"));
    }
    ck_assert_ptr_nonnull(strstr(text_cstr(&warnings),
                                 "fp32 arithmetic: width=16, chains=12 is left out: compile: "
                                 "error: what is this\n"));
    peak_free(p);
    // None of a limit.
    order("-DPER_ITEM=0", "-DFAKE=wrong");
    p = make(store);
    run(p);
    found = peak_found(p);
    ck_assert(!found->rates[PEAK_FP32].known && !found->rates[PEAK_LOCAL].known);
    ck_assert_str_eq(found->rates[PEAK_FP32].why, "correctness: C: relative norm 0.3");
    ck_assert(found->rates[PEAK_READ].known && found->rates[PEAK_COPY].known);
    peak_free(p);
    // An earlier one stays known.
    find(store, &report.devices[0], &stored);
    ck_assert(stored.rates[PEAK_FP32].known);
    store_close(store);
}
END_TEST

// What the last launches left is looked at, too.
START_TEST(wrong_in_the_end)
{
    struct store *store = open_store();
    struct peak stored;
    order("-DPER_ITEM=0", "-DFAKE=wrong_in_the_end");
    struct peak_run *p = make(store);
    run(p);
    const struct peak *found = peak_found(p);
    ck_assert(!found->rates[PEAK_FP32].known);
    ck_assert_str_eq(found->rates[PEAK_FP32].why, "correctness: C: relative norm 0.3, again");
    find(store, &report.devices[0], &stored);
    ck_assert(!stored.rates[PEAK_FP32].known && stored.rates[PEAK_COPY].known);
    peak_free(p);
    store_close(store);
}
END_TEST

// A plain kernel that left its output as it was agrees with any that does the same.
START_TEST(unverified)
{
    struct store *store = open_store();
    struct peak stored;
    order("-DPER_ITEM=0", "-DFAKE=unverified");
    struct peak_run *p = make(store);
    run(p);
    const struct peak *found = peak_found(p);
    ck_assert(!found->rates[PEAK_FP32].known);
    ck_assert_ptr_nonnull(found->rates[PEAK_FP32].why);
    ck_assert_str_eq(found->rates[PEAK_FP32].why, "correctness: its output proves nothing");
    find(store, &report.devices[0], &stored);
    ck_assert(!stored.rates[PEAK_FP32].known && stored.rates[PEAK_COPY].known);
    peak_free(p);
    store_close(store);
}
END_TEST

START_TEST(others_at_work)
{
    ck_assert_int_eq(setenv("FAKE_LOAD", "50", 1), 0);
    struct peak_run *p = make(NULL);
    run(p);
    ck_assert(peak_found(p)->rates[PEAK_FP32].known);
    ck_assert_ptr_nonnull(strstr(text_cstr(&warnings),
                                 "fp32 arithmetic: others used 50 % of the cores while it was "
                                 "measured: it is more than this\n"));
    peak_free(p);
    ck_assert_int_eq(unsetenv("FAKE_LOAD"), 0);
}
END_TEST

START_TEST(cancelled)
{
    struct peak_run *p = make(NULL);
    struct error e = ERROR_INIT;
    const struct peak_record *record;
    ck_assert_int_eq(peak_step(p, 10, &record, &e), WORKFLOW_NOTHING);
    peak_cancel(p);
    ck_assert_uint_eq(run(p), 0);
    ck_assert(!peak_found(p)->rates[PEAK_LOCAL].known);
    peak_free(p);
}
END_TEST

static void start(void)
{
    setup();
    text_clear(&warnings);
    unsetenv("FAKE_WHERE");
    unsetenv("FAKE_THEN");
}

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, start, teardown);
    tcase_add_test(tests, the_fastest_counts);
    tcase_add_test(tests, the_highest_of_the_newest_counts);
    tcase_add_test(tests, of_this_device_alone);
    tcase_add_test(tests, what_fails_is_told);
    tcase_add_test(tests, wrong_in_the_end);
    tcase_add_test(tests, unverified);
    tcase_add_test(tests, others_at_work);
    tcase_add_test(tests, cancelled);
}

int main(void)
{
    return suite_run("peak/peaking", add);
}
