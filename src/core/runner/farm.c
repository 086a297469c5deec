// Many evaluators as one (farm.h). Every job has a row here from submit() to drop(), which says which
// members have it, who is to answer, and with whom it was lost. take() gives waiting jobs to members
// with room, steps those of which something is heard, and sleeps in one poll() for all of them.
#include "runner/farm.h"

#include "base/array.h"
#include "os/process.h"
#include "runner/remote.h"
#include "worker/device_lock.h"
#include "stats/differ.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX
// Jobs that a member is given beyond those that its builders work on: one at the bench, one that
// waits there. More questions would be open than a strategy needs to be asked.
#define AHEAD 2
// Launches of the reference by each member, as many as take about so long together.
#define REFERENCE_MOST  9
#define REFERENCE_LEAST 5
#define REFERENCE_NS    500000000.0
#define REFERENCE_COLD  10000000.0 // launches so long are not warmed up
// Files that this process needs beside its workers' channels: the store's, a data file's, a page's.
#define FILES_BESIDE 32
// A job at which so many members were lost is not tried again.
#define LOSSES 2

enum job_state {
    JOB_WAITING, // for a member with room
    JOB_GIVEN,   // its member is to answer
    JOB_ANSWERED // its outcome waits to be taken, or was
};

struct farm_job {
    struct farm_job *chained;
    uint64_t ticket;
    struct job *job;
    enum job_state state;
    uint32_t owner;  // that is to answer, or did
    uint64_t had_by; // members that it was submitted to, by bits
    uint64_t given;  // the how manieth job to be given, when its owner got it
    uint32_t losses;
};

struct farm_turn {
    struct farm_turn *next;
    uint64_t ticket;
    bool is_own; // of the reference, for the farm itself
};

struct member {
    struct farm_member shown; // its name and why are those below
    struct farm *farm;
    struct evaluator *ev; // NULL: lost
    char name[160];
    char why[600];
    uint32_t index, jobs, given; // builders; jobs that it is to answer
    bool wanted;                 // it has something to measure, and must be tried first
    bool is_ahead;               // it launches what may become the reference
    bool awaits_ahead;           // and that settles whether it works
    uint64_t ahead_ns;           // that it took there; 0: not known
    bool due;                    // something may be heard of it
    bool held;
    struct farm_turn *turns, **last_turn;
    uint64_t samples[REFERENCE_MOST]; // of the reference
    uint32_t sample_count;
    uint64_t look_ns;
    size_t first_fd, fd_count;
};

struct farm {
    struct evaluator base;
    struct farm_options o;
    struct member members[FARM_MOST];
    uint32_t count;
    struct farm_job **buckets;
    size_t bucket_count, job_count;
    uint64_t *waiting; // tickets, the next one first
    size_t waiting_count, waiting_room;
    uint64_t given_count;
    struct outcome *done; // to be taken
    size_t done_count, done_room;
    struct error broken; // why nothing can go on; told once all that is done was taken
    bool is_told;
    uint64_t reference;  // with has_reference
    double reference_ns; // that a launch of it takes, about
    uint64_t base_ns;    // that the one took which others were launched ahead beside; 0: not known
    bool has_reference;
    uint64_t ahead; // with has_ahead: the job that is to become it, launched by all at once
    bool has_ahead, is_given_ahead;
    bool compares; // members are held against each other
    bool hold;
    uint32_t base_member; // whose times others' are told by, once it was tried; NOBODY
    uint64_t best_ns, best_verify_ns;
    struct pollfd *fds;
    size_t fd_room;
    struct endings endings; // workers of members that ended, and are not gone yet
};

static struct farm *farm_of(struct evaluator *ev)
{
    return (struct farm *)ev;
}

bool farm_is_usable(enum farm_state s)
{
    return s != FARM_LEFT_OUT && s != FARM_LOST;
}

const char *farm_state_text(enum farm_state s)
{
    static const char *const texts[] = {FARM_STATES(LIST_TEXT)};
    return texts[s];
}

// ---- rows ----------------------------------------------------------------------------------------

static struct farm_job **farm_bucket(const struct farm *f, uint64_t ticket)
{
    return &f->buckets[(ticket * 0x9e3779b97f4a7c15u >> 32) % f->bucket_count];
}

static struct farm_job *find_job(const struct farm *f, uint64_t ticket)
{
    struct farm_job *j = f->bucket_count ? *farm_bucket(f, ticket) : NULL;
    while (j && j->ticket != ticket)
        j = j->chained;
    return j;
}

static bool grow_buckets(struct farm *f)
{
    if (f->job_count < f->bucket_count)
        return true;
    struct farm old = *f;
    f->bucket_count = old.bucket_count ? 2 * old.bucket_count : 256;
    f->buckets = calloc(f->bucket_count, sizeof(*f->buckets));
    if (!f->buckets) {
        f->buckets = old.buckets;
        f->bucket_count = old.bucket_count;
        return false;
    }
    for (size_t i = 0; i < old.bucket_count; i++) {
        for (struct farm_job *j = old.buckets[i], *next; j; j = next) {
            struct farm_job **to = farm_bucket(f, j->ticket);
            next = j->chained;
            j->chained = *to;
            *to = j;
        }
    }
    free((void *)old.buckets);
    return true;
}

static void farm_job_free(struct farm_job *j)
{
    job_free(j->job);
    free(j);
}

