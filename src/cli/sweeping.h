// A sweep as the command line makes it: settings -> lines, plan and options of the workflow,
// records -> a report. A line is a command line of its own, as a side of a comparison is, but without
// --set: what that says are the points.
#pragma once

#include "cli/against.h"
#include "cli/once.h"
#include "cli/tuning.h"
#include "report/sweep_report.h"
#include "problem/sweep_plan.h"

// The settings of `hone sweep`.
struct sweep_settings {
    struct spec_settings given; // --set: the points
    struct measure_settings measure;
    struct search_settings search;
    struct list against; // other lines
    struct given rounds;
    bool product, known;
    const char *output; // the prefix of the files
};

struct sweeping_line {
    struct invocation call;
    struct spec_settings given;
    struct work work;         // its spec as it stands in its file, device and store
    const char *label, *name; // name: what the store calls a routine's results; else NULL
    struct against against;   // a vendor's routine, where it is one
};

struct sweeping {
    const struct invocation *call;
    const struct sweep_settings *settings;
    struct arena arena;
    struct once once;
    struct sweeping_line lines[SWEEP_LINES];
    uint32_t count;
    struct sweep_plan plan;
    uint32_t axis, panel_count;
    uint32_t *panels; // one a point
    struct sweep *sweep;
    struct sweep_report_line report_lines[SWEEP_LINES]; // of the last report
};

void sweeping_init(struct sweeping *s, const struct invocation *call);
void sweeping_release(struct sweeping *s);
// Each returns an exit status and has reported the reason.
int sweeping_open(struct sweeping *s);  // specs, plan, devices, stores
int sweeping_start(struct sweeping *s); // the sweep itself

// For `apply`: a spec or a vendor's library, into a struct list.
bool option_line(void *field, const char *value, struct error *e);

// Fills in the results so far; valid until the next step.
void sweeping_report(struct sweeping *s, struct sweep_report *out);
