// The agent of a node: starts ordinary workers over socket pairs and passes on what they say, one
// loop over all of them. What a worker may send or be sent is bounded by credit, so that one that
// does not read costs no other anything. Scratch and the drivers' caches lie in a folder of the
// agent's own, which goes with it.
#include "extras/nodes/agent.h"

#include "base/array.h"
#include "model/languages.h"
#include "os/beside.h"
#include "os/process.h"
#include "os/scratch.h"
#include "worker/device_lock.h"
#include "worker/modes.h"
#include "extras/nodes/node_frames.h"
#include "worker/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#define QUEUE_MOST (1u << 20) // bytes for the link that wait; beyond, workers are not read
// How soon a dying worker is looked at again, and when it has been dying for long.
#define SOON_NS          2000000ull
#define LATER_NS         20000000ull
#define DYING_NS         100000000ull
#define LOCK_NS          5000000ull // a lock that others have
#define TOLD_NS          1000000000ull
#define LEFT_NS          2000000000ull // what a worker that is gone left in its channel may take so long
#define END_NS           3000000000ull // all workers together at the end
#define CANNOT_RUN       127
#define FOLDER_VARIABLES 16

// A worker of the node.
struct ward {
    struct ward *next;
    uint32_t number;
    struct process process;
    struct text out; // for its channel
    size_t sent;
    uint32_t passed; // bytes that it took, or lost, and that the link has no credit for yet
    uint32_t credit; // bytes of it that the link takes
    bool is_closed;  // the link sends nothing more
    bool has_ended;  // its channel is at its end, and that was told
    bool is_killed, is_gone;
    int status;
    uint64_t gone_ns, dying_ns; // since when; 0: it is not
    int channel_at, printed_at; // where poll() has its descriptors; -1: nowhere
};

struct agent_lock {
    struct agent_lock *next;
    uint32_t number;
    struct device_lock lock;
    bool is_wanted;
    uint64_t told_ns;
};

// A frame of contents: where the file has it.
struct item {
    uint64_t offset;
    uint32_t length;
};

struct agent {
    const struct agent_options *o;
    const char *program;
    struct node_stream stream;
    struct node_silence silence;
    uint64_t beat_ns, lease_ns, beaten_ns;
    int signals;
    struct scratch scratch;
    const char *folders[FOLDER_VARIABLES]; // NAME=VALUE of folders that are the agent's own
    size_t folder_count;
    struct arena arena;
    struct ward *wards;
    uint32_t ward_count, last_number;
    struct agent_lock *locks;
    uint32_t lock_count;
    int kept; // the file of items; -1: none yet
    uint64_t kept_bytes;
    struct item *items;
    size_t item_count, item_capacity;
    bool batches; // as process_batch() said; its workers shall not
    bool is_greeted, has_ended;
    struct error failed; // why it ends, but for the end of its input
    struct pollfd fds[2 * NODE_WORKERS + 3];
};

static void put_frame(struct agent *a, enum node_verb verb, uint32_t number, const void *payload,
                      size_t length)
{
    if (!node_put(&a->stream, verb, number, payload, length))
        error_memory(&a->failed);
}

static bool is_congested(const struct agent *a)
{
    return node_pending(&a->stream) > QUEUE_MOST;
}

// ---- workers -----------------------------------------------------------------------------------

static struct ward *find_ward(const struct agent *a, uint32_t number)
{
    struct ward *w = a->wards;
    while (w && w->number != number)
        w = w->next;
    return w;
}

// Folder variables from the tuner's machine are ignored, except empty ones, which disable that
// cache here too.
static bool is_folder_variable(const struct agent *a, const char *entry)
{
    size_t length = strcspn(entry, "=") + 1;
    for (size_t i = 0; i < a->folder_count; i++) {
        if (strncmp(a->folders[i], entry, length) == 0)
            return true;
    }
    return str_starts(entry, "TMPDIR=");
}

