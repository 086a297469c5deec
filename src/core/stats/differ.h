// Whether two kernels differ, and how much: tests and ratios of one pair, and what may be said of
// many pairs at once. Pure functions.
#pragma once

#include "stats/stats.h"

// The two-sided probability, were the centre of symmetry of the values within -margin .. margin,
// of values at least as far outside: Wilcoxon's signed-rank test of the values less the margin on
// their side. Exact up to 64 values, ties and zeros included (midranks; Pratt, "Remarks on zeros
// and ties in the Wilcoxon signed rank procedures", JASA 54, 1959); by the normal approximation
// beyond. 1 without values or memory.
double differ_signed_rank(const double *values, size_t count, double margin);
// The same of the logarithms of the ratios of samples taken in turn.
double differ_paired(const uint64_t *a, const uint64_t *b, size_t count, double margin);

// So many values, all on one side, are needed for a probability that `pairs` such tests at once
// call different at this level.
uint32_t differ_rounds(uint64_t pairs, double level);

// Holm's procedure (Scand. J. Stat. 6, 1979): apart[i] where pair i is called different, with
// probability 1 - level at most that any of those called so is not. False without memory.
bool differ_holm(const double *probabilities, size_t count, double level, bool *apart);

// How many times longer `a` takes than `b`, from samples that were not taken in turn: the median of
// all ratios of one to another (Hodges and Lehmann 1963), the interval from the ranks of Mann and
// Whitney's statistic. Drift between the two is in it. As stats_paired_ratio() otherwise.
void differ_ratio(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                  double level, uint64_t resolution_ns, struct stats_ratio *out);
// So many samples of each give the ratio an interval of that level.
uint32_t differ_samples(double level);
// The probability of Mann and Whitney's test that goes with it, by the normal approximation with
// continuity correction, `margin` (of the logarithms) as above.
double differ_rank_sum(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                       double margin);

// A device among equal ones, by times of one job.
struct differ_device {
    const uint64_t *samples;
    size_t count;             // 0: it does not take part
    bool by_host;             // timed by the host's clock, which does not compare with the device's
    bool is_settled;          // it is there for the others
    bool compared;            // `ratio` is known
    bool is_slow;             // it is left out
    struct stats_ratio ratio; // how many times longer it takes than all others that are left
};
// Compares each with the others, and leaves the slowest out as long as the lower end of its interval, too, is beyond
// 1 + `limit`: few launches on a busy machine say little. False without memory.
bool differ_devices(struct differ_device *list, size_t count, double level, uint64_t resolution_ns,
                    double limit);
// Why a device is left out that is: a sentence.
void differ_outlier_text(const struct stats_ratio *ratio, double limit, char *out, size_t size);
