// Interprets the loss of the bench worker: finds the culprit, or that the device is lost.
//
// Knows no worker and no job. It is told what happened (an event), says what is to be done next,
// and in the end who is to blame.
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "model/result.h"
#include "worker/protocol.h"

// Fresh workers in which the probe must fail, one after the other, before the device is given up.
#define RECOVERY_TRIES 2

// How a bench worker was lost.
enum loss_kind {
    LOSS_DIED,    // it ended
    LOSS_REFUSED, // it said that the device is gone
    LOSS_OVERDUE, // it was ended past its limit
    LOSS_FAILED,  // it gave a result, but of a launch that the driver refused or broke off
    LOSS_KINDS
};

// The request that the lost worker was serving.
enum loss_of {
    LOSS_OF_NOTHING,     // nothing, or a job that was given up since
    LOSS_OF_PREPARATION, // inputs and reference
    LOSS_OF_SHARED,      // a job beside which another one was being loaded
    LOSS_OF_JOB,         // a job alone
    LOSS_OF_COUNT
};

struct loss {
    enum loss_kind kind;
    enum loss_of of;
    enum phase_kind phase; // in which it was
    uint64_t limit_ns;     // OVERDUE
    char how[700];         // "was killed by SIGSEGV"
};

enum recovery_state {
    RECOVERY_NONE,      // nothing was lost
    RECOVERY_LOST,      // a worker was; no probe has begun
    RECOVERY_LOADING,   // a fresh worker loads the probe
    RECOVERY_LAUNCHING, // and launches it
    RECOVERY_STATES
};

enum recovery_event {
    RECOVERY_WORKER_LOST,  // recovery_begin()
    RECOVERY_PROBE_SENT,   // a fresh worker was asked to load the probe
    RECOVERY_PROBE_PASSED, // it answered, and the answer is right
    RECOVERY_PROBE_FAILED, // it answered otherwise, was lost itself, or could not open the device
    RECOVERY_EVENTS
};

// The next step.
enum recovery_step {
    RECOVERY_IMPOSSIBLE, // the event does not fit the state: *e says so
    RECOVERY_AWAIT,      // the next event
    RECOVERY_PROBE,      // have a fresh worker load the probe (RECOVERY_PROBE_SENT)
    RECOVERY_LAUNCH,     // launch the probe
    RECOVERY_ALIVE,      // the device lives: recovery_verdict()
    RECOVERY_DEAD        // the device is lost: recovery_tell_dead()
};

// The culprit, once the device is known to live.
enum verdict {
    VERDICT_NOBODY,
    VERDICT_RETRY,     // the job runs again, alone in a worker
    VERDICT_KEEP,      // the job's result stands
    VERDICT_TIMEOUT,   // the job took too long
    VERDICT_JOB,       // the job: recovery_tell_job()
    VERDICT_REFERENCE, // the reference, which ends everything; and the job, where there is one
    VERDICT_TOO_SLOW,  // preparing takes too long, which ends everything
    VERDICT_UNPREPARED // preparing fails: jobs go on without it and will say what is wrong
};

struct recovery {
    enum recovery_state state;
    struct loss loss;
    uint32_t failures;       // of the probe, since the loss
    uint32_t prepare_deaths; // so often preparing was what a worker was lost with
    const struct log *log;   // (or NULL) hears of every event
};

enum recovery_step recovery_begin(struct recovery *r, const struct loss *loss, struct error *e);
enum recovery_step recovery_event(struct recovery *r, enum recovery_event event, struct error *e);
// Is a probe at the bench?
bool recovery_is_probing(const struct recovery *r);
// The job that may be to blame is given up; whether the device lives is still to be seen.
void recovery_give_up_job(struct recovery *r);

// After RECOVERY_ALIVE. *job_deaths: so often the job was alone with a worker that was lost.
enum verdict recovery_verdict(struct recovery *r, uint32_t *job_deaths);
// The message of a job that is to blame, and the status of its result.
enum status recovery_tell_job(const struct loss *l, struct text *out);

// After RECOVERY_DEAD: the result of the job that ran last (NULL: none did), which is stored so
// that it is not tried again unasked; and the error that ends everything. `why`: how the probe failed.
void recovery_fail_lost(const struct loss *l, struct result *r);
void recovery_tell_dead(const struct loss *l, const char *configuration, const char *why,
                        struct text *out);
