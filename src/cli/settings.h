// Options that several subcommands share: small structs, each with the options that fill it. A
// subcommand's settings are a struct of its own with these among its members; its groups of options
// say where (struct option_group, `at`).
#pragma once

#include "cli/console.h"
#include "cli/option.h"
#include "lib/handle.h"
#include "model/device_info.h"
#include "report/writer.h"
#include "stats/rules.h"
#include "search/search.h"

// How stdout is written.
struct given_format {
    bool is_given;
    enum report_format format;
};

// The spec, the device and the store.
struct spec_settings {
    struct given_language {
        bool is_given;
        enum language language;
    } language;
    const char *device;
    struct list set, config, where;
    struct space_share share; // --part
    const char *nodes, *node_worker;
    const char *reference_by;
    struct list on, build_on; // --on, --build-on
    const char *store;
    struct list also;
    bool strict;
    struct given_format output;
};

// How configurations are built and measured, and what of earlier results is taken.
struct measure_settings {
    // As the library takes them: iterations, seed, jobs, limits, cold, counters, fresh, retry, no_transfer. The rest is filled
    // in by work_options().
    struct hone_tune_options terms;
    struct list rules;
    bool fresh_ranking; // also of points that the store has a ranking of
};

// --store none
bool stores_nothing(const struct spec_settings *s);
// --also unseen
bool reuses_unseen(const struct spec_settings *s);

struct search_settings {
    const char *budget, *strategy;
    struct list objective, start_with;
};

extern const struct option spec_options[];      // all of struct spec_settings
extern const struct option part_options[];      // --part
extern const struct option reference_options[]; // --reference-by
extern const struct option no_options[];        // none
extern const struct option strict_options[];
extern const struct option device_options[];
extern const struct option store_options[];
extern const struct option own_store_options[]; // --store and --json

extern const struct option measure_options[]; // --iterations, --timeout, --cold
extern const struct option counters_options[];
extern const struct option timeout_options[];
extern const struct option rule_options[];
extern const struct option jobs_options[];
extern const struct option seed_options[];
extern const struct option fresh_options[];
extern const struct option fresh_tune_options[];  // also =transfer
extern const struct option fresh_point_options[]; // and =ranking

extern const struct option search_options[]; // --budget, --strategy
extern const struct option objective_options[];

extern const struct option format_options[];  // --format, into struct given_format
extern const struct option verbose_options[]; // into a bool

// "3%" or 0.03, of at most `most`.
bool share_read(const char *text, double most, double *share, struct error *e);

// For `apply`.
bool option_language(void *field, const char *value, struct error *e); // struct given_language
bool option_format(void *field, const char *value, struct error *e);   // struct given_format
bool option_json(void *field, const char *value, struct error *e);     // likewise, of --json
// "30s" (of a launch) or "build=60s,launch=30s".
bool option_limits(void *field, const char *value, struct error *e); // struct hone_tune_options
bool option_rule(void *field, const char *value, struct error *e);   // "rounds=40", struct list
