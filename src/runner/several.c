#include "eval/route.h"

#include "base/process.h"
#include "eval/lock.h"

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
    struct device_lock lock;
    bool locking;
    unsigned holders; // members' turns and jobs that need it
};

struct member {
    struct route *route;
    uint32_t index;
    struct evaluator *live;
    struct card *card;
};

// A turn that waits, that a member has, or (with its result) that waits to be taken.
struct routed {
    struct routed *next;
    uint64_t ticket;
    struct turn turn;
    struct result *result;
};

struct queue {
    struct routed *first, **last;
};

struct route {
    struct evaluator base;
    struct member members[ROUTE_MOST];
    struct card cards[ROUTE_MOST];
    uint32_t count, card_count;
    struct queue waiting, given, done;
    uint32_t turning; // the member that has turns, or NOBODY
    uint32_t entered; // the member that has a job at the bench, or NOBODY
    bool held;
    uint32_t next; // the member to wait for, where none has turns
    char why[600];
};

static struct route *self(struct evaluator *ev)
{
    return (struct route *)ev;
}

uint64_t route_ticket(uint32_t member, uint64_t n)
{
    return n * ROUTE_MOST + member;
}

static struct member *member_of(struct route *t, uint64_t ticket)
{
    uint32_t index = (uint32_t)(ticket % ROUTE_MOST);
    return index < t->count ? &t->members[index] : NULL;
}

// ---- queues ------------------------------------------------------------------------------------

static void append(struct queue *q, struct routed *r)
{
    r->next = NULL;
    *q->last = r;
    q->last = &r->next;
}

static struct routed *pull(struct queue *q, bool any, uint64_t ticket)
{
    struct routed **link = &q->first;
    while (*link && !any && (*link)->ticket != ticket)
        link = &(*link)->next;
    struct routed *r = *link;
    if (!r)
        return NULL;
    *link = r->next;
    if (q->last == &r->next)
        q->last = link;
    return r;
}

static void routed_free(struct routed *r)
{
    result_free(r->result);
    free(r);
}

static void forget(struct queue *q, bool any, uint64_t ticket)
{
    struct routed *r;
    while ((r = pull(q, any, ticket)))
        routed_free(r);
}

// ---- the gate ----------------------------------------------------------------------------------

static enum gate_answer lock_card(struct card *c, struct error *e)
{
    int got = c->locking && c->holders == 0 ? device_lock_try(&c->lock, e) : 1;
    c->holders += got > 0;
    return got > 0 ? GATE_OPEN : got < 0 ? GATE_BROKEN : GATE_BUSY;
}

static void unlock_card(struct card *c)
{
    if (--c->holders == 0 && c->locking)
        device_lock_release(&c->lock);
}

static enum gate_answer gate_lock(void *context, struct error *e)
{
    return lock_card(((struct member *)context)->card, e);
}

static void gate_unlock(void *context)
{
    unlock_card(((struct member *)context)->card);
}

static enum gate_answer gate_enter(void *context, uint64_t ticket, struct gate_known *known,
                                   struct result **out, struct error *e)
{
    struct member *m = context;
    struct route *t = m->route;
    bool is_taken = t->held || (t->turning != NOBODY && t->turning != m->index) ||
                    (t->entered != NOBODY && t->entered != m->index);
    (void)ticket, (void)known, (void)out;
    if (is_taken)
        return GATE_BUSY;
    enum gate_answer got = lock_card(m->card, e);
    if (got == GATE_OPEN)
        t->entered = m->index;
    return got;
}

static bool gate_leave(void *context, uint64_t ticket, const struct result *result, struct error *e)
{
    struct member *m = context;
    (void)ticket, (void)result, (void)e;
    m->route->entered = NOBODY;
    unlock_card(m->card);
    return true;
}

static const char *gate_waiting(void *context)
{
    struct member *m = context;
    struct route *t = m->route;
    if (!m->card->locking || !m->card->lock.waiting)
        return NULL;
    snprintf(t->why, sizeof t->why, "the device is in use by %s", m->card->lock.holder);
    return t->why;
}

