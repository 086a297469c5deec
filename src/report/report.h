// Records -> text and JSON. Everything is added to `out`; text ends with a newline, JSON does not.
#pragma once

#include "base/emit.h"
#include "report/record.h"
#include "report/verified.h"
#include "report/writer.h"
#include "store/upkeep.h"

// ---- JSON --------------------------------------------------------------------------------------
// The fields, for scripts: they stay. What is not known is null; NaN is never printed.

extern const struct fields report_about_fields;   // hone, command, host, date, seed, store
extern const struct fields report_device_fields;  // of a device_info
extern const struct fields report_run_fields;     // of a run_head
extern const struct fields report_details_fields; // of a tune_record, beyond record_fields
extern const struct fields report_origin_fields;  // of a record_origin
extern const struct fields report_counts_fields;  // of counts by status
extern const struct fields report_timing_fields;  // of a tune_report
extern const struct fields report_summary_fields; // of a tune_report
// On a line of its own. `type`: "result", "ranked"; NULL: the object has none.
void report_result_line(const struct record_frame *f, const struct tune_record *v, const char *type,
                        bool detail, struct text *out);
// The report is the struct record_frame of the record, a struct tune_record.
extern const writers run_writers;
// Write a struct tune_report and struct tune_record.
extern const writers tune_writers;
// That the host's clock timed the launches, and why; nothing where the device's did.
void report_clock(const struct result *r, struct text *out);
// Write a struct device_report (model/device_info.h).
extern const struct fields report_devices_fields; // within itself
extern const writers devices_writers;

// Does the shortest time, or an equivalent objective, decide? Are there several objectives, which
// have a Pareto set?
bool report_by_time(const struct run_head *v);
bool report_is_set(const struct run_head *v);
// How many timed records have no value of an objective, and so are neither the best nor of the set.
uint64_t report_without_value(const struct tune_report *v, const struct objective *o);
// "the shortest time" (also of NULL), "the greatest GFLOP/s", "the Pareto set of the shortest time and the greatest GFLOP/s".
void report_goal(const struct objectives *o, struct text *out);
// The records of a tune as verified.h takes them, and what they show.
struct checked_outcomes report_tune_outcomes(const struct tune_report *v);
enum evidence report_tune_shown(const struct tune_report *v);

// The recommended configuration: the one chosen among those that a ranking found equal, else the
// first. NULL: nothing was measured, nothing has a value of the objective, or there are several
// objectives.
const struct tune_record *report_best(const struct tune_report *v);
// The median time of launch `column` of a configuration with several; NaN where it is not known.
double report_part_median(const struct result *r, uint32_t column);

// ---- text --------------------------------------------------------------------------------------

// verified.c: "verified against gemm", "not verified: held against the default configuration
// alone", "NOT VERIFIED ...".
void report_check(const struct verified_by *c, struct text *out);
const char *report_check_words(const struct verified_by *check, struct arena *a);
// "8.104 ms [8.05 .. 8.22]": the median with its interval, or with the range below six samples.
void report_time(const struct stats_summary *s, struct text *out);
// "[8.05 .. 8.22]", in the median's unit; "(8.05 .. 8.22)" where it is only the range.
void report_interval(const struct stats_summary *s, struct text *out);
// "4.143 GFLOP/s"
void report_metric(const char *name, double value, struct text *out);
// A metric of a configuration that took so long, with the energy of `r`; false where it has no value.
bool report_metric_at(const struct spec *spec, uint32_t metric, const uint32_t *choice,
                      const struct device_info *device, double time_ns, const struct result *r,
                      double *value);
// Why the metric of a result that was timed has no value: of the energy the result knows it, others mostly say it by
// themselves: "".
const char *report_why_unknown(const struct spec *spec, uint32_t metric, const struct result *r);
// A card that is known, around a measurement: "1980 MHz, memory 3201 MHz, 398 W, 61 degrees
// Celsius".
void report_gpu(const struct gpu_snapshot *g, struct text *out);
// Did it run slower than it could?
bool report_is_slowed(const struct gpu_snapshot *g);
// "1.02 J a launch, 398 W over 196 launches in 503 ms", or why it is not known.
void report_energy(const struct energy *e, struct text *out);
// "Device: NVIDIA H200 (CUDA, driver 580.159.04)": the first line of whatever runs something.
void report_device(const struct device_info *d, struct text *out);
// Names the driver, "OpenCL, Portable Computing Language, driver 3.1"; a platform that has the name
// of its language is not repeated.
void report_driver(enum language l, const char *platform, const char *driver, struct text *out);
// The first lines of a run.
void report_run(const struct run_head *v, struct text *out);
// One line for a configuration that is done, as --verbose shows it.
void report_line(const struct record_frame *f, const struct tune_record *v, struct text *out);
// "256 x 256 work-items in work-groups of 16 x 16"
void report_geometry(const uint64_t *global, const uint64_t *local, uint32_t dimensions,
                     struct text *out);
// In short: the best with its options and geometry, the speed-up, ties, failures (one line a kind), warnings. Else the
// ranking with at most `rows` rows, then what was screened only, what failed (one line a kind),
// and where the time went. Where a row is wider than the screen the configurations
// stand below their times.
void report_summary(const struct tune_report *v, struct text *out);
// Where the time of a run went.
void report_timing(const struct tune_report *v, struct text *out);
// The answer of the store in five lines: what, its figures, how to use it, how sure, since when. `options` "": not known.
void report_answer(const struct record_frame *f, const struct tune_record *v, const char *options,
                   struct text *out);
// Everything about one result.
void report_result(const struct record_frame *f, const struct tune_record *v, struct text *out);

// Everything that a command reports about the store at `path`.
struct store_report {
    const char *path;
    enum report_format format; // of its tables
    const struct store_summary *summary;
    const struct store_checked *checked;
    const struct store_problem *problems; // of these, the first ones
    size_t problem_count;
    const struct store_pruned *pruned;
    bool removed; // else this is what would be
};
// Write a struct store_report, one for each command.
extern const writers store_writers, store_verify_writers, store_prune_writers;
extern const struct fields report_store_fields, report_verify_fields, report_prune_fields;
