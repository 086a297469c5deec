// The ranking: which of several finalists, launched in turn round by round, is the fastest, and
// which of the others are told apart from it. Pure functions on the times of the rounds.  Two runs
// of one kernel some seconds apart differ by more than the noise within each; launches of one round
// share the machine's state. So everything that compares finalists is computed from logarithms of
// times less the median of their round (a block design, the rounds being the blocks); the interval
// of a finalist's own median is shown beside it and decides nothing (Hoefler and Belli, "Scientific
// benchmarking of parallel computing systems", SC 2015, section 3.1.3).  How a finalist is told
// apart from the winner. The winner is not given, it is chosen from the same times: the best of ten
// equal kernels looks better than most of the others. Therefore the whole set is tested: - Were all
// of a set equal, the labels within each round could be exchanged. The statistic is the distance
// from the winner to the last; its distribution is that of the *range* over permutations of labels
// within rounds, which needs no assumption on the noise of equal kernels and covers every choice of
// a winner. - Step down (Holm, "A simple sequentially rejective multiple test procedure", Scand. J.
// Stat. 6, 1979; with permutations Westfall and Young, "Resampling-based multiple testing", 1993):
// where the last is told apart it is taken away and the rest tested again, until one is not. -
// Distances are sums of the centred logarithms, cut off at 1.5 robust standard deviations, so that
// single slow launches weigh little (Huber 1964); a launch beyond 3.5 of its finalist's own
// residuals weighs nothing. Permuting labels does not change the cut. The ratio shown is the
// difference of Hodges-Lehmann locations ("Estimates of location based on rank tests", Ann. Math.
// Stat. 34, 1963). Its interval takes its width from the range of permuted *residuals*, as Tukey's
// intervals for all pairs do, and is made to agree with the decision (the constrained intervals of
// Hsu, "Multiple comparisons: theory and methods", 1996, chapter 4).  Where this is not exact:
// marking outliers depends on the labels, which a factor found by simulation corrects; kernels
// whose noise differs much are not quite exchangeable (of six equal kernels, one of which scatters
// four times as much, all tie in 90 % of rankings instead of 95 %); and the intervals' small-sample
// factor is an approximation. tests/stats/test_ranking.c measures what holds.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Times in ns, finalist by finalist: times[c] has counts[c] samples, sample i of round i. One
// that left early has fewer than the others; it is compared on the rounds that it shares with the
// winner, and never is the winner itself.
struct ranking_times {
    const uint64_t *const *times;
    const uint32_t *counts;
    size_t finalists;
};

struct ranking_terms {
    double level;           // of the family of decisions: 0.95
    uint32_t looks;         // that share 1 - level evenly, this one included: 1 or more
    uint32_t permutations;  // of labels within rounds at most; 0, or too few for the level: enough
    uint64_t seed;          // of the permutations: same seed, same answer on every machine
    uint64_t resolution_ns; // of the device's timer divided by the batch: nothing is told finer
    double alike;           // a ratio within which nothing is told apart; below 1: 1
    const bool *apart;      // (or NULL) by finalist: told apart earlier, and not tested again
};

struct ranking_entry {
    // The median of its own samples, and the rank interval of that.
    double median, low, high;
    // To the winner, within rounds: 1.05 is five per cent slower. The interval is simultaneous: all
    // of them hold together with probability `level`. It lies beyond `alike` exactly for those told
    // apart.
    double ratio, ratio_low, ratio_high;
    size_t place;        // 0: the winner; in the order of the ratios
    bool interval;       // low..high is that interval, not just the range
    bool ratio_interval; // likewise; false: too few rounds for one, the range of the rounds' ratios
    bool tied;           // with the winner, which is tied with itself
};

// Fills out[0 .. finalists) and *winner. False without memory, without finalists, where one has
// no sample, or where none that took part to the end may be the winner.
bool ranking_decide(const struct ranking_times *t, const struct ranking_terms *terms,
                    struct ranking_entry *out, size_t *winner);

// So many rounds tell without a launch before them who is clearly behind.
#define CLEAR_ROUNDS 3

// Marks those that may leave after a few rounds: in each round so far more than `behind` times the
// leader, and beyond what the noise within rounds makes of an equal one. With fewer than three rounds
// `first` (or NULL) is a round of its own: a launch of each finalist before the rounds (0: there is
// none), one after the other. It was not interleaved, so that drift and whatever slows single launches are in it: the distance
// must then be the same in it and in each round, as a difference of the kernels is and a disturbance
// of two launches seconds apart is not. Those with fewer rounds than the others are not marked. False as above.
bool ranking_clear(const struct ranking_times *t, const uint64_t *first, double behind,
                   bool *clear);
