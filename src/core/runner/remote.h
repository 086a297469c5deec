// One worker process as the tuner sees it: the process, its channel, what it is doing and until
// when it may.
#pragma once

#include "base/log.h"
#include "os/process.h"
#include "runner/place.h"
#include "runner/worker_limits.h"
#include "worker/protocol.h"

// After its channel has ended a worker has so long to end by itself, and one that was killed to be
// gone: a driver can hold a dead process in the kernel.
#define REMOTE_DYING_NS (2ull * 1000000000)
#define REMOTE_GONE_NS  (10ull * 1000000000)

// A driver's cache may be cut short after a crash of the machine, and a driver that reads it then ends
// its worker, or reports that a correct kernel does not build. So what ended a worker is tried again
// with empty caches, and if it works with those, so does everything after it.
struct worker_caches {
    bool exist;     // the language's drivers have caches
    bool are_left;  // workers start with empty ones from now on
    char empty[80]; // NAME=VALUE that has a worker use empty ones, the same for all of an evaluator
};

// How workers are started, the same for all of an evaluator.
struct worker_setup {
    struct place at;    // its device, spare and jobs do not count
    const char *device; // id
    const struct device_info *
        target; // (or NULL) of a builder: the device, which is not there, or which it can do without
    bool simulated; // as in struct live_options
    const struct worker_limits *limits;
    const char *empty_caches; // (or NULL) worker_caches.empty
    const struct log *log;    // (or NULL) hears of every frame
};

struct remote {
    struct process process;
    struct channel channel;
    enum worker_role role;
    bool running;
    bool has_empty_caches;
    bool greeted;         // it said hello, and so watches its tuner
    bool is_open;         // it has opened the device
    bool opens;           // it was asked to open the device, ahead of remote_open()
    uint32_t sequence;    // of the newest request
    uint32_t outstanding; // requests without their final reply
    uint32_t held;        // requests that go with the next one
    uint32_t beside;      // (or 0) a request whose answer leaves `phase` as it is: it is of another
    struct phase phase;
    const struct worker_limits *limits; // NULL: it was only started
    const struct log *log;              // (or NULL)
    uint64_t opening_ns;                // when it was asked to open the device
    uint64_t deadline_ns;               // 0: none
    uint64_t limit_ns;                  // what the deadline was made from
    uint64_t stopped_ns;                // since when it is stopped; 0: it is not
    uint32_t served;                    // jobs, for renewal
    struct outgoing *queue;             // what waits behind contents that are being sent
    uint64_t named;                     // bytes of files whose names it was given
    struct digest *given;               // the contents that it has, or will have by what is queued
    size_t given_count, given_capacity;
    bool is_failing;   // its channel broke: what has come is read, nothing else will
    uint64_t dying_ns; // since when its channel is at its end; 0: it is not
    bool killed;       // it did not end by itself then
    char wrong[300];   // (or "") what it sent that the protocol does not know: it is ended for that
};

#define REMOTE_NONE                                                                                \
    {                                                                                              \
        .process = PROCESS_NONE                                                                    \
    }

// Starts a worker that opens no device yet. On failure it may run all the same.
bool remote_start(struct remote *r, const struct worker_setup *s, struct error *e);
// Asks it to open the device ahead of remote_open(), from which on it is listened to, and limits hold.
bool remote_open_ahead(struct remote *r, const struct worker_setup *s, enum worker_role role,
                       struct error *e);
// Asks it to open the device; requests may be sent at once, it serves in order.
bool remote_open(struct remote *r, const struct worker_setup *s, enum worker_role role,
                 struct error *e);
// Sends a request as remote_send() does, for a worker that has a device and will be waited for. A
// broken pipe is not a failure: it is a death, and found as one when the channel is read. The payload
// is released.
bool remote_request(struct remote *r, enum verb verb, struct text *payload, struct error *e);

