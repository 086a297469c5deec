// The farm with members that do as they are told, in this program: who measures what while there is no
// reference, what is done when members are lost, and what is said when all are.
#include "runner/farm.h"
#include "runner/remote.h"

#include <check.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MEMBERS 4
#define QUEUE   16

struct fake {
    struct evaluator base;
    struct cached_options o;
    struct live_options live;
    uint64_t queue[QUEUE]; // in the order in which they came
    size_t count;
    uint64_t turn; // with `launches`
    uint32_t launches;
    unsigned answers; // that it may still give of its queue
    bool is_dead;
    bool is_slow;          // by 30 %, in all launches but the first
    struct process worker; // (or none) that takes its time to end
};

static struct fake *fakes[MEMBERS];
static uint32_t made;

static struct fake *fake_of(struct evaluator *ev)
{
    return (struct fake *)ev;
}

static bool fake_submit(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e)
{
    struct fake *k = fake_of(ev);
    (void)e;
    job_free(job);
    ck_assert_uint_lt(k->count, QUEUE);
    k->queue[k->count++] = ticket;
    return true;
}

static void fake_drop(struct evaluator *ev, uint64_t ticket)
{
    struct fake *k = fake_of(ev);
    size_t kept = 0;
    for (size_t i = 0; i < k->count; i++) {
        if (k->queue[i] != ticket)
            k->queue[kept++] = k->queue[i];
    }
    k->count = kept;
}

static struct result *timed(const struct fake *k, uint32_t samples)
{
    struct result *r = result_new();
    ck_assert_ptr_nonnull(r);
    r->samples_ns = arena_array(&r->arena, samples, sizeof *r->samples_ns);
    ck_assert_ptr_nonnull(r->samples_ns);
    r->sample_count = samples;
    for (uint32_t i = 0; i < samples; i++)
        r->samples_ns[i] = k->is_slow && i > 0 ? 1300 : 1000;
    return r;
}

// As the live evaluator does: turns first, and of its jobs nothing but the first.
static int fake_take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    struct fake *k = fake_of(ev);
    (void)timeout_ms;
    if (k->is_dead) {
        error_set(e, ERROR_DEVICE, "member %s is gone", k->live.at.device->id);
        return -1;
    }
    if (k->launches > 0) {
        *out = (struct outcome){.ticket = k->turn, .result = timed(k, k->launches)};
        k->launches = 0;
        return 1;
    }
    if (k->answers == 0 || k->count == 0 || !k->o.may_measure(k->o.context, k->queue[0]))
        return 0;
    k->answers--;
    *out = (struct outcome){.ticket = k->queue[0], .result = timed(k, 3)};
    fake_drop(ev, k->queue[0]);
    return 1;
}

static bool fake_again(struct evaluator *ev, uint64_t ticket, const struct turn *turn,
                       struct error *e)
{
    struct fake *k = fake_of(ev);
    (void)e;
    fake_drop(ev, ticket);
    k->turn = ticket;
    k->launches = turn->launches;
    return true;
}

static size_t fake_room(struct evaluator *ev)
{
    return QUEUE - fake_of(ev)->count;
}

static bool fake_idle(struct evaluator *ev)
{
    return fake_of(ev)->count == 0 && fake_of(ev)->launches == 0;
}

// It is at its first job.
static bool fake_suspects(struct evaluator *ev, uint64_t ticket)
{
    return fake_of(ev)->count > 0 && fake_of(ev)->queue[0] == ticket;
}

static size_t fake_watch(struct evaluator *ev, struct pollfd *fds, size_t most, uint64_t *until)
{
    uint64_t soon = clock_ns() + 1000000;
    size_t wanted = LIVE_CHANNELS(fake_of(ev)->live.at.jobs);
    ck_assert_uint_ge(most, wanted);
    for (size_t i = 0; i < wanted; i++)
        fds[i] = (struct pollfd){.fd = -1};
    *until = soon < *until ? soon : *until;
    return wanted;
}