static bool wait_for_room(struct farm *f, uint64_t ticket)
{
    if (!ARRAY_ROOM(f->waiting, f->waiting_room, f->waiting_count + 1))
        return false;
    f->waiting[f->waiting_count++] = ticket;
    return true;
}

static int by_ticket(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void wait_no_more(struct farm *f, uint64_t ticket)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->waiting_count; i++) {
        if (f->waiting[i] != ticket)
            f->waiting[kept++] = f->waiting[i];
    }
    f->waiting_count = kept;
}

// Takes the result, also on failure.
static bool hand_out(struct farm *f, const struct outcome *out)
{
    bool ok = ARRAY_ROOM(f->done, f->done_room, f->done_count + 1);
    if (ok)
        f->done[f->done_count++] = *out;
    else
        result_free(out->result);
    return ok;
}

// ---- turns ---------------------------------------------------------------------------------------

static struct farm_turn *pull_member_turn(struct member *m, bool any, uint64_t ticket)
{
    struct farm_turn **link = &m->turns;
    while (*link && !any && (*link)->ticket != ticket)
        link = &(*link)->next;
    struct farm_turn *t = *link;
    if (!t)
        return NULL;
    *link = t->next;
    if (m->last_turn == &t->next)
        m->last_turn = link;
    return t;
}

// Without its last turn a member needs its device no more: another one may share the lock.
static void settle_hold(struct member *m)
{
    bool hold = m->farm->hold && m->turns;
    if (m->held != hold && m->ev)
        evaluator_hold(m->ev, hold);
    m->held = hold;
}

static void forget_turns_of(struct member *m)
{
    struct farm_turn *t;
    while ((t = pull_member_turn(m, true, 0)))
        free(t);
}

// The member has the job, whoever answers for it.
static bool give_job(struct member *m, struct farm_job *j, struct error *e)
{
    uint64_t bit = 1ull << m->index;
    if (j->had_by & bit)
        return true;
    j->had_by |= bit;
    m->due = true;
    return evaluator_submit(m->ev, j->ticket, job_hold(j->job), e);
}

static bool give_turn(struct member *m, struct farm_job *j, const struct turn *turn, bool is_own,
                      struct error *e)
{
    struct farm_turn *t = calloc(1, sizeof *t);
    if (!t)
        return error_memory(e);
    *t = (struct farm_turn){.ticket = j->ticket, .is_own = is_own};
    *m->last_turn = t;
    m->last_turn = &t->next;
    m->due = true;
    settle_hold(m);
    return give_job(m, j, e) && evaluator_again(m->ev, j->ticket, turn, e);
}

// ---- the reference -------------------------------------------------------------------------------

// While there is no reference: the job that may become it, or NULL. It must come first in some member,
// since members measure in the order in which they were given jobs: the first that was given, which is
// the first by its ticket until a member is lost.
static const struct farm_job *candidate(const struct farm *f)
{
    const struct farm_job *first = NULL;
    for (size_t i = 0; i < f->bucket_count; i++) {
        for (const struct farm_job *j = f->buckets[i]; j; j = j->chained) {
            if (j->state == JOB_GIVEN && (!first || j->given < first->given))
                first = j;
        }
    }
    return first;
}

// Before anything is measured.
static bool may_measure(void *context, uint64_t ticket)
{
    struct member *m = context;
    struct farm *f = m->farm;
    if (!f->compares || m->shown.state == FARM_WORKING)
        return true;
    if (!f->has_reference) {
        const struct farm_job *first = candidate(f);
        bool is_first = first && first->ticket == ticket;
        if (is_first && !f->has_ahead)
            f->ahead = ticket;
        f->has_ahead = f->has_ahead || is_first;
        return is_first;
    }
    m->wanted = true;
    return false;
}

// While one member measures what is to become the reference, the others launch it, too: a card that waited for the answer
// would be idle for as long.
static bool launch_ahead(struct farm *f, struct error *e)
{
    static const struct turn turn = {.launches = 1};
    struct farm_job *j = f->has_ahead && !f->is_given_ahead ? find_job(f, f->ahead) : NULL;
    bool ok = true;
    for (uint32_t i = 0; ok && j && j->state == JOB_GIVEN && i < f->count; i++) {
        struct member *m = &f->members[i];
        if (i == j->owner || m->shown.state != FARM_UNTRIED)
            continue;
        m->is_ahead = true;
        ok = give_turn(m, j, &turn, true, e);
    }
    f->is_given_ahead = f->has_ahead;
    return ok;
}

// Its sample, after the verified launch: first launches find a card's clock where it may be.
static uint64_t ahead_ns(const struct result *r)
{
    const uint64_t *samples;
    uint32_t count;
    return result_samples(r, &samples, &count) && count > 0 ? samples[0] : 0;
}

// A launch so long is a sample of its own, and enough of one where members agree: judge_tried().
static bool is_tried_ahead(struct member *m)
{
    struct farm *f = m->farm;
    if (!f->is_given_ahead || f->ahead != f->reference || f->reference_ns < REFERENCE_COLD)
        return false;
    m->samples[0] = m->index == f->base_member ? f->base_ns : m->ahead_ns;
    m->sample_count = m->samples[0] > 0;
    m->awaits_ahead = !m->sample_count && m->is_ahead;
    m->shown.state = m->sample_count ? FARM_TRIED : m->is_ahead ? FARM_TRYING : m->shown.state;
    return m->shown.state != FARM_UNTRIED;
}

