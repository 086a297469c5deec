// Private to the live evaluator: its state, shared by live.c (the operations, the loop),
// live_entries.c (the jobs and their stages), live_frames.c (what workers say), live_build.c (the
// pool of build workers), live_bench.c (the bench worker), live_ahead.c (what is loaded meanwhile),
// live_screen.c (how often), live_turns.c (rounds), live_lost.c (what died, and whether the device
// is alive), live_blame.c (what the surroundings may have caused) and live_clock.c (where the time
// goes).
#ifndef HONE_EVAL_LIVE_H
#define HONE_EVAL_LIVE_H

#include "eval/evaluator.h"
#include "eval/remote.h"

#define LIVE_RENEW_JOBS   1000 // a bench worker is renewed after so many jobs
#define LIVE_START_TRIES  3    // workers that die one after the other before they serve anything
#define LIVE_LOCK_POLL_NS (5ull * 1000000)
// The end of an evaluator waits so long for its workers, all of them together.
#define LIVE_FREE_NS (2ull * 1000000000)
// A work-group run ahead of time, on scratch data, is not the measurement: it gets this long.
#define LIVE_PRIME_NS (2ull * 1000000000)
// Launches that are asked for at once take about so long.
#define LIVE_PIECE_NS (500ull * 1000000)
// A reference's launch may take so many times the limit of a launch.
#define LIVE_REFERENCE_FACTOR 4
// A launch that shall show that the device lives: this long, or so many times what the job took
// when it was known to work; never longer than the limit of a launch.
#define LIVE_PROBE_NS     (10ull * 1000000000)
#define LIVE_PROBE_FACTOR 4
// What the driver is given in a worker that shall show so: as many times what it took before.
#define LIVE_PROBE_PATIENCE 10
// Fresh workers in which the device must fail, one after the other, before it is given up.
#define LIVE_PROBE_TRIES 2

// What a build worker's context takes of a GPU (measured: 550 MiB on an H200), and of how many
// parts of the device's memory all of them may take one.
#define LIVE_CONTEXT_BYTES  (550ull << 20)
#define LIVE_CONTEXTS_SHARE 4
// A driver opens contexts one after the other, however many processes ask at once: 16 on an H200
// each waited 2 to 4 s, one alone 0.3 s. So many at once keep it busy, and the first are soon at
// work.
#define LIVE_OPENING_MOST 2

// Where a job is. Jobs go down this list; a death or timeout may send them back to QUEUED or READY.
enum stage {
    STAGE_QUEUED,    // wants a build worker
    STAGE_BUILDING,  // is in one
    STAGE_DOUBTED,   // its build failed; told when what is at the bench has shown that the device
                     // lives
    STAGE_READY,     // wants the bench worker
    STAGE_LOADING,   // the bench worker has the job and the image
    STAGE_VERIFYING, // its first launch
    STAGE_MEASURING, // its timed launches
    STAGE_DONE,      // its outcome waits to be taken
    STAGE_KEPT,      // taken, not dropped
    STAGE_COUNT
};

struct entry {
    struct entry *next, *previous; // in the list of its stage
    struct entry *chained;         // in its bucket
    uint64_t ticket;
    struct job *job;
    enum stage stage;
    struct result *built;  // what the build found; NULL before
    struct result *result; // grows at the bench; NULL elsewhere
    struct image image;    // in `arena`
    struct arena arena;
    uint32_t handle;      // at the bench worker
    uint32_t loaded_in;   // the bench worker (bench_serial) that has it loaded; 0: none had
    uint32_t verified_in; // and that has launched and checked it
    uint64_t verify_ns;   // its first verified launch
    bool held_against;    // what that left was compared with a reference
    bool prepared;        // exact: its reference was asked for, in a worker of its own
    bool gated;           // gate.enter() let it in
    bool fresh;           // a worker died with it: the next try is in a new one
    bool doubted;         // its build failed without a word: it is built once more, alone
    bool dropped;         // by the caller; lives on as the last job that is known to work
    bool alone;           // what became of it with another in the worker is to be seen again
    struct result *ahead; // (or NULL) of its load beside another's verified launch, in `loaded_in`
    struct gate_known known;
    uint32_t build_deaths, bench_deaths;
    uint32_t turns; // that wait for it. While there are some, nothing else comes of it
};

// All entries: one list a stage (up to READY in the order of submission, then as they came), and an
// index by ticket.
struct entry_list {
    struct entry *first, *last;
    uint32_t count;
};

struct entries {
    struct entry_list stages[STAGE_COUNT];
    struct entry **buckets;
    size_t bucket_count, count;
};

// A turn that waits, or (with its result) one that is done and waits to be taken.
struct pending_turn {
    struct pending_turn *next;
    struct entry *entry;
    struct turn turn;
    struct result *result;
};

struct turn_queue {
    struct pending_turn *first, **last;
};

struct builder {
    struct remote remote;
    struct entry *entry; // (or NULL)
    uint32_t request;    // sequence of its BUILD
};

