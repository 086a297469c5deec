// A check -> text, JSON, JUnit. As in report.h: everything is added to `out`; text ends
// with a newline, JSON does not.
#pragma once

#include "report/report.h"
#include "report/verified.h"
#include "report/writer.h"
#include "workflows/check/checks.h"

// A verdict is one of these outcomes.
enum check_outcome {
    OUTCOME_PASSED,
    OUTCOME_SKIPPED, // not a failure, but not shown to be correct: see the verdict
    OUTCOME_FAILED
};
enum check_outcome check_outcome(enum check_verdict v);

// The results of a check, so far or at its end.
struct check_report {
    const struct run_head *run;
    struct check_view found;
    bool simulated; // races were looked for
    bool verbose;   // failures are shown in full
    // Appends the command line that shows a configuration again.
    void (*command)(const void *context, const struct check_record *r, struct text *out);
    const void *context;
};

// Text: a line a configuration where it is verbose ("block=32 at WIDTH=64: compile: no such flavor
// (known from the store)", "block=32: correct, built: 38 registers, 0 B spilled, 8 KiB local
// memory, 6 work-groups a unit"); at the end failures (of each kind the first in full, or all),
// what was found by a simulator, what does not count, and last whether all is well.
//
// Records are struct check_record.
extern const writers check_writers;
extern const struct fields check_fields,
    check_summary_fields; // of a record, within the report; of that

// Its configuration and, where there are several, its sizes.
void report_check_name(const struct check_record *v, struct text *out);
uint64_t report_check_count(const struct check_report *v, enum check_outcome outcome);
// The evidence that the records give; as text, for the configurations that passed: NULL if none
// passed or none ran.
enum evidence report_check_evidence(const struct check_report *v);
const char *report_check_shown(const struct check_report *v);
// Are there no failures, and was everything done that was planned?
bool report_check_passed(const struct check_report *v);

// A JUnit file (junit.c): a test suite for the spec, a test case a configuration. A configuration
// that neither passed nor failed is skipped, with the reason; a check that broke off is a case of
// its own with an error. `report`: a struct check_report.
void report_junit(const void *report, struct text *out);
