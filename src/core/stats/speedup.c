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

static bool has_ratio_interval(const struct ranking_entry *e)
{
    return e->ratio_interval || e->place == 0;
}

void speedup_ranked(const struct ranking_entry *base, const struct ranking_entry *best,
                    struct stats_ratio *out)
{
    double ratio = base->ratio / best->ratio;
    double below = fmax(base->ratio / base->ratio_low, best->ratio_high / best->ratio);
    double above = fmax(base->ratio_high / base->ratio, best->ratio / best->ratio_low);
    *out = (struct stats_ratio){.ratio = ratio,
                                .low = ratio / below,
                                .high = ratio * above,
                                .interval = has_ratio_interval(base) && has_ratio_interval(best)};
    if (!base->tied || !best->tied)
        return;
    // Tied: the interval may lie wholly within `alike`, and must still contain 1.
    out->low = fmin(out->low, 1);
    out->high = fmax(out->high, 1);
}

void speedup_of_finalists(const struct speedup_side *slow, const struct speedup_side *fast,
                          bool is_late, double level, uint64_t resolution_ns,
                          struct stats_ratio *out)
{
    const struct ranking_entry *a = slow->entry, *b = fast->entry;
    uint32_t rounds = slow->count < fast->count ? slow->count : fast->count;
    speedup_ranked(a, b, out);
    if (is_late) {
        out->low = fmin(out->low, a->ratio_low / b->ratio_high);
        out->high = fmax(out->high, a->ratio_high / b->ratio_low);
    }
    if (out->interval || is_late || rounds < SPEEDUP_ROUNDS)
        return;
    bool is_tied = a->tied && b->tied;
    speedup_paired(slow->samples, fast->samples, rounds, level, resolution_ns, out);
    out->low = is_tied ? fmin(out->low, 1) : out->low;
    out->high = is_tied ? fmax(out->high, 1) : out->high;
    out->ratio = fmin(fmax(a->ratio / b->ratio, out->low), out->high);
}
