// A spec: what to tune. Read once, never changed. Reading one never opens its kernel file.
//
// JSON, a superset of the T1 format; every dialect is read leniently, unknown keys are warnings
// with their path, `strict` means the T1 schema. Every error names the file, the path inside it,
// the column inside an expression, and what would be right.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/log.h"
#include "expr/expr.h"
#include "model/device_info.h"
#include "model/job.h"

// Parameters, constants and derived parameters of one spec together.
enum { SPEC_NAMES_LIMIT = 2000 };

#define PARAMETER_TYPES(X)                                                                         \
    X(INT, "int")                                                                                  \
    X(UINT, "uint")                                                                                \
    X(FLOAT, "float")                                                                              \
    X(BOOL, "bool")                                                                                \
    X(STRING, "string")                                                                            \
    X(MIXED, "mixed")

enum parameter_type {
#define X(name, text) PARAMETER_##name,
    PARAMETER_TYPES(X)
#undef X
};

// The type of a parameter that states none: that of its values; MIXED, each of its own kind, where they differ.
enum parameter_type parameter_type_of(const struct value *values, uint32_t count);

struct parameter {
    const char *name;
    const char *path; // "ConfigurationSpace.TuningParameters[2]"
    enum parameter_type type;
    const struct value *values; // distinct, in the spec's order
    uint32_t count;             // > 0
    uint32_t initial;           // index of Default; 0 when none is given
    bool has_default;
};

struct constant {
    const char *name;
    const char *path;
    struct value value;
};

// A named expression with where it stands. For restrictions, derived parameters, metrics.
struct formula {
    const char *name; // NULL for a restriction
    const char *path; // "ConfigurationSpace.Conditions[3].Expression"
    const char *text;
    const struct expr *expr;
};

// Slots of every expression of the spec, in this order: parameters, constants, derived parameters,
// device facts, special names (ProblemSize, and for metrics time_ns).
struct spec_slots {
    uint32_t parameters, constants, derived, facts, special; // first slot of each group
    uint32_t count;
};

// An objective of a tune: the shortest launch, or the least or greatest value of a metric.
#define OBJECTIVE_TIME UINT32_MAX
struct objective {
    const char *name; // "time", or the metric's
    uint32_t metric;  // index; OBJECTIVE_TIME
    bool maximise;
};

struct spec {
    const char *path;      // as given
    const char *directory; // of the file; kernel files are relative to it
    const char *name; // of the spec: General.BenchmarkName, else the file's name without ending
    const char *text; // the whole file
    uint64_t text_length;
    struct digest digest; // of the text

    const struct parameter *parameters;
    const struct constant *constants;
    const struct formula *derived;
    const struct formula *restrictions;
    // In the spec's order; the first is shown in tables. One without an expression is what a
    // recording calls so: its values are recorded, too.
    const struct formula *metrics;
    uint32_t parameter_count, constant_count, derived_count, restriction_count, metric_count;
    uint32_t iterations; // 0: not given
    struct expr_symbols symbols;
    struct spec_slots slots;

    // Search defaults, which the command line overrides: budget count, seconds or fraction; 0:
    // none.
    double budget_count, budget_seconds, budget_fraction;
    const char *strategy;                   // (optional) as written: it may be another tuner's
    const char *const *strategy_attributes; // "population=20", ...
    const struct objective *objectives;     // 0: least time
    const char *const *start_with;          // "a=1,b=2", ...: as written
    uint32_t strategy_attribute_count, objective_count, start_count;
    // (optional) A parameter whose value list reads device facts, if the spec was read without a
    // device: its list is not known, and neither spaces nor jobs can be made.
    const struct parameter *unbound;
    const struct spec_held *held; // (optional) the arguments of spec_hold_against()
    const char *const *set;       // spec_options.set of a short one
    uint32_t set_count;
    bool uses_device; // a restriction, derived or value list reads a device fact
    bool uses_energy; // a metric reads joule
    bool extended;    // a key of hone's own stands in it: else it is as others write T1
    bool partial;     // struct job
    bool
        is_short; // in the short form: no job is made of it before its kernel's source completes it
    const char *folder;        // spec_parse()'s; NULL: the file's own
    struct spec_message *told; // what was said when it was read

    const struct device_info *device; // (optional) spec_options
    struct spec_digests *digests;     // (optional) of data files: spec_options
    const struct kernel_spec *kernel; // languages, launches, arguments: private to src/core/problem
    struct arena arena;
};