static const char *const *ward_environment(const struct agent *a, const struct node_start *s,
                                           struct arena *arena)
{
    const char **list = arena_array(arena, s->count + a->folder_count + 1, sizeof(*list));
    size_t n = 0;
    for (size_t i = 0; list && i < a->folder_count; i++)
        list[n++] = a->folders[i];
    for (uint32_t i = 0; list && i < s->count; i++) {
        const char *entry = s->environment[i], *value = strchr(entry, '=');
        if (!value || (value[1] && is_folder_variable(a, entry)))
            continue;
        for (size_t k = 0; k < n; k++) { // nothing stands twice
            if (strncmp(list[k], entry, (size_t)(value - entry) + 1) == 0)
                list[k] = list[--n];
        }
        list[n++] = entry;
    }
    return list;
}

static void tell_exited(struct agent *a, uint32_t number, int status)
{
    if (!node_put_u32(&a->stream, NODE_EXITED, number, (uint32_t)status))
        error_memory(&a->failed);
}

// It is scheduled as it would be without an agent.
static bool start_process(const struct agent *a, struct ward *w, const char *const *argv,
                          const char *const *environment, struct error *e)
{
    if (a->batches)
        process_batch_end();
    bool ok = process_start(&w->process, argv, environment, e);
    if (a->batches)
        process_batch();
    return ok;
}

static void start_ward(struct agent *a, const struct node_frame *f)
{
    const char *const argv[] = {a->program, NULL};
    struct node_start start = {NULL, 0};
    struct arena arena;
    struct wire in;
    struct error e = ERROR_INIT;
    arena_init(&arena);
    wire_reader(&in, f->payload, f->length, &arena);
    node_start_codec(&in, &start);
    struct ward *w = calloc(1, sizeof *w);
    const char *const *environment = wire_done(&in) ? ward_environment(a, &start, &arena) : NULL;
    if (f->number <= a->last_number || a->ward_count >= NODE_WORKERS || !w || !environment) {
        error_set(&a->failed, ERROR_WORKER, "a worker cannot be started as it was asked for");
        free(w);
    } else if (!start_process(a, w, argv, environment, &e)) {
        put_frame(a, NODE_PRINTED, f->number, e.text, strlen(e.text));
        put_frame(a, NODE_CLOSE, f->number, NULL, 0);
        tell_exited(a, f->number, CANNOT_RUN << 8);
        free(w);
    } else {
        w->number = f->number;
        w->credit = NODE_WINDOW;
        w->channel_at = w->printed_at = -1;
        w->next = a->wards;
        a->wards = w;
        a->ward_count++;
    }
    a->last_number = f->number > a->last_number ? f->number : a->last_number;
    arena_release(&arena);
}

static void drop_ward(struct agent *a, struct ward **at)
{
    struct ward *w = *at;
    *at = w->next;
    a->ward_count--;
    process_end(&w->process);
    text_release(&w->out);
    free(w);
}

static size_t ward_pending(const struct ward *w)
{
    return w->out.length - w->sent;
}

static void pass_credit(struct agent *a, struct ward *w, size_t bytes)
{
    w->passed += (uint32_t)bytes;
    if (w->passed < NODE_WINDOW / 4 || w->is_closed)
        return;
    if (!node_put_u32(&a->stream, NODE_CREDIT, w->number, w->passed))
        error_memory(&a->failed);
    w->passed = 0;
}

