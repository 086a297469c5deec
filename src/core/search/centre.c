// The squares together have a deviation of 1 where values are drawn at random, and so have the places. The constants were chosen
// on recorded spaces (src/doc/decisions.md).
#include "search/centre.h"

#include <math.h>

#define SLOPE_USUAL     0.3 // of a square; that of a place is 0
#define SQUARES_DEVIATE 0.2 // slopes, where what the terms do not explain has a deviation of 1
#define PLACES_DEVIATE  0.15
// Of a place's distance from the middle and of its square, all places being as frequent:
#define PLACE_DEVIATION  0.288675134594812882
#define SQUARE_MEAN      (1.0 / 12)
#define SQUARE_DEVIATION 0.0745355992499929917

static void weigh_terms(struct centre *c)
{
    uint32_t axes = c->axes->count, ordered = 0;
    double squares = 0;
    for (uint32_t i = 0; i < axes; i++) {
        const struct axis *a = &c->axes->items[i];
        // None of two values, nearly all of a long list.
        c->weights[i] = a->ordered ? 1 - 2.0 / a->count : 0;
        squares += c->weights[i] * c->weights[i];
        ordered += a->ordered;
    }
    for (uint32_t i = 0; i < axes; i++) {
        if (squares > 0)
            c->weights[i] /= SQUARE_DEVIATION * sqrt(squares);
        c->weights[axes + i] =
            c->axes->items[i].ordered ? 1 / (PLACE_DEVIATION * sqrt((double)ordered)) : 0;
    }
}

bool centre_init(struct centre *c, const struct axes *axes, struct arena *a)
{
    *c = (struct centre){.axes = axes, .terms = 2 * axes->count};
    size_t count = (size_t)c->terms + 1; // + 1: no allocation of nothing
    c->weights = arena_array(a, count, sizeof *c->weights);
    c->slopes = arena_array(a, count, sizeof *c->slopes);
    c->sums = arena_array(a, count, sizeof *c->sums);
    c->products = arena_array(a, count * count, sizeof *c->products);
    c->both = arena_array(a, count, sizeof *c->both);
    c->term = arena_array(a, count, sizeof *c->term);
    if (!c->weights || !c->slopes || !c->sums || !c->products || !c->both || !c->term)
        return false;
    weigh_terms(c);
    centre_forget(c);
    return true;
}

static double square_of(const struct centre *c, const float *point, uint32_t axis)
{
    double apart = (double)point[axis] - 0.5;
    return c->weights[axis] * (apart * apart - SQUARE_MEAN);
}

static double place_of(const struct centre *c, const float *point, uint32_t axis)
{
    return c->weights[c->axes->count + axis] * ((double)point[axis] - 0.5);
}

double centre_away(const struct centre *c, const float *point)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->axes->count; i++)
        sum += square_of(c, point, i);
    return sum;
}

double centre_value(const struct centre *c, const float *point)
{
    uint32_t axes = c->axes->count;
    double sum = 0;
    for (uint32_t i = 0; i < axes; i++)
        sum += c->slopes[i] * square_of(c, point, i) + c->slopes[axes + i] * place_of(c, point, i);
    return sum;
}

static bool is_square(const struct centre *c, uint32_t term)
{
    return term < c->axes->count;
}

void centre_forget(struct centre *c)
{
    c->count = c->value = 0;
    for (uint32_t i = 0; i < c->terms; i++) {
        c->slopes[i] = is_square(c, i) ? SLOPE_USUAL : 0;
        c->sums[i] = c->both[i] = 0;
        for (uint32_t k = 0; k < c->terms; k++)
            c->products[(size_t)i * c->terms + k] = 0;
    }
}

void centre_learn(struct centre *c, const float *point, double value)
{
    uint32_t axes = c->axes->count;
    c->count++;
    c->value += value;
    for (uint32_t i = 0; i < axes; i++) {
        c->term[i] = square_of(c, point, i);
        c->term[axes + i] = place_of(c, point, i);
    }
    for (uint32_t i = 0; i < c->terms; i++) {
        c->sums[i] += c->term[i];
        c->both[i] += c->term[i] * value;
        for (uint32_t k = 0; k <= i; k++)
            c->products[(size_t)i * c->terms + k] += c->term[i] * c->term[k];
    }
}

// The normal equations, by the Cholesky factor, which takes the place of the products.
void centre_fit(struct centre *c)
{
    // The means of terms and values are 0, give or take the deviation of one answer.
    double answers = c->count + 1;
    for (uint32_t i = 0; i < c->terms; i++) {
        double *row = c->products + (size_t)i * c->terms;
        double deviate = is_square(c, i) ? SQUARES_DEVIATE : PLACES_DEVIATE;
        double prior = 1 / (deviate * deviate), usual = is_square(c, i) ? SLOPE_USUAL : 0;
        double right = c->both[i] - c->sums[i] * c->value / answers + prior * usual;
        for (uint32_t k = 0; k <= i; k++) {
            const double *upper = c->products + (size_t)k * c->terms;
            double left = row[k] - c->sums[i] * c->sums[k] / answers + (i == k ? prior : 0);
            for (uint32_t j = 0; j < k; j++)
                left -= row[j] * upper[j];
            row[k] = i == k ? sqrt(left) : left / upper[k];
        }
        for (uint32_t k = 0; k < i; k++)
            right -= row[k] * c->slopes[k];
        c->slopes[i] = right / row[i];
    }
    for (uint32_t i = c->terms; i-- > 0;) {
        for (uint32_t k = i + 1; k < c->terms; k++)
            c->slopes[i] -= c->products[(size_t)k * c->terms + i] * c->slopes[k];
        c->slopes[i] /= c->products[(size_t)i * c->terms + i];
    }
}
