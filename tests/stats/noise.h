// Times of kernels as machines give them: noise of a few per cent within a round, one launch in
// twenty slowed to 1.5 .. 3 times by something else, and a state of the machine that wanders.
#ifndef HONE_TESTS_MEASURE_NOISE_H
#define HONE_TESTS_MEASURE_NOISE_H

#include "base/random.h"

#include <math.h>

// Normal deviate (Box and Muller 1958).
static inline double normal(struct rng *r)
{
    double u = rng_unit(r), v = rng_unit(r);
    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

struct machine {
    struct rng rng;
    double noise;    // standard deviation of the logarithm of a launch
    double drift;    // of its state from one round, or configuration, to the next
    double outliers; // share of the launches
    double state;
};

static inline void machine_wander(struct machine *m)
{
    m->state = 0.9 * m->state + m->drift * normal(&m->rng);
}

static inline uint64_t machine_launch(struct machine *m, double ns)
{
    double time = ns * exp(m->state + m->noise * normal(&m->rng));
    if (rng_unit(&m->rng) < m->outliers)
        time *= 1.5 + 1.5 * rng_unit(&m->rng);
    return (uint64_t)time;
}

#endif
