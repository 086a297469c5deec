// The slope is that of a line through the answers, by least squares, with a normal prior. The constants were chosen on
// recorded spaces (src/doc/decisions.md).
#include "search/centre.h"

#include <math.h>

#define SLOPE_USUAL     0.2
#define SLOPE_DEVIATION 0.3 // where what the line does not explain has a deviation of 1
// The square of a place's distance from the centre, all places being as frequent:
#define SQUARE_MEAN      (1.0 / 12)
#define SQUARE_DEVIATION 0.0745355992499929917

// None of two values, nearly all of a long list.
static double weight_of(const struct axis *a)
{
    return a->ordered ? 1 - 2.0 / a->count : 0;
}

void centre_init(struct centre *c, const struct axes *axes)
{
    double squares = 0;
    for (uint32_t i = 0; i < axes->count; i++)
        squares += weight_of(&axes->items[i]) * weight_of(&axes->items[i]);
    *c = (struct centre){.axes = axes,
                         .deviation = SQUARE_DEVIATION * sqrt(squares > 0 ? squares : 1)};
    centre_forget(c);
}

double centre_away(const struct centre *c, const float *point)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->axes->count; i++) {
        double apart = (double)point[i] - 0.5;
        sum += weight_of(&c->axes->items[i]) * (apart * apart - SQUARE_MEAN);
    }
    return sum / c->deviation;
}

void centre_forget(struct centre *c)
{
    c->count = c->away = c->value = c->products = c->squares = 0;
    c->slope = SLOPE_USUAL;
}

void centre_learn(struct centre *c, double away, double value)
{
    c->count++;
    c->away += away;
    c->value += value;
    c->products += away * value;
    c->squares += away * away;
    // The means of both are 0, give or take the deviation of one answer.
    double rest = c->count + 1, prior = 1 / (SLOPE_DEVIATION * SLOPE_DEVIATION);
    c->slope = (prior * SLOPE_USUAL + c->products - c->away * c->value / rest) /
               (prior + c->squares - c->away * c->away / rest);
}
