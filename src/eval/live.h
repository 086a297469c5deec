// Private to the live evaluator: its state, shared by live.c (entries, the loop), live_build.c (the
// pool of build workers) and live_bench.c (the bench worker).
#ifndef HONE_EVAL_LIVE_H
#define HONE_EVAL_LIVE_H

#include "eval/evaluator.h"
#include "eval/remote.h"

#define LIVE_RENEW_JOBS   1000 // a bench worker is renewed after so many jobs
#define LIVE_START_TRIES  3    // workers that die one after the other before they serve anything
#define LIVE_LOCK_POLL_NS (5ull * 1000000)
// A work-group run ahead of time, on scratch data, is not the measurement: it gets this long.
#define LIVE_PRIME_NS (2ull * 1000000000)
// Launches that are asked for at once take about so long.
#define LIVE_PIECE_NS (500ull * 1000000)
// A reference's launch may take so many times the limit of a launch.
#define LIVE_REFERENCE_FACTOR 4

// Where a job is. Jobs go down this list; a death or timeout may send them back to QUEUED or READY.
enum stage {
    STAGE_QUEUED,    // wants a build worker
    STAGE_BUILDING,  // is in one
    STAGE_READY,     // wants the bench worker
    STAGE_LOADING,   // the bench worker has the job and the image
    STAGE_VERIFYING, // its first launch
    STAGE_MEASURING, // its timed launches
    STAGE_DONE,      // its outcome waits to be taken
    STAGE_KEPT       // taken, not dropped
};

struct entry {
    struct entry *next;
    uint64_t ticket;
    struct job *job;
    enum stage stage;
    struct result *built;  // what the build found; NULL before
    struct result *result; // grows at the bench; NULL elsewhere
    struct image image;    // in `arena`
    struct arena arena;
    uint32_t handle; // at the bench worker
    bool loaded;     // the bench worker has it
    bool verified;   // has been launched and checked in its present worker
    bool prepared;   // exact: its reference was asked for, in a worker of its own
    bool gated;      // gate.enter() let it in
    bool fresh;      // a worker died with it: the next try is in a new one
    uint32_t build_deaths, bench_deaths;
    uint32_t again; // samples to add to a kept job
    struct gate_known known;
};

struct builder {
    struct remote remote;
    struct entry *entry; // (or NULL)
    uint32_t request;    // sequence of its BUILD
};

struct live {
    struct evaluator base;
    struct live_options o;
    struct device_info device; // texts are the caller's
    struct entry *entries;     // in the order of submission
    struct entry **last;
    uint32_t next_handle;

    struct builder *builders;
    uint32_t builder_limit;
    bool paused; // builders are stopped while the device measures

    struct remote bench;
    struct entry *current; // at the bench
    uint32_t request;      // sequence of the request for `current`
    bool preparing;        // PREPARE is under way (request is its sequence)
    bool prepared;
    uint32_t prepare_deaths;
    uint64_t bench_base_bytes; // resident memory after its first job
    uint64_t gate_retry_ns;    // the gate was busy: not before this
    uint64_t best_ns, best_verify_ns;
    uint32_t start_deaths; // workers that died before they served anything, in a row
    bool cancelled;
    struct error broken; // why nothing can go on
};

struct entry *live_first(struct live *v, enum stage stage);
void live_done(struct live *v, struct entry *n); // n->result is complete
// Ends what an entry was doing with a failure of its own.
void live_fail(struct live *v, struct entry *n, enum status status, uint64_t limit_ns,
               const char *message);
bool live_break(struct live *v, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Sets the limit for the phase the worker has just announced.
void live_limit_phase(struct live *v, struct remote *r);
// Payload helpers: a fresh text with the codec bytes appended by the caller.
void live_put_job(struct text *payload, const struct job *job);
void live_put_policy(struct text *payload, const struct policy *policy);
// Decodes a REPLY_RESULT; NULL breaks the evaluator.
struct result *live_reply_result(struct live *v, const struct frame *f);

// live_build.c
void live_builders_start(struct live *v); // hands queued jobs to workers
void live_builder_frame(struct live *v, struct builder *b, const struct frame *f);
void live_builder_died(struct live *v, struct builder *b);
void live_builder_overdue(struct live *v, struct builder *b);
void live_builders_pause(struct live *v, bool pause);

// live_bench.c
void live_bench_start(struct live *v); // gives the bench its next job
void live_bench_frame(struct live *v, const struct frame *f);
void live_bench_died(struct live *v);
void live_bench_overdue(struct live *v);
void live_bench_unload(struct live *v, struct entry *n);
void live_bench_forget(struct live *v); // ends the worker; nothing is loaded any more

#endif
