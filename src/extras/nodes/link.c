// The link to a node, a child of the tuner on its machine: starts the launcher, passes on what the
// tuner and the agent say, and beats both ways while the tuner thinks, writes or is stopped. What
// comes from the agent is believed in nothing: whatever it may not say makes it lost.
//
// Contents that several workers are sent go over the launcher once: their frames are looked at on
// their way, and one that the agent has kept is only named.
#include "extras/nodes/agent.h"

#include "base/array.h"
#include "os/process.h"
#include "worker/modes.h"
#include "extras/nodes/node_frames.h"
#include "worker/protocol.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUEUE_MOST   (1u << 20)  // bytes for the agent that wait; beyond, the tuner's are not read
#define FLOOD_MOST   (64u << 20) // the agent takes nothing
#define PRINTED_MOST (64u << 10) // of a worker's, that the tuner has not read: the last of it
#define TOLD_MOST    (1u << 20)  // bytes for the tuner that wait; beyond, what can be left out is
#define LEAST_LEFT   64          // descriptors of a control message
#define TELL_MS      3000
#define HELD_MS      1000 // the tuner takes nothing of what was printed: what was answered goes first
// How a launcher is ended: its input first, so that agent and launcher end by themselves.
#define ENDS_MS       4000
#define TERMINATED_MS 1000
#define KILLED_MS     2000

// The header of a worker's frame, and what identifies a part of contents behind it.
enum { HEADER_BYTES = 16, PART_KEY = 32 + 8 + 8 + 8 };

// A worker of the node as the tuner knows it: the other ends of its descriptors.
struct relay {
    struct relay *next;
    uint32_t number;
    int channel, printed; // -1: closed
    struct text out;      // of the tuner, for the agent
    size_t sent;
    uint64_t frame_left; // of the frame that begins with `out`: bytes that go as they are
    uint32_t credit;     // bytes that the agent takes
    struct text in;      // of the agent, for the tuner
    size_t given;
    uint32_t passed;  // bytes that the tuner took, and that the agent has no credit for yet
    uint32_t allowed; // bytes that the agent may still send
    struct text said; // what was printed, for the tuner
    size_t heard;
    uint64_t heard_ns; // when the tuner last took of it, or had taken all
    bool is_closed;    // the tuner's end, and the agent was told
    bool has_ended;    // the agent sends no more bytes
    bool has_exited;
    int channel_at, printed_at; // where poll() has its descriptors; -1: nowhere
};

struct asked_lock {
    uint32_t number;
    bool is_wanted; // asked for, and not answered
};

struct link {
    const struct link_options *o;
    struct node_stream control, agent;
    struct process launcher;
    struct node_silence silence;
    uint64_t started_ns, beaten_ns;
    int *descriptors; // that came with the control socket and belong to the next START
    size_t descriptor_count, descriptor_capacity;
    struct relay *relays;
    uint32_t relay_count, last_number;
    struct asked_lock locks[NODE_LOCKS];
    uint32_t lock_count;
    uint8_t (*keys)[PART_KEY]; // of the contents that the agent has kept
    size_t key_count, key_capacity;
    struct text banner; // what the launcher printed before the agent spoke
    pid_t parent;
    bool is_up, has_ended; // greeted; the tuner has
    bool is_stuck;         // the launcher says nothing: it is not given time to end by itself
    struct error lost;     // why nothing can go on
    struct pollfd fds[2 * NODE_WORKERS + 8];
};

