// Known answers, and the promise behind an interval: how often it holds the true median.
#include "base/random.h"
#include "stats/stats.h"
#include "noise.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

START_TEST(median_and_mean)
{
    uint64_t odd[] = {9, 1, 5};
    uint64_t even[] = {4, 1, 3, 2};
    uint64_t large[] = {UINT64_MAX, UINT64_MAX - 4096};
    ck_assert_double_eq(stats_median(odd, 3), 5);
    ck_assert_double_eq(stats_median(even, 4), 2.5);
    ck_assert_double_eq(stats_median(odd, 1), 9);
    ck_assert_double_eq_tol(stats_median(large, 2), 18446744073709549568.0, 2048);
    ck_assert_double_eq(stats_mean(odd, 3), 5);
    ck_assert_double_eq(stats_mean(even, 4), 2.5);
    ck_assert(isnan(stats_median(odd, 0)) && isnan(stats_mean(odd, 0)));
}
END_TEST

START_TEST(input_is_left_alone)
{
    uint64_t samples[] = {7, 3, 9, 1, 8, 2}, before[6];
    memcpy(before, samples, sizeof samples);
    struct stats_summary summary;
    stats_summarise(samples, 6, 1, &summary);
    stats_quantile(samples, 6, 0.5);
    ck_assert_mem_eq(samples, before, sizeof samples);
}
END_TEST

// By hand, with the definition: x[(n - 1) q], linear between order statistics.
static const struct {
    size_t count;
    double q, expected;
} quantiles[] = {
    {4, 0, 10},    {4, 1, 40},   {4, 0.25, 17.5}, {4, 0.5, 25}, {4, 0.75, 32.5}, {4, 0.1, 13},
    {5, 0.25, 20}, {5, 0.9, 46}, {5, 0.5, 30},    {1, 0.3, 10}, {2, 0.3, 13},
};

START_TEST(quantiles_by_hand)
{
    uint64_t samples[] = {10, 20, 30, 40, 50}, turned[5];
    size_t n = quantiles[_i].count;
    for (size_t i = 0; i < n; i++)
        turned[i] = samples[n - 1 - i];
    ck_assert_double_eq_tol(stats_quantile(turned, n, quantiles[_i].q), quantiles[_i].expected,
                            1e-9);
}
END_TEST

START_TEST(quantile_outside)
{
    uint64_t samples[] = {1, 2};
    ck_assert(isnan(stats_quantile(samples, 2, -0.1)));
    ck_assert(isnan(stats_quantile(samples, 2, 1.1)));
    ck_assert(isnan(stats_quantile(samples, 2, NAN)));
    ck_assert(isnan(stats_quantile(samples, 0, 0.5)));
}
END_TEST

// From the binomial distribution in exact integers. Rank r: the interval is (r, n + 1 - r).
static const struct {
    size_t count, rank;
} ranks[] = {
    {0, 0},      {1, 0},      {5, 0},      {6, 1},      {7, 1},       {8, 1},
    {9, 2},      {10, 2},     {12, 3},     {15, 4},     {20, 6},      {25, 8},
    {30, 10},    {50, 18},    {51, 19},    {100, 40},   {101, 41},    {999, 469},
    {1000, 469}, {1001, 470}, {1002, 470}, {2000, 956}, {5000, 2431}, {1000000, 499020},
};

START_TEST(ranks_of_the_interval)
{
    ck_assert_uint_eq(stats_interval_rank(ranks[_i].count, 0.95), ranks[_i].rank);
}
END_TEST

// Six samples: all but 2 of 64 cases, that is exactly 0.96875; no level above it can be had.
START_TEST(level_is_exact)
{
    ck_assert_uint_eq(stats_interval_rank(6, 0.96875), 1);
    ck_assert_uint_eq(stats_interval_rank(6, nextafter(0.96875, 1)), 0);
    ck_assert_uint_eq(stats_interval_rank(10, 1 - 22.0 / 1024), 2);
    ck_assert_uint_eq(stats_interval_rank(10, nextafter(1 - 22.0 / 1024, 1)), 1);
}
END_TEST

START_TEST(interval_takes_the_ranks)
{
    uint64_t samples[20];
    double low, high;
    for (size_t i = 0; i < 20; i++)
        samples[i] = 100 * ((i * 7) % 20 + 1); // a permutation of 100, 200, ... 2000
    ck_assert(stats_median_interval(samples, 20, 0.95, 0, &low, &high));
    ck_assert_double_eq(low, 600);
    ck_assert_double_eq(high, 1500);
}
END_TEST