// Sends the queued bytes to the worker; drops them if it is gone.
static void feed_ward(struct agent *a, struct ward *w)
{
    while (w->process.channel >= 0 && ward_pending(w) > 0) {
        ssize_t n = send(w->process.channel, w->out.data + w->sent, ward_pending(w),
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        size_t done = n < 0 ? ward_pending(w) : (size_t)n;
        w->sent += done;
        pass_credit(a, w, done);
    }
    text_release(&w->out);
    w->sent = 0;
    // Its end of the channel is the worker's sign that nobody is there any more.
    if (w->is_closed && w->process.channel >= 0) {
        close(w->process.channel);
        w->process.channel = -1;
    }
}

static void give_ward(struct agent *a, struct ward *w, const void *bytes, size_t length)
{
    if (!w || w->is_closed || w->process.channel < 0)
        return; // it is gone, and the link does not know yet
    if (ward_pending(w) + length > NODE_WINDOW) {
        error_set(&a->failed, ERROR_WORKER, "more was sent to a worker than it has room for");
        return;
    }
    text_addn(&w->out, bytes, length);
    if (w->out.failed)
        error_memory(&a->failed);
    feed_ward(a, w);
}

// Passes on a worker's output before its answers, since it was printed before them.
static void pass_printed(struct agent *a, struct ward *w)
{
    char bytes[16 * 1024];
    while (w->process.printed >= 0 && !is_congested(a)) {
        ssize_t n = read(w->process.printed, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) {
            close(w->process.printed);
            w->process.printed = -1;
            return;
        }
        put_frame(a, NODE_PRINTED, w->number, bytes, (size_t)n);
    }
}

static void hear_ward(struct agent *a, struct ward *w)
{
    uint8_t bytes[NODE_PIECE];
    while (!w->has_ended && w->process.channel >= 0 && w->credit > 0 && !is_congested(a)) {
        size_t most = w->credit < sizeof bytes ? w->credit : sizeof bytes;
        ssize_t n = recv(w->process.channel, bytes, most, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) {
            pass_printed(a, w);
            w->has_ended = true;
            put_frame(a, NODE_CLOSE, w->number, NULL, 0);
            return;
        }
        pass_printed(a, w);
        put_frame(a, NODE_DATA, w->number, bytes, (size_t)n);
        w->credit -= (uint32_t)n;
        if ((size_t)n < most) // it was empty then; its end wakes us
            return;
    }
}

// Its end is told once all that it said was passed on; who killed it wants nothing more of it.
static bool has_exited(struct agent *a, struct ward *w)
{
    if (!w->is_gone && process_wait(&w->process, 0, &w->status)) {
        w->is_gone = true;
        w->gone_ns = clock_ns();
        put_frame(a, NODE_PRINTED, w->number, w->process.tail, w->process.tail_length);
        process_forget(&w->process);
    }
    if (w->is_gone && !w->has_ended)
        hear_ward(a, w);
    return w->is_gone && (w->has_ended || w->is_killed || w->process.channel < 0 ||
                          clock_ns() - w->gone_ns >= LEFT_NS);
}

static bool ward_dies(struct ward *w)
{
    bool dies = w->is_killed || w->has_ended || w->is_gone || w->process.channel < 0;
    if (dies && !w->dying_ns)
        w->dying_ns = clock_ns();
    return dies;
}

static void look_at_wards(struct agent *a, bool at_all)
{
    for (struct ward **at = &a->wards, *w; (w = *at);) {
        if ((ward_dies(w) || at_all) && has_exited(a, w)) {
            pass_printed(a, w);
            tell_exited(a, w->number, w->status);
            drop_ward(a, at);
        } else {
            at = &w->next;
        }
    }
}

static void signal_ward(struct agent *a, const struct node_frame *f)
{
    struct ward *w = find_ward(a, f->number);
    uint32_t number;
    if (!node_frame_u32(f, &number) || !node_signal_is_known(number)) {
        error_set(&a->failed, ERROR_WORKER, "an unknown signal was asked for");
        return;
    }
    if (!w || w->is_gone)
        return;
    w->is_killed = w->is_killed || number == SIGKILL;
    process_signal(&w->process, (int)number);
}

// ---- contents ----------------------------------------------------------------------------------

static bool open_items(struct agent *a)
{
    char path[4096];
    if (a->kept >= 0)
        return true;
    snprintf(path, sizeof path, "%s/contents", a->scratch.path);
    a->kept = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return a->kept >= 0;
}

static void keep_item(struct agent *a, const struct node_frame *f)
{
    struct item item = {a->kept_bytes, f->length};
    if (a->item_count >= NODE_ITEMS) {
        error_set(&a->failed, ERROR_WORKER, "the tuner has more than %u pieces of data kept",
                  (unsigned)NODE_ITEMS);
        return;
    }
    bool ok = open_items(a) && ARRAY_ROOM(a->items, a->item_capacity, a->item_count + 1);
    for (uint32_t done = 0; ok && done < f->length;) {
        ssize_t n =
            pwrite(a->kept, f->payload + done, f->length - done, (off_t)(a->kept_bytes + done));
        ok = n > 0 || (n < 0 && errno == EINTR);
        done += n > 0 ? (uint32_t)n : 0;
    }
    if (!ok) {
        error_set_driver(&a->failed, ERROR_IO, errno,
                         "cannot keep data in %s: %s; TMPDIR names another folder", a->scratch.path,
                         strerror(errno));
        return;
    }
    a->items[a->item_count++] = item;
    a->kept_bytes += f->length;
    give_ward(a, find_ward(a, f->number), f->payload, f->length);
}

static void recall_item(struct agent *a, const struct node_frame *f)
{
    uint32_t index;
    if (!node_frame_u32(f, &index) || index >= a->item_count) {
        error_set(&a->failed, ERROR_WORKER, "data was asked for that was never sent");
        return;
    }
    const struct item *item = &a->items[index];
    uint8_t *bytes = malloc(item->length);
    ssize_t n = bytes ? pread(a->kept, bytes, item->length, (off_t)item->offset) : -1;
    if (n == (ssize_t)item->length)
        give_ward(a, find_ward(a, f->number), bytes, item->length);
    else
        error_set(&a->failed, ERROR_IO, "data that was kept in %s cannot be read", a->scratch.path);
    free(bytes);
}

// ---- locks -------------------------------------------------------------------------------------

static void drop_lock(struct agent *a, struct agent_lock **at)
{
    struct agent_lock *l = *at;
    *at = l->next;
    a->lock_count--;
    device_lock_close(&l->lock);
    free(l);
}

static struct agent_lock **find_lock(struct agent *a, uint32_t number)
{
    struct agent_lock **at = &a->locks;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

static void refuse_lock(struct agent *a, uint32_t number, const char *why)
{
    if (!node_put_text(&a->stream, NODE_REFUSED, number, why))
        error_memory(&a->failed);
}

static void try_lock(struct agent *a, struct agent_lock *l)
{
    struct error e = ERROR_INIT;
    int got = device_lock_try(&l->lock, &e);
    if (got > 0) {
        put_frame(a, NODE_LOCKED, l->number, NULL, 0);
    } else if (got < 0) {
        refuse_lock(a, l->number, e.text);
    } else if (l->lock.waiting && clock_ns() - l->told_ns >= TOLD_NS) {
        l->told_ns = clock_ns();
        if (!node_put_text(&a->stream, NODE_WAITING, l->number, l->lock.holder))
            error_memory(&a->failed);
    }
    l->is_wanted = got == 0;
}

static void want_lock(struct agent *a, const struct node_frame *f)
{
    struct agent_lock *l = *find_lock(a, f->number);
    struct node_lock_request request = {.name = ""};
    struct arena arena;
    struct wire in;
    struct error e = ERROR_INIT;
    arena_init(&arena);
    wire_reader(&in, f->payload, f->length, &arena);
    node_lock_codec(&in, &request);
    bool ok = wire_done(&in) && device_lock_is_name(request.name);
    if (!ok || (!l && a->lock_count >= NODE_LOCKS)) {
        error_set(&a->failed, ERROR_WORKER, "a device's lock was asked for that cannot be");
    } else if (!l) {
        l = calloc(1, sizeof *l);
        if (!l)
            error_memory(&a->failed);
        else if (!device_lock_open_named(&l->lock, a->o->locks, request.name, &e)) {
            refuse_lock(a, f->number, e.text);
            free(l);
            l = NULL;
        } else {
            l->number = f->number;
            l->next = a->locks;
            a->locks = l;
            a->lock_count++;
        }
    }
    if (ok && l) {
        l->lock.limit_ns = request.limit_ns;
        l->is_wanted = true;
        l->told_ns = 0;
        try_lock(a, l);
    }
    arena_release(&arena);
}

static bool some_lock_is_wanted(const struct agent *a)
{
    const struct agent_lock *l = a->locks;
    while (l && !l->is_wanted)
        l = l->next;
    return l;
}

// ---- what the link says ------------------------------------------------------------------------

static void take_lease(struct agent *a, const struct node_frame *f)
{
    struct node_lease lease = {0, 0};
    struct arena none = {0};
    struct wire in;
    wire_reader(&in, f->payload, f->length, &none);
    node_lease_codec(&in, &lease);
    if (!wire_done(&in) || lease.beat_ms < 1 || lease.lease_ms < lease.beat_ms) {
        error_set(&a->failed, ERROR_WORKER, "a greeting makes no sense");
        return;
    }
    a->beat_ns = lease.beat_ms * 1000000ull;
    a->lease_ns = lease.lease_ms * 1000000ull;
    a->is_greeted = true;
}

static void take_credit(struct agent *a, const struct node_frame *f)
{
    struct ward *w = find_ward(a, f->number);
    uint32_t more;
    if (!node_frame_u32(f, &more) || more > NODE_WINDOW || (w && w->credit + more > NODE_WINDOW))
        error_set(&a->failed, ERROR_WORKER, "more credit came than there is");
    else if (w)
        w->credit += more;
}

static void take_close(struct agent *a, uint32_t number)
{
    struct ward *w = find_ward(a, number);
    struct agent_lock **l = find_lock(a, number);
    if (*l)
        drop_lock(a, l);
    if (!w)
        return;
    w->is_closed = true;
    feed_ward(a, w);
}

static void take_frame(struct agent *a, const struct node_frame *f)
{
    struct agent_lock *l;
    if (!a->is_greeted && f->verb != NODE_HELLO) {
        error_set(&a->failed, ERROR_WORKER, "'%s' came before a greeting", node_verb_text(f->verb));
        return;
    }
    switch (f->verb) {
    case NODE_HELLO:
        take_lease(a, f);
        break;
    case NODE_BEAT:
        break;
    case NODE_START:
        start_ward(a, f);
        break;
    case NODE_DATA:
        give_ward(a, find_ward(a, f->number), f->payload, f->length);
        break;
    case NODE_KEEP:
        keep_item(a, f);
        break;
    case NODE_RECALL:
        recall_item(a, f);
        break;
    case NODE_CREDIT:
        take_credit(a, f);
        break;
    case NODE_CLOSE:
        take_close(a, f->number);
        break;
    case NODE_SIGNAL:
        signal_ward(a, f);
        break;
    case NODE_LOCK:
        want_lock(a, f);
        break;
    case NODE_UNLOCK:
        l = *find_lock(a, f->number);
        if (l) {
            l->is_wanted = false;
            device_lock_release(&l->lock);
        }
        break;
    default:
        error_set(&a->failed, ERROR_WORKER, "'%s' is not a message for an agent",
                  node_verb_text(f->verb));
    }
}

static void hear_link(struct agent *a)
{
    struct node_frame f;
    size_t before = a->stream.received.length - a->stream.consumed;
    if (!node_receive(&a->stream, &a->failed))
        return;
    if (a->stream.received.length - a->stream.consumed != before)
        node_heard(&a->silence);
    while (!a->failed.code && node_next(&a->stream, &f, &a->failed) > 0)
        take_frame(a, &f);
    a->has_ended = a->has_ended || a->stream.ended;
}

// ---- the loop ----------------------------------------------------------------------------------

static void put_beat(struct agent *a)
{
    struct text memory = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &memory);
    for (const struct ward *p = a->wards; p; p = p->next) {
        uint64_t number = p->number, bytes = process_memory(&p->process);
        wire_u64(&w, &number);
        wire_u64(&w, &bytes);
    }
    if (!memory.failed && !is_congested(a))
        put_frame(a, NODE_BEAT, 0, memory.data, memory.length);
    text_release(&memory);
}

static nfds_t gather_descriptors(struct agent *a)
{
    nfds_t n = 0;
    bool pending = node_pending(&a->stream) > 0 && !a->stream.broken;
    a->fds[n++] = (struct pollfd){.fd = a->stream.in, .events = POLLIN};
    a->fds[n++] = (struct pollfd){.fd = pending ? a->stream.out : -1, .events = POLLOUT};
    a->fds[n++] = (struct pollfd){.fd = a->signals, .events = POLLIN};
    for (struct ward *w = a->wards; w; w = w->next) {
        bool hears = !w->has_ended && w->credit > 0 && !is_congested(a);
        short events = (short)((hears ? POLLIN : 0) | (ward_pending(w) > 0 ? POLLOUT : 0));
        w->channel_at = w->printed_at = -1;
        if (w->process.channel >= 0 && events) {
            w->channel_at = (int)n;
            a->fds[n++] = (struct pollfd){.fd = w->process.channel, .events = events};
        }
        if (w->process.printed >= 0 && !is_congested(a)) {
            w->printed_at = (int)n;
            a->fds[n++] = (struct pollfd){.fd = w->process.printed, .events = POLLIN};
        }
    }
    return n;
}

static int agent_sleep_ms(const struct agent *a)
{
    uint64_t now = clock_ns(), next = a->beaten_ns + a->beat_ns;
    if (some_lock_is_wanted(a) && now + LOCK_NS < next)
        next = now + LOCK_NS;
    for (struct ward *w = a->wards; w; w = w->next) {
        uint64_t look = !ward_dies(w)                  ? next
                        : now - w->dying_ns < DYING_NS ? now + SOON_NS
                                                       : now + LATER_NS;
        next = look < next ? look : next;
    }
    return next <= now ? 0 : (int)((next - now + 999999) / 1000000);
}

static void agent_step(struct agent *a)
{
    nfds_t count = gather_descriptors(a);
    int ready = poll(a->fds, count, agent_sleep_ms(a));
    if (ready > 0 && a->fds[0].revents)
        hear_link(a);
    if (ready > 0 && a->fds[2].revents)
        a->has_ended = true;
    for (struct ward *w = a->wards; ready > 0 && w; w = w->next) {
        short channel = w->channel_at < 0 ? 0 : a->fds[w->channel_at].revents;
        if (channel & POLLOUT)
            feed_ward(a, w);
        if (channel & ~POLLOUT)
            hear_ward(a, w);
        if (w->printed_at >= 0 && a->fds[w->printed_at].revents)
            pass_printed(a, w);
    }
    for (struct agent_lock *l = a->locks; l; l = l->next) {
        if (l->is_wanted)
            try_lock(a, l);
    }
    bool beats = clock_ns() - a->beaten_ns >= a->beat_ns;
    look_at_wards(a, beats);
    if (beats) {
        a->beaten_ns = clock_ns();
        put_beat(a);
    }
    if (node_is_silent(&a->silence, a->beat_ns, a->lease_ns) && !a->failed.code)
        error_set(&a->failed, ERROR_WORKER, "nothing was heard of the tuner for %.3g s",
                  (double)a->lease_ns / 1e9);
    node_flush(&a->stream);
    a->has_ended = a->has_ended || a->stream.broken;
}

// ---- its life ----------------------------------------------------------------------------------

static bool add_folder(struct agent *a, const char *name, const char *folder)
{
    const char *entry = arena_printf(&a->arena, "%s=%s", name, folder);
    for (size_t i = 0; entry && i < a->folder_count; i++) {
        if (str_equal(a->folders[i], entry))
            return true;
    }
    if (!entry || a->folder_count == FOLDER_VARIABLES)
        return false;
    a->folders[a->folder_count++] = entry;
    return true;
}

// Below the scratch folder, unless the node's own environment names one.
static bool add_cache(struct agent *a, const char *name)
{
    const char *chosen = getenv(name);
    const char *folder = chosen ? chosen : arena_printf(&a->arena, "%s/%s", a->scratch.path, name);
    return folder && (chosen || folder_make(folder, NULL)) && add_folder(a, name, folder);
}

static bool choose_folders(struct agent *a)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || access(parent, W_OK) != 0)
        parent = "/tmp";
    if (!scratch_make(&a->scratch, parent, &a->failed))
        return false;
    bool ok =
        add_folder(a, "HONE_WORKER_SCRATCH", a->scratch.path) && add_cache(a, "HONE_WORKER_CACHE");
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        const struct language_cache *c = language_traits((enum language)l)->caches;
        for (; ok && c->variable; c++)
            ok = add_cache(a, c->variable);
    }
    return ok || error_set(&a->failed, ERROR_IO, "cannot make folders in %s", a->scratch.path);
}

