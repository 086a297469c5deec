// The structs behind the public handles, and the conversions between the two sides: for src/lib, and for the program, which
// makes workflows other than tunes from the setup that setup_init() makes of the public options.
//
// A spec, space, store and record are the internal structs under a public name, opaque outside; the
// others are wrapped, since they need a place for what they borrow.
#pragma once

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
#include "workflows/tune/tune.h"

// ---- errors, texts, structs with a size ---------------------------------------------------------

// Hands an error to the caller, whose first error stays. Returns whether there was none.
bool hand_over(const struct error *from, struct hone_error *to);
// The same error on this side.
void take_error(const struct hone_error *from, struct error *to);
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
    struct place at; // without a device
    const char *worker[2];
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
    const char *language; // (or NULL) the only one that was asked for
    struct workplace
        workplace;     // its spare: (or NULL) the worker that listed them, and those beside it
    bool keeps_worker; // else the workplace is gone
};

// hone_devices_list() on a node, which outlives it; NULL: on this machine. `shares`: several of them may be used.
struct hone_devices *devices_on(struct node *node, const struct hone_devices_options *o,
                                bool shares, struct error *e);
// Where the jobs of one of these devices can run. With keep_worker; the worker that listed them is its spare.
void devices_place(const struct hone_devices *d, const struct device_info *device, const char *name,
                   struct place *out);
// Ends the worker that listed them.
void devices_drop_worker(struct hone_devices *d);
// The entry that a copy of its info was made from; NULL: there is none.
const struct hone_device *device_like(const struct hone_devices *d, const struct device_info *copy);
// A device whose facts are assumed: spaces know it, nothing runs on it. In the arena; `info` outlives
// it. NULL without memory.
const struct hone_device *device_assumed(const struct device_info *info, struct arena *a);
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
    const struct place *builders; // likewise; with or without places
    uint32_t builder_count;
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

// The options that all workflows share: everything except the search. `given` is of this version. `s` is zeroed, or was made
// before, for a workflow that is freed.
bool setup_init(struct tune_setup *s, const struct hone_tune_options *given, struct error *e);
// The same with the search, from the caller's options.
bool setup_tune(struct tune_setup *s, const struct hone_tune_options *o, struct error *e);
void setup_release(struct tune_setup *s); // a zeroed one, too

struct hone_tune {
    struct tune *tune;
    struct tune_setup setup;
    struct text fetched;
};

static inline struct tune *tune_of(const struct hone_tune *t)
{
    return t->tune;
}

// A tune that a recording answers in place of a device: `device` and `store` are NULL. The
// recording outlives it.
struct hone_tune *handle_replay_new(const struct hone_tune_options *o,
                                    const struct recorded *recorded, struct hone_error *e);

// The job's arrays that have contents before the launch, as NAME.npy in the folder, which is made where there is none, and
// arguments.json with constants, scalars, and the types and counts of arrays. *count: of the arrays.
bool inputs_write(const struct spec *s, const struct job *job, const char *folder, uint32_t *count,
                  struct error *e);
// Runs a program of the user's own with a folder of inputs as its argument, unless its outputs are known, and has the spec
// compare results with the outputs that it leaves there. Blocks as long as the program takes, at most the limit.
struct reference_program {
    const char *path;
    const char *folder; // where its outputs are kept
    uint64_t limit_ns;
    bool fresh;         // whatever is known
    bool (*stop)(void); // (optional) asked while it runs
};
bool reference_by(struct hone_spec *s, const struct hone_device *d,
                  const struct reference_program *p, const struct hone_log *log, struct error *e);

static inline const struct spec *spec_of(const struct hone_spec *s)
{
    return (const struct spec *)s;
}

// A spec that was read below the library, as its handle.
static inline struct hone_spec *handle_of_spec(struct spec *s)
{
    return (struct hone_spec *)s;
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
