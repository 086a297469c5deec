// An evaluator turns jobs into results: live (workers build, verify, measure), cached (live with the
// store and the device's lock around it), several (turns on several devices), farm (equal devices that
// share the work). Everything after the search is the same for all of them.
//
// A job is submitted under a ticket of the caller's choosing and comes back, in any order, as an
// outcome with the same ticket. The evaluator owns the job from submit() until drop(); between
// take() and drop() it may be measured again().
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "model/job.h"
#include "model/policy.h"
#include "model/result.h"
#include "runner/place.h"
#include "stats/rules.h"

struct outcome {
    uint64_t ticket;
    struct result *result; // the caller's: result_free()
    // Set by an evaluator with several devices (runner/farm.h):
    uint32_t place; // which of them measured it
    double
        pace;  // its times are so many times those of the device that all are told by; 0: not known
    bool lost; // of a turn: its device is lost, there is no result
};

// How jobs are to be measured; the same for all jobs of an evaluator.
struct terms {
    struct measure_rules rules;
    uint64_t build_limit_ns;  // POLICY_BUILD_LIMIT_NS
    uint64_t launch_limit_ns; // POLICY_LAUNCH_LIMIT_NS
    bool is_launch_given;     // it holds for a first launch, too, which may still compile
    uint64_t driver_limit_ns; // for what is not done by a job: opening the device, inputs, checks;
                              // 0: the limits of runner/remote.h
    uint64_t lock_wait_ns;    // for the device's lock, held by others; 0: DEVICE_LOCK_WAIT_NS
    uint64_t seed;            // chooses the timed launch of a screening whose output is compared
    bool cold;
    bool audit;  // the check of each output is put to mutants of a right result
    bool energy; // the energy of each job's launches is counted too: half a second each
    // Counters of a launch are taken after all that is timed: of finalists, or of one job that is measured alone.
    bool counters;
};

// The limit of one launch: that of the terms, or, once there is a best (best_ns > 0), what is
// beyond hope: POLICY_BEST_FACTOR times it, at least POLICY_BEST_LEAST_NS.
uint64_t terms_launch_limit(const struct terms *t, uint64_t best_ns);

// An evaluator's time by the activity of the one worker that measures: the spans follow each other
// without a gap. X(NAME, text)
#define EVALUATOR_SPANS(X)                                                                         \
    X(STARTING, "start-up") /* workers started, none had opened the device */                      \
    X(OPENING, "opening")   /* after that, until the one that measures had */                      \
    X(WAITING, "waiting")   /* for builds: it had nothing to do */                                 \
    X(LOCKED, "locked")     /* another process had the device */                                   \
    X(LOADING, "loading")   /* the image */                                                        \
    X(INPUTS, "inputs")     /* made, restored, poisoned */                                         \
    X(REFERENCE, "reference")                                                                      \
    X(VERIFYING, "verifying") /* the verified launch, and what is looked at after launches */      \
    X(MEASURING, "measuring") /* timed launches, warming up included */                            \
    X(STORING, "store")       /* its lock, its questions and its writes */                         \
    X(OWN, "rest")            /* hone itself: choosing, making jobs, printing */

enum evaluator_span {
#define X(name, text) SPAN_##name,
    EVALUATOR_SPANS(X)
#undef X
        SPAN_COUNT
};

struct evaluator_times {
    uint64_t span_ns[SPAN_COUNT];
    // Beside them:
    uint64_t build_wall_ns; // one build worker or more built
    uint64_t build_sum_ns;  // summed over the workers
    uint32_t builders;      // at most at once
};

// State of the reference of all results. Without it the evaluator cannot go on.
enum reference_state {
    REFERENCE_SOUND,  // as far as is known
    REFERENCE_FAILED, // it cannot be made
    REFERENCE_CRASHED // making it ended two workers
};

// An evaluator's activity, for progress displays.
struct evaluator_status {
    uint32_t building; // jobs in build workers now
    uint32_t queued;   // submitted, not yet built
    uint32_t ready;    // built, waiting to be measured
    bool measuring;
    const char *running; // (or NULL) the configuration at the device; until the next step
    const char *waiting; // (or NULL) why nothing is measured: "the device is in use by process 812"
    enum reference_state reference;
    struct evaluator_times times;
};

