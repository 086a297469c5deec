// The report of `hone space`.
#ifndef HONE_CLI_SPACE_REPORT_H
#define HONE_CLI_SPACE_REPORT_H

#include "base/emit.h"
#include "report/writer.h"
#include "space/space.h"

// How long it took.
struct space_times {
    uint64_t read_ns, build_ns;
};

// A space, and which parts of it to show.
struct space_report {
    const struct space *space;
    uint32_t *choice;                    // room for a configuration
    bool list;                           // all its configurations
    const struct space_details *details; // (optional) what they say, too
    struct space_times times;
    enum report_format format; // of its tables
};
// Write a struct space_report. Text: a record is a choice, on a line as --config takes it; a
// summary of the whole at the end, unless it is a list.
//
// JSON: {"spec", "name", "cartesian", "valid", "constants", "parameters": [{"name", "type", "values",
// "default"}], "restrictions": [{"expression", "path", "excludes_alone", "faults"}], "faults",
// "default"}, and with `list` "configurations". With details restrictions have "excludes_last", and
// there are "groups": [{"parameters", "combinations", "valid"}], "diagram": {"nodes", "edges",
// "bytes"}, "read_seconds", "build_seconds", "peak_memory_bytes".
extern const writers space_writers;

// Why a configuration is valid or not.
struct space_why_report {
    const struct space *space;
    const uint32_t *choice;
    struct space_reason reason;
};
// Write a struct space_why_report. JSON: {"configuration", "valid", "restriction", "path",
// "message"}; the last three are null if it is valid.
extern const writers space_why_writers;

#endif
