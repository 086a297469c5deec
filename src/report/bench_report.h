// A bench -> text, Markdown (for the summary of a CI job), JSON, JUnit.
#pragma once

#include "report/report.h"
#include "report/writer.h"
#include "workflows/benchmark/benchmark.h"

// A configuration at its constants.
struct bench_report_point {
    const struct spec *spec;
    const char *constants, *configuration, *configuration_json;
    const char *note; // (optional) "not in the baseline"
};

// A bench, by now or at its end.
struct bench_report {
    const struct report_about *about;
    const struct spec *spec; // as its file has it
    const struct device_info *device;
    struct bench_report_point *points;
    uint32_t point_count;
    const struct benchmark_record *records; // (of no points, or of all)
    uint32_t count;
    struct benchmark_progress progress;
    uint32_t rounds;
    const char *path; // (or NULL) of the baseline
    const struct baseline *baseline;
    const char *unfit;    // (or NULL) why nothing is compared with it
    bool is_source_other; // the kernel's text is not the baseline's
    double loss, level;
    const char *saved; // (or NULL) the file that is written as a baseline
};

// How many are lost: slower beyond the threshold, or failing that have a time in the baseline.
uint32_t bench_losses(const struct bench_report *v);

// Writers of struct bench_report.
extern const struct fields report_bench_fields; // within itself
extern const writers bench_writers;
