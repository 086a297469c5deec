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
};

#define REMOTE_NONE                                                                                \
    {                                                                                              \
        .process = PROCESS_NONE                                                                    \
    }

// Starts a worker and asks it to open the device; requests may be sent at once, it serves in order.
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
// Sends SIGKILL without waiting for its end: remote_end() is still to be called.
void remote_kill(struct remote *r);
// Ends it with SIGKILL (or lets a dead one go) and forgets it.
void remote_end(struct remote *r);
// The same without waiting for its end, by a process that is about to end.
void remote_leave(struct remote *r);
// Its resident memory in bytes; 0 when that cannot be told.
uint64_t remote_memory(const struct remote *r);
// After the channel ended: waits for the end of the process and describes it with the last of what
// it printed: "was killed by SIGSEGV; it had printed: ...". Ends the remote.
void remote_autopsy(struct remote *r, struct text *out);

// The worker that a spare holds; false where it holds none (any more), or `s` is NULL.
struct spare;
bool spare_take(struct spare *s, struct remote *out);

// The text of a REPLY_ERROR, for messages.
void remote_error_text(const struct frame *f, char *out, size_t size);

#endif