static bool put_hello(struct agent *a)
{
    char host[256] = "", path[BESIDE_PATH_SIZE];
    struct text program = TEXT_INIT, payload = TEXT_INIT;
    struct node_hello hello = {.protocol = NODE_PROTOCOL,
                               .version = HONE_VERSION,
                               .worker_protocol = PROTOCOL_VERSION,
                               .host = host,
                               .cores = process_cores()};
    struct wire w;
    bool same;
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    if (!a->o->worker && !beside_program(path))
        return error_set(&a->failed, ERROR_IO, "its own program cannot be found: %s",
                         strerror(errno));
    a->program = arena_strdup(&a->arena, a->o->worker ? a->o->worker : path);
    if (!a->program)
        return error_memory(&a->failed);
    if (!file_read(a->program, 0, &program, &a->failed))
        return false;
    digest_of(program.data, program.length, &hello.binary);
    text_release(&program);
    wire_writer(&w, &payload);
    node_hello_codec(&w, &hello, &same);
    put_frame(a, NODE_HELLO, 0, payload.data, payload.length);
    text_release(&payload);
    return !a->failed.code;
}

// Descriptors 0 and 1 are the link's; what is printed goes where messages go.
static bool take_ends(struct agent *a)
{
    struct error *e = &a->failed;
    sigset_t ending;
    struct termios terminal;
    int out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (out >= 0 && tcgetattr(out, &terminal) == 0) { // srun -u makes it one
        cfmakeraw(&terminal);
        tcsetattr(out, TCSANOW, &terminal);
    }
    int in = take_channel(e);
    if (in < 0 || out < 0 || !node_set_nonblocking(in) || !node_set_nonblocking(out))
        return error_set_driver(e, ERROR_IO, errno, "cannot take its input and output: %s",
                                strerror(errno));
    node_stream_init(&a->stream, in, out);
    prctl(PR_SET_PDEATHSIG, SIGCONT); // one that is stopped then sees that its input has ended
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, NULL);
    a->signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    return true;
}

