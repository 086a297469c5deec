// hone: tuning of GPU kernels, as a C library.
//
// A *spec* (a JSON file) names a kernel, its tunable parameters and the restrictions between them.
// Its *space* holds the valid configurations. A *tune* builds, verifies and measures them in worker
// processes, and keeps every result in a *store*.
//
//   struct hone_error e = HONE_ERROR_INIT;
//   struct hone_spec *spec = hone_spec_load("matmul.json", NULL, NULL, &e);
//   struct hone_devices *devices = spec ? hone_devices_list(NULL, &e) : NULL;
//   const struct hone_device *device =
//       devices ? hone_devices_pick_for(devices, spec, NULL, NULL, &e) : NULL;
//   struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
//   o.spec = spec;
//   o.device = device;
//   struct hone_tune *tune = device ? hone_tune_new(&o, &e) : NULL;
//   const struct hone_record *r;
//   while (tune && (answer = hone_tune_step(tune, 100, &r, &e)) >= HONE_NOTHING && answer !=
//   HONE_END)
//       if (answer == HONE_RECORD)
//           printf("%s: %s\n", hone_record_configuration(r), hone_record_message(r));
//
// Conventions, which hold wherever nothing else is said:
//
// - Handles are opaque. What ends in _new, _load, _list or _open is the caller's, to be given to
// the
//   function of the same family that ends in _free or _close, which accepts NULL. Everything else
//   that a function returns belongs to the handle that was asked, and lives as long as that handle.
// - A handle must not outlive what it was made from: free tunes and spaces first, then their store
//   and devices, then the spec. Strings and arrays in arguments are copied where they are kept.
// - A function that can fail returns false or NULL and fills the caller's hone_error (which may be
//   NULL). The record must be clear when it is passed (HONE_ERROR_INIT): a first error is never
//   overwritten. The text is complete: file, path inside it, reason, remedy.
// - Texts are UTF-8 and end with a NUL. A function with a pair (out, size) works as snprintf(): it
//   writes at most size bytes, NUL included, and returns the length of the whole text; out may be
//   NULL when size is 0. Without memory it returns 0 and writes an empty text.
// - Times are in nanoseconds unless the name says otherwise (_ms), sizes in bytes.
// - A configuration is an array of hone_spec_parameters() value indices of type uint32_t, one a
//   parameter, in the spec's order. A restriction is not part of it: it may be invalid.
// - The library never prints, never exits, installs no signal handler, reads no environment
// variable,
//   and loads no GPU driver: drivers live in the worker processes. But for those it starts none,
//   and it starts no thread.
// - A handle is used by one thread at a time. Handles that were not made from each other are
//   independent. A spec may be shared by threads once it is loaded, and so may devices.
// - Enumerations and the structs of options may grow at their end: an unknown enumerator is to be
//   expected, and options are made with their _INIT macro.
#ifndef HONE_HONE_H
#define HONE_HONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HONE_API __attribute__((visibility("default")))
#else
#define HONE_API
#endif

// The library's version, such as "0.1.0".
HONE_API const char *hone_version(void);

// ---- errors ------------------------------------------------------------------------------------

enum hone_error_code {
    HONE_ERROR_NONE,
    HONE_ERROR_USAGE,       // what was asked for makes no sense
    HONE_ERROR_INPUT,       // a spec, an expression or a file is wrong
    HONE_ERROR_IO,          // a file cannot be read or written; `driver` is errno
    HONE_ERROR_MEMORY,      // out of memory
    HONE_ERROR_DEVICE,      // a driver refused; `driver` is its own code
    HONE_ERROR_WORKER,      // a worker process died or broke the protocol
    HONE_ERROR_STORE,       // the store cannot be used; `driver` is SQLite's code
    HONE_ERROR_INTERRUPTED, // ended from outside
    HONE_ERROR_INTERNAL     // a fault in hone
};

struct hone_error {
    enum hone_error_code code;
    int driver; // the code of whoever refused; 0 where there is none
    char text[2048];
};

#define HONE_ERROR_INIT                                                                            \
    {                                                                                              \
        HONE_ERROR_NONE, 0, ""                                                                     \
    }

// What the library has to say besides: one line without a newline.
enum hone_level { HONE_NOTE, HONE_WARNING, HONE_DEBUG };
struct hone_log {
    void (*notice)(void *context, enum hone_level level, const char *message);
    void *context;
};

// ---- specs -------------------------------------------------------------------------------------

struct hone_spec;