static bool lose(struct link *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool lose(struct link *l, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    str_vformat(text, sizeof text, format, list);
    va_end(list);
    return error_set(&l->lost, ERROR_WORKER, "%s", text);
}

static void put_frame(struct link *l, struct node_stream *s, enum node_verb verb, uint32_t number,
                      const void *payload, size_t length)
{
    if (!node_put(s, verb, number, payload, length))
        error_memory(&l->lost);
}

static bool is_congested(const struct link *l)
{
    return !l->is_up || node_pending(&l->agent) > QUEUE_MOST;
}

static struct relay *find_relay(const struct link *l, uint32_t number)
{
    struct relay *r = l->relays;
    while (r && r->number != number)
        r = r->next;
    return r;
}

static void close_descriptor(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void relay_free(struct relay *r)
{
    close_descriptor(&r->channel);
    close_descriptor(&r->printed);
    text_release(&r->out);
    text_release(&r->in);
    text_release(&r->said);
    free(r);
}

// ---- from the tuner to a worker ----------------------------------------------------------------

static uint32_t little_endian(const uint8_t *from, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)from[i] << 8 * i;
    return value;
}

// Sends a frame of contents, or names it where the agent has it. The same part of the same whole
// has the same bytes: the worker holds them against their digest.
static void send_item(struct link *l, struct relay *r, const uint8_t *frame, uint32_t length)
{
    const uint8_t *key = frame + HEADER_BYTES;
    for (size_t i = 0; i < l->key_count; i++) {
        if (memcmp(l->keys[i], key, PART_KEY) == 0) {
            if (!node_put_u32(&l->agent, NODE_RECALL, r->number, (uint32_t)i))
                error_memory(&l->lost);
            return;
        }
    }
    if (l->key_count >= NODE_ITEMS) { // the agent keeps no more: as any other bytes
        for (uint32_t done = 0, n; done < length; done += n) {
            n = length - done < NODE_PIECE ? length - done : NODE_PIECE;
            put_frame(l, &l->agent, NODE_DATA, r->number, frame + done, n);
        }
        return;
    }
    if (!ARRAY_ROOM(l->keys, l->key_capacity, l->key_count + 1)) {
        error_memory(&l->lost);
        return;
    }
    memcpy(l->keys[l->key_count++], key, PART_KEY);
    put_frame(l, &l->agent, NODE_KEEP, r->number, frame, length);
}

// How the bytes of `out` go on: so many as they are, at most `left`; or 0 and *item, the length of
// a frame of contents, which may not be there whole yet; or nothing, until more has come.
static size_t relay_run(struct relay *r, const uint8_t *at, size_t left, uint32_t *item)
{
    size_t run = 0;
    *item = 0;
    while (run < left) {
        if (r->frame_left == 0) {
            if (left - run < HEADER_BYTES)
                return run;
            const uint8_t *header = at + run;
            uint32_t length = little_endian(header + 12, 4);
            bool is_frame = little_endian(header, 4) == PROTOCOL_MAGIC;
            bool is_part = is_frame && little_endian(header + 4, 2) == VERB_BLOB &&
                           length > PART_KEY && HEADER_BYTES + length <= NODE_ITEM;
            if (is_part && run == 0)
                *item = HEADER_BYTES + length;
            if (is_part)
                return run;
            r->frame_left = is_frame ? (uint64_t)HEADER_BYTES + length : UINT64_MAX;
        }
        uint64_t n = r->frame_left < left - run ? r->frame_left : left - run;
        if (r->frame_left != UINT64_MAX)
            r->frame_left -= n;
        run += (size_t)n;
    }
    return run;
}

static void send_out(struct link *l, struct relay *r)
{
    while (r->sent < r->out.length && r->credit > 0 && !is_congested(l)) {
        const uint8_t *at = (const uint8_t *)r->out.data + r->sent;
        size_t left = r->out.length - r->sent, most = left;
        uint32_t item;
        most = most < r->credit ? most : r->credit;
        most = most < NODE_PIECE ? most : NODE_PIECE;
        size_t n = relay_run(r, at, most, &item);
        if (item) {
            if (left < item || r->credit < item)
                break;
            send_item(l, r, at, n = item);
        } else if (n > 0) {
            put_frame(l, &l->agent, NODE_DATA, r->number, at, n);
        } else {
            break;
        }
        r->sent += n;
        r->credit -= (uint32_t)n;
    }
    if (r->sent == r->out.length) {
        text_release(&r->out);
        r->sent = 0;
    } else if (r->sent > r->out.length / 2) {
        r->out.length -= r->sent;
        memmove(r->out.data, r->out.data + r->sent, r->out.length);
        r->sent = 0;
    }
}

// Closes the channel and drops the rest of a partial frame, which will not be completed.
static void close_out(struct link *l, struct relay *r)
{
    if (r->channel >= 0)
        close_descriptor(&r->channel);
    if (r->is_closed)
        return;
    r->is_closed = true;
    put_frame(l, &l->agent, NODE_CLOSE, r->number, NULL, 0);
}

static void hear_tuner_of(struct link *l, struct relay *r)
{
    uint8_t bytes[NODE_PIECE];
    bool is_item = r->out.length - r->sent >= HEADER_BYTES; // a part of one waits for its rest
    size_t most = is_item ? NODE_ITEM : NODE_PIECE;
    while (r->channel >= 0 && r->out.length - r->sent < most && !l->lost.code) {
        ssize_t n = recv(r->channel, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) {
            close_out(l, r);
            return;
        }
        text_addn(&r->out, bytes, (size_t)n);
        if (r->out.failed)
            error_memory(&l->lost);
        send_out(l, r);
        if ((size_t)n < sizeof bytes)
            return;
    }
}

// ---- from a worker to the tuner ----------------------------------------------------------------

// Returns what was taken; -1 where nobody is there any more.
static ssize_t give_bytes(int fd, const char *bytes, size_t length, bool is_socket)
{
    ssize_t n;
    do
        n = is_socket ? send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT)
                      : write(fd, bytes, length);
    while (n < 0 && errno == EINTR);
    return n >= 0 ? n : errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
}