// ---- turns -------------------------------------------------------------------------------------

// Hands the next turns to their member; those of another one wait until these are answered, and
// until what that one has at its bench has left it.
static bool give_turns(struct route *t, struct error *e)
{
    while (t->waiting.first) {
        struct member *m = member_of(t, t->waiting.first->ticket);
        if ((t->turning != NOBODY && t->turning != m->index) ||
            (t->entered != NOBODY && t->entered != m->index))
            return true;
        struct routed *r = pull(&t->waiting, true, 0);
        t->turning = m->index;
        append(&t->given, r);
        if (!evaluator_again(m->live, r->ticket, &r->turn, e))
            return false;
    }
    return true;
}

// What failed in one turn fails in all of its turns that wait.
static bool fail_waiting(struct route *t, uint64_t ticket, const struct result *failed)
{
    struct routed *r;
    while ((r = pull(&t->waiting, false, ticket))) {
        append(&t->done, r);
        r->result = result_clone(failed);
        if (!r->result)
            return false;
    }
    return true;
}

// An outcome of a turn is done with its turn; any other is the caller's as it is.
static bool answer_turn(struct route *t, const struct outcome *out)
{
    struct routed *r = pull(&t->given, false, out->ticket);
    if (!r)
        return true;
    routed_free(r);
    if (!t->given.first)
        t->turning = NOBODY;
    return out->result->status == STATUS_CORRECT || fail_waiting(t, out->ticket, out->result);
}

// ---- operations --------------------------------------------------------------------------------

static bool route_submit(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e)
{
    struct member *m = member_of(self(ev), ticket);
    if (m)
        return evaluator_submit(m->live, ticket, job, e);
    job_free(job);
    return error_set(e, ERROR_INTERNAL, "ticket %llu is of no member", (unsigned long long)ticket);
}

static bool give_done(struct route *t, struct outcome *out)
{
    struct routed *r = pull(&t->done, true, 0);
    if (!r)
        return false;
    *out = (struct outcome){.ticket = r->ticket, .result = r->result};
    r->result = NULL;
    routed_free(r);
    return out->result != NULL;
}

static int take_from(struct route *t, uint32_t index, int timeout_ms, struct outcome *out,
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
static int look_at_all(struct route *t, uint64_t until, struct outcome *out, struct error *e)
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

static int route_take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e)
{
    struct route *t = self(ev);
    uint64_t until = timeout_ms < 0 ? UINT64_MAX : clock_ns() + (uint64_t)timeout_ms * 1000000;
    for (;;) {
        if (give_done(t, out))
            return 1;
        if (!give_turns(t, e))
            return -1;
        int got = look_at_all(t, until, out, e);
        if (got || (!t->done.first && clock_ns() >= until))
            return got;
    }
}

static bool route_again(struct evaluator *ev, uint64_t ticket, const struct turn *turn,
                        struct error *e)
{
    struct route *t = self(ev);
    struct routed *r = member_of(t, ticket) ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return error_memory(e);
    r->ticket = ticket;
    r->turn = *turn;
    append(&t->waiting, r);
    return give_turns(t, e);
}

static void route_hold(struct evaluator *ev, bool hold)
{
    struct route *t = self(ev);
    t->held = hold;
    for (uint32_t i = 0; i < t->count; i++)
        evaluator_hold(t->members[i].live, hold);
}

static void route_drop(struct evaluator *ev, uint64_t ticket)
{
    struct route *t = self(ev);
    struct member *m = member_of(t, ticket);
    forget(&t->waiting, false, ticket);
    forget(&t->given, false, ticket);
    forget(&t->done, false, ticket);
    if (!t->given.first)
        t->turning = NOBODY;
    if (m)
        evaluator_drop(m->live, ticket);
}

static size_t route_room(struct evaluator *ev)
{
    struct route *t = self(ev);
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < t->count; i++) {
        size_t room = evaluator_room(t->members[i].live);
        least = room < least ? room : least;
    }
    return least;
}

