// The ranking at the end of a tune, with a worker whose times are known: who takes part, who is
// tied, who leaves early, what becomes of one that fails in it, and what the store makes of it all.
#include "fixture.h"

#include "workflows/best.h"
#include "workflows/tune/tune.h"

#include "os/process.h"
#include "stats/speedup.h"
#include "worker/device_lock.h"
#include "worker/protocol.h"
#include "workflows/bundle.h"

#include <check.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONFIGURATIONS = 8, CONTENDERS = 7, HOPELESS = 7, LEAVER = 6 };

static char events_variable[128];

// One tune of the spec, to its end or to where a test breaks it off.
struct session {
    struct spec *spec;
    struct spec_sources *sources;
    struct store *store;
    struct tune_options options;
    struct tune *tune;
    const struct tune_record *records[CONFIGURATIONS]; // by ID
    struct tune_progress progress;
};

static void setup_noting(void)
{
    setup();
    snprintf(events_variable, sizeof events_variable, "FAKE_EVENTS=%s/events", folder);
}

static void begin_with(struct session *s, const char *file, const char *how, const char *bad)
{
    struct error e = ERROR_INIT;
    const char *const set[] = {how, bad};
    struct spec_options so = {.set = set, .set_count = how ? 2 : 0};
    memset(s, 0, sizeof *s);
    s->spec = spec_load(file, &so, &e);
    ck_assert_msg(s->spec != NULL, "%s", e.text);
    s->store = store_open(store_file, STORE_WRITE, &e);
    ck_assert_msg(s->store != NULL, "%s", e.text);
    s->options = (struct tune_options){.setup.spec = s->spec,
                                       .setup.at.device = &report.devices[0],
                                       .setup.at.worker = worker,
                                       .setup.at.environment = environment,
                                       .setup.store = s->store,
                                       .setup.lock_folder = folder,
                                       .setup.at.jobs = 2,
                                       .setup.terms = {.rules = measure_rules_default(),
                                                       .build_limit_ns = 60ull * 1000000000,
                                                       .launch_limit_ns = 30ull * 1000000000}};
}

static void begin(struct session *s, const char *how, const char *bad)
{
    begin_with(s, HONE_SOURCE_DIR "/tests/tune/data/ranking.json", how, bad);
}

static int id_of(const struct session *s, const struct tune_record *r)
{
    return (int)s->spec->parameters[0].values[r->choice[0]].i;
}

static enum workflow_answer step(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct tune_record *record;
    enum workflow_answer answer = tune_step(s->tune, 1000, &record, &e);
    ck_assert_msg(answer != WORKFLOW_BROKEN, "%s", e.text);
    if (answer == WORKFLOW_RECORD)
        s->records[id_of(s, record)] = record;
    tune_progress(s->tune, &s->progress);
    return answer;
}

static void start(struct session *s)
{
    struct error e = ERROR_INIT;
    s->tune = tune_new(&s->options, &e);
    ck_assert_msg(s->tune != NULL, "%s", e.text);
}

static void run(struct session *s)
{
    start(s);
    while (step(s) != WORKFLOW_END)
        ;
}

static void end(struct session *s)
{
    tune_free(s->tune);
    store_close(s->store);
    spec_free(s->spec);
}

static void check_order(const struct session *s)
{
    const struct tune_ranked *ranked = &s->progress.ranked;
    ck_assert(ranked->decided);
    ck_assert_uint_eq(ranked->finalists, CONTENDERS);
    ck_assert_uint_eq(ranked->tied, 2);
    ck_assert_int_eq(id_of(s, ranked->chosen), 0);
    ck_assert_str_eq(ranked->why, "the first in the space");
    ck_assert_ptr_eq(s->progress.best, ranked->chosen);
    for (int id = 0; id < CONTENDERS; id++) {
        const struct tune_record *r = s->records[id];
        ck_assert_msg(r->ranked, "%d", id);
        ck_assert_int_eq(r->result->stop, STOP_RANKED);
        ck_assert_uint_eq(r->result->warmups, 1);
        ck_assert_mem_eq(r->result->ranking, ranked->id, sizeof ranked->id);
        ck_assert_msg(r->rank.tied == (id < 2), "%d", id);
        ck_assert_uint_eq(r->rank.place / 2, (size_t)id / 2);
        double times = r->result->samples_ns[0] / 100000.0;
        ck_assert_msg(r->rank.ratio > times - 1e-3 && r->rank.ratio < times + 1e-3, "%d: %g", id,
                      r->rank.ratio);
    }
}

// ---- the order
// -----------------------------------------------------------------------------------

START_TEST(test_order_ties_and_leavers)
{
    struct session s;
    begin(&s, NULL, NULL);
    s.options.setup.terms.rules.early = 6;
    run(&s);
    check_order(&s);
    ck_assert(!s.records[HOPELESS]->ranked);
    ck_assert_int_eq(s.records[HOPELESS]->result->stop, STOP_HOPELESS);
    // One that is clearly behind left after a few rounds.
    ck_assert_uint_lt(s.records[LEAVER]->result->sample_count, s.records[0]->result->sample_count);
    ck_assert_uint_ge(s.progress.ranked.status.rounds, 6);
    ck_assert_uint_gt(s.progress.launches, 2 * s.progress.ranked.status.rounds);
    size_t count;
    const struct tune_record **list = tune_ranking(s.tune, &count);
    ck_assert_uint_eq(count, CONFIGURATIONS);
    for (size_t i = 0; i < CONTENDERS; i++)
        ck_assert_uint_eq(list[i]->rank.place, i);
    ck_assert_ptr_eq(list[CONTENDERS], s.records[HOPELESS]);
    free(list);
    end(&s);
}
END_TEST

START_TEST(test_no_ranking_where_none_is_wanted)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        struct session s;
        begin(&s, NULL, NULL);
        s.options.setup.fresh = true;
        s.options.setup.terms.rules.fixed = fixed ? 3 : 0;
        s.options.setup.terms.rules.unranked = !fixed;
        run(&s);
        ck_assert(!s.progress.ranked.decided);
        ck_assert(!s.records[0]->ranked);
        ck_assert_int_ne(s.records[0]->result->stop, STOP_RANKED);
        end(&s);
    }
}
END_TEST

// The finalists in the order of their turns, as the worker was asked; '|' where a test has left a
// mark between.
static void read_turns(char *out, size_t size)
{
    char line[160];
    size_t count = 0;
    FILE *f = fopen(strchr(events_variable, '=') + 1, "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f)) {
        int id, compared = 0;
        ck_assert_uint_lt(count + 1, size);
        if (strcmp(line, "mark\n") == 0)
            out[count++] = '|';
        else if (sscanf(line, "measure %d 1x1 after 1 %n", &id, &compared) == 1 && compared > 0)
            out[count++] = (char)('0' + id);
    }
    out[count] = '\0';
    fclose(f);
    remove(strchr(events_variable, '=') + 1);
}

