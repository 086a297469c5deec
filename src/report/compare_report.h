// A comparison -> text, Markdown, JSON, a picture.
#ifndef HONE_REPORT_COMPARE_REPORT_H
#define HONE_REPORT_COMPARE_REPORT_H

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
    const struct compare_record *const *records; // in the order in which they were launched
    size_t count;
    struct compare_progress progress;
    double level;               // of the decisions: 0.95
    bool of_specs;              // the best of several specs: one record, ranked
    size_t most;                // rows of the table that are shown; 0: all
    const struct view_why *why; // (optional) the builds of one configuration side by side
};

// ||a - r|| / ||r|| of what it computed to the reference, the largest of its outputs; NaN: not held
// against one.
double report_error_norm(const struct result *r);
// Text and Markdown: what is compared (text alone), the table, what failed, the summary, why.
//
// JSON, one object: hone, command, host, date, seed, store, sides (label, spec, routine, constants,
// options, device, driver, language, run, verification), rows (configuration, sides:
// [{configuration, status, median_ns, interval_ns, samples_ns, batch, registers, spill_bytes,
// local_bytes, metric, error, message, library, place, tied, ratio, ratio_interval}], ratio,
// ratio_interval, probability, differs, in_turn, rounds, repeated, same_as), planned, only,
// compared, failed, identical, in_turn, mean_ratio, mean_interval, differ, first_faster,
// second_faster, level, kendall_tau, best (of each side: configuration, median_ns), ratio_of_bests,
// ratio_of_bests_interval, devices (report_members_at()), launches, elapsed_ns, cancelled, error, why. Ratios are of the first
// side's time to the second's; of several specs: of each to the fastest. `error` of a side is
// report_error_norm().
extern const writers compare_writers;
void report_compare_json(const struct compare_report *v, struct emit *j); // without why

// Is this one compared, side by side? The bests of several specs are ranked instead.
bool report_is_compared(const struct compare_report *v, const struct compare_record *r);
// The first metric of a side's spec; false where it has no value.
bool report_entry_metric(const struct compare_report *v, const struct compare_record *r,
                         uint32_t side, double *value);

// The picture as a file of SVG. False: nothing was compared.
bool report_compare_picture(const struct compare_report *v, struct text *out);

#endif
