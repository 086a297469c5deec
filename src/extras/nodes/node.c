// The tuner's end of a node: frames over the control socket of its link, which is a child of ours.
// Nothing has to be called regularly: the link keeps the connection, and what it says waits until
// somebody asks. A worker's channel and what it prints are descriptors of this machine, handed to
// the link when the worker is started.
#include "extras/nodes/node.h"

#include "os/process.h"
#include "worker/device_lock.h"
#include "extras/nodes/node_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEND_MS  5000 // how long the link may take nothing
#define END_MS   8000 // how long it may take to end
#define ENDED_MS 1000 // its channel is at its end: the process is about to be
#define DECIMALS 24
// A lock that was had and that nobody came for.
#define UNCLAIMED_NS 200000000ull

// A worker there.
struct child {
    struct child *next;
    pid_t number;
    bool is_gone;
    int status;
    uint64_t memory;
};

enum claim { CLAIM_NONE, CLAIM_ASKED, CLAIM_GRANTED, CLAIM_HELD, CLAIM_REFUSED };

struct held_lock {
    struct held_lock *next;
    uint32_t number;
    enum claim claim;
    uint64_t granted_ns;
    char text[512]; // who has it, or why it cannot be had
};

struct linked {
    struct node node; // first
    struct arena arena;
    const char *name;
    struct process link;
    struct node_stream control;
    enum node_state state;
    char reason[2300];
    struct node_about about;
    struct child *children;
    struct held_lock *locks;
    uint32_t last_number;
    struct node_silence silence;
    uint64_t beat_ns, lease_ns;
};

static struct linked *linked_of(const struct node *n)
{
    return (struct linked *)(uintptr_t)n;
}

static struct linked *linked_of_host(struct process_host *h)
{
    return (struct linked *)(void *)h;
}

static struct linked *linked_of_locks(struct device_lock_host *h)
{
    return (struct linked *)(void *)((char *)h - offsetof(struct node, locks));
}

