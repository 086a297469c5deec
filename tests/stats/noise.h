// Times of kernels as machines give them: noise of a few per cent within a round, one launch in
// twenty slowed to 1.5 .. 3 times by something else, and a state of the machine that wanders. On
// others the noise has heavy tails, the state jumps, and something else runs for a while.
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
    uint32_t freedom; // of Student's noise; 0: normal
    double jumps;     // share of the steps in which the state changes by 15 %
    double bursts;    // share of the launches at which something begins that slows up to 12
    double slow;      // what a burst does to them; 0: 1.4 times as long
    uint32_t burst_left;
};

static inline double machine_noise(struct machine *m)
{
    double squares = 0, z = normal(&m->rng);
    for (uint32_t i = 0; i < m->freedom; i++) {
        double x = normal(&m->rng);
        squares += x * x;
    }
    return m->freedom ? z / sqrt(squares / m->freedom) : z;
}

static inline void machine_wander(struct machine *m)
{
    m->state = 0.9 * m->state + m->drift * normal(&m->rng);
    if (m->jumps > 0 && rng_unit(&m->rng) < m->jumps)
        m->state += 0.15 * normal(&m->rng);
}

static inline uint64_t machine_launch(struct machine *m, double ns)
{
    double time = ns * exp(m->state + m->noise * machine_noise(m));
    if (m->burst_left > 0) {
        m->burst_left--;
        time *= m->slow > 0 ? m->slow : 1.4;
    } else if (m->bursts > 0 && rng_unit(&m->rng) < m->bursts) {
        m->burst_left = 1 + (uint32_t)rng_below(&m->rng, 12);
    }
    if (rng_unit(&m->rng) < m->outliers)
        time *= 1.5 + 1.5 * rng_unit(&m->rng);
    return (uint64_t)time;
}

#endif