static void turns_of(uint64_t seed, char *out, size_t size)
{
    const char *const noting[] = {folder_variable, events_variable, NULL};
    struct session s;
    begin(&s, NULL, NULL);
    s.options.setup.fresh = true;
    s.options.setup.seed = seed;
    s.options.setup.at.environment = noting;
    s.options.setup.terms.rules.precision = 0;
    run(&s);
    check_order(&s);
    end(&s);
    read_turns(out, size);
}

START_TEST(test_order_is_of_the_seed)
{
    char first[512], again[512], other[512];
    turns_of(5, first, sizeof first);
    turns_of(5, again, sizeof again);
    turns_of(6, other, sizeof other);
    ck_assert_uint_ge(strlen(first), 3 * (CONTENDERS + 1));
    ck_assert_int_eq(first[0], '0'); // the reference
    ck_assert_str_eq(first, again);
    ck_assert_str_ne(first, other);
    ck_assert_int_ne(strncmp(first, first + CONTENDERS + 1, CONTENDERS + 1), 0);
}
END_TEST

START_TEST(test_rounds_of_a_busy_machine)
{
    const char *const busy[] = {folder_variable, "FAKE_DELAY_US=3000", "FAKE_LOAD=60", NULL};
    const char *const calm[] = {folder_variable, "FAKE_DELAY_US=3000", "FAKE_LOAD=10", NULL};
    for (int is_busy = 0; is_busy < 2; is_busy++) {
        struct session s;
        begin(&s, NULL, NULL);
        s.options.setup.fresh = true;
        s.options.setup.at.environment = is_busy ? busy : calm;
        s.options.setup.terms.rules.precision = 0;
        s.options.setup.terms.rules.rounds = 12;
        s.options.setup.terms.rules.disturbed = 1e6;
        run(&s);
        const struct final_ranking_status *status = &s.progress.ranked.status;
        check_order(&s);
        ck_assert_uint_eq(status->by_clock, 0);
        ck_assert_uint_eq(status->by_load, status->repeated + status->marked);
        // A round is shorter than what load can be told of. Once it is known, it holds until it is
        // known to be over: rounds are run again three times, those that follow are marked.
        ck_assert_uint_eq(status->repeated, is_busy ? 3 : 0);
        ck_assert_msg((status->marked > 0) == is_busy, "%u", status->marked);
        ck_assert_uint_lt(status->marked, 12);
        ck_assert_uint_eq(status->rounds, 12);
        end(&s);
    }
}
END_TEST

START_TEST(test_short_ranking_when_the_time_is_up)
{
    const char *const slow[] = {folder_variable, "FAKE_DELAY_US=150000", NULL};
    struct session s;
    begin(&s, NULL, NULL);
    s.options.setup.at.environment = slow;
    s.options.budget =
        (struct budget){.nanoseconds = 600000000, .ranks_on_top = true}; // no time for eight
    s.options.setup.terms.rules.precision = 0;
    s.options.setup.terms.rules.rounds = 8;
    s.options.setup.terms.rules.looks = 3;
    run(&s);
    const struct tune_ranked *ranked = &s.progress.ranked;
    ck_assert(s.progress.out_of_time);
    ck_assert(ranked->decided && ranked->is_short);
    ck_assert_uint_eq(ranked->status.most, 2); // of eight, looked at three times
    ck_assert_uint_eq(ranked->status.rounds, 2);
    // Whoever decides again knows that the error was spent on one look.
    ck_assert_uint_eq(ranked->chosen->result->terms.rounds, 2);
    ck_assert_uint_eq(ranked->chosen->result->terms.looks, 1);
    end(&s);
}
END_TEST

// A budget of time holds the ranking: the search leaves what that will take, half of the time where that is more.
START_TEST(test_the_search_leaves_time_for_the_ranking)
{
    const char *const slow[] = {folder_variable, "FAKE_DELAY_US=20000", NULL};
    struct session s;
    begin(&s, NULL, NULL);
    s.options.setup.at.environment = slow;
    s.options.setup.terms.rules.rounds = 30;
    s.options.setup.terms.rules.looks = 1;
    s.options.budget.nanoseconds = 200000000; // enough for eight, and not for the rounds
    run(&s);
    ck_assert(s.progress.out_of_time);
    ck_assert_uint_lt(s.progress.common.done, CONFIGURATIONS);
    ck_assert(s.progress.ranked.decided && s.progress.ranked.is_short);
    end(&s);
}
END_TEST

// A later tune of a few never answers with less than an earlier one found; its search is the same.
START_TEST(test_what_is_known_takes_part)
{
    struct session s;
    begin(&s, NULL, NULL);
    run(&s);
    check_order(&s);
    end(&s);
    for (int fresh = 0; fresh < 2; fresh++) {
        begin(&s, NULL, NULL);
        s.options.strategy = "random";
        s.options.setup.seed = 3;
        s.options.budget = (struct budget){.configurations = 2}; // the default and another
        s.options.setup.fresh = fresh;
        run(&s);
        size_t asked = 0;
        for (int id = 0; id < CONFIGURATIONS; id++)
            asked += s.records[id] != NULL;
        // Those near to the best; the hopeless one is asked for or not there.
        ck_assert_msg(fresh ? asked == 2 : asked >= CONTENDERS, "%zu", asked);
        ck_assert_uint_eq(s.progress.common.done, asked);
        ck_assert_uint_eq(s.progress.common.planned, asked);
        ck_assert_uint_eq(s.progress.reused, fresh ? 0 : asked);
        if (!fresh) {
            check_order(&s);
            ck_assert(s.progress.ranked.known); // and nothing was launched
            ck_assert_uint_eq(s.progress.launches, 0);
        }
        end(&s);
    }
}
END_TEST

// Of a configuration that is hopeless today: rows of 10 ns that say nothing of a tune today.
enum stray { STRAY_DRIVER, STRAY_VERSION, STRAY_COLD, STRAY_OPTION, STRAY_REFUTED, STRAY_COUNT };