// Passes bytes to the tuner after earlier printed output, unless the tuner leaves that unread.
static void pass_in(struct link *l, struct relay *r)
{
    bool is_before = r->said.length > 0 && r->printed >= 0;
    if (is_before && clock_ns() - r->heard_ns < HELD_MS * 1000000ull)
        return;
    while (r->given < r->in.length && r->channel >= 0) {
        ssize_t n = give_bytes(r->channel, r->in.data + r->given, r->in.length - r->given, true);
        if (n == 0)
            return;
        if (n < 0) {
            close_out(l, r);
            break;
        }
        r->given += (size_t)n;
        r->passed += (uint32_t)n;
    }
    if (r->channel < 0)
        r->passed += (uint32_t)(r->in.length - r->given);
    text_release(&r->in);
    r->given = 0;
    if (r->passed >= NODE_WINDOW / 4 && !r->has_ended) {
        if (!node_put_u32(&l->agent, NODE_CREDIT, r->number, r->passed))
            error_memory(&l->lost);
        r->allowed += r->passed;
        r->passed = 0;
    }
    if (r->has_ended && r->channel >= 0)
        shutdown(r->channel, SHUT_WR);
}

static void pass_said(struct link *l, struct relay *r)
{
    while (r->heard < r->said.length && r->printed >= 0) {
        ssize_t n =
            give_bytes(r->printed, r->said.data + r->heard, r->said.length - r->heard, false);
        if (n == 0)
            return;
        if (n < 0)
            close_descriptor(&r->printed);
        else
            r->heard += (size_t)n;
        r->heard_ns = clock_ns();
    }
    text_release(&r->said);
    r->heard = 0;
    if (r->in.length > 0 || r->has_ended)
        pass_in(l, r);
    if (r->has_exited)
        close_descriptor(&r->printed);
}

static bool take_data(struct link *l, struct relay *r, const struct node_frame *f)
{
    if (r->has_ended || f->length > r->allowed)
        return lose(l, "it sent more of a worker's bytes than it may");
    r->allowed -= f->length;
    if (r->channel < 0)
        r->passed += f->length;
    else
        text_addn(&r->in, f->payload, f->length);
    if (r->in.failed)
        return error_memory(&l->lost);
    pass_in(l, r);
    return true;
}

static bool take_printed(struct link *l, struct relay *r, const struct node_frame *f)
{
    size_t left = r->said.length - r->heard;
    if (r->printed < 0 || f->length == 0)
        return true;
    if (left == 0)
        r->heard_ns = clock_ns();
    if (left + f->length > PRINTED_MOST) { // the tuner keeps the last of it
        text_release(&r->said);
        r->heard = 0;
    }
    text_addn(&r->said, f->payload, f->length);
    if (r->said.failed)
        return error_memory(&l->lost);
    pass_said(l, r);
    return true;
}

// Once the tuner has what it said, or wants nothing of it.
static bool relay_is_done(const struct relay *r)
{
    bool given = r->channel < 0 || r->in.length == 0;
    return r->has_exited && given && (r->printed < 0 || r->said.length == 0);
}

static void drop_done(struct link *l)
{
    for (struct relay **at = &l->relays, *r; (r = *at);) {
        if (!relay_is_done(r)) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        l->relay_count--;
        relay_free(r);
    }
}

// ---- the agent ---------------------------------------------------------------------------------

