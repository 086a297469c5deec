// A tune as the command line makes it: settings -> options of the workflow, records -> views.
#ifndef HONE_CLI_TUNING_H
#define HONE_CLI_TUNING_H

#include "cli/work.h"
#include "report/peak_report.h"
#include "report/report.h"
#include "report/verified.h"

// What --objective says, or the spec.
bool goal_of(const struct list *given, const struct spec *spec, struct objectives *out,
             struct error *e);

// Opens the store, with those behind it, unless --no-store; an exit status.
int open_kept(struct work *w);

// The head of a run, but for what its workflow knows beside its sources: how it searches, what is
// valid and planned, and what is verified. In the arena of the work.
void work_run_view(struct work *w, const struct digest *source, struct view_run *out);

// What `hone tune` is told.
struct tune_settings {
    struct spec_settings given;
    struct measure_settings measure;
    struct search_settings search;
    const char *replay; // a recording that answers instead of a device
    bool build_only;    // nothing runs
    bool timing;        // where the time went is told at the end
    bool verbose;
};

struct tuning {
    struct work work;
    const struct search_settings *search;
    const char *replayed; // (or NULL) the recording that answers; the caller's to set
    struct hone_tune_options options;
    struct objectives goal;    // see tuning_goal()
    struct recorded *recorded; // of --replay; else NULL
    struct hone_tune *handle;
    struct view_objective objectives[OBJECTIVES_MOST]; // of the goal
    uint64_t started_ns;                               // when the tune was made
    struct error broken;                               // why it could not go on; code NONE: it did
    struct peak peak;                                  // of the device, once it was looked up
};

// `search` NULL: nothing was said of it.
void tuning_init(struct tuning *t, const struct invocation *call, const struct spec_settings *given,
                 const struct measure_settings *measure, const struct search_settings *search);
void tuning_release(struct tuning *t);
// Spec, environment and device. An exit status, as below.
int tuning_open(struct tuning *t);
// After that, what the command line or the spec say is looked for, which else is the least time. An
// exit status.
int tuning_goal(struct tuning *t);
// The store, and the tune itself from `options`, which the caller may have changed since
// tuning_open().
int tuning_start(struct tuning *t);
// The same for one configuration alone.
int tuning_start_run(struct tuning *t, const uint32_t *choice);

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
struct view_goal goal_view(const struct objectives *g, const struct spec *spec,
                           const struct device_info *device, struct view_objective *objectives,
                           struct arena *a);
void tuning_run_view(struct tuning *t, struct view_run *out);
// `results` and what it points to is in the arena. False without memory.
bool tuning_summary(struct tuning *t, struct view_summary *out);

#endif
