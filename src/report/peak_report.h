// Reports a device's measured limits (`hone peak`), and the share of them that a result reaches.
#pragma once

#include "base/emit.h"
#include "report/record.h"

// A number as a share of a limit.
struct peak_share {
    enum peak_limit limit;
    double share; // 0.83 of the median
    double scale; // of the number's unit: 1e9 for GFLOP/s
    bool beyond;  // more than the limit's interval: something else than what was measured did it
};
// Does the unit ("GFLOP/s", "TFLOP/s", "GB/s", "GiB/s", ...) count what a limit is about?
bool peak_has_unit(const char *unit);
// The first metric that is a rate ("/s"); UINT32_MAX: none is.
uint32_t report_rate_metric(const struct spec *s);
// Returns false if it does not, or that limit is not known. Bytes are compared with memory, read or
// copied, whichever was faster.
bool peak_share(const struct peak *p, const char *unit, double value, struct peak_share *out);

// The results of `hone peak`, so far or at its end.
struct peak_report {
    const struct report_about *about;
    const struct device_info *device;
    const struct peak *found;
    const struct peak *kept;   // (optional) what counts from now on
    enum report_format format; // of its table
    bool cancelled;
};
// Write a struct peak_report.
extern const struct fields report_peak_fields;
extern const writers peak_writers;

// All limits, as `hone peak` shows them.
void report_peak(const struct device_info *d, const struct peak *p, enum report_format format,
                 struct text *out);
// A line for each limit of which `kept` has more than was measured now.
void report_peak_earlier(const struct peak *now, const struct peak *kept, struct text *out);
// A line for a number that a known limit is about: "1234 GFLOP/s is 83 % of the device's measured fp32 peak (1487 [1480 ..
// 1490]; hone peak)"; nothing for others.
void report_peak_share(const struct peak *p, const char *unit, double value, struct text *out);
// The same for each metric.
void report_peak_shares(const struct record_frame *f, const struct tune_record *r,
                        struct text *out);
// Limits, and the shares of them that a struct tune_record (or NULL) reaches, within a struct record_frame; null where
// nothing is known.
void report_peak_json(const void *record, const void *frame, struct emit *j);

// On NVIDIA: compute units x fp32 lanes of each x 2 x clock, in flop/s; 0 where a factor is not
// known.
double peak_arithmetic(const struct device_info *d);