static struct child **find_child(struct linked *n, pid_t number)
{
    struct child **at = &n->children;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

static struct held_lock **find_held(struct linked *n, uint32_t number)
{
    struct held_lock **at = &n->locks;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

// ---- what the link says ------------------------------------------------------------------------

static void lose_node(struct linked *n, const char *why)
{
    if (n->state == NODE_LOST)
        return;
    str_format(n->reason, sizeof n->reason, "node '%s'%s: %s", n->name,
               n->state == NODE_UP ? " is lost" : " cannot be used", why);
    n->state = NODE_LOST;
}

static void take_hello(struct linked *n, const struct node_frame *f)
{
    struct node_hello hello = {0};
    struct wire w;
    bool same;
    wire_reader(&w, f->payload, f->length, &n->arena);
    node_hello_codec(&w, &hello, &same);
    if (!wire_done(&w) || !same || n->state != NODE_STARTING) {
        lose_node(n, "its link greets as it may not");
        return;
    }
    struct text host = TEXT_INIT;
    text_add_visible(&host, hello.host, strnlen(hello.host, 256), false);
    const char *shown = text_to_arena(&host, &n->arena);
    n->about = (struct node_about){
        .host = shown ? shown : "", .version = hello.version, .binary = hello.binary};
    n->node.cores = hello.cores < 1 ? 1 : hello.cores;
    n->state = NODE_UP;
}

static void take_beat(struct linked *n, const struct node_frame *f)
{
    struct arena none = {0};
    struct wire w;
    wire_reader(&w, f->payload, f->length, &none);
    while (w.left > 0 && !w.failed) {
        uint64_t number = 0, bytes = 0;
        wire_u64(&w, &number);
        wire_u64(&w, &bytes);
        struct child *c = number <= INT32_MAX ? *find_child(n, (pid_t)number) : NULL;
        if (c && !w.failed)
            c->memory = bytes;
    }
}

static void take_exit(struct linked *n, const struct node_frame *f)
{
    struct child *c = f->number <= INT32_MAX ? *find_child(n, (pid_t)f->number) : NULL;
    uint32_t status;
    if (!c)
        return; // nobody asks for it any more
    c->is_gone = true;
    c->status = node_frame_u32(f, &status) ? (int)status : PROCESS_STATUS_UNKNOWN;
}

static void take_lock_answer(struct linked *n, const struct node_frame *f)
{
    struct held_lock *l = *find_held(n, f->number);
    n->node.lock_news++;
    if (!l || l->claim != CLAIM_ASKED)
        return;
    if (f->verb != NODE_LOCKED)
        node_frame_text(f, l->text, sizeof l->text);
    if (f->verb == NODE_REFUSED)
        l->claim = CLAIM_REFUSED;
    if (f->verb == NODE_LOCKED) {
        l->claim = CLAIM_GRANTED;
        l->granted_ns = clock_ns();
    }
}

static void take_frame(struct linked *n, const struct node_frame *f)
{
    char why[2048];
    switch (f->verb) {
    case NODE_HELLO:
        take_hello(n, f);
        break;
    case NODE_BEAT:
        take_beat(n, f);
        break;
    case NODE_EXITED:
        take_exit(n, f);
        break;
    case NODE_LOCKED:
    case NODE_WAITING:
    case NODE_REFUSED:
        take_lock_answer(n, f);
        break;
    case NODE_FAILED:
        node_frame_text(f, why, sizeof why);
        lose_node(n, why);
        break;
    default:
        lose_node(n, "its link says what a link may not");
    }
}

// Its link ended without a word: somebody killed it.
static void lose_link(struct linked *n)
{
    char how[128], why[1024];
    int status;
    bool gone = process_wait(&n->link, ENDED_MS, &status);
    process_status_text(gone ? status : PROCESS_STATUS_UNKNOWN, how, sizeof how);
    process_drain(&n->link);
    str_format(why, sizeof why, "the process that holds the connection, hone-worker --link, %s%s%s",
               gone ? how : "closed it", n->link.tail_length ? ": " : "", n->link.tail);
    lose_node(n, why);
}

static void send_queued(struct linked *n)
{
    struct pollfd ready = {.fd = n->control.out, .events = POLLOUT};
    node_flush(&n->control);
    for (uint64_t start = clock_ns(); node_pending(&n->control) > 0 && !n->control.broken;) {
        if (clock_ns() - start >= SEND_MS * 1000000ull) {
            lose_node(n, "its link takes nothing any more");
            return;
        }
        poll(&ready, 1, 100);
        node_flush(&n->control);
    }
}

enum node_state node_state(struct node *node)
{
    struct linked *n = linked_of(node);
    struct node_frame f;
    struct error e = ERROR_INIT;
    if (n->state == NODE_LOST)
        return NODE_LOST;
    size_t before = n->control.received.length - n->control.consumed;
    if (!node_receive(&n->control, &e))
        lose_node(n, e.text);
    if (n->control.received.length - n->control.consumed != before)
        node_heard(&n->silence);
    while (n->state != NODE_LOST && node_next(&n->control, &f, &e) > 0)
        take_frame(n, &f);
    if (e.code)
        lose_node(n, e.text);
    else if (n->control.ended && n->state != NODE_LOST)
        lose_link(n);
    if (node_is_silent(&n->silence, n->beat_ns, n->lease_ns)) {
        lose_node(n, "the process that holds the connection, hone-worker --link, is stopped");
        process_signal(&n->link, SIGKILL); // it will not end by itself
    }
    // Releases locks that were granted to somebody who did not come back for them.
    for (struct held_lock *l = n->locks; l; l = l->next) {
        if (l->claim != CLAIM_GRANTED || clock_ns() - l->granted_ns < UNCLAIMED_NS)
            continue;
        l->claim = CLAIM_NONE;
        node_put(&n->control, NODE_UNLOCK, l->number, NULL, 0);
        send_queued(n);
    }
    return n->state;
}

// ---- processes there ---------------------------------------------------------------------------

static bool send_with_descriptors(struct linked *n, const int descriptors[2])
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } with = {.room = {0}};
    struct iovec part = {n->control.queued.data + n->control.sent, node_pending(&n->control)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof with};
    with.header.cmsg_level = SOL_SOCKET;
    with.header.cmsg_type = SCM_RIGHTS;
    with.header.cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(&with.header), descriptors, 2 * sizeof(int));
    struct pollfd ready = {.fd = n->control.out, .events = POLLOUT};
    uint64_t start_ns = clock_ns();
    for (;;) {
        ssize_t sent = sendmsg(n->control.out, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            n->control.sent += (size_t)sent;
            send_queued(n);
            return true;
        }
        if (sent < 0 && errno == EINTR)
            continue;
        bool is_full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        uint64_t passed_ms = (clock_ns() - start_ns) / 1000000u;
        if (!is_full || passed_ms >= SEND_MS)
            return false;
        poll(&ready, 1, (int)(SEND_MS - passed_ms)); // a signal is no end of it
    }
}

