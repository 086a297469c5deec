// The formats in which a command says what it found. A command that has records has a row of
// functions for each format that it knows; everything is added to `out`, in which text ends with a
// newline, and so does an object of JSON on a line of its own.
#pragma once

#include "base/fields.h"

// X(NAME, text)
#define REPORT_FORMAT_WORDS    "text, json, markdown, csv and junit"
#define REPORT_FORMAT_ARGUMENT "text|json|markdown|csv|junit"
#define REPORT_FORMAT_LIST(X)                                                                      \
    X(TEXT, "text")                                                                                \
    X(JSON, "json")                                                                                \
    X(MARKDOWN, "markdown")                                                                        \
    X(CSV, "csv")                                                                                  \
    X(JUNIT, "junit")

enum report_format {
#define X(name, text) REPORT_##name,
    REPORT_FORMAT_LIST(X)
#undef X
        REPORT_FORMATS
};
const char *report_format_text(enum report_format f);
bool report_format_parse(const char *text, enum report_format *out);

// The stages of an output; each (optional: nothing). The command that has the writer defines the
// types of report and record. Fields instead of a function: a line of JSON with these, whose context is the report.
struct writer {
    void (*head)(const void *report, struct text *out); // before anything runs
    void (*record)(const void *report, const void *record, struct text *out);
    void (*end)(const void *report, struct text *out);
    const struct fields *record_fields, *end_fields;
};

// A command's writers, by format. CSV and JUnit are converted from JSON (convert.h) if they have no
// entry.
typedef struct writer writers[REPORT_FORMATS];

void writer_head(const struct writer *w, const void *report, struct text *out);
void writer_record(const struct writer *w, const void *report, const void *record,
                   struct text *out);
void writer_end(const struct writer *w, const void *report, struct text *out);
