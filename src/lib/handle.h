// The structs behind the public handles, and the conversions between the two sides. Private to
// src/lib.
//
// A spec, space, store and record are the internal structs under a public name, opaque outside; the
// others are wrapped, since they need a place for what they borrow.
#ifndef HONE_LIB_HANDLE_H
#define HONE_LIB_HANDLE_H

#include "hone/hone.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "model/device_info.h"
#include "os/scratch.h"
#include "runner/evaluator.h"
#include "space/space.h"
#include "problem/spec.h"
#include "store/store.h"
#include "worker/protocol.h"
#include "workflows/benchmark/benchmark.h"
#include "workflows/check/checks.h"
#include "workflows/compare/compare.h"
#include "workflows/peak/peak.h"
#include "workflows/score/score.h"
#include "workflows/sweep/sweep.h"
#include "workflows/tune/tune.h"

// ---- errors, texts, structs with a size ---------------------------------------------------------

// Hands an error to the caller, whose first error stays. Returns whether there was none.
bool hand_over(const struct error *from, struct hone_error *to);
// As snprintf(); releases the text.
size_t give_text(struct text *t, char *out, size_t size);

// The caller's struct in the shape of this version; NULL is one with nothing set. What an older
// caller does not know is 0. An error where it has no size (`init` names the macro), or where a
// newer caller set what this version does not know.
bool take_sized(const void *given, void *own, size_t own_size, const char *init, struct error *e);
// Fills the caller's struct as far as it goes, but for its size.
void give_sized(const void *full, size_t full_size, void *out);

// ---- lists, logs, workers -----------------------------------------------------------------------

uint32_t list_length(const char *const *list); // that NULL ends
// A copy; NULL (and *failed, where there was something to copy) without memory.
const char *const *copy_list(struct arena *a, const char *const *list, bool *failed);
const char *copy_text(struct arena *a, const char *text, bool *failed);

// A caller's log under the internal interface.
struct log_bridge {
    struct log log;
    struct hone_log theirs;
};
// NULL where the caller has none.
const struct log *log_bridge_init(struct log_bridge *b, const struct hone_log *theirs);

// How workers are started, and where they have their temporary files: a folder of their tune's own,
// which is removed with it, since a killed worker cleans up nothing. A caller who names a folder is
// responsible for it.
struct workplace {
    const char *worker[2];
    const char *const *environment;
    struct scratch scratch;
};
bool workplace_init(struct workplace *w, const struct hone_worker *worker, struct arena *a,
                    struct error *e);
void workplace_release(struct workplace *w); // a zeroed one, too

// ---- handles ------------------------------------------------------------------------------------

// A device as the caller sees it, and its origin.
struct device_entry {
    struct hone_device device; // first: a pointer to it is one to the entry
    const struct device_info *info;
    struct hone_devices *list;
};

struct hone_devices {
    struct arena arena;
    struct device_report report;
    struct device_entry *entries; // of the report's devices
    const char **notes;
    uint32_t note_count;
    struct node *node;    // (or NULL) that has them, the caller's
    const char *language; // (or NULL) the only one that was asked for
    bool keeps_worker;    // then the rest is valid
    struct workplace workplace;
    struct spare *spare; // (or NULL) the worker that listed them
};

// The options of a tune in the words of the workflow, with all that they point to.
struct tune_setup {
    struct arena arena;
    struct log_bridge log;
    struct workplace workplace; // of its own, unless that of its devices is kept
    struct replay replay;       // (or zeroed) what was recorded answers
    struct judge judge;         // (or zeroed) the caller's
    hone_judge *theirs;
    void *judge_context;
    struct tune_options options; // with the setup of every workflow
};

// The options that all workflows share: everything except the search. `given` is of this version.
bool setup_init(struct tune_setup *s, const struct hone_tune_options *given, struct error *e);
// The same with the search, from the caller's options.
bool setup_tune(struct tune_setup *s, const struct hone_tune_options *o, struct error *e);
void setup_release(struct tune_setup *s); // a zeroed one, too

// Any workflow, with what it borrows; the public functions are those of a tune.
struct hone_tune {
    union {
        void *workflow;
        struct tune *tune;
        struct peak_run *peak;
        struct score *score;
        struct check *check;
        struct compare *compare;
        struct sweep *sweep;
        struct benchmark *benchmark;
    };
    struct tune_setup setup;
    uint32_t sides;           // of a comparison
    struct tune_setup *lines; // of a sweep
    uint32_t line_count;
    struct text fetched;
};

// The handle of a workflow that is made next, from the options of a tune (NULL: it needs no device). NULL with an error.
struct hone_tune *handle_new(const struct hone_tune_options *o, struct error *e);
// The handle with its workflow; NULL, and it is freed, if the workflow could not be made.
struct hone_tune *handle_started(struct hone_tune *t, void *workflow);

static inline const struct spec *spec_of(const struct hone_spec *s)
{
    return (const struct spec *)s;
}

static inline const struct space *space_of(const struct hone_space *sp)
{
    return (const struct space *)sp;
}

static inline struct store *store_of(struct hone_store *st)
{
    return (struct store *)st;
}

static inline const struct tune_record *record_of(const struct hone_record *r)
{
    return (const struct tune_record *)r;
}

static inline const struct device_info *info_of(const struct hone_device *d)
{
    return d ? ((const struct device_entry *)d)->info : NULL;
}

#endif
