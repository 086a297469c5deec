// A tune as the command line makes it: settings -> options of the workflow, records -> reports.
#ifndef HONE_CLI_TUNING_H
#define HONE_CLI_TUNING_H

#include "cli/page_watch.h"
#include "cli/work.h"
#include "report/peak_report.h"
#include "report/report.h"
#include "report/verified.h"

// The objectives of --objective, else of the spec.
bool goal_of(const struct list *given, const struct spec *spec, struct objectives *out,
             struct error *e);

// Opens the store, with those behind it, unless --store none; an exit status.
int open_kept(struct work *w);

// The head of a run, but for what its workflow knows: its sources, how it searches, what is valid and planned, and what
// is verified. `about` is the caller's.
void work_run_head(struct work *w, const struct error *broken, struct report_about *about,
                   struct run_head *out);

// The settings of `hone tune`.
struct tune_settings {
    struct spec_settings given;
    struct measure_settings measure;
    struct search_settings search;
    const char *replay; // a recording that answers instead of a device
    bool build_only;    // nothing runs
    bool details;       // at the end the tables
    const char *report;
    bool verbose;
};

struct tuning {
    struct work work;
    const struct search_settings *search;
    const char *replayed; // (or NULL) the recording that answers; the caller's to set
    struct hone_tune_options options;
    struct objectives goal;    // see tuning_goal()
    struct recorded *recorded; // of --replay; else NULL
    struct hone_store *known;  // (or NULL) beside the spec
    struct hone_tune *handle;
    uint64_t started_ns;                // when the tune was made
    struct error broken;                // why it could not go on; code NONE: it did
    struct peak peak;                   // of the device, once it was looked up
    struct report_about about;          // of the last report
    const struct tune_record **ranking; // likewise
};

// `search` NULL: nothing was said of it.
void tuning_init(struct tuning *t, const struct invocation *call, const struct spec_settings *given,
                 const struct measure_settings *measure, const struct search_settings *search);
void tuning_release(struct tuning *t);
// Spec, environment and device. An exit status, as below.
int tuning_open(struct tuning *t);
// After that, the objectives of the command line or the spec, else the shortest time. An exit
// status.
int tuning_goal(struct tuning *t);
// The store, and the tune itself from `options`, which the caller may have changed since
// tuning_open().
// With a `choice` it is of that configuration alone.
int tuning_start(struct tuning *t, const uint32_t *choice);

// Is what the device can do at most of interest: does a metric of the spec count flop or bytes?
bool tuning_wants_peak(const struct tuning *t);
// The device's limits as the store has them; NULL: none are stored, or they are of no interest.
const struct peak *tuning_peak(struct tuning *t);

// If the first configurations all ended in the same way, says how, and what to look at. Otherwise
// appends nothing.
void tuning_alike(const struct tuning *t, const struct tune_progress *p, struct text *out);
// Calls crash_tell() for a record that crashed. NULL is fine.
void tuning_tell_crash(const struct tuning *t, const struct tune_record *r);
// Were most of the results lost to errors of the spec? Reports it, and returns an exit status.
int tuning_spec_errors(const struct tune_progress *p, const char *spec_path);
// The best configuration's compiler options, quoted for a shell; nothing if there is no best or no
// job.
void tuning_options_of_best(const struct tuning *t, struct text *out);
// The context in which a record is shown, except for the device's peak.
void tuning_frame(const struct tuning *t, struct record_frame *out);
// The report so far: head, frame and progress; with `ended` all of it. Valid until the next report.
void tuning_report(struct tuning *t, bool ended, struct tune_report *out);

#endif