START_TEST(no_interval_below_six)
{
    uint64_t samples[] = {5, 1, 4, 2, 3};
    double low, high;
    ck_assert(!stats_median_interval(samples, 5, 0.95, 100, &low, &high));
    ck_assert_double_eq(low, 1);
    ck_assert_double_eq(high, 5);
    ck_assert(!stats_median_interval(samples, 0, 0.95, 0, &low, &high));
    ck_assert(isnan(low) && isnan(high));
}
END_TEST

START_TEST(interval_is_never_below_the_resolution)
{
    uint64_t same[] = {5000, 5000, 5000, 5000, 5000, 5000}, small[] = {3, 3, 3, 3, 3, 3};
    double low, high;
    ck_assert(stats_median_interval(same, 6, 0.95, 1000, &low, &high));
    ck_assert_double_eq(low, 4500);
    ck_assert_double_eq(high, 5500);
    ck_assert(stats_median_interval(small, 6, 0.95, 1000, &low, &high));
    ck_assert_double_eq(low, 0);
    ck_assert_double_eq(high, 1000);
}
END_TEST

START_TEST(summary_of_samples)
{
    uint64_t samples[] = {60, 10, 50, 20, 40, 30};
    struct stats_summary s;
    stats_summarise(samples, 6, 0, &s);
    ck_assert_uint_eq(s.count, 6);
    ck_assert_double_eq(s.median, 35);
    ck_assert_double_eq(s.mean, 35);
    ck_assert_double_eq(s.least, 10);
    ck_assert_double_eq(s.most, 60);
    ck_assert_double_eq(s.low, 10);
    ck_assert_double_eq(s.high, 60);
    ck_assert(s.interval);
    stats_summarise(samples, 0, 0, &s);
    ck_assert(isnan(s.median) && isnan(s.least) && !s.interval);
}
END_TEST

START_TEST(a_million_samples)
{
    size_t n = 1000000;
    uint64_t *samples = malloc(n * sizeof *samples);
    ck_assert_ptr_nonnull(samples);
    for (size_t i = 0; i < n; i++)
        samples[i] = (i * 7919) % n; // a permutation: 7919 is prime
    double low, high;
    ck_assert_double_eq(stats_median(samples, n), 499999.5);
    ck_assert(stats_median_interval(samples, n, 0.95, 0, &low, &high));
    ck_assert_double_eq(low, 499019);
    ck_assert_double_eq(high, 500980);
    free(samples);
}
END_TEST

START_TEST(geometric_mean)
{
    double values[] = {1, 2, 4}, bad[] = {1, 0};
    ck_assert_double_eq_tol(stats_geometric_mean(values, 3), 2, 1e-12);
    ck_assert(isnan(stats_geometric_mean(values, 0)));
    ck_assert(isnan(stats_geometric_mean(bad, 2)));
}
END_TEST

// Kernel times as they are: skewed (lognormal, median 1 ms), one in twenty slowed up to tenfold.
static uint64_t kernel_time(struct rng *r)
{
    double u = rng_unit(r), v = rng_unit(r);
    double normal = sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
    double time = 1e6 * exp(0.1 * normal);
    if (rng_below(r, 20) == 0)
        time *= 1 + 9 * rng_unit(r);
    return (uint64_t)time;
}

// The median of that mixture, from a large sample of its own.
static double true_median(struct rng *r)
{
    size_t n = 1000000;
    uint64_t *samples = malloc(n * sizeof *samples);
    ck_assert_ptr_nonnull(samples);
    for (size_t i = 0; i < n; i++)
        samples[i] = kernel_time(r);
    double median = stats_median(samples, n);
    free(samples);
    return median;
}

START_TEST(intervals_hold_as_often_as_they_say)
{
    static const size_t counts[] = {6, 10, 20, 50};
    enum { REPEATS = 10000 };
    uint64_t samples[50];
    struct rng r;
    rng_init(&r, 20240607, (uint64_t)_i);
    double median = true_median(&r);
    size_t held = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double low, high;
        for (size_t i = 0; i < counts[_i]; i++)
            samples[i] = kernel_time(&r);
        ck_assert(stats_median_interval(samples, counts[_i], 0.95, 0, &low, &high));
        held += low <= median && median <= high;
    }
    ck_assert_msg(held >= 9450, "%zu samples: held in %zu of 10000", counts[_i], held);
}
END_TEST

// ---- locations and ratios
// ------------------------------------------------------------------------

