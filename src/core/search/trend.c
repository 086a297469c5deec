// The squares together have a deviation of 1 where values are drawn at random, and so have the places. The constants were chosen
// on recorded spaces (src/doc/decisions.md).
#include "search/trend.h"

#include <math.h>

#define SQUARES_DEVIATE 0.1 // slopes, where what the terms do not explain has a deviation of 1
#define PLACES_DEVIATE  0.075
// The deviation of a place from the middle, and the mean and the deviation of its square, if all places
// are equally frequent:
#define PLACE_DEVIATION  0.288675134594812882
#define SQUARE_MEAN      (1.0 / 12)
#define SQUARE_DEVIATION 0.0745355992499929917

static void weigh_terms(struct trend *t)
{
    uint32_t axes = t->axes->count, ordered = 0;
    double squares = 0;
    for (uint32_t i = 0; i < axes; i++) {
        const struct axis *a = &t->axes->items[i];
        // None of two values, nearly all of a long list.
        t->weights[i] = a->ordered ? 1 - 2.0 / a->count : 0;
        squares += t->weights[i] * t->weights[i];
        ordered += a->ordered;
    }
    for (uint32_t i = 0; i < axes; i++) {
        if (squares > 0)
            t->weights[i] /= SQUARE_DEVIATION * sqrt(squares);
        t->weights[axes + i] =
            t->axes->items[i].ordered ? 1 / (PLACE_DEVIATION * sqrt((double)ordered)) : 0;
    }
}

bool trend_init(struct trend *t, const struct axes *axes, struct arena *a)
{
    *t = (struct trend){.axes = axes, .terms = 2 * axes->count};
    size_t count = (size_t)t->terms + 1; // + 1: no allocation of nothing
    t->weights = arena_array(a, count, sizeof *t->weights);
    t->slopes = arena_array(a, count, sizeof *t->slopes);
    t->sums = arena_array(a, count, sizeof *t->sums);
    t->products = arena_array(a, count * count, sizeof *t->products);
    t->both = arena_array(a, count, sizeof *t->both);
    t->term = arena_array(a, count, sizeof *t->term);
    if (!t->weights || !t->slopes || !t->sums || !t->products || !t->both || !t->term)
        return false;
    weigh_terms(t);
    trend_forget(t);
    return true;
}

static double square_of(const struct trend *t, const float *point, uint32_t axis)
{
    double apart = (double)point[axis];
    return t->weights[axis] * (apart * apart - SQUARE_MEAN);
}

static double place_of(const struct trend *t, const float *point, uint32_t axis)
{
    return t->weights[t->axes->count + axis] * (double)point[axis];
}

double trend_value(const struct trend *t, const float *point)
{
    uint32_t axes = t->axes->count;
    double sum = 0;
    for (uint32_t i = 0; i < axes; i++)
        sum += t->slopes[i] * square_of(t, point, i) + t->slopes[axes + i] * place_of(t, point, i);
    return sum;
}

static bool is_square(const struct trend *t, uint32_t term)
{
    return term < t->axes->count;
}

void trend_forget(struct trend *t)
{
    t->count = t->value = 0;
    for (uint32_t i = 0; i < t->terms; i++) {
        t->slopes[i] = t->sums[i] = t->both[i] = 0;
        for (uint32_t k = 0; k < t->terms; k++)
            t->products[(size_t)i * t->terms + k] = 0;
    }
}

void trend_learn(struct trend *t, const float *point, double value)
{
    uint32_t axes = t->axes->count;
    t->count++;
    t->value += value;
    for (uint32_t i = 0; i < axes; i++) {
        t->term[i] = square_of(t, point, i);
        t->term[axes + i] = place_of(t, point, i);
    }
    for (uint32_t i = 0; i < t->terms; i++) {
        t->sums[i] += t->term[i];
        t->both[i] += t->term[i] * value;
        for (uint32_t k = 0; k <= i; k++)
            t->products[(size_t)i * t->terms + k] += t->term[i] * t->term[k];
    }
}

// The normal equations, by the Cholesky factor, which takes the place of the products.
void trend_fit(struct trend *t)
{
    // The means of terms and values are 0, give or take the deviation of one answer.
    double answers = t->count + 1;
    for (uint32_t i = 0; i < t->terms; i++) {
        double *row = t->products + (size_t)i * t->terms;
        double deviate = is_square(t, i) ? SQUARES_DEVIATE : PLACES_DEVIATE;
        double right = t->both[i] - t->sums[i] * t->value / answers;
        for (uint32_t k = 0; k <= i; k++) {
            const double *upper = t->products + (size_t)k * t->terms;
            double left =
                row[k] - t->sums[i] * t->sums[k] / answers + (i == k ? 1 / (deviate * deviate) : 0);
            for (uint32_t j = 0; j < k; j++)
                left -= row[j] * upper[j];
            row[k] = i == k ? sqrt(left) : left / upper[k];
        }
        for (uint32_t k = 0; k < i; k++)
            right -= row[k] * t->slopes[k];
        t->slopes[i] = right / row[i];
    }
    for (uint32_t i = t->terms; i-- > 0;) {
        for (uint32_t k = i + 1; k < t->terms; k++)
            t->slopes[i] -= t->products[(size_t)k * t->terms + i] * t->slopes[k];
        t->slopes[i] /= t->products[(size_t)i * t->terms + i];
    }
}
