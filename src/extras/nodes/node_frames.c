// The outer frames: headers, streams over any two descriptors, and the payloads' layouts. Every
// length is checked against its verb's limit before anything is kept of it.
#include "extras/nodes/node_frames.h"

#include "base/crc.h"
#include "model/codec.h"
#include "os/process.h"
#include "worker/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HEADER_BYTES = 16,
    SUM_BYTES = 4,
    READ_BYTES = 64 * 1024,
    RECEIVE_MOST = 4 * READ_BYTES,
    KEEP_MOST = 1024 * 1024, // an empty buffer larger than this is freed
};

static const struct {
    const char *text;
    uint32_t most;
} verbs[NODE_VERB_COUNT] = {
#define X(name, text, most) {text, most},
    NODE_VERBS(X)
#undef X
};

const char *node_verb_text(enum node_verb v)
{
    return (unsigned)v < NODE_VERB_COUNT ? verbs[v].text : "?";
}

// ---- payloads ----------------------------------------------------------------------------------

void node_hello_codec(struct wire *w, struct node_hello *h, bool *same)
{
    wire_u32(w, &h->protocol);
    codec_text(w, &h->version);
    *same = !w->failed && h->protocol == NODE_PROTOCOL && str_equal(h->version, HONE_VERSION);
    if (!*same)
        return;
    wire_u32(w, &h->worker_protocol);
    wire_digest(w, &h->binary);
    codec_text(w, &h->host);
    wire_u32(w, &h->cores);
    *same = !w->failed && h->worker_protocol == PROTOCOL_VERSION;
}

void node_lease_codec(struct wire *w, struct node_lease *l)
{
    wire_u32(w, &l->beat_ms);
    wire_u32(w, &l->lease_ms);
}

void node_start_codec(struct wire *w, struct node_start *s)
{
    wire_array(w, (void **)&s->environment, &s->count, sizeof(*s->environment), 4);
    for (uint32_t i = 0; i < s->count; i++)
        codec_text(w, &s->environment[i]);
}

void node_lock_codec(struct wire *w, struct node_lock_request *l)
{
    codec_text(w, &l->name);
    wire_u64(w, &l->limit_ns);
}

bool node_frame_u32(const struct node_frame *f, uint32_t *out)
{
    struct arena none = {0};
    struct wire w;
    wire_reader(&w, f->payload, f->length, &none);
    wire_u32(&w, out);
    return wire_done(&w);
}

void node_frame_text(const struct node_frame *f, char *out, size_t size)
{
    struct text shown = TEXT_INIT;
    text_add_visible(&shown, (const char *)f->payload, f->length, false);
    str_format(out, size, "%s", text_cstr(&shown));
    text_release(&shown);
}

void node_heard(struct node_silence *s)
{
    s->silent_ns = 0;
}

bool node_is_silent(struct node_silence *s, uint64_t beat_ns, uint64_t lease_ns)
{
    uint64_t now = clock_ns(), passed = s->looked_ns ? now - s->looked_ns : 0;
    s->looked_ns = now;
    s->silent_ns += passed < 2 * beat_ns ? passed : 2 * beat_ns;
    return s->silent_ns >= lease_ns;
}

bool node_signal_is_known(uint32_t number)
{
    return number == SIGKILL || number == SIGSTOP || number == SIGCONT || number == SIGTERM;
}

bool node_set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

// ---- streams -----------------------------------------------------------------------------------

void node_stream_init(struct node_stream *s, int in, int out)
{
    *s = (struct node_stream){.in = in, .out = out, .received = TEXT_INIT, .queued = TEXT_INIT};
}

void node_stream_release(struct node_stream *s)
{
    text_release(&s->received);
    text_release(&s->queued);
    s->consumed = s->sent = 0;
}

// Drops the first *done bytes once they are at least half of the text.
static void drop_done(struct text *t, size_t *done)
{
    if (*done == 0 || (*done < t->length / 2 + 1 && *done != t->length))
        return;
    t->length -= *done;
    if (t->length > 0)
        memmove(t->data, t->data + *done, t->length + 1); // with the terminator
    *done = 0;
    if (t->length == 0 && t->capacity > KEEP_MOST)
        text_release(t);
}

bool node_receive(struct node_stream *s, struct error *e)
{
    uint8_t bytes[READ_BYTES];
    drop_done(&s->received, &s->consumed);
    for (size_t total = 0; total < RECEIVE_MOST && !s->ended;) {
        ssize_t n = read(s->in, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n <= 0) { // any failure is the end of what can be heard
            s->ended = true;
            break;
        }
        text_addn(&s->received, bytes, (size_t)n);
        if (s->received.failed)
            return error_memory(e);
        total += (size_t)n;
        if ((size_t)n < sizeof bytes) // it was empty then
            break;
    }
    return true;
}

static uint32_t get_little_endian(const uint8_t *from, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)from[i] << 8 * i;
    return value;
}

