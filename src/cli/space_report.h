// The report of `hone space`.
#pragma once

#include "base/fields.h"
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
extern const writers space_writers;
extern const struct fields space_fields, space_why_fields;

// Why a configuration is valid or not.
struct space_why_report {
    const struct space *space;
    const uint32_t *choice;
    struct space_reason reason;
};
// Write a struct space_why_report.
extern const writers space_why_writers;
