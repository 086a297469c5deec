// Views -> text and JSON. Everything is added to `out`; text ends with a newline, JSON does not.
#ifndef HONE_REPORT_REPORT_H
#define HONE_REPORT_REPORT_H

#include "report/emit.h"
#include "report/view.h"
#include "store/upkeep.h"

// ---- JSON (json.c) -----------------------------------------------------------------------------
// The fields, for scripts: they stay. Times are in ns. What is not known is null; NaN is never
// printed. `type` is there only in the lines of `hone tune --json`.
//
// run:     type, hone, spec, spec_name, spec_sha256, source_sha256, constants, command, seed,
//          strategy, device (an object as in `hone devices --json`), driver, compiler, host, date,
//          cache, store, cartesian, valid, planned, verification
// result:  type, configuration, status, verified, verification, median_ns, interval_ns ([low,
// high];
//          null below six samples), samples_ns, stopped (settled, hopeless, limit, fixed; null:
//          nothing was timed), warm, reused, message, metrics, is_default, same_as, global_size,
//          local_size, limit_ns, times_ns
// with detail also: mean_ns, least_ns, most_ns, batch, launches (name, kernel, global_size,
//          local_size, resources, median_part_ns), parts_ns, deviations, verify_launch_ns, options,
//          log, output, fault, and of a stored one date, device, platform, driver, constants, hone,
//          other_driver, other_source, ...
// summary: type, best, counts, done, valid, planned, reused, samples, speedup_over_default,
// verification,
//          cancelled, out_of_time, error, elapsed_ns, times_ns
void report_run_json(const struct view_run *v, struct emit *j);
void report_result_json(const struct view_result *v, bool typed, bool detail, struct emit *j);
void report_summary_json(const struct view_summary *v, struct emit *j);
void report_device_json(const struct device_info *d, struct emit *j);
// {"devices": [...], "missing": [...]}
void report_devices_json(const struct device_info *devices, size_t count,
                         const struct view_missing *missing, size_t missing_count, struct emit *j);

// The median time of launch `column` of a configuration with several; NaN where it is not known.
double report_part_median(const struct result *r, uint32_t column);

// ---- text --------------------------------------------------------------------------------------

// "verified against gemm", "agrees with the default configuration", "NOT VERIFIED ...".
void report_check(const struct view_check *c, struct text *out);
// "8.104 ms [8.05 .. 8.22]": the median with its interval, or with the range below six samples.
void report_time(const struct stats_summary *s, struct text *out);
// "[8.05 .. 8.22]", in the median's unit; "(8.05 .. 8.22)" where it is only the range.
void report_interval(const struct stats_summary *s, struct text *out);
// "4.143 GFLOP/s"
void report_metric(const struct view_metric *m, struct text *out);
// The first lines of a run.
void report_run(const struct view_run *v, struct text *out);
// One line for a configuration that is done, as --verbose shows it.
void report_line(const struct view_result *v, struct text *out);
// The table of the best `most`, then what failed (one line a kind), then where the time went.
void report_summary(const struct view_summary *v, size_t most, struct text *out);
// Everything about one result.
void report_result(const struct view_result *v, struct text *out);
void report_devices(const struct device_info *devices, size_t count,
                    const struct view_missing *missing, size_t missing_count, struct text *out);

// What is in the store at `path`.
void report_store(const char *path, const struct store_summary *s, struct text *out);
// {"store", "bytes", "results", "counts": {}, "earlier", "jobs", "sessions", "oldest", "newest",
//  "specs": [...], "devices": [...]}
void report_store_json(const char *path, const struct store_summary *s, struct emit *j);

#endif
