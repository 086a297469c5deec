// A sweep -> text, Markdown, JSON, CSV, and a script for gnuplot.
#ifndef HONE_REPORT_SWEEP_REPORT_H
#define HONE_REPORT_SWEEP_REPORT_H

#include "report/report.h"
#include "report/writer.h"
#include "workflows/sweep/sweep.h"

// One line (a spec's best, a routine) at one point.
struct view_sweep_entry {
    const struct sweep_entry *n;
    // By the names of view_sweep.metrics, each without a value where it has none: at the median,
    // and at the ends of the interval. NULL: not timed.
    const struct view_metric *metrics, *slow, *fast;
    double share; // of the limit that the shown metric is held against; NaN: not known
};

struct view_sweep_row {
    const char *const *values; // one a name, as text
    const double *numbers;     // the same; NaN: none
    uint32_t panel;
    const struct view_sweep_entry *entries; // one a line
};

struct view_sweep_name {
    const char *name;
    bool varies;
};

struct view_sweep_line {
    const char *label; // no two are alike
    const char *spec;  // its name
    bool is_routine;
};

struct view_sweep {
    const struct report_about *about;
    const char *spec_path;
    const struct device_info *device;
    const struct view_sweep_name *names;
    uint32_t name_count;
    const struct view_sweep_line *lines;
    uint32_t line_count;
    const char *const *metrics; // of the first line's spec
    size_t metric_count;
    size_t shown;                      // of them in table and picture; SIZE_MAX: the time
    const struct view_sweep_row *rows; // that are done
    uint32_t row_count, planned;
    // Of a picture: the name along the axis (UINT32_MAX: the points one after the other), and how
    // many panels there are.
    uint32_t axis, panel_count;
    // What the device was measured to do at most, in the shown metric's unit; NaN: not known.
    double limit, limit_low, limit_high;
    const char *limit_title; // "fp32 arithmetic"
    uint64_t launches, elapsed_ns;
    bool cancelled;
};

// A row in one sentence, as it is done: "N=512: 1.234 ms, 217.6 GFLOP/s, 1.03 times as fast as
// OpenBLAS".
void report_sweep_row(const struct view_sweep *v, const struct view_sweep_row *row,
                      struct text *out);
// Of struct view_sweep. Text and Markdown: the table, and what is to be said of it. JSON, one object: hone, command, host, date, seed, store, spec, device, names, lines
// (label, spec, routine), metric (the one shown; null: the time), limit ({"metric", "value",
// "interval"}; null), points, rows (constants, lines (label, configuration, status, known, in_turn,
// median_ns, interval_ns (null below six samples), samples, metrics, share, times_as_fast,
// times_as_fast_interval, message)), launches, elapsed_ns, cancelled, error.
// CSV: a row for each point and line: the constants; line, kind (tuned, routine), configuration, status,
// median_ns, low_ns, high_ns, samples; each metric with its value at the end of the interval that
// is slow and at the fast one; share_of_peak, times_as_fast with its interval (the first line over
// this one), in_turn, message, spec, device, driver. What is not known is empty.
extern const writers sweep_writers;
void report_sweep_csv(const struct view_sweep *v, struct text *out);
// A script for gnuplot that draws PREFIX.csv as PREFIX.svg and PREFIX.png. Returns NULL, or why there
// is nothing to draw.
const char *report_sweep_plot(const struct view_sweep *v, const char *prefix, struct text *out);

#endif