static bool greet(struct link *l, const struct node_frame *f)
{
    struct node_hello hello = {0};
    struct text shown = TEXT_INIT;
    struct arena arena;
    struct wire in;
    bool same, ok = false;
    arena_init(&arena);
    wire_reader(&in, f->payload, f->length, &arena);
    node_hello_codec(&in, &hello, &same);
    if (hello.version)
        text_add_visible(&shown, hello.version, strnlen(hello.version, 64), false);
    if (in.failed || !hello.version)
        lose(l, "its greeting cannot be read; is another version of hone-worker there?");
    else if (!same)
        lose(l,
             "hone-worker there is of version %s (protocol %u/%u), this hone is %s (%u/%u): "
             "install the same version there, or name it with --node-worker PATH",
             text_cstr(&shown), hello.protocol, hello.worker_protocol, HONE_VERSION, NODE_PROTOCOL,
             PROTOCOL_VERSION);
    else if (!wire_done(&in))
        lose(l, "its greeting has bytes behind its end");
    else {
        put_frame(l, &l->control, NODE_HELLO, 0, f->payload, f->length);
        l->is_up = ok = true;
        for (struct relay *r = l->relays; r; r = r->next)
            send_out(l, r); // what waited for it
    }
    text_release(&shown);
    arena_release(&arena);
    return ok;
}

static bool take_lock_answer(struct link *l, const struct node_frame *f)
{
    uint32_t i = 0;
    while (i < l->lock_count && l->locks[i].number != f->number)
        i++;
    if (i == l->lock_count)
        return true; // it was given up meanwhile
    if (!l->locks[i].is_wanted)
        return lose(l, "it answers for a lock that nobody waits for");
    if (f->verb == NODE_WAITING && node_pending(&l->control) > TOLD_MOST)
        return true;
    l->locks[i].is_wanted = f->verb == NODE_WAITING;
    put_frame(l, &l->control, f->verb, f->number, f->payload, f->length);
    return true;
}

static bool take_exit(struct link *l, struct relay *r, const struct node_frame *f)
{
    uint32_t status;
    if (!node_frame_u32(f, &status))
        return lose(l, "it tells of a worker's end what makes no sense");
    r->has_exited = r->has_ended = true;
    pass_in(l, r);
    pass_said(l, r);
    put_frame(l, &l->control, NODE_EXITED, f->number, f->payload, f->length);
    return true;
}

static bool take_credit(struct link *l, struct relay *r, const struct node_frame *f)
{
    uint32_t more;
    if (!node_frame_u32(f, &more) || more > NODE_WINDOW || r->credit + more > NODE_WINDOW)
        return lose(l, "it gives more credit than there is");
    r->credit += more;
    send_out(l, r);
    return true;
}

static bool take_of_worker(struct link *l, const struct node_frame *f)
{
    struct relay *r = find_relay(l, f->number);
    if (!r || r->has_exited)
        return lose(l, "it says '%s' of worker %u, which it does not have", node_verb_text(f->verb),
                    (unsigned)f->number);
    switch (f->verb) {
    case NODE_DATA:
        return take_data(l, r, f);
    case NODE_PRINTED:
        return take_printed(l, r, f);
    case NODE_CREDIT:
        return take_credit(l, r, f);
    case NODE_CLOSE:
        r->has_ended = true;
        pass_in(l, r);
        return true;
    default:
        return take_exit(l, r, f);
    }
}

static bool take_of_agent(struct link *l, const struct node_frame *f)
{
    char why[1024];
    if (f->verb == NODE_FAILED) {
        node_frame_text(f, why, sizeof why);
        return lose(l, "%s", why);
    }
    if (l->is_up == (f->verb == NODE_HELLO))
        return lose(l, "it says '%s' where that makes no sense", node_verb_text(f->verb));
    switch (f->verb) {
    case NODE_HELLO:
        return greet(l, f);
    case NODE_BEAT:
        if (f->length % 16 != 0)
            return lose(l, "its beat makes no sense");
        if (node_pending(&l->control) == 0)
            put_frame(l, &l->control, NODE_BEAT, 0, f->payload, f->length);
        return true;
    case NODE_DATA:
    case NODE_PRINTED:
    case NODE_CREDIT:
    case NODE_CLOSE:
    case NODE_EXITED:
        return take_of_worker(l, f);
    case NODE_LOCKED:
    case NODE_WAITING:
    case NODE_REFUSED:
        return take_lock_answer(l, f);
    default:
        return lose(l, "'%s' is nothing that an agent says", node_verb_text(f->verb));
    }
}

