// hone: tuning of GPU kernels, as a C library.
//
// A *spec* (JSON) names a kernel, its tunable parameters and the restrictions between them. Its
// *space* holds the valid configurations. A *tune* builds, verifies and measures them in worker
// processes, and keeps every result in a *store*.
//
//   struct hone_error e = HONE_ERROR_INIT;
//   struct hone_spec *spec = hone_spec_load("matmul.json", NULL, &e);
//   struct hone_devices *devices = spec ? hone_devices_list(NULL, &e) : NULL;
//   struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
//   o.spec = spec;
//   o.device = devices ? hone_devices_pick_for(devices, spec, NULL, NULL, &e) : NULL;
//   struct hone_tune *tune = o.device ? hone_tune_new(&o, &e) : NULL;
//   const struct hone_record *r;
//   enum hone_answer answer = HONE_NOTHING;
//   while (tune && answer >= HONE_NOTHING && answer != HONE_END) {
//       answer = hone_tune_step(tune, 100, &r, &e);
//       if (answer == HONE_RECORD)
//           printf("%s: %s\n", hone_record_configuration(r), hone_record_message(r));
//   }
//
// Conventions. They hold wherever a function or struct does not say otherwise.
//
// Ownership
// - Handles are opaque. What a function returns whose name ends in _new, _load, _parse, _list or
//   _open belongs to the caller, who gives it to the function of the same family that ends in _free
//   or _close; that accepts NULL. Everything else that a function returns belongs to the handle
//   that was asked, and lives as long as that handle.
// - A handle must not outlive what it was made from: free jobs first, then tunes and spaces, then
//   stores and devices, then specs. Strings and arrays in arguments are copied where they are kept.
//
// Errors
// - A function that can fail returns false, NULL or HONE_BROKEN and fills the caller's hone_error
//   (which may be NULL). The error must be clear when it is passed (HONE_ERROR_INIT): a first error
//   is never overwritten. Its text is complete: file, path inside it, reason, remedy.
// - After a failure every handle can still be used and freed. Running out of memory is an error
//   like any other.
//
// Structs
// - A struct that may grow at its end begins with its size, which its _INIT macro sets: a program
//   that was built with an older, shorter one works with a newer library. Members that the program
//   does not know are 0 to the library; members that the library does not know must be 0, and are
//   refused otherwise. Where the library fills such a struct it writes no more than its size.
//   hone_error and hone_log never grow. Enumerations may: expect unknown enumerators.
//
// Units and texts
// - Times end in _ns (nanoseconds; _ms: milliseconds), sizes in _bytes.
// - Texts are UTF-8 and end with a NUL. Lists of texts end with NULL, and NULL is an empty list. A
//   function with a pair (out, size) works as snprintf(): it writes at most size bytes, NUL
//   included, and returns the length of the whole text; out may be NULL when size is 0. Without
//   memory it returns 0 and writes an empty text.
// - A configuration is an array of hone_spec_parameters() value indices, one a parameter, in the
//   spec's order. A restriction is not part of it: it may be invalid.
// - An index that is out of range is the caller's fault, and is not checked, unless the function
//   says what it answers.
//
// Threads, callbacks, and what the library does to a process
// - A handle is used by one thread at a time. Handles that were not made from each other are
//   independent. A spec may be shared by threads once it is loaded, and so may devices (without
//   keep_worker).
// - Callbacks are called by the thread that called the function, before it returns, and never from
//   another thread or a signal handler. A callback may use any other handle, and read the one it
//   was called for (of a store also query it); it must not step, close or free that one, and must
//   not leave by longjmp() or a C++ exception. What it is given lives until it returns.
// - No function waits for another process, a device or a user but for those that say so, with the
//   bound. All others take as long as they compute, or as a local disk takes.
// - The library never prints, never exits, installs no signal handler, reads no environment
//   variable, and loads no GPU driver: drivers live in the worker processes. But for those it
//   starts none, and it starts no thread.
#ifndef HONE_HONE_H
#define HONE_HONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
// C++ has designated initialisers from C++20 on only.
template <typename T> inline T hone_sized()
{
    T t = T();
    t.size = sizeof t;
    return t;
}
#define HONE_SIZED(type) hone_sized<type>()
extern "C" {
#else
#define HONE_SIZED(type)                                                                           \
    {                                                                                              \
        .size = sizeof(struct type)                                                                \
    }
#endif

#if defined(__GNUC__)
#define HONE_API __attribute__((visibility("default")))
#else
#define HONE_API
#endif

// ---- versions and errors -----------------------------------------------------------------------

// The version of this header. While MAJOR is 0 another MINOR is another interface, afterwards
// another MAJOR is; until then structs, enumerations and functions are only added.
#define HONE_VERSION_MAJOR 0
#define HONE_VERSION_MINOR 2
#define HONE_VERSION_PATCH 0
#define HONE_VERSION_NUMBER                                                                        \
    (HONE_VERSION_MAJOR * 10000 + HONE_VERSION_MINOR * 100 + HONE_VERSION_PATCH)

// The library's version, such as "0.2.0".
HONE_API const char *hone_version(void);

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
    int driver; // the driver's own code; 0 if there is none
    char text[4096];
};

