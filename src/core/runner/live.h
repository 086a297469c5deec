// Private to the live evaluator, the coordinator of build pool, bench and recovery: none of these
// knows another, and each is told by it what concerns it. Its state is shared by live.c (the
// operations, the loop), live_entries.c (the jobs and their stages), live_measure.c (what the bench
// does next, and what comes of its answers), live_caches.c (with which caches), live_images.c (what was measured as another job
// already), live_screen.c (how often), live_turns.c (rounds),
// live_recovery.c (what is done when the bench worker is lost) and live_clock.c (where the time
// goes).
#pragma once

#include "base/random.h"
#include "runner/bench.h"
#include "runner/build_pool.h"
#include "runner/evaluator.h"
#include "runner/recovery.h"
#include "runner/surroundings.h"
#include "runner/verifier.h"

#define LIVE_START_TRIES 3 // workers that die one after the other before they serve anything

// Where a job is. Jobs go down this list; a death or timeout may send them back to READY.
enum stage {
    STAGE_BUILDING, // with the build pool
    STAGE_DOUBTED,  // its build failed; told when what is at the bench has shown that the device
                    // lives
    STAGE_READY,    // wants the bench
    STAGE_AT_BENCH, // is loaded, verified or measured
    STAGE_DONE,     // its outcome waits to be taken
    STAGE_KEPT,     // taken, not dropped
    STAGE_COUNT
};

struct entry {
    struct entry *next, *previous; // in the list of its stage
    struct entry *chained;         // in its bucket
    uint64_t ticket;
    struct job *job;
    enum stage stage;
    struct build build;
    struct bench_job bench;
    struct result *result;    // grows at the bench; NULL elsewhere
    uint64_t verify_ns;       // its first verified launch
    bool prepared;            // simulated: its reference was asked for, in a worker of its own
    bool admitted;            // admission.enter() let it in
    bool is_verified_at_work; // the device had launched just before
    bool alone;               // what became of it with another in the worker is to be seen again
    struct admission_known known;
    bool has_built_key;
    struct digest built_key; // job_built_key()
    uint32_t bench_deaths;
    bool was_killed; // at the last of them, by somebody else
    uint32_t turns;  // that wait for it. While there are some, nothing else comes of it
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

// Results by job_built_key(): jobs with equal keys are the same work.
struct measured_image {
    struct measured_image *next; // in its bucket
    struct digest key;
    struct result *result; // without what its own build and its own time were
};

#define IMAGE_BUCKETS 4096

struct measured_images {
    struct measured_image *buckets[IMAGE_BUCKETS];
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

struct live {
    struct evaluator base;
    struct live_options o;
    struct device_info device; // texts are the caller's
    struct worker_limits limits;
    struct entries entries;
    struct measured_images *images; // (or NULL) of jobs that may answer for others
    struct endings endings;         // workers that were killed
    struct build_pool *pool;
    struct bench *bench;
    struct recovery recovery;
    struct surroundings surroundings;
    struct worker_caches caches;
    bool told_caches; // that they are left
    uint32_t pool_workers;
    // Machines that build beside the device's own; each is the pool's site of the same number.
    struct live_builder {
        const char *name;
        struct node *node;     // NULL: this machine
        uint32_t start_deaths; // as below
        bool is_left;
    } builders[LIVE_BUILDERS_MOST];
    uint32_t builder_count;
    uint64_t looked_ns; // when it was last looked whether one of their nodes was lost
    uint32_t next_handle;
    uint32_t start_deaths; // workers that died before they served anything, in a row

    struct entry *current; // at the bench
    struct entry *suspect; // (or NULL) the job that a lost bench worker had
    struct entry
        *probing; // (or NULL) own_probe, while it shows in a fresh one that the device lives
    struct entry *own_probe;  // (or NULL) a job of our own to probe with
    struct entry *proof;      // (or NULL) another, in no list: it shows whether anything builds
    struct turn_queue turns;  // waiting; the first may be at the bench
    struct turn_queue turned; // done

    uint32_t lock_news; // of the node, when it was last looked at
    uint32_t crowd;     // most threads of others that ran at the end of a launch of this job
    uint64_t admission_retry_ns; // admission was refused: not before this
    uint64_t best_verify_ns;
    enum reference_state reference;
    bool told_left;        // that the default configuration leaves something unwritten
    bool told_inputs;      // that other inputs cannot be tried
    bool prepared;         // inputs and reference were made
    bool hold;             // the lock is kept between turns
    bool locked;           // for turns
    uint64_t requested_ns; // when the launches under way were asked for
    uint64_t at_work_ns;   // until then the device's clock is as the last timed launches left it
    bool host_clock;       // the device's was found wrong: workers are told to leave it alone
    struct { // what becomes of outputs that are compared by another worker (live_apart.c)
        struct verifier *verifier; // (or NULL) they are not
        pid_t pid;                 // its worker's
        uint64_t used_ns;          // processor time of that one
        uint64_t ended_ns;         // and of those before it
        struct rng rng;
        enum bench_state of; // VERIFYING or MEASURING: the launches that left them
        uint64_t left;       // bytes that may still come of them
        uint64_t inputs;     // of the last timed launches, as struct policy has it
        bool is_wanted;      // what they left is to be compared
        bool awaits;         // a comparison
        bool is_torn;        // parts of the outputs went to a verifier that died
        uint32_t deaths;     // of verifiers in a row
    } apart;
    bool cancelled;
    bool unsettled;      // the last step heard something: the next one makes something of it
    struct error broken; // why nothing can go on

