// Statistics on samples; pure functions. Times of kernels are skewed and have outliers, so the
// median and rank intervals are used throughout (Hoefler and Belli, "Scientific benchmarking of
// parallel computing systems", SC 2015, section 3.1.3).
#ifndef HONE_MEASURE_STATS_H
#define HONE_MEASURE_STATS_H

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

// Geometric mean of positive numbers; NaN for none, or where one is not positive.
double stats_geometric_mean(const double *values, size_t count);

#endif