static void end_wards(struct agent *a)
{
    uint64_t until = clock_ns() + END_NS;
    for (struct ward *w = a->wards; w; w = w->next)
        process_signal(&w->process, SIGKILL);
    for (struct ward *w = a->wards; w; w = w->next) {
        uint64_t now = clock_ns();
        process_wait(&w->process, now < until ? (int)((until - now) / 1000000) : 0, NULL);
    }
    while (a->wards) {
        struct ward *w = a->wards;
        a->wards = w->next;
        process_leave(&w->process);
        text_release(&w->out);
        free(w);
    }
    while (a->locks)
        drop_lock(a, &a->locks);
}

// Why it ends is told twice: the launcher may pass on only one of the two ways.
static void tell_failure(struct agent *a)
{
    struct pollfd ready = {.fd = a->stream.out, .events = POLLOUT};
    fprintf(stderr, "hone-worker --node: %s\n", a->failed.text);
    node_put_text(&a->stream, NODE_FAILED, 0, a->failed.text);
    for (int tries = 0; tries < 10 && node_pending(&a->stream) > 0 && !a->stream.broken; tries++) {
        node_flush(&a->stream);
        if (node_pending(&a->stream) > 0)
            poll(&ready, 1, 100);
    }
}

int agent_serve(const struct agent_options *o)
{
    struct agent *a = calloc(1, sizeof *a);
    if (!a)
        return EXIT_FAILURE;
    *a = (struct agent){.o = o,
                        .scratch = SCRATCH_NONE,
                        .kept = -1,
                        .signals = -1,
                        .beat_ns = NODE_BEAT_NS,
                        .lease_ns = NODE_LEASE_NS};
    node_stream_init(&a->stream, -1, -1);
    arena_init(&a->arena);
    if (take_ends(a) && choose_folders(a) && put_hello(a)) {
        a->batches = process_batch();
        while (!a->has_ended && !a->failed.code)
            agent_step(a);
    }
    int status = a->failed.code ? EXIT_FAILURE : EXIT_SUCCESS;
    if (a->failed.code)
        tell_failure(a);
    end_wards(a);
    if (a->kept >= 0)
        close(a->kept);
    free(a->items);
    scratch_remove(&a->scratch);
    arena_release(&a->arena);
    node_stream_release(&a->stream);
    free(a);
    return status;
}