// A turn that is at a member's bench may come to its end there.
static void route_cancel(struct evaluator *ev)
{
    struct route *t = self(ev);
    forget(&t->waiting, true, 0);
    for (uint32_t i = 0; i < t->count; i++)
        evaluator_cancel(t->members[i].live);
}

static bool route_idle(struct evaluator *ev)
{
    struct route *t = self(ev);
    bool idle = !t->waiting.first && !t->done.first;
    for (uint32_t i = 0; i < t->count && idle; i++)
        idle = evaluator_idle(t->members[i].live);
    return idle;
}

static void route_status(struct evaluator *ev, struct evaluator_status *out)
{
    struct route *t = self(ev);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < t->count; i++) {
        struct evaluator_status one;
        evaluator_status(t->members[i].live, &one);
        out->building += one.building;
        out->queued += one.queued;
        out->ready += one.ready;
        out->measuring = out->measuring || one.measuring;
        out->waiting = one.waiting ? one.waiting : out->waiting;
        out->reference_failed |= one.reference_failed;
    }
}

static bool route_fetch(struct evaluator *ev, uint64_t ticket, enum fetch what, uint32_t index,
                        struct text *out, struct error *e)
{
    struct member *m = member_of(self(ev), ticket);
    return m ? evaluator_fetch(m->live, ticket, what, index, out, e)
             : error_set(e, ERROR_INTERNAL, "a ticket of no member");
}

static void route_destroy(struct evaluator *ev)
{
    struct route *t = self(ev);
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

static const struct evaluator_operations route_operations = {
    .submit = route_submit,
    .take = route_take,
    .again = route_again,
    .hold = route_hold,
    .drop = route_drop,
    .room = route_room,
    .cancel = route_cancel,
    .idle = route_idle,
    .status = route_status,
    .fetch = route_fetch,
    .destroy = route_destroy,
};

// ---- making ------------------------------------------------------------------------------------

// The lock of the device, opened once for all members of it. NULL on failure.
static struct card *card_of(struct route *t, const struct device_info *d, const char *folder,
                            struct error *e)
{
    char name[DEVICE_LOCK_NAME];
    device_lock_name(d, name);
    for (uint32_t i = 0; i < t->card_count; i++) {
        if (str_equal(t->cards[i].name, name))
            return &t->cards[i];
    }
    struct card *c = &t->cards[t->card_count];
    memcpy(c->name, name, sizeof name);
    c->locking = folder && device_lock_open(&c->lock, folder, d, e);
    if (folder && !c->locking)
        return NULL;
    t->card_count++;
    return c;
}

static bool make_member(struct route *t, const struct live_options *options, const char *folder,
                        struct error *e)
{
    struct member *m = &t->members[t->count];
    struct live_options live = *options;
    *m = (struct member){.route = t, .index = t->count};
    m->card = card_of(t, live.device, folder, e);
    if (!m->card)
        return false;
    m->card->lock.limit_ns = live.terms.lock_wait_ns;
    live.gate = (struct gate){.enter = gate_enter,
                              .leave = gate_leave,
                              .lock = gate_lock,
                              .unlock = gate_unlock,
                              .waiting = gate_waiting,
                              .context = m};
    m->live = live_new(&live, e);
    t->count += m->live != NULL;
    return m->live != NULL;
}

struct evaluator *route_new(const struct route_options *o, struct error *e)
{
    struct route *t = calloc(1, sizeof *t);
    if (!t) {
        error_memory(e);
        return NULL;
    }
    t->base.ops = &route_operations;
    t->turning = t->entered = NOBODY;
    t->waiting.last = &t->waiting.first;
    t->given.last = &t->given.first;
    t->done.last = &t->done.first;
    for (uint32_t i = 0; i < o->count; i++) {
        if (!make_member(t, &o->members[i], o->lock_folder, e)) {
            route_destroy(&t->base);
            return NULL;
        }
    }
    return &t->base;
}
