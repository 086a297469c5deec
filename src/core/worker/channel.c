// One end of a stream of frames. Neither side ever waits in here but in channel_wait(), which reads
// while it sends: two ends that both have much to say do not block each other.
#include "worker/protocol.h"

#include "os/process.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

enum {
    HEADER_BYTES = 16,
    READ_BYTES = 64 * 1024,
    // Most that one channel_receive() reads, so that a chatty other side cannot hold it for ever;
    // more than a socket buffers, so that one call empties the socket of a process that is gone.
    RECEIVE_BYTES = 16 * 1024 * 1024,
    KEEP_BYTES = 1024 * 1024, // an empty buffer larger than this is freed
};

void channel_init(struct channel *c, int fd)
{
    *c = (struct channel){.fd = fd, .in = TEXT_INIT, .out = TEXT_INIT};
}

void channel_release(struct channel *c)
{
    text_release(&c->in);
    text_release(&c->out);
    c->consumed = c->sent = c->held = 0;
}

// Drops the first *done bytes once they are at least half of the text: what is moved was paid for
// by what is dropped, so that the sum of all moves is linear in the bytes of the stream.
static void text_compact(struct text *t, size_t *done)
{
    if (*done < t->length / 2 + 1 && *done != t->length)
        return;
    t->length -= *done;
    if (t->length > 0)
        memmove(t->data, t->data + *done, t->length + 1); // with the terminator
    *done = 0;
    if (t->length == 0 && t->capacity > KEEP_BYTES)
        text_release(t);
}

// ---- the header ---------------------------------------------------------------------------------

struct header {
    uint32_t magic;
    uint16_t verb;
    uint16_t flags;
    uint32_t sequence;
    uint32_t length;
};

static void put_little_endian(uint8_t *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get_little_endian(const uint8_t *from, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)from[i] << 8 * i;
    return value;
}

static void header_write(const struct header *h, uint8_t out[HEADER_BYTES])
{
    put_little_endian(out, h->magic, 4);
    put_little_endian(out + 4, h->verb, 2);
    put_little_endian(out + 6, h->flags, 2);
    put_little_endian(out + 8, h->sequence, 4);
    put_little_endian(out + 12, h->length, 4);
}

static struct header header_read(const uint8_t in[HEADER_BYTES])
{
    return (struct header){
        .magic = get_little_endian(in, 4),
        .verb = (uint16_t)get_little_endian(in + 4, 2),
        .flags = (uint16_t)get_little_endian(in + 6, 2),
        .sequence = get_little_endian(in + 8, 4),
        .length = get_little_endian(in + 12, 4),
    };
}

static bool header_check(const struct header *h, struct error *e)
{
    if (h->magic != PROTOCOL_MAGIC)
        return error_set(e, ERROR_WORKER,
                         "not a frame: it starts with 0x%08x instead of 0x%08x; is the other side "
                         "hone-worker?",
                         (unsigned)h->magic, PROTOCOL_MAGIC);
    if (h->verb >= VERB_COUNT)
        return error_set(e, ERROR_WORKER, "a frame has the unknown verb %u; the last known is %u",
                         (unsigned)h->verb, (unsigned)VERB_COUNT - 1);
    if (h->flags != 0)
        return error_set(e, ERROR_WORKER, "a frame '%s' has the unknown flags 0x%x; none are known",
                         verb_text((enum verb)h->verb), (unsigned)h->flags);
    if (h->length > PROTOCOL_MAX_FRAME)
        return error_set(e, ERROR_WORKER, "a frame '%s' of %u bytes; at most %u are accepted",
                         verb_text((enum verb)h->verb), (unsigned)h->length, PROTOCOL_MAX_FRAME);
    return true;
}

// ---- sending ------------------------------------------------------------------------------------

static bool is_gone(int number)
{
    return number == EPIPE || number == ECONNRESET;
}

// Sends what the socket takes: 0, or errno of the failure.
static int queue_send(struct channel *c)
{
    while (c->sent < c->out.length) {
        ssize_t n = send(c->fd, c->out.data + c->sent, c->out.length - c->sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n < 0)
            return errno;
        c->sent += (size_t)n;
    }
    text_compact(&c->out, &c->sent);
    return 0;
}

bool channel_flush(struct channel *c, struct error *e)
{
    int number = channel_pending(c) ? queue_send(c) : 0;
    if (number == 0)
        return true;
    if (is_gone(number))
        return error_set_driver(e, ERROR_WORKER, number,
                                "sending a frame: the other side closed the channel");
    return error_set_driver(e, ERROR_IO, number, "sending a frame: %s", strerror(number));
}

bool channel_pending(const struct channel *c)
{
    return c->out.length - c->sent > c->held;
}

static bool frame_add(struct channel *c, enum verb verb, uint32_t sequence, const void *payload,
                      size_t length, struct error *e)
{
    uint8_t bytes[HEADER_BYTES];
    size_t queued = c->out.length;
    if (length > PROTOCOL_MAX_FRAME)
        return error_set(e, ERROR_USAGE, "a frame '%s' of %zu bytes; at most %u can be sent",
                         verb_text(verb), length, PROTOCOL_MAX_FRAME);
    header_write(&(struct header){.magic = PROTOCOL_MAGIC,
                                  .verb = (uint16_t)verb,
                                  .sequence = sequence,
                                  .length = (uint32_t)length},
                 bytes);
    text_addn(&c->out, bytes, sizeof bytes);
    if (length > 0)
        text_addn(&c->out, payload, length);
    if (c->out.failed) { // half a frame would spoil all that follow
        c->out.length = queued;
        c->out.failed = false;
        return error_memory(e);
    }
    return true;
}

