// One evaluator of several live ones. Jobs go to the member that their ticket names. Turns are queued
// here and handed to one member at a time, in the order of the calls; a member's admission is refused
// while another one has turns or a job at its bench, so that no two launch at once.
#include "runner/several.h"

#include "os/process.h"
#include "runner/place.h"
#include "worker/device_lock.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX
// While one member is waited for the others' workers are looked after so often.
#define SLICE_MS 5
#define WAIT_MS  60000 // at once, where there are no others

// The lock of one physical device.
struct card {
    char name[DEVICE_LOCK_NAME];
    struct node *node; // NULL: this machine
    struct device_lock lock;
    bool locking;
    unsigned holders; // members' turns and jobs that need it
};

struct member {
    struct several *several;
    uint32_t index;
    struct evaluator *live;
    struct card *card;
};

// A turn that waits, that a member has, or (with its result) that waits to be taken.
struct several_entry {
    struct several_entry *next;
    uint64_t ticket;
    struct turn turn;
    struct result *result;
};

struct queue {
    struct several_entry *first, **last;
};

struct several {
    struct evaluator base;
    struct member members[SEVERAL_MOST];
    struct card cards[SEVERAL_MOST];
    uint32_t count, card_count;
    struct queue waiting, given, done;
    uint32_t turning; // the member that has turns, or NOBODY
    uint32_t entered; // the member that has a job at the bench, or NOBODY
    bool held;
    uint32_t next; // the member to wait for, where none has turns
    char why[600];
};

static struct several *several_of(struct evaluator *ev)
{
    return (struct several *)ev;
}

uint64_t several_ticket(uint32_t member, uint64_t n)
{
    return n * SEVERAL_MOST + member;
}

static struct member *member_of(struct several *t, uint64_t ticket)
{
    uint32_t index = (uint32_t)(ticket % SEVERAL_MOST);
    return index < t->count ? &t->members[index] : NULL;
}

// ---- queues ------------------------------------------------------------------------------------

static void append_waiting_turn(struct queue *q, struct several_entry *r)
{
    r->next = NULL;
    *q->last = r;
    q->last = &r->next;
}

static struct several_entry *pull_waiting_turn(struct queue *q, bool any, uint64_t ticket)
{
    struct several_entry **link = &q->first;
    while (*link && !any && (*link)->ticket != ticket)
        link = &(*link)->next;
    struct several_entry *r = *link;
    if (!r)
        return NULL;
    *link = r->next;
    if (q->last == &r->next)
        q->last = link;
    return r;
}

static void several_entry_free(struct several_entry *r)
{
    result_free(r->result);
    free(r);
}

static void forget(struct queue *q, bool any, uint64_t ticket)
{
    struct several_entry *r;
    while ((r = pull_waiting_turn(q, any, ticket)))
        several_entry_free(r);
}

// ---- the admission -------------------------------------------------------------------------------

static enum admission_answer lock_card(struct card *c, struct error *e)
{
    int got = c->locking && c->holders == 0 ? device_lock_try(&c->lock, e) : 1;
    c->holders += got > 0;
    return got > 0 ? ADMISSION_OPEN : got < 0 ? ADMISSION_BROKEN : ADMISSION_BUSY;
}

static void unlock_card(struct card *c)
{
    if (--c->holders == 0 && c->locking)
        device_lock_release(&c->lock);
}

static enum admission_answer several_lock(void *context, struct error *e)
{
    return lock_card(((struct member *)context)->card, e);
}

static void several_unlock(void *context)
{
    unlock_card(((struct member *)context)->card);
}

static enum admission_answer several_enter(void *context, uint64_t ticket,
                                           struct admission_known *known, struct result **out,
                                           struct error *e)
{
    struct member *m = context;
    struct several *t = m->several;
    bool is_taken = t->held || (t->turning != NOBODY && t->turning != m->index) ||
                    (t->entered != NOBODY && t->entered != m->index);
    (void)ticket, (void)known, (void)out;
    if (is_taken)
        return ADMISSION_BUSY;
    enum admission_answer got = lock_card(m->card, e);
    if (got == ADMISSION_OPEN)
        t->entered = m->index;
    return got;
}

static bool several_leave(void *context, uint64_t ticket, const struct result *result,
                          struct error *e)
{
    struct member *m = context;
    (void)ticket, (void)result, (void)e;
    m->several->entered = NOBODY;
    unlock_card(m->card);
    return true;
}

static const char *several_waiting(void *context)
{
    struct member *m = context;
    struct several *t = m->several;
    if (!m->card->locking || !m->card->lock.waiting)
        return NULL;
    snprintf(t->why, sizeof t->why, "the device is in use by %s", m->card->lock.holder);
    return t->why;
}

// ---- turns -------------------------------------------------------------------------------------

