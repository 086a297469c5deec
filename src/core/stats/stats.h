// Statistics on samples; pure functions. Times of kernels are skewed and have outliers, so the
// median and rank intervals are used throughout (Hoefler and Belli, "Scientific benchmarking of
// parallel computing systems", SC 2015, section 3.1.3).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Samples are never changed. Without memory (more than a handful are sorted in a copy) a result is
// NaN, as it is without samples.

// The level of the intervals that hone reports.
#define STATS_LEVEL 0.95

// The median; the mean of the two middle ones for an even count. 0 samples: NaN.
double stats_median(const uint64_t *samples, size_t count);
double stats_mean(const uint64_t *samples, size_t count);
// For qsort(): doubles, none of them NaN, in ascending order.
int stats_compare_double(const void *a, const void *b);
// The same median of one or more doubles, none of them NaN, which it sorts.
double stats_median_of(double *values, size_t count);
// Quantile by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996). NaN
// for q outside 0 .. 1.
double stats_quantile(const uint64_t *samples, size_t count, double q);

// The rank r (from 1) such that the median lies between the r-th smallest and the r-th largest of
// `count` samples with probability `level` or more; the largest such r, 0 when there is none.
size_t stats_interval_rank(size_t count, double level);

// The distribution-free confidence interval of the median: the order statistics whose ranks a
// binomial(count, 1/2) puts outside with probability at most 1 - level. False below six samples at
// 95 % (no such ranks exist), and *low, *high are then the smallest and largest sample.
// The interval is never narrower than the timer's resolution: `resolution_ns` (0: ignored) widens
// it to at least that, around the median.
bool stats_median_interval(const uint64_t *samples, size_t count, double level,
                           uint64_t resolution_ns, double *low, double *high);

// Everything a report says of one configuration's samples.
struct stats_summary {
    size_t count;
    double median, mean, low, high, least, most; // ns
    bool interval;                               // low..high is a 95 % interval, not just the range
};
void stats_summarise(const uint64_t *samples, size_t count, uint64_t resolution_ns,
                     struct stats_summary *out);

// The Hodges-Lehmann estimate of location: the median of the averages of all pairs, each value with
// itself among them (Hodges and Lehmann, "Estimates of location based on rank tests", Ann. Math.
// Stat. 34, 1963). 95 % as efficient as the mean on normal noise, and up to 29 % of the values may
// be arbitrary. NaN without values or memory.
double stats_location(const double *values, size_t count);

// The rank r (from 1) such that the centre of symmetry lies between the r-th smallest and the r-th
// largest of the averages of all pairs with probability `level` or more; the largest such r, 0 when
// there is none (below six values at 95 %). From the distribution of Wilcoxon's signed-rank
// statistic, exact up to 64 values (Hollander, Wolfe, Chicken, "Nonparametric statistical methods",
// 3rd ed. 2014, section 3.3), by its normal approximation beyond.
size_t stats_signed_rank(size_t count, double level);

// The location and its interval from those ranks. False where there is no such rank; *low, *high
// are then the smallest and largest value. All NaN without values or memory.
bool stats_location_interval(const double *values, size_t count, double level, double *location,
                             double *low, double *high);

// How many times longer `a` takes than `b`, from samples taken in turn: a[i] and b[i] saw the same
// state of the machine, so that its drift cancels in their ratio.
struct stats_ratio {
    double ratio, low, high;
    bool interval; // low..high is the interval of `level`, not just the range of the ratios
};
// The interval is never narrower than resolution_ns is of b's median. A sample of 0 ns counts as
// half a nanosecond. All NaN without samples or memory.
void stats_paired_ratio(const uint64_t *a, const uint64_t *b, size_t count, double level,
                        uint64_t resolution_ns, struct stats_ratio *out);
// The same of what both take when nothing disturbs them, for a machine on which most samples are disturbed: the interval reaches from
// a's fastest over b's w-th fastest to a's w-th over b's fastest. If a[i] and b[i] could have come the other way round as well, the w
// fastest of all are b's with probability 2^-w at most (two of one pair never are); w is the least for which that is within the level.
// Nothing is assumed of the noise, and no more than w undisturbed samples of each are needed. As above otherwise; no interval with fewer
// than w samples. A kernel that is fast in some launches alone seems fast here: whoever decides by this looks at the ratio above, too.
void stats_undisturbed_ratio(const uint64_t *a, const uint64_t *b, size_t count, double level,
                             uint64_t resolution_ns, struct stats_ratio *out);
// The logarithm of a time in ns; 0 counts as half a nanosecond.
double stats_log_ns(uint64_t ns);

// Geometric mean of positive numbers; NaN for none, or where one is not positive.
double stats_geometric_mean(const double *values, size_t count);
// Its interval with the values as a sample of others: Student's, of the logarithms. False, and the
// mean itself as both, for fewer than two values.
bool stats_geometric_interval(const double *values, size_t count, double level, double *low,
                              double *high);
// t with P(|T| > t) = 1 - level, T of Student's distribution with `freedom` (1 or more) degrees.
double stats_student(size_t freedom, double level);

// How far two lists of numbers have the same order: Kendall's tau-b, 1 for the same order, -1 for
// the opposite one ("The treatment of ties in ranking problems", Biometrika 33, 1945). NaN where
// one of them has no order (all equal, or fewer than two).
double stats_kendall(const double *a, const double *b, size_t count);