static void fake_destroy(struct evaluator *ev)
{
    for (uint32_t i = 0; i < made; i++) {
        if (fakes[i] == fake_of(ev))
            fakes[i] = NULL;
    }
    if (fake_of(ev)->worker.pid) {
        struct ending *n = calloc(1, sizeof *n);
        ck_assert_ptr_nonnull(n);
        n->process = fake_of(ev)->worker;
        endings_move(fake_of(ev)->live.endings, &(struct endings){n});
    }
    free(ev);
}

static const struct evaluator_operations fake_operations = {.submit = fake_submit,
                                                            .take = fake_take,
                                                            .again = fake_again,
                                                            .drop = fake_drop,
                                                            .room = fake_room,
                                                            .idle = fake_idle,
                                                            .suspects = fake_suspects,
                                                            .watch = fake_watch,
                                                            .destroy = fake_destroy};

// What the farm makes its members with.
struct evaluator *cached_new(const struct cached_options *o, struct live_options *live,
                             struct error *e)
{
    struct fake *k = alloc_zeroed(sizeof *k, e);
    ck_assert_ptr_nonnull(k);
    ck_assert_uint_lt(made, MEMBERS);
    k->base.ops = &fake_operations;
    k->worker = (struct process)PROCESS_NONE;
    k->o = *o;
    k->live = *live;
    fakes[made++] = k;
    return &k->base;
}

uint32_t live_default_jobs(const struct node *node, const struct device_info *d)
{
    (void)node, (void)d;
    return 1;
}

uint32_t live_builder_jobs(const struct place *p)
{
    return p->jobs;
}

uint32_t live_pool_workers(const struct live_options *o)
{
    uint32_t sum = o->at.jobs;
    for (uint32_t i = 0; i < o->builder_count; i++)
        sum += o->builders[i].jobs;
    return sum;
}

static double judged_at;
static struct device_info devices[MEMBERS];
static struct place places[MEMBERS];

static struct evaluator *make_members(uint32_t count, uint32_t builders)
{
    static const char *const ids[MEMBERS] = {"0", "1", "2", "3"};
    struct error e = ERROR_INIT;
    made = 0;
    for (uint32_t i = 0; i < count; i++) {
        devices[i] = (struct device_info){.id = ids[i], .card = i, .timer_ns = 1};
        places[i] = (struct place){.name = "", .device = &devices[i], .jobs = builders};
    }
    struct farm_options o = {.places = places, .count = count};
    o.live.terms.rules = measure_rules_default();
    o.live.terms.rules.level = judged_at > 0 ? judged_at : o.live.terms.rules.level;
    struct evaluator *ev = farm_new(&o, &e);
    ck_assert_msg(ev != NULL, "%s", e.text);
    return ev;
}

static void submit_jobs(struct evaluator *ev, uint64_t from, uint64_t to)
{
    for (uint64_t ticket = from; ticket < to; ticket++) {
        struct error e = ERROR_INIT;
        ck_assert_msg(evaluator_submit(ev, ticket, job_new(), &e), "%s", e.text);
    }
}

// The outcomes that come within a moment are so many, none of them a failure.
static void take_some(struct evaluator *ev, unsigned count)
{
    struct outcome out;
    struct error e = ERROR_INIT;
    unsigned got = 0;
    for (int answer; (answer = evaluator_take(ev, got < count ? 10000 : 50, &out, &e)) != 0;) {
        ck_assert_msg(answer == 1, "%s", e.text);
        ck_assert_msg(out.result->status == STATUS_CORRECT, "%s", out.result->message);
        result_free(out.result);
        got++;
    }
    ck_assert_uint_eq(got, count);
}

START_TEST(the_first_given_becomes_the_reference)
{
    struct evaluator *ev = make_members(2, 1);
    submit_jobs(ev, 0, 6); // 0, 2, 4 and 1, 3, 5
    fakes[1]->answers = QUEUE;
    take_some(ev, 0);
    fakes[0]->answers = 1;
    take_some(ev, 4);
    fakes[0]->answers = QUEUE;
    take_some(ev, 2);
    ck_assert(evaluator_idle(ev));
    evaluator_free(ev);
}
END_TEST