// Digests of data files by what the files were, for specs that are read several times with other
// constants: a file that is still the same is not hashed anew. Zeroed there are none. For one thread
// at a time; outlives the specs that it is given to.
struct spec_digests {
    struct arena arena;
    struct spec_digest *first;
};
void spec_digests_release(struct spec_digests *d);

struct spec_options {
    const char *const *set; // "WIDTH=512", ...: overrides constants
    uint32_t set_count;
    bool strict;
    const struct log *log;        // warnings
    struct spec_digests *digests; // (optional)
    // (optional) Whose facts value lists may read (struct spec, `unbound`); outlives the spec.
    const struct device_info *device;
    bool refuses_commands; // a spec whose kernel is a program, or is generated by one, is refused
};

// "LINE:COLUMN" of the path in the spec's document that the message begins with ("A.B[3].C: ..."), or of as much of it
// as stands there; nothing if none of it does.
void spec_place(const struct spec *s, const char *message, struct text *out);
// Puts the spec's file in front of the error, with the place of the path that it begins with: "a.json:7:5: ". Always
// false.
bool spec_error(const struct spec *s, struct error *e);
// Tells the log the same of a message.
void spec_warn(const struct spec *s, const struct log *log, enum log_level level,
               const char *format, ...) __attribute__((format(printf, 4, 5)));
#ifdef __clang_analyzer__ // see error.h
#define spec_error(...) (spec_error(__VA_ARGS__), false)
#endif

// False, with the error, if the spec must be read again with a device.
bool spec_is_bound(const struct spec *s, struct error *e);

struct spec *spec_load(const char *path, const struct spec_options *options, struct error *e);
// The same from memory; copies the text. `folder` is searched for its files (NULL: the
// working directory), `name` stands for the file's in messages, and if the spec does not name
// itself (NULL: "spec").
struct spec *spec_parse(const char *text, size_t length, const char *folder, const char *name,
                        const struct spec_options *options, struct error *e);
// The same text once more with other options, whatever its file holds by now.
struct spec *spec_read_again(const struct spec *s, const struct spec_options *options,
                             struct error *e);
// A spec of parameters alone, as a recorded space has them: no kernel, sizes, restrictions or
// metrics; the name stands for its path, too. Copies everything; a parameter's path may be NULL.
struct spec *spec_bare(const char *name, const struct parameter *parameters, uint32_t count,
                       struct error *e);
void spec_free(struct spec *s);

// The spec in T1, the format that other tuners read, as JSON with a line end: the same space, jobs and keys; comments are not
// kept. To complete a short form the kernel's source is read. False, with the file named, where it cannot be converted.
bool spec_to_t1(const struct spec *s, const struct log *log, struct text *out, struct error *e);
// Is it a program that commands build and run? Or does a command print a kernel's text?
bool spec_is_program(const struct spec *s);
bool spec_is_generated(const struct spec *s);
// The relative norm of the error that a candidate of a judge may have in this argument, as the spec sets it; 0: it does not.
double spec_precision(const struct spec *s, const char *argument);

// Warns of sizes that cannot be read: only jobs need them, and making jobs reports them as errors
// in spec_sources_read().
void spec_warn_of_sizes(const struct spec *s, const struct log *log);

// The languages that the spec has a kernel in, its own first.
struct spec_languages {
    enum language list[LANGUAGE_COUNT];
    uint32_t count; // at least 1
};
// Language, Languages, KernelFile and the files' endings tell it. If all of them are silent the
// kernel's source decides, by `__kernel` or `__global__`: then, and only then, this opens the
// kernel's files. False if that fails, or the text does not tell.
bool spec_languages(const struct spec *s, struct spec_languages *out, struct error *e);
// The error says which languages there are.
bool spec_check_language(const struct spec *s, enum language l, struct error *e);
// The same without looking into the text: if that is to decide, every language may be it.
bool spec_has_language(const struct spec *s, enum language l);
// Is the language's When true for the device? If it has no value a job will report it.
bool spec_language_fits(const struct spec *s, enum language l, const struct device_info *device);

// ---- binding -----------------------------------------------------------------------------------