// `set` overrides constants ("WIDTH=512", ..., NULL), or is NULL. `log` (or NULL) hears of unknown
// keys. Reading a spec opens no kernel file.
HONE_API struct hone_spec *hone_spec_load(const char *path, const char *const *set,
                                          const struct hone_log *log, struct hone_error *e);
HONE_API void hone_spec_free(struct hone_spec *s);
HONE_API const char *hone_spec_name(const struct hone_spec *s);

// How many parameters there are, and for one of them (index < that) its name, how many values it
// has, and one of them as text ("16", "0.5", "float4").
HONE_API size_t hone_spec_parameters(const struct hone_spec *s);
HONE_API const char *hone_spec_parameter(const struct hone_spec *s, size_t parameter);
HONE_API size_t hone_spec_values(const struct hone_spec *s, size_t parameter);
HONE_API size_t hone_spec_value(const struct hone_spec *s, size_t parameter, size_t value,
                                char *out, size_t size);

// The default configuration: each parameter's default, or its first value. May be invalid.
HONE_API void hone_spec_default(const struct hone_spec *s, uint32_t *configuration);
// Reads "a=1, b=2"; parameters that are not named keep what they have in `configuration`.
HONE_API bool hone_spec_read(const struct hone_spec *s, const char *text, uint32_t *configuration,
                             struct hone_error *e);
// Writes a configuration as hone_spec_read() reads it, and as one JSON object.
HONE_API size_t hone_spec_text(const struct hone_spec *s, const uint32_t *configuration, char *out,
                               size_t size);
HONE_API size_t hone_spec_json(const struct hone_spec *s, const uint32_t *configuration, char *out,
                               size_t size);

// ---- devices -----------------------------------------------------------------------------------

struct hone_devices;

enum hone_device_type { HONE_GPU, HONE_INTEGRATED_GPU, HONE_CPU, HONE_ACCELERATOR };

// What is known of a device. Made by the library only; further members may follow.
struct hone_device {
    const char *name, *vendor, *platform, *driver;
    const char *language; // "opencl", "cuda"
    enum hone_device_type type;
    uint32_t compute_units;
    uint64_t global_bytes;
    uint64_t local_bytes; // of a work-group
    uint64_t max_group_size;
    uint64_t timer_ns; // resolution of event times
};

// How worker processes are started.
struct hone_worker {
    const char *program; // NULL: the worker that was installed with the library
    // NAME=VALUE additions, ended by NULL; or NULL. Workers keep temporary files in a folder that
    // is made for them in the TMPDIR given here, else in /tmp, and removed after them; or, when
    // HONE_WORKER_SCRATCH is given here, in that folder, which is the caller's.
    const char *const *environment;
};

// Asks a worker for the devices of this machine; takes as long as the drivers take to start, a
// minute at most, and that worker's end, ten seconds at most. `worker` may be NULL. A machine
// without devices gives an empty list.
HONE_API struct hone_devices *hone_devices_list(const struct hone_worker *worker,
                                                struct hone_error *e);
HONE_API void hone_devices_free(struct hone_devices *d);
HONE_API size_t hone_devices_count(const struct hone_devices *d);
HONE_API const struct hone_device *hone_devices_get(const struct hone_devices *d, size_t index);
// Why a device that one would expect is not in the list, one line each; NULL from `index` on.
HONE_API const char *hone_devices_note(const struct hone_devices *d, size_t index);
// The device whose name contains `part` (case ignored); an error when none or several do. NULL: the
// first discrete GPU, integrated GPU, CPU, in that order; an error when the list is empty. A GPU
// that both OpenCL and CUDA offer is listed once for each, and is one device here: its OpenCL view
// is taken.
HONE_API const struct hone_device *hone_devices_pick(const struct hone_devices *d, const char *part,
                                                     struct hone_error *e);
// The same among the devices that run the spec, in `language` ("opencl", "cuda"), or NULL: the
// first of the spec's languages that the device can run. Also an error when the spec has no kernel
// in it. A device's language is the one that a tune with it uses. A spec that does not say its
// language has its kernel file opened here.
HONE_API const struct hone_device *hone_devices_pick_for(const struct hone_devices *d,
                                                         const struct hone_spec *s,
                                                         const char *language, const char *part,
                                                         struct hone_error *e);

// ---- spaces ------------------------------------------------------------------------------------

struct hone_space;

// `device` may be NULL: facts about it are then 0 or "" in restrictions. `where` (or NULL) lists
// further restrictions and ends with NULL. A space without a valid configuration is not an error
// here.
HONE_API struct hone_space *hone_space_new(const struct hone_spec *s,
                                           const struct hone_device *device,
                                           const char *const *where, struct hone_error *e);