// How a bench worker was lost.
enum loss_kind {
    LOSS_DIED,    // it ended
    LOSS_REFUSED, // it said that the device is gone
    LOSS_OVERDUE, // it was ended past its limit
    LOSS_FAILED   // it gave a result, but of a launch that the driver refused or broke off
};

// A bench worker was lost: before anybody is blamed or anything else runs, a job that is known to
// work shows in a fresh worker whether the device still lives.
struct loss {
    bool pending;
    enum loss_kind kind;
    enum phase_kind phase; // in which it was
    uint64_t limit_ns;     // OVERDUE
    char how[700];         // "was killed by SIGSEGV"
    bool preparing;
    bool shared;           // the suspect was not alone in it
    struct entry *suspect; // (or NULL) the job it had; keeps its stage, and the gate
    enum { PROBE_NOT_YET, PROBE_LOADS, PROBE_RUNS } step;
    struct entry *probe; // what shows it
    uint32_t failures;   // of the probe
};

struct live {
    struct evaluator base;
    struct live_options o;
    struct device_info device; // texts are the caller's
    struct entries entries;
    struct builder *builders;
    uint32_t builder_limit;

    bool told_left;   // that the default configuration leaves something unwritten
    uint32_t request; // sequence of the request for `current`, or of PREPARE
    uint32_t next_handle;
    uint32_t bench_serial; // counts the bench workers
    struct remote bench;
    struct endings endings; // workers that were killed
    struct entry *current;  // at the bench
    // READY, to be loaded while the verified launch of `current` runs; NULL: none, or the worker
    // has answered.
    struct entry *ahead;
    uint32_t ahead_request; // its sequence
    uint64_t bench_started_ns;
    uint64_t bench_base_bytes; // resident memory after its first job
    uint64_t gate_retry_ns;    // the gate was busy: not before this
    uint64_t best_ns, best_verify_ns;
    // The longest that these took, of those that ended.
    struct {
        uint64_t opening_ns, inputs_ns, checking_ns;
    } took;

    struct turn_queue turns;  // waiting; the first may be at the bench
    struct turn_queue turned; // done

    struct {
        uint64_t at_ns; // up to here the time is booked
        enum evaluator_span span;
        uint32_t busy;        // build workers
        bool started, opened; // a worker was, its device is
        bool storing, sleeping;
        struct evaluator_times times;
    } clock;

    struct loss loss;
    struct entry *good;    // (or NULL) the last job that was correct
    struct entry *probe;   // (or NULL) a job of our own, for when there is none
    uint32_t start_deaths; // workers that died before they served anything, in a row
    uint32_t prepare_deaths;
    bool reference_failed; // see struct evaluator_status
    uint32_t hindered;     // configurations that failed by their surroundings, in a row
    char *folders;         // (or NULL) that workers write to, one a line

    bool paused;    // builders are stopped while the device measures
    bool preparing; // PREPARE is under way
    bool prepared;
    bool hold;       // the lock is kept between turns
    bool locked;     // for turns
    bool host_clock; // the device's was found wrong: workers are told to leave it alone
    bool cancelled;
    struct error broken; // why nothing can go on
};

// live.c
void live_done(struct live *v, struct entry *n); // n->result is complete
// Ends what an entry was doing with a failure of its own.
void live_fail(struct live *v, struct entry *n, enum status status, uint64_t limit_ns,
               const char *message);
