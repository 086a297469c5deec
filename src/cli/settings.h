// What the options of all subcommands are read into; each subcommand's tables name the fields it
// has.
#ifndef HONE_CLI_SETTINGS_H
#define HONE_CLI_SETTINGS_H

#include "cli/option.h"
#include "job/device_info.h"
#include "measure/rules.h"
#include "search/search.h"

struct settings {
    bool help;
    // of every subcommand that takes a spec
    bool json, strict;
    bool of_reference;  // with `races`: the reference itself is checked
    bool no_crash_line; // a crash is not looked for in the simulator
    const char *device;
    struct given_language {
        bool is_given;
        enum language language;
    } language;
    struct list set;
    const char *store;
    struct list also;
    struct list config;
    struct list where;
    // how to search
    struct budget budget;
    const char *strategy;
    struct list objective;
    struct list strategies; // to be scored
    const char *score_by;   // the objective of that
    const char *replay;     // a recording that answers instead of a device
    struct given repeats, in_flight;
    struct given sample; // of a check
    struct given seed;
    struct given jobs;
    // how to measure
    struct given iterations;
    struct limits {
        uint64_t build_ns, launch_ns, driver_ns; // 0: the default
    } limits;
    uint64_t lock_wait_ns; // 0: the default
    struct given_rules {
        bool is_given;
        struct measure_rules rules;
    } rules;
    bool cold, unranked;
    // what is kept
    bool fresh, no_store, stored, reuse_unseen;
    uint32_t retry; // 1 << status
    // looking after the store
    bool prune, verify, superseded, yes;
    bool best; // of an import
    const char *before, *spec;
    // what is shown
    bool verbose, list, options, all, man, completion;
    bool build_only;  // nothing runs
    bool races;       // of a check
    const char *arch; // "sm_90": what is built for where there is no device
    bool stats;       // of a space
    bool timing;      // where the time of a tune went
    bool markdown;
    const char *why;
    // the sides of a comparison
    struct list left, right; // WHAT=VALUE
    struct given top, rounds;
    struct given_why {
        bool is_given;
        const char *configuration; // NULL: the best
    } explain;
    struct list against; // libraries beside the best of a spec; the lines of a sweep
    // the points of a sweep
    bool product, known, again;
    struct list assume;
    enum show {
        SHOW_RESULT,
        SHOW_SOURCE,
        // what the driver made of it
        SHOW_BINARY,
        SHOW_PTX,
        SHOW_SASS,
        SHOW_INSTRUCTIONS,
        SHOW_COUNT
    } show;
    const char *output;
    const char *format; // of an export
    const char *kernel;
    // what is checked, and what is no failure
    struct list smallest;
    struct allow {
        unsigned statuses; // 1 << status
        bool unverified;
    } allow;
    const char *junit;
};

void settings_release(struct settings *s);

// For `apply`: --timeout's "30s" (of a launch) or "build=60s,launch=30s", into struct limits.
bool option_limits(void *field, const char *value, struct error *e);
// "10m", into nanoseconds.
bool option_time(void *field, const char *value, struct error *e);

// --lock-wait, of the commands that measure.
#define LOCK_WAIT_OPTION                                                                           \
    {                                                                                              \
        .name = "lock-wait", .argument = "TIME",                                                   \
        .help = "How long to wait, at a time, for a device that another process uses; then the "   \
                "command ends and says which. Default: 10m.",                                      \
        .apply = option_time, .offset = offsetof(struct settings, lock_wait_ns)                    \
    }

// "opencl" or "cuda" into a struct given_language.
bool option_language(void *field, const char *value, struct error *e);

// -h; what every spec-taking subcommand has; and those that measure.
extern const struct option help_options[];
extern const struct option device_options[]; // --device, which spec_options has, too
extern const struct option store_options[];  // --store, likewise
extern const struct option spec_options[];
extern const struct option measure_options[];
extern const struct option search_options[]; // --budget, --strategy
// Options that several subcommands share beside their own, under the same title.
extern const struct option jobs_options[];      // --jobs
extern const struct option seed_options[];      // --seed
extern const struct option objective_options[]; // --objective
extern const struct option rule_options[];      // --rule
extern const struct option again_options[];     // --fresh, --retry
extern const struct option verbose_options[];   // --verbose
extern const struct option no_store_options[];  // --no-store

// "rounds=40" into a struct given_rules.
bool option_rule(void *field, const char *value, struct error *e);

#endif
