// The frames between a tuner and a node: the outer ones, which carry those of many workers
// (worker/protocol.h) over one launcher's standard input and output.
//
//   tuner <-socket-> link (hone-worker --link) <-launcher-> agent (hone-worker --node) <-sockets-> workers
//
// A frame is a header of 16 bytes, little-endian (u32 magic, u16 verb, u16 flags 0, u32 number, u32
// bytes that follow), then the payload and a u32, the CRC-32C of all before it. A launcher may be
// anything: a frame that it has damaged ends the node, and none of it is believed. The number is a worker's, or a lock's, of the tuner's choosing,
// counted from 1 and never used twice. The agent speaks first. The start of HELLO's payload never
// changes, so that any two versions understand that they differ.
//
// Each side limits the bytes of a worker that the other may send: NODE_WINDOW, and as much more as
// CREDIT says. A worker that does not read thus blocks no other.
#pragma once

#include "base/digest.h"
#include "base/error.h"
#include "base/text.h"
#include "base/wire.h"

#include <signal.h>

#define NODE_PROTOCOL 2
#define NODE_MAGIC    0x016e689eu        // as bytes 9e 'h' 'n' 01: no text contains that
#define NODE_BANNER   (64u << 10)        // so much may a launcher print before an agent speaks
#define NODE_WINDOW   (4u << 20)         // bytes of a worker's that may be on their way
#define NODE_PIECE    (64u << 10)        // of them in a frame
#define NODE_ITEM     ((1u << 20) + 256) // a frame of contents that is kept
#define NODE_ITEMS    (1u << 20)         // so many are kept
#define NODE_TEXT     (16u << 10)
#define NODE_WORKERS  1024 // at once
#define NODE_LOCKS    256  // at once
#define NODE_BEAT_NS  1000000000ull
#define NODE_LEASE_NS (20 * NODE_BEAT_NS)
#define NODE_START_NS (60 * NODE_BEAT_NS)

// X(NAME, text, payload bytes at most)
#define NODE_VERBS(X)                                                                              \
    X(HELLO, "hello", NODE_TEXT) /* agent: struct node_hello; then link: struct node_lease */      \
    X(BEAT, "beat", 16 * NODE_WORKERS) /* agent: u64 a worker, its number and its memory */        \
    X(START, "start", 1u << 20)       /* struct node_start. From the tuner with two descriptors */ \
    X(DATA, "data", NODE_PIECE)       /* bytes of a worker's channel */                            \
    X(KEEP, "keep", NODE_ITEM)        /* the same; the agent keeps them, as its next item */       \
    X(RECALL, "recall", 4)            /* u32 item: the same as its bytes once more */              \
    X(CREDIT, "credit", 4)            /* u32: so many bytes of the worker's were passed on */      \
    X(PRINTED, "printed", NODE_PIECE) /* what the worker wrote to descriptors 1 and 2 */           \
    X(CLOSE, "close", 0)       /* that end of its channel was closed; or a lock is given up */     \
    X(SIGNAL, "signal", 4)     /* u32: for the worker's group */                                   \
    X(EXITED, "exited", 4)     /* u32 as waitpid(): it is gone; the last frame of it */            \
    X(LOCK, "lock", NODE_TEXT) /* struct node_lock -> one LOCKED or REFUSED */                     \
    X(LOCKED, "locked", 0)                                                                         \
    X(WAITING, "waiting", NODE_TEXT) /* who has it; before LOCKED, any number of times */          \
    X(REFUSED, "refused", NODE_TEXT) /* why it cannot be had */                                    \
    X(UNLOCK, "unlock", 0)                                                                         \
    X(FAILED, "failed", NODE_TEXT) /* why the agent ends; or, from the link, why it is lost */

enum node_verb {
#define X(name, text, most) NODE_##name,
    NODE_VERBS(X)
#undef X
        NODE_VERB_COUNT
};

// ---- payloads ----------------------------------------------------------------------------------

struct node_hello {
    uint32_t protocol;        // NODE_PROTOCOL
    const char *version;      // hone's
    uint32_t worker_protocol; // of the same version alone is what follows
    struct digest binary;     // of the program that serves as worker there
    const char *host;
    uint32_t cores;
};
// *same: it is of this version, and all of it was read.
void node_hello_codec(struct wire *w, struct node_hello *h, bool *same);

struct node_lease {
    uint32_t beat_ms, lease_ms;
};
void node_lease_codec(struct wire *w, struct node_lease *l);

struct node_start {
    const char **environment; // NAME=VALUE
    uint32_t count;
};
void node_start_codec(struct wire *w, struct node_start *s);

struct node_lock_request {
    const char *name;  // of the file
    uint64_t limit_ns; // 0: DEVICE_LOCK_WAIT_NS
};
void node_lock_codec(struct wire *w, struct node_lock_request *l);

// ---- streams -----------------------------------------------------------------------------------

// A received frame; the payload points into the stream until the next node_next() or
// node_receive().
struct node_frame {
    enum node_verb verb;
    uint32_t number;
    const uint8_t *payload;
    uint32_t length;
};

// Frames in both directions, over descriptors that do not block; `in` and `out` may be one.
struct node_stream {
    int in, out;
    struct text received;
    size_t consumed;
    struct text queued;
    size_t sent;
    bool ended;  // the other side closed its end
    bool broken; // the other side takes no more
};

void node_stream_init(struct node_stream *s, int in, int out);
void node_stream_release(struct node_stream *s); // closes nothing
// Reads what has arrived, a bounded amount. False on a failure; the end sets `ended`.
bool node_receive(struct node_stream *s, struct error *e);
// The next complete frame: 1 yes, 0 not yet, -1 what came is none.
int node_next(struct node_stream *s, struct node_frame *f, struct error *e);
// Queues a frame. False without memory.
bool node_put(struct node_stream *s, enum node_verb verb, uint32_t number, const void *payload,
              size_t length);
bool node_put_u32(struct node_stream *s, enum node_verb verb, uint32_t number, uint32_t value);
bool node_put_text(struct node_stream *s, enum node_verb verb, uint32_t number, const char *text);
// Sends what the descriptor takes. What a side that is gone does not take is dropped.
void node_flush(struct node_stream *s);
size_t node_pending(const struct node_stream *s); // bytes that wait to be sent
const char *node_verb_text(enum node_verb v);
// The payload of RECALL, CREDIT, SIGNAL or EXITED; false where it is none.
bool node_frame_u32(const struct node_frame *f, uint32_t *out);
// That of WAITING, REFUSED or FAILED, with what a terminal would obey made visible.
void node_frame_text(const struct node_frame *f, char *out, size_t size);

// How long nothing was heard, counted while we could have heard it: a process that was stopped, or a
// machine that slept, does not take the other side for dead.
struct node_silence {
    uint64_t looked_ns, silent_ns;
};
void node_heard(struct node_silence *s);
// To be called at least every second beat. True once nothing was heard for the lease.
bool node_is_silent(struct node_silence *s, uint64_t beat_ns, uint64_t lease_ns);

// Is it a signal that may be asked for?
bool node_signal_is_known(uint32_t number);
bool node_set_nonblocking(int fd);