static bool try_member(struct member *m, struct error *e)
{
    struct farm *f = m->farm;
    struct farm_job *j = find_job(f, f->reference);
    double launches = fmin(REFERENCE_NS / fmax(f->reference_ns, 1), REFERENCE_MOST);
    struct turn turn = {.warmups = f->reference_ns < REFERENCE_COLD,
                        .launches = (uint32_t)fmax(launches, REFERENCE_LEAST)};
    m->shown.state = FARM_TRYING;
    return give_turn(m, j, &turn, true, e);
}

static bool settle_tried(struct farm *f, struct error *e);

static bool try_wanted(struct farm *f, struct error *e)
{
    bool wanted = false, ok = true;
    for (uint32_t i = 0; i < f->count; i++)
        wanted = wanted || f->members[i].wanted;
    // Members are tried together: a single one could not be compared with others.
    for (uint32_t i = 0; wanted && f->has_reference && ok && i < f->count; i++) {
        struct member *m = &f->members[i];
        m->wanted = false;
        if (m->shown.state == FARM_UNTRIED && !is_tried_ahead(m))
            ok = try_member(m, e);
    }
    return ok && (!wanted || settle_tried(f, e));
}

static double reference_ns(const struct member *m)
{
    return fmax(stats_median(m->samples, m->sample_count), 0.5);
}

static bool take_back(struct member *m, const struct error *why, struct error *e);

static double outlier_limit(const struct farm *f)
{
    return f->o.outlier > 0 ? f->o.outlier : FARM_OUTLIER;
}

// Leaves out members that are slower than the others by more than is allowed.
static bool judge_tried(struct farm *f, struct error *e)
{
    struct differ_device list[FARM_MOST] = {{NULL}};
    for (uint32_t i = 0; i < f->count; i++) {
        const struct member *m = &f->members[i];
        if (m->shown.state == FARM_TRIED || m->shown.state == FARM_WORKING)
            list[i] = (struct differ_device){.samples = m->samples,
                                             .count = m->sample_count,
                                             .is_settled = m->shown.state == FARM_WORKING};
    }
    bool ok = differ_devices(list, f->count, f->o.live.terms.rules.level,
                             f->members->shown.place->device->timer_ns, outlier_limit(f)) ||
              error_memory(e);
    for (uint32_t i = 0; ok && i < f->count; i++) {
        struct member *m = &f->members[i];
        if (m->shown.state != FARM_TRIED)
            continue;
        m->shown.compared = list[i].compared;
        m->shown.ratio = list[i].ratio;
        if (!list[i].is_slow)
            continue;
        m->shown.state = FARM_LEFT_OUT;
        differ_outlier_text(&m->shown.ratio, outlier_limit(f), m->why, sizeof m->why);
        log_add(f->o.live.log, LOG_WARNING, "%s is left out: %s", m->name, m->why);
        ok = take_back(m, NULL, e);
    }
    return ok;
}

static double pace_of(const struct farm *f, const struct member *m)
{
    if (m->sample_count == 0 || f->base_member == NOBODY ||
        f->members[f->base_member].sample_count == 0)
        return 0;
    return reference_ns(m) / reference_ns(&f->members[f->base_member]);
}

static void tell_best(const struct farm *f, struct member *m)
{
    double pace = pace_of(f, m);
    pace = pace > 0 ? pace : 1;
    if (m->ev && f->best_ns)
        evaluator_best(m->ev, (uint64_t)((double)f->best_ns * pace),
                       (uint64_t)((double)f->best_verify_ns * pace));
}

// Members that were launched ahead and do not agree by half of what is allowed are tried by as many launches as an interval
// takes.
static bool try_more(struct farm *f, bool *more, struct error *e)
{
    double least = INFINITY, most = 0;
    bool ok = true;
    *more = false;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct member *m = &f->members[i];
        if (m->shown.state != FARM_TRIED && m->shown.state != FARM_WORKING)
            continue;
        least = fmin(least, reference_ns(m));
        most = fmax(most, reference_ns(m));
    }
    for (uint32_t i = 0; ok && i < f->count && most > least * (1 + outlier_limit(f) / 2); i++) {
        struct member *m = &f->members[i];
        if (m->shown.state != FARM_TRIED || m->sample_count >= REFERENCE_LEAST)
            continue;
        *more = true;
        ok = try_member(m, e);
    }
    return ok;
}

// All that are to launch the reference have: who is too slow is left out, the others work.
static bool settle_tried(struct farm *f, struct error *e)
{
    bool any = false, more;
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->members[i].shown.state == FARM_TRYING)
            return true;
        any = any || f->members[i].shown.state == FARM_TRIED;
    }
    if (!try_more(f, &more, e) || more)
        return more;
    bool ok = !any || judge_tried(f, e);
    for (uint32_t i = 0; i < f->count && any; i++) {
        struct member *m = &f->members[i];
        if (m->shown.state != FARM_TRIED)
            continue;
        m->shown.state = FARM_WORKING;
        m->due = true;
        if (f->base_member == NOBODY || f->members[f->base_member].sample_count == 0)
            f->base_member = m->index;
        tell_best(f, m);
    }
    return ok;
}