// Data that can be fetched from a loaded job.
enum fetch {
    FETCH_BUFFER,
    FETCH_BINARY,
    FETCH_PTX // of a program; its binary, where that is PTX or the driver makes none
};

// One turn of a job in a round, or more samples of it alone. What each of its launches left is
// compared with what the reference says.
struct turn {
    uint32_t warmups;  // untimed launches before each sample
    uint32_t launches; // samples; 0: the job is only made ready, as for a turn
    uint32_t batch;    // launches per sample; 0: as the rules say for the job's length
    bool compare;      // the last launch is on other inputs, against the reference of those
    bool energy;       // its energy is counted after the samples
    bool counters;     // what a launch does is counted after that
    uint32_t place;    // the device, of an evaluator with several (runner/farm.h)
};

struct pollfd;

struct evaluator;

struct evaluator_operations {
    // Takes the job, also on failure.
    bool (*submit)(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e);
    // Works until an outcome is there or timeout_ms (0: only what can be done at once) have passed:
    // 1 an outcome, 0 none yet, -1 the evaluator cannot go on (device lost, store unwritable).
    int (*take)(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e);
    // (optional: false) Measures a taken, correct job again: the turn's samples, and nothing else,
    // as one outcome (stop RANKED). Any number of turns may wait, several of one job too; they are
    // served in the order of the calls, before anything else. A job that is not loaded is loaded
    // and verified first. One that was submitted and is not at the bench yet is built for its turns
    // alone, which are then all that comes of it. A job that fails in a turn fails in all that are
    // waiting. Nothing is stored: that is the caller's, with evaluator_keep(). After a cancel()
    // turns may be asked for once idle().
    bool (*again)(struct evaluator *ev, uint64_t ticket, const struct turn *turn, struct error *e);
    // (optional: nothing) From the next turn until hold(false) the device's lock is not given up
    // between turns, and on a device that shares the host nothing is built while turns wait (but
    // what the next turn needs).
    void (*hold)(struct evaluator *ev, bool hold);
    // (optional: nothing) The worker that launches is stopped, so that whatever runs in it disturbs nothing, until rest(false).
    // Nothing is on its way then.
    void (*rest)(struct evaluator *ev, bool rest);
    // (optional: true) Stores a result that the caller put together from turns.
    bool (*keep)(struct evaluator *ev, uint64_t ticket, const struct result *result,
                 struct error *e);
    // Forgets the job. One still on its way is forgotten when it arrives.
    void (*drop)(struct evaluator *ev, uint64_t ticket);
    // How many more submissions are useful now, so that no worker idles.
    size_t (*room)(struct evaluator *ev);
    // (optional: nothing) Ends the search: what is not being measured is forgotten, turns that wait
    // too; what is measured comes back after its present launches, as far as it got. idle() is true
    // once nothing is left.
    void (*cancel)(struct evaluator *ev);
    bool (*idle)(struct evaluator *ev);
    // (optional: nothing) The best time so far, and that of its verified launch (0: not known):
    // what is far behind it may be stopped early.
    void (*best)(struct evaluator *ev, uint64_t ns, uint64_t verify_ns);
    // (optional: zeros)
    void (*status)(struct evaluator *ev, struct evaluator_status *out);
    // (optional: an error) Blocks until answered. A buffer's contents, or a program's binary.
    bool (*fetch)(struct evaluator *ev, uint64_t ticket, enum fetch what, uint32_t index,
                  struct text *out, struct error *e);
    // (optional: false) Of one that cannot go on: may this job be why? It was at the device, or a
    // worker died with it.
    bool (*suspects)(struct evaluator *ev, uint64_t ticket);
    // (optional: nothing) What take() would wait for, for who waits for several evaluators at once:
    // up to `most` descriptors, and *until, which is lowered to the time at which it would look again.
    size_t (*watch)(struct evaluator *ev, struct pollfd *fds, size_t most, uint64_t *until);
    void (*destroy)(struct evaluator *ev);
};