// A device is judged here as in the ranking: by the rule. One launch of nine that is not slow tells, by 99.99 %.
START_TEST(a_slow_member_is_judged_by_the_rules)
{
    struct farm_member members[FARM_MOST];
    judged_at = _i ? 0.9999 : 0.95;
    struct evaluator *ev = make_members(2, 1);
    fakes[1]->is_slow = true;
    submit_jobs(ev, 0, 4);
    fakes[0]->answers = fakes[1]->answers = QUEUE;
    take_some(ev, 4);
    ck_assert_uint_eq(farm_members(ev, members), 2);
    ck_assert_int_eq(members[0].state, FARM_WORKING);
    ck_assert_int_eq(members[1].state, _i ? FARM_WORKING : FARM_LEFT_OUT);
    evaluator_free(ev);
    judged_at = 0;
}
END_TEST

// Asked for before it has answered, waiting for a member or with one: no other answer comes.
START_TEST(a_submitted_job_is_there_for_its_turns)
{
    struct error e = ERROR_INIT;
    struct outcome out;
    struct evaluator *ev = make_members(2, 1);
    const struct turn turn = {.launches = 5, .place = 1};
    submit_jobs(ev, 0, 8);
    for (uint64_t ticket = 0; ticket < 8; ticket += 7) {
        ck_assert_msg(evaluator_again(ev, ticket, &turn, &e), "%s", e.text);
        ck_assert_int_eq(evaluator_take(ev, 10000, &out, &e), 1);
        ck_assert_uint_eq(out.ticket, ticket);
        ck_assert_uint_eq(out.place, 1);
        ck_assert_uint_eq(out.result->sample_count, 5);
        result_free(out.result);
    }
    fakes[0]->answers = fakes[1]->answers = QUEUE;
    take_some(ev, 6);
    ck_assert(evaluator_idle(ev));
    evaluator_free(ev);
}
END_TEST

// With room and without: what the lost one had comes behind what the other has, and nothing waits for ever.
START_TEST(a_member_lost_before_there_is_a_reference)
{
    struct evaluator *ev = make_members(2, 1);
    submit_jobs(ev, 0, _i ? 6 : 4);
    fakes[0]->is_dead = true;
    take_some(ev, 0);
    ck_assert_ptr_null(fakes[0]);
    fakes[1]->answers = QUEUE;
    take_some(ev, _i ? 6 : 4);
    ck_assert(evaluator_idle(ev));
    evaluator_free(ev);
}
END_TEST

START_TEST(the_last_loss_is_said_once_all_else_was)
{
    struct evaluator *ev = make_members(2, 1);
    struct outcome out;
    struct error e = ERROR_INIT;
    submit_jobs(ev, 0, 1);
    fakes[0]->is_dead = true;
    take_some(ev, 0);
    fakes[1]->is_dead = true;
    ck_assert_int_eq(evaluator_take(ev, 10000, &out, &e), 1);
    ck_assert_int_eq(out.result->fault, FAULT_LOST);
    result_free(out.result);
    ck_assert(!evaluator_idle(ev));
    for (int i = 0; i < 2; i++) {
        e = (struct error)ERROR_INIT;
        ck_assert_int_eq(evaluator_take(ev, 10000, &out, &e), -1);
        ck_assert_msg(strstr(e.text, "member 1 is gone"), "%s", e.text);
    }
    evaluator_free(ev);
}
END_TEST

// Only what a member was at may be why it is lost.
START_TEST(what_waited_at_lost_members_is_done)
{
    struct evaluator *ev = make_members(3, 1);
    struct outcome out;
    struct error e = ERROR_INIT;
    submit_jobs(ev, 0, 9);
    fakes[0]->is_dead = true; // at 0, with 3 and 6
    take_some(ev, 0);
    fakes[1]->is_dead = true; // at 1, with 4 and 7
    take_some(ev, 0);
    fakes[2]->answers = QUEUE;
    take_some(ev, 9);
    ck_assert_int_eq(evaluator_take(ev, 0, &out, &e), 0);
    evaluator_free(ev);
}
END_TEST