// Skips the launcher's output before the agent's first frame: a banner, or a shell's greeting.
static void skip_banner(struct link *l)
{
    static const char magic[] = {'\x9e', 'h', 'n', '\x01'};
    struct node_stream *s = &l->agent;
    const char *begin = s->received.data + s->consumed, *at = begin;
    size_t left = s->received.length - s->consumed;
    while (left > 0 && memcmp(at, magic, left < sizeof magic ? left : sizeof magic) != 0)
        at++, left--;
    s->consumed = s->received.length - left;
    if (at != begin)
        text_addn(&l->banner, begin, (size_t)(at - begin));
}

// Lines become words of one line; a character that is cut at the beginning is left out.
static void add_visible_end(struct text *out, const char *bytes, size_t length)
{
    size_t start = length > 300 ? length - 300 : 0;
    while (length > start && bytes[length - 1] && strchr("\r\n ", bytes[length - 1]))
        length--;
    for (unsigned i = 0; i < 3 && start > 0 && start < length; i++)
        start += (bytes[start] & 0xc0) == 0x80;
    while (start < length) {
        size_t n = 0;
        while (start + n < length && bytes[start + n] != '\n' && bytes[start + n] != '\r')
            n++;
        text_add_visible(out, bytes + start, n, false);
        start += n;
        if (start < length)
            text_addc(out, ' ');
        start++;
    }
}

// Did ssh end because it would have had to ask?
static bool ssh_may_not_ask(const struct link *l, const char *said)
{
    return str_equal(l->o->launcher[0], "ssh") &&
           (strstr(said, "Permission denied") || strstr(said, "verification failed"));
}

// How the launcher ended, in its own words; what it printed instead of an agent's frames with them.
static void lose_launcher(struct link *l)
{
    char how[128];
    struct text said = TEXT_INIT, printed = TEXT_INIT;
    int status = 0;
    bool gone = process_wait(&l->launcher, TELL_MS, &status);
    process_drain(&l->launcher);
    process_status_text(status, how, sizeof how);
    add_visible_end(&said, l->launcher.tail, l->launcher.tail_length);
    if (!l->is_up)
        add_visible_end(&printed, l->banner.data, l->banner.length);
    bool is_own = strstr(text_cstr(&said), "cannot start the launcher") != NULL;
    bool is_old = strstr(text_cstr(&said), "usage: hone-worker") != NULL;
    bool is_missing = !l->is_up && !is_own && gone && WIFEXITED(status) &&
                      (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
    const char *last = printed.length ? text_cstr(&printed) : text_cstr(&said), *advice = NULL;
    if (is_missing)
        advice = "Is hone-worker there? Its path is named with --node-worker PATH";
    else if (!l->is_up && ssh_may_not_ask(l, text_cstr(&said)))
        advice = "ssh can ask nothing here: it needs a key that is accepted there without a "
                 "passphrase or by an "
                 "agent, and a host that is known; `ssh -oBatchMode=yes HOST true` shows it";
    else if (is_old)
        advice =
            "The hone-worker there is too old to be an agent: install this version, " HONE_VERSION;
    bool is_sentence = *last && last[strlen(last) - 1] == '.';
    lose(l, "%s: '%s' %s%s%s%s%s%s%s", l->is_up ? "the connection ended" : "no agent answered",
         l->o->launcher[0], gone ? how : "closed its output",
         said.length ? "; the last it printed: " : "", text_cstr(&said),
         printed.length ? "; on its standard output: " : "", text_cstr(&printed),
         !advice       ? ""
         : is_sentence ? " "
                       : ". ",
         advice ? advice : "");
    text_release(&said);
    text_release(&printed);
}

static void lose_banner(struct link *l)
{
    struct text printed = TEXT_INIT;
    add_visible_end(&printed, l->banner.data, l->banner.length);
    lose(l, "no agent answered: '%s' printed %zu bytes instead, the last of them: %s",
         l->o->launcher[0], l->banner.length, text_cstr(&printed));
    text_release(&printed);
}

static void hear_agent(struct link *l)
{
    struct node_frame f;
    size_t before = l->agent.received.length - l->agent.consumed;
    if (!node_receive(&l->agent, &l->lost))
        return;
    if (l->agent.received.length - l->agent.consumed != before)
        node_heard(&l->silence);
    if (!l->is_up && l->agent.received.length > l->agent.consumed)
        skip_banner(l);
    if (!l->is_up && l->banner.length >= NODE_BANNER)
        lose_banner(l);
    while (!l->lost.code && node_next(&l->agent, &f, &l->lost) > 0) {
        if (!take_of_agent(l, &f))
            break;
    }
    if (l->agent.ended && !l->lost.code)
        lose_launcher(l);
}

// ---- the tuner ---------------------------------------------------------------------------------

// As node_receive(), with the descriptors that come along.
static void hear_control(struct link *l)
{
    uint8_t bytes[NODE_PIECE];
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(LEAST_LEFT * sizeof(int))];
    } with;
    for (int reads = 0; reads < 16 && !l->control.ended; reads++) {
        struct iovec part = {bytes, sizeof bytes};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof with};
        ssize_t n = recvmsg(l->control.in, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n <= 0) {
            l->control.ended = true;
            return;
        }
        for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
            size_t count =
                c->cmsg_type == SCM_RIGHTS ? (c->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
            if (count == 0)
                continue;
            if (!ARRAY_ROOM(l->descriptors, l->descriptor_capacity, l->descriptor_count + count)) {
                error_memory(&l->lost);
                return;
            }
            memcpy(l->descriptors + l->descriptor_count, CMSG_DATA(c), count * sizeof(int));
            l->descriptor_count += count;
        }
        text_addn(&l->control.received, bytes, (size_t)n);
        if (l->control.received.failed || message.msg_flags & MSG_CTRUNC)
            error_set(&l->lost, ERROR_IO, "the link has no memory or no descriptors left");
    }
}