static void put_little_endian(uint8_t *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t frame_sum(const uint8_t *header, const void *payload, size_t length)
{
    uint32_t sum = crc32c(0, header, HEADER_BYTES);
    return length > 0 ? crc32c(sum, payload, length) : sum;
}

static bool is_frame_whole(const uint8_t *header, uint32_t length)
{
    const uint8_t *payload = header + HEADER_BYTES;
    return length >= SUM_BYTES && frame_sum(header, payload, length - SUM_BYTES) ==
                                      get_little_endian(payload + length - SUM_BYTES, SUM_BYTES);
}

// An agent of another version may know no checksums; it is refused for its version.
static bool is_of_other_version(enum node_verb verb, const uint8_t *payload, uint32_t length)
{
    return verb == NODE_HELLO && length >= 4 && get_little_endian(payload, 4) != NODE_PROTOCOL;
}

int node_next(struct node_stream *s, struct node_frame *f, struct error *e)
{
    size_t left = s->received.length - s->consumed;
    if (left < HEADER_BYTES)
        return 0;
    const uint8_t *at = (const uint8_t *)s->received.data + s->consumed;
    uint32_t magic = get_little_endian(at, 4), verb = get_little_endian(at + 4, 2);
    uint32_t flags = get_little_endian(at + 6, 2), length = get_little_endian(at + 12, 4);
    if (magic != NODE_MAGIC || verb >= NODE_VERB_COUNT || flags != 0) {
        error_set(e, ERROR_WORKER,
                  "what came is not a frame of a node: it starts with 0x%08x 0x%08x",
                  (unsigned)magic, (unsigned)(verb | flags << 16));
        return -1;
    }
    if (length > verbs[verb].most + SUM_BYTES) {
        error_set(e, ERROR_WORKER, "a node's frame '%s' of %u bytes; at most %u are accepted",
                  verbs[verb].text, (unsigned)length, (unsigned)verbs[verb].most);
        return -1;
    }
    if (left - HEADER_BYTES < length)
        return 0;
    uint32_t kept = length;
    if (is_frame_whole(at, length)) {
        kept -= SUM_BYTES;
    } else if (!is_of_other_version((enum node_verb)verb, at + HEADER_BYTES, length)) {
        error_set(e, ERROR_WORKER,
                  "a node's frame '%s' was damaged on its way: its checksum differs",
                  verbs[verb].text);
        return -1;
    }
    *f = (struct node_frame){.verb = (enum node_verb)verb,
                             .number = get_little_endian(at + 8, 4),
                             .payload = at + HEADER_BYTES,
                             .length = kept};
    s->consumed += HEADER_BYTES + length;
    return 1;
}

bool node_put(struct node_stream *s, enum node_verb verb, uint32_t number, const void *payload,
              size_t length)
{
    uint8_t header[HEADER_BYTES], sum[SUM_BYTES];
    size_t before = s->queued.length;
    if (s->broken)
        return true;
    put_little_endian(header, NODE_MAGIC, 4);
    put_little_endian(header + 4, (uint32_t)verb, 2);
    put_little_endian(header + 6, 0, 2);
    put_little_endian(header + 8, number, 4);
    put_little_endian(header + 12, (uint32_t)length + SUM_BYTES, 4);
    put_little_endian(sum, frame_sum(header, payload, length), 4);
    text_addn(&s->queued, header, sizeof header);
    if (length > 0)
        text_addn(&s->queued, payload, length);
    text_addn(&s->queued, sum, sizeof sum);
    if (!s->queued.failed)
        return true;
    s->queued.length = before; // half a frame would spoil all that follow
    s->queued.failed = false;
    return false;
}

bool node_put_u32(struct node_stream *s, enum node_verb verb, uint32_t number, uint32_t value)
{
    uint8_t bytes[4];
    put_little_endian(bytes, value, 4);
    return node_put(s, verb, number, bytes, sizeof bytes);
}

bool node_put_text(struct node_stream *s, enum node_verb verb, uint32_t number, const char *text)
{
    size_t length = strlen(text);
    return node_put(s, verb, number, text, length < NODE_TEXT ? length : NODE_TEXT);
}

// A socket whose other end is gone must not end a program that did not ask for that; a pipe is the
// agent's or the link's alone, which ignore SIGPIPE.
static ssize_t send_bytes(int fd, const void *bytes, size_t length)
{
    ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    return n < 0 && errno == ENOTSOCK ? write(fd, bytes, length) : n;
}

void node_flush(struct node_stream *s)
{
    while (!s->broken && s->sent < s->queued.length) {
        ssize_t n = send_bytes(s->out, s->queued.data + s->sent, s->queued.length - s->sent);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n < 0) {
            s->broken = true;
            s->sent = s->queued.length;
        } else {
            s->sent += (size_t)n;
        }
    }
    drop_done(&s->queued, &s->sent);
}

size_t node_pending(const struct node_stream *s)
{
    return s->queued.length - s->sent;
}