#define HONE_ERROR_INIT                                                                            \
    {                                                                                              \
        HONE_ERROR_NONE, 0, ""                                                                     \
    }

// Does the library at hand have the interface of the header that the program was built with? A
// program that may meet another library asks this first: hone_check_version(HONE_VERSION_NUMBER,
// &e).
HONE_API bool hone_check_version(int number, struct hone_error *e);

// A message of the library: one line without a newline. HONE_DEBUG: an event inside hone (a frame to or from a worker, a state
// of one), some tens for each configuration, of use to who looks for a fault in hone.
enum hone_level { HONE_NOTE, HONE_WARNING, HONE_DEBUG };
struct hone_log {
    void (*notice)(void *context, enum hone_level level, const char *message);
    void *context;
};

// ---- specs -------------------------------------------------------------------------------------

struct hone_spec;

struct hone_spec_options {
    size_t size;
    const char *const *set;     // (optional) overrides constants: "WIDTH=512", ...
    const struct hone_log *log; // (optional) hears of unknown keys
    bool strict;                // what the T1 schema refuses is an error
};
#define HONE_SPEC_OPTIONS_INIT HONE_SIZED(hone_spec_options)

// Reads a spec; `o` may be NULL. Reading one opens no kernel file.
HONE_API struct hone_spec *hone_spec_load(const char *path, const struct hone_spec_options *o,
                                          struct hone_error *e);
// The same from memory. `folder` is where the spec's files (kernels, data) are; NULL: the working
// directory. `name` stands for the file's name, in errors and if the spec does not name itself.
HONE_API struct hone_spec *hone_spec_parse(const char *text, size_t length, const char *folder,
                                           const char *name, const struct hone_spec_options *o,
                                           struct hone_error *e);
HONE_API void hone_spec_free(struct hone_spec *s);
HONE_API const char *hone_spec_name(const struct hone_spec *s);
HONE_API const char *hone_spec_path(const struct hone_spec *s); // as it was given

// How many parameters there are, and for one of them (index < that) its name, its type ("int",
// "uint", "float", "bool", "string", or "mixed": each value of its own), how many values it has, and one of them as text ("16",
// "0.5", "float4"; of a mixed one as a literal of Python: "2", "2.5", "True", "'float4'").
HONE_API size_t hone_spec_parameters(const struct hone_spec *s);
HONE_API const char *hone_spec_parameter(const struct hone_spec *s, size_t parameter);
HONE_API const char *hone_spec_type(const struct hone_spec *s, size_t parameter);
HONE_API size_t hone_spec_values(const struct hone_spec *s, size_t parameter);
HONE_API size_t hone_spec_value(const struct hone_spec *s, size_t parameter, size_t value,
                                char *out, size_t size);

// Constants, with the caller's overrides: how many, the name of one, its value as text; and all of
// them as "WIDTH=256, ...", sorted by name.
HONE_API size_t hone_spec_constants(const struct hone_spec *s);
HONE_API const char *hone_spec_constant(const struct hone_spec *s, size_t constant);
HONE_API size_t hone_spec_constant_value(const struct hone_spec *s, size_t constant, char *out,
                                         size_t size);
HONE_API size_t hone_spec_constants_text(const struct hone_spec *s, char *out, size_t size);

// The metrics that follow from a time: how many there are, and the name of one ("GFLOP/s").
HONE_API size_t hone_spec_metrics(const struct hone_spec *s);
HONE_API const char *hone_spec_metric(const struct hone_spec *s, size_t metric);

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

// The facts of a device. Made by the library only.
struct hone_device {
    size_t size; // of what the library knows
    const char *name, *vendor, *platform, *driver;
    const char *language; // "opencl", "cuda"
    const char *id;       // finds it again among others of one name
    const char *compiler; // what builds kernels, with its version
    enum hone_device_type type;
    uint32_t compute_units;
    uint32_t subgroup_size; // of a warp; 0: not known
    uint32_t capability;    // CUDA's compute capability times 10; 0: none
    uint64_t global_bytes;
    uint64_t local_bytes; // of a work-group
    uint64_t max_group_size;
    uint64_t timer_ns; // resolution of event times
};

