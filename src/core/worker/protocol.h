// The frames between hone and hone-worker, declared once.
//
// A frame is a header of 16 bytes, little-endian (u32 magic "hone", u16 verb, u16 flags 0,
// u32 sequence, u32 payload bytes), then the payload, written with base/wire.h. A request has a
// sequence number of the tuner's choosing, all frames that answer it repeat the number: any count
// of PHASE frames, then exactly one final frame, REPLY_*. One request at a time is served, in
// order. A frame names no path of the tuner's machine, but the folder of a command.
#pragma once

#include "base/error.h"
#include "model/device_info.h"
#include "model/image.h"
#include "model/job.h"
#include "model/phase.h"
#include "model/policy.h"
#include "model/result.h"

#define PROTOCOL_VERSION   21
#define PROTOCOL_MAGIC     0x656e6f68u
#define PROTOCOL_MAX_FRAME (1u << 30) // payload bytes; more is refused before anything is allocated

// X(NAME, text)
#define VERBS(X)                                                                                   \
    X(HELLO, "hello")     /* -> REPLY_HELLO: struct hello */                                       \
    X(DEVICES, "devices") /* u32 languages (1 << language) -> REPLY_DEVICES: device_report */      \
    X(OPEN, "open")       /* struct open_request -> REPLY_OPENED: opened, or REPLY_ERROR */        \
    X(BUILD, "build")     /* job, policy -> REPLY_IMAGE: result, image. For build workers */       \
    X(PREPARE, "prepare") /* job -> REPLY_RESULT: inputs and reference made and kept */            \
    X(LOAD, "load")       /* u32 handle, job, image -> REPLY_RESULT. The tuner chooses handles */  \
    X(VERIFY, "verify")   /* u32 handle, policy -> REPLY_RESULT: one launch, checked */            \
    X(MEASURE, "measure") /* u32 handle, policy -> REPLY_RESULT: samples */                        \
    X(OUTPUT, "output")   /* u32 handle, u32 buffer -> REPLY_BYTES: contents after the last run */ \
    X(BINARY, "binary")   /* u32 handle, u32 program -> REPLY_BYTES: the device's binary */        \
    X(UNLOAD, "unload")   /* u32 handle -> REPLY_RESULT */                                         \
    X(STOP, "stop")       /* the worker exits with status 0; no reply */                           \
    X(PHASE, "phase")     /* from the worker: struct phase */                                      \
    X(REPLY_HELLO, "reply hello")                                                                  \
    X(REPLY_DEVICES, "reply devices")                                                              \
    X(REPLY_OPENED, "reply opened")                                                                \
    X(REPLY_IMAGE, "reply image")                                                                  \
    X(REPLY_RESULT, "reply result")                                                                \
    X(REPLY_BYTES, "reply bytes")                                                                  \
    X(REPLY_ERROR, "reply error") /* str: the request made no sense, or opening failed */          \
    X(PTX, "ptx")                 /* as BINARY: the PTX behind it, where it has one */             \
    X(ROUTINE,                                                                                     \
      "routine") /* enum routine, str library -> REPLY_RESULT: device_routine_about() as  \
                             its log */        \
    X(BLOB,                                                                                        \
      "blob") /* struct blob_part; no reply. Before the first job that names it, once a      \
                       worker; for builds never */     \
    X(OUTPUTS,                                                                                     \
      "outputs")    /* u32 handle, u64 which -> PARTs, REPLY_RESULT: what launch `which`     \
                             modulo those of the last block left */     \
    X(PART, "part") /* struct output_part. From the worker, before its reply; to one that     \
                             compares, no reply */    \
    X(COMPARE,                                                                                     \
      "compare")    /* struct check_apart, job -> REPLY_RESULT: the PARTs since the last one,   \
                             which are dropped, against the job's reference */  \
    X(WAKE, "wake") /* u32 languages, as DEVICES; no reply: their drivers are started */           \
    X(BLOB_FILE,                                                                                   \
      "file") /* struct blob_name; no reply. In the place of its parts, where the worker \
                      can read the file itself */

enum verb {
#define X(name, text) VERB_##name,
    VERBS(X)
#undef X
        VERB_COUNT
};

const char *verb_text(enum verb v);

struct hello {
    uint32_t protocol;   // PROTOCOL_VERSION
    const char *version; // hone's
};
void hello_codec(struct wire *w, struct hello *h);