// Fills the slots of constants, facts (device may be NULL: facts are 0 or "") and specials. Slots
// of parameters and derived ones are left alone. `slots` has spec->slots.count values.
void spec_bind_fixed(const struct spec *s, const struct device_info *device, struct value *slots);
// Sets the parameters' slots from value indices, then evaluates the derived ones in order. False
// with the derived parameter that has no value (fault).
bool spec_bind(const struct spec *s, const uint32_t *choice, struct value *slots,
               struct arena *scratch, uint32_t *derived, enum expr_fault *fault);
// The same with a bound, as that of expr_eval_within().
bool spec_bind_within(const struct spec *s, const uint32_t *choice, struct value *slots,
                      struct arena *scratch, uint64_t *steps, uint32_t *derived,
                      enum expr_fault *fault);

// May no parameter, constant or derived parameter be called so: a word of the expression language, or a macro of hone's own?
bool spec_name_is_reserved(const char *name);

// The value as the text of a macro; nothing of a list.
void define_text(const struct value *v, struct text *out);
// "block_size_x=16, tile_size_x=2": parameters in order; those with one value only are left out
// unless `all`.
void spec_configuration_text(const struct spec *s, const uint32_t *choice, bool all,
                             struct text *out);
// {"block_size_x": 16, ...}: all parameters in order.
void spec_configuration_json(const struct spec *s, const uint32_t *choice, struct text *out);
// "WIDTH=256, ...", sorted by name; "" when there are none.
void spec_constants_text(const struct spec *s, struct text *out);
// Reads "a=1,b=2" into choice: parameters not named keep their `choice` value (UINT32_MAX: unset).
// Errors: unknown parameter (near match), value not in the list (the list is named).
bool spec_parse_configuration(const struct spec *s, const char *text, uint32_t *choice,
                              struct error *e);
// The default configuration: each parameter's Default (or first value). May be invalid.
void spec_default(const struct spec *s, uint32_t *choice);
// The default with these values in place of its own ("": none), in the arena. NULL: an error.
uint32_t *spec_choice(const struct spec *s, const char *values, struct arena *a, struct error *e);

// One launch as it was measured.
struct spec_measured {
    double time_ns;
    double joule;           // NaN: not known; metrics that use it have no value
    const double *recorded; // (or NULL) of metrics without an expression, by index; NaN: no value
};
// A metric's value for a configuration; false when it has none.
bool spec_metric(const struct spec *s, uint32_t metric, const uint32_t *choice,
                 const struct device_info *device, const struct spec_measured *measured,
                 double *out);
bool spec_metric_uses_energy(const struct spec *s, uint32_t metric);
// Its value depends on the time alone: it reads neither parameters nor energy.
bool spec_metric_is_of_time(const struct spec *s, uint32_t metric);

// Reads "time", "min:time", "max:GFLOP/s", several separated by commas; each is added to out[0 ..
// *count), which has room for OBJECTIVES_MOST. Without a direction it is the time. The error names
// what is near, or what there is; one that comes twice is refused.
#define OBJECTIVES_MOST 8
bool spec_objectives(const struct spec *s, const char *text, struct objective *out, uint32_t *count,
                     struct error *e);

// ---- making jobs -------------------------------------------------------------------------------

// The files read for a language: kernel sources with their includes, data files. Read once for a
// run, so that changes in between do not mix. Checks the sources against the spec: refuses a
// parameter or constant that the source defines itself without an #ifndef guard (file and line),
// warns of one that neither source, sizes nor arguments use.
struct spec_sources;
// Warns once of files that the compiler may read and that are not found; jobs then have
// job_program.run. `device` (optional) gives the folders of its compiler's own headers.
struct spec_sources *spec_sources_read(const struct spec *s, enum language l,
                                       const struct device_info *device, const struct log *log,
                                       struct error *e);
// Shares the files, unread, with `s`: the same spec with other constants. Freed before `src`.
struct spec_sources *spec_sources_share(const struct spec_sources *src, const struct spec *s,
                                        struct error *e);
void spec_sources_free(struct spec_sources *src);
// Absolute paths of the kernels' sources and their includes, from 0 on; NULL: there are no more.
const char *spec_sources_path(const struct spec_sources *src, uint32_t index);
// Paths of the data files (fills, expected outputs) as they were opened, likewise.
const char *spec_sources_data(const struct spec_sources *src, uint32_t index);
// Digest of all kernel texts and includes alone.
void spec_sources_digest(const struct spec_sources *src, struct digest *out);

