// Views of a comparison -> text, Markdown, JSON. As in report.h: everything is added to `out`; text
// ends with a newline, JSON does not.
#ifndef HONE_REPORT_COMPARE_H
#define HONE_REPORT_COMPARE_H

#include "report/report.h"

#define VIEW_SIDES 8

// One side of the comparison.
struct view_side {
    const char *label; // "OpenCL", "WIDTH=512", "tiled"
    const char *spec;  // its name
    const char *constants, *constants_json;
    const char *const *flags; // compiler options beside the spec's
    uint32_t flag_count;
    const char *routine; // (optional) "cublas": a vendor's, in place of the spec's kernel
    const struct device_info *device; // NULL: a stored run
    const char *run, *date;           // of a stored run; NULL otherwise
    struct view_check check;
};

// A configuration on one side.
struct view_compared_side {
    const char *configuration, *configuration_json;
    const struct result *result;
    bool timed;
    struct stats_summary stats;
    const struct view_metric *metric; // (optional) the first
    // Of several specs: to the fastest, with the simultaneous interval.
    bool ranked, tied;
    size_t place; // 0: the fastest
    struct stats_ratio to_fastest;
};

// A configuration on all sides.
struct view_compared {
    const char *configuration, *configuration_json; // of the first side
    const struct view_compared_side *sides;
    bool compared;            // with two sides, both timed: the rest is valid
    struct stats_ratio ratio; // the first side's time over the second's
    double probability;
    bool apart;
    bool in_turn;
    uint32_t rounds, repeated, batch;
    const char *same_as_json; // (optional) launched instead
};

struct view_compare {
    const char *hone_version, *command, *host, *date, *store;
    const char *broken; // (optional)
    uint64_t seed;
    const struct view_side *sides;
    const struct view_compared *rows; // in the order in which they were launched
    size_t row_count;
    uint64_t planned;
    uint64_t only[2]; // in one side alone, left out
    const char *only_examples[2];
    // Over the rows, with two sides:
    uint64_t compared, failed, identical;
    double mean, mean_low, mean_high;
    uint64_t apart, first_faster, second_faster;
    double level, correlation;
    const struct view_compared *best[2]; // the row with the fastest of each side; or NULL
    struct stats_ratio ratio_of_bests;
    uint64_t launches, elapsed_ns;
    uint32_t side_count;
    uint32_t needed;               // rounds, to tell one apart among so many
    bool of_specs;                 // the best of several specs: one row, ranked
    bool sampled;                  // not all that there are
    bool paired;                   // every ratio is of launches in turn
    bool mean_interval, has_bests; // what their names begin with is known
    bool cancelled;
};

// ||a - r|| / ||r|| of what it computed to the reference, the largest of its outputs; NaN: not held
// against one.
double report_error_norm(const struct result *r);
// Before the first row: what is compared.
void report_compare_head(const struct view_compare *v, struct text *out);
// The table, with at most `most` rows (0: all), what failed, and the summary.
void report_compare(const struct view_compare *v, size_t most, struct text *out);
void report_compare_markdown(const struct view_compare *v, size_t most, struct text *out);
// The members of one object: hone, command, host, date, seed, store, sides (label, spec, routine,
// constants, options, device, driver, language, run, verification), rows (configuration, sides:
// [{configuration, status, median_ns, interval_ns, samples_ns, batch, registers, spill_bytes,
// local_bytes, metric, error, message, library, place, tied, ratio, ratio_interval}], ratio,
// ratio_interval, probability, differs, in_turn, rounds, repeated, same_as), planned, only,
// compared, failed, identical, in_turn, mean_ratio, mean_interval, differ, first_faster,
// second_faster, level, kendall_tau, best (of each side: configuration, median_ns), ratio_of_bests,
// ratio_of_bests_interval, launches, elapsed_ns, cancelled, error. Ratios are of the first side's
// time to the second's; of several specs: of each to the fastest.
// `error` is report_error_norm().
void report_compare_json(const struct view_compare *v, struct emit *j);

#endif
