// The verdicts of a judge -> text, Markdown, JSON, CSV and JUnit.
#pragma once

#include "base/fields.h"
#include "extras/judge/judging.h"
#include "report/record.h"
#include "report/writer.h"

struct judge_report {
    const struct report_about *about;
    const struct spec *spec;
    const struct device_info *device;
    struct judging_progress progress;
    const struct judge_record *const *records; // by candidate; NULL: not judged
    size_t count;
    bool verbose;
    // Appends the command line that shows a verdict again.
    void (*command)(const void *context, const struct judge_record *r, struct text *out);
    const void *context;
};

// Records are struct judge_record.
extern const writers judge_writers;
extern const struct fields judge_fields,
    judge_summary_fields; // of a record, within the report; of that
// Is one of them right, however fast?
bool judge_has_right(const struct judge_report *v);
