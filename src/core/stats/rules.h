// How configurations are measured: screening decides how many launches one is worth, the ranking
// at the end decides which is the fastest. All constants of the procedure stand here, named; each
// can be set (`--rule NAME=VALUE`), and the help is made from the same table.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// X(member, default, least, most, what it is). All are doubles; counts are whole numbers. The
// defaults come from simulated tunes of 200 configurations (tests/stats/test_procedure.c): they
// take fewer than 4 launches for each configuration and lose the best in fewer than 5 of 100.
// - One sample is enough of one that will be a finalist, or is not by two launches that agree: a
//   launch in the rounds tells more, because the machine's drift cancels there.
// - `near` is wide, because screening sees drift: with 11 % of it, the best was not even a
// finalist
//   in 14 of 100 tunes at 1.25, in 4 at 1.5. `behind` takes the others back out after a few rounds,
//   and `finalists` bounds what that costs.
// - 32 rounds: with 3 % of noise, one of ten that is 5 % faster was told apart in 89 of 100 by 24,
// in
//   94 by 28.
// - `alike`: where its code and buffers come to lie makes one kernel faster or slower from one load
// to
//   the next (Mytkowicz and others, "Producing wrong data without doing anything obviously wrong!",
//   ASPLOS 2009). That lasts through all rounds and is no property of a configuration. On two cores
//   (PoCL 3.1) ten equal kernels tied in 48 of 50 recorded rankings without this margin and in 50
//   with it; on sixteen (PoCL 5), where some loads were slower by several per cent, in 83 and 88 of
//   100.
#define MEASURE_RULES(X)                                                                           \
    /* Screening: one configuration after the other. */                                            \
    X(first, 1, 1, 1e6, "samples of a configuration that is not far behind the best")              \
    X(most, 3, 1, 1e6, "samples of one that is near the best, when its launches disagree")         \
    X(settled, 0.1, 0, 1, "relative spread of the samples at which no more are taken")             \
    X(hopeless, 2, 1, 1e6, "times the best: a launch beyond this stops the configuration")         \
    X(certain, 2.5, 1, 1e6,                                                                        \
      "times the best: beyond this one launch is enough to stop it, not two")                      \
    X(near, 1.5, 1, 1e6, "times the best: what is within this is a finalist of the ranking")       \
    X(budget, 1, 0, 1e6, "seconds of kernel time for the samples of one configuration")            \
    /* The ranking: rounds in which all finalists are launched in turn. */                         \
    X(contenders, 14, 2, 1e4, "configurations that take part, the fastest first")                  \
    X(early, 1, 1, 1e4, "rounds after which those clearly behind leave")                           \
    X(behind, 1.02, 1, 1e6, "times the leader, in every round so far: clearly behind")             \
    X(rounds, 32, 0, 1e4, "rounds at most; 0: no ranking, screening alone decides")                \
    X(looks, 3, 1, 100, "looks at the rounds: the last at their end, each other at half the next") \
    X(alike, 1.005, 1, 1e6, "times the winner: what is within this is tied with it")               \
    X(level, 0.95, 0.5, 0.9999, "of the family of decisions, and of the ratios' intervals")        \
    X(precision, 0.002, 0, 1, "half width of a ratio's interval at which no more rounds are run")  \
    X(disturbed, 1.3, 1, 1e6,                                                                      \
      "times its usual: a round whose reference launch took this is repeated")                     \
    X(load, 0.2, 0, 1,                                                                             \
      "share of the cores used by others beyond which a CPU's round is repeated, and screening "   \
      "takes more samples")                                                                        \
    X(repeats, 3, 0, 1000, "rounds repeated at most before a disturbed one is kept and marked")    \
    X(outlier, 0.1, 0, 1e6,                                                                        \
      "share by which one of several devices may be slower than its siblings and still take part") \
    /* Both. */                                                                                    \
    X(resolution, 100, 1, 1e6,                                                                     \
      "times the timer's resolution: shorter launches are timed in batches")

// The rules that are counts.
#define MEASURE_WHOLE_RULES(X) X(first) X(most) X(contenders) X(early) X(rounds) X(looks) X(repeats)

struct measure_rules {
#define X(member, value, least, most, text) double member;
    MEASURE_RULES(X)
#undef X
    uint32_t fixed; // > 0: exactly this many samples, no early stop, no ranking (--iterations)
    bool unranked;  // screening alone decides; with it `rounds` stays as it was
};

struct measure_rules measure_rules_default(void);

// One rule of the table, for help and for reading "name=value".
struct measure_rule {
    const char *name, *text;
    double value, least, most; // value: the default
    size_t offset;             // in struct measure_rules
};
// Ends with a NULL name.
extern const struct measure_rule measure_rule_table[];
bool measure_rule_is_whole(const struct measure_rule *r);
// Reads "rounds=40". The error names what would be right, and the nearest rule for an unknown one.
bool measure_rules_set(struct measure_rules *rules, const char *text, struct error *e);

enum measure_verdict {
    MEASURE_MORE,
    MEASURE_SETTLED,
    MEASURE_HOPELESS,
    MEASURE_LIMIT,
    MEASURE_FIXED
};

// All that screening knows of one configuration.
struct screening {
    uint64_t verify_ns; // device time of its verified launch; 0: not known
    const uint64_t *samples;
    size_t count;
    uint64_t resolution_ns;
    uint64_t best_ns; // median of the best so far; 0: there is none
    uint64_t
        best_verify_ns;   // of that one's verified launch: a first launch is compared with a first
    bool verified_counts; // the verified launch is as good as a sample
};

// After the verified launch and `count` samples: how many more to ask for (`*more`, never 0 with
// MEASURE_MORE), or why to stop. A verified launch beyond `certain` times the best ends it without
// any sample, and one that is near is settled without any where it is as good as one. Whatever else throws a configuration away (beyond `hopeless`, or not `near`) is said
// by two launches, because one disturbed launch would throw the fastest away.
enum measure_verdict measure_next(const struct measure_rules *rules, const struct screening *s,
                                  uint32_t *more);

// Is it, with what is known now, none for the ranking?
bool measure_is_out(const struct measure_rules *rules, const struct screening *s);

// Launches per sample so that a sample is at least `resolution` times the timer's; 1 where a launch
// takes that long itself, or nothing is known.
uint32_t measure_batch(const struct measure_rules *rules, uint64_t launch_ns,
                       uint64_t resolution_ns);