struct evaluator {
    const struct evaluator_operations *ops;
    struct evaluator *inner; // (or NULL) what it wraps: has the optional operations that it lacks
};

bool evaluator_submit(struct evaluator *ev, uint64_t ticket, struct job *job, struct error *e);
int evaluator_take(struct evaluator *ev, int timeout_ms, struct outcome *out, struct error *e);
bool evaluator_again(struct evaluator *ev, uint64_t ticket, const struct turn *turn,
                     struct error *e);
void evaluator_hold(struct evaluator *ev, bool hold);
void evaluator_rest(struct evaluator *ev, bool rest);
bool evaluator_keep(struct evaluator *ev, uint64_t ticket, const struct result *result,
                    struct error *e);
void evaluator_drop(struct evaluator *ev, uint64_t ticket);
size_t evaluator_room(struct evaluator *ev);
void evaluator_cancel(struct evaluator *ev);
bool evaluator_idle(struct evaluator *ev);
void evaluator_best(struct evaluator *ev, uint64_t ns, uint64_t verify_ns);
void evaluator_status(struct evaluator *ev, struct evaluator_status *out);
// Adds that of one of several to theirs.
void evaluator_add_status(struct evaluator *one, struct evaluator_status *out);
bool evaluator_fetch(struct evaluator *ev, uint64_t ticket, enum fetch what, uint32_t index,
                     struct text *out, struct error *e);
bool evaluator_suspects(struct evaluator *ev, uint64_t ticket);
size_t evaluator_watch(struct evaluator *ev, struct pollfd *fds, size_t most, uint64_t *until);
void evaluator_free(struct evaluator *ev); // NULL is fine

// ---- live --------------------------------------------------------------------------------------

enum admission_answer {
    ADMISSION_OPEN,     // measure it; leave() will be called
    ADMISSION_BUSY,     // somebody else has the device: try again in a moment
    ADMISSION_ANSWERED, // *out is the result: nothing to measure; leave() will not be called
    ADMISSION_BROKEN    // an error: the evaluator cannot go on
};

// Samples of a job that are known already, where a fixed count is asked for (rules.fixed). Only the
// rest is measured, in the same batches. The result given to leave() and the outcome then hold the
// new samples alone: whoever said that some are known puts the two together, in what is stored and
// in what is handed out.
struct admission_known {
    uint32_t samples; // less than rules.fixed, else the answer is ADMISSION_ANSWERED
    uint32_t batch;   // launches of each
};

// Stands before the device: takes its lock, and looks whether the answer has come meanwhile.
struct admission {
    enum admission_answer (*enter)(void *context, uint64_t ticket, struct admission_known *known,
                                   struct result **out, struct error *e);
    // After measuring, before the outcome is handed out. `result` NULL: nothing came of it. False:
    // the evaluator cannot go on.
    bool (*leave)(void *context, uint64_t ticket, const struct result *result, struct error *e);
    // (or NULL: always OPEN) The lock alone, for turns: no store is asked, nothing is stored. OPEN,
    // BUSY or BROKEN. Held once; a job that enters and leaves meanwhile does not give it up.
    enum admission_answer (*lock)(void *context, struct error *e);
    void (*unlock)(void *context);
    // (or NULL) Who has the device.
    const char *(*waiting)(void *context);
    void *context;
};

// How many build workers are useful: the cores that are left, one less on a GPU; where each holds a
// context on the device, together no more than a part of its memory.
uint32_t live_default_jobs(const struct node *node, const struct device_info *d);
// Build workers for one of live_options.builders: its `jobs`, else the cores that are left there.
uint32_t live_builder_jobs(const struct place *p);

struct endings;

// Judges what the verified launch of a job left, before it is timed, where no reference can: `data` are
// its buffers, as fill_bytes() counts them; NULL and 0 for those that are not outputs. False makes a wrong
// result of it, with what it wrote to `why` (as snprintf()).
struct judge {
    bool (*is_right)(void *context, const struct job *job, const void *const *data,
                     const size_t *lengths, char *why, size_t size);
    void *context;
};

