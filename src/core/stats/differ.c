// Do two kernels differ? One pair measured in turn: Wilcoxon's signed-rank test, exact up to 64
// pairs by dynamic programming over sums of ranks (doubled, so that midranks of ties are integers),
// the normal approximation beyond. Two independent samples: the Hodges-Lehmann ratio with the
// interval of the rank-sum test. Many pairs: Holm's correction.
#include "stats/differ.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT 64 // values

static double normal_tail(double z)
{
    return erfc(z / sqrt(2)) / 2;
}

static int compare_magnitudes(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

// ---- one pair, in turn -------------------------------------------------------------------------

// Twice the midrank of each of the values, which are sorted by size.
static void double_ranks(const double *sorted, size_t count, uint32_t *ranks)
{
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && fabs(sorted[end]) == fabs(sorted[i]);)
            end++;
        for (size_t j = i; j < end; j++)
            ranks[j] = (uint32_t)(i + 1 + end); // ranks i+1 .. end
    }
}

// P(W >= w), W the sum of those of the doubled ranks whose sign is positive; zeros take part in the
// ranks and have no sign.
static double exact_tail(const uint32_t *ranks, const double *sorted, size_t count, uint32_t w)
{
    static const size_t most = EXACT * (EXACT + 1) + 1;
    double *p = calloc(most, sizeof *p);
    double tail = 0;
    size_t reached = 0;
    if (!p)
        return 1;
    p[0] = 1;
    for (size_t i = 0; i < count; i++) {
        if (sorted[i] == 0)
            continue;
        reached += ranks[i];
        for (size_t at = reached + 1; at-- > 0;)
            p[at] = (p[at] + (at >= ranks[i] ? p[at - ranks[i]] : 0)) / 2;
    }
    for (size_t at = w; at <= reached; at++)
        tail += p[at];
    free(p);
    return tail;
}

static double normal_approximation(const uint32_t *ranks, const double *sorted, size_t count,
                                   double w)
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < count; i++) {
        double rank = sorted[i] == 0 ? 0 : ranks[i];
        mean += rank / 2;
        variance += rank * rank / 4;
    }
    return variance > 0 ? normal_tail((w - 1 - mean) / sqrt(variance)) : 1;
}

// The one-sided probability of values that are as far above 0.
static double above(double *values, size_t count)
{
    uint32_t *ranks = calloc(count, sizeof *ranks);
    double w = 0, p = 1;
    if (!ranks)
        return 1;
    qsort(values, count, sizeof *values, compare_magnitudes);
    double_ranks(values, count, ranks);
    for (size_t i = 0; i < count; i++)
        w += values[i] > 0 ? ranks[i] : 0;
    if (count <= EXACT)
        p = exact_tail(ranks, values, count, (uint32_t)w);
    else
        p = normal_approximation(ranks, values, count, w);
    free(ranks);
    return p;
}

double differ_signed_rank(const double *values, size_t count, double margin)
{
    double location = stats_location(values, count);
    double sign = location < 0 ? -1 : 1;
    if (count == 0 || count > SIZE_MAX / sizeof *values || isnan(location) ||
        fabs(location) <= margin)
        return 1;
    double *shifted = malloc(count * sizeof *shifted);
    if (!shifted)
        return 1;
    for (size_t i = 0; i < count; i++)
        shifted[i] = sign * values[i] - margin;
    double p = 2 * above(shifted, count);
    free(shifted);
    return fmin(p, 1);
}

double differ_paired(const uint64_t *a, const uint64_t *b, size_t count, double margin)
{
    double *logs =
        count > 0 && count <= SIZE_MAX / sizeof *logs ? malloc(count * sizeof *logs) : NULL;
    if (!logs)
        return 1;
    for (size_t i = 0; i < count; i++)
        logs[i] = stats_log_ns(a[i]) - stats_log_ns(b[i]);
    double p = differ_signed_rank(logs, count, margin);
    free(logs);
    return p;
}

// ---- many pairs --------------------------------------------------------------------------------

uint32_t differ_rounds(uint64_t pairs, double level)
{
    uint32_t rounds = 1;
    double p = 1; // of so many values, all on one side
    while (p * (double)(pairs > 0 ? pairs : 1) > 1 - level && rounds < EXACT) {
        rounds++;
        p /= 2;
    }
    return rounds;
}

struct tested {
    double p;
    size_t pair;
};