// Hands the next turns to their member; those of another one wait until these are answered, and
// until what that one has at its bench has left it.
static bool give_turns(struct several *t, struct error *e)
{
    while (t->waiting.first) {
        struct member *m = member_of(t, t->waiting.first->ticket);
        if ((t->turning != NOBODY && t->turning != m->index) ||
            (t->entered != NOBODY && t->entered != m->index))
            return true;
        struct several_entry *r = pull_waiting_turn(&t->waiting, true, 0);
        t->turning = m->index;
        append_waiting_turn(&t->given, r);
        if (!evaluator_again(m->live, r->ticket, &r->turn, e))
            return false;
    }
    return true;
}

// Fails all waiting turns of a job that failed in one of them.
static bool fail_waiting(struct several *t, uint64_t ticket, const struct result *failed)
{
    struct several_entry *r;
    while ((r = pull_waiting_turn(&t->waiting, false, ticket))) {
        append_waiting_turn(&t->done, r);
        r->result = result_clone(failed);
        if (!r->result)
            return false;
    }
    return true;
}

// An outcome of a turn is done with its turn; any other is the caller's as it is.
static bool answer_turn(struct several *t, const struct outcome *out)
{
    struct several_entry *r = pull_waiting_turn(&t->given, false, out->ticket);
    if (!r)
        return true;
    several_entry_free(r);
    if (!t->given.first)
        t->turning = NOBODY;
    return out->result->status == STATUS_CORRECT || fail_waiting(t, out->ticket, out->result);
}

// ---- operations --------------------------------------------------------------------------------

static bool several_submit(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e)
{
    struct member *m = member_of(several_of(ev), ticket);
    if (m)
        return evaluator_submit(m->live, ticket, job, e);
    job_free(job);
    return error_set(e, ERROR_INTERNAL, "ticket %llu is of no member", (unsigned long long)ticket);
}

static bool give_done(struct several *t, struct outcome *out)
{
    struct several_entry *r = pull_waiting_turn(&t->done, true, 0);
    if (!r)
        return false;
    *out = (struct outcome){.ticket = r->ticket, .result = r->result};
    r->result = NULL;
    several_entry_free(r);
    return out->result != NULL;
}

static int take_from(struct several *t, uint32_t index, int timeout_ms, struct outcome *out,
                     struct error *e)
{
    int got = evaluator_take(t->members[index].live, timeout_ms, out, e);
    if (got != 1 || answer_turn(t, out))
        return got;
    result_free(out->result);
    error_memory(e);
    return -1;
}

// One look at every member, the last of them (the one that has turns, else each in its turn) for as
// long as a slice.
static int take_from_all(struct several *t, uint64_t until, struct outcome *out, struct error *e)
{
    uint64_t now = clock_ns();
    uint64_t left = now < until ? (until - now) / 1000000 + 1 : 0;
    uint64_t most = t->count > 1 ? SLICE_MS : WAIT_MS;
    int slice = (int)(left < most ? left : most);
    uint32_t last = t->turning;
    if (last == NOBODY)
        last = t->next = (t->next + 1) % t->count;
    int got = 0;
    for (uint32_t i = 0; i < t->count && got == 0; i++)
        got = i == last ? 0 : take_from(t, i, 0, out, e);
    return got ? got : take_from(t, last, slice, out, e);
}

static int several_take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    struct several *t = several_of(ev);
    uint64_t until = timeout_ms < 0 ? UINT64_MAX : clock_ns() + (uint64_t)timeout_ms * 1000000;
    for (;;) {
        if (give_done(t, out))
            return 1;
        if (!give_turns(t, e))
            return -1;
        int got = take_from_all(t, until, out, e);
        if (got || (!t->done.first && clock_ns() >= until))
            return got;
    }
}

static bool several_again(struct evaluator *ev, uint64_t ticket, const struct turn *turn,
                          struct error *e)
{
    struct several *t = several_of(ev);
    struct several_entry *r = member_of(t, ticket) ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return error_memory(e);
    r->ticket = ticket;
    r->turn = *turn;
    append_waiting_turn(&t->waiting, r);
    return give_turns(t, e);
}

static void several_hold(struct evaluator *ev, bool hold)
{
    struct several *t = several_of(ev);
    t->held = hold;
    for (uint32_t i = 0; i < t->count; i++)
        evaluator_hold(t->members[i].live, hold);
}

static void several_drop(struct evaluator *ev, uint64_t ticket)
{
    struct several *t = several_of(ev);
    struct member *m = member_of(t, ticket);
    forget(&t->waiting, false, ticket);
    forget(&t->given, false, ticket);
    forget(&t->done, false, ticket);
    if (!t->given.first)
        t->turning = NOBODY;
    if (m)
        evaluator_drop(m->live, ticket);
}

static size_t several_room(struct evaluator *ev)
{
    struct several *t = several_of(ev);
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < t->count; i++) {
        size_t room = evaluator_room(t->members[i].live);
        least = room < least ? room : least;
    }
    return least;
}