// By hand: the averages of 1, 2, 6, 100 in order are 1 1.5 2 3.5 4 6 50.5 51 53 100.
START_TEST(location_by_hand)
{
    double values[] = {100, 1, 6, 2}, odd[] = {-1, 5, 3}, one[] = {-7};
    ck_assert_double_eq(stats_location(values, 4), 5);
    ck_assert_double_eq(stats_location(odd, 3), 2.5); // -1 1 2 3 4 5
    ck_assert_double_eq(stats_location(one, 1), -7);
    ck_assert(isnan(stats_location(one, 0)));
    ck_assert_double_eq(values[0], 100); // left alone
}
END_TEST

static double location_by_listing(const double *x, size_t count)
{
    double averages[3000];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i; j < count; j++)
            averages[n++] = x[i] / 2 + x[j] / 2;
    }
    for (size_t i = 1; i < n; i++) {
        double value = averages[i];
        size_t k = i;
        for (; k > 0 && averages[k - 1] > value; k--)
            averages[k] = averages[k - 1];
        averages[k] = value;
    }
    return n % 2 ? averages[n / 2] : averages[n / 2 - 1] / 2 + averages[n / 2] / 2;
}

START_TEST(location_is_exact)
{
    struct rng r;
    rng_init(&r, 17, 0);
    for (size_t n = 1; n <= 70; n += 3) {
        double x[70];
        for (size_t i = 0; i < n; i++) // also negative, huge and tied
            x[i] = i % 5 == 0 ? 1e300 * (rng_unit(&r) - 0.5) : floor(20 * rng_unit(&r)) - 10;
        ck_assert_double_eq(stats_location(x, n), location_by_listing(x, n));
    }
}
END_TEST

// From the distribution of the signed-rank statistic in exact integers (subsets of 1 .. n by sum,
// of 2^n): the largest w + 1 with P(W <= w) <= 2.5 %. For 10 and 20 the tables' 8 and 52.
static const struct {
    size_t count, rank;
} signed_ranks[] = {
    {0, 0},   {1, 0},   {5, 0},   {6, 1},   {7, 3},    {8, 4},    {9, 6},    {10, 9},
    {12, 14}, {15, 26}, {20, 53}, {25, 90}, {30, 138}, {40, 265}, {50, 435}, {64, 748},
};

START_TEST(signed_ranks_of_the_interval)
{
    ck_assert_uint_eq(stats_signed_rank(signed_ranks[_i].count, 0.95), signed_ranks[_i].rank);
}
END_TEST

// Beyond 64 the normal approximation: 100 values, exactly 1956.
START_TEST(signed_ranks_of_many)
{
    size_t rank = stats_signed_rank(100, 0.95);
    ck_assert_uint_ge(rank, 1950);
    ck_assert_uint_le(rank, 1957);
    ck_assert_uint_eq(stats_signed_rank(100, 1), 0);
}
END_TEST

START_TEST(location_interval_by_hand)
{
    // Six values: the first rank is that of the smallest and largest average.
    double values[] = {4, 1, 16, 2, 32, 8}, location, low, high;
    ck_assert(stats_location_interval(values, 6, 0.95, &location, &low, &high));
    ck_assert_double_eq(low, 1);
    ck_assert_double_eq(high, 32);
    ck_assert_double_eq(location, 8.5); // the eleventh of 21
    ck_assert(!stats_location_interval(values, 5, 0.95, &location, &low, &high));
    ck_assert_double_eq(low, 1);
    ck_assert_double_eq(high, 32);
    ck_assert(!stats_location_interval(values, 0, 0.95, &location, &low, &high));
    ck_assert(isnan(location) && isnan(low) && isnan(high));
}
END_TEST

START_TEST(paired_ratio_of_known_series)
{
    uint64_t a[8], b[8];
    for (size_t i = 0; i < 8; i++) { // b drifts by a factor of 8, a is 1.25 times b
        b[i] = 40000 * (i + 1);
        a[i] = 50000 * (i + 1);
    }
    struct stats_ratio r;
    stats_paired_ratio(a, b, 8, 0.95, 0, &r);
    ck_assert(r.interval);
    ck_assert_double_eq_tol(r.ratio, 1.25, 1e-12);
    ck_assert_double_eq_tol(r.low, 1.25, 1e-12);
    ck_assert_double_eq_tol(r.high, 1.25, 1e-12);
    stats_paired_ratio(a, b, 8, 0.95, 1800, &r); // one per cent of b's median
    ck_assert_double_eq_tol(r.low, 1.245, 1e-12);
    ck_assert_double_eq_tol(r.high, 1.255, 1e-12);
    stats_paired_ratio(a, b, 5, 0.95, 0, &r);
    ck_assert(!r.interval);
    stats_paired_ratio(a, b, 0, 0.95, 0, &r);
    ck_assert(isnan(r.ratio) && !r.interval);
}
END_TEST