static bool ask_for_worker(struct linked *n, uint32_t number, const char *const *environment,
                           const int descriptors[2], struct error *e)
{
    struct node_start start = {.environment = (const char **)(uintptr_t)environment};
    struct text payload = TEXT_INIT;
    struct wire w;
    while (environment && environment[start.count])
        start.count++;
    wire_writer(&w, &payload);
    node_start_codec(&w, &start);
    send_queued(n);
    bool ok =
        !payload.failed && node_put(&n->control, NODE_START, number, payload.data, payload.length);
    text_release(&payload);
    if (!ok)
        return error_memory(e);
    if (!send_with_descriptors(n, descriptors))
        lose_node(n, "its link takes nothing any more");
    return true;
}

static bool start_there(struct process_host *h, struct process *p, const char *const *environment,
                        struct error *e)
{
    struct linked *n = linked_of_host(h);
    int channel[2] = {-1, -1}, printed[2] = {-1, -1};
    bool ok = false;
    if (node_state(&n->node) == NODE_LOST)
        return error_set(e, ERROR_WORKER, "%s", n->reason);
    struct child *c = alloc_zeroed(sizeof *c, e);
    if (!c)
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0 ||
        pipe2(printed, O_CLOEXEC) != 0 || !node_set_nonblocking(channel[0]) ||
        !node_set_nonblocking(printed[0])) {
        error_set_driver(e, ERROR_IO, errno, "cannot make a worker's channel: %s%s",
                         strerror(errno), process_files_advice(errno));
    } else {
        const int theirs[] = {channel[1], printed[1]};
        ok = ask_for_worker(n, n->last_number + 1, environment, theirs, e);
    }
    if (ok) {
        p->pid = c->number = (pid_t)++n->last_number;
        p->channel = channel[0];
        p->printed = printed[0];
        channel[0] = printed[0] = -1;
        c->next = n->children;
        n->children = c;
    } else {
        free(c);
    }
    for (int i = 0; i < 2; i++) {
        if (channel[i] >= 0)
            close(channel[i]);
        if (printed[i] >= 0)
            close(printed[i]);
    }
    return ok;
}

static void signal_there(struct process_host *h, pid_t number, int signal)
{
    struct linked *n = linked_of_host(h);
    if (n->state == NODE_LOST || !node_signal_is_known((uint32_t)signal))
        return;
    if (node_put_u32(&n->control, NODE_SIGNAL, (uint32_t)number, (uint32_t)signal))
        send_queued(n);
}

static void forget_there(struct process_host *h, pid_t number)
{
    struct child **at = find_child(linked_of_host(h), number), *c = *at;
    if (!c)
        return;
    *at = c->next;
    free(c);
}

