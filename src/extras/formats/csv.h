// hone's CSV of a recorded space (RFC 4180): a line of names, then one line for each configuration.
//
//   parameters..., status, time_ns, statistic, COLUMNS..., further measurements...
//
// Columns before `status, time_ns` are parameters. Empty: not known.
#pragma once

// The columns behind the parameters, in the order in which they are written; of those read only
// `status` must be there. X(NAME, name)
#define CSV_COLUMNS(X)                                                                             \
    X(STATUS, "status")                                                                            \
    X(TIME, "time_ns")        /* of one launch */                                                  \
    X(STATISTIC, "statistic") /* what time_ns is: median, mean, minimum */                         \
    X(MEAN, "mean_ns")                                                                             \
    X(MINIMUM, "minimum_ns")                                                                       \
    X(SAMPLES, "samples")    /* how many it is of */                                               \
    X(COMPILE, "compile_ns") /* wall time that it took, as the next four */                        \
    X(RUN, "run_ns")                                                                               \
    X(VERIFY, "verify_ns")                                                                         \
    X(FRAMEWORK, "framework_ns")                                                                   \
    X(SEARCH, "search_ns")                                                                         \
    X(MESSAGE, "message") /* of a failure */                                                       \
    X(DATE, "date")                                                                                \
    X(NAME, "name") /* of the spec */                                                              \
    X(CONSTANTS, "constants")                                                                      \
    X(DEVICE, "device")

enum csv_column {
#define X(name, text) CSV_##name,
    CSV_COLUMNS(X)
#undef X
        CSV_COLUMN_COUNT // and beyond: parameters and measurements
};

extern const char *const csv_column_names[CSV_COLUMN_COUNT];
