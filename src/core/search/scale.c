// Values as a model is told them: their logarithms where all have one sign, standardised. What lies
// above the median by more than the best lies below it is clipped to that ceiling; failures come a
// fixed distance above it.
#include "search/scale.h"

#include "search/maths.h"

#include <math.h>

#define FAILURE_BEYOND 0.3    // deviations above the ceiling
#define NORMAL_LEAST   1e-300 // nearer to zero nothing is told apart
#define PLAIN_MOST     1e145  // squares are summed
#define LOWEST         (-100) // deviations: a value of another kind than those before

static double bend(const struct scale *s, double value)
{
    if (s->form == SCALE_LOG)
        return maths_log(value > NORMAL_LEAST ? value : NORMAL_LEAST);
    if (s->form == SCALE_NEGATIVE_LOG)
        return -maths_log(-value > NORMAL_LEAST ? -value : NORMAL_LEAST);
    return value > PLAIN_MOST ? PLAIN_MOST : value < -PLAIN_MOST ? -PLAIN_MOST : value;
}

void scale_choose(struct scale *s, const struct ranked *values, size_t count)
{
    *s = (struct scale){.form = values[0].value > 0           ? SCALE_LOG
                                : values[count - 1].value < 0 ? SCALE_NEGATIVE_LOG
                                                              : SCALE_PLAIN};
    double median = bend(s, values[count / 2].value), top = 2 * median - bend(s, values[0].value);
    double sum = 0, squares = 0;
    if (top > bend(s, values[count - 1].value))
        top = bend(s, values[count - 1].value);
    for (size_t i = 0; i < count; i++) {
        double y = bend(s, values[i].value);
        sum += y < top ? y : top;
    }
    s->centre = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        double y = bend(s, values[i].value), apart = (y < top ? y : top) - s->centre;
        squares += apart * apart;
    }
    double deviation = sqrt(squares / (double)count);
    s->deviation = deviation > 1e-9 * fabs(s->centre) ? deviation : 1;
    s->ceiling = (top - s->centre) / s->deviation;
    s->failure = s->ceiling + FAILURE_BEYOND;
}

double scale_apply(const struct scale *s, double value)
{
    double y = (bend(s, value) - s->centre) / s->deviation;
    return y > s->ceiling ? s->ceiling : y < LOWEST ? LOWEST : y;
}

int ranked_compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

uint32_t ranked_spread(uint32_t i, uint32_t some, uint32_t count)
{
    uint32_t half = some / 2;
    if (i < half || some >= count)
        return i;
    return half + (uint32_t)((uint64_t)(i - half) * (count - half) / (some - half));
}
