// The session of every subcommand that takes a spec, from its settings to its report: spec, device and store, and the tune
// if it makes one (cli/tuning.h). Each side of a comparison and each line of a sweep is one.
#pragma once

#include "cli/cli.h"
#include "cli/console.h"
#include "cli/environment.h"
#include "lib/handle.h"
#include "runner/evaluator.h"
#include "worker/protocol.h"
#include "report/peak_report.h"
#include "report/record.h"
#include "report/report.h"
#include "problem/spec.h"
#include "store/store.h"

struct work {
    const struct invocation *call;
    const struct spec_settings *given;      // what and where
    const struct measure_settings *measure; // how to measure
    const struct search_settings *search;   // how to search
    struct arena arena;
    struct environment environment;
    bool has_environment;
    struct ticker ticker;
    struct log log;
    struct hone_log notices;   // the same to the library
    struct hone_spec *loaded;  // the caller's; `spec` is what stands behind it
    struct hone_spec *unbound; // (or NULL) the same, as it was read before the device was known
    const struct spec *spec;
    const struct spec
        *read; // (optional) of the same file, before: its text counts, whatever that holds by now
    const char *constants; // "WIDTH=256"
    const char *constants_json;
    struct spec_languages languages; // --language, or the spec's
    // (or NULL) with the worker that listed them; `devices` is its report.
    struct hone_devices *list;
    struct agents *agents; // (or NULL) of --on, whose devices `devices` are then, and --build-on
    const struct work *nodes_of; // (or NULL) whose nodes are this one's, once it has some
    struct device_report devices;
    const struct device_info *device;
    const struct hone_device *chosen; // (or NULL) of the list: `device`
    // With --device all, whose command sets `takes_kind`: how many kinds of device there are, and the one that is taken.
    bool takes_kind;
    uint32_t kind, kind_count;
    struct place *place_list;  // of --on
    struct hone_places places; // likewise; none: `device` alone
    struct hone_store *opened; // (or NULL) with those behind it
    struct store *store;       // what stands behind it, for questions and reports
    struct tune_setup setup;   // (or zeroed) of its workflow, if that is not a tune: setup_init()
    bool lost;                 // it was said that the store lost what was written to it

    const char *replayed; // (or NULL) the recording that answers; the caller's to set
    struct hone_tune_options options;
    struct objectives goal;    // see tuning_goal()
    struct recorded *recorded; // of --replay; else NULL
    struct hone_store *known;  // (or NULL) beside the spec
    struct hone_tune *handle;
    uint64_t started_ns;                // when the tune was made
    struct error broken;                // why a workflow could not go on; code NONE: it did
    struct peak peak;                   // of the device, once it was looked up
    struct report_about about;          // of the last report
    const struct tune_record **ranking; // likewise
};

// `measure` NULL: the command has none of these options. Nothing is said of the search; a caller with such options sets
// `search`.
void work_init(struct work *w, const struct invocation *call, const struct spec_settings *given,
               const struct measure_settings *measure);
void work_release(struct work *w);
// Reads back what was written to the store; says so, once, where not all of it is there. The exit
// status of the command is then not EXIT_DONE.
bool work_kept(struct work *w);
void work_close_store(struct work *w); // after that

// The part of the space that is asked for, without --part.
struct space_options work_space(const struct spec_settings *g);
// The library's options for building, measuring and searching, except for the search itself.
struct hone_tune_options work_options(const struct work *w);

// Each returns an exit status and has reported what is wrong.
// Reads the spec again with w->device, if values depend on the device.
int work_bind(struct work *w);
// A kernel, a store or a recording in place of a spec: says what was meant. False: it may be a spec.
bool work_refuse_file(const char *path);
int work_spec(struct work *w); // the first argument, and its constants as text
struct spec_options work_spec_options(const struct work *w); // with which it is read
int work_environment(struct work *w);
// Which languages may be used: the spec's (without one all of them), or the one of --language,
// which the spec must have.
int work_languages(struct work *w);
// Asks a worker for the devices of one language, or where that is NULL of the spec's, or where that
// is NULL of all; the report stays as it was where that fails.
bool work_list(struct work *w, const struct hone_spec *spec, const char *language, struct error *e);
int work_devices(struct work *w, const struct hone_spec *spec, const char *language);
int work_no_device(const struct work *w); // says what to install
// The devices of the report that the spec, if there is one, can run on, in the order of its
// languages; in the arena.
const struct device_info *work_usable(struct work *w, size_t *count);
// One of the devices that the spec's languages can run on, or that of --language.
int work_device(struct work *w);
// After the device was chosen: w->places are the device and all devices of its kind that --on
// names; others are reported. Without --on there are none. w->places.builders are the builders of
// --build-on that can build for it.
int work_places(struct work *w);
// The workers that listed the devices end.
void work_drop_workers(struct work *w);
// --reference-by, where it is given: asks the program, for the device that was chosen.
int work_reference_by(struct work *w);
// A device that is named by this stands for all kinds of device that there are: one of each.
#define WORK_DEVICE_ALL "all"
// --store or the default one, and behind it those of --also and HONE_ALSO. For reading these are
// enough.
int work_store(struct work *w, enum hone_store_mode mode);
// The file of this name beside the spec: known results that ship with it. The caller closes *known;
// NULL if there is no such file or, with a warning, if it cannot be read.
#define WORK_KNOWN "known.sqlite"
int work_known(struct work *w, struct hone_store **known);
// As work_store() for reading, and that file. Where it is there and no --store is given w->store may
// be NULL: nothing was measured yet.
int work_store_or_known(struct work *w, struct hone_store **known);
// The first of them alone.
int work_own_store(struct work *w, enum hone_store_mode mode);
// A command on that, which is opened for reading; `settings` begin with its spec_settings.
int work_on_store(struct invocation *i, int (*command)(struct work *w));
// A report of the store.
void work_put_store(const struct work *w, const writers of, struct store_report report);
const char *work_store_path(struct work *w, struct error *e);

// For a report; without memory it has no date.
void work_about(struct work *w, const struct error *broken, struct report_about *out);

// Says the error and returns the exit status that fits its kind.
int work_failed(const struct error *e);

// The arguments that make another command mean the same: spec, constants, device and store, quoted.
void work_same(const struct work *w, struct text *out);
// The arguments for the spec and the stores alone, to ask for other devices and constants, too.
void work_same_stores(const struct work *w, struct text *out);

// The parameters of a choice as --config takes them: "a=1,b=2"; parameters with one value are left
// out.
void work_configuration(const struct spec *spec, const uint32_t *choice, struct text *out);
