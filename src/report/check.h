// Views of a check -> text, JSON, JUnit. As in report.h: everything is added to `out`; text ends
// with a newline, JSON does not.
#ifndef HONE_REPORT_CHECK_H
#define HONE_REPORT_CHECK_H

#include "report/report.h"
#include "report/verified.h"

enum view_verdict {
    VIEW_PASSED,
    VIEW_SKIPPED, // no failure, but not shown to be right either: the verdict says why
    VIEW_FAILED
};

// One configuration that was checked.
struct view_checked {
    const char *configuration;
    const char *configuration_json;
    const char *sizes;          // constants that were chosen for it: "WIDTH=48"; ""
    const char *constants_json; // all that it was checked with
    const struct result *result;
    enum view_verdict outcome;
    const char *verdict;    // "passed", "device limit", "allowed", "not verified", "failed"
    const char *same_as;    // (optional) the identical configuration that was checked instead
    const char *races;      // (optional) what a simulator found, as text
    const char *races_json; // (optional) the same, an array
    const char *command;    // (optional) that shows it again
};

// One kernel line and kind of race, over all configurations.
struct view_finding {
    const char *text; // lines
    uint64_t configurations;
    const char *example; // one of them, with its sizes
    const char *command;
};

// Configurations that were checked at one choice of sizes.
struct view_size {
    const char *sizes;
    uint64_t count;
};

struct view_check_end {
    const struct view_checked *records; // in the order of checking
    size_t count;
    const struct view_outcome *outcomes; // the same, as many
    enum view_shown shown;
    const struct view_size *sizes;
    size_t size_count;
    const struct view_finding *findings;
    size_t finding_count;
    bool simulated; // races were looked for
    bool build_only;
    uint64_t planned, valid;
    uint64_t reused;    // from the store
    uint64_t identical; // to another
    uint64_t elapsed_ns;
    bool cancelled;
    const char *broken; // (optional) why it could not go on
    struct view_check check;
};

// check.c
// "block=32 at WIDTH=64: compile: no such flavor (known from the store)", "block=32: correct,
// built: 38 registers, 0 B spilled, 8 KiB local memory, 6 work-groups a unit"
void report_checked_line(const struct view_checked *v, const struct view_check_end *run,
                         struct text *out);
// Failures in full (of each kind the first, and `most` more in a line each; all in full with
// `verbose`), what was found by a simulator, what does not count, and last whether all is well.
void report_check_end(const struct view_check_end *v, size_t most, bool verbose, struct text *out);
// type "check": configuration, constants, status, outcome (passed, skipped, failed), verdict,
// verified, verification, outputs (report_outputs_json()), message, log, reused, same_as, races
// (null where none were looked for), command, resources (one a launch, as in report.h), times_ns
// (build, verify, launch)
void report_checked_json(const struct view_checked *v, struct emit *j);
// type "summary": ok, passed, skipped, failed, counts, done, planned, valid, reused, identical,
// races (null where none were looked for), verification, verified, shown (report_shown_text(); null
// where nothing ran), cancelled, error, elapsed_ns
void report_check_end_json(const struct view_check_end *v, struct emit *j);
// Is there no failure, and everything that was planned done?
// What the configurations that passed show; NULL where none passed, or none ran.
const char *report_check_shown(const struct view_check_end *v);
bool report_check_passed(const struct view_check_end *v);

// junit.c
// A JUnit file: a test suite for the spec, a test case a configuration. What is no failure is
// skipped there, with why; a check that broke off is a case of its own with an error.
struct view_junit {
    const char *suite; // the spec's name
    const char *host;
    const char *date; // ISO 8601, UTC
    const struct device_info *device;
    const char *command;
};
void report_junit(const struct view_check_end *v, const struct view_junit *about, struct text *out);

#endif