struct live_options {
    // Where jobs run; its jobs, 0: live_default_jobs(). Its `spare` (optional), a worker that has listed the devices, started
    // likewise, becomes the first bench worker of a GPU, whose driver it has loaded already; those that were woken beside it become
    // the first build workers, where these need the device, or the bench of another. What is taken leaves an empty spare behind,
    // which is the caller's to free.
    struct place at;
    uint32_t builder_count; // LIVE_BUILDERS_MOST at most, of these:
    // (optional) Other machines that build for the device, before its own does; their `device` is not looked at. What one
    // that is lost was building is built by the others. Copied.
    const struct place *builders;
    struct terms terms;
    struct admission admission; // (optional)
    bool build_only;            // outcomes after the build: nothing runs
    bool no_timing;             // outcomes after the verified launch
    // A job that was built to the same code as one that was measured, and is launched alike, gets
    // that one's result (result.same_as) and is not launched.
    bool by_image;
    // The device is a simulator that watches every access (Oclgrind): no guard zones around
    // buffers, and a bench worker serves one job, so that what the simulator says is of that job. A
    // reference that must be launched is made in another.
    bool simulated;
    // A reference that cannot be made fails the job that needs it alone: jobs have references of
    // their own sizes, and those that differ in inputs alone are built once. Otherwise nothing could be verified, and the evaluator
    // breaks off.
    bool own_reference;
    // The calling process ends right after the evaluator: workers are killed and not waited for (an
    // H200's driver takes a second to take down fifteen contexts).
    bool leaving;
    // (optional) Gets the workers that are killed at the evaluator's end, for who reaps them later:
    // nobody waits for them. Nothing is measured while one that it has already is not gone.
    struct endings *endings;
    const struct judge *judge; // (optional) its verdict counts as verified against a reference
    // (optional) The environment, as above, of one more worker: references are its alone, and it compares what the jobs leave, so
    // that a job which does what it likes in its own worker neither sees a reference nor the comparison. On this machine.
    const char *const *apart;
    const struct log *log;
};

#define LIVE_BUILDERS_MOST 64
// The most descriptors of one with so many build workers that evaluator_watch() gives, builders elsewhere included.
#define LIVE_CHANNELS(jobs) (2 * ((size_t)(jobs) + 2) + 1)
// Build workers of one with these options, of all machines.
struct live_options;
uint32_t live_pool_workers(const struct live_options *o);
// The end of an evaluator waits so long for its workers, all of them together.
#define LIVE_FREE_NS (2ull * 1000000000)

struct evaluator *live_new(const struct live_options *o, struct error *e);

// Asks a new worker of the place whether images for the device of another can be made there; the
// error says why not. Blocking, with a limit.
bool live_can_build(const struct place *at, const struct device_info *target, struct error *e);

// Asks a worker for the devices of a place, in an arena of the caller's. Blocking, with a
// limit. `languages` is a set of 1u << language (LANGUAGES_ALL): no driver of another is started.
struct device_report;
// *spare (optional): the worker that answered, for place.spare; NULL where there is none. `wakes`: so many
// more, which start the drivers meanwhile.
bool live_devices(const struct place *at, uint32_t languages, struct arena *a,
                  struct device_report *out, struct spare **spare, uint32_t wakes, struct error *e);
// Asks a new worker what the library of a vendor's routine is (device_routine_about()), blocking,
// with a limit. *about, in the arena, is NULL where the library cannot be opened.
bool live_routine(const struct place *at, enum routine routine, const char *library,
                  struct arena *a, const char **about, struct error *e);
// Has it open a GPU, so that the evaluator need not wait for that; one on another device does not take it then. Waits for
// nothing; what goes wrong the evaluator finds.
void spare_open(struct spare *s, const struct device_info *d);
// A place for live_options.endings. NULL without a spare.
struct endings *spare_endings(struct spare *s);
// Ends it, where no evaluator took it, and waits a moment for its end, and for those that `endings` got. NULL is fine.
void spare_free(struct spare *s);
// The same without waiting.
void spare_leave(struct spare *s);