static void put_stray(enum stray how)
{
    struct session s;
    struct error e = ERROR_INIT;
    struct job *job = NULL;
    struct result *r = result_new(), *failure = result_new();
    uint32_t choice = HOPELESS;
    uint64_t ns = 10;
    begin(&s, NULL, NULL);
    struct device_info device = report.devices[0];
    if (how == STRAY_DRIVER)
        device.driver = "0.9";
    s.sources = spec_sources_read(s.spec, LANGUAGE_OPENCL, NULL, NULL, &e);
    ck_assert_msg(s.sources && spec_job(s.spec, s.sources, &device, &choice, &job, &e), "%s",
                  e.text);
    struct policy policy = {.launches = 1, .batch = 1, .cold = how == STRAY_COLD};
    struct store_job row = {
        .job = job, .as.spec_name = s.spec->name, .as.constants = "BAD=-1, HOW=good"};
    job->configuration = "ID=7";
    job->configuration_json = "{\"ID\": 7}";
    struct store_session session = {
        .spec_name = s.spec->name, .constants = row.as.constants, .device = &device};
    spec_sources_digest(s.sources, &row.as.source);
    job_key(job, &device, &row.key);
    if (how == STRAY_VERSION || how == STRAY_OPTION) // either changes the key
        row.key.bytes[0] ^= 1;
    r->stop = STOP_SETTLED;
    r->samples_ns = arena_copy(&r->arena, &ns, sizeof ns);
    r->sample_count = r->batch = 1;
    ck_assert_msg(store_begin(s.store, &session, &e) && store_put(s.store, &row, &policy, r, &e),
                  "%s", e.text);
    result_fail(failure, STATUS_CORRECTNESS, FAULT_CONFIGURATION, "wrong");
    if (how == STRAY_REFUTED)
        ck_assert_msg(store_put(s.store, &row, &policy, failure, &e), "%s", e.text);
    result_free(failure);
    result_free(r);
    job_free(job);
    spec_sources_free(s.sources);
    end(&s);
    if (how == STRAY_VERSION) {
        sqlite3 *db = NULL;
        ck_assert_int_eq(sqlite3_open(store_file, &db), SQLITE_OK);
        ck_assert_int_eq(sqlite3_exec(db,
                                      "UPDATE job SET measuring_version = measuring_version - 1 "
                                      "WHERE configuration = 'ID=7' AND key = (SELECT job FROM "
                                      "result ORDER BY date DESC, sequence DESC LIMIT 1)",
                                      NULL, NULL, NULL),
                         SQLITE_OK);
        ck_assert_int_eq(sqlite3_changes(db), 1);
        sqlite3_close(db);
    }
}

START_TEST(test_what_does_not_count_keeps_nobody_out)
{
    struct session s;
    begin(&s, NULL, NULL);
    run(&s);
    end(&s);
    put_stray((enum stray)_i);
    begin(&s, NULL, NULL);
    s.options.strategy = "random";
    s.options.setup.seed = 3;
    s.options.budget = (struct budget){.configurations = 2};
    run(&s);
    check_order(&s);
    ck_assert(s.progress.ranked.known);
    end(&s);
}
END_TEST

// ---- the speed-up over the default
// ----------------------------------------------------------------

static void find_best(struct session *s, struct best_answer *out);

enum { SLOW_DEFAULT = 7 }; // of data/late.json: four times the fastest

// The default takes part after the others, whatever screening said of it; asked again nothing is
// launched, and everything is decided alike.
START_TEST(test_speedup_over_a_slow_default)
{
    static const char file[] = HONE_SOURCE_DIR "/tests/tune/data/late.json";
    for (int again = 0; again < 2; again++) {
        struct session s;
        struct best_answer best;
        struct tune_speedup speedup;
        begin_with(&s, file, NULL, NULL);
        run(&s);
        const struct tune_record *base = s.records[SLOW_DEFAULT];
        const struct tune_ranked *ranked = &s.progress.ranked;
        ck_assert_ptr_eq(base, s.progress.default_record);
        ck_assert(ranked->decided && base->ranked);
        ck_assert_int_eq(ranked->known, again);
        ck_assert_uint_eq(ranked->finalists, CONTENDERS + 1);
        ck_assert_uint_eq(base->rank.place, CONTENDERS);
        ck_assert(!base->rank.tied);
        ck_assert_uint_eq(base->result->sample_count, SPEEDUP_ROUNDS);
        ck_assert_uint_eq(base->result->first_round, ranked->status.rounds);
        ck_assert_mem_eq(base->result->ranking, ranked->id, sizeof ranked->id);
        ck_assert_int_eq(id_of(&s, ranked->chosen), 0);
        tune_speedup(s.tune, &speedup);
        ck_assert(speedup.known && speedup.ranked && speedup.significant);
        ck_assert(speedup.ratio.interval);
        ck_assert_double_eq_tol(speedup.ratio.ratio, 4, 1e-3);
        ck_assert(speedup.ratio.low <= 4 && 4 <= speedup.ratio.high);
        find_best(&s, &best);
        ck_assert_str_eq(best.configuration, "ID=0");
        ck_assert_uint_eq(best.place.finalists, CONTENDERS + 1);
        ck_assert_uint_eq(best.place.rounds, ranked->status.rounds);
        ck_assert_ptr_null(best.place.faster);
        result_free(best.result);
        end(&s);
    }
}
END_TEST

// One of those that are tied, the fewest resources or not, is no reason to leave a faster default.
START_TEST(test_speedup_over_a_default_that_is_the_best)
{
    struct session s;
    struct tune_speedup speedup;
    begin(&s, NULL, NULL);
    run(&s);
    tune_speedup(s.tune, &speedup);
    ck_assert(speedup.known && speedup.ranked && !speedup.significant);
    ck_assert_double_eq(speedup.ratio.ratio, 1);
    end(&s);
}
END_TEST

// The default is then what the parameters' first values make, or the first valid configuration.
START_TEST(test_speedup_where_no_parameter_names_a_default)
{
    static const char file[] = HONE_SOURCE_DIR "/tests/tune/data/late.json";
    for (uint32_t initial = 0; initial < 2; initial++) {
        struct session s;
        struct tune_speedup speedup;
        begin_with(&s, file, NULL, NULL);
        struct parameter *id = (struct parameter *)&s.spec->parameters[0];
        id->has_default = false;
        id->initial = 5 * initial;
        run(&s);
        ck_assert(s.progress.has_default && s.records[5 * initial]->is_default);
        ck_assert_ptr_eq(s.progress.default_record, s.records[5 * initial]);
        tune_speedup(s.tune, &speedup);
        ck_assert(speedup.known && speedup.ranked);
        ck_assert_double_eq_tol(speedup.ratio.ratio, initial ? 1.04 : 1, 1e-3);
        end(&s);
    }
}
END_TEST

// Two medians of three launches are no speed-up; the interval of many is one that holds for the best of
// all (eight configurations, seven of which may be the best: 0.05 / 7 takes six of each).
START_TEST(test_speedup_without_a_ranking_is_screened)
{
    static const char file[] = HONE_SOURCE_DIR "/tests/tune/data/late.json";
    static const char *const where[] = {"ID < 3"}; // without the default
    struct session s;
    struct tune_speedup speedup;
    begin_with(&s, file, NULL, NULL);
    s.options.setup.terms.rules.fixed = 3;
    run(&s);
    tune_speedup(s.tune, &speedup);
    ck_assert(speedup.known && !speedup.ranked && !speedup.significant);
    ck_assert(!speedup.ratio.interval);
    ck_assert_uint_eq(speedup.needed, 6);
    end(&s);
    begin_with(&s, file, NULL, NULL);
    s.options.setup.terms.rules.fixed = speedup.needed;
    run(&s);
    tune_speedup(s.tune, &speedup);
    ck_assert(speedup.known && !speedup.ranked && speedup.ratio.interval && speedup.significant);
    ck_assert_double_eq_tol(speedup.ratio.ratio, 4, 1e-3);
    ck_assert_uint_eq(speedup.needed, 0);
    end(&s);
    begin_with(&s, file, NULL, NULL);
    s.options.setup.space.where = where;
    s.options.setup.space.where_count = 1;
    run(&s);
    tune_speedup(s.tune, &speedup);
    ck_assert(s.progress.ranked.decided && !speedup.known && !s.progress.has_default);
    end(&s);
}
END_TEST

