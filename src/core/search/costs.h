// The cost of a question, learnt from those answered: seconds of building, verifying and launching.
//
// The logarithm of a cost is a sum over the parameters, since slow builds (an unrolled loop, a
// large tile) multiply. A few answers therefore separate cheap questions from expensive ones, long
// before a model knows which are fast.
#pragma once

#include "search/asked.h"
#include "search/axes.h"

struct costs {
    const struct axes *axes;
    double **effects; // of each axis: one for each value index
    double *sums;     // scratch: of the longest axis
    uint32_t *counts;
    uint32_t *choices; // scratch: configurations with known costs
    double *rests;     // what of their logarithms no effect explains
    size_t choice_room, rest_room;
};

// False without memory; costs_release() may follow in any case. The axes outlive it.
bool costs_init(struct costs *c, const struct axes *x, struct arena *a);
void costs_release(struct costs *c);
// Learns from all that have a cost. False without memory: all is then as before.
bool costs_fit(struct costs *c, const struct space *space, const struct asked *asked);
// How many of this one the time of an average one would pay for.
double costs_rate(const struct costs *c, const uint32_t *choice);