// A kernel that is correct on one device must be correct on this one.
static bool take_reference(struct member *m, const struct result *r, struct error *e)
{
    struct farm *f = m->farm;
    const uint64_t *samples;
    uint32_t count;
    bool was_ahead = m->is_ahead;
    m->is_ahead = false;
    if (was_ahead)
        m->ahead_ns = ahead_ns(r);
    if (was_ahead && !m->awaits_ahead)
        return true;
    m->awaits_ahead = false;
    if (was_ahead && m->shown.state == FARM_TRYING && m->ahead_ns > 0) {
        m->samples[0] = m->ahead_ns;
        m->sample_count = 1;
        m->shown.state = FARM_TRIED;
        return settle_tried(f, e);
    }
    if (m->shown.state != FARM_TRYING)
        return true;
    if (result_samples(r, &samples, &count) && count > 0) {
        m->sample_count = count < REFERENCE_MOST ? count : REFERENCE_MOST;
        memcpy(m->samples, samples, m->sample_count * sizeof *samples);
        m->shown.state = FARM_TRIED;
        return settle_tried(f, e);
    }
    m->shown.state = FARM_LEFT_OUT;
    str_format(m->why, sizeof m->why, "what is correct elsewhere fails there: %s", r->message);
    log_add(f->o.live.log, LOG_WARNING, "%s is left out: %s", m->name, m->why);
    return take_back(m, NULL, e) && settle_tried(f, e);
}

// ---- a member that is lost, or left out ----------------------------------------------------------

static bool fail_lost(struct farm *f, struct farm_job *j)
{
    struct result *r = result_new();
    if (!r)
        return false;
    result_fail(r, STATUS_RUNTIME, FAULT_LOST,
                "%u devices or nodes were lost while they ran or built it; it is not tried again",
                j->losses);
    j->state = JOB_ANSWERED;
    return hand_out(f, &(struct outcome){.ticket = j->ticket, .result = r, .place = j->owner});
}

// Before a lost member ends: what it worked on may be why. What only waited there is innocent.
static void count_losses(struct member *m)
{
    struct farm *f = m->farm;
    for (size_t i = 0; i < f->bucket_count; i++) {
        for (struct farm_job *j = f->buckets[i]; j; j = j->chained) {
            bool was_given = j->state == JOB_GIVEN && j->owner == m->index;
            j->losses += was_given && evaluator_suspects(m->ev, j->ticket);
        }
    }
}

// Members that launched the job ahead have it for that turn alone: whoever gets it next is to answer it.
static void take_copies(struct farm *f, struct farm_job *j)
{
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *m = &f->members[i];
        struct farm_turn *t;
        if (!m->ev || !(j->had_by >> i & 1))
            continue;
        while ((t = pull_member_turn(m, false, j->ticket)))
            free(t);
        evaluator_drop(m->ev, j->ticket);
        j->had_by &= ~(1ull << i);
        if (f->has_ahead && j->ticket == f->ahead)
            m->is_ahead = m->awaits_ahead = false;
        settle_hold(m);
    }
}

// Queues the jobs again that the member has not answered.
static bool requeue(struct member *m, uint32_t *count)
{
    struct farm *f = m->farm;
    bool ok = true;
    uint64_t bit = 1ull << m->index;
    size_t from = f->waiting_count;
    for (size_t i = 0; i < f->bucket_count; i++) {
        for (struct farm_job *j = f->buckets[i]; j && ok; j = j->chained) {
            bool was_given = j->state == JOB_GIVEN && j->owner == m->index;
            j->had_by &= ~bit;
            if (!was_given)
                continue;
            ++*count;
            take_copies(f, j);
            if (j->losses >= LOSSES) {
                ok = fail_lost(f, j);
                continue;
            }
            j->state = JOB_WAITING;
            ok = wait_for_room(f, j->ticket);
        }
    }
    // Earlier tickets are answered first.
    if (f->waiting_count > from)
        qsort(f->waiting, f->waiting_count, sizeof *f->waiting, by_ticket);
    m->given = 0;
    return ok;
}

static bool is_any_usable(const struct farm *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        if (farm_is_usable(f->members[i].shown.state))
            return true;
    }
    return false;
}

// The member ends; `why`: it was lost. False, with that error, where it was the last.
static bool take_back(struct member *m, const struct error *why, struct error *e)
{
    struct farm *f = m->farm;
    struct farm_turn *t;
    uint32_t count = 0;
    bool ok = true;
    if (why) {
        m->shown.state = FARM_LOST;
        str_format(m->why, sizeof m->why, "%s", why->text);
        count_losses(m);
    }
    evaluator_free(m->ev);
    m->ev = NULL;
    m->held = m->due = false;
    while (ok && (t = pull_member_turn(m, true, 0))) {
        if (!t->is_own)
            ok = hand_out(f,
                          &(struct outcome){.ticket = t->ticket, .place = m->index, .lost = true});
        free(t);
    }
    ok = ok && requeue(m, &count);
    if (!ok)
        return error_memory(e);
    if (!is_any_usable(f)) {
        if (why && e)
            *e = *why;
        return why ? false
                   : error_set(e, ERROR_DEVICE, "no device is left: %s %s", m->name, m->why);
    }
    if (why)
        log_add(f->o.live.log, LOG_WARNING,
                "%s is lost: %s; the others go on, with %u configurations that it had", m->name,
                why->text, count);
    return !why || settle_tried(f, e);
}