static bool start_relay(struct link *l, const struct node_frame *f)
{
    struct relay *r = calloc(1, sizeof *r);
    if (!r)
        return error_memory(&l->lost);
    if (l->descriptor_count < 2 || f->number <= l->last_number || l->relay_count >= NODE_WORKERS) {
        free(r);
        return lose(l, "a worker was asked for that cannot be started");
    }
    *r = (struct relay){.next = l->relays,
                        .number = f->number,
                        .channel = l->descriptors[0],
                        .printed = l->descriptors[1],
                        .credit = NODE_WINDOW,
                        .allowed = NODE_WINDOW,
                        .channel_at = -1,
                        .printed_at = -1};
    l->descriptor_count -= 2;
    memmove(l->descriptors, l->descriptors + 2, l->descriptor_count * sizeof(int));
    l->relays = r;
    l->relay_count++;
    l->last_number = f->number;
    put_frame(l, &l->agent, NODE_START, f->number, f->payload, f->length);
    return node_set_nonblocking(r->channel) && node_set_nonblocking(r->printed);
}

static bool note_lock(struct link *l, const struct node_frame *f)
{
    uint32_t i = 0;
    while (i < l->lock_count && l->locks[i].number != f->number)
        i++;
    if (i == NODE_LOCKS)
        return lose(l, "more locks were asked for than there can be");
    if (i == l->lock_count)
        l->lock_count++;
    l->locks[i] = (struct asked_lock){f->number, true};
    return true;
}

static void forget_lock(struct link *l, uint32_t number)
{
    for (uint32_t i = 0; i < l->lock_count; i++) {
        if (l->locks[i].number == number)
            l->locks[i] = l->locks[--l->lock_count];
    }
}

static void take_of_tuner(struct link *l, const struct node_frame *f)
{
    bool goes_on = true;
    if (f->verb == NODE_START) {
        start_relay(l, f);
        return;
    }
    if (f->verb == NODE_LOCK)
        goes_on = note_lock(l, f);
    else if (f->verb == NODE_CLOSE)
        forget_lock(l, f->number);
    else if (f->verb == NODE_SIGNAL)
        goes_on = find_relay(l, f->number); // else it has exited
    if (goes_on)
        put_frame(l, &l->agent, f->verb, f->number, f->payload, f->length);
}

static void serve_control(struct link *l)
{
    struct node_frame f;
    hear_control(l);
    while (!l->lost.code && node_next(&l->control, &f, &l->lost) > 0)
        take_of_tuner(l, &f);
    if (l->control.received.length == l->control.consumed) {
        text_release(&l->control.received);
        l->control.consumed = 0;
    }
    l->has_ended = l->control.ended;
}

// ---- the loop ----------------------------------------------------------------------------------