// A start configuration is compared with the best by the ranking's ratio, or by screening times if it was not a finalist.
START_TEST(test_what_it_began_with_is_held_against_the_best)
{
    static const char *const start_with[] = {"ID=4", "ID=7"};
    for (int again = 0; again < 2; again++) {
        struct session s;
        begin(&s, NULL, NULL);
        s.options.start_with = start_with;
        s.options.start_count = 2;
        run(&s);
        const struct tune_start *starts = s.progress.starts;
        const struct tune_record *best = s.progress.ranked.chosen;
        ck_assert_uint_eq(s.progress.start_count, 2);
        ck_assert_int_eq(s.progress.ranked.known, again);
        ck_assert_ptr_eq(starts[0].record, s.records[4]);
        ck_assert(starts[0].record->ranked && starts[0].behind.known && starts[0].behind.ranked);
        ck_assert_double_eq_tol(starts[0].behind.ratio.ratio,
                                s.records[4]->rank.ratio / best->rank.ratio, 1e-12);
        ck_assert(!starts[1].record->ranked && starts[1].behind.known);
        ck_assert(!starts[1].behind.ranked);
        ck_assert_double_eq_tol(starts[1].behind.ratio.ratio, 3.06, 1e-2);
        end(&s);
    }
}
END_TEST

// ---- the lock
// ------------------------------------------------------------------------------------

// Another hone: takes the device whenever it can, and leaves a mark each time.
static pid_t start_rival(void)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid > 0)
        return pid;
    struct error e = ERROR_INIT;
    struct device_lock lock;
    if (!device_lock_open(&lock, folder, &report.devices[0], &e))
        _exit(1);
    for (;;) {
        if (device_lock_try(&lock, &e) == 1) {
            FILE *f = fopen(strchr(events_variable, '=') + 1, "a");
            if (!f || fputs("mark\n", f) < 0 || fclose(f) != 0)
                _exit(1);
            usleep(2000);
            device_lock_release(&lock);
        }
        usleep(500);
    }
}

START_TEST(test_nobody_else_within_a_round)
{
    const char *const noting[] = {folder_variable, events_variable, "FAKE_DELAY_US=1000", NULL};
    struct session s;
    char turns[4096];
    size_t since = 0, between = 0;
    begin(&s, NULL, NULL);
    s.options.setup.at.environment = noting;
    s.options.setup.terms.rules.precision = 0;
    s.options.setup.terms.rules.rounds = 8;
    s.options.setup.terms.rules.looks = 1; // nobody leaves before the end
    s.options.setup.terms.rules.early = 100;
    s.options.setup.terms.rules.repeats = 0;
    pid_t rival = start_rival();
    run(&s);
    ck_assert_int_eq(kill(rival, SIGKILL), 0);
    ck_assert_int_eq(waitpid(rival, NULL, 0), rival);
    check_order(&s);
    end(&s);
    read_turns(turns, sizeof turns);
    for (const char *t = turns; *t; t++) {
        since += *t != '|';
        if (*t != '|')
            continue;
        ck_assert_msg(since % (CONTENDERS + 1) == 0, "%s", turns);
        between += since > 0;
    }
    ck_assert_uint_eq(since, (size_t)8 * (CONTENDERS + 1));
    ck_assert_msg(between > 0, "%s", turns); // it had its turn between rounds
}
END_TEST

// ---- failures
// ------------------------------------------------------------------------------------

static bool is_correct_row(void *context, const struct store_row *row)
{
    bool *correct = context;
    if (strcmp(row->configuration, "ID=0") == 0) {
        *correct = row->result->status == STATUS_CORRECT;
        return false; // newest first
    }
    return true;
}

static void fails(const char *how, enum status status)
{
    struct session s;
    struct error e = ERROR_INIT;
    bool correct = true;
    begin(&s, how, "BAD=0");
    s.options.setup.terms.rules.precision = 0; // all rounds, so that two are told apart as well
    run(&s);
    const struct tune_ranked *ranked = &s.progress.ranked;
    ck_assert(ranked->decided);
    ck_assert_uint_eq(ranked->failed, 1);
    ck_assert_msg(s.records[0]->result->status == status, "%s",
                  status_text(s.records[0]->result->status));
    ck_assert(!s.records[0]->timed && !s.records[0]->ranked);
    ck_assert_uint_eq(s.progress.by_status[STATUS_CORRECT], CONFIGURATIONS - 1);
    ck_assert_uint_eq(s.progress.by_status[status], 1);
    ck_assert_int_eq(id_of(&s, ranked->chosen), 1);
    ck_assert_uint_eq(ranked->tied, 1);
    struct store_query query = {0};
    ck_assert_msg(store_each(s.store, &query, is_correct_row, &correct, &e), "%s", e.text);
    ck_assert_msg(!correct, "the store still has it as correct");
    end(&s);
}

START_TEST(test_one_dies_in_the_ranking)
{
    fails("HOW=die_in_turn", STATUS_RUNTIME);
}
END_TEST

START_TEST(test_one_fails_its_last_verification)
{
    fails("HOW=wrong_in_the_end", STATUS_CORRECTNESS);
}
END_TEST

// Those that the leader kept out are finalists once it has failed; so is who comes after the second.
START_TEST(test_a_leader_that_fails_keeps_nobody_out)
{
    struct session s;
    begin_with(&s, HONE_SOURCE_DIR "/tests/tune/data/leader.json", NULL, NULL);
    s.options.setup.fresh = _i & 1;
    s.options.setup.at.jobs = 1;
    if (_i & 2) { // none of them is known from the store
        store_close(s.store);
        s.options.setup.store = s.store = NULL;
    }
    run(&s);
    const struct tune_ranked *ranked = &s.progress.ranked;
    ck_assert(ranked->decided);
    ck_assert_uint_eq(ranked->failed, 2);
    ck_assert_uint_eq(ranked->finalists, CONFIGURATIONS - 2);
    ck_assert_int_eq(id_of(&s, ranked->chosen), 0);
    ck_assert_ptr_eq(s.progress.best, ranked->chosen);
    ck_assert_int_eq(s.records[2]->result->status, STATUS_CORRECTNESS);
    ck_assert_int_eq(s.records[5]->result->status, STATUS_RUNTIME);
    for (int id = 0; id < CONFIGURATIONS; id++)
        ck_assert_msg(s.records[id]->ranked == (id != 2 && id != 5), "%d", id);
    end(&s);
    if (_i & 2)
        return;
    begin_with(&s, HONE_SOURCE_DIR "/tests/tune/data/leader.json", NULL, NULL);
    run(&s); // and nothing is launched again
    ck_assert(s.progress.ranked.known && s.progress.ranked.decided);
    ck_assert_int_eq(id_of(&s, s.progress.ranked.chosen), 0);
    ck_assert_uint_eq(s.progress.launches, 0);
    end(&s);
}
END_TEST