// Its evaluator cannot go on. True where the others can.
static bool survive(struct member *m, const struct error *why, struct error *e)
{
    struct evaluator_status status;
    evaluator_status(m->ev, &status);
    bool is_own = (why->code == ERROR_DEVICE || why->code == ERROR_WORKER) &&
                  status.reference == REFERENCE_SOUND;
    if (is_own)
        return take_back(m, why, e);
    if (e)
        *e = *why;
    return false;
}

// ---- answers -------------------------------------------------------------------------------------

static bool take_turn_answer(struct member *m, struct farm_turn *t, struct outcome *out,
                             struct error *e)
{
    bool is_own = t->is_own;
    free(t);
    settle_hold(m);
    if (is_own) {
        bool ok = take_reference(m, out->result, e);
        result_free(out->result);
        return ok;
    }
    out->place = m->index;
    out->pace = pace_of(m->farm, m);
    return hand_out(m->farm, out) || error_memory(e);
}

static bool take_answer(struct member *m, struct outcome *out, struct error *e)
{
    struct farm *f = m->farm;
    struct farm_job *j = find_job(f, out->ticket);
    struct farm_turn *t = pull_member_turn(m, false, out->ticket);
    if (t)
        return take_turn_answer(m, t, out, e);
    if (!j || j->state != JOB_GIVEN || j->owner != m->index) {
        result_free(out->result);
        return true;
    }
    j->state = JOB_ANSWERED;
    m->given--;
    m->shown.results += !out->result->reused;
    out->place = m->index;
    out->pace = out->result->reused ? 0 : pace_of(f, m);
    const uint64_t *samples;
    uint32_t count;
    if (f->compares && !f->has_reference && result_samples(out->result, &samples, &count)) {
        f->has_reference = true;
        f->reference = j->ticket;
        f->reference_ns = stats_median(samples, count);
        f->base_member = out->result->reused ? NOBODY : m->index;
        f->base_ns = ahead_ns(out->result);
    }
    return hand_out(f, out) || error_memory(e);
}

// All that is heard of a member. False: nothing can go on.
static bool step_member(struct member *m, struct error *e)
{
    struct outcome out;
    struct error why = ERROR_INIT;
    int got = 0;
    m->due = false;
    while (m->ev && (got = evaluator_take(m->ev, 0, &out, &why)) == 1) {
        if (!take_answer(m, &out, e))
            return false;
    }
    return got >= 0 || !m->ev || survive(m, &why, e);
}

// ---- giving --------------------------------------------------------------------------------------

// Jobs that are built and wait for the bench keep it busy: others are for whoever comes to them first.
static size_t member_room(const struct member *m)
{
    struct evaluator_status status;
    if (!m->ev || !farm_is_usable(m->shown.state))
        return 0;
    evaluator_status(m->ev, &status);
    if (status.ready > AHEAD)
        return 0;
    size_t most = m->jobs + AHEAD;
    size_t room = evaluator_room(m->ev);
    size_t left = m->given < most ? most - m->given : 0;
    return room < left ? room : left;
}

static bool dispatch(struct farm *f, struct error *e)
{
    size_t given = 0;
    bool ok = true;
    for (; ok && given < f->waiting_count; given++) {
        struct farm_job *j = find_job(f, f->waiting[given]);
        struct member *to = NULL;
        size_t most = 0;
        for (uint32_t i = 0; i < f->count; i++) {
            size_t room = member_room(&f->members[i]);
            if (room > most)
                most = room, to = &f->members[i];
        }
        if (!to)
            break;
        if (!j)
            continue;
        j->state = JOB_GIVEN;
        j->owner = to->index;
        j->given = f->given_count++;
        to->given++;
        ok = give_job(to, j, e);
    }
    f->waiting_count -= given;
    memmove(f->waiting, f->waiting + given, f->waiting_count * sizeof *f->waiting);
    return ok;
}

// ---- operations ----------------------------------------------------------------------------------

static bool farm_submit(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e)
{
    struct farm *f = farm_of(ev);
    if (find_job(f,
                 ticket)) { // the reference, which no drop() takes away: it can be measured again
        job_free(job);
        return true;
    }
    struct farm_job *j = job && grow_buckets(f) ? calloc(1, sizeof *j) : NULL;
    if (!j || !wait_for_room(f, ticket)) {
        free(j);
        job_free(job);
        return error_memory(e);
    }
    *j = (struct farm_job){.ticket = ticket, .job = job, .owner = NOBODY};
    j->chained = *farm_bucket(f, ticket);
    *farm_bucket(f, ticket) = j;
    f->job_count++;
    return dispatch(f, e);
}

static bool give_done(struct farm *f, struct outcome *out)
{
    if (f->done_count == 0)
        return false;
    *out = f->done[0];
    f->done_count--;
    memmove(f->done, f->done + 1, f->done_count * sizeof *f->done);
    return true;
}

