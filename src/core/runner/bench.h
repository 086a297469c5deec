// The bench: the one worker of a device that loads, launches and measures, one request at a time.
//
// Its owner asks for one thing, polls the worker, hands over what it says, and gets the answer. The
// bench knows what is loaded; it decides neither what comes next nor who is to blame for a death.
#pragma once

#include "runner/remote.h"

#define BENCH_OPENING_REQUESTS 2 // hello, open: of every worker

// A job that goes to the bench; part of its owner's struct.
struct bench_job {
    const struct job *job;
    const struct image *image;
    uint32_t handle;      // no other job's
    uint32_t loaded_in;   // the worker that has it loaded, by number; 0: none had
    uint32_t verified_in; // and that has launched and checked it
    struct result
        *prefetched;  // (or NULL) of a load that nobody waited for: bench_take_prefetched()
    bool was_refused; // such a load was: it is loaded again when it is asked for, and then tells
};

// States of the bench worker, by the request that it serves.
#define BENCH_STATES_X(X)                                                                          \
    X(NONE, "there is none")                                                                       \
    X(IDLE, "nothing is asked of it")                                                              \
    X(PREPARING, "it makes inputs and reference")                                                  \
    X(LOADING, "it loads a job")                                                                   \
    X(VERIFYING, "it launches a job to verify it")                                                 \
    X(MEASURING, "it measures a job")                                                              \
    X(HANDING, "it hands out what a job has left")

enum bench_state {
#define X(name, text) BENCH_##name,
    BENCH_STATES_X(X)
#undef X
        BENCH_STATES
};

#define BENCH_EVENTS_X(X)                                                                          \
    X(STARTED, "it was started")                                                                   \
    X(PREPARE, "it was asked to prepare")                                                          \
    X(LOAD, "it was asked to load a job")                                                          \
    X(VERIFY, "it was asked to verify a job")                                                      \
    X(MEASURE, "it was asked to measure a job")                                                    \
    X(HAND_OUT, "it was asked to hand out what a job has left")                                    \
    X(ANSWERED, "it answered")                                                                     \
    X(PREFETCHED, "it answered for a load beside a launch")                                        \
    X(UNAWAITED,                                                                                   \
      "it answered what nobody waits for") /* an unloading, a load that was forgotten */           \
    X(ENDED, "it was ended")

enum bench_event {
#define X(name, text) BENCH_##name,
    BENCH_EVENTS_X(X)
#undef X
        BENCH_EVENTS
};

// The table: where an event leads to; false where it cannot happen.
bool bench_transition(enum bench_state from, enum bench_event event, enum bench_state *to);

struct bench_options {
    struct worker_setup setup;
    bool takes_spare;        // the spare serves as the worker, where it is there
    struct spare *spare;     // (or NULL) as live_options.at says
    uint32_t renewed_after;  // jobs
    bool is_apart;           // references are another worker's: it is told of none
    struct endings *endings; // gets workers that are ended
};

struct bench;

struct bench *bench_new(const struct bench_options *o); // NULL: no memory
void bench_free(struct bench *b);                       // ends the worker

// The next worker has empty caches (worker_caches.empty), or (NULL) those that the setup names; one
// that is idle and has the others is ended.
void bench_use_caches(struct bench *b, const char *empty);
// There is a worker, an old or a new one. False: nothing can go on.
bool bench_ready(struct bench *b, struct error *e);
// Ends the worker: nothing is loaded any more, no answer comes.
void bench_end(struct bench *b);
enum bench_state bench_state(const struct bench *b);
// For polling; its phase says what the worker is about.
struct remote *bench_worker(struct bench *b);

// Requests, each of a bench that is idle, and each answered once. False: nothing can go on.
bool bench_prepare(struct bench *b, const struct job *job, struct error *e);
bool bench_load(struct bench *b, struct bench_job *j, struct error *e);
// Loads what will be asked for next; nobody waits for that: see bench_take_prefetched().
bool bench_prefetch(struct bench *b, struct bench_job *next, struct error *e);
// `next` (or NULL) is prefetched while the launch runs, or right after it.
bool bench_verify(struct bench *b, const struct bench_job *j, const struct policy *policy,
                  struct bench_job *next, struct error *e);
bool bench_measure(struct bench *b, const struct bench_job *j, const struct policy *policy,
                   struct error *e);
// The outputs of its last launches come as parts (NEWS_PART) before the answer: of launch `which` modulo those of a block.
bool bench_hand_out(struct bench *b, const struct bench_job *j, uint64_t which, struct error *e);
// At any time; a job that is not loaded is left alone.
void bench_unload(struct bench *b, struct bench_job *j);
// Blocks until answered: `verb` is OUTPUT, BINARY or PTX, of a job that is loaded.
bool bench_fetch(struct bench *b, const struct bench_job *j, enum verb verb, uint32_t index,
                 struct text *out, struct error *e);

// Handles news from the worker. If it answers a request, *answer is set, and *asked to the state of
// that request. False: the evaluation cannot go on.
bool bench_news(struct bench *b, enum news news, const struct frame *f, struct result **answer,
                enum bench_state *asked, struct error *e);

// Is this REPLY_ERROR a word on the opening, or on a request that may make no sense? Else the worker
// breaks the protocol: of launches, and unasked, it has nothing to refuse.
bool bench_refuses(const struct bench *b, const struct frame *f);

bool bench_has(const struct bench *b, const struct bench_job *j);          // it is loaded
bool bench_has_verified(const struct bench *b, const struct bench_job *j); // and was verified
void bench_note_verified(const struct bench *b, struct bench_job *j);
// A load beside a launch is still to be answered for.
bool bench_is_prefetching(const struct bench *b);
// The result of such a load of `j`, once; NULL where there is none. The load of one that failed is
// forgotten: it is loaded again, and then tells.
struct result *bench_take_prefetched(const struct bench *b, struct bench_job *j);
// j goes away.
void bench_forget(struct bench *b, struct bench_job *j);

// A job has come to its end in this worker.
void bench_note_served(struct bench *b);
// It has served its time, or its memory has doubled: shall another one take its place?
bool bench_is_worn(const struct bench *b);