HONE_API void hone_space_free(struct hone_space *sp);
// All combinations of values (which may be too many for an integer), and the valid ones.
HONE_API double hone_space_cartesian(const struct hone_space *sp);
HONE_API uint64_t hone_space_count(const struct hone_space *sp);
// The valid configuration at index < count. The order is the same everywhere.
HONE_API void hone_space_get(const struct hone_space *sp, uint64_t index, uint32_t *configuration);
// False when the configuration is not in the space.
HONE_API bool hone_space_find(const struct hone_space *sp, const uint32_t *configuration,
                              uint64_t *index);
// One line: why a configuration is not in the space; empty when it is. NULL configuration: why the
// space is empty; empty when it is not.
HONE_API size_t hone_space_why(const struct hone_space *sp, const uint32_t *configuration,
                               char *out, size_t size);

// ---- stores ------------------------------------------------------------------------------------

struct hone_store;

// Every result ever measured, in one file; created when missing and `write` is set. Several
// processes may use one file at once.
HONE_API struct hone_store *hone_store_open(const char *path, bool write, struct hone_error *e);
HONE_API void hone_store_close(struct hone_store *st);
// The fastest correct configuration known for this spec with these constants, with the kernel's
// source and the device's driver as they are now. NULL device: of any device and driver, which need
// not be here. Where only a part of the space was tuned it is the best of that part. False without
// an error when nothing is known; `configuration` and `median` are then left alone.
HONE_API bool hone_store_best(struct hone_store *st, const struct hone_spec *s,
                              const struct hone_device *device, uint32_t *configuration,
                              double *median, struct hone_error *e);

// ---- tuning ------------------------------------------------------------------------------------

struct hone_tune;
struct hone_record; // what became of one configuration

struct hone_tune_options {
    size_t size; // of this struct; set by the macro

    const struct hone_spec *spec;     // needed
    const struct hone_device *device; // needed
    struct hone_worker worker;
    struct hone_store *store;          // (optional) what it knows is not measured again
    const char *const *configurations; // (optional) "a=1,b=2", ..., NULL: only those that agree
                                       // with one of them
    const char *const *where;          // (optional) further restrictions, ended by NULL
    const char *strategy;              // (optional) "random", "genetic:population=20"; NULL: the
                          // spec's, else by the budget. `hone help strategies` lists all
    const char *budget;         // (optional) "60s", "200", "10%", or several: "60s,200"
    const char *lock_folder;    // where users of a device take turns; NULL: "/tmp"
    const struct hone_log *log; // (optional)
    const char *command, *host; // (optional) what the store shall say of this run
    uint64_t seed;
    uint32_t jobs;       // builds at once; 0: as many as useful
    uint32_t iterations; // samples of each configuration, and no ranking; 0: the spec's, else as
                         // the rules say
    uint32_t build_limit_ms, launch_limit_ms; // 0: one minute, half a minute
    bool fresh;                               // what the store knows does not answer
    bool retry;                               // nor do failures that it knows
    bool cold;                                // caches are cleared before each launch
    const char *const *rules; // (optional) constants of screening and ranking, "rounds=40", ...,
                              // NULL; `hone help tune` lists them
    bool unranked;            // no ranking at the end
    // (optional) What to look for: "time", "max:GFLOP/s" (a metric of the spec), or several,
    // separated by commas, whose Pareto set is found; NULL: the spec's, else the least time. Where
    // it is not the time, or the time in other words, there is no ranking, and every configuration
    // is launched the same number of times.
    const char *objective;
    // Also take what earlier runs found where the kernel includes files that hone does not find,
    // and that may have changed since.
    bool reuse_unseen;
};

#ifdef __cplusplus
// C++ has designated initialisers from C++20 on only.
inline hone_tune_options hone_tune_options_init()
{
    hone_tune_options o = hone_tune_options();
    o.size = sizeof o;
    return o;
}
#define HONE_TUNE_OPTIONS_INIT hone_tune_options_init()
#else
#define HONE_TUNE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        .size = sizeof(struct hone_tune_options)                                                   \
    }
#endif

// Reads the kernel's sources, makes the space and starts the search. An empty space is an error
// that says why.
HONE_API struct hone_tune *hone_tune_new(const struct hone_tune_options *o, struct hone_error *e);

enum hone_answer {
    HONE_BROKEN = -1, // cannot go on: the error says why. Records so far are valid
    HONE_NOTHING,     // nothing within the timeout
    HONE_RECORD,      // *record is new
    HONE_END          // search and ranking are over
};