void device_report_codec(struct wire *w, struct device_report *r);

enum worker_role { ROLE_BENCH, ROLE_BUILD, ROLE_COUNT };

struct open_request {
    const char *id; // device_info.id
    enum worker_role role;
    bool simulated; // by Oclgrind, which watches every access: buffers have no guard zones
    struct device_info
        *target; // (or NULL) BUILD: the device is another machine's, this one's images are for it
};
void open_request_codec(struct wire *w, struct open_request *o);

struct opened {
    struct device_info info;
    const char *folders; // of the worker's machine, that it and its driver write to; one a line
};
void opened_codec(struct wire *w, struct opened *o);

void image_codec(struct wire *w, struct image *m);

// A part of what jobs name by digest. Parts come in order, none is empty, and none is larger than
// BLOB_PART, so that neither side ever holds a second copy of the whole in its channel.
struct blob_part {
    struct digest digest; // of the whole
    uint64_t length;      // of the whole
    uint64_t offset;
    const void *data;
    uint64_t size;
};
void blob_part_codec(struct wire *w, struct blob_part *p);

// A part of an output: on its way from the worker that launched a job to one that holds references and
// has launched nothing of it. Parts are small, so that none of the three holds a copy of the whole in a channel.
#define OUTPUT_PART ((uint64_t)1 << 20)
struct output_part {
    uint32_t buffer; // of the job
    uint64_t offset;
    const void *data;
    uint64_t size;
};
void output_part_codec(struct wire *w, struct output_part *p);

// Where they are on the worker's machine: all that is in a file behind its offset.
struct blob_name {
    struct digest digest;
    struct blob_file file;
};
void blob_name_codec(struct wire *w, struct blob_name *n);

struct phase {
    enum phase_kind kind;
    uint32_t launches; // LAUNCHING: how many follow before the next phase
    // LAUNCHING: the first may still compile: the build limit is added, unless the limit of launches was given
    bool compiles;
};
void phase_codec(struct wire *w, struct phase *p);

// ---- channels ----------------------------------------------------------------------------------

// A received frame; payload points into the channel until the next channel_next() or
// channel_receive() (channel_wait() does both).
struct frame {
    enum verb verb;
    uint32_t sequence;
    const void *payload;
    size_t length;
};

// One end of a stream of frames over a socket. Works on blocking and non-blocking descriptors.
struct channel {
    int fd;
    struct text in;  // received, not yet consumed
    size_t consumed; // of `in`: the frame given out last
    struct text out; // queued, not yet sent
    size_t sent;     // of `out`
    size_t held;     // of it, at its end: what may wait for the next channel_send()
    bool ended;      // the other side closed
};

void channel_init(struct channel *c, int fd);
void channel_release(struct channel *c); // does not close the descriptor
// Queues a frame and sends what the socket takes; payload may be NULL with length 0.
bool channel_send(struct channel *c, enum verb verb, uint32_t sequence, const void *payload,
                  size_t length, struct error *e);
// The same of a frame that nobody waits for: it goes with the next one, which saves a call of the
// system and the other side a wake-up.
bool channel_hold(struct channel *c, enum verb verb, uint32_t sequence, const void *payload,
                  size_t length, struct error *e);
// Sends more of what is queued, without blocking. channel_pending(): is something queued, but for
// what is held?
bool channel_flush(struct channel *c, struct error *e);
bool channel_pending(const struct channel *c);
// Reads what has arrived, without blocking; false on a broken stream. End of stream sets `ended`.
bool channel_receive(struct channel *c, struct error *e);
// The same with one call of the system as a rule, for whoever polls: the end of the stream is seen
// by the next one.
bool channel_receive_some(struct channel *c, struct error *e);
// The next complete frame, if one has arrived: 1 yes, 0 not yet, -1 the bytes are no frame.
int channel_next(struct channel *c, struct frame *f, struct error *e);
// Is a complete frame for channel_next() there, and what is its verb? Takes nothing.
bool channel_peek(const struct channel *c, enum verb *verb);
// Has a part of a frame arrived, or a whole one, that was not given out yet?
bool channel_arriving(const struct channel *c);
// Blocking: waits for the next frame (timeout_ms -1: for ever), sending what is queued meanwhile.
// 1 a frame, 0 timeout, -1 error or end of stream.
int channel_wait(struct channel *c, int timeout_ms, struct frame *f, struct error *e);
