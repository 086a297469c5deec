// The library's interface for the program beyond include/hone/hone.h: the structs behind the public
// handles, for reports and for questions that only a command line has.
#ifndef HONE_LIB_ENGINE_H
#define HONE_LIB_ENGINE_H

#include "hone/hone.h"

#include "runner/place.h"
#include "space/space.h"
#include "problem/spec.h"
#include "store/store.h"
#include "store/upkeep.h"
#include "worker/protocol.h"
#include "workflows/benchmark/benchmark.h"
#include "workflows/best.h"
#include "workflows/check/checks.h"
#include "workflows/compare/compare.h"
#include "workflows/peak/peak.h"
#include "workflows/score/score.h"
#include "workflows/sweep/sweep.h"
#include "workflows/tune/tune.h"

// ---- what stands behind a handle ----------------------------------------------------------------

// The same error; both structs say the same.
void engine_error(const struct hone_error *from, struct error *to);

// A spec that was read below the library, as its handle.
struct hone_spec *engine_spec_handle(struct spec *s);
const struct spec *engine_spec(const struct hone_spec *s);
struct store *engine_store(struct hone_store *st);
const struct space *engine_space(const struct hone_space *sp);

// ---- devices ------------------------------------------------------------------------------------

const struct device_report *engine_report(const struct hone_devices *d);
// hone_devices_list() on a node, which outlives it; NULL: on this machine.
struct hone_devices *engine_devices_on(struct node *node, const struct hone_devices_options *o,
                                       struct error *e);
// Where the jobs of one of these devices can run. With keep_worker; the worker that listed them is its spare, which one
// place alone can have.
void engine_place(const struct hone_devices *d, const struct device_info *device, const char *name,
                  struct place *out);
// (or NULL) The worker that listed them, with keep_worker; NULL devices have none.
struct spare *engine_spare(const struct hone_devices *d);
// It is not needed for more.
void engine_drop_worker(struct hone_devices *d);
// live_can_build(): can images for the device of another machine be made by such a worker?
bool engine_can_build(const struct place *builder, const struct device_info *target,
                      struct error *e);
// The entry that a copy of its info was made from; NULL: there is none.
const struct hone_device *engine_device_like(const struct hone_devices *d,
                                             const struct device_info *copy);
// A device whose facts are assumed: spaces know it, nothing runs on it. In the arena; `info` outlives
// it. NULL without memory.
const struct hone_device *engine_assumed_device(const struct device_info *info, struct arena *a);
// The devices of the report that the spec (NULL: whatever) can run on in these languages, in their
// order. A language whose When is false for a device is left out, unless it is the only one or
// nothing else is left: then the job says so. `list` has room for all devices.
size_t devices_usable(const struct device_report *r, const struct spec *spec,
                      const struct spec_languages *languages, struct device_info *list);

// Equal devices that share the work (hone_tune_options.places); `device` of the options is the first's. Places of this
// machine without a worker take that of the options. All of it outlives the workflow.
struct hone_places {
    const struct place *list;
    uint32_t count;
    double outlier;               // as in tune_options
    const struct place *builders; // likewise; with or without places
    uint32_t builder_count;
};

// ---- tunes --------------------------------------------------------------------------------------

// A tune that a recording answers in place of a device: `device` and `store` are NULL. The
// recording outlives it.
struct hone_tune *engine_replay_new(const struct hone_tune_options *o,
                                    const struct recorded *recorded, struct hone_error *e);

// A spec of the recorded parameters alone. The caller's.
struct spec *engine_replay_spec(const struct recorded *recorded, struct error *e);

// Everything that reports show of a tune, as in tune.h.
struct engine_tuned {
    struct tune_progress progress;
    const struct tune_options *options; // what it was made of
    const struct tune_record *const *records;
    size_t count;
    const struct space *space;
    struct digest source;
    enum verification verification;
    const char *against;
};
void engine_tuned(const struct hone_tune *t, struct engine_tuned *out);
// As tune.h says of the functions without engine_.
void engine_tune_speedup(const struct hone_tune *t, struct tune_speedup *out);
const struct tune_record **engine_tune_ranking(const struct hone_tune *t, size_t *count);
bool engine_tune_fetch(struct hone_tune *t, const struct tune_record *record, enum fetch what,
                       uint32_t index, struct text *out, struct error *e);

// As best.h says; the store is an argument, and not that of the options. Of several, which NULL ends, the first answers,
// unless what it knows is older (or nothing) and another one's is nearer to what was asked.
bool engine_best(const struct best_options *o, struct hone_store *const *stores, struct arena *a,
                 struct best_answer *out, bool *found, struct error *e);
bool engine_best_set(const struct best_options *o, struct hone_store *const *stores,
                     struct arena *a, struct best_answer **out, size_t *count, struct error *e);
bool engine_best_all(const struct best_options *o, struct hone_store *st, struct arena *a,
                     struct best_answer **out, size_t *count, struct error *e);
bool engine_best_devices(const struct best_options *o, struct hone_store *st, struct arena *a,
                         struct device_info **out, size_t *count, struct error *e);
void engine_best_release(struct best_answer *answers, size_t count);

// bundle_best(): what of stores goes with a spec when it is shipped.
bool engine_bundle(const char *path, const char *const *files, size_t count,
                   struct store_imported *out, struct error *e);

