// Records -> text and JSON. Everything is added to `out`; text ends with a newline, JSON does not.
#ifndef HONE_REPORT_REPORT_H
#define HONE_REPORT_REPORT_H

#include "base/emit.h"
#include "report/record.h"
#include "report/verified.h"
#include "report/writer.h"
#include "store/upkeep.h"

// ---- JSON (json.c) -----------------------------------------------------------------------------
// The fields, for scripts: they stay. Times are in ns. What is not known is null; NaN is never
// printed. `type` is there only in the lines of `hone tune --json`.
//
// run:     type, hone, spec, spec_name, spec_sha256, source_sha256, constants, command, seed,
//          strategy (its name), strategy_options ({"population": 20}), objective ("max:GFLOP/s";
//          several separated by ", "), device (an object as in `hone devices --json`), driver,
//          compiler, host, date, cache, store, cartesian, valid, planned, verification; of a replay
//          also replayed
//          ({file, format, device, statistic, recorded, excluded, unrecorded, cost_ns})
// result:  type, configuration, status, verified, verification, outputs, median_ns, imported (what
// the time
//          of others is, "mean": then it is in mean_ns; null: measured here), interval_ns ([low,
//          high]; null below six samples), samples_ns, time_basis (of what the times are: ranked,
//          interleaved with others, or screened, alone; null: not timed), stopped (settled,
//          hopeless, limit, fixed, ranked, compared, replayed; null: nothing was timed), batch
//          (launches of each sample), warmups (untimed launches before each), warm, reused, origin
//          (the store behind, or the recording, that it comes from), message, fault (spec, type:
//          the spec is wrong there), metrics, is_default, same_as, same_code_as (whose result
//          this is: both were built to the same code, and are launched alike), global_size, local_size,
//          limit_ns, ranking (32 hexadecimal digits that all results of one ranking share; null:
//          measured alone), place (1: the winner and what is tied with it), tied, chosen (what is
//          recommended of those tied), ratio (to the winner), ratio_interval
//          ([low, high], simultaneous for all finalists; null below), times_ns, gpu (clocks,
//          power and what slowed it: report_gpu_json()), energy (report_energy_json())
// ranked:  as result, once for each finalist after the ranking: samples_ns are then of its rounds
// with detail also: mean_ns, least_ns, most_ns, launches (name, kernel, global_size,
//          local_size, resources, median_part_ns), parts_ns, deviations, verify_launch_ns, options,
//          log, output, peak (report_peak_json()), and of a stored one date, device,
//          language, platform, driver, constants, hone, other_driver, other_source, other_job,
//          ranked (it comes from a ranking), finalists, tied_count (of that ranking), why (it was
//          chosen of those tied), faster (another configuration, not ranked with it, that was
//          clearly faster; or null), faster_ns
// summary: type, best (null with several objectives), objective, objectives ([{name, direction
//          (min or max)}]), without_value (by metric that is an objective: {"energy": 2}, the
//          correct ones that were timed and have no value of it, so that they are not compared),
//          pareto (of several objectives the set, each as a result, by the first of them; else
//          null), counts, spec_errors (of these), done, valid, planned, reused, identical,
//          start_with ([{configuration, status (null: not run), median_ns, best_ratio (its time to
//          that of the best), best_ratio_basis (as speedup_over_default_basis)}]), sources
//          ([{name, results, parameters, outcome (not asked for, refused, used, none correct: all of
//          its results failed), agrees, best_ratio and best_ratio_basis (of its
//          best)}]), samples, launches (of kernels, verified, warming up and timed),
//          speedup_over_default (null: the default was not measured, or only screened by too few
//          launches for an interval), speedup_over_default_interval ([low, high], of the ranking's
//          level; null where there is none), speedup_over_default_basis (ranked: within rounds;
//          screened: between launches at different times; recorded: by a recording; null),
//          speedup_over_default_significant (the interval lies above 1), speedup_over_default_needs
//          (so many launches of each would give an interval; null where there is a speed-up),
//          verification, verified, shown (report_shown_text(); null where nothing
//          ran), ranking (null: there is none; id, finalists,
//          failed, rounds, repeated, marked, by_load, by_clock, batch, warmups, cold, level, tied,
//          chosen, why, known, short, launches), cancelled, out_of_time, build_only (best is then
//          null, and counts.correct are those that built), error, elapsed_ns, times_ns, timing
//          (report_timing_json()), peak (report_peak_json(), with the shares of the best); of a
//          replay also replayed, as in run
// The members hone, command, host, date, seed and store.
void report_about_json(const struct report_about *a, struct emit *j);
void report_run_json(const struct run_head *v, struct emit *j);
// `type`: "result", "ranked"; NULL: the object has none.
void report_result_json(const struct record_frame *f, const struct tune_record *v, const char *type,
                        bool detail, struct emit *j);