static nfds_t gather_descriptors(struct link *l)
{
    nfds_t n = 0;
    bool to_agent = node_pending(&l->agent) > 0 && !l->agent.broken && l->is_up;
    bool to_tuner = node_pending(&l->control) > 0 && !l->control.broken;
    l->fds[n++] =
        (struct pollfd){.fd = l->control.in, .events = (short)(POLLIN | (to_tuner ? POLLOUT : 0))};
    l->fds[n++] =
        (struct pollfd){.fd = l->agent.in, .events = (short)(POLLIN | (to_agent ? POLLOUT : 0))};
    l->fds[n++] = (struct pollfd){.fd = l->launcher.printed, .events = POLLIN};
    for (struct relay *r = l->relays; r; r = r->next) {
        bool hears = !is_congested(l) && r->credit > 0 &&
                     (r->sent == r->out.length || r->credit >= NODE_ITEM);
        bool gives = r->in.length > 0 && (r->said.length == 0 || r->printed < 0);
        short events = (short)((hears ? POLLIN : 0) | (gives ? POLLOUT : 0));
        r->channel_at = r->printed_at = -1;
        if (r->channel >= 0) { // its end is noticed in any case
            r->channel_at = (int)n;
            l->fds[n++] = (struct pollfd){.fd = r->channel, .events = events};
        }
        if (r->printed >= 0 && r->said.length > 0) {
            r->printed_at = (int)n;
            l->fds[n++] = (struct pollfd){.fd = r->printed, .events = POLLOUT};
        }
    }
    return n;
}

static void beat(struct link *l)
{
    uint64_t now = clock_ns();
    if (now - l->beaten_ns < l->o->beat_ns)
        return;
    l->beaten_ns = now;
    l->has_ended = l->has_ended || getppid() != l->parent;
    for (struct relay *r = l->relays; r; r = r->next) {
        if (r->in.length > 0)
            pass_in(l, r);
    }
    if (l->is_up && node_pending(&l->agent) < QUEUE_MOST)
        put_frame(l, &l->agent, NODE_BEAT, 0, NULL, 0);
    if (node_pending(&l->control) == 0)
        put_frame(l, &l->control, NODE_BEAT, 0, NULL, 0);
    if (node_is_silent(&l->silence, l->o->beat_ns, l->is_up ? l->o->lease_ns : UINT64_MAX)) {
        l->is_stuck = true;
        lose(l, "nothing was heard of it for %.3g s", (double)l->o->lease_ns / 1e9);
    }
    if (!l->is_up && now - l->started_ns >= l->o->start_ns) {
        struct text said = TEXT_INIT;
        add_visible_end(&said, l->launcher.tail, l->launcher.tail_length);
        lose(l, "no agent answered within %.3g s%s%s", (double)l->o->start_ns / 1e9,
             said.length ? "; the last that its launcher printed: " : "", text_cstr(&said));
        text_release(&said);
    }
    if (node_pending(&l->agent) > FLOOD_MOST)
        lose(l, "it takes nothing any more");
}

static void link_step(struct link *l)
{
    uint64_t now = clock_ns(), next = l->beaten_ns + l->o->beat_ns;
    nfds_t count = gather_descriptors(l);
    int ready = poll(l->fds, count, next <= now ? 0 : (int)((next - now + 999999) / 1000000));
    bool by_tuner = ready > (l->fds[1].revents != 0) + (l->fds[2].revents != 0);
    // First what the tuner says of workers: a builder is stopped before a bench is asked to measure.
    if (by_tuner)
        serve_control(l);
    if (ready > 0 && l->fds[2].revents)
        process_drain(&l->launcher);
    if (ready > 0 && l->fds[1].revents & ~POLLOUT)
        hear_agent(l);
    for (struct relay *r = l->relays; ready > 0 && r && !l->lost.code; r = r->next) {
        const struct pollfd none = {0}, *at = r->channel_at < 0 ? &none : &l->fds[r->channel_at];
        short channel = at->revents;
        r->channel_at = -1;
        if (channel & POLLOUT)
            pass_in(l, r);
        // The tuner hung up and needs no more; and poll() would not sleep until the agent takes
        // more.
        if (channel & POLLHUP && !(at->events & POLLIN))
            close_out(l, r);
        else if (channel & ~POLLOUT)
            hear_tuner_of(l, r);
        if (r->printed_at >= 0 && l->fds[r->printed_at].revents)
            pass_said(l, r);
        if (r->sent < r->out.length)
            send_out(l, r);
    }
    drop_done(l);
    beat(l);
    if (l->is_up)
        node_flush(&l->agent);
    node_flush(&l->control);
}

