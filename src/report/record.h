// The input of reports: the records of workflows and the context that a reader needs. Records are
// not copied.
#pragma once

#include "recorded/recorded.h"
#include "report/progress.h"
#include "report/writer.h"
#include "workflows/best.h"
#include "workflows/record_fields.h"
#include "workflows/tune/tune.h"

// The circumstances of a run: version, command, host, date, seed, store.
struct report_about {
    const char *hone_version, *command, *host, *date;
    uint64_t seed;
    const char *store;  // path; NULL: nothing is kept
    const char *broken; // (optional) why it could not go on
};

// How results are verified, for headers.
struct verified_by {
    enum verification kind;
    // "gemm", "kernel plain"; of agreement the default configuration: "B=32"; "" where there is nothing
    const char *against;
    const struct deviation *blind; // (optional) an output whose check shows nothing; kind: NONE
    bool is_silent;                // a program that says nothing of its result; kind: NONE
};

// A run, as it begins.
struct run_head {
    const struct report_about *about;
    const struct spec *spec;
    const char *constants, *constants_json; // "WIDTH=256"
    struct digest source;
    const char *strategy;                // its name
    const char *strategy_description;    // (optional) with all its options
    const struct objectives *objectives; // (optional) what is optimised; NULL: the shortest time
    bool by_time;                        // the shortest time decides, or an equivalent objective
    const struct device_info *device;
    const char *const *cache; // NAME=VALUE, NULL-terminated
    const char *cartesian;    // in decimal
    uint64_t valid, planned;
    uint32_t part, parts; // --part, from 1: `valid` are those of this part; parts 0: of all
    struct verified_by check;
    bool build_only; // nothing runs
    // (optional) A recorded space that answers instead of a device, which is NULL then. `of_spec`: else its parameters
    // alone are searched. `cost_ns`: what the results cost when they were recorded; NaN: not known.
    const struct recorded *recorded;
    const struct replay *replay;
    bool of_spec;
    double cost_ns;
};

// Where a stored result comes from.
struct record_origin {
    const struct best_answer *answer;
    const char *constants_json; // or NULL: the spec has other constants now
    const char *goal;           // "the least cost": what it is the best by, where that is no time
};

// A tune, by now or at its end.
#define ADVICE_MOST 4
struct advice { // advice.h
    const char *lines[ADVICE_MOST];
    size_t count;
};

struct tune_report {
    struct run_head head;
    struct record_frame frame;
    struct tune_progress progress;
    struct tune_speedup speedup;
    const struct tune_record *const *ranking; // as tune_ranking() says
    size_t ranking_count;
    const struct tune_record *const *records; // all of them
    size_t record_count;
    struct advice advice; // at the end
    double level;         // of the ranking's decision: 0.95
    bool cold;
    uint64_t wall_ns, listing_ns; // since the program was started; of that until the tune was made
    enum report_format format;    // of its tables
    size_t rows;                  // of these, at most
    struct screen screen;         // that the end is written to
    // The end in short, as text; else all tables.
    bool in_short;
    const char *options; // (optional) for a compiler, of the best
};