// How worker processes are started.
struct hone_worker {
    size_t size;
    // NULL: the worker that lies beside the library or was installed with it, wherever that tree
    // was moved. An application that contains a static libhone names it, or lies in the tree's bin
    // itself.
    const char *program;
    // NAME=VALUE additions. Workers keep temporary files in a folder that is made for them in the
    // TMPDIR given here, else in /tmp, and removed after them; or, when HONE_WORKER_SCRATCH is
    // given here, in that folder, which is the caller's.
    const char *const *environment;
};
#define HONE_WORKER_INIT HONE_SIZED(hone_worker)

struct hone_devices_options {
    size_t size;
    const struct hone_worker *worker; // (optional)
    const struct hone_spec *spec;     // (optional) only drivers of its languages are started
    const char *language;             // (optional) only this one's
    // The worker that lists them stays, and the first tune on one of them that names no other
    // worker goes on with it: a driver is started once less. Such devices belong to one thread, and
    // are freed after their tunes.
    bool keep_worker;
};
#define HONE_DEVICES_OPTIONS_INIT HONE_SIZED(hone_devices_options)

// Asks a worker for the devices of this machine; `o` may be NULL. Takes as long as the drivers take
// to start, a minute at most, and that worker's end, ten seconds at most. A machine without devices
// gives an empty list.
HONE_API struct hone_devices *hone_devices_list(const struct hone_devices_options *o,
                                                struct hone_error *e);
HONE_API void hone_devices_free(struct hone_devices *d);
// The same, if the process ends right after it: workers are told to end, but not waited for.
HONE_API void hone_devices_leave(struct hone_devices *d);
// With keep_worker: that worker opens a GPU of the list while the caller makes the spec and the tune, and waits for nothing.
// A tune on another one starts a worker of its own. What goes wrong the tune says.
HONE_API void hone_devices_open(struct hone_devices *d, const struct hone_device *device);
HONE_API size_t hone_devices_count(const struct hone_devices *d);
// NULL from hone_devices_count() on.
HONE_API const struct hone_device *hone_devices_get(const struct hone_devices *d, size_t index);
// Why a device that one would expect is not in the list, one line each; NULL from `index` on.
HONE_API const char *hone_devices_note(const struct hone_devices *d, size_t index);
// The device that `wanted` names: a part of its name, platform or id, case ignored; one whose
// name or id it equals wins; an error when it fits none or several. NULL: the only device, else the
// first discrete GPU, integrated GPU, CPU, accelerator, by name and id among equals; an error when
// the list is empty. A card that several languages or drivers offer is one device here: the view
// that stands first is taken. A host that compiles C counts where the list is of that language.
HONE_API const struct hone_device *hone_devices_pick(const struct hone_devices *d,
                                                     const char *wanted, struct hone_error *e);
// The same among the devices that run the spec, in `language` ("opencl", "cuda"), or NULL: the
// first of the spec's languages that the device can run. Also an error when the spec has no kernel
// in it. A device's language is the one that a tune with it uses. A spec that does not say its
// language has its kernel file opened here.
HONE_API const struct hone_device *hone_devices_pick_for(const struct hone_devices *d,
                                                         const struct hone_spec *s,
                                                         const char *language, const char *wanted,
                                                         struct hone_error *e);

// ---- spaces ------------------------------------------------------------------------------------

struct hone_space;

struct hone_space_options {
    size_t size;
    const struct hone_device *device;  // (optional) without one facts of it are 0 or ""
    const char *const *configurations; // (optional) "a=1,b=2", ...: only what agrees with one
    const char *const *where;          // (optional) further restrictions
};
#define HONE_SPACE_OPTIONS_INIT HONE_SIZED(hone_space_options)

// `o` may be NULL. A space without a valid configuration is not an error here.
HONE_API struct hone_space *
hone_space_new(const struct hone_spec *s, const struct hone_space_options *o, struct hone_error *e);
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

// The effect of one restriction.
struct hone_restriction {
    size_t size;
    const char *text; // the expression
    const char *path; // where it stands in the spec
    uint64_t alone;   // combinations that it excludes by itself; UINT64_MAX: too many to count
    uint64_t faults;  // assignments for which it has no value (a division by zero, ...)
};
#define HONE_RESTRICTION_INIT HONE_SIZED(hone_restriction)
// The restrictions: the spec's, then those of the options. Returns false if index >= their number.
HONE_API size_t hone_space_restrictions(const struct hone_space *sp);
HONE_API bool hone_space_restriction(const struct hone_space *sp, size_t index,
                                     struct hone_restriction *out);

