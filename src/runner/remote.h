// One worker process as the tuner sees it: the process, its channel, what it is doing and until
// when it may.
#ifndef HONE_EVAL_REMOTE_H
#define HONE_EVAL_REMOTE_H

#include "base/process.h"
#include "protocol/protocol.h"

// Limits for what is not the job's own doing.
#define REMOTE_OPENING_NS  (120ull * 1000000000)
#define REMOTE_MAKING_NS   (900ull * 1000000000) // inputs, reference
#define REMOTE_CHECKING_NS (300ull * 1000000000)
#define REMOTE_SILENCE_NS  (60ull * 1000000000) // a request taken up, or answered after its phases

// After its channel has ended a worker has so long to end by itself, and one that was killed to be
// gone: a driver can hold a dead process in the kernel.
#define REMOTE_DYING_NS (2ull * 1000000000)
#define REMOTE_GONE_NS  (10ull * 1000000000)

struct remote {
    struct process process;
    struct channel channel;
    enum worker_role role;
    bool running;
    uint32_t sequence;    // of the newest request
    uint32_t outstanding; // requests without their final reply
    struct phase phase;
    uint64_t deadline_ns;   // 0: none
    uint64_t limit_ns;      // what the deadline was made from
    uint64_t stopped_ns;    // since when it is stopped; 0: it is not
    uint32_t served;        // jobs, for renewal
    struct outgoing *queue; // what waits behind contents that are being sent
    struct digest *given;   // the contents that it has, or will have by what is queued
    uint32_t given_count, given_capacity;
    uint64_t dying_ns; // since when its channel is at its end; 0: it is not
    bool killed;       // it did not end by itself then
};

#define REMOTE_NONE                                                                                \
    {                                                                                              \
        .process = PROCESS_NONE                                                                    \
    }

// Starts a worker and asks it to open the device; requests may be sent at once, it serves in order.
// On failure it may run all the same.
// id NULL: only started. `exact` as in struct live_options.
bool remote_start(struct remote *r, const char *const *argv, const char *const *environment,
                  const char *id, enum worker_role role, bool exact, struct error *e);
// Asks one that was only started to open a device.
bool remote_open(struct remote *r, const char *id, enum worker_role role, bool exact,
                 struct error *e);
// Sends a request, behind the contents that are still to be sent; its sequence number is
// r->sequence afterwards.
bool remote_send(struct remote *r, enum verb verb, const struct text *payload, struct error *e);
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
// The same, waiting for it.
void remote_autopsy_wait(struct remote *r, struct text *out);
// How long may be slept before those that end are looked at again, dying since then or killed.
uint64_t remote_look_ns(uint64_t since_ns, uint64_t now_ns);

// The worker that a spare holds; false where it holds none (any more), or `s` is NULL.
struct spare;
bool spare_take(struct spare *s, struct remote *out);

// The text of a REPLY_ERROR, for messages.
void remote_error_text(const struct frame *f, char *out, size_t size);

#endif