START_TEST(undisturbed_ratio_of_known_series)
{
    // Of six launches of each five are disturbed in another way.
    const uint64_t a[] = {1100, 9000, 1101, 1102, 1103, 1104, 1105, 7000};
    const uint64_t b[] = {4000, 1000, 1001, 1002, 1003, 1004, 1005, 6000};
    struct stats_ratio r;
    stats_undisturbed_ratio(a, b, 8, 0.95, 0, &r); // 2^-6 is within 0.025
    ck_assert(r.interval);
    ck_assert_double_eq_tol(r.ratio, 1102.0 / 1002, 1e-12);
    ck_assert_double_eq_tol(r.low, 1100.0 / 1005, 1e-12);
    ck_assert_double_eq_tol(r.high, 1105.0 / 1000, 1e-12);
    stats_undisturbed_ratio(a, b, 8, 0.8, 0, &r); // 2^-4 is within 0.1
    ck_assert_double_eq_tol(r.low, 1100.0 / 1003, 1e-12);
    stats_undisturbed_ratio(a, b, 8, 0.95, 1000, &r); // as long as b's fastest
    ck_assert_double_ge(r.high - r.low, 1);
    stats_undisturbed_ratio(a, b, 8, 0.997, 0, &r); // asks for ten
    ck_assert(!r.interval && r.low <= r.ratio && r.ratio <= r.high);
    stats_undisturbed_ratio(a, b, 0, 0.95, 0, &r);
    ck_assert(isnan(r.ratio) && !r.interval);
}
END_TEST

// Equal kernels on a machine that drifts, and on which half of all launches, or most, are disturbed: at level 0.95 one is called faster
// in 1.56 of 100 at most (2^-6; 193 of 10,000 are 3 standard deviations more), and one that is 10 % faster is in most.
START_TEST(undisturbed_launches_tell_on_a_busy_machine)
{
    static const double shares[] = {0, 0.5, 0.8};
    enum { REPEATS = 10000, ROUNDS = 48 };
    size_t wrong = 0, told = 0;
    struct machine m = {.noise = 0.002, .drift = 0.01, .outliers = shares[_i]};
    rng_init(&m.rng, 37, (uint64_t)_i);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        uint64_t a[ROUNDS], b[ROUNDS], c[ROUNDS];
        for (size_t i = 0; i < ROUNDS; i++) {
            machine_wander(&m);
            a[i] = machine_launch(&m, 1.1e6);
            b[i] = machine_launch(&m, 1.1e6);
            c[i] = machine_launch(&m, 1e6);
        }
        struct stats_ratio r;
        stats_undisturbed_ratio(a, b, ROUNDS, 0.95, 1, &r);
        wrong += r.low > 1;
        stats_undisturbed_ratio(a, c, ROUNDS, 0.95, 1, &r);
        told += r.low > 1;
    }
    printf(
        "%.0f %% disturbed: %.2f %% of equal ones called faster, %.2f %% of those 10 %% faster\n",
        100 * m.outliers, (double)wrong / 100, (double)told / 100);
    ck_assert_uint_le(wrong, 193);
    ck_assert_uint_ge(told, 9000);
}
END_TEST

// Two kernels in turn, one truly 1.1 times the other, on a machine that drifts and stumbles: how
// many of 10,000 intervals hold 1.1. 9,440 are 3 standard deviations below 95 %.
START_TEST(paired_intervals_hold_as_often_as_they_say)
{
    static const size_t counts[] = {6, 10, 24, 50};
    enum { REPEATS = 10000 };
    size_t n = counts[_i / 2], held = 0;
    struct machine m = {.noise = 0.03, .drift = 0.05, .outliers = _i % 2 ? 0.1 : 0};
    rng_init(&m.rng, 31, (uint64_t)_i);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        uint64_t a[50], b[50];
        for (size_t i = 0; i < n; i++) {
            machine_wander(&m);
            a[i] = machine_launch(&m, 1.1e6);
            b[i] = machine_launch(&m, 1e6);
        }
        struct stats_ratio r;
        stats_paired_ratio(a, b, n, 0.95, 1, &r);
        held += r.low <= 1.1 && 1.1 <= r.high;
    }
    printf("%zu pairs, %.0f %% outliers: %.2f %% hold\n", n, 100 * m.outliers, (double)held / 100);
    ck_assert_msg(held >= 9440, "%zu pairs: held in %zu of 10000", n, held);
}
END_TEST