// Sleeps until something is heard of a member; marks those.
static void sleep_for_members(struct farm *f, uint64_t until)
{
    size_t n = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *m = &f->members[i];
        if (!m->ev)
            continue;
        m->look_ns = UINT64_MAX;
        m->first_fd = n;
        m->fd_count = evaluator_watch(m->ev, f->fds + n, f->fd_room - n, &m->look_ns);
        n += m->fd_count;
        until = m->look_ns < until ? m->look_ns : until;
    }
    uint64_t now = clock_ns(), ms = until > now ? (until - now + 999999) / 1000000 : 0;
    int ready = poll(f->fds, n, ms > 60000 ? 60000 : (int)ms);
    now = clock_ns();
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *m = &f->members[i];
        m->due = m->due || (m->ev && m->look_ns <= now);
        for (size_t k = 0; m->ev && ready > 0 && k < m->fd_count; k++)
            m->due = m->due || f->fds[m->first_fd + k].revents;
    }
}

// Steps the members that are due, then gives out waiting jobs.
static void work_farm(struct farm *f, struct error *e)
{
    bool ok = true;
    endings_reap(&f->endings);
    for (uint32_t i = 0; ok && i < f->count; i++)
        ok = !f->members[i].ev || !f->members[i].due || step_member(&f->members[i], e);
    if (ok && dispatch(f, e) && launch_ahead(f, e))
        try_wanted(f, e);
}

static int farm_take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    struct farm *f = farm_of(ev);
    uint64_t until = timeout_ms < 0 ? UINT64_MAX : clock_ns() + (uint64_t)timeout_ms * 1000000;
    for (bool has_looked = false;; has_looked = true) {
        bool is_due = false;
        // Finished results are handed out even if nothing more can come.
        if (f->done_count == 0 && !f->broken.code)
            work_farm(f, &f->broken);
        if (give_done(f, out))
            return 1;
        if (f->broken.code) {
            f->is_told = true;
            if (e)
                *e = f->broken;
            return -1;
        }
        if (has_looked && clock_ns() >= until)
            return 0;
        for (uint32_t i = 0; i < f->count; i++)
            is_due = is_due || (f->members[i].ev && f->members[i].due);
        sleep_for_members(f, is_due ? 0 : until);
    }
}

// A job that is on its way to its answer is there for its turns alone from now on.
static void give_up_answer(struct farm *f, struct farm_job *j)
{
    struct member *m = j->state == JOB_GIVEN ? &f->members[j->owner] : NULL;
    wait_no_more(f, j->ticket);
    if (m) {
        m->given--;
        j->had_by &= ~(1ull << m->index);
    }
    if (m && m->ev)
        evaluator_drop(m->ev, j->ticket);
    j->state = JOB_ANSWERED;
    j->owner = NOBODY;
}

static bool farm_again(struct evaluator *ev, uint64_t ticket, const struct turn *turn,
                       struct error *e)
{
    struct farm *f = farm_of(ev);
    struct farm_job *j = find_job(f, ticket);
    if (!j || turn->place >= f->count)
        return error_set(e, ERROR_USAGE, "only a job that was taken can be measured again");
    if (j->state != JOB_ANSWERED)
        give_up_answer(f, j);
    struct member *m = &f->members[turn->place];
    if (m->ev)
        return give_turn(m, j, turn, false, e);
    return hand_out(f, &(struct outcome){.ticket = ticket, .place = m->index, .lost = true}) ||
           error_memory(e);
}

static void farm_hold(struct evaluator *ev, bool hold)
{
    struct farm *f = farm_of(ev);
    f->hold = hold;
    for (uint32_t i = 0; i < f->count; i++)
        settle_hold(&f->members[i]);
}

// Any member that holds the job can store its result. If that member was lost, the job is submitted
// again without being measured.
static bool farm_keep(struct evaluator *ev, uint64_t ticket, const struct result *result,
                      struct error *e)
{
    struct farm *f = farm_of(ev);
    struct farm_job *j = find_job(f, ticket);
    struct member *to = NULL;
    for (uint32_t i = 0; j && i < f->count; i++) {
        struct member *m = &f->members[i];
        if (m->ev && (!to || j->had_by >> i & 1))
            to = m;
        if (m->ev && j->had_by >> i & 1)
            break;
    }
    if (!to)
        return error_set(e, ERROR_USAGE, "only the result of a job that was taken can be kept");
    return give_job(to, j, e) && evaluator_keep(to->ev, ticket, result, e);
}

static void farm_drop(struct evaluator *ev, uint64_t ticket)
{
    struct farm *f = farm_of(ev);
    struct farm_job *j = find_job(f, ticket);
    if (!j)
        return;
    if (f->has_reference && ticket == f->reference)
        return; // members launch it still
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *m = &f->members[i];
        struct farm_turn *t;
        while ((t = pull_member_turn(m, false, ticket)))
            free(t);
        if (f->has_ahead && ticket == f->ahead)
            m->is_ahead = m->awaits_ahead = false;
        if (!m->ev || !(j->had_by >> i & 1))
            continue;
        m->given -= j->state == JOB_GIVEN && j->owner == i;
        evaluator_drop(m->ev, ticket);
        settle_hold(m);
    }
    wait_no_more(f, ticket);
    struct farm_job **link = farm_bucket(f, j->ticket);
    while (*link != j)
        link = &(*link)->chained;
    *link = j->chained;
    f->job_count--;
    farm_job_free(j);
}

static size_t farm_room(struct evaluator *ev)
{
    const struct farm *f = farm_of(ev);
    size_t room = 0;
    for (uint32_t i = 0; i < f->count; i++)
        room += member_room(&f->members[i]);
    return room > f->waiting_count ? room - f->waiting_count : 0;
}

