// A strategy in a thread: tells and asks are queued as orders, which the thread carries out one after the other. Who asks
// has room for so many questions; of these some are ready, some ordered, and the rest is ordered now.
#include "search/threaded.h"

#include "base/array.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH 64 // questions of one ask

struct order {
    enum { ORDER_ASK, ORDER_TELL, ORDER_COST } kind;
    size_t count; // of ASK
    uint64_t index;
    enum status status;
    double value;
};

struct threaded {
    struct strategy base;
    struct strategy_operations own;
    struct strategy *inner; // the thread's, from its beginning to its end
    pthread_t thread;
    pthread_mutex_t lock;      // of what follows
    pthread_cond_t work, news; // an order, or the end; an order is done
    struct order *orders;      // from `next` on; the array begins anew when all are done
    size_t room, next, count;
    bool is_busy; // with the order before `next`
    bool is_ending;
    uint64_t *ready; // questions, from `ready_next` on; there is room for those that are due, too
    size_t ready_room, ready_next, ready_count, due;
    bool is_short; // it had fewer than were due, and nobody looked yet
    uint32_t sources;
    struct strategy_heard *heard, *hearing; // by now; scratch of the thread
};

// ---- the thread --------------------------------------------------------------------------------

static void carry_out(struct threaded *b, const struct order *o, uint64_t *batch, size_t *got)
{
    *got = 0;
    if (o->kind == ORDER_ASK)
        *got = strategy_ask(b->inner, batch, o->count);
    else if (o->kind == ORDER_TELL)
        strategy_tell(b->inner, o->index, o->status, o->value);
    else
        strategy_cost(b->inner, o->index, o->value);
    if (b->sources > 0)
        strategy_heard(b->inner, b->hearing);
}