START_TEST(test_cancelled_while_it_ranks)
{
    struct session s;
    begin(&s, NULL, NULL);
    s.options.setup.terms.rules.rounds = 10000;
    s.options.setup.terms.rules.precision = 0;
    s.options.setup.at.environment = environment;
    start(&s);
    enum workflow_answer answer;
    do {
        struct error e = ERROR_INIT;
        const struct tune_record *record;
        answer = tune_step(s.tune, 1, &record, &e);
        if (answer == WORKFLOW_RECORD)
            s.records[id_of(&s, record)] = record;
        tune_progress(s.tune, &s.progress);
    } while (answer >= WORKFLOW_NOTHING && answer != WORKFLOW_END &&
             s.progress.ranked.status.round < 2);
    ck_assert(s.progress.ranked.running);
    tune_cancel(s.tune);
    while (step(&s) != WORKFLOW_END)
        ;
    ck_assert(!s.progress.ranked.running && !s.progress.ranked.decided);
    ck_assert_ptr_nonnull(s.progress.best);
    for (int id = 0; id < CONFIGURATIONS; id++)
        ck_assert_int_ne(s.records[id]->result->stop, STOP_RANKED);
    end(&s);
}
END_TEST

// ---- the store
// -----------------------------------------------------------------------------------

START_TEST(test_known_ranking_is_not_measured_again)
{
    struct session first, second;
    begin(&first, NULL, NULL);
    run(&first);
    begin(&second, NULL, NULL);
    run(&second);
    check_order(&second);
    ck_assert(second.progress.ranked.known);
    ck_assert_uint_eq(second.progress.launches, 0);
    for (int id = 0; id < CONTENDERS; id++) {
        const struct ranking_entry *a = &first.records[id]->rank, *b = &second.records[id]->rank;
        ck_assert_double_eq(a->ratio, b->ratio);
        ck_assert_double_eq(a->ratio_low, b->ratio_low);
        ck_assert_double_eq(a->ratio_high, b->ratio_high);
        ck_assert(a->tied == b->tied && a->place == b->place);
    }
    end(&second);
    end(&first);
}
END_TEST

START_TEST(test_finalists_of_an_earlier_run)
{
    struct session s;
    begin(&s, NULL, NULL);
    s.options.setup.terms.rules.unranked = true;
    run(&s);
    end(&s);
    begin(&s, NULL, NULL);
    run(&s);
    ck_assert_uint_eq(s.progress.reused, CONFIGURATIONS);
    ck_assert(!s.progress.ranked.known);
    check_order(&s);
    end(&s);
}
END_TEST

// What another run gave up early is measured to its end where it is the only one.
START_TEST(test_stopped_early_is_a_finalist)
{
    struct session s;
    const char *const where[] = {"ID == 7"};
    begin(&s, NULL, NULL);
    s.options.setup.terms.rules.unranked = true;
    run(&s);
    ck_assert_int_eq(s.records[HOPELESS]->result->stop, STOP_HOPELESS);
    end(&s);
    begin(&s, NULL, NULL);
    s.options.setup.space.where = where;
    s.options.setup.space.where_count = 1;
    run(&s);
    ck_assert(s.progress.ranked.decided);
    ck_assert_int_eq(s.records[HOPELESS]->result->stop, STOP_RANKED);
    ck_assert_uint_eq(s.records[HOPELESS]->result->sample_count, FINAL_RANKING_ROUNDS_ALONE);
    ck_assert(s.records[HOPELESS]->stats.interval);
    end(&s);
}
END_TEST

static void find_best_where(struct session *s, const char *const *where, struct best_answer *out)
{
    struct error e = ERROR_INIT;
    bool found;
    s->sources = spec_sources_read(s->spec, LANGUAGE_OPENCL, NULL, NULL, &e);
    struct best_options o = {.spec = s->spec,
                             .sources = s->sources,
                             .store = s->store,
                             .device = &report.devices[0],
                             .space.where = where,
                             .space.where_count = where != NULL};
    ck_assert_msg(best_find(&o, &arena, out, &found, &e), "%s", e.text);
    ck_assert(found);
    spec_sources_free(s->sources);
}

static void find_best(struct session *s, struct best_answer *out)
{
    find_best_where(s, NULL, out);
}

START_TEST(test_cold_times_do_not_compare_with_warm_ones)
{
    struct session s;
    struct best_answer best;
    begin(&s, NULL, NULL);
    run(&s);
    end(&s);
    put_stray(STRAY_COLD);
    begin(&s, NULL, NULL);
    find_best(&s, &best);
    ck_assert_str_eq(best.configuration, "ID=0");
    ck_assert_ptr_null(best.place.faster);
    result_free(best.result);
    end(&s);
}
END_TEST

START_TEST(test_best_decides_as_the_tune_did)
{
    struct session s;
    struct best_answer b;
    const char *const where[] = {"ID >= 2"};
    begin(&s, NULL, NULL);
    run(&s);
    find_best(&s, &b);
    ck_assert_str_eq(b.configuration, "ID=0");
    ck_assert(b.place.ranked);
    ck_assert_uint_eq(b.place.tied, 2);
    ck_assert_uint_eq(b.place.finalists, CONTENDERS);
    ck_assert_str_eq(b.place.why, s.progress.ranked.why);
    ck_assert_double_eq(b.place.rank.ratio, s.progress.ranked.chosen->rank.ratio);
    ck_assert_ptr_null(b.place.faster);
    result_free(b.result);
    end(&s);
    // A newer ranking of a part of the space does not hide the faster ones outside of it.
    begin(&s, NULL, NULL);
    s.options.setup.fresh = true;
    s.options.setup.space.where = where;
    s.options.setup.space.where_count = 1;
    run(&s);
    find_best(&s, &b);
    ck_assert_str_eq(b.configuration, "ID=0");
    result_free(b.result);
    end(&s);
}
END_TEST

// An interval is widened to the resolution that was stored with its samples, not to that of a timer which the device
// claims in another process.
START_TEST(test_the_interval_is_the_measurement_s)
{
    struct session s;
    struct best_answer b, later;
    const uint64_t timer_ns = report.devices[0].timer_ns;
    begin(&s, NULL, NULL);
    run(&s);
    find_best(&s, &b);
    report.devices[0].timer_ns = 1000 * 1000;
    find_best(&s, &later);
    report.devices[0].timer_ns = timer_ns;
    ck_assert(b.stats.interval && later.stats.interval);
    ck_assert_double_eq(b.stats.low, later.stats.low);
    ck_assert_double_eq(b.stats.high, later.stats.high);
    result_free(b.result);
    result_free(later.result);
    end(&s);
}
END_TEST

