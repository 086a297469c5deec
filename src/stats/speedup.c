// How many times faster one configuration is than another: the geometric mean of the ratios within
// rounds with Student's interval of their logarithms, or the ratio and interval that a ranking
// found.
#include "stats/speedup.h"

#include <math.h>

void speedup_paired(const uint64_t *slow, const uint64_t *fast, size_t count, double level,
                    uint64_t resolution_ns, struct stats_ratio *out)
{
    *out = (struct stats_ratio){NAN, NAN, NAN, false};
    if (count == 0)
        return;
    double mean = 0;
    for (size_t i = 0; i < count; i++)
        mean += (stats_log_ns(slow[i]) - stats_log_ns(fast[i])) / (double)count;
    out->ratio = exp(mean);
    // An interval of the ratio, or the smallest and the largest one.
    double squares = 0;
    out->low = out->high = exp(mean);
    for (size_t i = 0; i < count; i++) {
        double log = stats_log_ns(slow[i]) - stats_log_ns(fast[i]);
        squares += (log - mean) * (log - mean);
        out->low = fmin(out->low, exp(log));
        out->high = fmax(out->high, exp(log));
    }
    out->interval = count >= SPEEDUP_ROUNDS;
    if (out->interval) {
        double n = (double)count;
        double half = stats_student(count - 1, level) * sqrt(squares / (n - 1) / n);
        out->low = exp(mean - half);
        out->high = exp(mean + half);
    }
    double least = (double)resolution_ns / fmax(stats_median(fast, count), 0.5);
    out->low = fmin(out->low, fmax(0, out->ratio - least / 2));
    out->high = fmax(out->high, out->low + least);
}

void speedup_ranked(const struct ranking_entry *base, const struct ranking_entry *best,
                    struct stats_ratio *out)
{
    *out = (struct stats_ratio){.ratio = base->ratio / best->ratio,
                                .low = base->ratio_low / best->ratio,
                                .high = base->ratio_high / best->ratio,
                                .interval = base->ratio_interval};
    if (!base->tied)
        return;
    // The default is tied: its interval may lie wholly within `alike`, and must still contain 1.
    out->low = fmin(out->low, 1);
    out->high = fmax(out->high, 1);
}

void speedup_of_finalists(const struct speedup_side *slow, const struct speedup_side *fast,
                          bool is_late, double level, uint64_t resolution_ns,
                          struct stats_ratio *out)
{
    uint32_t rounds = slow->count < fast->count ? slow->count : fast->count;
    speedup_ranked(slow->entry, fast->entry, out);
    if (out->interval || is_late || rounds < SPEEDUP_ROUNDS)
        return;
    speedup_paired(slow->samples, fast->samples, rounds, level, resolution_ns, out);
    out->low = slow->entry->tied ? fmin(out->low, 1) : out->low;
    out->high = slow->entry->tied ? fmax(out->high, 1) : out->high;
    out->ratio = fmin(fmax(slow->entry->ratio / fast->entry->ratio, out->low), out->high);
}
