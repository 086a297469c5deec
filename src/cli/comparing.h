// A comparison as the command line makes it: settings -> sides and options of the workflow, records
// -> a report. A side is a command line of its own: that of the comparison, changed by --left or
// --right, so that spec, device and store are handled as in every other subcommand.
#pragma once

#include "cli/against.h"
#include "cli/run_workflow.h"
#include "cli/tuning.h"
#include "report/compare_report.h"
#include "report/why.h"

// The settings of `hone compare`.
struct compare_settings {
    struct spec_settings given;
    struct measure_settings measure; // some rows of it
    struct list left, right;         // WHAT=VALUE
    struct list against;             // libraries beside the best of a spec
    struct given_sample {
        uint32_t count; // 0: not given
        bool is_top;    // of the fastest
    } sample;
    uint32_t rounds;
    struct given_why {
        bool is_given;
        const char *configuration; // NULL: the best
    } explain;
    const char *svg; // (or NULL) the file of a picture
    bool verbose;
};

// Also a line of a sweep.
struct comparing_side {
    struct invocation call;
    struct spec_settings given;
    struct work work;  // its spec, device and store
    struct list flags; // compiler options
    const char *run;   // "last", "1a2b3c": a stored run
    bool is_given;     // its device was named for it alone
    struct stored stored;
    struct against against;  // a vendor's routine, where it is one
    struct text label, name; // name: what the store calls the spec
};

struct comparing {
    const struct invocation *call;
    const struct compare_settings *settings;
    struct arena arena;
    struct comparing_side sides[COMPARE_SIDES];
    struct spec *read; // (or NULL) what the sides were found by
    uint32_t count;
    bool of_specs;       // several specs, or routines beside them: the best of each
    uint32_t spec_count; // of the sides: those after them are routines, of the first one's gemm
    struct compare_side parts[COMPARE_SIDES];
    struct compare_options options;
    struct compare *compare;
};

// A side of this command line, but with one argument. `first` (or NULL): whose nodes it uses. Those who have the same first are
// released before it.
void comparing_side_init(struct comparing_side *s, const struct invocation *call,
                         const char **argument, const struct spec_settings *given,
                         const struct measure_settings *measure, const struct work *first);
void comparing_side_release(struct comparing_side *s);
// --against a library, beside the spec of `first`, whose work it does, on its device. An exit status, as below.
int comparing_open_routine(struct comparing_side *s, const char *text, const struct work *first);
// Once all are there: refuses those that are the same, and gives the others their labels and names.
int comparing_name_routines(struct comparing_side *sides, uint32_t count);
// As the workflow takes it.
void comparing_part(const struct comparing_side *s, struct compare_side *out);

void comparing_init(struct comparing *c, const struct invocation *call);
void comparing_release(struct comparing *c);
// Each returns an exit status and has reported the reason.
int comparing_open(struct comparing *c);  // specs, devices, stores
int comparing_start(struct comparing *c); // the comparison itself

// comparing_sides.c: the sides of one spec, by --left and --right.
int comparing_sides(struct comparing *c);
// Can one device run two specs? Returns an exit status and has reported the reason.
int comparing_on_one_card(const struct work *first, const struct work *w);
// Labels that distinguish the sides. False without memory; equal sides have empty labels.
bool comparing_labels(struct comparing *c);

// comparing_view.c: what is known by now; in the arena. False without memory.
bool comparing_report(struct comparing *c, struct compare_report *out);
// The builds of one configuration (NULL: the fastest) side by side, for which the comparison goes
// on. An exit status.
int comparing_why(struct comparing *c, const char *configuration, struct view_why *out,
                  struct running *running);
