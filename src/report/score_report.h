// How strategies search recorded spaces, as text and JSON.
#pragma once

#include "report/writer.h"
#include "workflows/score/score.h"

// The results of a score, so far or at its end.
struct score_report {
    const struct score_options *options; // with what is left to the defaults filled in
    enum report_format format;           // of its tables
    struct score_record *records;        // of the file whose records come, `count` of them
    uint32_t count;
    const struct score_mean *means; // (optional) one for each strategy
};

// Write a struct score_report; records are struct score_record. Text and Markdown: a table for each
// file with a row for each strategy, and at the end a table of the means.
extern const writers score_writers;
extern const struct fields report_score_fields; // of a record, within the report