// ---- its life ----------------------------------------------------------------------------------

static bool start_launcher(struct link *l)
{
    size_t count = 0;
    while (l->o->launcher[count])
        count++;
    const char **argv = calloc(count + 4, sizeof(*argv));
    if (!argv)
        return error_memory(&l->lost);
    argv[0] = l->o->program;
    argv[1] = "--launch";
    argv[2] = "--";
    for (size_t i = 0; i < count; i++)
        argv[3 + i] = l->o->launcher[i];
    bool ok = process_start(&l->launcher, argv, NULL, &l->lost);
    free((void *)argv);
    if (ok)
        node_stream_init(&l->agent, l->launcher.channel, l->launcher.channel);
    return ok;
}

// Waits for the launcher's end, reading what it still says.
static bool launcher_ends(struct link *l, int timeout_ms)
{
    uint64_t until = clock_ns() + (uint64_t)timeout_ms * 1000000;
    struct node_stream rest;
    bool gone;
    node_stream_init(&rest, l->launcher.channel, -1);
    while (!(gone = process_wait(&l->launcher, 10, NULL)) && clock_ns() < until) {
        node_receive(&rest, NULL);
        text_clear(&rest.received);
    }
    node_stream_release(&rest);
    return gone;
}

static void end_launcher(struct link *l)
{
    if (l->launcher.channel >= 0)
        shutdown(l->launcher.channel, SHUT_WR);
    if (l->is_stuck || !launcher_ends(l, ENDS_MS)) {
        process_signal(&l->launcher, SIGTERM);
        if (l->is_stuck || !launcher_ends(l, TERMINATED_MS)) {
            process_signal(&l->launcher, SIGKILL);
            launcher_ends(l, KILLED_MS);
        }
    }
    process_leave(&l->launcher);
}

// The tuner is told before the launcher is ended: that takes time.
static void tell_lost(struct link *l)
{
    struct pollfd ready = {.fd = l->control.out, .events = POLLOUT};
    uint64_t until = clock_ns() + TELL_MS * 1000000ull;
    node_put_text(&l->control, NODE_FAILED, 0, l->lost.text);
    node_flush(&l->control);
    while (node_pending(&l->control) > 0 && !l->control.broken && clock_ns() < until) {
        poll(&ready, 1, 100);
        node_flush(&l->control);
    }
}

int link_run(int control, const struct link_options *o)
{
    struct link *l = calloc(1, sizeof *l);
    if (!l)
        return EXIT_FAILURE;
    *l = (struct link){
        .o = o, .launcher = PROCESS_NONE, .parent = getppid(), .started_ns = clock_ns()};
    node_stream_init(&l->control, control, control);
    node_stream_init(&l->agent, -1, -1);
    if (node_set_nonblocking(control) && start_launcher(l)) {
        process_batch();
        // The greeting is sent once the agent has spoken.
        struct node_lease lease = {(uint32_t)(l->o->beat_ns / 1000000),
                                   (uint32_t)(l->o->lease_ns / 1000000)};
        struct text payload = TEXT_INIT;
        struct wire w;
        wire_writer(&w, &payload);
        node_lease_codec(&w, &lease);
        put_frame(l, &l->agent, NODE_HELLO, 0, payload.data, payload.length);
        text_release(&payload);
        while (!l->has_ended && !l->lost.code)
            link_step(l);
    }
    if (l->lost.code)
        tell_lost(l);
    while (l->relays) {
        struct relay *r = l->relays;
        l->relays = r->next;
        relay_free(r);
    }
    close(control);
    end_launcher(l);
    for (size_t i = 0; i < l->descriptor_count; i++)
        close(l->descriptors[i]);
    free(l->descriptors);
    free(l->keys);
    text_release(&l->banner);
    node_stream_release(&l->control);
    node_stream_release(&l->agent);
    int status = l->lost.code ? EXIT_FAILURE : EXIT_SUCCESS;
    free(l);
    return status;
}

int link_serve(const struct link_options *o)
{
    struct error e = ERROR_INIT;
    int control = take_channel(&e);
    if (control < 0) {
        fprintf(stderr, "hone-worker --link: %s\n", e.text);
        return EXIT_FAILURE;
    }
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGCONT); // one that is stopped then sees that its tuner has ended
    return link_run(control, o);
}