    struct {
        uint64_t at_ns; // up to here the time is booked
        enum evaluator_span span;
        uint32_t busy;        // build workers
        bool started, opened; // a worker was, its device is
        bool storing, sleeping;
        struct evaluator_times times;
    } clock;
};

// live.c
void live_done(struct live *v, struct entry *n); // n->result is complete
// Ends what an entry was doing with a failure of its own.
void live_fail(struct live *v, struct entry *n, enum status status, uint64_t limit_ns,
               const char *message);
// Nothing can go on. Returns false.
bool live_break(struct live *v, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Likewise, because what all results are held against cannot be made.
bool live_break_reference(struct live *v, enum reference_state state, enum error_code code,
                          const char *text);
// A worker died while it opened the device.
void live_opening_died(struct live *v, const char *how);
void live_settle_pool(struct live *v); // the pool's workers go on, unless a held round does

// live_entries.c
// Takes the job, also on failure. Belongs to no stage and no ticket yet.
struct entry *entry_new(struct live *v, struct job *job);
bool entry_add(struct entries *all, struct entry *n, uint64_t ticket); // BUILDING
struct entry *entry_of_build(struct build *b);
// Its configuration, for messages.
const char *entry_name(const struct entry *n);
struct entry *entry_find(const struct entries *all, uint64_t ticket);
void entry_stage(struct entries *all, struct entry *n, enum stage stage);
uint32_t entry_count(const struct entries *all, enum stage from, enum stage to);
// Takes it out of everything, and frees it.
void entry_remove(struct live *v, struct entry *n);
void entry_free(struct entry *n); // NULL is fine
void entries_release(struct live *v);

// live_apart.c
bool live_apart_open(struct live *v, const struct worker_setup *own, struct error *e);
bool live_is_apart(const struct live *v, const struct job *j);
// Changes the policy for a worker that has no reference, and draws whether the launches' outputs are compared.
void live_apart_policy(struct live *v, const struct job *j, struct policy *p);
// Asks for what launches (`of`: VERIFYING, MEASURING) left, if it is to be compared; false: it is not, or *v is broken.
bool live_hand_out(struct live *v, struct entry *n, enum bench_state of);
void live_take_part(struct live *v, const struct frame *f);
void live_handed(struct live *v, struct entry *n); // all of it
void live_serve_verifier(struct live *v);
void live_verifier_died(struct live *v, const char *how);
void live_apart_forget(struct live *v); // the job at the bench is gone
// The verifier is another process on the machine, but none that disturbs launches.
void live_apart_leave_out(struct live *v, struct machine_snapshot *m);

// live_measure.c
// Launches are answered for, and compared where they are.
void live_launched(struct live *v, struct entry *n, enum bench_state asked);
// A comparison is answered for; takes r.
void live_compared(struct live *v, enum bench_state asked, struct result *r);
void live_bench_start(struct live *v); // gives the bench its next job
void live_bench_answered(struct live *v, enum bench_state asked, struct result *r); // takes r
void live_bench_unload(struct live *v, struct entry *n);
void live_bench_begin(struct live *v, struct entry *n); // load, verify, or measure: what is next
void live_bench_finish(struct live *v, struct entry *n, enum stop_reason stop);
// Verifies a job, nothing else running beside it where that is to be timed.
void live_request_measure(struct live *v, struct entry *n, const struct policy *policy);
// No more than takes half a second, at least one: a request cannot be taken back.
uint32_t live_in_pieces(const struct entry *n, const struct policy *policy, uint32_t samples);
// Gives its admission back without a result.
void live_leave_admission(struct live *v, struct entry *n);
// Handles the answer to a request for admission: true if it was granted. A refused request is
// repeated in a moment.
bool live_admission_open(struct live *v, enum admission_answer answer);
bool live_admission_rests(struct live *v); // it was refused a moment ago

// live_caches.c
void live_caches_init(struct live *v);
// Has the bench's next worker use empty caches, or those that there are, whichever the next job needs.
void live_choose_caches(struct live *v, const struct entry *next);
// A job that a worker died with works in this one: with empty caches, the others are left.
void live_judge_caches(struct live *v);
void live_tell_caches(struct live *v); // once, that they are left

// live_images.c
void live_image_built(struct live *v, struct entry *n);
// An entry is done: its result may answer for others.
void live_image_measured(struct live *v, const struct entry *n);
// Is it the same work as `other`, or as one that is done? Then there is nothing to load.
bool live_image_is_measured(const struct live *v, const struct entry *n, const struct entry *other);
// Takes such a result for this entry, which is done then; true where there was one.
bool live_image_answer(struct live *v, struct entry *n);
void live_images_free(struct measured_images *images); // NULL is fine

// live_screen.c
void live_screen(struct live *v, struct entry *n); // verified, or with new samples
// A launch has just ended: counts what runs beside it. `own`: threads of hone's own that run now.
void live_note_crowd(struct live *v, uint32_t own);

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

// live_recovery.c
void live_bench_died(struct live *v, const char *how);
void live_bench_overdue(struct live *v);
// The reply to a request (`asked`) that makes the device doubtful.
void live_bench_doubt(struct live *v, enum bench_state asked, enum loss_kind kind,
                      const char *message);
void live_probe_start(struct live *v);
void live_probe_answered(struct live *v, const struct result *r);
void live_probe_failed(struct live *v, const char *why); // ends its worker
// The job that may have lost the worker is given up; whether the device lives is still to be seen.
void live_give_up_suspect(struct live *v, struct entry *n);