bool channel_send(struct channel *c, enum verb verb, uint32_t sequence, const void *payload,
                  size_t length, struct error *e)
{
    if (!frame_add(c, verb, sequence, payload, length, e))
        return false;
    c->held = 0;
    return channel_flush(c, e);
}

bool channel_hold(struct channel *c, enum verb verb, uint32_t sequence, const void *payload,
                  size_t length, struct error *e)
{
    bool waits = channel_pending(c);
    if (!frame_add(c, verb, sequence, payload, length, e))
        return false;
    c->held = waits ? 0 : c->out.length - c->sent;
    return true;
}

// ---- receiving ----------------------------------------------------------------------------------

// Where `till_end`, the end of the stream is noticed by this call, not by the next one.
static bool receive_bytes(struct channel *c, bool till_end, struct error *e)
{
    uint8_t bytes[READ_BYTES];
    for (size_t total = 0; total < RECEIVE_BYTES && !c->ended;) {
        ssize_t n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (n < 0 && !is_gone(errno))
            return error_set_driver(e, ERROR_IO, errno, "receiving a frame: %s", strerror(errno));
        if (n <= 0) { // a process that dies with requests unread resets the connection
            c->ended = true;
            break;
        }
        text_addn(&c->in, bytes, (size_t)n);
        if (c->in.failed)
            return error_memory(e);
        total += (size_t)n;
        if (!till_end && (size_t)n < sizeof bytes) // it was empty then
            break;
    }
    return true;
}

bool channel_receive(struct channel *c, struct error *e)
{
    return receive_bytes(c, true, e);
}

bool channel_receive_some(struct channel *c, struct error *e)
{
    return receive_bytes(c, false, e);
}

// No complete frame: not yet, or never.
static int frame_missing(const struct channel *c, size_t left, struct error *e)
{
    if (!c->ended || left == 0)
        return 0;
    if (left < HEADER_BYTES) {
        error_set(e, ERROR_WORKER,
                  "the stream ended in the middle of a frame's header, %zu of %d bytes", left,
                  HEADER_BYTES);
        return -1;
    }
    struct header h = header_read((const uint8_t *)c->in.data + c->consumed);
    error_set(e, ERROR_WORKER,
              "the stream ended in the middle of a frame '%s', after %zu of %u bytes",
              verb_text((enum verb)h.verb), left - HEADER_BYTES, (unsigned)h.length);
    return -1;
}

int channel_next(struct channel *c, struct frame *f, struct error *e)
{
    text_compact(&c->in, &c->consumed);
    size_t left = c->in.length - c->consumed;
    if (left < HEADER_BYTES)
        return frame_missing(c, left, e);
    const uint8_t *at = (const uint8_t *)c->in.data + c->consumed;
    struct header h = header_read(at);
    if (!header_check(&h, e))
        return -1;
    if (left - HEADER_BYTES < h.length)
        return frame_missing(c, left, e);
    *f = (struct frame){
        .verb = (enum verb)h.verb,
        .sequence = h.sequence,
        .payload = at + HEADER_BYTES,
        .length = h.length,
    };
    c->consumed += HEADER_BYTES + h.length;
    return 1;
}

bool channel_peek(const struct channel *c, enum verb *verb)
{
    size_t left = c->in.length - c->consumed;
    if (left < HEADER_BYTES)
        return false;
    struct header h = header_read((const uint8_t *)c->in.data + c->consumed);
    *verb = (enum verb)h.verb;
    return header_check(&h, NULL) && left - HEADER_BYTES >= h.length;
}

bool channel_arriving(const struct channel *c)
{
    return c->in.length > c->consumed;
}

// Milliseconds from now to the deadline, rounded up; -1 for ever.
static int time_left_ms(uint64_t deadline_ns)
{
    if (deadline_ns == UINT64_MAX)
        return -1;
    uint64_t now = clock_ns();
    return now >= deadline_ns ? 0 : (int)((deadline_ns - now + 999999) / 1000000);
}

// Sends while waiting. A side that went away may have left last words, so what it will not read any
// more is dropped, and its end is left to the reading.
static bool channel_pump_out(struct channel *c, struct error *e)
{
    int number = queue_send(c);
    if (number == 0)
        return true;
    if (!is_gone(number))
        return error_set_driver(e, ERROR_IO, number, "sending a frame: %s", strerror(number));
    text_clear(&c->out);
    c->sent = 0;
    return true;
}

// Waits until the socket is ready and moves what can be moved: 1 something may have moved,
// 0 timeout, -1 error.
static int channel_pump(struct channel *c, int timeout_ms, struct error *e)
{
    short sends = channel_pending(c) ? POLLOUT : 0;
    struct pollfd ready = {.fd = c->fd, .events = (short)(POLLIN | sends)};
    int n = poll(&ready, 1, timeout_ms);
    if (n < 0 && errno != EINTR) {
        error_set_driver(e, ERROR_IO, errno, "waiting for a frame: %s", strerror(errno));
        return -1;
    }
    if (n <= 0)
        return n == 0 ? 0 : 1;
    if (!channel_receive_some(c, e))
        return -1;
    if (c->ended || !(ready.revents & POLLOUT))
        return 1;
    return channel_pump_out(c, e) ? 1 : -1;
}

int channel_wait(struct channel *c, int timeout_ms, struct frame *f, struct error *e)
{
    uint64_t deadline = timeout_ms < 0 ? UINT64_MAX : clock_ns() + (uint64_t)timeout_ms * 1000000;
    for (;;) {
        int got = channel_next(c, f, e);
        if (got != 0)
            return got;
        if (c->ended) {
            error_set(e, ERROR_WORKER, "the other side closed the channel");
            return -1;
        }
        int moved = channel_pump(c, time_left_ms(deadline), e);
        if (moved <= 0)
            return moved;
    }
}