// ---- a ranking that the store has, and that is not all that is asked for ------------------------

static void run_where(struct session *s, const char *const *where)
{
    begin(s, NULL, NULL);
    s->options.setup.space.where = where;
    s->options.setup.space.where_count = 1;
    run(s);
}

// One that left the ranking of a larger space after a few rounds is measured to its end alone.
START_TEST(test_leaver_asked_for_alone)
{
    struct session s;
    const char *const leaver[] = {"ID == 6"};
    begin(&s, NULL, NULL);
    s.options.setup.terms.rules.early = 6;
    run(&s);
    ck_assert_uint_lt(s.records[LEAVER]->result->sample_count, FINAL_RANKING_ROUNDS_ALONE);
    end(&s);
    run_where(&s, leaver);
    ck_assert(s.progress.ranked.decided && !s.progress.ranked.known);
    ck_assert_uint_eq(s.records[LEAVER]->result->sample_count, FINAL_RANKING_ROUNDS_ALONE);
    end(&s);
    run_where(&s, leaver);
    ck_assert(s.progress.ranked.known);
    end(&s);
}
END_TEST

START_TEST(test_more_rounds_are_asked_for)
{
    for (int more = 0; more < 3; more++) {
        struct session s;
        begin(&s, NULL, NULL);
        s.options.setup.terms.rules.looks = 1;
        s.options.setup.terms.rules.rounds = more ? 20 : 10;
        run(&s);
        ck_assert(s.progress.ranked.known == (more == 2));
        ck_assert_uint_eq(s.records[0]->result->sample_count, more ? 20 : 10);
        check_order(&s);
        end(&s);
    }
}
END_TEST

// Those that were never in one ranking are put into one, however far apart they seemed.
START_TEST(test_rankings_of_parts)
{
    static const char *const parts[][2] = {{"ID == 0", "ID == 6"}, {"ID <= 1", "ID == 6"}};
    static const char *const both[] = {"ID == 0 or ID == 6", "ID <= 1 or ID == 6"};
    for (int i = 0; i < 2; i++) {
        struct session s;
        for (int part = 0; part < 2; part++) {
            run_where(&s, &parts[i][part]);
            end(&s);
        }
        run_where(&s, &both[i]);
        ck_assert(s.progress.ranked.decided && !s.progress.ranked.known);
        ck_assert_uint_eq(s.progress.ranked.finalists, 2 + i);
        ck_assert(s.records[6]->ranked && !s.records[6]->rank.tied);
        end(&s);
    }
}
END_TEST

static void check_best(struct session *s, const char *const *where, const char *configuration,
                       const char *part)
{
    struct best_answer b;
    find_best_where(s, where, &b);
    ck_assert_str_eq(b.configuration, configuration);
    ck_assert(b.place.ranked);
    ck_assert_pstr_eq(b.place.part, part);
    result_free(b.result);
}

// The best of a part is called so, until all of it was searched.
START_TEST(test_best_of_a_part)
{
    struct session s;
    static const char *const part[] = {"ID >= 2"}, *const slow[] = {"ID == 5 or ID == 6"};
    static const char *const one[] = {"ID == 4"};
    run_where(&s, part);
    check_best(&s, NULL, "ID=2", "--where 'ID >= 2'");
    check_best(&s, part, "ID=2", NULL);
    check_best(&s, one, "ID=4", NULL); // of one there is no best
    end(&s);
    begin(&s, NULL, NULL);
    run(&s);
    check_best(&s, NULL, "ID=0", NULL);
    check_best(&s, part, "ID=2", NULL);
    end(&s);
    run_where(&s, slow);
    check_best(&s, NULL, "ID=0", NULL);
    check_best(&s, slow, "ID=5", NULL);
    end(&s);
}
END_TEST

// A newer ranking of a part decides where the answer took part in it, however near the others come.
START_TEST(test_best_after_a_part)
{
    struct session s;
    static const char *const without[] = {"ID == 1 or ID == 5"}, *const with[] = {"ID % 5 == 0"};
    begin(&s, NULL, NULL);
    run(&s);
    check_best(&s, NULL, "ID=0", NULL);
    end(&s);
    for (int i = 0; i < 2; i++) {
        struct best_answer b;
        begin(&s, NULL, NULL);
        s.options.setup.fresh = true;
        s.options.setup.space.where = i == 0 ? without : with;
        s.options.setup.space.where_count = 1;
        run(&s);
        check_best(&s, NULL, "ID=0", NULL);
        check_best(&s, s.options.setup.space.where, i == 0 ? "ID=1" : "ID=0", NULL);
        find_best(&s, &b);
        ck_assert_uint_eq(b.place.finalists, i == 0 ? CONTENDERS : 2);
        result_free(b.result);
        end(&s);
    }
}
END_TEST

// What was left out turned out slow: the ranking of the part is that of the whole, without a
// launch of those in it, and that is kept.
START_TEST(test_part_has_the_best_of_the_whole)
{
    struct session s;
    static const char *const part[] = {"ID != 7"};
    run_where(&s, part);
    check_best(&s, NULL, "ID=0", "--where 'ID != 7'");
    end(&s);
    for (int i = 0; i < 2; i++) {
        begin(&s, NULL, NULL);
        run(&s);
        ck_assert(s.progress.ranked.known);
        ck_assert_uint_eq(s.progress.reused, i == 0 ? CONFIGURATIONS - 1 : CONFIGURATIONS);
        check_order(&s);
        check_best(&s, NULL, "ID=0", NULL);
        check_best(&s, part, "ID=0", NULL);
        end(&s);
    }
}
END_TEST

START_TEST(test_two_at_once)
{
    struct session s[2];
    struct best_answer b;
    bool over[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        begin(&s[i], NULL, NULL);
        s[i].options.setup.fresh = true;
        start(&s[i]);
    }
    for (int i = 0; !over[0] || !over[1]; i = !i) {
        struct error e = ERROR_INIT;
        const struct tune_record *record;
        enum workflow_answer answer = over[i] ? WORKFLOW_END : tune_step(s[i].tune, 2, &record, &e);
        ck_assert_msg(answer != WORKFLOW_BROKEN, "%s", e.text);
        if (answer == WORKFLOW_RECORD)
            s[i].records[id_of(&s[i], record)] = record;
        tune_progress(s[i].tune, &s[i].progress);
        over[i] = answer == WORKFLOW_END;
    }
    for (int i = 0; i < 2; i++)
        check_order(&s[i]);
    ck_assert_mem_ne(s[0].progress.ranked.id, s[1].progress.ranked.id, 16);
    find_best(&s[0], &b);
    ck_assert_str_eq(b.configuration, "ID=0");
    ck_assert_uint_eq(b.place.finalists, CONTENDERS);
    result_free(b.result);
    for (int i = 0; i < 2; i++)
        end(&s[i]);
}
END_TEST

