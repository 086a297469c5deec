// The pool of build workers: makes images of jobs, several at once, ahead of the bench.
//
// A build is handed over by build_pool_add() and comes back from build_pool_take(), unless it is
// forgotten. The pool retries what a worker's death or the surroundings may have spoilt. It sees
// neither the bench nor what comes of a job after its build.
#pragma once

#include "runner/remote.h"

// A driver opens contexts one after the other, however many processes ask at once. So many at once keep it busy, and the first are
// soon at work: those that started the driver already, and others, which have yet to.
#define BUILD_POOL_OPENING_WOKEN 2
#define BUILD_POOL_OPENING_MOST  3

// One job's way through the pool; part of its owner's struct.
struct build {
    const struct job *job;
    uint64_t order; // earlier ones are built first
    bool is_urgent; // before all that are not
    // The outcome: the worker's result, or a failure if it died; NULL if only running the job ahead
    // of time failed, which the bench worker then reports.
    struct result *result;
    struct image image; // its bytes are in `arena`
    struct arena arena;
    // The pool's own.
    struct build *next; // in one of its queues
    uint32_t deaths;    // workers that died while they built it
    bool was_killed;    // the last of them by somebody else
    bool is_fresh;      // a worker died with it: the next try is in a new one
    // It failed without a word, or a worker died with it: once more, alone and with empty caches.
    bool is_doubted;
    bool has_empty_caches; // the worker that built it had
    struct digest code;    // with build_pool_options.shares: of its programs and launches
    bool has_code;
};
void build_release(struct build *b);

// States of a build worker.
#define BUILDER_STATES_X(X)                                                                        \
    X(NONE, "there is none")                                                                       \
    X(OPENING, "it opens the device")                                                              \
    X(AWAITED, "it opens the device, and has a job already")                                       \
    X(IDLE, "it is idle")                                                                          \
    X(BUILDING, "it builds")                                                                       \
    X(PRIMING, "it runs a work-group ahead of time")                                               \
    X(RUNNING, "it launches ahead of time") /* what it has built */                                \
    X(DISOWNED, "it builds for nobody")     /* the job was forgotten */

enum builder_state {
#define X(name, text) BUILDER_##name,
    BUILDER_STATES_X(X)
#undef X
        BUILDER_STATES
};

// Events of a build worker.
#define BUILDER_EVENTS_X(X)                                                                        \
    X(STARTED, "it was started")                                                                   \
    X(GIVEN, "it was given a job")                                                                 \
    X(FORSAKEN, "its job was forgotten")                                                           \
    X(OPENED, "it says that it has opened the device")                                             \
    X(SAYS_IDLE, "it says that it is between two phases")                                          \
    X(SAYS_OPENING, "it says that it opens the device")                                            \
    X(SAYS_BUILDING, "it says that it builds")                                                     \
    X(SAYS_PRIMING, "it says that it runs a work-group ahead of time")                             \
    X(SAYS_RUNNING, "it says that it launches")                                                    \
    X(ANSWERED, "it answered")                                                                     \
    X(DIED, "it died")                                                                             \
    X(LOST, "its machine was lost")                                                                \
    X(OVERDUE, "it is past its limit")                                                             \
    X(ENDED, "it was ended")

enum builder_event {
#define X(name, text) BUILDER_##name,
    BUILDER_EVENTS_X(X)
#undef X
        BUILDER_EVENTS
};

// The table: where an event leads to; false where it cannot happen.
bool builder_transition(enum builder_state from, enum builder_event event, enum builder_state *to);

// A machine that builds.
struct build_site {
    struct worker_setup setup;
    uint32_t workers; // at most
    bool stops;       // workers are stopped while the pool is paused: cores are shared
};

struct build_pool_options {
    const struct build_site *sites; // copied; the first are asked first
    uint32_t site_count;
    bool opens_one_by_one; // opening the device takes long, and longer at once
    bool shares; // jobs of the same programs and launches are built once, for all that wait
    uint64_t build_limit_ns;      // 0: none
    struct spare *spare;          // (or NULL) its builders serve at the last site
    struct endings *endings;      // gets the workers that are ended
    struct worker_caches *caches; // (or NULL) left once a build is the better for empty ones
};

struct build_pool_status {
    uint32_t waiting, building; // builds
    uint32_t running;           // workers
    uint32_t busy;              // of them are building, and not stopped
};

struct build_pool;

struct build_pool *build_pool_new(const struct build_pool_options *o); // NULL: no memory
void build_pool_free(struct build_pool *p);                            // ends the workers

void build_pool_add(struct build_pool *p, struct build *b);
void build_pool_forget(struct build_pool *p, struct build *b);
// Ends all workers and forgets all builds.
void build_pool_cancel(struct build_pool *p);
// Hands what waits to workers, starting them as they are needed, unless the pool is paused.
// `others_opening`: so many other workers open the device now.
bool build_pool_start(struct build_pool *p, uint32_t others_opening, struct error *e);
// While it is paused nothing is begun and nothing goes on at sites that `stop`.
void build_pool_pause(struct build_pool *p, bool pause);
// A build that has come to its end, or NULL.
struct build *build_pool_take(struct build_pool *p);
void build_pool_status(const struct build_pool *p, struct build_pool_status *out);

// Its workers, 0 .. build_pool_workers()-1, running or not: their owner polls them, and tells the pool of what
// they say and of their ends. False: nothing can go on.
uint32_t build_pool_workers(const struct build_pool *p);
struct remote *build_pool_worker(struct build_pool *p, uint32_t index);
uint32_t build_pool_site(const struct build_pool *p, uint32_t index); // of a worker
// Nothing is built there any more: what was is given to others, and is nobody's fault.
void build_pool_leave(struct build_pool *p, uint32_t site);
bool build_pool_news(struct build_pool *p, uint32_t index, enum news news, const struct frame *f,
                     struct error *e);
// *was_opening: it died before it had opened the device.
bool build_pool_died(struct build_pool *p, uint32_t index, const char *how, bool *was_opening,
                     struct error *e);
bool build_pool_overdue(struct build_pool *p, uint32_t index, struct error *e);
