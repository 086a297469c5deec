// A comparison -> text, Markdown, JSON, a picture.
#pragma once

#include "report/report.h"
#include "report/why.h"
#include "report/writer.h"
#include "workflows/compare/compare.h"

// The results of a comparison, so far or at its end.
struct compare_report {
    const struct report_about *about;
    const struct compare_side *sides;
    const char *const *routines; // of each side: "cublas", in place of the spec's kernel; or NULL
    uint32_t side_count;
    const struct compare *compare;
    struct compare_view found;
    bool of_specs;              // the best of several specs: one record, ranked
    size_t most;                // rows of the table that are shown; 0: all
    const struct view_why *why; // (optional) the builds of one configuration side by side
};

// ||a - r|| / ||r|| of what it computed to the reference, the largest of its outputs; NaN: not held
// against one.
double report_error_norm(const struct result *r);
// Text and Markdown: what is compared (text alone), the table, what failed, the summary, why.
extern const writers compare_writers;
extern const struct fields report_compare_fields; // within itself

// Is this one compared, side by side? The bests of several specs are ranked instead.
bool report_is_compared(const struct compare_report *v, const struct compare_record *r);
// The first metric of a side's spec; false where it has no value.
bool report_entry_metric(const struct compare_report *v, const struct compare_record *r,
                         uint32_t side, double *value);

// The picture as a file of SVG. False: nothing was compared.
bool report_compare_picture(const struct compare_report *v, struct text *out);