// A ranking of a store behind is as good as an own one, and so is one that was merged.
START_TEST(test_rankings_of_other_stores)
{
    struct session s;
    struct best_answer b;
    struct error e = ERROR_INIT;
    char team[sizeof store_file];
    begin(&s, NULL, NULL);
    run(&s);
    end(&s);
    snprintf(team, sizeof team, "%s", store_file);
    for (int merged = 0; merged < 2; merged++) {
        struct store_imported imported;
        const char *const files[] = {team};
        snprintf(store_file, sizeof store_file, "%s/own%d.sqlite", folder, merged);
        if (merged)
            ck_assert_msg(store_import(store_file, files, 1, &imported, &e), "%s", e.text);
        begin(&s, NULL, NULL);
        if (!merged)
            store_stack(s.store, store_open(team, STORE_READ, &e));
        run(&s);
        check_order(&s);
        ck_assert(s.progress.ranked.known);
        ck_assert_uint_eq(s.progress.launches, 0);
        find_best(&s, &b);
        ck_assert_str_eq(b.configuration, "ID=0");
        ck_assert_uint_eq(b.place.finalists, CONTENDERS);
        ck_assert(merged ? !b.result->origin : str_equal(b.result->origin, team));
        result_free(b.result);
        end(&s);
    }
}
END_TEST

// What is shipped of a store answers as the store does, also once a part of the space was ranked
// anew; and it is in a file that nobody has to write to.
START_TEST(test_ranking_that_is_shipped)
{
    struct session s;
    struct best_answer whole, shipped;
    struct error e = ERROR_INIT;
    static const char *const parts[][1] = {{""}, {"ID >= 5"}, {"ID < 2"}};
    char all[sizeof store_file], known[sizeof store_file + 16];
    const char *const files[] = {all};
    snprintf(all, sizeof all, "%s", store_file);
    snprintf(known, sizeof known, "%s/known.sqlite", folder);
    for (int part = 0; part < 3; part++) {
        struct store_imported counts;
        struct store_counts held;
        begin(&s, NULL, NULL);
        s.options.setup.fresh = true;
        s.options.setup.space.where = parts[part];
        s.options.setup.space.where_count = part > 0;
        run(&s);
        find_best(&s, &whole);
        end(&s);
        remove(known);
        ck_assert_msg(bundle_best(known, files, 1, &counts, &e), "%s", e.text);
        ck_assert_uint_eq(counts.results, part ? CONTENDERS + 2 : CONTENDERS);
        ck_assert_uint_eq(counts.added, counts.results);
        begin(&s, NULL, NULL);
        store_close(s.store);
        s.store = store_stack(NULL, store_open(known, STORE_IMMUTABLE, &e));
        ck_assert_msg(store_count(s.store, &held, &e), "%s", e.text);
        ck_assert_uint_eq(held.results, counts.results);
        find_best(&s, &shipped);
        ck_assert_str_eq(shipped.configuration, whole.configuration);
        ck_assert_str_eq(shipped.configuration, "ID=0");
        ck_assert_str_eq(shipped.result->origin, known);
        ck_assert_ptr_null(shipped.place.part); // the ranking of the whole went along
        ck_assert_double_eq(shipped.place.rank.ratio, whole.place.rank.ratio);
        ck_assert_uint_eq(shipped.place.tied, whole.place.tied);
        result_free(shipped.result);
        result_free(whole.result);
        end(&s);
    }
}
END_TEST

// What the team's store screened is ranked here, and is then the user's own.
START_TEST(test_finalists_of_a_store_behind)
{
    struct session s;
    struct error e = ERROR_INIT;
    char team[sizeof store_file];
    begin(&s, NULL, NULL);
    s.options.setup.terms.rules.unranked = true;
    run(&s);
    end(&s);
    snprintf(team, sizeof team, "%s", store_file);
    snprintf(store_file, sizeof store_file, "%s/own.sqlite", folder);
    begin(&s, NULL, NULL);
    store_stack(s.store, store_open(team, STORE_READ, &e));
    run(&s);
    check_order(&s);
    ck_assert_uint_eq(s.progress.reused, CONFIGURATIONS);
    for (int id = 0; id < CONFIGURATIONS; id++)
        ck_assert_msg(!s.records[id]->result->origin == (id < CONTENDERS), "%d", id);
    end(&s);
}
END_TEST

// A finalist that was dropped stays a failure; the others' ranking is decided without it.
START_TEST(test_known_ranking_that_dropped_one)
{
    fails("HOW=wrong_in_the_end", STATUS_CORRECTNESS);
    struct session s;
    struct best_answer b;
    begin(&s, "HOW=wrong_in_the_end", "BAD=0");
    run(&s);
    ck_assert_int_eq(s.records[0]->result->status, STATUS_CORRECTNESS);
    ck_assert_int_eq(id_of(&s, s.progress.ranked.chosen), 1);
    find_best(&s, &b);
    ck_assert_str_eq(b.configuration, "ID=1");
    result_free(b.result);
    end(&s);
}
END_TEST

// By the rules that the tune was given, which best is not told.
START_TEST(test_best_has_the_rules_of_the_tune)
{
    struct session s, other;
    struct best_answer b;
    begin(&s, NULL, NULL);
    s.options.setup.terms.rules.level = 0.6;
    s.options.setup.terms.rules.rounds = 9;
    s.options.setup.terms.rules.looks = 2;
    s.options.setup.terms.rules.precision = 0;
    run(&s);
    find_best(&s, &b);
    const struct ranking_entry *rank = &s.progress.ranked.chosen->rank;
    ck_assert_double_eq(b.result->terms.level, 0.6);
    ck_assert_uint_eq(b.result->terms.rounds, 9);
    ck_assert_uint_eq(b.place.tied, s.progress.ranked.tied);
    ck_assert_double_eq(b.place.rank.ratio, rank->ratio);
    ck_assert_double_eq(b.place.rank.ratio_low, rank->ratio_low);
    ck_assert_double_eq(b.place.rank.ratio_high, rank->ratio_high);
    result_free(b.result);
    // Under other rules it is another decision: one of their own.
    begin(&other, NULL, NULL);
    run(&other);
    ck_assert(other.progress.ranked.decided && !other.progress.ranked.known);
    find_best(&other, &b);
    ck_assert_double_eq(b.result->terms.level, other.options.setup.terms.rules.level);
    result_free(b.result);
    end(&other);
    end(&s);
}
END_TEST

// One that was only measured alone is not the answer, but named where it is clearly faster.
START_TEST(test_best_names_who_is_faster_alone)
{
    struct session s;
    struct best_answer b;
    const char *const slower[] = {"ID >= 2"}, *const faster[] = {"ID < 2"};
    begin(&s, NULL, NULL);
    s.options.setup.space.where = slower;
    s.options.setup.space.where_count = 1;
    run(&s);
    end(&s);
    begin(&s, NULL, NULL);
    s.options.setup.space.where = faster;
    s.options.setup.space.where_count = 1;
    s.options.setup.terms.rules.fixed = 7;
    run(&s);
    find_best(&s, &b);
    ck_assert_str_eq(b.configuration, "ID=2");
    ck_assert(b.place.ranked);
    ck_assert_ptr_nonnull(b.place.faster);
    ck_assert_msg(strcmp(b.place.faster, "ID=0") == 0 || strcmp(b.place.faster, "ID=1") == 0, "%s",
                  b.place.faster);
    ck_assert_double_lt(b.place.faster_median, b.stats.median);
    result_free(b.result);
    end(&s);
}
END_TEST

