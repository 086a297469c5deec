// A tune as the command line makes it: what struct work has of one, from settings to a report.
#pragma once

#include "cli/page_watch.h"
#include "cli/work.h"
#include "report/peak_report.h"
#include "report/report.h"
#include "report/verified.h"

// Opens the store, with those behind it, unless --store none; an exit status.
int open_kept(struct work *w);

// The head of a run, but for what its workflow knows: its sources, how it searches, what is valid and planned, and what
// is verified.
void work_run_head(struct work *w, const struct subject *subject, struct run_head *out);

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

// Spec, environment and device. An exit status, as below.
int tuning_open(struct work *w);
// After that, the objectives of the command line or the spec, else the shortest time. An exit
// status.
int tuning_goal(struct work *w);
// The store, and the tune itself from `options`, which the caller may have changed since
// tuning_open().
// With a `choice` it is of that configuration alone.
int tuning_start(struct work *w, const uint32_t *choice);

// Is what the device can do at most of interest: does a metric of the spec count flop or bytes?
bool tuning_wants_peak(const struct work *w);
// The device's limits as the store has them; NULL: none are stored, or they are of no interest.
const struct peak *tuning_peak(struct work *w);

// If the first configurations all ended in the same way, says how, and what to look at. Otherwise
// appends nothing.
void tuning_alike(const struct work *w, const struct tune_progress *p, struct text *out);
// Calls crash_tell() for a record that crashed. NULL is fine.
void tuning_tell_crash(const struct work *w, const struct tune_record *r);
// Were most of the results lost to errors of the spec? Reports it, and returns an exit status.
int tuning_spec_errors(const struct tune_progress *p, const char *spec_path);
// The best configuration's compiler options, quoted for a shell; nothing if there is no best or no
// job.
void tuning_options_of_best(const struct work *w, struct text *out);
// The context in which a record is shown, except for the device's peak.
void tuning_frame(const struct work *w, struct record_frame *out);
// The report so far: head, frame and progress; with `ended` all of it. Valid until the next report.
void tuning_report(struct work *w, bool ended, struct tune_report *out);
