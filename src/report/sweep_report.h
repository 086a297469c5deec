// A sweep -> text, Markdown, JSON, CSV, and a picture.
#pragma once

#include "report/report.h"
#include "report/writer.h"
#include "problem/sweep_plan.h"
#include "workflows/sweep/sweep.h"

// A spec's best, or a routine.
struct sweep_report_line {
    const char *label; // no two are alike
    const char *spec;  // its name
    const struct device_info *device;
    bool is_routine;
};

// A sweep, by now or at its end.
struct sweep_report {
    const struct report_about *about;
    const struct spec *spec; // of the first line, as its file has it
    const struct device_info *device;
    const struct sweep_plan *plan;
    const struct sweep_report_line *lines;
    uint32_t line_count;
    const struct sweep_record *records; // of points that are done
    uint32_t count;
    struct sweep_progress progress;
    // For pictures: the name along the axis (UINT32_MAX: the points in sequence), the number of
    // panels, and each point's panel.
    uint32_t axis, panel_count;
    const uint32_t *panels;
    const struct peak *peak; // (optional) what the device can do at most
};

// The metric of table and picture: the first that is a rate; UINT32_MAX: none is, and the time is shown.
uint32_t report_sweep_shown(const struct sweep_report *v);
// A metric of the first line's spec, by its name, for what a line has at a point, after `ns`; NaN: none. A routine has
// only those that follow from the time.
double report_sweep_metric(const struct sweep_report *v, uint32_t line, const struct sweep_entry *n,
                           uint32_t metric, double ns);
// A name's value at a record's point.
const char *report_sweep_value(const struct sweep_report *v, const struct sweep_record *r,
                               uint32_t name);
// The device's measured limit, in the shown metric's unit; false: not known.
struct sweep_limit {
    double value, low, high;
    const char *title; // "fp32 arithmetic"
};
bool report_sweep_limit(const struct sweep_report *v, struct sweep_limit *out);

// A row in one sentence, as it is done: "N=512: 1.234 ms, 217.6 GFLOP/s, 1.03 times as fast as
// OpenBLAS".
void report_sweep_row(const struct sweep_report *v, const struct sweep_record *row,
                      struct text *out);
// Write a struct sweep_report. Text and Markdown: the table and its notes.
// CSV: a row for each point and line: the constants; line, kind (tuned, routine), configuration,
// status, median_ns, low_ns, high_ns, samples; each metric with its value at the slow and at the
// fast end of the interval; share_of_peak, times_as_fast with its interval (the first line over
// this one), in_turn, message, spec, device, driver. Unknown values are empty.
extern const writers sweep_writers;
extern const struct fields report_sweep_fields; // within itself
void report_sweep_csv(const void *report, struct text *out);
// The picture as a file of SVG. False: no point has a time.
bool report_sweep_picture(const struct sweep_report *v, struct text *out);