// From the tables of Student's distribution.
START_TEST(student_quantiles)
{
    ck_assert_double_eq_tol(stats_student(1, 0.95), 12.7062, 1e-4);
    ck_assert_double_eq_tol(stats_student(2, 0.95), 4.30265, 1e-5);
    ck_assert_double_eq_tol(stats_student(5, 0.99), 4.03214, 1e-5);
    ck_assert_double_eq_tol(stats_student(10, 0.95), 2.22814, 1e-5);
    ck_assert_double_eq_tol(stats_student(30, 0.95), 2.04227, 1e-5);
    ck_assert_double_eq_tol(stats_student(1000, 0.95), 1.96234, 1e-5);
    ck_assert(isnan(stats_student(0, 0.95)));
}
END_TEST

// Logarithms to base 2 are 0, 1, 2: mean 1, deviation 1, error 1 / sqrt(3), t 4.30265.
START_TEST(geometric_interval)
{
    const double values[] = {1, 2, 4};
    double low, high;
    ck_assert(stats_geometric_interval(values, 3, 0.95, &low, &high));
    ck_assert_double_eq_tol(low, 2 / pow(2, 4.30265 / sqrt(3)), 1e-5);
    ck_assert_double_eq_tol(high, 2 * pow(2, 4.30265 / sqrt(3)), 1e-4);
    ck_assert(!stats_geometric_interval(values, 1, 0.95, &low, &high));
    ck_assert_double_eq(low, 1);
}
END_TEST

// By hand: of the six pairs of four, five agree and one does not; a tie in one list leaves it out
// of the other's denominator.
START_TEST(kendall_by_hand)
{
    const double a[] = {1, 2, 3, 4}, one[] = {1, 2, 4, 3}, down[] = {4, 3, 2, 1};
    const double tied[] = {1, 1, 2, 3}, same[] = {5, 5, 5, 5};
    ck_assert_double_eq_tol(stats_kendall(a, a, 4), 1, 1e-12);
    ck_assert_double_eq_tol(stats_kendall(a, one, 4), 4.0 / 6, 1e-12);
    ck_assert_double_eq_tol(stats_kendall(a, down, 4), -1, 1e-12);
    ck_assert_double_eq_tol(stats_kendall(a, tied, 4), 5 / sqrt(30), 1e-12);
    ck_assert(isnan(stats_kendall(a, same, 4)) && isnan(stats_kendall(a, a, 1)));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stats");
    TCase *tests = tcase_create("stats");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, median_and_mean);
    tcase_add_test(tests, input_is_left_alone);
    tcase_add_loop_test(tests, quantiles_by_hand, 0, COUNT(quantiles));
    tcase_add_test(tests, quantile_outside);
    tcase_add_loop_test(tests, ranks_of_the_interval, 0, COUNT(ranks));
    tcase_add_test(tests, level_is_exact);
    tcase_add_test(tests, interval_takes_the_ranks);
    tcase_add_test(tests, no_interval_below_six);
    tcase_add_test(tests, interval_is_never_below_the_resolution);
    tcase_add_test(tests, summary_of_samples);
    tcase_add_test(tests, a_million_samples);
    tcase_add_test(tests, geometric_mean);
    tcase_add_test(tests, student_quantiles);
    tcase_add_test(tests, geometric_interval);
    tcase_add_test(tests, kendall_by_hand);
    tcase_add_loop_test(tests, intervals_hold_as_often_as_they_say, 0, 4);
    tcase_add_test(tests, location_by_hand);
    tcase_add_test(tests, location_is_exact);
    tcase_add_loop_test(tests, signed_ranks_of_the_interval, 0, COUNT(signed_ranks));
    tcase_add_test(tests, signed_ranks_of_many);
    tcase_add_test(tests, location_interval_by_hand);
    tcase_add_test(tests, paired_ratio_of_known_series);
    tcase_add_test(tests, undisturbed_ratio_of_known_series);
    tcase_add_loop_test(tests, undisturbed_launches_tell_on_a_busy_machine, 0, 3);
    tcase_add_loop_test(tests, paired_intervals_hold_as_often_as_they_say, 0, 8);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