static bool is_gone_there(struct process_host *h, pid_t number, int *status)
{
    struct linked *n = linked_of_host(h);
    enum node_state state = node_state(&n->node);
    const struct child *c = *find_child(n, number);
    if (c && !c->is_gone && state != NODE_LOST)
        return false;
    *status = c && c->is_gone ? c->status : PROCESS_STATUS_UNKNOWN;
    forget_there(h, number);
    return true;
}

static uint64_t memory_there(struct process_host *h, pid_t number)
{
    struct linked *n = linked_of_host(h);
    node_state(&n->node);
    const struct child *c = *find_child(n, number);
    return c ? c->memory : 0;
}

static const char *why_lost(struct process_host *h)
{
    struct linked *n = linked_of_host(h);
    return node_state(&n->node) == NODE_LOST ? n->reason : NULL;
}

static const struct process_host_operations there = {.start = start_there,
                                                     .signal = signal_there,
                                                     .is_gone = is_gone_there,
                                                     .forget = forget_there,
                                                     .memory = memory_there,
                                                     .lost = why_lost};

// ---- locks there -------------------------------------------------------------------------------

static struct held_lock *add_held(struct linked *n, struct device_lock *l)
{
    struct held_lock *held = calloc(1, sizeof *held);
    if (!held)
        return NULL;
    l->number = held->number = ++n->last_number;
    held->next = n->locks;
    n->locks = held;
    return held;
}

static bool ask_for_lock(struct linked *n, const struct device_lock *l, struct error *e)
{
    struct node_lock_request request = {.name = l->path, .limit_ns = l->limit_ns};
    struct text payload = TEXT_INIT;
    struct wire w;
    wire_writer(&w, &payload);
    node_lock_codec(&w, &request);
    bool ok = !payload.failed &&
              node_put(&n->control, NODE_LOCK, l->number, payload.data, payload.length);
    text_release(&payload);
    send_queued(n);
    return ok || error_memory(e);
}

static int try_there(struct device_lock_host *h, struct device_lock *l, struct error *e)
{
    struct linked *n = linked_of_locks(h);
    if (node_state(&n->node) == NODE_LOST) {
        error_set(e, ERROR_WORKER, "%s", n->reason);
        return -1;
    }
    struct held_lock *held = *find_held(n, l->number);
    if (!held && !(held = add_held(n, l))) {
        error_memory(e);
        return -1;
    }
    if (held->claim == CLAIM_NONE) {
        held->text[0] = '\0';
        held->claim = CLAIM_ASKED;
        return ask_for_lock(n, l, e) ? 0 : -1;
    }
    if (held->claim == CLAIM_REFUSED) {
        held->claim = CLAIM_NONE;
        error_set(e, ERROR_DEVICE, "%s", held->text);
        return -1;
    }
    if (held->claim == CLAIM_ASKED) {
        if (held->text[0] && !l->waiting)
            l->waits_ns = clock_ns();
        l->waiting = held->text[0];
        str_format(l->holder, sizeof l->holder, "%s", held->text);
        return 0;
    }
    held->claim = CLAIM_HELD;
    l->held = true;
    l->waiting = false;
    return 1;
}

static void release_there(struct device_lock_host *h, struct device_lock *l)
{
    struct linked *n = linked_of_locks(h);
    struct held_lock *held = *find_held(n, l->number);
    if (!held || n->state == NODE_LOST)
        return;
    held->claim = CLAIM_NONE;
    node_put(&n->control, NODE_UNLOCK, l->number, NULL, 0);
    send_queued(n);
}

static void close_there(struct device_lock_host *h, struct device_lock *l)
{
    struct linked *n = linked_of_locks(h);
    struct held_lock **at = find_held(n, l->number), *held = *at;
    if (!held)
        return;
    *at = held->next;
    free(held);
    node_put(&n->control, NODE_CLOSE, l->number, NULL, 0);
    if (n->state != NODE_LOST)
        send_queued(n);
}

