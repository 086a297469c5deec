#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A sorted copy of the samples; what fits lies on the stack.
#define SORTED_SMALL 64

struct sorted {
    uint64_t small[SORTED_SMALL];
    uint64_t *items; // NULL without samples or memory
    size_t count;
};

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool sorted_init(struct sorted *s, const uint64_t *samples, size_t count)
{
    s->count = count;
    s->items = NULL;
    if (count == 0)
        return false;
    if (count <= SORTED_SMALL)
        s->items = s->small;
    else if (count <= SIZE_MAX / sizeof *samples)
        s->items = malloc(count * sizeof *samples);
    if (!s->items)
        return false;
    memcpy(s->items, samples, count * sizeof *samples);
    qsort(s->items, count, sizeof *samples, compare_u64);
    return true;
}

static void sorted_release(struct sorted *s)
{
    if (s->items != s->small)
        free(s->items);
}

// From a to b >= a by the fraction t; exact where both are equal, and without overflow.
static double between(uint64_t a, uint64_t b, double t)
{
    return (double)a + t * (double)(b - a);
}

static double sorted_quantile(const struct sorted *s, double q)
{
    double position = q * (double)(s->count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= s->count)
        return (double)s->items[s->count - 1];
    return between(s->items[below], s->items[below + 1], position - (double)below);
}

static double sorted_median(const struct sorted *s)
{
    size_t middle = s->count / 2;
    if (s->count % 2 == 1)
        return (double)s->items[middle];
    return between(s->items[middle - 1], s->items[middle], 0.5);
}

double stats_quantile(const uint64_t *samples, size_t count, double q)
{
    struct sorted s;
    if (!(q >= 0 && q <= 1) || !sorted_init(&s, samples, count))
        return NAN;
    double value = sorted_quantile(&s, q);
    sorted_release(&s);
    return value;
}

double stats_median(const uint64_t *samples, size_t count)
{
    struct sorted s;
    if (!sorted_init(&s, samples, count))
        return NAN;
    double value = sorted_median(&s);
    sorted_release(&s);
    return value;
}

double stats_mean(const uint64_t *samples, size_t count)
{
    double sum = 0; // exact below 2^53 ns, a hundred days
    for (size_t i = 0; i < count; i++)
        sum += (double)samples[i];
    return count > 0 ? sum / (double)count : NAN;
}

// P(X = k) for X ~ binomial(n, 1/2). With k = 0 and n up to a thousand a power of two, exactly.
static double binomial_half(size_t n, size_t k)
{
    if (k == 0 && n <= 1000)
        return ldexp(1.0, -(int)n);
    int sign;
    double choose = lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
                    lgamma_r((double)(n - k) + 1, &sign);
    return exp(choose - (double)n * log(2.0));
}

// Below this k the tail of binomial(n, 1/2) is negligible (16 standard deviations), so that the
// walk over k takes about sqrt(n) steps for a large n.
static size_t negligible_below(size_t n)
{
    if (n <= 1000)
        return 0;
    return n / 2 - (size_t)(8 * sqrt((double)n));
}

size_t stats_interval_rank(size_t count, double level)
{
    size_t k = negligible_below(count);
    double mass = binomial_half(count, k);
    double tail = mass; // P(X <= k)
    while (k < count / 2 && 2 * tail <= 1 - level) {
        mass = mass * (double)(count - k) / (double)(k + 1);
        k++;
        tail += mass;
    }
    return k;
}

// The interval from ranks, widened to the timer's resolution; the range where no ranks exist.
static bool sorted_interval(const struct sorted *s, double level, uint64_t resolution_ns,
                            double *low, double *high)
{
    size_t rank = stats_interval_rank(s->count, level);
    *low = (double)s->items[rank > 0 ? rank - 1 : 0];
    *high = (double)s->items[rank > 0 ? s->count - rank : s->count - 1];
    if (rank == 0)
        return false;
    double resolution = (double)resolution_ns;
    if (*high - *low < resolution) {
        *low = fmin(*low, fmax(0, sorted_median(s) - resolution / 2));
        *high = fmax(*high, *low + resolution);
    }
    return true;
}

bool stats_median_interval(const uint64_t *samples, size_t count, double level,
                           uint64_t resolution_ns, double *low, double *high)
{
    struct sorted s;
    *low = *high = NAN;
    if (!(level > 0 && level < 1) || !sorted_init(&s, samples, count))
        return false;
    bool found = sorted_interval(&s, level, resolution_ns, low, high);
    sorted_release(&s);
    return found;
}

void stats_summarise(const uint64_t *samples, size_t count, uint64_t resolution_ns,
                     struct stats_summary *out)
{
    struct sorted s;
    *out =
        (struct stats_summary){count, NAN, stats_mean(samples, count), NAN, NAN, NAN, NAN, false};
    if (!sorted_init(&s, samples, count))
        return;
    out->median = sorted_median(&s);
    out->least = (double)s.items[0];
    out->most = (double)s.items[count - 1];
    out->interval = sorted_interval(&s, STATS_LEVEL, resolution_ns, &out->low, &out->high);
    sorted_release(&s);
}

double stats_geometric_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0))
            return NAN;
        sum += log(values[i]);
    }
    return count > 0 ? exp(sum / (double)count) : NAN;
}