// Drops the jobs that the member holds only for turns.
static void drop_copies(struct member *m)
{
    struct farm *f = m->farm;
    uint64_t bit = 1ull << m->index;
    for (size_t i = 0; i < f->bucket_count; i++) {
        for (struct farm_job *j = f->buckets[i]; j; j = j->chained) {
            if (!(j->had_by & bit) || j->owner == m->index)
                continue;
            j->had_by &= ~bit;
            evaluator_drop(m->ev, j->ticket);
        }
    }
}

// Cancels waiting jobs and turns; they yield no outcome.
static void farm_cancel(struct evaluator *ev)
{
    struct farm *f = farm_of(ev);
    f->waiting_count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        struct member *m = &f->members[i];
        if (!m->ev)
            continue;
        if (m->shown.state == FARM_TRYING)
            m->shown.state = FARM_UNTRIED;
        m->wanted = m->is_ahead = m->awaits_ahead = false;
        m->due = true;
        forget_turns_of(m);
        settle_hold(m);
        evaluator_cancel(m->ev);
        drop_copies(m);
    }
}

static bool farm_idle(struct evaluator *ev)
{
    const struct farm *f = farm_of(ev);
    bool idle = f->waiting_count == 0 && f->done_count == 0 && (!f->broken.code || f->is_told);
    for (uint32_t i = 0; i < f->count && idle; i++)
        idle = !f->members[i].ev || evaluator_idle(f->members[i].ev);
    return idle;
}

static void farm_best(struct evaluator *ev, uint64_t ns, uint64_t verify_ns)
{
    struct farm *f = farm_of(ev);
    f->best_ns = ns;
    f->best_verify_ns = verify_ns;
    for (uint32_t i = 0; i < f->count; i++)
        tell_best(f, &f->members[i]);
}

// Spans follow each other in each member: their mean adds up to the wall's time.
static void farm_status(struct evaluator *ev, struct evaluator_status *out)
{
    struct farm *f = farm_of(ev);
    uint32_t alive = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        if (!f->members[i].ev)
            continue;
        evaluator_add_status(f->members[i].ev, out);
        alive++;
    }
    out->queued += (uint32_t)f->waiting_count;
    if (out->measuring)
        out->waiting = NULL;
    for (unsigned s = 0; s < SPAN_COUNT && alive; s++)
        out->times.span_ns[s] /= alive;
    out->times.build_wall_ns /= alive ? alive : 1;
}

static bool farm_fetch(struct evaluator *ev, uint64_t ticket, enum fetch what, uint32_t index,
                       struct text *out, struct error *e)
{
    struct farm *f = farm_of(ev);
    const struct farm_job *j = find_job(f, ticket);
    struct member *m = j && j->owner != NOBODY ? &f->members[j->owner] : NULL;
    return m && m->ev ? evaluator_fetch(m->ev, ticket, what, index, out, e)
                      : error_set(e, ERROR_USAGE, "the job is not loaded any more");
}

static void farm_destroy(struct evaluator *ev)
{
    struct farm *f = farm_of(ev);
    for (uint32_t i = 0; i < f->count; i++) {
        evaluator_free(f->members[i].ev);
        forget_turns_of(&f->members[i]);
    }
    endings_release(&f->endings, f->o.live.leaving ? 0 : LIVE_FREE_NS);
    for (size_t i = 0; i < f->bucket_count; i++) {
        for (struct farm_job *j = f->buckets[i], *next; j; j = next) {
            next = j->chained;
            farm_job_free(j);
        }
    }
    for (size_t i = 0; i < f->done_count; i++)
        result_free(f->done[i].result);
    free((void *)f->buckets);
    free(f->waiting);
    free(f->done);
    free(f->fds);
    free(f);
}

static const struct evaluator_operations farm_operations = {
    .submit = farm_submit,
    .take = farm_take,
    .again = farm_again,
    .hold = farm_hold,
    .keep = farm_keep,
    .drop = farm_drop,
    .room = farm_room,
    .cancel = farm_cancel,
    .idle = farm_idle,
    .best = farm_best,
    .status = farm_status,
    .fetch = farm_fetch,
    .destroy = farm_destroy,
};

uint32_t farm_members(const struct evaluator *ev, struct farm_member *out)
{
    const struct farm *f = (const struct farm *)ev;
    if (ev->ops != &farm_operations)
        return 0;
    for (uint32_t i = 0; i < f->count; i++)
        out[i] = f->members[i].shown;
    return f->count;
}

uint32_t farm_builders(const struct evaluator *ev)
{
    const struct farm *f = (const struct farm *)ev;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < f->count; i++)
        sum += f->members[i].jobs;
    return sum;
}

// ---- making --------------------------------------------------------------------------------------

// The cores of a machine are shared by its members.
static uint32_t builders_of(const struct farm_options *o, const struct place *p)
{
    uint32_t beside = 0; // and p itself
    uint32_t all = o->live.at.jobs ? o->live.at.jobs : live_default_jobs(p->node, p->device);
    if (p->jobs)
        return p->jobs;
    for (uint32_t i = 0; i < o->count; i++)
        beside += o->places[i].node == p->node;
    return beside > 0 && all > beside ? all / beside : 1;
}