// ---- jobs --------------------------------------------------------------------------------------

// One configuration made concrete: what the compiler gets and what is launched.
struct hone_job;

// Reads the kernel's sources and makes the job of one configuration, which may be invalid, for this
// device; `log` may be NULL. Nothing is built.
HONE_API struct hone_job *hone_job_new(const struct hone_spec *s, const struct hone_device *device,
                                       const uint32_t *configuration, const struct hone_log *log,
                                       struct hone_error *e);
HONE_API void hone_job_free(struct hone_job *j);

// A text that the compiler gets.
struct hone_program {
    size_t size;
    const char *name;           // of the kernel's file
    const char *source;         // as compiled, the spec's files joined; not preprocessed
    size_t source_bytes;        // without a NUL, which stands behind them
    const char *const *options; // one word each, as the compiler sees them, ended by NULL
};
#define HONE_PROGRAM_INIT HONE_SIZED(hone_program)
HONE_API size_t hone_job_programs(const struct hone_job *j);
HONE_API bool hone_job_program(const struct hone_job *j, size_t index, struct hone_program *out);

// A file that a program includes.
struct hone_file {
    size_t size;
    const char *path; // as the compiler finds it
    const char *text;
    size_t text_bytes;
};
#define HONE_FILE_INIT HONE_SIZED(hone_file)
// Returns false if index >= number of the program's files.
HONE_API bool hone_job_file(const struct hone_job *j, size_t program, size_t index,
                            struct hone_file *out);

struct hone_launch {
    size_t size;
    const char *name, *kernel;
    uint32_t program;    // index
    uint32_t dimensions; // 1 to 3
    uint64_t global[3];  // work-items
    uint64_t local[3];   // of a work-group; all 0: the driver chooses
};
#define HONE_LAUNCH_INIT HONE_SIZED(hone_launch)
// In the order in which they run.
HONE_API size_t hone_job_launches(const struct hone_job *j);
HONE_API bool hone_job_launch(const struct hone_job *j, size_t index, struct hone_launch *out);

struct hone_buffer {
    size_t size;
    const char *name;
    const char *type;     // of its components: "float"
    uint64_t count;       // elements
    uint64_t total_bytes; // of all of them
    bool is_output;
    bool has_contents; // before the launch: hone_job_contents()
};
#define HONE_BUFFER_INIT HONE_SIZED(hone_buffer)
HONE_API size_t hone_job_buffers(const struct hone_job *j);
HONE_API bool hone_job_buffer(const struct hone_job *j, size_t index, struct hone_buffer *out);
// Writes what a buffer holds before the launch, bit for bit: its total_bytes, which `size` must be. A buffer that the
// kernel only writes has no contents, which is an error. Takes as long as they take to compute or to read.
HONE_API bool hone_job_contents(const struct hone_job *j, size_t buffer, void *out, size_t size,
                                struct hone_error *e);

// ---- records -----------------------------------------------------------------------------------

// The result of one configuration, in a tune or in a store. A failure is a record, not an error.
// The records of a tune live as long as it; those of a store until the callback returns. When a
// tune's search is over, the likely best are launched again, interleaved: the samples of these
// records, and everything computed from them, are then those of this ranking, and a configuration
// that fails in it is a failure.
struct hone_record;