bool live_break(struct live *v, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// live_frames.c
// Reads what has come and handles it (`b`: of which builder; NULL: of the bench). False when the
// worker is gone.
bool live_serve(struct live *v, struct remote *r, struct builder *b);
// Sets the limit for the phase the worker has just announced.
void live_limit_phase(struct live *v, struct remote *r);
// Payload helpers: a fresh text with the codec bytes appended by the caller.
void live_put_job(struct text *payload, const struct job *job);
// Sends the bench worker the contents that the job names, unless it has them.
bool live_give(struct live *v, const struct job *job);
void live_put_policy(struct text *payload, const struct policy *policy);
// Decodes a REPLY_RESULT; NULL breaks the evaluator.
struct result *live_reply_result(struct live *v, const struct frame *f);

// live_entries.c
// Takes the job, also on failure. Belongs to no stage and no ticket yet.
struct entry *entry_new(struct live *v, struct job *job);
bool entry_add(struct entries *all, struct entry *n, uint64_t ticket); // QUEUED
struct entry *entry_find(const struct entries *all, uint64_t ticket);
void entry_stage(struct entries *all, struct entry *n, enum stage stage);
uint32_t entry_count(const struct entries *all, enum stage from, enum stage to);
// Takes it out of everything; it lives on while it is the last job that is known to work.
void entry_remove(struct live *v, struct entry *n);
void entry_free(struct entry *n); // NULL is fine
// It has shown that it works.
void entry_is_good(struct live *v, struct entry *n);
void entries_release(struct live *v);

// live_build.c
bool live_opens_contexts(const struct device_info *d); // each build worker does, on a GPU
void live_builders_start(struct live *v);              // hands queued jobs to workers
void live_builds_tell(struct live *v);                 // those that failed, unless that is in doubt
void live_builder_frame(struct live *v, struct builder *b, const struct frame *f);
void live_builder_died(struct live *v, struct builder *b, const char *how);
void live_builder_overdue(struct live *v, struct builder *b);
void live_builders_pause(struct live *v, bool pause);
void live_builders_settle(struct live *v); // as is right while nothing is measured

// live_bench.c
void live_bench_start(struct live *v); // gives the bench its next job
void live_bench_frame(struct live *v, const struct frame *f);
void live_bench_phase(struct live *v); // it has announced one
void live_bench_unload(struct live *v, struct entry *n);
void live_bench_forget(struct live *v); // ends the worker; nothing is loaded any more
bool live_bench_ready(struct live *v);  // there is a worker, an old or a new one
bool live_bench_has(const struct live *v, const struct entry *n);
void live_bench_begin(struct live *v, struct entry *n); // load, verify, or measure: what is next
void live_bench_finish(struct live *v, struct entry *n, enum stop_reason stop);
// Takes the payload.
bool live_bench_send(struct live *v, enum verb verb, struct text *payload);
void live_put_load(struct text *payload, const struct entry *n);
void live_send_load(struct live *v, const struct entry *n);
void live_send_verify(struct live *v, const struct entry *n);
void live_request_measure(struct live *v, struct entry *n, const struct policy *policy);
// No more than takes LIVE_PIECE_NS, at least one: a request cannot be taken back.
uint32_t live_in_pieces(const struct entry *n, const struct policy *policy, uint32_t samples);
// Leaves the gate without a result.
void live_leave_gate(struct live *v, struct entry *n);
// What the gate said: true when it is open. A closed one is tried again in a moment.
bool live_gate_open(struct live *v, enum gate_answer answer);
bool live_gate_rests(struct live *v); // it was closed a moment ago

// live_ahead.c
// What to load while `current` is verified, or NULL; then, behind that request, its LOAD (taken).
struct entry *live_ahead_choose(const struct live *v);
void live_ahead_send(struct live *v, struct entry *next, struct text *load);
bool live_ahead_frame(struct live *v, const struct frame *f); // false: it is no answer to that
// It is one, and that launch goes on.
bool live_ahead_beside(const struct live *v, const struct frame *f);
// n's turn has come: when its load is still to be answered for, that becomes the answer it waits
// for.
bool live_ahead_awaited(struct live *v, const struct entry *n);
// n is removed; NULL: the worker has gone. Nobody waits for the answer any more.
void live_ahead_forget(struct live *v, const struct entry *n);
// n begins at the bench: what its load found goes into its result. False on failure.
bool live_ahead_take(struct live *v, struct entry *n);

// live_blame.c
// Looks at the complete result of n: one that the surroundings may have caused is marked. False
// when nothing can go on because of them; the result is then not told.
bool live_blame(struct live *v, struct entry *n);
// Workers die while they open the device, or a worker and those after it die: is a full disk the
// reason? Then it is told as such.
void live_opening_failed(struct live *v, const char *how);
bool live_blames_disk(struct live *v, const char *doing, const char *said);
// A build that failed without saying why, or by its surroundings: it is tried once more.
bool live_build_is_doubtful(const struct result *r);

// live_screen.c
void live_screen(struct live *v, struct entry *n); // verified, or with new samples

// live_clock.c: books the time that has passed; called wherever what is done may have changed.
void live_clock(struct live *v);
void live_clock_sleeping(struct live *v, bool sleeping); // from now on in poll(), or not
void live_clock_storing(struct live *v, bool storing);

// live_turns.c
bool live_turn_add(struct live *v, struct entry *n, const struct turn *turn);
void live_turn_start(struct live *v);                  // brings the first turn's job to the bench
void live_turn_go_on(struct live *v, struct entry *n); // verified, or measured a piece
void live_turn_done(struct live *v, struct entry *n);  // n->result is complete
bool live_turn_take(struct live *v, struct outcome *out);
bool live_turns_quiet(const struct live *v); // a held round goes on: nothing else shall run
void live_turns_unlock(struct live *v);      // unless the lock is held, or a turn is at the bench
// Forgets the turns of an entry that wait; with `done` also those that wait to be taken.
void live_turns_forget(struct live *v, struct entry *n, bool done);
void live_turns_cancel(struct live *v);
void live_turns_release(struct live *v);

// live_lost.c
void live_bench_died(struct live *v, const char *how);
void live_bench_overdue(struct live *v);
// The reply to a request of `n` (NULL: of PREPARE) that makes the device doubtful.
void live_bench_doubt(struct live *v, struct entry *n, enum loss_kind kind, const char *message);
void live_probe_start(struct live *v);
void live_probe_frame(struct live *v, const struct frame *f);
void live_probe_failed(struct live *v, const char *why); // its worker has been ended
uint64_t live_probe_limit(const struct live *v);         // of its launch
// Of what is no job's own doing and usually may take `limit`; `took` before, 0: not known.
uint64_t live_driver_limit(const struct live *v, const struct remote *r, uint64_t limit,
                           uint64_t took);
// The job that may have lost the worker is given up; whether the device lives is still to be seen.
void live_lost_give_up(struct live *v, struct entry *n);

#endif