// Its part of the machines that build for all members, smaller where files are short.
static uint32_t take_builders(const struct farm_options *o, uint32_t member, double share,
                              struct place *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->live.builder_count; i++) {
        uint32_t all = live_builder_jobs(&o->live.builders[i]);
        uint32_t own = all / o->count + (member < all % o->count);
        out[count] = o->live.builders[i];
        out[count].jobs = (uint32_t)(share * own);
        count += out[count].jobs > 0;
    }
    return count;
}

static void tell_shared_lock(const struct farm *f, const struct member *m)
{
    char own[DEVICE_LOCK_NAME], other[DEVICE_LOCK_NAME];
    device_lock_name(m->shown.place->device, own);
    for (uint32_t i = 0; i < m->index && f->o.cached.lock_folder; i++) {
        device_lock_name(f->members[i].shown.place->device, other);
        if (f->members[i].shown.place->node != m->shown.place->node || strcmp(own, other) != 0)
            continue;
        log_add(f->o.live.log, LOG_WARNING,
                "%s and %s are one device to the lock on it (a CPU is the host itself): they take "
                "turns, and two are no faster than one",
                f->members[i].name, m->name);
        return;
    }
}

// All views together have as many builders.
static size_t channels_of(const struct farm_options *o, uint32_t jobs)
{
    return LIVE_CHANNELS(jobs) + (o->views > 1 ? (o->views - 1) * LIVE_CHANNELS(1) : 0);
}

// Fills in the options of a member's evaluator; `builders` has room for LIVE_BUILDERS_MOST.
static void plan_member(const struct farm *f, uint32_t member, double share, struct place *builders,
                        struct live_options *out)
{
    const struct place *p = &f->o.places[member];
    uint32_t own = builders_of(&f->o, p), fewer = (uint32_t)(share * own);
    *out = f->o.live;
    out->at = *p;
    out->at.jobs = fewer ? fewer : 1;
    out->builders = builders;
    out->builder_count = take_builders(&f->o, member, share, builders);
}

static uint32_t count_workers(const struct farm *f, double share)
{
    struct place builders[LIVE_BUILDERS_MOST];
    struct live_options live;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < f->o.count; i++) {
        plan_member(f, i, share, builders, &live);
        sum += live_pool_workers(&live);
    }
    return sum;
}

// Each worker takes two files of this process: where so many may not be open at once all members have this part of theirs.
static double share_of_files(const struct farm *f)
{
    size_t left = process_files_left();
    uint32_t before = count_workers(f, 1);
    size_t beside = FILES_BESIDE + f->o.count * channels_of(&f->o, 0);
    size_t fit = left > beside ? (left - beside) / 2 : 0;
    if (before <= fit)
        return 1;
    double share = (double)fit / before;
    uint32_t after = count_workers(f, share);
    log_add(f->o.live.log, LOG_WARNING,
            "%u build workers and not %u: this process may open %zu more files, and each worker "
            "takes two; the limit is ulimit -n",
            after, before, left);
    return share;
}

static bool make_farm_member(struct farm *f, double share, struct error *e)
{
    struct member *m = &f->members[f->count];
    struct place builders[LIVE_BUILDERS_MOST];
    struct live_options live;
    struct cached_options cached = f->o.cached;
    plan_member(f, f->count, share, builders, &live);
    *m = (struct member){.farm = f,
                         .shown = {&f->o.places[f->count], .name = m->name, .why = m->why},
                         .index = f->count,
                         .jobs = live_pool_workers(&live),
                         .due = true,
                         .last_turn = &m->turns};
    // "node3, card 1 (GPU-6a0c...)".
    const struct place *p = m->shown.place;
    const struct device_info *d = p->device;
    const char *own = d->uuid && *d->uuid ? d->uuid : d->pci && *d->pci ? d->pci : d->id;
    str_format(m->name, sizeof m->name, "%s%scard %u (%s)", p->name ? p->name : "",
               p->name && *p->name ? ", " : "", d->card, own);
    live.endings = &f->endings;
    cached.may_measure = may_measure;
    cached.context = m;
    m->ev = f->o.make ? f->o.make(f->o.context, m->index, &live, e) : cached_new(&cached, &live, e);
    if (m->ev)
        tell_shared_lock(f, m);
    f->count += m->ev != NULL;
    return m->ev != NULL;
}

struct evaluator *farm_new(const struct farm_options *o, struct error *e)
{
    if (o->count == 0 || o->count > FARM_MOST) {
        error_set(e, ERROR_USAGE, "%u devices: 1 to %d can share a tune", o->count, FARM_MOST);
        return NULL;
    }
    struct farm *f = alloc_zeroed(sizeof *f, e);
    if (!f)
        return NULL;
    f->base.ops = &farm_operations;
    f->o = *o;
    f->base_member = NOBODY;
    f->compares = o->count > 1 && !o->live.build_only && !o->live.no_timing;
    bool ok = true;
    double share = share_of_files(f);
    for (uint32_t i = 0; ok && i < o->count; i++) {
        ok = make_farm_member(f, share, e);
        f->fd_room += channels_of(o, f->members[i].jobs) + o->live.builder_count;
    }
    f->fds = ok ? calloc(f->fd_room, sizeof *f->fds) : NULL;
    ok = ok && (f->fds || error_memory(e));
    if (ok)
        return &f->base;
    farm_destroy(&f->base);
    return NULL;
}