// ---- its life ----------------------------------------------------------------------------------

static bool start_link(struct linked *n, const struct node_options *o, struct error *e)
{
    char numbers[3][DECIMALS];
    size_t count = 0, at = 0;
    const uint64_t times[] = {n->beat_ns, n->lease_ns, o->start_ns ? o->start_ns : NODE_START_NS};
    const char *const names[] = {"--beat", "--lease", "--start"};
    while (o->launcher[count])
        count++;
    const char **argv = calloc(count + 10, sizeof(*argv));
    if (!argv)
        return error_memory(e);
    argv[at++] = o->worker;
    argv[at++] = "--link";
    for (int i = 0; i < 3; i++) {
        snprintf(numbers[i], DECIMALS, "%llu", (unsigned long long)(times[i] / 1000000));
        argv[at++] = names[i];
        argv[at++] = numbers[i];
    }
    argv[at++] = "--";
    for (size_t i = 0; i < count; i++)
        argv[at++] = o->launcher[i];
    bool ok = process_start(&n->link, argv, NULL, e);
    free((void *)argv);
    return ok;
}

struct node *node_new(const struct node_options *o, struct error *e)
{
    struct linked *n = alloc_zeroed(sizeof *n, e);
    if (!n)
        return NULL;
    n->node.host.ops = &there;
    n->node.locks =
        (struct device_lock_host){.try = try_there, .release = release_there, .close = close_there};
    n->link = (struct process)PROCESS_NONE;
    n->beat_ns = o->beat_ns ? o->beat_ns : NODE_BEAT_NS;
    n->lease_ns = o->lease_ns ? o->lease_ns : NODE_LEASE_NS;
    arena_init(&n->arena);
    n->about = (struct node_about){.host = "", .version = ""};
    n->name = arena_strdup(&n->arena, o->name);
    bool ok = n->name || error_memory(e);
    ok = ok && start_link(n, o, e);
    if (!ok) {
        arena_release(&n->arena);
        free(n);
        return NULL;
    }
    n->node.descriptor = n->link.channel;
    node_stream_init(&n->control, n->link.channel, n->link.channel);
    return &n->node;
}

bool node_wait(struct node *const *nodes, size_t count, int timeout_ms)
{
    uint64_t start = clock_ns();
    for (;;) {
        struct pollfd ready = {.fd = -1, .events = POLLIN};
        for (size_t i = 0; i < count && ready.fd < 0; i++) {
            if (node_state(nodes[i]) == NODE_STARTING)
                ready.fd = nodes[i]->descriptor;
        }
        if (ready.fd < 0)
            return true;
        uint64_t passed = (clock_ns() - start) / 1000000u;
        if (timeout_ms >= 0 && passed >= (uint64_t)timeout_ms)
            return false;
        int left = timeout_ms < 0 ? 1000 : timeout_ms - (int)passed;
        poll(&ready, 1, left < 1000 ? left : 1000);
    }
}

const char *node_reason(const struct node *n)
{
    return linked_of(n)->reason;
}

const struct node_about *node_about(const struct node *n)
{
    return &linked_of(n)->about;
}

// The link takes the end of its control socket for our end.
void node_disconnect(const struct node *n)
{
    if (n->descriptor >= 0)
        shutdown(n->descriptor, SHUT_RDWR);
}

void node_end(struct node *n)
{
    node_disconnect(n);
    lose_node(linked_of(n), "it was ended");
}

void node_free(struct node *node)
{
    struct linked *n = linked_of(node);
    if (!n)
        return;
    node_end(node);
    process_wait(&n->link, END_MS, NULL);
    process_leave(&n->link);
    while (n->children) {
        struct child *c = n->children;
        n->children = c->next;
        free(c);
    }
    while (n->locks) {
        struct held_lock *l = n->locks;
        n->locks = l->next;
        free(l);
    }
    node_stream_release(&n->control);
    arena_release(&n->arena);
    free(n);
}
