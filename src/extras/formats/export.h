// Writes a recorded space of a store as others read it: T4 results with metadata, a Kernel Tuner
// cache file, CSV.
// T4: one document that is valid as results and as metadata. `time` is the median of the samples in
// milliseconds, with "statistic" beside it and the measurements time_mean and time_minimum; for an
// imported result it is the recorded value. Costs under `times`, also `benchmark`; a failure has
// "message"; a result that was compared with a reference has "verified".
//
// Kernel Tuner knows three failures: timeout and correctness become RuntimeFailedConfig, with the
// status in "invalidity" beside it.
#pragma once

#include "base/log.h"
#include "recorded/stored_space.h"
#include "space/space.h"

enum export_format { EXPORT_T4, EXPORT_CACHE, EXPORT_CSV, EXPORT_FORMAT_COUNT };

const char *export_format_text(enum export_format f);
const char *export_format_ending(enum export_format f);
bool export_format_parse(const char *text, enum export_format *out);

struct export_options {
    // With the constants of the space: metrics and the problem size read them.
    const struct spec *spec;
    struct store *store;
    const struct stored_space *space;
    enum export_format format;
    const struct space *only; // (optional) configurations that are not in it are left alone
    const struct log *log;    // what the spec does not have any more, and is left out
};

// Adds the whole file to `out`, the oldest result first, and says how many there are. An error
// where nothing is left to write.
bool export_space(const struct export_options *o, struct text *out, uint64_t *results,
                  struct error *e);