// A turn that is at a member's bench may come to its end there.
static void several_cancel(struct evaluator *ev)
{
    struct several *t = several_of(ev);
    forget(&t->waiting, true, 0);
    for (uint32_t i = 0; i < t->count; i++)
        evaluator_cancel(t->members[i].live);
}

static bool several_idle(struct evaluator *ev)
{
    struct several *t = several_of(ev);
    bool idle = !t->waiting.first && !t->done.first;
    for (uint32_t i = 0; i < t->count && idle; i++)
        idle = evaluator_idle(t->members[i].live);
    return idle;
}

static void several_status(struct evaluator *ev, struct evaluator_status *out)
{
    struct several *t = several_of(ev);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < t->count; i++)
        evaluator_add_status(t->members[i].live, out);
    out->times = (struct evaluator_times){0}; // members wait for each other: theirs do not add up
}

static bool several_suspects(struct evaluator *ev, uint64_t ticket)
{
    struct member *m = member_of(several_of(ev), ticket);
    return m && evaluator_suspects(m->live, ticket);
}

static size_t several_watch(struct evaluator *ev, struct pollfd *fds, size_t most, uint64_t *until)
{
    struct several *t = several_of(ev);
    size_t n = 0;
    if (t->done.first)
        *until = 0;
    for (uint32_t i = 0; i < t->count; i++)
        n += evaluator_watch(t->members[i].live, fds + n, most - n, until);
    return n;
}

static bool several_fetch(struct evaluator *ev, uint64_t ticket, enum fetch what, uint32_t index,
                          struct text *out, struct error *e)
{
    struct member *m = member_of(several_of(ev), ticket);
    return m ? evaluator_fetch(m->live, ticket, what, index, out, e)
             : error_set(e, ERROR_INTERNAL, "a ticket of no member");
}

static void several_destroy(struct evaluator *ev)
{
    struct several *t = several_of(ev);
    for (uint32_t i = 0; i < t->count; i++)
        evaluator_free(t->members[i].live);
    for (uint32_t i = 0; i < t->card_count; i++) {
        if (t->cards[i].locking)
            device_lock_close(&t->cards[i].lock);
    }
    forget(&t->waiting, true, 0);
    forget(&t->given, true, 0);
    forget(&t->done, true, 0);
    free(t);
}

static const struct evaluator_operations several_operations = {
    .submit = several_submit,
    .take = several_take,
    .again = several_again,
    .hold = several_hold,
    .drop = several_drop,
    .room = several_room,
    .cancel = several_cancel,
    .idle = several_idle,
    .status = several_status,
    .fetch = several_fetch,
    .suspects = several_suspects,
    .watch = several_watch,
    .destroy = several_destroy,
};

// ---- making ------------------------------------------------------------------------------------

// The lock of the device, opened once for all members of it. NULL on failure.
static struct card *find_card(struct several *t, struct node *node, const struct device_info *d,
                              const char *folder, struct error *e)
{
    char name[DEVICE_LOCK_NAME];
    device_lock_name(d, name);
    for (uint32_t i = 0; i < t->card_count; i++) {
        if (t->cards[i].node == node && str_equal(t->cards[i].name, name))
            return &t->cards[i];
    }
    struct card *c = &t->cards[t->card_count];
    memcpy(c->name, name, sizeof name);
    c->node = node;
    c->locking = folder && node_open_lock(node, &c->lock, folder, d, e);
    if (folder && !c->locking)
        return NULL;
    t->card_count++;
    return c;
}

static bool make_member(struct several *t, const struct live_options *options, const char *folder,
                        struct error *e)
{
    struct member *m = &t->members[t->count];
    struct live_options live = *options;
    *m = (struct member){.several = t, .index = t->count};
    m->card = find_card(t, live.at.node, live.at.device, folder, e);
    if (!m->card)
        return false;
    m->card->lock.limit_ns = live.terms.lock_wait_ns;
    live.admission = (struct admission){.enter = several_enter,
                                        .leave = several_leave,
                                        .lock = several_lock,
                                        .unlock = several_unlock,
                                        .waiting = several_waiting,
                                        .context = m};
    m->live = live_new(&live, e);
    t->count += m->live != NULL;
    return m->live != NULL;
}

struct evaluator *several_new(const struct several_options *o, struct error *e)
{
    struct several *t = alloc_zeroed(sizeof *t, e);
    if (!t)
        return NULL;
    t->base.ops = &several_operations;
    t->turning = t->entered = NOBODY;
    t->waiting.last = &t->waiting.first;
    t->given.last = &t->given.first;
    t->done.last = &t->done.first;
    for (uint32_t i = 0; i < o->count; i++) {
        if (!make_member(t, &o->members[i], o->lock_folder, e)) {
            several_destroy(&t->base);
            return NULL;
        }
    }
    return &t->base;
}
