// The ranking: which of several contenders, launched in turn round by round, is the fastest, and
// which of the others are told apart from it. Pure functions on the times of the rounds.
//
// Two runs of one kernel some seconds apart differ by more than the noise within each; launches of
// one round share the machine's state. So everything that compares contenders is computed from
// within-round ratios; the interval of a contender's own median is shown beside it and decides
// nothing.
#ifndef HONE_MEASURE_RANKING_H
#define HONE_MEASURE_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Times in ns, contender by contender: times[c] has counts[c] samples, sample i of round i. One
// that was dropped early has fewer than the others.
struct ranking_times {
    const uint64_t *const *times;
    const uint32_t *counts;
    size_t contenders;
};

struct ranking_terms {
    double level;           // of the family of decisions: 0.95
    uint32_t looks;         // how often the rounds are looked at, this one included: 1 or more
    uint32_t permutations;  // of labels within rounds: the more the finer
    uint64_t seed;          // of the permutations
    uint64_t resolution_ns; // of the device's timer divided by the batch: nothing is told finer
};

struct ranking_entry {
    // Of its own samples: the median and its rank interval.
    double median, low, high;
    bool interval; // low..high is that interval, not just the range
    // To the winner, within rounds: 1.05 is five per cent slower. The interval is simultaneous: all
    // of them hold together with probability `level`.
    double ratio, ratio_low, ratio_high;
    bool tied;    // not told apart from the winner; the winner is tied with itself
    size_t place; // 0: the winner; in the order of the ratios
};

// Fills out[0 .. contenders) and *winner. False without memory, without contenders, or where one
// has no sample.
bool ranking_decide(const struct ranking_times *t, const struct ranking_terms *terms,
                    struct ranking_entry *out, size_t *winner);

#endif
