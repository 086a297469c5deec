// Expected improvement: how far below the best a candidate is expected to lie, counting what is
// above as nothing. The integral is tabulated once, from a series near zero and a continued
// fraction further out, and interpolated.
#include "search/gp.h"
#include "search/maths.h"

#include <math.h>

#define EDGE      12.0 // standard deviations; beyond, what follows from the edge
#define STEPS     512  // on one side
#define ROOT_2_PI 0x1.40d931ff62706p+1

// phi(t) - t (1 - Phi(t)) for t >= 0: the mean of a standard normal variable's excess over t.
static double excess(double t)
{
    double density = maths_exp(-t * t / 2) / ROOT_2_PI;
    if (t < 3) { // Phi by its series
        double term = t, sum = t;
        for (int k = 3; k < 120; k += 2) {
            term *= t * t / k;
            sum += term;
        }
        return density - t * (0.5 - density * sum);
    }
    double ratio = t; // (1 - Phi) / phi by its continued fraction, from its far end
    for (int k = 60; k >= 1; k--)
        ratio = t + k / ratio;
    return density * (1 - t / ratio);
}

void improvement_init(struct improvement *t)
{
    for (int i = 0; i <= STEPS; i++)
        t->table[i] = excess(EDGE * i / STEPS);
}

static double excess_of(const struct improvement *t, double z)
{
    if (!(z < EDGE)) // falls as exp(-z^2 / 2) does
        return t->table[STEPS] * maths_exp(-EDGE * (z - EDGE));
    double at = z * (STEPS / EDGE);
    int i = (int)at;
    return t->table[i] + (at - i) * (t->table[i + 1] - t->table[i]);
}

double improvement_expected(const struct improvement *t, double best, double mean, double deviation)
{
    double z = (mean - best) / deviation;
    return deviation * (z >= 0 ? excess_of(t, z) : excess_of(t, -z) - z);
}