enum hone_status {
    HONE_CORRECT,     // ran, and its result was compared with the reference, if there is one
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
// The end of the output of the kernel and its worker; or "".
HONE_API const char *hone_record_output(const struct hone_record *r);
HONE_API const char *hone_record_configuration(const struct hone_record *r); // as hone_spec_text()
HONE_API const char *hone_record_json(const struct hone_record *r);          // as hone_spec_json()
// The configuration; NULL where a stored one has values that the spec no longer has, or no spec was
// given.
HONE_API const uint32_t *hone_record_choice(const struct hone_record *r);
HONE_API uint64_t hone_record_index(const struct hone_record *r); // in the space of its tune
// Was it compared with a reference, and is it correct? A spec may have none: agreement with the
// default configuration, which may be wrong itself, does not count.
HONE_API bool hone_record_verified(const struct hone_record *r);
// Does it come from the store, or from an identical configuration?
HONE_API bool hone_record_reused(const struct hone_record *r);
// A time exists only for a correct configuration that was measured: otherwise false, and nothing is
// written.
HONE_API bool hone_record_median(const struct hone_record *r, double *median_ns);
// The 95 % interval of the median; false also with fewer than six samples.
HONE_API bool hone_record_interval(const struct hone_record *r, double *low_ns, double *high_ns);
// Where a record stands in the ranking: its time by the winner's, within rounds (1.05: five per
// cent slower), with an interval that holds for all finalists together; low and high may be NULL.
// False when it was not ranked: its median does not compare with those that were.
HONE_API bool hone_record_ratio(const struct hone_record *r, double *ratio, double *low,
                                double *high);
// Is it tied with the winner of the ranking? False when it was not ranked.
HONE_API bool hone_record_tied(const struct hone_record *r);
// All samples in the order in which they were taken; returns their number.
HONE_API size_t hone_record_samples(const struct hone_record *r, const uint64_t **samples_ns);
// The value of one of the spec's metrics at the median; returns false if it has none.
HONE_API bool hone_record_metric(const struct hone_record *r, size_t metric, double *value);
// The value of one of the tune's objectives (from 0, in their order) at the median; returns false
// if it is not known, or there is no such objective.
HONE_API bool hone_record_objective(const struct hone_record *r, size_t objective, double *value);
// With several objectives: is no other record so far at least as good in all of them, and better in
// one? Among identical configurations only the measured one is.
HONE_API bool hone_record_pareto(const struct hone_record *r);

// The resources that one launch of the kernel takes; -1 if the driver does not report it.
struct hone_resources {
    size_t size;
    int64_t registers; // of a work-item
    int64_t spill_bytes;
    int64_t local_bytes; // of a work-group, static and dynamic
    int64_t private_bytes;
    int64_t constant_bytes;
    int64_t preferred_multiple; // of the work-group's size
    int64_t max_group_size;     // of this kernel
    int64_t groups_per_unit;    // work-groups that a compute unit holds at once
};
#define HONE_RESOURCES_INIT HONE_SIZED(hone_resources)
// Returns false if nothing is known of this launch, or there is no such launch.
HONE_API bool hone_record_resources(const struct hone_record *r, size_t launch,
                                    struct hone_resources *out);

// A GPU around the timed launches: before the first and after the last, while it is still busy.
struct hone_gpu {
    size_t size;
    uint32_t mhz_before, mhz_after; // of the multiprocessors
    uint32_t memory_mhz;
    uint32_t milliwatts;
    uint32_t celsius;
};
#define HONE_GPU_INIT HONE_SIZED(hone_gpu)
// False if no management library (NVML) reported anything.
HONE_API bool hone_record_gpu(const struct hone_record *r, struct hone_gpu *out);

// Where the time of a configuration went, by the wall clock; what the store or an identical configuration answered has its first
// measurement's.
struct hone_times {
    size_t size;
    uint64_t build_ns, load_ns;
    uint64_t inputs_ns, reference_ns; // of the first configuration that needed them
    uint64_t verify_ns, measure_ns;
};
#define HONE_TIMES_INIT HONE_SIZED(hone_times)
HONE_API void hone_record_times(const struct hone_record *r, struct hone_times *out);

// The comparison of one output with its expected values.
struct hone_deviation {
    size_t size;
    const char *name; // of the argument
    bool is_right;
    double norm;          // of the difference, by that of the reference
    double largest;       // difference
    uint64_t index;       // where that is
    double got, expected; // there
    uint64_t wrong;       // components outside the tolerance
    uint64_t unwritten;   // that the reference writes
    uint64_t nans;
};
#define HONE_DEVIATION_INIT HONE_SIZED(hone_deviation)
// False from the number of compared outputs on.
HONE_API bool hone_record_deviation(const struct hone_record *r, size_t output,
                                    struct hone_deviation *out);

// All facts of a record, described and in one call: what hone learns later is here without a new function. Of the record
// those that `hone run --json` prints (`hone help json run`), named by their path ("median_ns", "times_ns.build"), but for
// what is a list or an object of free names, and index, choice, time_ns, metric_values, pareto, log, output, launches and
// compared_outputs; of each launch its resources; of each compared output how it compares, and how much was written.
enum hone_facts_of { HONE_OF_RECORD, HONE_OF_LAUNCH, HONE_OF_OUTPUT };
enum hone_value_kind { HONE_TEXT, HONE_FLAG, HONE_COUNT, HONE_NUMBER, HONE_PAIR, HONE_COUNTS };
struct hone_fact {
    size_t size;
    const char *name;
    enum hone_value_kind kind;
    const char *unit, *meaning; // "" where there is none
};
#define HONE_FACT_INIT HONE_SIZED(hone_fact)
struct hone_value {
    uint64_t is_known; // 0 or 1
    union {
        const char *text;
        uint64_t count;    // also a flag
        double number;     // also the lower of a pair
        const void *items; // uint64_t, or what the unit says
    };
    union {
        double high; // of a pair
        uint64_t item_count;
    };
};
struct hone_facts; // what is read lives in it until the next is read; one thread at a time uses it
HONE_API struct hone_facts *hone_facts_new(enum hone_facts_of of); // NULL: out of memory
HONE_API void hone_facts_free(struct hone_facts *f);
HONE_API bool hone_facts_get(const struct hone_facts *f, size_t index, struct hone_fact *out);
// One value for each fact; NULL if the record has no launch or output `index`.
HONE_API const struct hone_value *hone_facts_read(struct hone_facts *f, const struct hone_record *r,
                                                  size_t index);

// ---- stores ------------------------------------------------------------------------------------

// Every result ever measured, in one file. Several processes may use one file at once.
struct hone_store;

enum hone_store_mode {
    HONE_STORE_WRITE,    // created when missing, with its folders
    HONE_STORE_READ,     // a missing file is an error
    HONE_STORE_IMMUTABLE // shipped results that never change: nothing is made beside the file
};

// Where another process has the file locked, this and every function with a store waits for it, ten
// seconds at most, and then fails.
HONE_API struct hone_store *hone_store_open(const char *path, enum hone_store_mode mode,
                                            struct hone_error *e);
// Also those behind it.
HONE_API void hone_store_close(struct hone_store *st);
HONE_API const char *hone_store_path(const struct hone_store *st);
// Puts a store that is open for reading behind `st`, which owns it from then on: it answers where
// none before it does, and is never written. Without a store of one's own (`st` NULL) it is the
// first itself. Returns the whole.
HONE_API struct hone_store *hone_store_stack(struct hone_store *st, struct hone_store *behind);
// Reads back what this handle wrote: false where fewer results are there than were put, because
// another program removed them or the file does not keep what is written to it.
HONE_API bool hone_store_kept(struct hone_store *st, struct hone_error *e);

// The fastest correct configuration known for this spec with these constants, with the kernel's
// source and the device's driver as they are now. NULL device: of any device and driver, which need
// not be here. Where only a part of the space was tuned it is the best of that part. False without
// an error when nothing is known; `configuration` and `median_ns` are then left alone.
HONE_API bool hone_store_best(struct hone_store *st, const struct hone_spec *s,
                              const struct hone_device *device, uint32_t *configuration,
                              double *median_ns, struct hone_error *e);

// Where and when a stored record was measured. No text is NULL.
struct hone_origin {
    size_t size;
    const char *id;  // of the result: 32 hexadecimal digits; "" of one of hone_store_bests()
    const char *run; // of hone that measured it: likewise
    const char *command;
    const char *date; // ISO 8601, UTC
    const char *spec, *constants;
    const char *language, *device, *platform, *driver;
    const char *geometry; // launch sizes: "256x256 / 16x16"
    const char *hone_version;
    const char *file; // the store, where that is one behind; else ""
    const char *job;  // 64 hexadecimal digits, for hone_store_texts(): of all that may change the
                      // answer
};
#define HONE_ORIGIN_INIT HONE_SIZED(hone_origin)

// Which records are meant: all that is given must hold.
struct hone_query {
    size_t size;
    const struct hone_spec *spec;     // (optional) of the spec of this name, with its constants
    const struct hone_device *device; // (optional) of this device and driver
    const char *run;                  // (optional) of this run
    bool any_constants;               // of the spec with whatever constants
    bool correct_only;
};
#define HONE_QUERY_INIT HONE_SIZED(hone_query)

// Calls `each` for every record that is meant, the newest first, until it answers false. `q` may be
// NULL. With a spec whose constants are the record's there are metrics and a choice.
typedef bool hone_each_record(void *context, const struct hone_record *r,
                              const struct hone_origin *origin);
HONE_API bool hone_store_records(struct hone_store *st, const struct hone_query *q,
                                 hone_each_record *each, void *context, struct hone_error *e);

// One run of hone that measured something.
struct hone_run_info {
    size_t size;
    const char *id; // 32 hexadecimal digits
    const char *command;
    const char *date; // of its newest result
    const char *spec, *constants;
    const char *language, *device, *platform, *driver;
    const char *hone_version;
    uint64_t records, correct; // of those that are meant
};
#define HONE_RUN_INFO_INIT HONE_SIZED(hone_run_info)
// Likewise for every run that has such records.
typedef bool hone_each_run(void *context, const struct hone_run_info *run);
HONE_API bool hone_store_runs(struct hone_store *st, const struct hone_query *q,
                              hone_each_run *each, void *context, struct hone_error *e);

// The best that is known of the spec, for each device, language and set of constants, with whatever
// kernel source they were measured.
HONE_API bool hone_store_bests(struct hone_store *st, const struct hone_spec *s,
                               hone_each_record *each, void *context, struct hone_error *e);

// Calls `each` for the stored texts of a job (hone_origin.job), until it answers false: of kind
// "spec", "source", "include", and "reference" for those of a kernel that it was compared with.
typedef bool hone_each_text(void *context, const char *kind, const char *name, const char *text,
                            size_t length);
HONE_API bool hone_store_texts(struct hone_store *st, const char *job, hone_each_text *each,
                               void *context, struct hone_error *e);

// ---- tuning ------------------------------------------------------------------------------------

struct hone_tune;

#define HONE_RETRY_ALL UINT32_MAX

// Judges the outputs of a configuration before it is timed, for criteria that a spec's reference
// cannot express. `outputs` and `lengths` have an entry for each hone_job_buffer(), NULL and 0 if
// it is not an output. False makes it a wrong result, with `why` (size bytes at most, NUL included)
// as its message.
typedef bool hone_judge(void *context, const char *configuration, const void *const *outputs,
                        const size_t *lengths, size_t count, char *why, size_t size);

struct hone_tune_options {
    size_t size;
    const struct hone_spec *spec;      // needed
    const struct hone_device *device;  // needed
    const struct hone_worker *worker;  // (optional)
    struct hone_store *store;          // (optional) what it knows is not measured again
    const char *const *configurations; // (optional) "a=1,b=2", ...: only those that agree with one
    const char *const *where;          // (optional) further restrictions
    const char *strategy; // (optional) "random", "genetic:population=20"; NULL: the spec's, else
                          // by the budget. `hone help strategies` lists all
    const char *
        budget; // (optional) "60s" with the ranking ("60s+" without), "200", "10%", or several: "60s,200"
    const char *objective;   // (optional) what to optimise: "time", "max:GFLOP/s" (a metric of the
                             // spec), or several, separated by commas, whose Pareto set is found;
                             // NULL: the spec's, else the shortest time. If it is not the time, or
                             // the time in other words, there is no ranking, and every
                             // configuration is launched the same number of times
    const char *lock_folder; // where users of a device take turns; NULL: "/tmp"
    const struct hone_log *log; // (optional)
    const char *command, *host; // (optional) what the store shall say of this run
    const char *const *rules;   // (optional) constants of screening and ranking: "rounds=40", ...;
                                // `hone help tune` lists them
    // (optional) Called in a step, once for each configuration that the spec's reference does not
    // find wrong. The store does not know the judge, so `store` must be NULL. Outputs are read from
    // the device for it, two minutes at most beyond the step's timeout.
    hone_judge *judge;
    void *judge_context;
    // Input of the search: results of `store` and of `known` (optional: another store, such as one
    // that ships with a spec) for the space on another device or with other constants.
    struct hone_store *known;
    uint64_t seed;
    uint32_t jobs;       // builds at once; 0: as many as useful
    uint32_t iterations; // samples of each configuration, and no ranking; 0: the spec's, else as
                         // the rules say
    uint32_t retry; // failures with these statuses that the store knows do not answer: a set of
                    // 1 << status, or HONE_RETRY_ALL
    uint64_t build_limit_ns, launch_limit_ns; // 0: one minute, half a minute
    uint64_t driver_limit_ns; // for delays that are not a job's, such as a driver's start; 0: what
                              // is enough for those known
    uint64_t lock_wait_ns;    // for a device that another process uses, at a time; 0: ten minutes
    bool fresh;               // what the store knows does not answer
    bool reuse_unseen; // also what earlier runs found answers where the kernel includes files
                       // that hone does not find, and that may have changed since
    bool cold;         // caches are cleared before each launch
    bool unranked;     // no ranking at the end
    bool build_only;   // nothing runs, and nothing is stored
    bool leaving;      // the process ends right after hone_tune_free(): workers are ended, and
                       // not waited for
    bool no_transfer;  // what is known elsewhere is not
    // Workers are ended by hone_tune_free(), but not waited for: the next tune on these devices does so, or
    // hone_devices_free(). Only for devices with keep_worker and without `worker`.
    bool unawaited;
    // The part-th (from 0) of so many parts of the space, of about one size, of which each configuration is in one; with 0
    // or 1 parts all of it.
    uint32_t part, parts;
    const char *const
        *start_with; // (optional) "a=1,b=2", ...: asked first, and part of the budget;
                     // NULL: the spec's, if there are any
    const struct hone_places *places; // NULL; what the program itself shares the work among
    bool
        counters; // after all that is timed, what a launch of each finalist, or of hone_run_new()'s configuration, does is counted
};
#define HONE_TUNE_OPTIONS_INIT HONE_SIZED(hone_tune_options)

// Reads the kernel's sources, makes the space and starts the search. An empty space is an error
// that says why.
HONE_API struct hone_tune *hone_tune_new(const struct hone_tune_options *o, struct hone_error *e);
// A tune of one configuration, which must be valid: built, verified, measured, and ranked with
// nothing; with `fresh` it is launched seven times by default, without it the store may answer. Its
// energy is counted if a metric reads that. What ran here can be fetched until hone_tune_free().
HONE_API struct hone_tune *hone_run_new(const struct hone_tune_options *o,
                                        const uint32_t *configuration, struct hone_error *e);

enum hone_answer {
    HONE_BROKEN = -1, // cannot go on: the error says why. Records so far are valid
    HONE_NOTHING,     // nothing within the timeout
    HONE_RECORD,      // *record is new
    HONE_END          // search and ranking are over
};

// Works until a configuration is done, or for timeout_ms at most (0: only what can be done at
// once). Nothing else moves the tune: call it until it answers HONE_END or HONE_BROKEN. Any thread
// may take a step. A step never waits beyond its timeout: a worker that does not end and a device
// that is in use are checked again in the next one, and so is a store that another process has
// locked, after a tenth of a second. Its own computing, and the disk's time to write a result, come
// on top.
HONE_API enum hone_answer hone_tune_step(struct hone_tune *t, int timeout_ms,
                                         const struct hone_record **record, struct hone_error *e);
// Takes steps for timeout_ms, or until the search is over, for callers that read the records later
// (hone_tune_records()): never answers HONE_RECORD.
HONE_API enum hone_answer hone_tune_advance(struct hone_tune *t, int timeout_ms,
                                            struct hone_error *e);
// Ends the search after the running launch, without a ranking; hone_tune_step() soon answers
// HONE_END.
HONE_API void hone_tune_cancel(struct hone_tune *t);
// Ends the workers at once, and waits two seconds at most for all of them to be gone.
HONE_API void hone_tune_free(struct hone_tune *t);

struct hone_progress {
    size_t size;
    uint64_t valid;   // configurations of the space
    uint64_t planned; // those that the budget allows
    uint64_t done;    // records handed out
    uint64_t correct; // of them
    uint64_t reused;  // of them, from the store or identical to another
    uint64_t elapsed_ns;
    uint64_t left_ns;               // estimate; 0: not known yet
    const struct hone_record *best; // (or NULL) by the objective, so far; at the end, of those tied
                                    // in the ranking the one to take. NULL with several objectives
    uint64_t pareto;                // with several objectives: records of the Pareto set so far
    uint32_t building;              // jobs in build workers now
    bool measuring;
    const char *waiting; // (or NULL) why nothing is measured: "the device is in use by process
                         // 812"; until the next step
};
#define HONE_PROGRESS_INIT HONE_SIZED(hone_progress)
HONE_API void hone_tune_progress(const struct hone_tune *t, struct hone_progress *out);

// All records handed out so far, in that order; valid until the next step.
HONE_API const struct hone_record *const *hone_tune_records(const struct hone_tune *t,
                                                            size_t *count);

// The job of a record of this tune, as it was built. The caller's, to be freed before the tune.
HONE_API struct hone_job *hone_job_of_record_new(const struct hone_tune *t,
                                                 const struct hone_record *r, struct hone_error *e);

enum hone_fetched {
    HONE_FETCH_BUFFER, // what the kernel left in it: index of hone_job_buffer()
    HONE_FETCH_BINARY, // what the driver made of a program: index of hone_job_program()
    HONE_FETCH_PTX     // likewise; its binary, where that is PTX or the driver makes none
};
// Fetches from the correct record of hone_run_new(), unless the store answered. The bytes live
// until the next call. Waits for the worker to read them, two minutes at most.
HONE_API bool hone_tune_fetch(struct hone_tune *t, const struct hone_record *r,
                              enum hone_fetched what, uint32_t index, const void **bytes,
                              size_t *length, struct hone_error *e);

#ifdef __cplusplus
}
#endif

#endif