// On a line of its own.
void report_result_line(const struct record_frame *f, const struct tune_record *v, const char *type,
                        bool detail, struct text *out);
// The report is the struct record_frame of the record, a struct tune_record.
extern const writers run_writers;
// Write a struct tune_report and struct tune_record.
extern const writers tune_writers;
void report_summary_json(const struct tune_report *v, struct emit *j);
void report_device_json(const struct device_info *d, struct emit *j);
// {"mhz_before", "mhz_after", "memory_mhz", "watts", "celsius", "slowed": [...], "note"}; `note`
// states what slowed the card, or is null. Null: the card's state is not known.
void report_gpu_json(const struct gpu_snapshot *g, struct emit *j);
// {"joule", "span_ns", "launches", "refused"}; null: not requested.
// That the host's clock timed the launches, and why; nothing where the device's did.
void report_clock(const struct result *r, struct text *out);
void report_energy_json(const struct energy *e, struct emit *j);
// Its members.
void report_device_fields(const struct device_info *d, struct emit *j);
// Write a struct device_report (model/device_info.h). JSON: {"devices": [...], "missing": [...]};
// here a device also has `card`, a text shared by all views of one card (its PCI address, else its
// UUID, else the id of the first).
extern const writers devices_writers;

// {"registers", "spill_bytes", "local_bytes", "private_bytes", "constant_bytes",
//  "preferred_multiple", "max_group_size", "groups_per_unit"}
void report_resources_json(const struct resources *r, struct emit *j);

// Does the shortest time, or an equivalent objective, decide? Are there several objectives, which
// have a Pareto set?
bool report_by_time(const struct run_head *v);
bool report_is_set(const struct run_head *v);
// How many timed records have no value of an objective, and so are neither the best nor of the set.
uint64_t report_without_value(const struct tune_report *v, const struct objective *o);
// "the least time" (also of NULL), "the greatest GFLOP/s", "the Pareto set of the least time and the greatest GFLOP/s".
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
// Did it run slower than it could? Then "measured at 1410 MHz: power limit"; else nothing.
bool report_is_slowed(const struct gpu_snapshot *g);
void report_slowed(const struct gpu_snapshot *g, struct text *out);
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
// {"wall_ns", "startup_ns", "listing_ns", "opening_ns", "waiting_ns", "locked_ns", "loading_ns",
//  "inputs_ns", "reference_ns", "verifying_ns", "measuring_ns", "ranking_ns", "storing_ns",
//  "rest_ns", "kernel_ns", "build_ns", "builds_ns", "builders"}: those up to rest_ns, but for listing_ns, which is
//  within startup_ns, follow each other and add up to wall_ns; kernels run and builds go on meanwhile
void report_timing_json(const struct tune_report *v, struct emit *j);
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
// Write a struct store_report, one for each command. JSON: {"store", "bytes", "results", "counts":
// {}, "earlier", "jobs", "sessions", "oldest", "newest", "specs": [...], "devices": [...]};
// {"problems": [{"table", "row", "problem"}, ...], "store", "results", "jobs", "sessions", "texts",
// "problem_count"}; {"store", "removed", "results", "results_before", "jobs", "sessions",
// "bytes_before", "bytes_after"}.
extern const writers store_writers, store_verify_writers, store_prune_writers;

#endif