static void *choose_in_thread(void *context)
{
    struct threaded *b = context;
    pthread_mutex_lock(&b->lock);
    while (!b->is_ending) {
        uint64_t batch[BATCH];
        size_t got;
        if (b->next == b->count) {
            pthread_cond_wait(&b->work, &b->lock);
            continue;
        }
        struct order o = b->orders[b->next++];
        if (b->next == b->count)
            b->next = b->count = 0;
        b->is_busy = true;
        pthread_mutex_unlock(&b->lock);
        carry_out(b, &o, batch, &got);
        pthread_mutex_lock(&b->lock);
        b->is_busy = false;
        if (b->sources > 0)
            memcpy(b->heard, b->hearing, b->sources * sizeof *b->heard);
        if (got > 0)
            memcpy(b->ready + b->ready_count, batch, got * sizeof *batch);
        b->ready_count += got;
        b->due -= o.count;
        b->is_short |= got < o.count;
        pthread_cond_broadcast(&b->news);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

// ---- who asks ----------------------------------------------------------------------------------

// With the lock. False without memory.
static bool give_order(struct threaded *b, struct order o)
{
    if (!ARRAY_ROOM(b->orders, b->room, b->count + 1))
        return false;
    b->orders[b->count++] = o;
    pthread_cond_signal(&b->work);
    return true;
}

static void order_questions(struct threaded *b, size_t count)
{
    struct order o = {.kind = ORDER_ASK, .count = count < BATCH ? count : BATCH};
    if (b->ready_next == b->ready_count)
        b->ready_next = b->ready_count = 0;
    if (ARRAY_ROOM(b->ready, b->ready_room, b->ready_count + b->due + o.count) && give_order(b, o))
        b->due += o.count;
}

static size_t threaded_ask(struct strategy *s, uint64_t *out, size_t capacity)
{
    struct threaded *b = (struct threaded *)s;
    size_t count = 0;
    pthread_mutex_lock(&b->lock);
    while (count < capacity && b->ready_next < b->ready_count)
        out[count++] = b->ready[b->ready_next++];
    bool is_end = b->is_short && b->due == 0 && b->ready_next == b->ready_count;
    if (is_end)
        b->is_short = false;
    else if (capacity - count > b->due)
        order_questions(b, capacity - count - b->due);
    pthread_mutex_unlock(&b->lock);
    return count;
}

static bool threaded_wait(struct strategy *s, int timeout_ms)
{
    struct threaded *b = (struct threaded *)s;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += timeout_ms % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&b->lock);
    bool is_over = timeout_ms <= 0;
    while (b->due > 0 && b->ready_next == b->ready_count && !is_over)
        is_over = pthread_cond_timedwait(&b->news, &b->lock, &until) != 0;
    bool may = b->due > 0 || b->ready_next < b->ready_count || b->is_short;
    pthread_mutex_unlock(&b->lock);
    return may;
}

// Without memory for the order it is done here, once those before it are.
static void order_or_do(struct threaded *b, struct order o)
{
    size_t got;
    pthread_mutex_lock(&b->lock);
    if (!give_order(b, o)) {
        while (b->is_busy || b->next < b->count)
            pthread_cond_wait(&b->news, &b->lock);
        carry_out(b, &o, NULL, &got);
    }
    pthread_mutex_unlock(&b->lock);
}

static void threaded_tell(struct strategy *s, uint64_t index, enum status status, double value)
{
    order_or_do((struct threaded *)s, (struct order){ORDER_TELL, 0, index, status, value});
}

static void threaded_cost(struct strategy *s, uint64_t index, double ns)
{
    order_or_do((struct threaded *)s, (struct order){ORDER_COST, 0, index, STATUS_CORRECT, ns});
}

static void threaded_heard(const struct strategy *s, struct strategy_heard *out)
{
    struct threaded *b = (struct threaded *)s;
    pthread_mutex_lock(&b->lock);
    if (b->sources > 0)
        memcpy(out, b->heard, b->sources * sizeof *out);
    pthread_mutex_unlock(&b->lock);
}

// ---- making ------------------------------------------------------------------------------------

static void threaded_release(struct threaded *b)
{
    free(b->orders);
    free(b->ready);
    free(b->heard);
    free(b->hearing);
    free(b);
}

static void threaded_destroy(struct strategy *s)
{
    struct threaded *b = (struct threaded *)s;
    pthread_mutex_lock(&b->lock);
    b->is_ending = true;
    pthread_cond_signal(&b->work);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    strategy_free(b->inner);
    pthread_cond_destroy(&b->news);
    pthread_cond_destroy(&b->work);
    pthread_mutex_destroy(&b->lock);
    threaded_release(b);
}

// Signals are the caller's.
static bool start_thread_of(struct threaded *b)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;
    if (pthread_condattr_init(&monotonic) != 0)
        return false;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->work, NULL);
    pthread_cond_init(&b->news, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&b->thread, NULL, choose_in_thread, b) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!ok) {
        pthread_cond_destroy(&b->news);
        pthread_cond_destroy(&b->work);
        pthread_mutex_destroy(&b->lock);
    }
    return ok;
}

struct strategy *threaded_new(struct strategy *inner, uint32_t sources)
{
    const struct strategy_operations *ops = inner->ops;
    struct error none = ERROR_INIT;
    if (ops->wait || !ops->tell)
        return inner;
    struct threaded *b = alloc_zeroed(sizeof *b, &none);
    if (!b)
        return inner;
    b->inner = inner;
    b->sources = ops->heard ? sources : 0;
    b->heard = calloc(b->sources + 1, sizeof *b->heard);
    b->hearing = calloc(b->sources + 1, sizeof *b->hearing);
    b->own = (struct strategy_operations){.name = ops->name,
                                          .ask = threaded_ask,
                                          .tell = threaded_tell,
                                          .cost = ops->cost ? threaded_cost : NULL,
                                          .wait = threaded_wait,
                                          .heard = ops->heard ? threaded_heard : NULL,
                                          .destroy = threaded_destroy};
    b->base.ops = &b->own;
    if (b->heard && b->sources > 0)
        strategy_heard(inner, b->heard);
    if (!b->heard || !b->hearing || !start_thread_of(b)) {
        threaded_release(b);
        return inner;
    }
    b->base.description = inner->description;
    inner->description = NULL;
    return &b->base;
}
