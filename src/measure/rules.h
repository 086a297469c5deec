// How configurations are measured: screening decides how many launches one is worth, the ranking
// at the end decides which is the fastest. All constants of the procedure stand here, named; each
// can be set (`--rule NAME=VALUE`), and the help is made from the same table.
#ifndef HONE_MEASURE_RULES_H
#define HONE_MEASURE_RULES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// X(member, default, least, most, what it is). All are doubles; counts are whole.
#define MEASURE_RULES(X)                                                                           \
    /* Screening: one configuration after the other. */                                            \
    X(first, 2, 1, 1e6, "samples of a configuration that is not far behind the best")              \
    X(most, 5, 1, 1e6, "samples of one that is near the best, when their spread is wide")          \
    X(settled, 0.01, 0, 1, "relative spread of the samples at which no more are taken")            \
    X(hopeless, 2, 1, 1e6, "times the best: a launch beyond this stops the configuration")         \
    X(certain, 4, 1, 1e6, "times the best: beyond this one launch is enough to stop it, not two")  \
    X(near, 1.25, 1, 1e6, "times the best: what is within this is a contender of the ranking")     \
    X(budget, 1, 0, 1e6, "seconds of kernel time for the samples of one configuration")            \
    /* The ranking: rounds in which all contenders are launched in turn. */                        \
    X(contenders, 32, 2, 1e4, "configurations that take part, the fastest first")                  \
    X(early, 3, 1, 1e4, "rounds after which those clearly behind leave")                           \
    X(behind, 1.1, 1, 1e6, "times the leader, in every round so far: clearly behind")              \
    X(rounds, 24, 1, 1e4, "rounds at most")                                                        \
    X(looks, 3, 1, 100, "times the rounds are looked at, whether all is told apart already")       \
    X(level, 0.95, 0.5, 0.9999, "of the family of decisions, and of the intervals")                \
    X(precision, 0.002, 0, 1, "half width of a ratio's interval at which no more rounds are run")  \
    X(disturbed, 1.3, 1, 1e6,                                                                      \
      "times its usual: a round whose reference launch took this is repeated")                     \
    X(load, 0.2, 0, 1, "share of the cores used by others beyond which a CPU's round is repeated") \
    X(repeats, 3, 0, 1000, "rounds repeated at most before a disturbed one is kept and marked")    \
    /* Both. */                                                                                    \
    X(resolution, 100, 1, 1e6,                                                                     \
      "times the timer's resolution: shorter launches are timed in batches")

struct measure_rules {
#define X(member, value, least, most, text) double member;
    MEASURE_RULES(X)
#undef X
    uint32_t fixed; // > 0: exactly this many samples, no early stop, no ranking (--iterations)
    bool unranked;  // screening alone decides
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
// Reads "rounds=40". The error names what would be right, and the nearest rule for an unknown one.
bool measure_rules_set(struct measure_rules *rules, const char *text, struct error *e);

enum measure_verdict {
    MEASURE_MORE,
    MEASURE_SETTLED,
    MEASURE_HOPELESS,
    MEASURE_LIMIT,
    MEASURE_FIXED
};

// What screening knows of one configuration.
struct screening {
    uint64_t verify_ns; // device time of its verified launch; 0: not known
    const uint64_t *samples;
    size_t count;
    uint64_t resolution_ns;
    uint64_t best_ns; // median of the best so far; 0: there is none
    uint64_t
        best_verify_ns; // of that one's verified launch: a first launch is compared with a first
};

// After the verified launch and `count` samples: how many more to ask for (`*more`, never 0 with
// MEASURE_MORE), or why to stop. A verified launch beyond `certain` times the best ends it without
// any sample; one beyond `hopeless` needs a second launch that says the same, because one disturbed
// launch would throw the fastest away.
enum measure_verdict measure_next(const struct measure_rules *rules, const struct screening *s,
                                  uint32_t *more);

// Launches per sample so that a sample is at least `resolution` times the timer's; 1 where a launch
// takes that long itself, or nothing is known.
uint32_t measure_batch(const struct measure_rules *rules, uint64_t launch_ns,
                       uint64_t resolution_ns);

#endif
