// Reports how the best configuration of each kind of device performs on the others, as text,
// Markdown and JSON.
#pragma once

#include "model/device_info.h"
#include "model/result.h"
#include "report/report.h"
#include "report/writer.h"
#include "stats/stats.h"

struct across_device {
    const struct device_info *device;
    const char *label;                              // "NVIDIA H200"
    const char *configuration, *configuration_json; // its best; NULL: it has none
};

// The best of one device on another, or on its own.
struct across_cell {
    struct result *result; // NULL: it was not launched there
    bool timed, compared;  // compared: the ratio is known
    struct stats_summary stats;
    struct stats_ratio ratio; // its time over that of the best of the device that it ran on
};

struct across_report {
    const struct across_device *devices;
    uint32_t count;
    const struct across_cell *cells; // of the best of i on j: cells[i * count + j]
    double level;
    const char *why; // (or NULL) there are no cells
};

// JSON is one line, the last.
extern const struct fields report_across_fields; // within itself
void report_across(const struct across_report *v, enum report_format format, struct text *out);
