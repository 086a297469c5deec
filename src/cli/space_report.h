// What `hone space` says of a space.
#ifndef HONE_CLI_SPACE_REPORT_H
#define HONE_CLI_SPACE_REPORT_H

#include "base/emit.h"
#include "space/space.h"

// How long it took.
struct space_times {
    uint64_t read_ns, build_ns;
};

// With `details` what they say, too.
void space_text(const struct space *sp, const struct space_details *details,
                const struct space_times *times, struct text *out);
// What is shown besides the space.
struct space_view {
    bool list;                           // all its configurations
    const struct space_details *details; // (optional)
    struct space_times times;
};
// {"spec", "name", "cartesian", "valid", "constants", "parameters": [{"name", "type", "values",
// "default"}], "restrictions": [{"expression", "path", "excludes_alone", "faults"}], "faults",
// "default"}, and with `list` "configurations". With details restrictions have "excludes_last", and
// there are "groups": [{"parameters", "combinations", "valid"}], "diagram": {"nodes", "edges",
// "bytes"}, "read_seconds", "build_seconds", "peak_memory_bytes". `choice` has room for a
// configuration.
void space_json(const struct space *sp, const struct space_view *view, uint32_t *choice,
                struct emit *j);
// Why a configuration is valid or not: {"configuration", "valid", "restriction", "path",
// "message"}; the last three null where it is.
void space_why_json(const struct space *sp, const uint32_t *choice,
                    const struct space_reason *reason, struct emit *j);

#endif
