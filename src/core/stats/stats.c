// Order statistics, rank intervals, the Hodges-Lehmann location and Student's quantiles, from
// sorted copies of the samples. The location of n values is the median of n(n+1)/2 averages, found
// without listing them: bisection over doubles, counting the averages below in one walk each time.
#include "stats/stats.h"

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

int stats_compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stats_median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, stats_compare_double);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
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

// ---- averages of all pairs ---------------------------------------------------------------------

static double *sorted_doubles(const double *values, size_t count)
{
    if (count == 0 || count > SIZE_MAX / sizeof *values)
        return NULL;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return NULL;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, stats_compare_double);
    return sorted;
}

static size_t pairs_of(size_t count)
{
    return count * (count + 1) / 2;
}

static double average(double a, double b)
{
    return a / 2 + b / 2;
}

// How many averages of pairs i <= j are at most `limit`. The partner of a larger x[i] is smaller:
// one walk down for all of them.
static size_t averages_within(const double *x, size_t count, double limit)
{
    size_t within = 0, j = count;
    for (size_t i = 0; i < count; i++) {
        while (j > i && average(x[i], x[j - 1]) > limit)
            j--;
        if (j <= i)
            break;
        within += j - i;
    }
    return within;
}

// Doubles in their order as unsigned integers, and back: bisection over them ends at a double.
static uint64_t double_order(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double order_double(uint64_t order)
{
    uint64_t bits = order >> 63 ? order & ~((uint64_t)1 << 63) : ~order;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The rank-th smallest (from 1) average of pairs, exactly, without listing them: some sixty walks.
static double average_of_rank(const double *x, size_t count, size_t rank)
{
    uint64_t low = double_order(x[0]), high = double_order(x[count - 1]);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (averages_within(x, count, order_double(middle)) >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return order_double(low);
}

static double sorted_location(const double *x, size_t count)
{
    size_t pairs = pairs_of(count);
    double upper = average_of_rank(x, count, pairs / 2 + 1);
    return pairs % 2 ? upper : average(average_of_rank(x, count, pairs / 2), upper);
}

double stats_location(const double *values, size_t count)
{
    double *x = sorted_doubles(values, count);
    if (!x)
        return NAN;
    double location = sorted_location(x, count);
    free(x);
    return location;
}

#define SIGNED_RANK_EXACT 64

// p[w] = P(W = w), W the sum of the ranks with a positive sign, for w up to its mean.
static void signed_rank_distribution(size_t count, double *p, size_t size)
{
    memset(p, 0, size * sizeof *p);
    p[0] = 1;
    for (size_t rank = 1; rank <= count; rank++) {
        for (size_t w = size; w-- > 0;)
            p[w] = (p[w] + (w >= rank ? p[w - rank] : 0)) / 2;
    }
}

// z with P(Z > z) = tail, by bisection on erfc().
static double normal_beyond(double tail)
{
    double low = 0, high = 40;
    for (int i = 0; i < 100; i++) {
        double z = (low + high) / 2;
        if (erfc(z / sqrt(2)) / 2 > tail)
            low = z;
        else
            high = z;
    }
    return high;
}

size_t stats_signed_rank(size_t count, double level)
{
    if (count == 0 || !(level > 0 && level < 1))
        return 0;
    if (count <= SIGNED_RANK_EXACT) {
        double p[SIGNED_RANK_EXACT * (SIGNED_RANK_EXACT + 1) / 4 + 1];
        size_t size = pairs_of(count) / 2 + 1, rank = 0;
        signed_rank_distribution(count, p, size);
        double tail = p[0];
        while (rank < size && 2 * tail <= 1 - level) {
            rank++;
            tail += rank < size ? p[rank] : 0;
        }
        return rank;
    }
    double n = (double)count;
    double mean = n * (n + 1) / 4, deviation = sqrt(n * (n + 1) * (2 * n + 1) / 24);
    double rank = floor(mean - 0.5 - normal_beyond((1 - level) / 2) * deviation) + 1;
    return rank > 0 ? (size_t)rank : 0;
}

bool stats_location_interval(const double *values, size_t count, double level, double *location,
                             double *low, double *high)
{
    *location = *low = *high = NAN;
    double *x = sorted_doubles(values, count);
    if (!x)
        return false;
    size_t rank = stats_signed_rank(count, level);
    *location = sorted_location(x, count);
    *low = rank ? average_of_rank(x, count, rank) : x[0];
    *high = rank ? average_of_rank(x, count, pairs_of(count) + 1 - rank) : x[count - 1];
    free(x);
    return rank > 0;
}

double stats_log_ns(uint64_t ns)
{
    return log(ns > 0 ? (double)ns : 0.5);
}

// From logarithms; the interval is not narrower than `least`.
static void set_ratio(struct stats_ratio *out, double ratio, double low, double high, double least)
{
    out->ratio = exp(ratio);
    out->low = fmin(exp(low), fmax(0, out->ratio - least / 2));
    out->high = fmax(exp(high), out->low + least);
}

void stats_paired_ratio(const uint64_t *a, const uint64_t *b, size_t count, double level,
                        uint64_t resolution_ns, struct stats_ratio *out)
{
    *out = (struct stats_ratio){NAN, NAN, NAN, false};
    double *logs =
        count > 0 && count <= SIZE_MAX / sizeof(double) ? malloc(count * sizeof(double)) : NULL;
    if (!logs)
        return;
    for (size_t i = 0; i < count; i++)
        logs[i] = stats_log_ns(a[i]) - stats_log_ns(b[i]);
    double ratio, low, high;
    out->interval = stats_location_interval(logs, count, level, &ratio, &low, &high);
    free(logs);
    set_ratio(out, ratio, low, high, (double)resolution_ns / fmax(stats_median(b, count), 0.5));
}

void stats_undisturbed_ratio(const uint64_t *a, const uint64_t *b, size_t count, double level,
                             uint64_t resolution_ns, struct stats_ratio *out)
{
    *out = (struct stats_ratio){NAN, NAN, NAN, false};
    struct sorted x, y;
    if (count == 0 || !(level > 0 && level < 1) || !sorted_init(&x, a, count))
        return;
    if (sorted_init(&y, b, count)) {
        const double least = ceil(log2(2 / (1 - level)));
        const size_t w = least < (double)count ? (size_t)least : count, middle = (w - 1) / 2;
        const double fastest = fmax((double)y.items[0], 0.5);
        out->interval = least <= (double)count;
        set_ratio(out, stats_log_ns(x.items[middle]) - stats_log_ns(y.items[middle]),
                  stats_log_ns(x.items[0]) - stats_log_ns(y.items[w - 1]),
                  stats_log_ns(x.items[w - 1]) - log(fastest), (double)resolution_ns / fastest);
        sorted_release(&y);
    }
    sorted_release(&x);
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

// P(|T| > t) for Student's distribution, by its finite series (Abramowitz and Stegun, "Handbook of
// mathematical functions", 1964, 26.7.3 and 26.7.4).
static double student_beyond(size_t freedom, double t)
{
    double theta = atan(t / sqrt((double)freedom)), cosine = cos(theta);
    double term = freedom % 2 ? cosine : 1, sum = freedom > 1 ? term : 0;
    for (size_t k = freedom % 2 ? 3 : 2; k < freedom; k += 2) {
        term *= cosine * cosine * (double)(k - 1) / (double)k;
        sum += term;
    }
    if (freedom % 2)
        return 1 - (theta + sin(theta) * sum) * 2 / acos(-1);
    return 1 - sin(theta) * sum;
}

double stats_student(size_t freedom, double level)
{
    double low = 0, high = 1e6;
    if (freedom == 0 || !(level > 0 && level < 1))
        return NAN;
    for (int i = 0; i < 100; i++) {
        double t = (low + high) / 2;
        if (student_beyond(freedom, t) > 1 - level)
            low = t;
        else
            high = t;
    }
    return high;
}

bool stats_geometric_interval(const double *values, size_t count, double level, double *low,
                              double *high)
{
    double mean = stats_geometric_mean(values, count), sum = 0;
    *low = *high = mean;
    if (count < 2 || isnan(mean))
        return false;
    for (size_t i = 0; i < count; i++)
        sum += (log(values[i]) - log(mean)) * (log(values[i]) - log(mean));
    double error = sqrt(sum / (double)(count - 1) / (double)count);
    double width = stats_student(count - 1, level) * error;
    *low = mean * exp(-width);
    *high = mean * exp(width);
    return true;
}

static int sign_of(double x)
{
    return (x > 0) - (x < 0);
}

double stats_kendall(const double *a, const double *b, size_t count)
{
    double agreement = 0, ordered_a = 0, ordered_b = 0; // over all pairs
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            int x = sign_of(a[i] - a[j]), y = sign_of(b[i] - b[j]);
            agreement += x * y;
            ordered_a += x != 0;
            ordered_b += y != 0;
        }
    }
    bool has_order = ordered_a > 0 && ordered_b > 0;
    return has_order ? agreement / sqrt(ordered_a * ordered_b) : NAN;
}