// Works until a configuration is done, or for timeout_ms at most (0: only what can be done at
// once). Nothing else moves the tune: call it until it answers HONE_END or HONE_BROKEN. Any thread
// may take a step. A step waits for nobody beyond its timeout: a worker that does not end and a
// device that is in use are looked at again in the next one, and so is a store that another process
// has locked, after a tenth of a second. What it computes, and what the disk takes to write a
// result, comes on top.
HONE_API enum hone_answer hone_tune_step(struct hone_tune *t, int timeout_ms,
                                         const struct hone_record **record, struct hone_error *e);
// Ends the search after the running launch, without a ranking; hone_tune_step() soon answers
// HONE_END.
HONE_API void hone_tune_cancel(struct hone_tune *t);
// Ends the workers at once, and waits two seconds at most for all of them to be gone.
HONE_API void hone_tune_free(struct hone_tune *t);

struct hone_progress {
    uint64_t valid;   // configurations of the space
    uint64_t planned; // those that the budget allows
    uint64_t done;    // records handed out
    uint64_t correct; // of them
    uint64_t reused;  // of them, from the store or identical to another
    uint64_t elapsed;
    uint64_t left;                  // estimate; 0: none yet
    const struct hone_record *best; // (or NULL) by the objective, so far; at the end, of those that
                                    // the ranking did not tell apart the one to take. NULL with
                                    // several objectives
    uint64_t pareto;                // with several objectives: records of the Pareto set so far
};
// `size` is sizeof(struct hone_progress).
HONE_API void hone_tune_progress(const struct hone_tune *t, struct hone_progress *out, size_t size);

// Records live as long as their tune. When the search is over, what might be the best is launched
// again, in turn: the samples of these records, and all that is computed from them, are then those
// of this ranking, and one that fails in it fails.

enum hone_status {
    HONE_CORRECT,     // ran, and its result was held against the reference where there is one
    HONE_COMPILE,     // did not build, or the compiler died
    HONE_RUNTIME,     // crashed, wrote out of bounds, changed an input, or the driver failed
    HONE_TIMEOUT,     // built or ran longer than its limit
    HONE_CORRECTNESS, // gave a wrong, unwritten or NaN result
    HONE_CONSTRAINTS  // more than the device offers
};

HONE_API enum hone_status hone_record_status(const struct hone_record *r);
HONE_API const char *hone_status_text(enum hone_status status);        // "correct", ...
HONE_API const char *hone_record_message(const struct hone_record *r); // why it failed; or ""
HONE_API const char *hone_record_log(const struct hone_record *r);     // of the build; or ""
HONE_API const char *hone_record_configuration(const struct hone_record *r);
HONE_API const uint32_t *hone_record_choice(const struct hone_record *r); // the configuration
HONE_API uint64_t hone_record_index(const struct hone_record *r);         // in the space
// Was it held against a reference, and is right? A spec may have none: that it agrees with the
// default configuration, which may be wrong itself, does not count.
HONE_API bool hone_record_verified(const struct hone_record *r);
HONE_API bool hone_record_reused(const struct hone_record *r);
// A time exists only for a correct configuration that was measured: otherwise false, and nothing is
// written.
HONE_API bool hone_record_median(const struct hone_record *r, double *median);
// The 95 % interval of the median; false also with fewer than six samples.
HONE_API bool hone_record_interval(const struct hone_record *r, double *low, double *high);
// Where a record stands in the ranking: its time by the winner's, within rounds (1.05: five per
// cent slower), with an interval that holds for all contenders together; low and high may be NULL.
// False when it was not ranked: its median does not compare with those that were.
HONE_API bool hone_record_ratio(const struct hone_record *r, double *ratio, double *low,
                                double *high);
// Is it not told apart from the winner of the ranking? False when it was not ranked.
HONE_API bool hone_record_tied(const struct hone_record *r);
// All samples in the order in which they were taken; returns how many (0: none).
HONE_API size_t hone_record_samples(const struct hone_record *r, const uint64_t **samples);
// The spec's first metric at the median; false when there is none.
HONE_API bool hone_record_metric(const struct hone_record *r, double *metric);
// The value of one of the tune's objectives (from 0, in their order) at the median; false when it
// is not known, or there is no such objective.
HONE_API bool hone_record_objective(const struct hone_record *r, size_t objective, double *value);
// With several objectives: is no other record so far at least as good in all of them, and better in
// one? Of identical configurations the one that was measured is told.
HONE_API bool hone_record_pareto(const struct hone_record *r);

#ifdef __cplusplus
}
#endif

#endif