// Many members with many builders each: all of them are polled.
START_TEST(each_descriptor_is_polled)
{
    struct evaluator *ev = make_members(MEMBERS, 600);
    ck_assert_uint_eq(farm_builders(ev), MEMBERS * 600);
    submit_jobs(ev, 0, 1);
    fakes[0]->answers = 1;
    take_some(ev, 1);
    evaluator_free(ev);
}
END_TEST

static void keep_message(void *context, enum log_level level, const char *message)
{
    (void)level;
    str_format(context, 400, "%s", message);
}

// Where few files may be open there are fewer builders, one at least, and it is said.
START_TEST(builders_fit_the_files_that_may_be_open)
{
    char said[400] = "";
    struct error e = ERROR_INIT;
    const struct log log = {keep_message, said};
    struct rlimit files;
    evaluator_free(make_members(MEMBERS, 40));
    made = 0;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
    const rlim_t before = files.rlim_cur;
    files.rlim_cur = _i ? 20 : 200;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
    struct evaluator *ev = farm_new(
        &(struct farm_options){.places = places, .count = MEMBERS, .live = {.log = &log}}, &e);
    ck_assert_msg(ev != NULL, "%s", e.text);
    uint32_t builders = farm_builders(ev);
    ck_assert_uint_ge(builders, MEMBERS);
    ck_assert_uint_le(builders, _i ? MEMBERS : 80);
    ck_assert(_i || builders > 40);
    ck_assert_ptr_nonnull(strstr(said, "not 160"));
    ck_assert_ptr_nonnull(strstr(said, "ulimit -n"));
    files.rlim_cur = before;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
    evaluator_free(ev);
}
END_TEST

// Its worker ends after a second: nobody waits for it meanwhile, and it is reaped.
START_TEST(nobody_waits_for_a_lost_member_s_workers)
{
    static const char *const sleeper[] = {"/bin/sleep", "1", NULL};
    struct evaluator *ev = make_members(2, 1);
    struct outcome out;
    struct error e = ERROR_INIT;
    submit_jobs(ev, 0, 2);
    ck_assert_msg(process_start(&fakes[0]->worker, sleeper, NULL, &e), "%s", e.text);
    pid_t pid = fakes[0]->worker.pid;
    fakes[0]->is_dead = true;
    for (int i = 0; i < 100 && fakes[0]; i++)
        ck_assert_int_eq(evaluator_take(ev, 0, &out, &e), 0);
    ck_assert_ptr_null(fakes[0]);
    ck_assert_int_eq(kill(pid, 0), 0);
    for (int i = 0; i < 600 && kill(pid, 0) == 0; i++)
        ck_assert_int_eq(evaluator_take(ev, 100, &out, &e), 0);
    ck_assert_int_ne(kill(pid, 0), 0);
    evaluator_free(ev);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("members");
    TCase *cases = tcase_create("members");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, the_first_given_becomes_the_reference);
    tcase_add_loop_test(cases, a_slow_member_is_judged_by_the_rules, 0, 2);
    tcase_add_test(cases, a_submitted_job_is_there_for_its_turns);
    tcase_add_loop_test(cases, a_member_lost_before_there_is_a_reference, 0, 2);
    tcase_add_test(cases, the_last_loss_is_said_once_all_else_was);
    tcase_add_test(cases, what_waited_at_lost_members_is_done);
    tcase_add_test(cases, each_descriptor_is_polled);
    tcase_add_loop_test(cases, builders_fit_the_files_that_may_be_open, 0, 2);
    tcase_add_test(cases, nobody_waits_for_a_lost_member_s_workers);
    suite_add_tcase(s, cases);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed > 0;
}