// News from a worker.
enum news {
    NEWS_NONE,    // nothing more has come
    NEWS_PHASE,   // it is about something else: `phase`
    NEWS_OPENED,  // it has opened the device: the frame
    NEWS_REFUSED, // it cannot, or makes no sense of a request: the frame
    NEWS_PART,    // the frame is a part of outputs; its answer is still to come
    NEWS_ANSWER,  // the frame answers a request
    NEWS_ENDED,   // nothing, its channel has ended: it dies
    NEWS_BROKEN   // *e: nothing can go on, by no fault of the worker's or by its protocol
};
// Sends what waits and reads what has come. False where nothing can go on, by no fault of the
// worker's.
bool remote_listen(struct remote *r, struct error *e);
// The next of it. Limits follow from what it says.
enum news remote_next(struct remote *r, struct frame *f, struct error *e);
// It does not keep to the protocol, for whatever reason, so nothing that it says can be believed any
// more: it is killed, and from now on it is one that dies (remote_autopsy()).
void remote_breaks(struct remote *r, const char *what);
// Sends a request, behind the contents that are still to be sent; its sequence number is
// r->sequence afterwards.
bool remote_send(struct remote *r, enum verb verb, const struct text *payload, struct error *e);
// The same of a request that nobody waits for: it goes with the next one.
bool remote_hold(struct remote *r, enum verb verb, const struct text *payload, struct error *e);
// Sends what has no answer, in its place among what waits.
bool remote_tell(struct remote *r, enum verb verb, const void *data, size_t length,
                 struct error *e);
// Sends the contents that a job names, ahead of what is requested next, where this worker has not
// been given them.
bool remote_give(struct remote *r, const struct job *j, struct error *e);
// Sends more of what waits, as far as the channel takes it. False where the channel broke, or with
// ERROR_INPUT where contents cannot be read any more.
bool remote_pump(struct remote *r, struct error *e);
// Does anything wait to be sent?
bool remote_pending(const struct remote *r);
// Sends all that waits, blocking, with a limit without progress.
bool remote_drain(struct remote *r, struct error *e);
// The worker shall be done with what it does now within `limit` from now (0: no limit).
void remote_limit(struct remote *r, uint64_t limit_ns);
bool remote_overdue(const struct remote *r, uint64_t now_ns);
// SIGSTOP and SIGCONT for the whole group; limits stand still meanwhile. One that is stopped is
// stopped once more: the kernel continues a worker when the thread ends that has started it.
void remote_pause(struct remote *r);
void remote_resume(struct remote *r);
// Sends SIGKILL and nothing else: remote_end() is still to be called.
void remote_kill(struct remote *r);

// Processes that were killed and are not reaped yet. Nobody waits for one of them: they are looked
// at again and again. All zeros: none.
struct endings {
    struct ending {
        struct ending *next;
        struct process process;
        uint64_t since_ns;
    } * first;
};
// Reaps those that are gone.
void endings_reap(struct endings *all);
// Is there one that may yet be gone soon? One that was killed long ago is waited for no more.
bool endings_awaited(const struct endings *all);
// They are another's from now on.
void endings_move(struct endings *to, struct endings *from);
// Waits for all of them together, so long at most, and forgets them.
void endings_release(struct endings *all, uint64_t limit_ns);

// Kills it (or lets a dead one go), hands its process over to `all` and forgets it.
void remote_end(struct remote *r, struct endings *all);
// Its resident memory in bytes; 0 when that cannot be told.
uint64_t remote_memory(const struct remote *r);
// The channel has ended: nothing is sent to it or read from it any more, no limit holds.
void remote_dies(struct remote *r);
// Looks at one that dies. True once it is gone, or cannot be ended: `out` then describes its end
// with the last of what it printed: "was killed by SIGSEGV; the last it printed: ...", and
// remote_end() is to be called.
bool remote_autopsy(struct remote *r, struct text *out);
// Was it killed by somebody, as that text says? A driver's cache, however damaged, kills nobody.
bool remote_was_killed(const char *how);
// The same, waiting for it.
void remote_autopsy_wait(struct remote *r, struct text *out);
// How long may be slept before those that end are looked at again, dying since then or killed.
uint64_t remote_look_ns(uint64_t since_ns, uint64_t now_ns);

// The worker that a spare holds; false where it holds none (any more), or `s` is NULL. One that opens another device than
// this is ended.
struct spare;
// A worker of it for this device: the one that lists for a bench, unless it opens another device, or one that started the drivers
// beside it.
bool spare_take(struct spare *s, const char *device, enum worker_role role, struct remote *out);
bool spare_has_woken(const struct spare *s); // NULL: no

// The text of a REPLY_ERROR, for messages.
void remote_error_text(const struct frame *f, char *out, size_t size);
