// A tune as the command line makes it: settings -> options of the conveyor, records -> views.
#ifndef HONE_CLI_TUNING_H
#define HONE_CLI_TUNING_H

#include "cli/work.h"
#include "peak.h"
#include "report/peak.h"
#include "report/report.h"
#include "report/verified.h"
#include "tune.h"

// All users share one lock for a device, so TMPDIR does not count.
#define LOCK_FOLDER "/tmp"

// How --iterations, --timeout and --cold say that jobs are measured; `spec` may be NULL.
struct terms terms_of(const struct settings *s, const struct spec *spec);

// What --objective says, or the spec.
bool goal_of(const struct list *given, const struct spec *spec, struct goal *out, struct error *e);

// Opens the store, with those behind it, unless --no-store; an exit status.
int open_kept(struct work *w);

// What the options of a tune and of a check have alike, as designated initialisers of either.
#define WORK_OPTIONS(w)                                                                            \
    .spec = (w)->spec, .device = (w)->device, .worker = (w)->environment.worker,                   \
    .environment = (w)->environment.worker_with, .lock_folder = LOCK_FOLDER, .leaving = true,      \
    .spare = (w)->spare, .log = &(w)->log, .configurations = (w)->call->settings.config.items,     \
    .configuration_count = (w)->call->settings.config.count,                                       \
    .where = (w)->call->settings.where.items, .where_count = (w)->call->settings.where.count,      \
    .seed = (w)->call->settings.seed.value, .jobs = (uint32_t)(w)->call->settings.jobs.value,      \
    .terms = terms_of(&(w)->call->settings, (w)->spec), .fresh = (w)->call->settings.fresh,        \
    .retry = (w)->call->settings.retry, .command = (w)->call->line, .host = (w)->environment.host

// The head of a run, but for what its conveyor knows beside its sources: how it searches, what is
// valid and planned, and what is verified. In the arena of the work.
void work_run_view(struct work *w, const struct digest *source, struct view_run *out);

struct tuning {
    struct work work;
    struct tune_options options;
    struct recorded *recorded; // of --replay; else NULL
    struct replay replay;      // likewise
    struct tune *tune;
    struct view_objective objectives[OBJECTIVES_MOST]; // of the goal
    uint64_t started_ns;                               // when the tune was made
    struct error broken;                               // why it could not go on; code NONE: it did
    struct peak peak;                                  // of the device, once it was looked up
};

void tuning_init(struct tuning *t, const struct invocation *call);
void tuning_release(struct tuning *t);
// Spec, environment and device. An exit status, as below.
int tuning_open(struct tuning *t);
// After that, how the spec says that it is searched, where the command line does not: the strategy,
// and what is looked for (which else is the least time). Exit statuses.
int tuning_strategy(struct tuning *t);
int tuning_goal(struct tuning *t);
// The store, and the tune itself from `options`, which the caller may have changed since
// tuning_open().
int tuning_start(struct tuning *t);
// The exit status of a tune that could not be made or went to an end: why is said.
int tuning_failed(const struct error *e);

// Is what the device can do at most of interest: does a metric of the spec count flop or bytes?
bool tuning_wants_peak(const struct tuning *t);
// What the store knows of that; NULL: nothing, or it is of no interest.
const struct peak *tuning_peak(struct tuning *t);

// Where all of the first configurations ended in one way: what that is, and what to look at.
// Appends nothing where they did not.
void tuning_alike(const struct tuning *t, const struct tune_progress *p, struct text *out);
// Of a record that crashed: says what crash_tell() does. NULL is fine.
void tuning_tell_crash(const struct tuning *t, const struct tune_record *r);
// An exit status, and says so: is most of what was tried lost to errors of the spec?
int tuning_spec_errors(const struct tune_progress *p, const char *spec_path);
// A record as a view, in the arena of the work. False without memory.
bool tuning_view(struct tuning *t, const struct tune_record *record, struct view_result *out);
// All metrics of a configuration at `time_ns` (NaN: none has a value) and the energy of `r`; NULL
// without memory.
const struct view_metric *metrics_of(const struct spec *spec, const uint32_t *choice,
                                     const struct device_info *device, double time_ns,
                                     const struct result *r, struct arena *a);
// What is looked for, as a view; `objectives` has room for OBJECTIVES_MOST.
struct view_goal goal_view(const struct goal *g, const struct spec *spec,
                           const struct device_info *device, struct view_objective *objectives,
                           struct arena *a);
void tuning_run_view(struct tuning *t, struct view_run *out);
// `results` and what it points to is in the arena. False without memory.
bool tuning_summary(struct tuning *t, struct view_summary *out);

#endif
