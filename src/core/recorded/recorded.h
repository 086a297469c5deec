// A recorded space: earlier measurements, configuration by configuration, as a file has them: T4
// results, a Kernel Tuner cache file, results of KTT (JSON, CSV), hone's own CSV, or a store of hone. Text may be
// compressed by gzip. It has no jobs: nothing in it answers for a live one.
//
// Files are read in one pass and in constant memory for each result: 100 MB take about a second,
// and keep a choice, a time and the costs of each configuration.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/log.h"
#include "model/result.h"
#include "problem/spec.h"

#define RECORDED_FORMATS(X)                                                                        \
    X(T4, "T4")                                                                                    \
    X(CACHE, "Kernel Tuner cache file")                                                            \
    X(KTT, "KTT results")                                                                          \
    X(CSV, "CSV")                                                                                  \
    X(STORE, "store")

enum recorded_format {
#define X(name, text) RECORDED_##name,
    RECORDED_FORMATS(X)
#undef X
};

const char *recorded_format_text(enum recorded_format f);

// The costs of obtaining a result, 0 and above; NaN: not recorded.
struct recorded_costs {
    double compile_ns, run_ns, verify_ns, framework_ns, search_ns;
};

// Prefix of the platform of an imported result; the statistic of its time follows.
#define IMPORTED_PLATFORM "imported "

struct recorded_row {
    const uint32_t *choice; // value indices in the parameters of the recorded space
    enum status status;
    double
        time_ns; // what the file calls the time; above 0 and below 2^63 for CORRECT, else NaN; if is_untimed, NaN for all
    struct recorded_costs costs;
    const char *message;        // of a failure; "" if there is none
    const double *measurements; // one for each of the recorded names; NaN: none
};

struct recorded {
    const char *path;
    enum recorded_format format;
    const char *name, *device; // of kernel or spec, and where it ran; "": the file does not say
    const char *constants;     // "WIDTH=256", sorted by name; "": none, or the file does not say

    // With a spec these are the spec's. Else in the file's order, values as a cache file lists them
    // and ascending elsewhere, their type what all values have in common.
    const struct parameter *parameters;
    uint32_t parameter_count;

    // One for each configuration, the last that the file has (in a store the newest), at the place
    // where the file has the first. At least one.
    const struct recorded_row *rows;
    uint64_t count;
    uint64_t correct;    // of them
    bool is_untimed;     // nothing was timed; what is correct has other measurements
    uint64_t duplicates; // rows whose configuration came before: one of each counts
    uint64_t torn;       // last rows left out because they were written in part

    const char *statistic;           // what time_ns is: "mean", "median" or "minimum"
    const char *const *measurements; // what else was measured: "GFLOP/s", "energy"
    uint32_t measurement_count;
    struct arena arena;
};

struct recorded_options {
    // (optional) Parameters and values must be the spec's; the error names which one differs. A
    // parameter with one value may be missing in the file.
    const struct spec *spec;
    const struct log *log; // notes: duplicates, a torn end, a unit that is not said
    // Select a recorded space in a store: the spec's name if there is no spec, part of the name of the device or platform, case
    // ignored, and the constants as text. The error lists the spaces. (all optional)
    const char *name, *device, *constants;
};

// `o` may be NULL. Errors name the file and the line, result or entry in it. A file without a
// single result is an error, one without a correct result is not.
struct recorded *recorded_read(const char *path, const struct recorded_options *o, struct error *e);
// Parses a file in memory; `path` is its name in messages. Not for a store.
struct recorded *recorded_parse(const char *path, const void *data, size_t length,
                                const struct recorded_options *o, struct error *e);
// The same results with each list of values inverted (the sign of every number turned, true and false exchanged) and, if asked for, shuffled:
// no search should care. `r` outlives it.
struct recorded *recorded_mirror(const struct recorded *r, bool shuffled, struct error *e);
void recorded_free(struct recorded *r); // NULL is fine