static int by_probability(const void *a, const void *b)
{
    const struct tested *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

bool differ_holm(const double *probabilities, size_t count, double level, bool *apart)
{
    struct tested *order = calloc(count + 1, sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++) {
        order[i] = (struct tested){probabilities[i], i};
        apart[i] = false;
    }
    qsort(order, count, sizeof *order, by_probability);
    for (size_t i = 0; i < count && order[i].p * (double)(count - i) <= 1 - level; i++)
        apart[order[i].pair] = true;
    free(order);
    return true;
}

// ---- one pair, each on its own -----------------------------------------------------------------

// p[u] = P(U = u) of Mann and Whitney's statistic, for u up to a * b: of all ways to choose the
// ranks of `a` among a + b, those whose sum exceeds the least by u.
static double *rank_sum_distribution(size_t a, size_t b)
{
    size_t width = a * b + 1;
    double *ways = calloc((a + 1) * width, sizeof *ways);
    if (!ways)
        return NULL;
    ways[0] = 1;
    for (size_t rank = 1; rank <= a + b; rank++) {
        for (size_t chosen = rank < a ? rank : a; chosen > 0; chosen--) {
            size_t step = rank - chosen; // beyond the least rank that it could have
            double *to = ways + chosen * width, *from = ways + (chosen - 1) * width;
            for (size_t u = width; u-- > step;)
                to[u] += from[u - step];
        }
    }
    double all = 0;
    for (size_t u = 0; u < width; u++)
        all += ways[a * width + u];
    for (size_t u = 0; u < width; u++)
        ways[u] = ways[a * width + u] / all;
    return ways;
}

#define RANK_SUM_EXACT 32 // samples of either

// The rank (from 1) of the ratio that bounds the interval from below; 0: too few samples.
static size_t ratio_rank(size_t a, size_t b, double level)
{
    if (a <= RANK_SUM_EXACT && b <= RANK_SUM_EXACT) {
        double *p = rank_sum_distribution(a, b);
        size_t rank = 0;
        double tail = p ? p[0] : 1;
        while (p && rank < a * b / 2 && 2 * tail <= 1 - level)
            tail += p[++rank];
        free(p);
        return rank;
    }
    double m = (double)a, n = (double)b, low = 0, high = 40;
    for (int i = 0; i < 60; i++) {
        double z = (low + high) / 2;
        if (2 * normal_tail(z) > 1 - level)
            low = z;
        else
            high = z;
    }
    double rank = floor(m * n / 2 - high * sqrt(m * n * (m + n + 1) / 12));
    return rank > 0 ? (size_t)rank : 0;
}

uint32_t differ_samples(double level)
{
    uint32_t count = 1;
    while (count < RANK_SUM_EXACT && ratio_rank(count, count, level) == 0)
        count++;
    return count;
}

// Logarithms of all ratios of an `a` to a `b`, sorted.
static double *all_ratios(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    if (a_count == 0 || b_count == 0 || a_count > SIZE_MAX / b_count / sizeof(double))
        return NULL;
    double *logs = malloc(a_count * b_count * sizeof *logs);
    for (size_t i = 0; logs && i < a_count; i++) {
        for (size_t j = 0; j < b_count; j++)
            logs[i * b_count + j] = stats_log_ns(a[i]) - stats_log_ns(b[j]);
    }
    if (logs)
        qsort(logs, a_count * b_count, sizeof *logs, stats_compare_double);
    return logs;
}

void differ_ratio(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                  double level, uint64_t resolution_ns, struct stats_ratio *out)
{
    *out = (struct stats_ratio){NAN, NAN, NAN, false};
    double *logs = all_ratios(a, a_count, b, b_count);
    size_t count = a_count * b_count;
    if (!logs)
        return;
    size_t rank = ratio_rank(a_count, b_count, level);
    double least = (double)resolution_ns / fmax(stats_median(b, b_count), 0.5);
    out->interval = rank > 0;
    out->ratio = exp((logs[(count - 1) / 2] + logs[count / 2]) / 2);
    out->low = fmin(exp(logs[rank > 0 ? rank - 1 : 0]), fmax(0, out->ratio - least / 2));
    out->high = fmax(exp(logs[rank > 0 ? count - rank : count - 1]), out->low + least);
    free(logs);
}

double differ_rank_sum(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                       double margin)
{
    double *logs = all_ratios(a, a_count, b, b_count);
    size_t count = a_count * b_count;
    if (!logs)
        return 1;
    double middle = (logs[(count - 1) / 2] + logs[count / 2]) / 2, sign = middle < 0 ? -1 : 1;
    double u = 0, m = (double)a_count, n = (double)b_count;
    for (size_t i = 0; i < count; i++) {
        double beyond = sign * logs[i] - margin;
        u += beyond > 0 ? 1 : beyond == 0 ? 0.5 : 0;
    }
    free(logs);
    if (fabs(middle) <= margin)
        return 1;
    double z = (u - m * n / 2 - 0.5) / sqrt(m * n * (m + n + 1) / 12);
    return fmin(1, 2 * normal_tail(z));
}

static void compare_device(struct differ_device *list, size_t count, struct differ_device *d,
                           double level, uint64_t resolution_ns, uint64_t *others)
{
    size_t n = 0;
    for (const struct differ_device *o = list; o < list + count; o++) {
        if (o == d || o->is_slow || o->by_host != d->by_host || o->count == 0)
            continue;
        memcpy(others + n, o->samples, o->count * sizeof *others);
        n += o->count;
    }
    d->compared = n > 0;
    if (d->compared)
        differ_ratio(d->samples, d->count, others, n, level, resolution_ns, &d->ratio);
}

bool differ_devices(struct differ_device *list, size_t count, double level, uint64_t resolution_ns,
                    double limit)
{
    size_t samples = 0;
    for (size_t i = 0; i < count; i++)
        samples += list[i].count;
    uint64_t *room = calloc(samples + 1, sizeof *room);
    for (bool more = room != NULL; more;) {
        struct differ_device *worst = NULL;
        for (struct differ_device *d = list; d < list + count; d++) {
            if (d->is_slow || d->is_settled || d->count == 0)
                continue;
            compare_device(list, count, d, level, resolution_ns, room);
            if (d->compared && d->ratio.low > 1 + limit &&
                (!worst || d->ratio.ratio > worst->ratio.ratio))
                worst = d;
        }
        more = worst != NULL;
        if (worst)
            worst->is_slow = true;
    }
    free(room);
    return room != NULL;
}

void differ_outlier_text(const struct stats_ratio *ratio, double limit, char *out, size_t size)
{
    str_format(out, size,
               "it is %.1f %% slower than its siblings [%.1f .. %.1f], more than --rule outlier "
               "allows (%g %%)",
               100 * (ratio->ratio - 1), 100 * (ratio->low - 1), 100 * (ratio->high - 1),
               100 * limit);
}