// The baseline of the speed-up: the spec's default (a parameter without one takes its first value),
// or the first valid configuration if the restrictions exclude it. False if none was found.
bool spec_baseline(const struct spec_sources *src, const struct device_info *device,
                   uint32_t *choice);
// Are results compared with the default configuration, for want of another reference? Then `choice`
// is it: the spec's default, the first valid one if it has none, or its stand-in.
bool spec_default_reference(const struct spec_sources *src, const struct device_info *device,
                            uint32_t *choice);
// Compares results with this configuration from now on. False without memory.
bool spec_stand_in(struct spec_sources *src, const uint32_t *choice);

// Compares results with these files (.npy, or elements as they are) from now on, in place of the
// spec's reference: one for each output that is compared. `by` names their origin in messages. To
// be called before any sources are read.
struct spec_contents {
    const char *argument, *file;
};
bool spec_hold_against(struct spec *s, const char *by, const struct spec_contents *contents,
                       uint32_t count, struct error *e);

// Makes the job of one configuration. The job points into `src` (kernel texts, data files), so the
// sources are freed after the jobs. False with a reason (bad size, fault in an expression) that
// names the path in the spec. `*out` is the caller's, job_free().
bool spec_job(const struct spec *s, const struct spec_sources *src,
              const struct device_info *device, const uint32_t *choice, struct job **out,
              struct error *e);

// Are texts of this spec printed by a command, one for each configuration?
bool spec_generates(const struct spec_sources *src);
// Begins to make the texts of a configuration, or goes on with them. True once spec_job() would not wait for them, and nothing
// that makes them is left; with an error, if a command could not be started for a reason that is not the configuration's.
bool spec_texts_are_made(const struct spec_sources *src, const struct device_info *device,
                         const uint32_t *choice, struct error *e);
// Stops those that are being made until they are asked for again.
void spec_texts_pause(const struct spec_sources *src);
// Ends those that are being made.
void spec_texts_drop(struct spec_sources *src);

// The job of a vendor's routine (job.h) that computes the spec's gemm in place of its kernel:
// sizes, buffers and reference are those of the configuration. `src` may be of any language. False,
// with the reason, if the spec's reference is not a gemm of floats.
bool spec_routine_job(const struct spec *s, const struct spec_sources *src,
                      const struct device_info *device, const uint32_t *choice,
                      enum routine routine, const char *library, struct job **out, struct error *e);
// NULL, or why no routine can be set against the spec (static text).
const char *spec_no_routine(const struct spec *s);

// A digest of what the device will really run: the live text of the sources (dead conditional
// branches dropped if the -D values decide them), those -D values that the live text can see,
// options, launch geometry and arguments. Equal digests mean the same work: such configurations
// are measured once. Errs on the side of "different".
bool spec_effective_digest(const struct spec *s, const struct spec_sources *src,
                           const struct job *job, struct digest *out);

// The keys of the format: what the reader knows, for documents and a test that holds
// src/doc/spec-t1.md against them. `accepts`, `items` are sets of enum key_kind.
enum key_kind {
    KEY_OBJECT = 1,
    KEY_ARRAY = 2,
    KEY_STRING = 4,
    KEY_INTEGER = 8,
    KEY_REAL = 16,
    KEY_BOOL = 32,
    KEY_NULL = 64,
    KEY_NUMBER = KEY_INTEGER | KEY_REAL,
    KEY_ANY = 127 // anything, not looked into
};

struct spec_key {
    const char *path; // "KernelSpecification.Arguments[].FillType"; ".*" stands for any name
    const char *type;
    const char *fallback; // default, as text
    const char *meaning;
    unsigned accepts;      // JSON types
    unsigned items;        // of an array's items
    unsigned strict;       // JSON types in the T1 schema; 0: not a T1 key
    unsigned strict_items; // of an array's items in T1; 0: as items
    const char *choices;   // the T1 schema's values, separated by '|'; NULL: any
    bool dialect;          // not a T1 key, but one that other tuners write
    bool required;         // by the T1 schema
    bool single;           // one object stands for a list of one
    bool block;     // also in Languages.<language>, Launches[], Launches[].Languages.<language>,
                    // Reference
    const char *t1; // of a key of the short form: the last part of the T1 key that it stands for
};
const struct spec_key *spec_keys(size_t *count);
// The keys of the short form.
const struct spec_key *spec_short_keys(size_t *count);
// The JSON schema of both forms, for editors.
void spec_schema(struct text *out);