// ---- other workflows ----------------------------------------------------------------------------
// Their handle is that of a tune: hone_tune_step(), hone_tune_cancel() and hone_tune_free() are for all of them, and
// nothing else of hone_tune_ is. A record is that of the workflow: struct peak_record of one from engine_peak_new().
// Each is made from the options of a tune: device, store, workers, terms.

// Without a spec.
struct hone_tune *engine_peak_new(const struct hone_tune_options *o, struct error *e);
struct engine_peaked {
    struct workflow_progress progress;
    const struct peak *found;
};
void engine_peaked(const struct hone_tune *t, struct engine_peaked *out);
// Looks the device's limits up in the store: peak_find().
bool engine_peak_known(struct hone_store *st, const struct device_info *d, struct arena *a,
                       struct peak *out, struct error *e);

struct hone_tune *engine_score_new(const struct score_options *o, struct error *e);
struct engine_scored {
    struct workflow_progress progress;
    const struct score_mean *means;
    uint32_t count;
};
void engine_scored(const struct hone_tune *t, struct engine_scored *out);

// `how` says what is checked; its setup is that of `o`, unless it names a worker: what builds for a device that is assumed, or
// simulates it. With races_log there is no store, lock, or second worker. All of it outlives the check.
struct hone_tune *engine_check_new(const struct hone_tune_options *o,
                                   const struct check_options *how, struct error *e);
// Everything that reports show of it, as in checks.h; findings are valid until the next step.
struct engine_checked {
    struct check_progress progress;
    const struct check_record *const *records;
    size_t count;
    const struct check_finding *findings;
    size_t finding_count;
    const struct space *space;
    struct digest source;
    enum verification verification;
    const char *against;
};
void engine_checked(const struct hone_tune *t, struct engine_checked *out);

// The job's arrays that have contents before the launch, as NAME.npy in the folder, which is made where there is none, and
// arguments.json with constants, scalars, and the types and counts of arrays. *count: of the arrays.
bool engine_inputs_write(const struct spec *s, const struct job *job, const char *folder,
                         uint32_t *count, struct error *e);
// Runs a program of the user's own with a folder of inputs as its argument, unless its outputs are known, and has the spec
// hold results against the outputs that it leaves there. Blocks as long as the program takes, at most the limit.
struct engine_program {
    const char *path;
    const char *folder; // where its outputs are kept
    uint64_t limit_ns;
    bool fresh;         // whatever is known
    bool (*stop)(void); // (optional) asked while it runs
};
bool engine_reference_by(struct hone_spec *s, const struct hone_device *d,
                         const struct engine_program *p, const struct hone_log *log,
                         struct error *e);

// The command of a worker inside the simulator of data races, in the arena, with the device that it simulates: its limits
// are those of the options, what else restrictions see of it that of the target, where that is a device ("" has no id).
// NULL where it is not installed, or offers none.
const char *const *engine_simulator(const struct races_options *o, const char *const *environment,
                                    const struct device_info *target, struct arena *a,
                                    struct device_info *out, struct error *e);

// `how` says what is compared; its setup is that of `o`, whose device says which workers there are (none if all sides are
// stored), and whose count of launches is for tunes. `top`: in place of how->chosen so many of the fastest of each side that its
// store knows; 0: as `how` says. All of it outlives the comparison.
struct hone_tune *engine_compare_new(const struct hone_tune_options *o,
                                     const struct compare_options *how, uint32_t top,
                                     struct error *e);
// Everything that reports show of it, as in compare.h.
struct engine_compared {
    struct compare_progress progress;
    const struct compare_record *const *records;
    size_t count;
    double level;                  // of its decisions
    const struct compare *compare; // how each side is verified
};
void engine_compared(const struct hone_tune *t, struct engine_compared *out);
// After the end: loads a configuration again on all sides, for which it goes on to a second end.
bool engine_compare_load(struct hone_tune *t, const struct compare_record *record, struct error *e);
// compare_fetch(): the programs of what was loaded.
bool engine_compare_fetch(struct hone_tune *t, uint32_t side, enum fetch what, const char **kernel,
                          struct text *out, struct error *e);
// Tunes of a sweep are made from `tunes`, one a line; of the lines' own only the device is looked at, on which they run.
struct hone_tune *engine_sweep_new(const struct sweep_options *o,
                                   const struct hone_tune_options *tunes, struct error *e);
struct engine_swept {
    struct sweep_progress progress;
    const struct sweep_record *records;
    uint32_t count;
};
void engine_swept(const struct hone_tune *t, struct engine_swept *out);

// `how` says what is measured; its setup is that of `o`, whose spec does not count: each point has its own. All of it outlives
// the bench.
struct hone_tune *engine_bench_new(const struct hone_tune_options *o,
                                   const struct benchmark_options *how, struct error *e);
struct engine_benched {
    struct benchmark_progress progress;
    const struct benchmark_record *records;
    uint32_t count;
    double level; // of its intervals together
};
void engine_benched(const struct hone_tune *t, struct engine_benched *out);

// stored_run() of a side's store.
bool engine_stored_run(struct hone_store *st, const char *wanted, const struct spec *spec,
                       struct arena *a, struct stored *out, struct error *e);
void engine_stored_release(struct stored *s);

// The store's name for a routine, or for a spec that is built with further options: "matmul (-O3)".
void engine_compare_name(const char *spec, const char *what, struct text *out);

#endif