// One answer for each device and each set of constants.
START_TEST(test_best_of_all)
{
    struct session s;
    struct error e = ERROR_INIT;
    struct best_answer *all;
    size_t count;
    struct device_info other = report.devices[0];
    other.name = "other device";
    begin(&s, "HOW=good", "BAD=5");
    run(&s);
    end(&s);
    begin(&s, NULL, NULL);
    s.options.setup.at.device = &other;
    run(&s);
    end(&s);
    begin(&s, NULL, NULL);
    run(&s);
    s.sources = spec_sources_read(s.spec, LANGUAGE_OPENCL, NULL, NULL, &e);
    struct best_options o = {.spec = s.spec, .sources = s.sources, .store = s.store};
    ck_assert_msg(best_all(&o, &arena, &all, &count, &e), "%s", e.text);
    ck_assert_uint_eq(count, 3);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(all[i].configuration, "ID=0");
        ck_assert_uint_eq(all[i].place.finalists, CONTENDERS);
        ck_assert_str_eq(all[i].device, i == 1 ? "other device" : report.devices[0].name);
    }
    ck_assert_str_ne(all[0].constants, all[2].constants);
    best_release_all(all, count);
    spec_sources_free(s.sources);
    end(&s);
}
END_TEST

// Fixed counts that were topped up are shown together, as a lookup puts them together.
START_TEST(test_best_of_fixed_counts)
{
    static const uint32_t counts[] = {3, 7, 5};
    struct session s;
    struct best_answer b;
    for (int i = 0; i < 3; i++) {
        begin(&s, NULL, NULL);
        s.options.setup.terms.rules.fixed = counts[i];
        run(&s);
        find_best(&s, &b);
        ck_assert_uint_eq(b.result->sample_count, i == 0 ? 3 : 7);
        ck_assert_uint_eq(b.stats.count, b.result->sample_count);
        result_free(b.result);
        end(&s);
    }
}
END_TEST

// What was measured anew is the answer, as the tune printed it; older samples are no part of it.
START_TEST(test_best_of_a_fixed_count_taken_anew)
{
    char path[160], variable[200];
    struct session s;
    struct best_answer b;
    snprintf(path, sizeof path, "%s/drift", folder);
    snprintf(variable, sizeof variable, "FAKE_DRIFT=%s", path);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < 100; i++)
        ck_assert_int_gt(fprintf(f, "2000000\n"), 0);
    ck_assert_int_eq(fclose(f), 0);
    const char *const drifting[] = {folder_variable, variable, NULL};
    for (int anew = 0; anew < 2; anew++) {
        begin(&s, NULL, NULL);
        s.options.setup.terms.rules.fixed = 5;
        s.options.setup.fresh = anew;
        s.options.setup.at.environment = anew ? drifting : environment;
        run(&s);
        find_best(&s, &b);
        ck_assert_uint_eq(b.result->sample_count, 5);
        ck_assert_double_eq_tol(b.stats.median, (anew ? 2e5 : 1e5), 10);
        ck_assert_double_eq(b.stats.median, s.progress.best->stats.median);
        result_free(b.result);
        end(&s);
    }
}
END_TEST

// Measured alone, an answer is not called ranked.
START_TEST(test_best_without_a_ranking)
{
    struct session s;
    struct best_answer b;
    begin(&s, NULL, NULL);
    s.options.setup.terms.rules.fixed = 7;
    run(&s);
    find_best(&s, &b);
    ck_assert(!b.place.ranked);
    result_free(b.result);
    end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ranking");
    TCase *cases = tcase_create("ranking");
    tcase_add_checked_fixture(cases, setup_noting, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, test_order_ties_and_leavers);
    tcase_add_test(cases, test_no_ranking_where_none_is_wanted);
    tcase_add_test(cases, test_order_is_of_the_seed);
    tcase_add_test(cases, test_rounds_of_a_busy_machine);
    tcase_add_test(cases, test_short_ranking_when_the_time_is_up);
    tcase_add_test(cases, test_the_search_leaves_time_for_the_ranking);
    tcase_add_test(cases, test_what_is_known_takes_part);
    tcase_add_test(cases, test_speedup_over_a_slow_default);
    tcase_add_test(cases, test_speedup_over_a_default_that_is_the_best);
    tcase_add_test(cases, test_speedup_where_no_parameter_names_a_default);
    tcase_add_test(cases, test_speedup_without_a_ranking_is_screened);
    tcase_add_test(cases, test_what_it_began_with_is_held_against_the_best);
    tcase_add_loop_test(cases, test_what_does_not_count_keeps_nobody_out, 0, STRAY_COUNT);
    tcase_add_test(cases, test_nobody_else_within_a_round);
    tcase_add_test(cases, test_one_dies_in_the_ranking);
    tcase_add_test(cases, test_one_fails_its_last_verification);
    tcase_add_loop_test(cases, test_a_leader_that_fails_keeps_nobody_out, 0, 4);
    tcase_add_test(cases, test_cancelled_while_it_ranks);
    tcase_add_test(cases, test_known_ranking_is_not_measured_again);
    tcase_add_test(cases, test_finalists_of_an_earlier_run);
    tcase_add_test(cases, test_stopped_early_is_a_finalist);
    tcase_add_test(cases, test_cold_times_do_not_compare_with_warm_ones);
    tcase_add_test(cases, test_best_decides_as_the_tune_did);
    tcase_add_test(cases, test_the_interval_is_the_measurement_s);
    tcase_add_test(cases, test_best_has_the_rules_of_the_tune);
    tcase_add_test(cases, test_best_names_who_is_faster_alone);
    tcase_add_test(cases, test_best_without_a_ranking);
    tcase_add_test(cases, test_leaver_asked_for_alone);
    tcase_add_test(cases, test_more_rounds_are_asked_for);
    tcase_add_test(cases, test_rankings_of_parts);
    tcase_add_test(cases, test_best_of_a_part);
    tcase_add_test(cases, test_best_after_a_part);
    tcase_add_test(cases, test_part_has_the_best_of_the_whole);
    tcase_add_test(cases, test_two_at_once);
    tcase_add_test(cases, test_rankings_of_other_stores);
    tcase_add_test(cases, test_ranking_that_is_shipped);
    tcase_add_test(cases, test_finalists_of_a_store_behind);
    tcase_add_test(cases, test_known_ranking_that_dropped_one);
    tcase_add_test(cases, test_best_of_all);
    tcase_add_test(cases, test_best_of_fixed_counts);
    tcase_add_test(cases, test_best_of_a_fixed_count_taken_anew);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
